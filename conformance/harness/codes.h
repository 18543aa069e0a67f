// SPDX-License-Identifier: BSD-3-Clause
//
// Names of librpma's error codes, errno values and signals.
#pragma once

#include <string>

namespace conformance {

// "RPMA_E_PROVIDER (-100002)"; the number alone for a code that librpma.h does not define.
std::string code_name(int code);

// "EINVAL"; "errno 524" for a number that has no name.
std::string error_name(int error);

// "SIGSEGV"; "signal 40" for a number that has no name.
std::string signal_name(int signal);

}  // namespace conformance
