// SPDX-License-Identifier: BSD-3-Clause
//
// What a run leaves as it goes (parse_journal): results, points and kernel lines, here with a line "----"
// between them. May throw DocumentError alone, with one short line. What is accepted holds each test once and
// no point of a test that did not end, and is the same when it is written and read again.
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/report/document.h"
#include "conformance/report/report.h"
#include "conformance/tests/fuzz/property.h"

using namespace conformance;
using namespace conformance::fuzzing;

namespace {

void check(const Journal& journal) {
  std::set<std::string> ids;
  for (const TestResult& test : journal.tests) must(ids.insert(test.id).second, "a test is there once");
  for (const std::string& line : journal.points)
    must(ids.contains(parse_document(line).at("test").get<std::string>()),
         "a point is one of a test that ended");
  const JournalText text = text_of(journal);
  const Journal again = parse_journal(text.results, text.points, text.kernel);
  must((again.header ? *again.header : nlohmann::ordered_json()) ==
               (journal.header ? *journal.header : nlohmann::ordered_json()) &&
           again.resumed == journal.resumed && again.points == journal.points &&
           again.kernel_log == journal.kernel_log && again.tests.size() == journal.tests.size(),
       "a journal is the same when it is read again");
  for (size_t i = 0; i < again.tests.size(); ++i)
    must(to_json(again.tests[i]) == to_json(journal.tests[i]), "a test is the same when it is read again");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest = fuzzing::text_of(data, size);
  const std::string_view results = take_part(rest);
  const std::string_view points = take_part(rest);
  const std::string_view kernel = take_part(rest);
  Journal journal;
  try {
    journal = parse_journal(results, points, kernel);
  } catch (const DocumentError& error) {
    must_be_one_line(error.what());
    return 0;
  }
  check(journal);  // from here on nothing may be thrown
  return 0;
}
