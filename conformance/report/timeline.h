// SPDX-License-Identifier: BSD-3-Clause
//
// The time line of one experiment: each intercepted call, who made it, what it returned, and what was
// injected.
#pragma once

#include <string>

#include "conformance/harness/experiment.h"
#include "conformance/harness/pool.h"
#include "conformance/harness/symbols.h"

namespace conformance {

struct TimelineOptions {
  bool all = false;  // also the allocations of modules below the IUT, which are many
};

// Several lines, each ending in a newline: the call under test, then what was done with what it gave.
std::string timeline(const Library& library, const Evidence& evidence, const Symbols& symbols,
                     const TimelineOptions& options);

// Where the call was made: "librdmacm!rdma_create_id".
std::string caller_in_words(const rdmafault_record& record, const Evidence& evidence, const Symbols& symbols);

// "0", "NULL ENOMEM", "-1 EADDRINUSE", "did not return"; empty where the function gives nothing.
std::string result_in_words(const rdmafault_record& record);

}  // namespace conformance
