// SPDX-License-Identifier: BSD-3-Clause
// Where this library's GoogleTest puts its failures: into a fixed buffer, whoever causes them and wherever,
// and never onto a stream. No failure aborts.
#pragma once

#include <string>

#include "mocks/rdmamock.h"

namespace rdmamock {

// Make GoogleTest and GoogleMock ready: no flags, no output, no listeners but ours. Once per process.
void install_reporter();

// Report a failure of our own.
void report(const std::string& what);

// Hand out what was reported since the last time, and forget it.
void take_outcome(rdmamock_outcome& outcome);

}  // namespace rdmamock
