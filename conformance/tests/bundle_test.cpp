// SPDX-License-Identifier: BSD-3-Clause
//
// Bundles in memory: packed ones are genuine, altered ones are not.
#include "conformance/bundle/bundle.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "conformance/bundle/dsse.h"
#include "conformance/bundle/statement.h"
#include "conformance/report/report.h"
#include "conformance/tests/sample_report.h"
#include "conformance/version.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

void edit(Members& members, const std::string& name, const std::function<void(Json&)>& change) {
  Json json = Json::parse(members.at(name));
  change(json);
  members[name] = json.dump(2) + "\n";
}

void replace(Members& members, const std::string& name, const std::string& from, const std::string& to) {
  std::string& text = members.at(name);
  const size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error(from + " is not in " + name);
  text.replace(at, from.size(), to);
}

// Of one defect, which was noticed.
std::string self_check(int exit_code, bool reference_passed) {
  const Json document = {
      {"schema", "rpma-conformance-self-check/1"},
      {"suite", {{"version", "1.0.0"}, {"commit", passing_run(small_profile()).suite_commit}}},
      {"provider", "mock"},
      {"seconds", 1.5},
      {"score", {{"noticed", 1}, {"of", 1}}},
      {"defects",
       {{{"name", "not-accepting"},
         {"kind", "use"},
         {"what", "It does not accept connections."},
         {"noticed", true},
         {"why", ""},
         {"broken", {"LISTEN-RET-1"}}}}},
      {"exit_code", exit_code},
      {"reference", {{"passed", reference_passed}, {"why", reference_passed ? "" : "accused of X"}}}};
  return document.dump(2) + "\n";
}

// The header of a journal, which is its first line.
void edit_header(Members& members, const std::function<void(Json&)>& change) {
  std::string& text = members.at("results.jsonl");
  const size_t end = text.find('\n');
  Json header = Json::parse(text.substr(0, end));
  change(header);
  text.replace(0, end, header.dump());
}

bool has_failed(const Verification& result, std::string_view check, std::string_view token = "") {
  for (const Check& one : result.checks)
    for (const std::string& line : one.wrong)
      if (one.what == check && line.find(token) != std::string::npos) return true;
  return false;
}

class Bundle : public testing::Test {
 protected:
  [[nodiscard]] std::string packed(const RunResult& run, bool with_signature = true,
                                   const std::string& waivers = {}) const {
    Members files = files_of(run, profile_, waivers);
    const RunResult reported = from_json(Json::parse(files.at("report.json")));
    return compress(
        pack_tar(make_members(std::move(files), reported, packer(), with_signature ? &key_ : nullptr)));
  }

  [[nodiscard]] Verification verified(std::string_view archive, bool with_key = true) const {
    return verify(archive, {with_key ? &public_ : nullptr, {profile_}});
  }

  // Packs changed files again, with everything that follows from them.
  [[nodiscard]] static std::string repacked(Members members, const PrivateKey* key) {
    Members files;
    for (const MemberName& file : kReportFiles)
      if (members.contains(std::string(file.name)))
        files[std::string(file.name)] = members[std::string(file.name)];
    const RunResult run = from_json(Json::parse(files.at("report.json")));
    return compress(pack_tar(make_members(std::move(files), run, packer(), key)));
  }

  [[nodiscard]] static Members unpacked(const std::string& archive) {
    return unpack_tar(decompress(archive, {}), member_names(), {});
  }

  Profile profile_ = small_profile();
  PrivateKey key_ = PrivateKey::generate();
  PublicKey public_ = PublicKey::of(key_);
};

TEST_F(Bundle, OfAPassThatIsSignedIsACertificate) {
  const Verification result = verified(packed(passing_run(profile_)));
  EXPECT_EQ(result.exit_code(), 0) << result.text();
  EXPECT_EQ(result.signer, key_.id());
  EXPECT_THAT(result.text(), Not(HasSubstr("WRONG")));
  EXPECT_THAT(result.text(), HasSubstr("certifiable:  yes"));
}

TEST_F(Bundle, IsTheSameForTheSame) {
  EXPECT_EQ(packed(passing_run(profile_)), packed(passing_run(profile_)));
}

TEST_F(Bundle, WithoutAKeyProvesIntegrityAlone) {
  for (const bool with_signature : {true, false}) {
    const Verification result = verified(packed(passing_run(profile_), with_signature), false);
    EXPECT_EQ(result.exit_code(), 3) << result.text();
    EXPECT_EQ(result.objections.size(), 1U);
    EXPECT_EQ(result.signer, "");
  }
}

TEST_F(Bundle, WithoutASignatureIsInvalidWhereOneIsAskedFor) {
  const Verification result = verified(packed(passing_run(profile_), false));
  EXPECT_EQ(result.exit_code(), 4);
  EXPECT_TRUE(has_failed(result, "signature"));
}

TEST_F(Bundle, OfAFindingInTheSubjectExitsOne) {
  RunResult run = passing_run(profile_);
  add_finding(run, "Listen.First", "LISTEN-RET-2", "rdmacm");
  const Verification result = verified(packed(run));
  EXPECT_EQ(result.exit_code(), 1) << result.text();
  EXPECT_THAT(result.text(), HasSubstr("finding:      fail LISTEN-RET-2 by rdmacm: returned 7"));
  EXPECT_EQ(verified(packed(run), false).exit_code(), 1);
}

TEST_F(Bundle, OfAFindingElsewhereIsACertificateThatSaysSo) {
  RunResult run = passing_run(profile_);
  add_finding(run, "Listen.First", "LISTEN-RET-2", "rdmacm");
  run.subject = "iut";
  const Verification result = verified(packed(run));
  EXPECT_EQ(result.exit_code(), 0) << result.text();
  EXPECT_THAT(result.text(), HasSubstr("elsewhere:    fail LISTEN-RET-2 by rdmacm"));
}

TEST_F(Bundle, OfAWaivedFindingIsNotACertificate) {
  RunResult run = passing_run(profile_);
  add_finding(run, "Listen.First", "LISTEN-RET-2", "rdmacm");
  const std::string archive = packed(run, true, waivers_for("LISTEN-RET-2", "rdmacm", "2026-12-31"));
  const Verification result = verified(archive);
  EXPECT_EQ(result.exit_code(), 3) << result.text();
  EXPECT_THAT(result.text(), HasSubstr("waiver:       LISTEN-RET-2 by rdmacm, until 2026-12-31"));
  EXPECT_THAT(result.text(), HasSubstr("certifiable:  no"));
}

TEST_F(Bundle, ThatCannotBeCertifiedSaysWhy) {
  RunResult run = passing_run(profile_);
  run.suite_commit += "-dirty";
  Verification result = verified(packed(run));
  EXPECT_EQ(result.exit_code(), 3) << result.text();
  EXPECT_EQ(result.objections.size(), 1U);
  run = passing_run(profile_);
  run.tests.pop_back();
  run.selected = 1;
  run.filter = "Listen.First";
  result = verified(packed(run));
  EXPECT_EQ(result.exit_code(), 3) << result.text();
  EXPECT_THAT(result.text(), HasSubstr("1 of 2"));
}

TEST_F(Bundle, OfAnUnknownProfileIsNotACertificate) {
  const Verification result = verify(packed(passing_run(profile_)), {&public_, {}});
  EXPECT_EQ(result.exit_code(), 3) << result.text();
  EXPECT_THAT(result.text(), HasSubstr("small/1"));
}

// Reading a statement by the hash of a module must not find a pass for what was not judged.
TEST_F(Bundle, StatementNamesAsSubjectsWhatWasJudged) {
  RunResult run = passing_run(profile_);
  run.subject = "iut";
  const Json statement = Json::parse(statement_of(run, {}));
  EXPECT_EQ(statement.at("predicate").at("result"), "PASSED");
  ASSERT_EQ(statement.at("subject").size(), 1U);
  EXPECT_EQ(statement.at("subject").at(0).at("name"), "/lib/librpma.so.0");
  const std::string configuration = statement.at("predicate").at("configuration").dump();
  EXPECT_THAT(configuration, HasSubstr("/lib/librdmacm.so.1"));
  EXPECT_THAT(configuration, HasSubstr(R"("gitCommit":"0123456789abcdef0123456789abcdef01234567")"));
  EXPECT_THAT(configuration, HasSubstr(profile_.sha256));
}

TEST_F(Bundle, StatementPassesOnlyWhatCouldBeCertified) {
  RunResult run = passing_run(profile_);
  EXPECT_EQ(result_of(run), "PASSED");
  run.provider = "mock";
  EXPECT_EQ(result_of(run), "WARNED");
  add_finding(run, "Listen.First", "LISTEN-RET-2", "iut");
  EXPECT_EQ(result_of(run), "FAILED");
  const Json predicate = Json::parse(statement_of(run, {})).at("predicate");
  EXPECT_EQ(predicate.at("failedTests"), Json({"Listen.First"}));
  EXPECT_EQ(predicate.at("passedTests"), Json({"Listen.Second"}));
}

TEST_F(Bundle, EveryFlippedByteIsNoticed) {
  const std::string archive = packed(passing_run(profile_));
  ASSERT_EQ(verified(archive).exit_code(), 0);
  for (size_t at = 0; at < archive.size(); ++at) {
    std::string altered = archive;
    altered[at] = static_cast<char>(static_cast<unsigned char>(altered[at]) ^ (1U << (at % 8)));
    // Every other one by the container and the hashes alone.
    ASSERT_EQ(verified(altered, at % 2 == 0).exit_code(), 4) << "byte " << at << " of " << archive.size();
  }
}

TEST_F(Bundle, EveryAddedRemovedOrSwappedByteIsNoticed) {
  const std::string archive = packed(passing_run(profile_));
  for (size_t at = 0; at <= archive.size(); at += 7) {
    std::string altered = archive;
    altered.insert(at, 1, 'x');
    ASSERT_EQ(verified(altered).exit_code(), 4) << "added at " << at;
    if (at + 1 >= archive.size()) continue;
    altered = archive;
    altered.erase(at, 1);
    ASSERT_EQ(verified(altered).exit_code(), 4) << "removed at " << at;
    altered = archive;
    std::swap(altered[at], altered[at + 1]);
    if (altered == archive) continue;
    ASSERT_EQ(verified(altered).exit_code(), 4) << "swapped at " << at;
  }
}

// Below the compression, which has checksums.
TEST_F(Bundle, EveryFlippedByteOfEachMemberIsNoticed) {
  const Members members = unpacked(packed(passing_run(profile_)));
  std::mt19937 random(1);
  for (const auto& [name, content] : members) {
    for (int i = 0; i < 12; ++i) {
      Members altered = members;
      std::string& text = altered[name];
      const size_t at = random() % text.size();
      text[at] = static_cast<char>(text[at] ^ 0x01);
      ASSERT_EQ(verified(compress(pack_tar(altered))).exit_code(), 4) << name << " byte " << at;
      // The same with the sums made again: the statement does not fit.
      if (name == kSums) continue;
      altered[kSums] = sums_of(altered);
      ASSERT_EQ(verified(compress(pack_tar(altered))).exit_code(), 4) << name << " byte " << at;
    }
  }
}

TEST_F(Bundle, EveryMissingMemberIsNoticed) {
  RunResult run = passing_run(profile_);
  add_finding(run, "Listen.First", "LISTEN-RET-2", "rdmacm");
  const std::string archive = packed(run, true, waivers_for("LISTEN-RET-2", "rdmacm", "2026-12-31"));
  const Members members = unpacked(archive);
  ASSERT_EQ(members.size(), 13U);
  for (const auto& [name, content] : members) {
    Members altered = members;
    altered.erase(name);
    EXPECT_EQ(verified(compress(pack_tar(altered))).exit_code(), 4) << name;
  }
}

// A forger without the key can write its id, or copy a signature from another bundle.
TEST_F(Bundle, WithAForeignSignatureIsInvalid) {
  Members members = unpacked(packed(passing_run(profile_)));
  Envelope forged = seal(kInTotoPayload, members.at(kStatement), PrivateKey::generate());
  forged.key_id = key_.id();
  members[kEnvelope] = forged.text();
  members[kSums] = sums_of(members);
  Verification result = verified(compress(pack_tar(members)));
  EXPECT_EQ(result.exit_code(), 4);
  EXPECT_EQ(result.signer, "");
  EXPECT_THAT(result.text(), HasSubstr("statement.dsse.json"));

  RunResult other = passing_run(profile_);
  other.seed = 1;
  members[kEnvelope] = unpacked(packed(other)).at(kEnvelope);
  members[kSums] = sums_of(members);
  for (const bool with_key : {true, false}) {
    result = verified(compress(pack_tar(members)), with_key);
    EXPECT_EQ(result.exit_code(), 4);
    EXPECT_TRUE(has_failed(result, "signature", "statement.json"));
  }

  Envelope renamed = seal(kInTotoPayload, members.at(kStatement), key_);
  renamed.key_id = std::string(64, '0');
  members[kEnvelope] = renamed.text();
  members[kSums] = sums_of(members);
  EXPECT_TRUE(has_failed(verified(compress(pack_tar(members))), "signature"));

  members[kEnvelope] = seal("application/json", members.at(kStatement), key_).text();
  members[kSums] = sums_of(members);
  EXPECT_TRUE(has_failed(verified(compress(pack_tar(members))), "signature", "statement.json"));
}

// Signed with the right key, but not what follows from the report.
TEST_F(Bundle, WithAManifestOrStatementOfAnotherReportIsInvalid) {
  const Members members = unpacked(packed(passing_run(profile_)));
  Members altered = members;
  edit(altered, kManifest, [](Json& j) { j["suite"]["version"] = "2.0.0"; });
  Members covered = altered;
  for (const char* name : {kStatement, kEnvelope, kSums}) covered.erase(name);
  altered[kStatement] = statement_of(passing_run(profile_), covered);
  altered[kEnvelope] = seal(kInTotoPayload, altered.at(kStatement), key_).text();
  altered[kSums] = sums_of(altered);
  Verification result = verified(compress(pack_tar(altered)));
  EXPECT_EQ(result.exit_code(), 4) << result.text();
  EXPECT_TRUE(has_failed(result, "manifest", "manifest.json/suite/version")) << result.text();

  altered = members;
  edit(altered, kStatement, [](Json& j) { j["subject"].erase(0); });
  altered[kEnvelope] = seal(kInTotoPayload, altered.at(kStatement), key_).text();
  altered[kSums] = sums_of(altered);
  result = verified(compress(pack_tar(altered)));
  EXPECT_EQ(result.exit_code(), 4) << result.text();
  EXPECT_TRUE(has_failed(result, "statement", "statement.json/subject")) << result.text();
}

// The reasons and flags of another suite may differ; the suite that says no is believed.
TEST_F(Bundle, OfAnotherSuiteIsBelievedWhereItIsStricter) {
  Members files = files_of(passing_run(profile_), profile_);
  edit(files, "report.json", [](Json& j) {
    j["certifiable"] = {{"value", false}, {"reasons", {"the moon was full"}}};
  });
  Verification result = verified(repacked(files, &key_));
  EXPECT_EQ(result.exit_code(), 3) << result.text();
  EXPECT_EQ(result.objections.size(), 1U);
  RunResult run = passing_run(profile_);
  run.provider = "mock";
  run.tests.pop_back();
  run.selected = run.in_profile = 1;
  files = files_of(run, profile_);
  edit(files, "report.json", [](Json& j) {
    j["certifiable"] = {{"value", true}, {"reasons", Json::array()}};
  });
  result = verified(repacked(files, &key_));
  EXPECT_EQ(result.exit_code(), 3) << result.text();
  EXPECT_THAT(result.text(), HasSubstr("mock"));
}

// Another version of zstd packs other bytes: only the content is compared, with a note.
TEST_F(Bundle, PackedByAnotherZstdIsStillVerified) {
  Members files = files_of(passing_run(profile_), profile_);
  const Packer other{"3.7.0", "1.6.0"};
  const Members members = make_members(files, passing_run(profile_), other, &key_);
  const Verification result = verified(compress(pack_tar(members)));
  EXPECT_EQ(result.exit_code(), 0) << result.text();
  EXPECT_THAT(result.text(), HasSubstr("libzstd 1.6.0"));
}

// kernel.log comes from the machine, with its time stamps.
TEST_F(Bundle, HoldsNoLogOfAnotherKernel) {
  const std::string warning = "WARNING: CPU: 0 PID: 7 at drivers/infiniband/core/cma.c:1 rdma_\\x5c";
  RunResult run = passing_run(profile_);
  run.kernel_log = {"dummy0 speed is unknown", warning, "(its taint went from 0 to 512)"};
  struct Row {
    std::string log;
    unsigned resumed;
    bool right;
  };
  const Row rows[] = {
      {"[    0.000000] Linux\n[   45.367713] WARNING: CPU: 0 PID: 7 at drivers/infiniband/core/cma.c:1 "
       "rdma_\\\n",
       0, true},
      {"[   45.3][  T123] WARNING: CPU: 0 PID: 7 at drivers/infiniband/core/cma.c:1 rdma_\\\n", 0, true},
      {warning + "\n", 0, true},  // as it was judged when the machine was lost
      {"[    0.000000] Linux\n[   45.367713] dummy0 speed is unknown\n", 0, false},
      {"[   45.367713] dummy0 speed is unknown\n", 1, true},  // the log of the first machine may be lost
      {"", 0, false},
  };
  for (const Row& row : rows) {
    run.resumed = row.resumed;
    Members members = files_of(run, profile_);
    for (unsigned i = 0; i < row.resumed; ++i) members["results.jsonl"] += "{\"goes_on\":true}\n";
    members["kernel.log"] = row.log;
    const Verification result = verified(repacked(members, &key_));
    EXPECT_EQ(has_failed(result, "kernel log", "kernel.log"), !row.right) << row.log << result.text();
    const auto log = std::ranges::find(result.checks, "kernel log", &Check::what);
    EXPECT_EQ(log->note.empty(), row.resumed == 0) << log->note;
    EXPECT_EQ(result.is_genuine(), row.right) << row.log << result.text();
  }
}

TEST_F(Bundle, OfARunOnTheMockHoldsNoLogOfAKernel) {
  RunResult run = passing_run(profile_);
  run.provider = "mock";
  std::erase_if(run.tests, [](const TestResult& test) { return test.id != "Listen.First"; });
  run.kernel_log.clear();
  run.selected = run.in_profile = run.tests.size();
  Members members = unpacked(packed(run));
  EXPECT_TRUE(verified(repacked(members, &key_)).is_genuine()) << verified(repacked(members, &key_)).text();
  members["kernel.log"] = "[    0.000000] Linux\n";
  const Verification result = verified(repacked(members, &key_));
  EXPECT_EQ(result.exit_code(), 4) << result.text();
  EXPECT_TRUE(has_failed(result, "kernel log", "kernel.log"));
}

TEST_F(Bundle, ForeignTextMovesNoCursor) {
  RunResult run = passing_run(profile_);
  add_finding(run, "Listen.First", "LISTEN-RET-2", "rdmacm");
  run.stack.kernel = "6.1\nverdict:      pass";
  run.stack.modules.front().path = "/lib/\x1b[2J\xc2\x9b\xe2\x80\xae\nsigner: all";
  const std::string text = verified(packed(run)).text();
  EXPECT_THAT(text, HasSubstr(R"(/lib/\x1b[2J\xc2\x9b\xe2\x80\xae\x0asigner: all)"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

// Readers must see it.
TEST_F(Bundle, OfAResumedRunSaysHowOften) {
  RunResult run = passing_run(profile_);
  run.resumed = 2;
  Members files = files_of(run, profile_);
  files["results.jsonl"] += "{\"goes_on\":true}\n{\"goes_on\":true}\n";
  const Verification result = verified(repacked(files, &key_));
  EXPECT_EQ(result.exit_code(), 0) << result.text();
  EXPECT_THAT(result.text(), HasSubstr("resumed:      2 times"));
}

// It has no run.json, and one header for all of its shards.
TEST_F(Bundle, OfAMergedRunIsACertificate) {
  RunResult run = passing_run(profile_);
  run.parts = {{"1/2", "2026-06-01T12:00:00Z", 1}, {"2/2", "2026-06-01T13:00:00Z", 1}};
  run.resumed = 1;
  Members files = files_of(run, profile_);
  files.erase("run.json");
  const Verification result = verified(repacked(files, &key_));
  EXPECT_EQ(result.exit_code(), 0) << result.text();
}

TEST_F(Bundle, WithoutACommitIsNotACertificate) {
  for (const char* commit : {"hello", "", "0123456789ABCDEF0123456789ABCDEF01234567", "0123-dirt"}) {
    RunResult run = passing_run(profile_);
    run.suite_commit = commit;
    const Verification result = verified(packed(run));
    EXPECT_EQ(result.exit_code(), 3) << result.text();
    EXPECT_THAT(result.text(), HasSubstr("certifiable:  no"));
  }
}

// Its views may be formatted differently; an omitted comparison is not "ok".
TEST_F(Bundle, OfAnotherSuiteSaysThatItsViewsWereNotCompared) {
  const Verification result = verified(packed(passing_run(profile_)));
  const auto views = std::ranges::find(result.checks, "views", &Check::what);
  EXPECT_FALSE(views->was_made);
  EXPECT_FALSE(views->note.empty());
}

TEST_F(Bundle, ThatWasToldOfModulesByNameIsACertificate) {
  RunResult run = passing_run(profile_);
  run.subject = "iut,rdmacm";
  run.timeout_seconds = 30;
  Members files = files_of(run, profile_);
  edit(files, "run.json", [](Json& j) {
    j["options"].update({{"judge", "librpma.so,librdmacm.so.1,iut"},
                         {"librpma", "/lib/librpma.so.0"},
                         {"rdma_core", "/lib/"},
                         {"device", "rxe0"},
                         {"addr", "192.0.2.1"},
                         {"profile", "small/1"},
                         {"timeout", 30}});
  });
  const Verification result = verified(repacked(files, &key_));
  EXPECT_EQ(result.exit_code(), 0) << result.text();
}

TEST_F(Bundle, WithASelfCheckSaysWhatItNoticed) {
  Members files = files_of(passing_run(profile_), profile_);
  files["self-check.json"] = self_check(0, true);
  Verification result = verified(repacked(files, &key_));
  EXPECT_EQ(result.exit_code(), 0) << result.text();
  EXPECT_THAT(result.text(), HasSubstr("1 of 1"));
  files["self-check.json"] = self_check(1, false);
  result = verified(repacked(files, &key_));
  EXPECT_THAT(result.text(), HasSubstr("accused of X"));
}

struct Deed {
  const char* name;
  std::function<void(Members&)> do_it;
  const char* check;  // that fails
  const char* token;  // place or name in its message
};
void PrintTo(const Deed& deed, std::ostream* stream) {
  *stream << deed.name;
}

// Forged with the right key: the signature is valid, the content is not.
class Contradiction : public Bundle, public testing::WithParamInterface<Deed> {};

TEST_P(Contradiction, IsNoticedThoughItIsSigned) {
  RunResult run = passing_run(profile_);
  run.suite_commit = kCommit;
  add_finding(run, "Listen.First", "LISTEN-RET-2", "rdmacm");
  Members members = files_of(run, profile_, waivers_for("LISTEN-RET-2", "rdmacm", "2026-12-31"));
  GetParam().do_it(members);
  const Verification result = verified(repacked(members, &key_));
  EXPECT_EQ(result.exit_code(), 4) << result.text();
  EXPECT_TRUE(has_failed(result, GetParam().check, GetParam().token)) << result.text();
}

const Deed kDeeds[] = {
    {"VerdictOfSubject",
     [](Members& m) {
       edit(m, "report.json", [](Json& j) { j["verdicts"]["subject"] = {{"verdict", "pass"}}; });
     },
     "verdicts", "report.json/verdicts/subject/verdict"},
    {"ExitCode", [](Members& m) { edit(m, "report.json", [](Json& j) { j["exit_code"] = 2; }); }, "verdicts",
     "report.json/exit_code"},
    {"Certifiable",
     [](Members& m) {
       edit(m, "report.json", [](Json& j) {
         j["certifiable"] = {{"value", true}, {"reasons", Json::array()}};
       });
     },
     "verdicts", "report.json/certifiable/value"},
    {"ClauseTable",
     [](Members& m) {
       edit(m, "report.json", [](Json& j) {
         for (Json& row : j["clauses"])
           if (row["id"] == "LISTEN-RET-2")
             row = {{"id", row["id"]},
                    {"promise", row["promise"]},
                    {"source", row["source"]},
                    {"verdict", "pass"}};
       });
     },
     "verdicts", "report.json/clauses/1/verdict"},
    {"Count", [](Members& m) { edit(m, "report.json", [](Json& j) { j["counts"]["points"] = 3; }); },
     "verdicts", "report.json/counts/points"},
    {"VerdictOfTest",
     [](Members& m) {
       edit(m, "report.json", [](Json& j) {
         j["tests"][0]["verdict"] = "pass";
         j["tests"][0].erase("reason");
       });
     },
     "verdicts", "Listen.First"},
    {"FindingLeftOut",
     [](Members& m) {
       RunResult run = passing_run(small_profile());
       run.suite_commit = kCommit;
       const Members clean = files_of(run, small_profile());
       m["report.json"] = clean.at("report.json");
       m["results.jsonl"] = clean.at("results.jsonl");
       m.erase("waivers.json");
     },
     "points.jsonl", "rpma_ep_listen/sample:Listen.First/cold/null"},
    {"JournalOfOthers",
     [](Members& m) { replace(m, "results.jsonl", R"("reason":"returned 7")", R"("reason":"returned 8")"); },
     "results.jsonl", "report.json/tests/0"},
    {"JournalOfAnotherSuite",
     [](Members& m) { replace(m, "results.jsonl", R"("suite":")", R"("suite":"9)"); }, "start", "suite"},
    {"JournalOfAnotherModule",
     [](Members& m) {
       replace(m, "results.jsonl", R"("/lib/librpma.so.0":"aa)", R"("/lib/librpma.so.0":"ba)");
     },
     "stack", "/lib/librpma.so.0"},
    {"JournalOfAnotherTime",
     [](Members& m) { edit_header(m, [](Json& j) { j["started"] = "2027-06-01T12:00:00Z"; }); }, "start",
     "2027-06-01T12:00:00Z"},
    {"JournalOfAnotherPath",
     [](Members& m) {
       edit_header(m, [](Json& j) {
         j.erase("/lib/librpma.so.0");
         j["/tmp/good/librpma.so.0"] = std::string(64, '0');
       });
     },
     "stack", "/tmp/good/librpma.so.0"},
    {"JournalWithoutTheSubject",
     [](Members& m) { edit_header(m, [](Json& j) { j.erase("/lib/librpma.so.0"); }); }, "stack",
     "/lib/librpma.so.0"},
    {"JournalWithoutABeginning",
     [](Members& m) { m["results.jsonl"].erase(0, m["results.jsonl"].find('\n') + 1); }, "start",
     "results.jsonl has 0"},
    {"JournalOfTwoBeginnings",
     [](Members& m) {
       m["results.jsonl"].insert(0, m["results.jsonl"].substr(0, m["results.jsonl"].find('\n') + 1));
     },
     "start", "results.jsonl has 2"},
    {"JournalThatWentOn", [](Members& m) { m["results.jsonl"] += "{\"goes_on\":true}\n"; }, "start",
     "resumed 1 times"},
    {"PointTwice",
     [](Members& m) { m["points.jsonl"] += m["points.jsonl"].substr(0, m["points.jsonl"].find('\n') + 1); },
     "points.jsonl", "Listen.First has 2"},
    {"PointChangedToPass",
     [](Members& m) {
       replace(m, "points.jsonl", R"("verdict":"fail","reason":"LISTEN-RET-2: returned 7","module":"rdmacm")",
               R"("verdict":"pass")");
     },
     "points.jsonl", "LISTEN-RET-2 at rpma_ep_listen/sample:Listen.First/cold/null"},
    {"PointOfAnUnknownTest",
     [](Members& m) {
       m["points.jsonl"] += R"({"test":"Listen.Third","point":"p","verdict":"pass","seconds":1})"
                            "\n";
     },
     "points.jsonl", "Listen.Third"},
    {"SubjectThatIsNotAModule",
     [](Members& m) { edit(m, "report.json", [](Json& j) { j["judge"] = "nobody"; }); }, "stack",
     R"("nobody")"},
    {"SubjectWithoutAName", [](Members& m) { edit(m, "report.json", [](Json& j) { j["judge"] = ""; }); },
     "stack", R"("")"},
    {"SubjectWithATrailingComma",
     [](Members& m) { edit(m, "report.json", [](Json& j) { j["judge"] = "iut,"; }); }, "stack", R"("")"},
    {"SubjectTwice", [](Members& m) { edit(m, "report.json", [](Json& j) { j["judge"] = "iut,iut"; }); },
     "stack", "iut"},
    {"SubjectThatIsNotThere",
     [](Members& m) {
       edit(m, "report.json", [](Json& j) { j["judge"] = "driver"; });
       edit(m, "run.json", [](Json& j) { j["options"]["judge"] = "driver"; });
     },
     "stack", "driver"},
    {"SubjectThatIsNoKernel",
     [](Members& m) {
       edit(m, "report.json", [](Json& j) {
         j["judge"] = "kernel";
         j["stack"]["kernel"] = "";
       });
     },
     "stack", "kernel"},
    {"SubjectOfAnotherRun",
     [](Members& m) { edit(m, "report.json", [](Json& j) { j["judge"] = "rdmacm"; }); }, "run.json", "judge"},
    {"StackWithoutModules",
     [](Members& m) { edit(m, "report.json", [](Json& j) { j["stack"]["modules"] = Json::array(); }); },
     "stack", "iut"},
    {"StackWithoutTheSubject",
     [](Members& m) { edit(m, "report.json", [](Json& j) { j["stack"]["modules"].erase(0); }); }, "stack",
     "/lib/librpma.so.0"},
    {"StackOfTwoSubjects",
     [](Members& m) {
       edit(m, "report.json", [](Json& j) {
         Json other = j["stack"]["modules"][0];
         other["path"] = "/opt/librpma.so.0";
         j["stack"]["modules"].push_back(other);
       });
     },
     "stack", "iut"},
    {"ToldAnotherLibrary",
     [](Members& m) { edit(m, "run.json", [](Json& j) { j["options"]["librpma"] = "/opt/librpma.so.0"; }); },
     "run.json", "librpma"},
    {"ToldAnotherCore",
     [](Members& m) { edit(m, "run.json", [](Json& j) { j["options"]["rdma_core"] = "/opt"; }); }, "run.json",
     "rdma_core"},
    {"ToldAnotherDevice",
     [](Members& m) { edit(m, "run.json", [](Json& j) { j["options"]["device"] = "mlx5_0"; }); }, "run.json",
     "device"},
    {"ToldAnotherAddress",
     [](Members& m) { edit(m, "run.json", [](Json& j) { j["options"]["addr"] = "192.0.2.9"; }); }, "run.json",
     "addr"},
    {"ToldAnotherProfile",
     [](Members& m) { edit(m, "run.json", [](Json& j) { j["options"]["profile"] = "small/7"; }); },
     "run.json", "profile"},
    {"ToldAnotherTimeout",
     [](Members& m) { edit(m, "run.json", [](Json& j) { j["options"]["timeout"] = 5; }); }, "run.json",
     "timeout"},
    {"ToldOfNoWaivers",
     [](Members& m) { edit(m, "run.json", [](Json& j) { j["options"]["waivers"] = ""; }); }, "run.json",
     "waivers"},
    {"ToldNothing", [](Members& m) { m.erase("run.json"); }, "run.json", "missing"},
    {"FilterWithoutRecord",
     [](Members& m) { edit(m, "report.json", [](Json& j) { j["filter"] = "Listen.*"; }); }, "run.json",
     "filter"},
    {"KernelUnwatched", [](Members& m) { m.erase("kernel.jsonl"); }, "start", "kernel.jsonl"},
    {"StartedLater",
     [](Members& m) { edit(m, "report.json", [](Json& j) { j["started"] = "2026-05-01T12:00:00Z"; }); },
     "start", "2026-05-01T12:00:00Z"},
    {"ResumedInSecret", [](Members& m) { edit(m, "report.json", [](Json& j) { j["resumed"] = 7; }); },
     "start", "7 times"},
    {"PartsOfNoWhole",
     [](Members& m) {
       edit(m, "report.json", [](Json& j) {
         j["parts"] = {{{"shard", "1/3"}, {"started", j["started"]}, {"seconds", 1}}};
       });
     },
     "start", "1/3"},
    {"PartTwice",
     [](Members& m) {
       edit(m, "report.json", [](Json& j) {
         const Json part = {{"shard", "1/2"}, {"started", j["started"]}, {"seconds", 1}};
         j["parts"] = {part, part};
       });
     },
     "start", "2/2"},
    {"PartsThatBeganLater",
     [](Members& m) {
       edit(m, "report.json", [](Json& j) {
         j["parts"] = {{{"shard", "1/1"}, {"started", "2026-06-02T12:00:00Z"}, {"seconds", 1}}};
       });
     },
     "start", "2026-06-02T12:00:00Z"},
    {"ExperimentsMadeUp",
     [](Members& m) { edit(m, "report.json", [](Json& j) { j["counts"]["experiments"] = 999999; }); },
     "completeness", "999999"},
    {"ExperimentsLost",
     [](Members& m) { edit(m, "report.json", [](Json& j) { j["counts"]["experiments"] = 1; }); },
     "completeness", "experiments"},
    {"SelfCheckBeyondAll",
     [](Members& m) {
       m["self-check.json"] = self_check(0, true);
       edit(m, "self-check.json", [](Json& j) { j["score"] = {{"noticed", 500}, {"of", 3}}; });
     },
     "self-check", "self-check.json/score/noticed"},
    {"SelfCheckOfNothing",
     [](Members& m) {
       m["self-check.json"] = self_check(0, true);
       edit(m, "self-check.json", [](Json& j) {
         j["defects"] = Json::array();
         j["score"] = {{"noticed", 0}, {"of", 0}};
       });
     },
     "self-check", "exit code 0"},
    {"SelfCheckOfOneDefect",
     [](Members& m) {
       m["self-check.json"] = self_check(0, true);
       edit(m, "self-check.json", [](Json& j) { j["defects"].push_back(j["defects"][0]); });
     },
     "self-check", "not-accepting"},
    {"SelfCheckWithoutReference", [](Members& m) { m["self-check.json"] = self_check(0, false); },
     "self-check", "exit code 0"},
    {"WaiverWithoutFile", [](Members& m) { m.erase("waivers.json"); }, "waivers", "report.json/waivers"},
    {"WaiverStretched", [](Members& m) { replace(m, "waivers.json", "44.0-2", "44.0-3"); }, "waivers",
     "report.json/waivers/0/to"},
    {"WaiverExpired", [](Members& m) { replace(m, "waivers.json", "2026-12-31", "2026-05-31"); }, "waivers",
     "waivers.json/waivers/0"},
    {"WaiverTooBroad", [](Members& m) { replace(m, "waivers.json", "2026-12-31", "2036-12-31"); }, "waivers",
     "waivers.json/waivers/0"},
    {"WaiverOfAnotherModule", [](Members& m) { replace(m, "waivers.json", R"(rdmacm")", R"(ibverbs")"); },
     "waivers", "report.json/waivers/0"},
    {"ProfileShortened",
     [](Members& m) {
       Json profile = Json::parse(m.at("profile.json"));
       profile["tests"].erase(1);
       m["profile.json"] = profile.dump();
     },
     "profile", "profile.json"},
    {"ClauseTwice",
     [](Members& m) { edit(m, "report.json", [](Json& j) { j["clauses"].push_back(j["clauses"][0]); }); },
     "profile", "LISTEN-RET-1"},
    {"ClauseLeftOut", [](Members& m) { edit(m, "report.json", [](Json& j) { j["clauses"].erase(0); }); },
     "profile", "LISTEN-RET-1"},
    {"PromiseChanged",
     [](Members& m) {
       edit(m, "report.json", [](Json& j) { j["clauses"][0]["promise"] = "It may crash."; });
     },
     "profile", "LISTEN-RET-1"},
    {"KernelLine", [](Members& m) { m["kernel.jsonl"] += "{\"line\":\"WARNING: at x\"}\n"; }, "kernel log",
     "WARNING: at x"},
    {"KeyTwice", [](Members& m) { replace(m, "report.json", "{\n", "{\n  \"schema\": \"x\",\n"); },
     "documents", "report.json: an object has 'schema'"},
    {"ViewOfAnotherResult", [](Members& m) { replace(m, "junit.xml", R"(failures="0")", R"(failures="1")"); },
     "views", "junit.xml"},
    {"UnknownField", [](Members& m) { edit(m, "report.json", [](Json& j) { j["note"] = "trust me"; }); },
     "documents", "report.json: /:"},
    {"NegativeCount", [](Members& m) { edit(m, "report.json", [](Json& j) { j["counts"]["ran"] = -1; }); },
     "documents", "report.json: /counts/ran"},
};
INSTANTIATE_TEST_SUITE_P(Of, Contradiction, testing::ValuesIn(kDeeds),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace conformance
