// SPDX-License-Identifier: BSD-3-Clause
//
// bundle and verify as a user runs them: of real reports, of a certificate, and of what was tampered with.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>

#include "conformance/bundle/bundle.h"
#include "conformance/bundle/statement.h"
#include "conformance/report/digest.h"
#include "conformance/report/report.h"
#include "conformance/report/schemas.h"
#include "conformance/tests/sample_report.h"
#include "conformance/tests/tool.h"

namespace conformance {
namespace {

using namespace testing_tool;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::ordered_json;

Profile real_profile() {
  return find_profile(profiles_in(RPMACONF_PROFILES), "listen/1");
}

class BundleTool : public testing::Test {
 protected:
  BundleTool() {
    EXPECT_EQ(
        testing_tool::run({"openssl", "genpkey", "-algorithm", "ed25519", "-out", path("key.pem")}).exit_code,
        0);
    EXPECT_EQ(
        testing_tool::run({"openssl", "pkey", "-in", path("key.pem"), "-pubout", "-out", path("key.pub")})
            .exit_code,
        0);
  }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path() / name; }

  // A report folder of a run on the mock.
  [[nodiscard]] Ran run_mock(const std::vector<std::string>& more = {},
                             const std::vector<std::string>& environment = {}) const {
    std::vector<std::string> all = {tool(), "run", "--provider", "mock", "--report", path("report")};
    all.insert(all.end(), more.begin(), more.end());
    return testing_tool::run(all, environment);
  }
  [[nodiscard]] Ran bundle(const std::vector<std::string>& more = {"--key"}) const {
    std::vector<std::string> all = {tool(), "bundle", path("report"), "-o", path("b.tar.zst")};
    all.insert(all.end(), more.begin(), more.end());
    if (more == std::vector<std::string>{"--key"}) all.push_back(path("key.pem"));
    return testing_tool::run(all);
  }
  [[nodiscard]] Ran verify(const std::vector<std::string>& more = {"--public-key"}) const {
    std::vector<std::string> all = {tool(), "verify", path("b.tar.zst")};
    all.insert(all.end(), more.begin(), more.end());
    if (more == std::vector<std::string>{"--public-key"}) all.push_back(path("key.pub"));
    return testing_tool::run(all);
  }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
  }
  // The documents of a report are of their schemas.
  void expect_schemas() const {
    EXPECT_EQ(departure(kReportSchema, Json::parse(content_of(path("report/report.json")))), "");
    EXPECT_EQ(departure(kRunSchema, Json::parse(content_of(path("report/run.json")))), "");
    for (const auto& [file, schema] : {kResultLines, kPointLines}) {
      std::ifstream stream(path("report") + "/" + file);
      for (std::string line; std::getline(stream, line);)
        EXPECT_EQ(departure(schema, Json::parse(line)), "") << line;
    }
  }

  Folder folder_;
};

TEST_F(BundleTool, OfARunOnTheMockIsGenuineButNotACertificate) {
  ASSERT_EQ(run_mock().exit_code, 0);
  expect_schemas();
  Ran ran = bundle();
  ASSERT_EQ(ran.exit_code, 0) << ran.output;
  const std::string first = content_of(path("b.tar.zst"));
  EXPECT_THAT(ran.output, HasSubstr(sha256(first)));
  ASSERT_EQ(bundle({"--force", "--key", path("key.pem")}).exit_code, 0);
  EXPECT_EQ(content_of(path("b.tar.zst")), first) << "the same report gives the same bytes";
  ran = verify();
  EXPECT_EQ(ran.exit_code, 3) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("certifiable:  no"));
  EXPECT_THAT(ran.output, Not(HasSubstr("WRONG")));
}

TEST_F(BundleTool, OfABrokenListenerExitsOne) {
  ASSERT_EQ(run_mock({"--librpma", toy(), "--filter", "Listen.*"}, {"RPMACONF_TOY=leak-block"}).exit_code, 1);
  expect_schemas();
  ASSERT_EQ(bundle().exit_code, 0);
  const Ran ran = verify();
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("finding:      fail LISTEN-LEAK-2 by iut"));
  EXPECT_THAT(ran.output, HasSubstr("certifiable:  no"));
}

TEST_F(BundleTool, OfOneTestIsGenuineButNotACertificate) {
  ASSERT_EQ(run_mock({"--filter", "Listen.ListenSucceeds", "--judge", "iut"}).exit_code, 0);
  expect_schemas();
  ASSERT_EQ(bundle({}).exit_code, 0);
  const Ran ran = verify({});
  EXPECT_EQ(ran.exit_code, 3) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("signer:       unknown"));
  EXPECT_EQ(verify().exit_code, 4);
}

TEST_F(BundleTool, IsATarThatOtherToolsRead) {
  write_folder(path("report"), files_of(passing_run(real_profile()), real_profile()));
  ASSERT_EQ(bundle().exit_code, 0);
  const std::string in = path("unpacked");
  const Ran ran = testing_tool::run(
      {"sh", "-ec",
       "mkdir " + in + " && cd " + in + " && tar --zstd -xf ../b.tar.zst && sha256sum -c SHA256SUMS && ls"});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("statement.dsse.json: OK"));
}

TEST_F(BundleTool, OfAWholeRunIsACertificate) {
  write_folder(path("report"), files_of(passing_run(real_profile()), real_profile()));
  ASSERT_EQ(bundle().exit_code, 0);
  Ran ran = verify();
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("certifiable:  yes"));
  ran = verify({});
  EXPECT_EQ(ran.exit_code, 3) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("--public-key"));
}

TEST_F(BundleTool, TakesTheProfileThatIsNamed) {
  write_folder(path("report"), files_of(passing_run(small_profile()), small_profile()));
  EXPECT_THAT(bundle().output, HasSubstr("small/1"));
  const Members files = files_of(passing_run(small_profile()), small_profile());
  const PrivateKey key = PrivateKey::read(path("key.pem"));
  write("b.tar.zst", compress(pack_tar(make_members(files, passing_run(small_profile()), packer(), &key))));
  EXPECT_EQ(verify().exit_code, 3);
  write("profile", small_profile().document);
  Ran ran = verify({"--public-key", path("key.pub"), "--profile", path("profile")});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  write("profile", small_profile().document + "\n");
  ran = verify({"--public-key", path("key.pub"), "--profile", path("profile")});
  EXPECT_EQ(ran.exit_code, 4) << ran.output;
}

// A run of another profile is not a certificate for the demanded one.
TEST_F(BundleTool, DemandsTheProfileThatIsNamed) {
  write_folder(path("report"), files_of(passing_run(real_profile()), real_profile()));
  ASSERT_EQ(bundle().exit_code, 0);
  write("profile", small_profile().document);
  Ran ran = verify({"--public-key", path("key.pub"), "--profile", path("profile")});
  EXPECT_EQ(ran.exit_code, 3) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("listen/1"));
  write("profile", real_profile().document);
  ran = verify({"--public-key", path("key.pub"), "--profile", path("profile")});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
}

TEST_F(BundleTool, RefusesAnythingButAReportInOneLine) {
  const auto refused = [this](const char* token) {
    const Ran ran = bundle();
    EXPECT_EQ(ran.exit_code, 2) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr(token));
    EXPECT_EQ(std::count(ran.output.begin(), ran.output.end(), '\n'), 1) << ran.output;
    EXPECT_FALSE(std::filesystem::exists(path("b.tar.zst")));
  };
  refused("report");
  const Members files = files_of(passing_run(real_profile()), real_profile());
  write_folder(path("report"), files);
  std::filesystem::remove(path("report/report.json"));
  refused("run --resume");
  write("report/report.json", "{");
  refused("report.json");
  write("report/report.json", R"({"schema": "other/1"})");
  refused("report.json");
  write("report/report.json", files.at("report.json"));
  std::filesystem::remove(path("report/points.jsonl"));
  refused("points.jsonl");
  std::filesystem::create_symlink("/etc/passwd", path("report/points.jsonl"));
  refused("link");
  std::filesystem::remove(path("report/points.jsonl"));
  ASSERT_EQ(mkfifo(path("report/points.jsonl").c_str(), 0600), 0);
  refused("points.jsonl");
  std::filesystem::remove(path("report/points.jsonl"));
  write("report/points.jsonl", files.at("points.jsonl").substr(files.at("points.jsonl").find('\n') + 1));
  refused("points.jsonl");
}

TEST_F(BundleTool, WritesNothingOverWhatIsThere) {
  write_folder(path("report"), files_of(passing_run(real_profile()), real_profile()));
  write("b.tar.zst", "mine");
  const Ran ran = bundle();
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.output, HasSubstr("--force"));
  EXPECT_EQ(content_of(path("b.tar.zst")), "mine");
  for (const std::string& target : {path(""), std::string("/dev/null")}) {
    const Ran over = testing_tool::run({tool(), "bundle", path("report"), "-o", target, "--force"});
    EXPECT_EQ(over.exit_code, 2) << over.output;
    EXPECT_THAT(over.output, HasSubstr("-o FILE"));
  }
}

// As a secret store gives it: there is no file.
TEST_F(BundleTool, KeyCanComeFromAPipe) {
  write_folder(path("report"), files_of(passing_run(real_profile()), real_profile()));
  const auto with_pipe = [](const std::string& command, const std::vector<std::string>& words) {
    std::vector<std::string> all = {"bash", "-c", command, tool()};
    all.insert(all.end(), words.begin(), words.end());
    return testing_tool::run(all);
  };
  const Ran made = with_pipe(R"("$0" bundle "$1" -o "$2" --key <(cat "$3"))",
                             {path("report"), path("b.tar.zst"), path("key.pem")});
  EXPECT_EQ(made.exit_code, 0) << made.output;
  const Ran verified =
      with_pipe(R"("$0" verify "$1" --public-key <(cat "$2"))", {path("b.tar.zst"), path("key.pub")});
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
}

TEST_F(BundleTool, KeysThatCannotBeUsedAreUsage) {
  write_folder(path("report"), files_of(passing_run(real_profile()), real_profile()));
  EXPECT_EQ(bundle({"--key", path("none")}).exit_code, 2);
  EXPECT_EQ(bundle({"--key", path("key.pub")}).exit_code, 2);
  ASSERT_EQ(bundle().exit_code, 0);
  EXPECT_EQ(verify({"--public-key", path("key.pem")}).exit_code, 2);
  EXPECT_EQ(verify({"--public-key", path("none")}).exit_code, 2);
  write("two.pub", content_of(path("key.pub")) + PrivateKey::generate().public_pem());
  const Ran two = verify({"--public-key", path("two.pub")});
  EXPECT_EQ(two.exit_code, 2) << two.output;
  EXPECT_THAT(two.output, HasSubstr("two.pub"));
  EXPECT_EQ(verify({"--profile", path("none")}).exit_code, 2);
  std::filesystem::remove(path("b.tar.zst"));
  EXPECT_EQ(verify().exit_code, 2) << "there is no such file";
  EXPECT_EQ(testing_tool::run({tool(), "verify", path("")}).exit_code, 2) << "a folder";
  write("b.tar.zst", "");
  EXPECT_EQ(verify().exit_code, 4);
}

// Changes to a certificate, by a forger without or with the key.
struct Tampering {
  const char* name;
  bool has_key;
  std::function<void(Members& files)> with_files;      // packed again, with everything that follows
  std::function<void(Members& members)> with_members;  // packed again unchanged
  std::function<void(std::string& archive)> with_bytes;
  const char* check;  // that fails
  const char* token;  // place or name in its message
};
void PrintTo(const Tampering& row, std::ostream* stream) {
  *stream << row.name;
}

void edit(Members& members, const std::string& name, const std::function<void(Json&)>& change) {
  Json json = Json::parse(members.at(name));
  change(json);
  members[name] = json.dump(2) + "\n";
}

void drop_line(Members& members, const std::string& name, const std::string& with) {
  std::string& text = members.at(name);
  const size_t at = text.find(with);
  ASSERT_NE(at, std::string::npos);
  const size_t begin = text.rfind('\n', at) + 1;
  text.erase(begin, text.find('\n', at) + 1 - begin);
}

constexpr const char* kTest = "Listen.ListenSucceeds";

class TamperedBundle : public BundleTool, public testing::WithParamInterface<Tampering> {};

TEST_P(TamperedBundle, IsInvalidAndSaysWhy) {
  const Tampering& deed = GetParam();
  const Profile profile = real_profile();
  RunResult run = passing_run(profile);
  add_finding(run, kTest, "LISTEN-RET-2", "rdmacm");
  run.subject = "iut";
  const PrivateKey key = PrivateKey::read(path("key.pem"));
  const PrivateKey other = PrivateKey::generate();
  Members files = files_of(run, profile, waivers_for("LISTEN-RET-2", "rdmacm", "2026-12-31"));
  write_folder(path("report"), files);
  ASSERT_EQ(bundle().exit_code, 0);
  Ran ran = verify();
  ASSERT_EQ(ran.exit_code, 0) << ran.output;

  std::string archive = content_of(path("b.tar.zst"));
  Members members = unpack_tar(decompress(archive, {}), member_names(), {});
  if (deed.with_files) {
    deed.with_files(files);
    const RunResult tampered = from_json(Json::parse(files.at("report.json")));
    members = make_members(files, tampered, packer(), deed.has_key ? &key : &other);
  }
  if (deed.with_members) deed.with_members(members);
  archive = compress(pack_tar(members));
  if (deed.with_bytes) deed.with_bytes(archive);
  write("b.tar.zst", archive);
  ran = verify();
  EXPECT_EQ(ran.exit_code, 4) << ran.output;
  EXPECT_THAT(ran.output, ContainsRegex(std::string("WRONG +") + deed.check + ".*" + deed.token));
}

const Tampering kTamperings[] = {
    {"VerdictChanged",
     false,
     [](Members& files) {
       edit(files, "report.json", [](Json& j) { j["verdicts"]["stack"] = {{"verdict", "pass"}}; });
     },
     {},
     {},
     "verdicts",
     "report.json/verdicts/stack/verdict"},
    {"VerdictChangedAndSignedRightly",
     true,
     [](Members& files) {
       edit(files, "report.json", [](Json& j) { j["verdicts"]["stack"] = {{"verdict", "pass"}}; });
     },
     {},
     {},
     "verdicts",
     "report.json/verdicts/stack/verdict"},
    {"TestRemoved",
     true,
     [](Members& files) {
       RunResult run = from_json(Json::parse(files.at("report.json")));
       std::erase_if(run.tests, [](const TestResult& test) {
         return test.id == "Listen.FirstListenOfAProcessSucceeds";
       });
       --run.selected;
       --run.in_profile;
       files["report.json"] = to_json(run).dump(2) + "\n";
       files["junit.xml"] = to_junit(run);
       drop_line(files, "results.jsonl", R"("id":"Listen.FirstListenOfAProcessSucceeds")");
       drop_line(files, "points.jsonl", R"("test":"Listen.FirstListenOfAProcessSucceeds")");
     },
     {},
     {},
     "completeness",
     "Listen.FirstListenOfAProcessSucceeds"},
    {"PointRemoved",
     true,
     [](Members& files) { drop_line(files, "points.jsonl", R"("test":"Listen.ListenSucceeds")"); },
     {},
     {},
     "points.jsonl",
     "Listen.ListenSucceeds has 0"},
    {"TestAdded",
     true,
     [](Members& files) {
       RunResult run = from_json(Json::parse(files.at("report.json")));
       run.tests.push_back(run.tests.front());
       run.tests.back().id = "Listen.LooksGood";
       ++run.selected;
       ++run.in_profile;
       files["report.json"] = to_json(run).dump(2) + "\n";
     },
     {},
     {},
     "completeness",
     "Listen.LooksGood"},
    {"WaiverChanged",
     true,
     [](Members& files) {
       edit(files, "waivers.json", [](Json& j) { j["waivers"][0]["reason"] = "a defect of the moon"; });
     },
     {},
     {},
     "waivers",
     "a defect of the moon"},
    {"WaiverExpired",
     true,
     [](Members& files) {
       edit(files, "waivers.json", [](Json& j) { j["waivers"][0]["expires"] = "2026-05-31"; });
     },
     {},
     {},
     "waivers",
     "/waivers/0"},
    {"HashChanged",
     false,
     {},
     [](Members& members) {
       std::string& sums = members.at("SHA256SUMS");
       sums[0] = sums[0] == '0' ? '1' : '0';
     },
     {},
     "SHA256SUMS",
     "junit.xml"},
    {"SignedByAnother", false, [](Members&) {}, {}, {}, "signature", "statement.dsse.json"},
    {"SignatureRemoved",
     false,
     {},
     [](Members& members) {
       members.erase("statement.dsse.json");
       members["SHA256SUMS"] = sums_of(members);
     },
     {},
     "signature",
     ""},
    {"StatementOfAnotherResult",
     false,
     {},
     [](Members& members) {
       edit(members, "statement.json", [](Json& j) { j["predicate"]["result"] = "PASSED"; });
       edit(members, "statement.json", [](Json& j) { j["predicate"]["warnedTests"] = Json::array(); });
       members["SHA256SUMS"] = sums_of(members);
     },
     {},
     "signature",
     "statement.json"},
    {"ProfileShortened",
     true,
     [](Members& files) {
       Json profile = Json::parse(files.at("profile.json"));
       profile["tests"].erase(0);
       files["profile.json"] = profile.dump(2) + "\n";
     },
     {},
     {},
     "profile",
     "listen/1"},
    {"MemberAdded",
     false,
     {},
     [](Members& members) { members["readme.txt"] = "all is well"; },
     {},
     "container",
     "readme.txt"},
    {"JunkAppended", false, {}, {}, [](std::string& archive) { archive += "junk"; }, "container", "4"},
    {"CutOff",
     false,
     {},
     {},
     [](std::string& archive) { archive.resize(archive.size() / 2); },
     "container",
     ""},
};
INSTANTIATE_TEST_SUITE_P(By, TamperedBundle, testing::ValuesIn(kTamperings),
                         [](const auto& row) { return std::string(row.param.name); });

// A second opinion on the schemas and on what the suite writes.
TEST_F(BundleTool, AnotherValidatorAgreesOnTheSchemas) {
  ASSERT_EQ(run_mock({"--librpma", toy(), "--filter", "Listen.*"}, {"RPMACONF_TOY=leak-block"}).exit_code, 1);
  write("check.py", R"(
import glob, json, os, sys
from jsonschema import Draft7Validator, RefResolver
schemas = {os.path.basename(f): json.load(open(f)) for f in glob.glob(sys.argv[1] + '/*.schema.json')}
assert len(schemas) == 10, schemas.keys()
for name, schema in schemas.items():
    Draft7Validator.check_schema(schema)
    assert schema['$id'] == name, name
def by_id(schema):
    return RefResolver('', schema, store={s['$id']: s for s in schemas.values()})
def by_folder(schema):
    return RefResolver('file://' + os.path.abspath(sys.argv[1]) + '/', schema)
resolvers = [by_id, by_folder]
try:
    from referencing import Registry, Resource  # of newer versions
    registry = Registry().with_resources((s['$id'], Resource.from_contents(s)) for s in schemas.values())
except ImportError:
    registry = None
for name, schema in schemas.items():
    for resolver in resolvers:  # whatever it refers to is found
        list(Draft7Validator(schema, resolver=resolver(schema)).iter_errors({}))
class validator:
    def __init__(self, name):
        schema = schemas[name + '.schema.json']
        self.all = [Draft7Validator(schema, resolver=resolver(schema)) for resolver in resolvers]
        if registry is not None:
            self.all.append(Draft7Validator(schema, registry=registry))
    def validate(self, document):
        for one in self.all: one.validate(document)
    def is_valid(self, document):
        answers = {one.is_valid(document) for one in self.all}
        assert len(answers) == 1
        return answers.pop()
def lines(name):
    return [json.loads(line) for line in open(sys.argv[2] + '/' + name)]
report = json.load(open(sys.argv[2] + '/report.json'))
validator('rpma-conformance-1').validate(report)
validator('rpma-conformance-run-1').validate(json.load(open(sys.argv[2] + '/run.json')))
for line in lines('results.jsonl'): validator('rpma-conformance-result-1').validate(line)
for line in lines('points.jsonl'): validator('rpma-conformance-point-1').validate(line)
for f in glob.glob(sys.argv[3] + '/*.json'): validator('rpma-conformance-profile-1').validate(json.load(open(f)))
for f in glob.glob(sys.argv[4] + '/*.json'): validator('rpma-conformance-baseline-1').validate(json.load(open(f)))
for key in report:
    altered = {k: v for k, v in report.items() if k != key}
    assert not validator('rpma-conformance-1').is_valid(altered), key
report['tests'][0]['verdict'] = 'fine'
assert not validator('rpma-conformance-1').is_valid(report)
print('agreed')
)");
  const Ran ran = testing_tool::run(
      {"python3", path("check.py"), RPMACONF_SCHEMAS, path("report"), RPMACONF_PROFILES, RPMACONF_BASELINES});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("agreed"));
}

}  // namespace
}  // namespace conformance
