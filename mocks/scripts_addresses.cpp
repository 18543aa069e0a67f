// SPDX-License-Identifier: BSD-3-Clause
// Scripts for the results of rdma_getaddrinfo, and for rdma_bind_addr.
#include <netdb.h>

#include <cstring>

#include "mocks/fake/addresses.h"
#include "mocks/stage.h"

namespace rdmamock {

using testing::_;
using testing::AllOf;
using testing::AnyNumber;
using testing::AnyOf;
using testing::AtLeast;
using testing::ByRef;
using testing::DoDefault;
using testing::Eq;
using testing::Expectation;
using testing::InvokeWithoutArgs;
using testing::NotNull;
using testing::Pointee;
using testing::StrEq;
using testing::Truly;

namespace {

// The handles are unknown when the expectation is set: the matcher reads them at the time of the call.
MATCHER_P(IsSourceOf, handles, "is the source address of the result") {
  if (arg == nullptr || handles->info == nullptr) return false;
  const sockaddr_storage addr = copy_address(arg);
  return std::memcmp(&addr, &handles->source, sizeof addr) == 0;
}

// rdma_getaddrinfo(3) allows a QP type or port space of 0, and more flags.
bool asks_for_passive_rc(const rdma_addrinfo& hints) {
  return (hints.ai_flags & RAI_PASSIVE) != 0 && (hints.ai_qp_type == IBV_QPT_RC || hints.ai_qp_type == 0) &&
         (hints.ai_port_space == RDMA_PS_TCP || hints.ai_port_space == 0) &&
         hints.ai_qp_type + hints.ai_port_space != 0;
}

}  // namespace

void getaddrinfo_scribbles_then_fails(Stage& stage) {
  auto* const wild = wild_pointer<rdma_addrinfo>();
  EXPECT_CALL(stage.mock, getaddrinfo(_, _, _, _))
      .Times(AtLeast(1))
      .WillRepeatedly([wild](const char*, const char*, const rdma_addrinfo*, rdma_addrinfo** res) {
        *res = wild;
        return EAI_AGAIN;
      });
  EXPECT_CALL(stage.mock, freeaddrinfo(wild)).Times(0);
  EXPECT_CALL(stage.mock, listen(_, _)).Times(0);
  stage.expect_nothing_kept();
}

void getaddrinfo_fails_with_system_error(Stage& stage) {
  EXPECT_CALL(stage.mock, getaddrinfo(_, _, _, _)).Times(AtLeast(1)).WillRepeatedly(InvokeWithoutArgs([] {
    errno = ENOMEM;
    return EAI_SYSTEM;
  }));
  EXPECT_CALL(stage.mock, listen(_, _)).Times(0);
  stage.expect_nothing_kept();
}

void getaddrinfo_gives_three_results(Stage& stage) {
  const auto handles = std::make_shared<Handles>();
  EXPECT_CALL(stage.mock, getaddrinfo(_, _, _, _)).Times(AnyNumber());
  EXPECT_CALL(stage.mock, getaddrinfo(_, _, IsPassive(), _))
      .WillOnce([handles, &fake = stage.fake](const char* node, const char* service,
                                              const rdma_addrinfo* hints, rdma_addrinfo** res) {
        const int result = remember_info(handles, fake)(node, service, hints, res);
        if (result == 0) fake.lengthen(*res, 3);
        return result;
      })
      .RetiresOnSaturation();
  EXPECT_CALL(stage.mock, freeaddrinfo(_)).Times(AnyNumber());
  EXPECT_CALL(stage.mock, freeaddrinfo(AllOf(NotNull(), Eq(ByRef(handles->info))))).Times(1);
  EXPECT_CALL(stage.mock, listen(_, _)).Times(AtLeast(1));
  stage.at_end([handles] {});  // keeps them for the matcher
}

void getaddrinfo_gives_no_address(Stage& stage) {
  const auto handles = std::make_shared<Handles>();
  EXPECT_CALL(stage.mock, getaddrinfo(_, _, _, _)).Times(AnyNumber());
  EXPECT_CALL(stage.mock, getaddrinfo(_, _, IsPassive(), _))
      .WillOnce([handles, &fake = stage.fake](const char* node, const char* service,
                                              const rdma_addrinfo* hints, rdma_addrinfo** res) {
        const int result = remember_info(handles, fake)(node, service, hints, res);
        if (result == 0) fake.drop_source(*res);
        return result;
      })
      .RetiresOnSaturation();
  EXPECT_CALL(stage.mock, freeaddrinfo(_)).Times(AnyNumber());
  EXPECT_CALL(stage.mock, freeaddrinfo(AllOf(NotNull(), Eq(ByRef(handles->info))))).Times(1);
  EXPECT_CALL(stage.mock, listen(_, _)).Times(0);
  stage.expect_nothing_kept();
  stage.at_end([handles] {});
}

void bind_fails_then_works(Stage& stage) {
  EXPECT_CALL(stage.mock, bind_addr(_, _))
      .Times(AtLeast(1))
      .WillOnce(InvokeWithoutArgs(fail_with(EADDRINUSE)))
      .WillRepeatedly(DoDefault());
  stage.expect_nothing_kept();
}

void listen_asks_for_right_things(Stage& stage) {
  const auto handles = std::make_shared<Handles>();
  // Other calls, for example of a client.
  EXPECT_CALL(stage.mock, create_id(_, _, _, _)).Times(AnyNumber());
  EXPECT_CALL(stage.mock, getaddrinfo(_, _, _, _)).Times(AnyNumber());
  EXPECT_CALL(stage.mock, freeaddrinfo(_)).Times(AnyNumber());
  EXPECT_CALL(stage.mock, bind_addr(_, _)).Times(AnyNumber());
  EXPECT_CALL(stage.mock, listen(_, _)).Times(AnyNumber());

  const Expectation made = EXPECT_CALL(stage.mock, create_id(_, NotNull(), _, RDMA_PS_TCP))
                               .WillOnce(remember_id(handles, stage.fake))
                               .RetiresOnSaturation();
  const Expectation found =
      EXPECT_CALL(stage.mock,
                  getaddrinfo(AnyOf(StrEq(RDMAMOCK_ADDR), StrEq(RDMAMOCK_ADDR6)), StrEq(RDMAMOCK_PORT),
                              Pointee(Truly(asks_for_passive_rc)), NotNull()))
          .WillOnce(remember_info(handles, stage.fake))
          .RetiresOnSaturation();
  const Expectation bound =
      EXPECT_CALL(stage.mock, bind_addr(AllOf(NotNull(), Eq(ByRef(handles->id))), IsSourceOf(handles)))
          .Times(1)
          .After(made, found);
  EXPECT_CALL(stage.mock, listen(AllOf(NotNull(), Eq(ByRef(handles->id))), _)).Times(1).After(bound);
  EXPECT_CALL(stage.mock, freeaddrinfo(AllOf(NotNull(), Eq(ByRef(handles->info))))).Times(1).After(bound);
  stage.at_end([handles] {});
}

}  // namespace rdmamock
