// SPDX-License-Identifier: BSD-3-Clause
// Where failures go, those of this library's GoogleTest and those of the fake: into a buffer of fixed size,
// never to a stream. No failure aborts.
#pragma once

#include <string>

#include "mocks/rdmamock.h"

namespace rdmamock {

// Make GoogleTest and GoogleMock ready: no flags, no output, no listeners but ours. Once per process.
void install_reporter();

// Report a failure that is not an expectation's.
void report(const std::string& what);

// For a catch block: report the exception, and set errno to ENOMEM or EIO.
void report_exception() noexcept;

// Move what was reported since the last call into `outcome`.
void take_outcome(rdmamock_outcome& outcome);

}  // namespace rdmamock
