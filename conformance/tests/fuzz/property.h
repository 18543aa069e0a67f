// SPDX-License-Identifier: BSD-3-Clause
//
// What the fuzz targets share. Each is a small program around libFuzzer: its header says what may be thrown,
// and what must hold for input that is accepted; anything else ends the program, which keeps the input and
// fails.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace conformance::fuzzing {

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// For input that is several files: takes the part before the next line "----", and the line.
inline std::string_view take_part(std::string_view& text) {
  constexpr std::string_view kBetween = "----\n";
  const size_t end = text.find(kBetween);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + kBetween.size());
  return part;
}

inline void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "property: %s\n", what);
  std::abort();
}

// What refuses an input is one line that a person reads.
inline void must_be_one_line(std::string_view words) {
  constexpr size_t kLongest = 1000;
  must(!words.empty() && words.size() <= kLongest, "a refusal has some words, and not too many");
  for (const char c : words)
    must(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f,
         "a refusal is one line without control characters");
}

}  // namespace conformance::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
