// SPDX-License-Identifier: BSD-3-Clause
//
// Documents that other people may have written: each wrong one is refused with one clear line, soon and
// within bounded memory.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "conformance/harness/library.h"
#include "conformance/report/document.h"
#include "conformance/tool/temporary_folder.h"

namespace conformance {
namespace {

using testing::HasSubstr;

std::string repeated(std::string_view text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

std::string members(size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  return "{" + all + "}";
}

// What a function's exception says; empty: it threw none.
template <class Exception, class Function>
std::string refusal_of(Function function) {
  try {
    function();
  } catch (const Exception& error) {
    return error.what();
  }
  return {};
}

struct HostileText {
  const char* name;
  std::string bytes;
  const char* says;
};

void PrintTo(const HostileText& text, std::ostream* out) {
  *out << text.says;
}

const HostileText kTexts[] = {
    {"Empty", "", "unexpected end of input"},
    {"Truncated", R"({"schema": "toy/1", "tests": [{"id")", "unexpected end of input"},
    {"OfAnotherFormat", "schema: toy/1\n", "parse error at line 1"},
    {"MoreBehindTheEnd", R"({"schema": "toy/1"} {})", "expected end of input"},
    {"NestedLists", repeated("[", 100000) + repeated("]", 100000), "nested more than 32 deep"},
    {"NestedListsNeverClosed", repeated("[", 100000), "nested more than 32 deep"},
    {"NestedObjects", repeated(R"({"a":)", 100000) + "0" + repeated("}", 100000), "nested more than 32 deep"},
    {"SameKeyTwice", R"({"schema": "toy/1", "schema": "toy/1"})", "'schema' twice"},
    {"SameKeyTwiceFarInside", R"({"schema": "toy/1", "a": [{"b": {"c": 1, "d": 2, "c": 3}}]})", "'c' twice"},
    {"SameKeyTwiceOnceEscaped", R"({"verdict": "fail", "verd\u0069ct": "pass"})", "'verdict' twice"},
    {"KeyWithControlCharacters", R"({"\u001b[2J\n": 0, "\u001b[2J\n": 0})", R"('\x1b[2J\x0a' twice)"},
    {"TooManyMembers", members(1001), "more than 1000 members"},
    {"TooManyValues", "[0" + repeated(",0", 4000000) + "]", "more than 4000000 values"},
    {"NumberBeyondADouble", "[1e999]", "number overflow"},
    {"NotANumber", "[NaN]", "invalid literal"},
    {"NoUtf8", "{\"schema\": \"toy/1\xff\"}", "invalid string"},
    {"HalfASurrogate", R"(["\ud800"])", "invalid string"},
    {"NulByte", std::string("{\"schema\": \"toy/1\0\"}", 20), "NUL byte"},
    {"NulByteBehindTheEnd", std::string("{\"schema\": \"toy/1\"}\0", 20), "NUL byte"},
    {"LongToken", "[" + std::string(1000000, 'x') + "]", "invalid literal"},
    {"NoObject", R"(["toy/1"])", "/: "},
    {"NoSchema", "{}", "/schema: "},
    {"SchemaOfAnotherType", R"({"schema": 1})", "/schema: 1 "},
    {"SchemaOfAnotherDocument", R"({"schema": "toy/2"})", "/schema: \"toy/2\" "},
    {"SchemaWithANul", R"({"schema": "rpma-conformance-waivers/1\u0000"})", "/schema: "},
    {"UnknownField", R"({"schema": "rpma-conformance-waivers/1", "waivers": [], "\u001b[2J": 1})", "/: "},
    {"WrongValueInside", R"({"schema": "rpma-conformance-waivers/1", "waivers": [{"module": 1}]})",
     "/waivers/0/module: "},
    {"ManyWrongValues",
     R"({"schema": "rpma-conformance-waivers/1", "waivers": [0)" + repeated(",0", 1000000) + "]}", "/: "},
};

class HostileDocument : public testing::TestWithParam<HostileText> {};

TEST_P(HostileDocument, IsRefusedWithOneShortLine) {
  const std::string line =
      refusal_of<DocumentError>([] { static_cast<void>(parse_document(GetParam().bytes, kWaiversSchema)); });
  EXPECT_THAT(line, HasSubstr(GetParam().says));
  EXPECT_LT(line.size(), 300U);
  for (const char c : line) EXPECT_GE(static_cast<unsigned char>(c), 0x20U) << line;
}

INSTANTIATE_TEST_SUITE_P(Text, HostileDocument, testing::ValuesIn(kTexts),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Document, IsReadUpToTheLimits) {
  EXPECT_EQ(parse_document(R"({"schema": "toy/1", "a": {"b": 1}, "b": 1})").at("b"), 1);
  EXPECT_TRUE(parse_document(repeated("[", 32) + repeated("]", 32)).is_array());
  EXPECT_EQ(parse_document(members(1000)).size(), 1000U);
  EXPECT_EQ(parse_document("[0" + repeated(",0", 3999998) + "]").size(), 3999999U);
  // Objects beside each other have keys of their own.
  EXPECT_EQ(parse_document(R"([{"a": 1}, {"a": {"a": 2}}])").size(), 2U);
}

constexpr Expected kToy = {.what = "toy", .hint = "name another", .most_bytes = 1 << 20};

std::string refusal_of_file(const std::filesystem::path& file) {
  return refusal_of<SetupError>([&file] { static_cast<void>(read_document(file, kToy)); });
}

TEST(File, IsRead) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "toy.json") << R"({"schema": "toy/1", "a": 1})";
  std::filesystem::create_symlink("toy.json", folder.path() / "link");
  EXPECT_EQ(read_document(folder.path() / "toy.json", kToy).at("a"), 1);
  EXPECT_EQ(read_document(folder.path() / "link", kToy).at("a"), 1);
}

TEST(File, ThatIsAbsentIsTold) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal_of_file(folder.path() / "no"), "cannot read the toy " + (folder.path() / "no").string() +
                                                       ": No such file or directory; name another");
  EXPECT_TRUE(is_absent(folder.path() / "no"));
}

// Opening it could block, never end, or have an effect.
TEST(File, ThatIsNotARegularFileIsNotOpened) {
  const TemporaryFolder folder;
  const auto file = [&folder](const char* name) { return folder.path() / name; };
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  EXPECT_THAT(refusal_of_file(file("pipe")), HasSubstr("it is not a regular file; name another"));
  // A pipe opened for reading would accept a writer.
  EXPECT_LT(open(file("pipe").c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC), 0);
  for (const char* device : {"/dev/zero", "/dev/null"})
    EXPECT_THAT(refusal_of_file(device), HasSubstr("it is not a regular file; name another")) << device;
  EXPECT_THAT(refusal_of_file(folder.path()), HasSubstr("it is a folder; name another"));
  std::filesystem::create_symlink("/dev/zero", file("link"));
  EXPECT_THAT(refusal_of_file(file("link")), HasSubstr("it is not a regular file; name another"));
}

TEST(File, BehindLinksThatLeadNowhereIsTold) {
  const TemporaryFolder folder;
  const auto file = [&folder](const char* name) { return folder.path() / name; };
  std::filesystem::create_symlink("there", file("here"));
  std::filesystem::create_symlink("here", file("there"));
  EXPECT_THAT(refusal_of_file(file("here")), HasSubstr("Too many levels of symbolic links; name another"));
  std::filesystem::create_symlink("nothing", file("dangling"));
  EXPECT_THAT(refusal_of_file(file("dangling")), HasSubstr("No such file or directory; name another"));
  EXPECT_FALSE(is_absent(file("dangling")));
}

TEST(File, BeyondTheLimitIsNotRead) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "toy.json";
  std::ofstream(file) << R"({"schema": "toy/1"})";
  std::filesystem::resize_file(file, kToy.most_bytes + 1);  // takes no disk
  EXPECT_THAT(refusal_of_file(file), HasSubstr("larger than 1 MiB; name another"));
  std::filesystem::resize_file(file, size_t{1} << 40);
  EXPECT_THAT(refusal_of_file(file), HasSubstr("larger than 1 MiB; name another"));
  // Of the largest size: read, and refused for its content.
  std::filesystem::resize_file(file, kToy.most_bytes);
  EXPECT_THAT(refusal_of_file(file), HasSubstr("NUL byte"));
}

TEST(File, WithAStrangeNameIsToldInOneLine) {
  EXPECT_EQ(refusal_of_file("/nonexistent/\x1b[2J\n\xff"),
            R"(cannot read the toy /nonexistent/\x1b[2J\x0a)"
            "\xef\xbf\xbd: No such file or directory; name another");
}

TEST(ForeignText, IsShownInOneLine) {
  EXPECT_EQ(as_one_line("plain \xc3\xa4"), "plain \xc3\xa4");
  EXPECT_EQ(as_one_line("a\nb\tc\x1b\x7f"), R"(a\x0ab\x09c\x1b\x7f)");
  EXPECT_EQ(as_one_line(std::string_view("a\0b", 3)), R"(a\x00b)");
  EXPECT_EQ(as_one_line("\xc2\x9b"
                        "31m"),
            R"(\xc2\x9b31m)");  // a control sequence in one character
  EXPECT_EQ(as_one_line("\xff"), "\xef\xbf\xbd");
  EXPECT_EQ(as_one_line("abcdef", 3), "abc...");
  EXPECT_EQ(as_one_line("abc", 3), "abc");
  EXPECT_EQ(as_utf8("a\x80z"), "a\xef\xbf\xbdz");
}

}  // namespace
}  // namespace conformance
