// SPDX-License-Identifier: BSD-3-Clause
//
// rpma-mutants: mutants of the reference listener, built and judged. The suite must refuse each of them a
// pass, or survivors.cpp must say why it need not.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "conformance/harness/library.h"
#include "conformance/mutation/mutator.h"
#include "conformance/mutation/survivors.h"
#include "conformance/report/half_file.h"
#include "conformance/report/report.h"
#include "conformance/tool/process.h"
#include "conformance/tool/temporary_folder.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDocument = "mutants.json";

const fs::path kProject = RPMACONF_PROJECT;
const fs::path kListeners = kProject / "fixtures/listeners";
constexpr std::array kSources = {RPMACONF_LISTENER_SOURCES};
// Besides these, headers of which the reference is made. The other ones hold declarations alone.
constexpr std::array kHeaders = {"handles.h", "seams.h"};

struct Options {
  std::string provider = "mock";
  std::string machine;
  std::string file;
  std::string mutant;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  bool list = false;
  fs::path report = "report";
};

enum class Fate { NotBuilt, Killed, NoVerdict, Survived };
constexpr std::pair<Fate, std::string_view> kFates[] = {{Fate::NotBuilt, "not built"},
                                                        {Fate::Killed, "killed"},
                                                        {Fate::NoVerdict, "no verdict"},
                                                        {Fate::Survived, "survived"}};
std::string_view name_of(Fate fate) {
  return std::ranges::find(kFates, fate, &std::pair<Fate, std::string_view>::first)->second;
}

struct Subject {
  std::string file;
  Mutant mutant;
};

struct Judged {
  Fate fate;
  std::string by;  // the first finding, or why there is no verdict
};

std::string content_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Builds one mutant at a time in a folder of its own.
class Workshop {
 public:
  Workshop(const Options& options, fs::path folder) : options_(options), folder_(std::move(folder)) {
    fs::create_directories(folder_ / "fixtures/listeners");
  }

  // The objects of the reference, once for all workshops.
  static void prepare(const fs::path& objects) {
    for (const char* source : kSources)
      if (compile(kListeners / source, objects / source, {}, objects / "log") != 0)
        throw SetupError(fmt::format("{} cannot be compiled; see {}", source, (objects / "log").string()));
  }

  Judged judge(const Subject& subject, const fs::path& objects) {
    const fs::path library = folder_ / "librpma-mutant.so";
    if (!build(subject, objects, library)) return {Fate::NotBuilt, ""};
    // Most are noticed soon.
    for (const char* filter : {"Listen.ListenSucceeds:Listen.Failing*GivesEProvider/E*:Listen.Null*", "*"}) {
      Judged judged = run(library, filter);
      if (judged.fate != Fate::Survived) return judged;
    }
    return {Fate::Survived, ""};
  }

 private:
  static std::vector<std::string> compiler() {
    return {RPMACONF_COMPILER, "-std=c++20",      "-O1",       "-w",
            "-fPIC",           "-fno-exceptions", "-fno-rtti", "-fvisibility=hidden"};
  }

  static int compile(const fs::path& source, const fs::path& object, const std::string& first,
                     const fs::path& log) {
    std::vector<std::string> command = compiler();
    if (!first.empty()) command.insert(command.end(), {"-I", first});
    command.insert(command.end(), {"-I", kProject, "-c", source, "-o", object.string() + ".o"});
    return wait_for_program(start_program(command, log));
  }

  [[nodiscard]] bool build(const Subject& subject, const fs::path& objects, const fs::path& library) const {
    const fs::path mutated = folder_ / "fixtures/listeners" / subject.file;
    std::ofstream(mutated) << with_mutant(content_of(kListeners / subject.file), subject.mutant);
    const bool is_header = mutated.extension() == ".h";
    std::vector<std::string> command = compiler();
    command.insert(command.end(), {"-shared", "-o", library});
    bool good = true;
    for (const char* source : kSources) {
      const bool anew = is_header || source == subject.file;
      if (anew)
        good = good && compile(is_header ? kListeners / source : mutated, folder_ / source, folder_,
                               folder_ / "log") == 0;
      command.push_back(((anew ? folder_ : objects) / source).string() + ".o");
    }
    fs::remove(mutated);
    command.insert(command.end(),
                   {"-Wl,-soname,librpma.so.0", "-static-libstdc++", "-static-libgcc", "-Wl,-z,defs",
                    "-Wl,--exclude-libs,ALL",
                    fmt::format("-Wl,--version-script={}", (kListeners / "exports.map").string()), "-lrdmacm",
                    "-libverbs"});
    return good && wait_for_program(start_program(command, folder_ / "log")) == 0;
  }

  // A mutant that hangs at every point would take hours; a finding on the way is enough.
  [[nodiscard]] Judged run(const fs::path& library, const std::string& filter) const {
    constexpr const char* kPatience = "120";
    const fs::path report = folder_ / "report";
    fs::remove_all(report);
    std::vector<std::string> command = {
        "timeout",   kPatience, RPMACONF_TOOL, "run",  "--provider", options_.provider,
        "--librpma", library,   "--judge",     "iut",  "--jobs",     "1",
        "--timeout", "10",      "--filter",    filter, "--report",   report};
    if (!options_.machine.empty()) command.insert(command.end(), {"--machine", options_.machine});
    const int status = wait_for_program(start_program(command, folder_ / "log"));
    std::string open;
    for (const TestResult& test : read_journal(report).tests) {
      for (const ClauseResult& clause : test.clauses) {
        const bool finding = is_finding(clause.verdict);
        if (finding && clause.module == "iut")
          return {Fate::Killed, fmt::format("{} {}", clause.clause, conformance::name_of(clause.verdict))};
        if (clause.verdict != Verdict::Pass && !finding && open.empty()) open = clause.reason;
      }
    }
    if (status == 0) return {Fate::Survived, ""};
    return {Fate::NoVerdict, open.empty() ? fmt::format("the run ended with {}", status) : open};
  }

  const Options& options_;
  fs::path folder_;
};

std::string reason_of(const Subject& subject) {
  for (const Survivor& row : known_survivors()) {
    if (row.file != subject.file) continue;
    const std::string id = subject.mutant.id();
    const bool open = row.mutant.ends_with('*');
    if (open ? id.starts_with(row.mutant.substr(0, row.mutant.size() - 1)) : id == row.mutant)
      return std::string(row.reason);
  }
  return {};
}

std::vector<Subject> subjects(const Options& options) {
  std::vector<Subject> all;
  std::vector<std::string> files(kSources.begin(), kSources.end());
  files.insert(files.end(), kHeaders.begin(), kHeaders.end());
  for (const std::string& file : files)
    for (Mutant& mutant : mutants_of(content_of(kListeners / file)))
      if ((options.file.empty() || options.file == file) &&
          (options.mutant.empty() || options.mutant == mutant.id()))
        all.push_back({file, std::move(mutant)});
  if (all.empty()) throw SetupError("there is no such mutant; --list shows them");
  return all;
}

// Workers are processes; each leaves a line of JSON for each of its mutants.
[[noreturn]] void work(const Options& options, const std::vector<Subject>& all, unsigned worker,
                       const fs::path& folder) {
  Workshop workshop(options, folder / std::to_string(worker));
  std::ofstream lines(folder / fmt::format("{}.jsonl", worker));
  for (size_t i = worker; i < all.size(); i += options.jobs) {
    const Judged judged = workshop.judge(all[i], folder);
    lines << nlohmann::json{{"index", i}, {"fate", judged.fate}, {"by", judged.by}}.dump() << std::endl;
    fmt::print("{:<10} {}:{} {}{}\n", name_of(judged.fate), all[i].file, all[i].mutant.line,
               all[i].mutant.id(), judged.by.empty() ? "" : "  (" + judged.by + ")");
    std::fflush(stdout);
  }
  std::fflush(stdout);
  _exit(0);
}

int judge_all(const Options& options) {
  make_report_folder(options.report, {kDocument});
  const std::vector<Subject> all = subjects(options);
  const auto begin = std::chrono::steady_clock::now();
  const TemporaryFolder folder;
  Workshop::prepare(folder.path());
  for (unsigned worker = 0; worker < options.jobs; ++worker)
    if (fork() == 0) work(options, all, worker, folder.path());
  while (wait(nullptr) > 0) {
  }
  std::vector<Judged> judged(all.size(), {Fate::NoVerdict, "the worker ended early"});
  for (unsigned worker = 0; worker < options.jobs; ++worker) {
    std::ifstream lines(folder.path() / fmt::format("{}.jsonl", worker));
    for (std::string line; std::getline(lines, line);) {
      const auto json = nlohmann::json::parse(line);
      judged[json.at("index")] = {json.at("fate"), json.at("by")};
    }
  }
  std::map<Fate, size_t> counts;
  size_t unexplained = 0;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (size_t i = 0; i < all.size(); ++i) {
    const Subject& subject = all[i];
    ++counts[judged[i].fate];
    nlohmann::ordered_json row = {{"file", subject.file},
                                  {"line", subject.mutant.line},
                                  {"mutant", subject.mutant.id()},
                                  {"fate", name_of(judged[i].fate)},
                                  {"by", judged[i].by}};
    if (judged[i].fate == Fate::Survived) {
      const std::string reason = reason_of(subject);
      if (reason.empty()) ++unexplained;
      row["reason"] = reason;
      fmt::print("survivor: {}:{} {}: {}\n", subject.file, subject.mutant.line, subject.mutant.id(),
                 reason.empty() ? "UNEXPLAINED" : reason);
    }
    rows.push_back(row);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("\n{} mutants on {}, {:.0f} s:", all.size(), options.provider, seconds);
  for (const auto& [fate, name] : kFates)
    fmt::print(" {} {}{}", counts[fate], name, fate == Fate::Survived ? "" : ",");
  const int code = unexplained == 0 ? 0 : 1;
  fmt::print(" ({} unexplained)\nexit code {}\n", unexplained, code);
  const nlohmann::ordered_json document = {{"schema", "rpma-conformance-mutants/1"},
                                           {"provider", options.provider},
                                           {"seconds", seconds},
                                           {"mutants", rows},
                                           {"unexplained", unexplained},
                                           {"exit_code", code}};
  write_whole(options.report / kDocument, document.dump(2) + "\n");
  return code;
}

int list_all(const Options& options) {
  for (const Subject& subject : subjects(options))
    fmt::print("{}:{} {}\n", subject.file, subject.mutant.line, subject.mutant.id());
  return 0;
}

int main_or_throw(int argc, char** argv) {
  Options options;
  CLI::App app{"Mutants of the reference listener: what the suite does not notice"};
  app.add_option("--provider", options.provider, "on which they are judged: mock or rxe")
      ->check(CLI::IsMember({"mock", "rxe"}))
      ->capture_default_str();
  app.add_option("--machine", options.machine, "state folder of an rxe machine that runs already");
  app.add_option("--file", options.file, "only those of this file of fixtures/listeners");
  app.add_option("--mutant", options.mutant, "only the one with this id");
  app.add_option("--jobs", options.jobs, "mutants at a time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--report", options.report, "folder for mutants.json")->capture_default_str();
  app.add_flag("--list", options.list, "only list them");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    fmt::print(stderr, "rpma-mutants: {}; see rpma-mutants --help\n", error.what());
    return 2;
  }
  return options.list ? list_all(options) : judge_all(options);
}

}  // namespace
}  // namespace conformance

int main(int argc, char** argv) {
  try {
    return conformance::main_or_throw(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "rpma-mutants: {}\n", error.what());
  }
  return 2;
}
