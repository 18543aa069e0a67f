// SPDX-License-Identifier: BSD-3-Clause
//
// How results are printed: as text or as a JSON document, with or without colours, how much.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace conformance {

struct OutputOptions {
  std::string format = "text";  // or json
  std::string color = "auto";   // or always, never
  bool quiet = false;
  bool verbose = false;
};

// Once, after the command line is parsed. With format json, standard output holds the document alone:
// everything else that is printed goes to standard error.
void set_output(const OutputOptions& options);

bool wants_json();
bool is_quiet();
bool is_verbose();

void print_document(const nlohmann::ordered_json& document);

// Colours the verdict word of each line, where colours are wanted.
std::string painted(std::string_view text);

// The options that give a program started by this one the same output.
std::vector<std::string> output_words();

// While it lives, standard output is the caller's: for a document, and for a program that prints one.
class RealOutput {
 public:
  RealOutput();
  ~RealOutput();
  RealOutput(const RealOutput&) = delete;
  RealOutput& operator=(const RealOutput&) = delete;
  RealOutput(RealOutput&&) = delete;
  RealOutput& operator=(RealOutput&&) = delete;
};

}  // namespace conformance
