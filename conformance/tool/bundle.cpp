// SPDX-License-Identifier: BSD-3-Clause
//
// `bundle`: a report folder as one file that another party can check.
#include "conformance/bundle/bundle.h"

#include <fmt/format.h>

#include "conformance/bundle/files.h"
#include "conformance/catalogue/profile.h"
#include "conformance/report/digest.h"
#include "conformance/tool/commands.h"

namespace conformance {

int bundle(const BundleOptions& what) {
  std::optional<PrivateKey> key;
  if (!what.key.empty()) key.emplace(PrivateKey::read(what.key));
  const std::string archive =
      make_bundle(what.report, profiles_in(find_parts().profiles), key ? &*key : nullptr);
  write_new_file(what.output, archive, what.replace);
  fmt::print(
      "bundle: {}  {} bytes  sha256 {}\nsigned: {}\n", what.output.string(), archive.size(), sha256(archive),
      key ? "by the key " + key->id() : "no; --key KEY.pem signs, and without that nobody answers for it");
  return kConforms;
}

}  // namespace conformance
