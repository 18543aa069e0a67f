// SPDX-License-Identifier: BSD-3-Clause
//
// `bundle`: a report folder as one file that another party can check.
#include "conformance/bundle/bundle.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "conformance/bundle/files.h"
#include "conformance/catalogue/profile.h"
#include "conformance/report/digest.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/output.h"

namespace conformance {

int bundle(const BundleOptions& what) {
  std::optional<PrivateKey> key;
  if (!what.key.empty()) key.emplace(PrivateKey::read(what.key));
  const std::string archive =
      make_bundle(what.report, profiles_in(find_parts().profiles), key ? &*key : nullptr);
  write_new_file(what.output, archive, what.replace);
  if (wants_json()) {
    print_document({{"schema", "rpma-conformance-bundle/1"},
                    {"file", what.output.string()},
                    {"bytes", archive.size()},
                    {"sha256", sha256(archive)},
                    {"signer", key ? key->id() : ""}});
    return kConforms;
  }
  fmt::print("bundle: {}  {} bytes  sha256 {}\nsigned: {}\n", what.output.string(), archive.size(),
             sha256(archive), key ? "by key " + key->id() : "no (sign with --key KEY.pem)");
  return kConforms;
}

}  // namespace conformance
