// SPDX-License-Identifier: BSD-3-Clause
//
// The time line of one experiment: each intercepted call, its caller, its result, and whether it was
// injected.
#pragma once

#include <string>

#include "conformance/harness/experiment.h"
#include "conformance/harness/pool.h"
#include "conformance/harness/symbols.h"

namespace conformance {

struct TimelineOptions {
  bool all = false;  // also the many allocations of modules below the IUT
};

// Several lines, each ending in a newline: the call under test, then the use and shutdown of its endpoint.
std::string timeline(const Library& library, const Evidence& evidence, const Symbols& symbols,
                     const TimelineOptions& options);

// The place of the call: "librdmacm!rdma_create_id".
std::string caller_in_words(const rdmafault_record& record, const Evidence& evidence, const Symbols& symbols);

// "0", "NULL ENOMEM", "-1 EADDRINUSE", "did not return"; empty for a void function.
std::string result_in_words(const rdmafault_record& record);

}  // namespace conformance
