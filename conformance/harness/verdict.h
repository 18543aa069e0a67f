// SPDX-License-Identifier: BSD-3-Clause
//
// Verdicts: one small type that cannot turn into a pass by accident. Whatever is not a pass carries a reason,
// and an aggregate of nothing is not a pass either.
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

// A verdict that accuses: somebody broke a clause.
constexpr bool is_finding(Verdict verdict) {
  return verdict <= Verdict::Fail;
}

// No verdict was reached, so nothing can be said about the subject.
constexpr bool is_inconclusive(Verdict verdict) {
  return verdict > Verdict::Fail && verdict != Verdict::Pass;
}

class Outcome {
 public:
  static Outcome pass() { return {Verdict::Pass, {}}; }
  // A non-pass without a reason would be useless at night: it becomes a defect of ours, and says so.
  static Outcome of(Verdict verdict, std::string reason) {
    if (verdict == Verdict::Pass) return {Verdict::Broken, "a pass was built with a reason: " + reason};
    if (reason.empty()) return {Verdict::Broken, "no reason was given for: " + std::string(name_of(verdict))};
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

// The worst outcome decides; the first of equals gives the reason. Empty: nothing ran, which is no pass.
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
