// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/temporary_folder.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <system_error>

#include "conformance/harness/library.h"

namespace conformance {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string folder = (fs::temp_directory_path() / "rpma-conformance-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    throw SetupError(
        fmt::format("cannot make a folder in {}; set TMPDIR", fs::temp_directory_path().string()));
  path_ = folder;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

}  // namespace conformance
