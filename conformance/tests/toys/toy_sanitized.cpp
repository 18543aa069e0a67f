// SPDX-License-Identifier: BSD-3-Clause
//
// A library that was built with AddressSanitizer.
extern "C" int sanitized(const int* value) {
  return *value;
}
