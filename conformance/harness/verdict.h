// SPDX-License-Identifier: BSD-3-Clause
//
// Verdicts: a small type that cannot become a pass by accident. Every verdict except pass has a reason, and
// an empty aggregate is not a pass.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace conformance {

// Worst first: the smaller value decides an aggregate.
enum class Verdict { Crash, Hang, Fail, Broken, Unreached, Unsupported, Skipped, Waived, Pass };

constexpr std::array<std::string_view, 9> kVerdictNames = {
    "crash", "hang", "fail", "broken", "unreached", "unsupported", "skipped", "waived", "pass"};

constexpr std::string_view name_of(Verdict verdict) {
  return kVerdictNames.at(static_cast<size_t>(verdict));
}

constexpr std::optional<Verdict> verdict_named(std::string_view name) {
  for (size_t i = 0; i < kVerdictNames.size(); ++i)
    if (kVerdictNames.at(i) == name) return static_cast<Verdict>(i);
  return std::nullopt;
}

// A verdict that says that a clause is broken.
constexpr bool is_finding(Verdict verdict) {
  return verdict <= Verdict::Fail;
}

// A verdict that says nothing about the subject.
constexpr bool is_inconclusive(Verdict verdict) {
  return verdict > Verdict::Fail && verdict != Verdict::Pass;
}

class Outcome {
 public:
  static Outcome pass() { return {Verdict::Pass, {}}; }
  // A missing reason, or a pass with one, is a defect of the suite: the verdict becomes broken.
  static Outcome of(Verdict verdict, std::string reason) {
    if (verdict == Verdict::Pass)
      return {Verdict::Broken, "defect of the suite: pass with a reason: " + reason};
    if (reason.empty())
      return {Verdict::Broken, "defect of the suite: no reason for " + std::string(name_of(verdict))};
    return {verdict, std::move(reason)};
  }

  [[nodiscard]] Verdict verdict() const { return verdict_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] bool passed() const { return verdict_ == Verdict::Pass; }

 private:
  Outcome(Verdict verdict, std::string reason) : verdict_(verdict), reason_(std::move(reason)) {}
  Verdict verdict_;
  std::string reason_;
};

// The worst outcome decides; the first of equals gives the reason. Empty: nothing ran, so it is skipped.
class Aggregate {
 public:
  void add(const Outcome& outcome) {
    if (!worst_ || outcome.verdict() < worst_->verdict()) worst_ = outcome;
  }
  [[nodiscard]] Outcome outcome() const {
    return worst_ ? *worst_ : Outcome::of(Verdict::Skipped, "nothing ran");
  }

 private:
  std::optional<Outcome> worst_;
};

}  // namespace conformance
