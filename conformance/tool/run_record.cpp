// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/run_record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "conformance/harness/library.h"
#include "conformance/report/document.h"
#include "conformance/report/half_file.h"
#include "conformance/report/report.h"
#include "conformance/version.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
constexpr size_t kMostOfACommit = 60;
constexpr Expected kRunRecord = {
    .what = "record of a run", .schema = kRunSchema, .hint = "start the run anew, in another folder"};

// The options that affect a verdict: not --jobs, not --machine.
template <typename Options, typename Visitor>
void visit(Options& options, const Visitor& field) {
  field("provider", options.provider);
  field("device", options.device);
  field("addr", options.address);
  field("librpma", options.librpma);
  field("rdma_core", options.rdma_core);
  field("kernel", options.kernel);
  field("judge", options.subject);
  field("profile", options.profile);
  field("filter", options.filter);
  field("shard", options.shard);
  field("seed", options.seed);
  field("complete", options.complete);
  field("timeout", options.timeout);
  field("allow_disruptive", options.allow_disruptive);
  field("baseline", options.baseline);
  field("waivers", options.waivers);
}

template <typename Value>
void read(const Json& json, Value& value) {
  json.get_to(value);
}
void read(const Json& json, fs::path& value) {
  value = json.get<std::string>();
}

// A finished run cannot be resumed: cutting lines out of its journal would repeat a failed test.
void need_unfinished(const fs::path& report) {
  if (is_absent(report / "report.json")) return;
  if (came_to_its_end(read_report(report / "report.json", kRunRecord.hint)))
    throw SetupError(
        fmt::format("the run in {} has ended; start a new run in another folder", report.string()));
}

}  // namespace

void write_run_record(const RunRecord& record) {
  Json options = Json::object();
  visit(record.options, [&options](const char* name, const auto& value) { options[name] = value; });
  Json document = {{"schema", kRunSchema},
                   {"suite", {{"version", kVersion}, {"commit", kCommit}}},
                   {"options", options},
                   {"machine", record.machine.string()},
                   {"inner_report", record.inner_report.string()}};
  const fs::path file = record.options.report / "run.json";
  // The first record is written before any result.
  write_whole(file, document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n",
              is_absent(file) ? kOtherFolder : how_to_go_on(record.options.report));
}

RunRecord read_run_record(const fs::path& report) {
  const fs::path file = report / "run.json";
  if (is_absent(file))
    throw SetupError(
        fmt::format("{} has no run to resume; name its report folder with --resume", report.string()));
  RunRecord record;
  std::string commit;
  try {
    const Json json = read_document(file, kRunRecord);
    commit = json.at("suite").at("commit");
    const Json& options = json.at("options");
    visit(record.options, [&options](const char* name, auto& value) {
      if (!options.contains(name)) throw DocumentError(fmt::format("/options: '{}' is missing", name));
      read(options.at(name), value);
    });
    record.machine = json.at("machine").get<std::string>();
    record.inner_report = json.at("inner_report").get<std::string>();
  } catch (const DocumentError& error) {
    refuse_document(file, kRunRecord, error.what());
  }
  if (commit != kCommit)
    throw SetupError(fmt::format("the run in {} is of suite {}, this is {}; start a new run", report.string(),
                                 as_one_line(commit, kMostOfACommit), kCommit));
  need_unfinished(report);
  record.options.report = report;
  record.options.resume = true;
  return record;
}

}  // namespace conformance
