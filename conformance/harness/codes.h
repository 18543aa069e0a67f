// SPDX-License-Identifier: BSD-3-Clause
//
// The error codes of librpma, by name.
#pragma once

#include <string>

namespace conformance {

// "RPMA_E_PROVIDER (-100002)"; the number alone for a code that librpma.h does not define.
std::string code_name(int code);

}  // namespace conformance
