// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/options.h"

namespace conformance {

Parts find_parts() {
  Parts parts;
  parts.program = std::filesystem::read_symlink("/proc/self/exe");
  const std::filesystem::path prefix = parts.program.parent_path().parent_path();
  parts.shim = prefix / "lib/rpma-conformance/librdmafault.so";
  parts.mock = prefix / "lib/rpma-conformance/librdmamock.so";
  parts.machine = prefix / "share/rpma-conformance/rxe/machine";
  return parts;
}

}  // namespace conformance
