// SPDX-License-Identifier: BSD-3-Clause
//
// A baseline: the known findings of a stack (clause, module, verdict, signature, tests that show it), and the
// verdict of each clause. A run matches it if it shows exactly these findings, and no clause is worse.
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

inline constexpr const char* kBaselineSchema = "rpma-conformance-baseline/1";

class Baseline {
 public:
  // Throws SetupError where the file is not a baseline for this provider.
  Baseline(const std::filesystem::path& file, const std::string& provider);
  // The same from a file's content, but throws DocumentError.
  static Baseline parse(std::string_view bytes, const std::string& provider);

  // One line for every difference; empty: the run shows what the baseline says. Only what the run's tests can
  // show is compared.
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
  std::map<std::string, std::string> clauses_;  // verdict of each; empty: the baseline says nothing of them
};

}  // namespace conformance
