// SPDX-License-Identifier: BSD-3-Clause
//
// rpma_ep_listen(3) under conditions from the field. The condition, not a rule of the shim, makes a provider
// call fail, or must not disturb the listen. Judges:
//   LISTEN-REAL-1   a provider call that really fails gives RPMA_E_PROVIDER
//   LISTEN-BELOW-1  where the provider may go either way: a documented code, or a success that works
// and after every failure: RET-2, EPPTR-1, LEAK-1..4, LEGAL-1, AGAIN-1; after every success: RET-1, EPPTR-2,
// USE-1..4, LEAK-5, LEGAL-1.
//
// Two cases need no condition and are in other files: the two conventions of rdma_getaddrinfo (16) are
// Listen.FailingGetaddrinfoGivesEProvider, a cleanup that fails too (17) is
// Listen.Failing...AndDestroyIdGivesEProvider. A service that is empty or beyond 65535 is not judged
// (ruling 8).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "conformance/harness/conditions.h"
#include "conformance/harness/expectations.h"
#include "conformance/harness/listen_operation.h"
#include "conformance/suite/sweep.h"

namespace conformance {
namespace {

// Starts; the sentinel of each is in kSettings. No start is cold if the condition itself listens.
enum Starts : unsigned { kCold = 1, kPrimed = 2, kWarm = 4, kUsed = kPrimed | kWarm, kEach = kCold | kUsed };

enum class Gives { EProvider, Success, Either };

struct CaseRow {
  const char* number;  // of the case
  const char* name;
  const char* what;
  unsigned providers;
  unsigned starts;
  ListenArguments arguments;
  const char* condition;
  Gives gives;
};

ListenArguments at(std::string_view address) {
  return {.address = std::string(address)};
}

ListenArguments on(const char* port) {
  return {.port = port};
}

const ListenArguments kPlain = {};

const CaseRow kCaseRows[] = {
    {"01", "NoDevice", "This host has no RDMA device.", kRxe, kEach, kPlain, "no-device", Gives::EProvider},

    {"02", "NodeMissing", "There is no /dev/infiniband/rdma_cm.", kKernel, kEach, kPlain, "node-missing",
     Gives::EProvider},
    {"02", "NodeAwaited", "There is no /dev/infiniband/rdma_cm; librdmacm may wait for it.", kKernel,
     kCold | kWarm, kPlain, "node-awaited", Gives::EProvider},
    {"02", "NodeForbidden", "The process may not open /dev/infiniband/rdma_cm.", kKernel, kEach, kPlain,
     "node-forbidden", Gives::EProvider},

    {"03", "NodeReplaced/ByFile", "/dev/infiniband/rdma_cm is a regular file.", kKernel, kEach, kPlain,
     "node-replaced:file", Gives::EProvider},
    {"03", "NodeReplaced/ByNull", "/dev/infiniband/rdma_cm is /dev/null.", kKernel, kEach, kPlain,
     "node-replaced:null", Gives::EProvider},
    {"03", "NodeReplaced/ByZero", "/dev/infiniband/rdma_cm is /dev/zero.", kKernel, kEach, kPlain,
     "node-replaced:zero", Gives::EProvider},

    {"05", "PortBusy/InThisProcess", "This process listens on the address and port already.", kAll, kUsed,
     kPlain, "port-held:@target", Gives::EProvider},
    {"05", "PortBusy/InAnotherProcess", "Another process listens on the address and port already.", kKernel,
     kEach, kPlain, "port-held-elsewhere:@target", Gives::EProvider},

    {"06", "WildcardOnBusyPort",
     "The wildcard address, while another endpoint listens on the port at one address.", kAll, kUsed,
     at(kWildcard), "port-held:@target", Gives::EProvider},
    {"06", "WildcardOnBusyPort/InAnotherProcess",
     "The wildcard address, while another process listens on the port at one address.", kKernel, kEach,
     at(kWildcard), "port-held-elsewhere:@target", Gives::EProvider},
    {"06", "WildcardTwice",
     "The wildcard address, while another endpoint listens on the port at the wildcard address.", kAll, kUsed,
     at(kWildcard), "port-held:@wildcard", Gives::EProvider},
    {"06", "AddressOnWildcardPort",
     "One address, while another endpoint listens on the port at the wildcard address.", kAll, kUsed, kPlain,
     "port-held:@wildcard", Gives::EProvider},
    {"06", "AddressOnWildcardPort/InAnotherProcess",
     "One address, while another process listens on the port at the wildcard address.", kKernel, kEach,
     kPlain, "port-held-elsewhere:@wildcard", Gives::EProvider},
    {"06", "IPv6WildcardOnBusyPort",
     "The IPv6 wildcard, while another endpoint listens on the port at one IPv6 address.", kMock | kRxe,
     kUsed, at("::"), "port-held:@ipv6", Gives::EProvider},
    {"06", "IPv6AddressOnWildcardPort",
     "One IPv6 address, while another endpoint listens on the port at the IPv6 wildcard.", kMock | kRxe,
     kUsed, at(kIpv6), "port-held:::", Gives::EProvider},
    {"06", "IPv6WildcardOnIPv4Port",
     "The IPv6 wildcard, while another endpoint listens on the port at the IPv4 wildcard.", kAll, kUsed,
     at("::"), "port-held:0.0.0.0", Gives::EProvider},
    {"06", "IPv4WildcardOnIPv6Port",
     "The IPv4 wildcard, while another endpoint listens on the port at the IPv6 wildcard.", kAll, kUsed,
     at("0.0.0.0"), "port-held:::", Gives::EProvider},

    {"07", "PrivilegedPort", "Port 80, without CAP_NET_BIND_SERVICE.", kKernel, kEach, on("80"),
     "no-bind-service", Gives::EProvider},

    // Addresses that RFC 5737 and RFC 3849 reserve for documents, and that of the machine's eth0.
    {"08", "ForeignAddress/IPv4", "An address that no interface has.", kAll, kEach, at("198.51.100.7"), "",
     Gives::EProvider},
    {"08", "ForeignAddress/IPv6", "An IPv6 address that no interface has.", kAll, kEach,
     at("2001:db8:ffff::7"), "", Gives::EProvider},
    {"08", "ForeignAddress/OfOtherInterface", "An address of an interface without an RDMA device.", kRxe,
     kEach, at("10.0.2.15"), "", Gives::EProvider},

    {"09", "UnresolvableNode/Misspelt", "A node that is neither an address nor a name.", kAll, kEach,
     at("r92.168.1.11"), "", Gives::EProvider},
    {"09", "UnresolvableNode/Unknown", "A name that does not exist.", kAll, kEach, at("no.such.invalid"), "",
     Gives::EProvider},
    {"09", "UnresolvableNode/Empty", "An empty node.", kAll, kEach, at(""), "", Gives::EProvider},

    {"10", "BadService/Word", "A service that is in no table.", kAll, kEach, on("abc"), "", Gives::EProvider},
    {"10", "BadService/Negative", "A negative service.", kAll, kEach, on("-1"), "", Gives::EProvider},
    {"10", "BadService/Hexadecimal", "A hexadecimal service.", kAll, kEach, on("0x10"), "", Gives::EProvider},

    {"11", "IPv6/Global", "A global IPv6 address.", kMock | kRxe, kEach, at(kIpv6), "", Gives::Success},
    {"11", "IPv6/LinkLocal", "A link-local IPv6 address with its scope.", kKernel, kEach, at(kLinkLocal), "",
     Gives::Success},
    {"11", "IPv6/LinkLocalWithoutScope", "A link-local IPv6 address without its scope.", kKernel, kEach,
     at(kNoScope), "", Gives::EProvider},
    {"11", "IPv6/LinkLocalOfUnknownScope", "A link-local IPv6 address with a scope that is no interface.",
     kKernel, kEach, at(kUnknownScope), "", Gives::EProvider},

    {"12", "ManyListeners/Beside300", "300 other endpoints listen.", kAll, kUsed, kPlain, "listeners:300",
     Gives::Success},
    {"12", "ManyListeners/NoDescriptorLeft", "Other endpoints have taken all of 200 descriptors.", kKernel,
     kUsed, kPlain, "listeners-to-the-limit:200", Gives::EProvider},

    {"13", "InterfaceDown", "The device's network interface is down.", kRxe, kEach, kPlain, "interface-down",
     Gives::Either},
    {"13", "InterfaceDown/IPv6", "The device's network interface is down and has lost its IPv6 address.",
     kRxe, kEach, at(kIpv6), "interface-down", Gives::EProvider},
    {"13", "LinkDeleted",
     "The soft-RoCE link was deleted while a context of it is open: the call fails, and the endpoints that "
     "listened before are shut down.",
     kRxe, kEach, kPlain, "link-deleted", Gives::EProvider},

    {"14", "LowMemlockLimit", "RLIMIT_MEMLOCK is 64 KiB.", kAll, kEach, kPlain, "memlock:64", Gives::Success},

    {"15", "ListenerKilled", "A process that listened on the address and port was just killed.", kKernel,
     kEach, kPlain, "listener-killed", Gives::Success},
};

Expectation expectation_of(Gives gives, std::string_view condition) {
  const Condition* found = find_condition(condition);
  Expectation expectation = gives == Gives::EProvider ? provider_failed({"LISTEN-REAL-1"})
                            : gives == Gives::Success ? Expectation{.promise = Promise::Success}
                                                      : Expectation{.promise = Promise::Either};
  expectation.lasts = gives != Gives::Success && found != nullptr && found->lasts;
  return expectation;
}

std::string_view name_of(Gives gives) {
  return gives == Gives::EProvider ? "GivesEProvider" : gives == Gives::Success ? "Succeeds" : "DoesNoHarm";
}

Test test_of(std::string_view number, std::string_view name, std::string_view result) {
  Test test;
  test.group = "Case";
  // The variant ("/ByFile") stays at the end.
  const size_t slash = std::min(name.find('/'), name.size());
  test.name = fmt::format("{}_{}{}{}", number, name.substr(0, slash), result, name.substr(slash));
  return test;
}

Test under_condition(const CaseRow& row) {
  Test test = test_of(row.number, row.name, name_of(row.gives));
  test.what = row.what;
  test.providers = row.providers;
  for (size_t i = 0; i < std::size(kSettings); ++i) {
    if ((row.starts & 1u << i) == 0) continue;
    Experiment experiment{listen_operation(row.arguments), kSettings[i].start, kSettings[i].sentinel};
    experiment.condition = row.condition;
    test.cases.push_back({std::move(experiment), expectation_of(row.gives, row.condition)});
  }
  return test;
}

// Case 4: RLIMIT_NOFILE leaves 0, 1, 2, ... descriptors, until a listen succeeds. It must fail with fewer
// descriptors than the control kept. It may need more for a short time, so then the limit is raised until it
// succeeds; with one more it must succeed again.
class DescriptorLimits : public CaseSource {
 public:
  DescriptorLimits(Experiment control, unsigned kept) : control_(std::move(control)), kept_(kept) {}

  std::optional<Case> next() override {
    if (left_ < kept_) return leaving(left_++, Gives::EProvider);
    if (waits_ || ended_ || left_ > kept_ + kForAWhile) return std::nullopt;
    if (suffices_) {
      ended_ = true;
      return leaving(left_, Gives::Success);
    }
    waits_ = true;
    return leaving(left_++, Gives::Either);
  }

  void seen(const Case& one, const Evidence& evidence) override {
    if (one.expectation.promise != Promise::Either) return;
    waits_ = false;
    suffices_ = evidence.observation.returned != 0 && evidence.observation.code == 0;
  }

 private:
  static constexpr unsigned kForAWhile = 16;

  [[nodiscard]] Case leaving(unsigned left, Gives gives) const {
    Experiment experiment = control_;
    experiment.condition = fmt::format("descriptors-left:{}", left);
    const Expectation expectation = expectation_of(gives, experiment.condition);
    return {std::move(experiment), expectation};
  }

  Experiment control_;
  unsigned kept_;
  unsigned left_ = 0;
  bool waits_ = false;  // for the evidence of the last case
  bool suffices_ = false;
  bool ended_ = false;
};

Test descriptor_limits(const Setting& setting) {
  Test test = test_of("04", fmt::format("DescriptorLimit/{}", in_test_name(setting.start)), "GivesEProvider");
  test.what = "RLIMIT_NOFILE leaves 0, 1, 2, ... descriptors, until the listen succeeds.";
  test.providers = kKernel;
  test.sweep_control = Experiment{listen_operation(), setting.start, setting.sentinel};
  for (const Gives gives : {Gives::EProvider, Gives::Either, Gives::Success})
    test.sweep_expectations.push_back(expectation_of(gives, ""));
  test.sweep = [](const SweepStart& start) -> std::unique_ptr<CaseSource> {
    const Observation& seen = start.evidence.observation;
    if (seen.after.count <= seen.before.count) return nullptr;
    return std::make_unique<DescriptorLimits>(start.control, seen.after.count - seen.before.count);
  };
  return test;
}

}  // namespace

std::vector<Test> listen_cases_tests() {
  std::vector<Test> tests;
  bool limits_are_in = false;
  for (const CaseRow& row : kCaseRows) {
    const bool after = std::string_view(row.number) > "04";
    if (after && !limits_are_in)
      for (const Setting& setting : kSettings) tests.push_back(descriptor_limits(setting));
    limits_are_in = after;
    tests.push_back(under_condition(row));
  }
  return tests;
}

}  // namespace conformance
