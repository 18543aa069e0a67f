// SPDX-License-Identifier: BSD-3-Clause
//
// The stack: what a verdict is about. Each module with its path, version, build id and hash.
#pragma once

#include <string>
#include <vector>

#include "conformance/harness/library.h"
#include "conformance/harness/observation.h"
#include "conformance/harness/testbed.h"

namespace conformance {

struct StackModule {
  std::string role;
  std::string path;
  std::string package;   // name and version where a Debian package owns the file; empty otherwise
  std::string build_id;  // GNU build id, hexadecimal; empty: it has none
  std::string sha256;
};

struct Stack {
  std::vector<StackModule> modules;
  std::string kernel;        // uname: release and version
  std::string distribution;  // PRETTY_NAME of os-release
  std::string device;        // name, firmware, state, as sysfs tells; empty on mock
  std::string address;
};

// Describes the modules that a control had loaded, those of the stack alone.
Stack describe_stack(const Library& library, const Target& target, const Observation& control);

}  // namespace conformance
