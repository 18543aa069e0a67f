// SPDX-License-Identifier: BSD-3-Clause
//
// Writes report.html from report.json and points.jsonl in a folder, as a run does at its end. The browser
// test uses it for reports that no run makes.
//
//   conformance_write_page FOLDER
#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <fstream>

#include "conformance/report/half_file.h"
#include "conformance/report/html.h"
#include "conformance/report/report.h"

int main(int argc, char** argv) try {
  if (argc != 2) {
    fmt::print(stderr, "usage: conformance_write_page FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::ifstream file(folder / "report.json");
  const auto report = nlohmann::ordered_json::parse(file);
  conformance::write_whole(folder / "report.html",
                           conformance::to_html(report, conformance::read_points(folder / "points.jsonl")));
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "conformance_write_page: {}\n", error.what());
  return 2;
}
