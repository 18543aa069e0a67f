// SPDX-License-Identifier: BSD-3-Clause
//
// JSON from somebody who may mean harm: nothing deep, nothing huge, no key twice, nothing after the end.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace conformance {

using Json = nlohmann::ordered_json;

struct JsonLimits {
  size_t depth = 32;
  size_t values = 2'000'000;
  size_t keys = 1000;             // of one object: finding one costs a look at each
  size_t text = size_t{1} << 20;  // bytes of one text
};

// Both throw std::runtime_error with one clear line.
Json parse_strictly(std::string_view text, const JsonLimits& limits = {});
// One document a line, each line ended.
std::vector<Json> parse_lines_strictly(std::string_view text, const JsonLimits& limits = {});

}  // namespace conformance
