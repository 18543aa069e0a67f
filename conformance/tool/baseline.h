// SPDX-License-Identifier: BSD-3-Clause
//
// A baseline: the known findings of a stack (clause, module, verdict, signature, tests), and the verdict of
// each clause. A run must have exactly these findings, and no clause may be worse.
#pragma once

#include <compare>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/result.h"

namespace conformance {

class Baseline {
 public:
  // Throws SetupError where the file is not a baseline for this provider.
  Baseline(const std::filesystem::path& file, const std::string& provider);
  // From a file's bytes. Throws DocumentError.
  static Baseline parse(std::string_view bytes, const std::string& provider);

  // One line for every difference; empty: none. Tests that did not run are not compared.
  [[nodiscard]] std::vector<std::string> differences(const RunResult& run) const;

 private:
  Baseline() = default;

  struct Known {
    std::string clause, module, verdict, signature, test;
    auto operator<=>(const Known&) const =
        default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 misreads it
    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool is(const Known& other) const;
  };
  void add_worse_clauses(const RunResult& run, std::vector<std::string>& lines) const;
  std::set<Known> known_;
  std::map<std::string, std::string> clauses_;  // verdict of each; empty: not in the baseline
};

}  // namespace conformance
