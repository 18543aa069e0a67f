// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/listen_operation.h"

#include <string>
#include <utility>

#include "conformance/harness/client.h"
#include "conformance/harness/testbed.h"

namespace conformance {
namespace {

constexpr std::pair<unsigned, std::string_view> kNullNames[] = {
    {kPeerNull, "peer"}, {kAddrNull, "addr"}, {kPortNull, "port"}, {kEpPtrNull, "ep_ptr"}};

class Listen : public Operation {
 public:
  explicit Listen(unsigned nulls) : nulls_(nulls) {}

  [[nodiscard]] std::string_view function() const override { return "rpma_ep_listen"; }
  [[nodiscard]] bool should_succeed() const override { return nulls_ == 0; }
  [[nodiscard]] bool has_out() const override { return (nulls_ & kEpPtrNull) == 0; }
  [[nodiscard]] const Operation& ordinary() const override {
    static const Listen kOrdinary{0};
    return nulls_ == 0 ? *this : kOrdinary;
  }
  [[nodiscard]] std::string variant() const override {
    std::string names;
    for (const auto& [bit, name] : kNullNames)
      if ((nulls_ & bit) != 0) names += (names.empty() ? "" : ",") + std::string(name) + "=NULL";
    return names;
  }

  int call(const Testbed& bed, void** out) const override {
    return bed.library.iut.ep_listen((nulls_ & kPeerNull) != 0 ? nullptr : bed.peer,
                                     (nulls_ & kAddrNull) != 0 ? nullptr : bed.target.address.c_str(),
                                     (nulls_ & kPortNull) != 0 ? nullptr : bed.port.c_str(),
                                     (nulls_ & kEpPtrNull) != 0 ? nullptr : reinterpret_cast<rpma_ep**>(out));
  }

  Works use(const Testbed& bed, void* given, int queued, std::string& text) const override {
    auto* endpoint = static_cast<rpma_ep*>(given);
    if (const int requests = take_queued(bed, endpoint); requests != queued) {
      text = "the endpoint held " + std::to_string(requests) + " early connection requests instead of " +
             std::to_string(queued);
      return Works::No;
    }
    return connect_to(bed, endpoint, bed.target.address, bed.port, text);
  }

  int undo(const Testbed& bed, void** given) const override {
    return bed.library.iut.ep_shutdown(reinterpret_cast<rpma_ep**>(given));
  }

 private:
  unsigned nulls_;
};

}  // namespace

std::shared_ptr<const Operation> listen_operation(unsigned nulls) {
  return std::make_shared<Listen>(nulls);
}

}  // namespace conformance
