// SPDX-License-Identifier: BSD-3-Clause
//
// JSON documents and JSON Lines (parse_document, for_each_line). May throw DocumentError alone, with one
// short line. What is accepted is UTF-8, is within the limits, and is the same when it is written and read
// again.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/report/document.h"
#include "conformance/tests/fuzz/property.h"

using namespace conformance;
using namespace conformance::fuzzing;

namespace {

size_t depth_of(const nlohmann::ordered_json& json) {
  if (!json.is_structured()) return 0;
  size_t deepest = 0;
  for (const auto& item : json) deepest = std::max(deepest, depth_of(item));
  return deepest + 1;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = text_of(data, size);
  nlohmann::ordered_json document;
  bool accepted = false;
  try {
    document = parse_document(bytes);
    accepted = true;
  } catch (const DocumentError& error) {
    must_be_one_line(error.what());
  }
  if (accepted) {
    must(depth_of(document) <= kMostDepth, "a document is within the depth");
    must(parse_document(document.dump()) == document, "a document is the same when it is read again");
    must(as_utf8(bytes) == bytes, "a document is UTF-8");
  }
  size_t lines = 0;
  try {
    const bool whole = for_each_line(bytes, kKernelLines, [&lines](const nlohmann::ordered_json& line) {
      must(line.is_object(), "a line is an object");
      ++lines;
    });
    const auto ends = static_cast<size_t>(std::count(bytes.begin(), bytes.end(), '\n'));
    must(lines <= ends && (!whole || lines == ends), "each line has an end, and all are taken or it is told");
  } catch (const DocumentError& error) {
    must_be_one_line(error.what());
  }
  return 0;
}
