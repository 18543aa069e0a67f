// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "conformance/harness/library.h"
#include "conformance/report/document.h"
#include "conformance/tool/options.h"
#include "conformance/tool/pages.h"
#include "conformance/tool/suggest.h"
#include "conformance/tool/values.h"
#include "conformance/version.h"

namespace conformance {
namespace {

constexpr size_t kMostOfACommandLine = 500;  // of what was typed

void add_common(CLI::App& app, CommandLine& line) {
  OutputOptions& output = line.output;
  line.choice(*app.add_option("--format", output.format, "Print the result as text or as a JSON document.")
                   ->capture_default_str(),
              {"text", "json"})
      .group(kCommonOptions);
  line.choice(*app.add_option("--color", output.color,
                              "Colour verdicts; auto: on a terminal, unless NO_COLOR is set.")
                   ->capture_default_str(),
              {"auto", "always", "never"})
      .group(kCommonOptions);
  app.add_flag("-q,--quiet", output.quiet, "Print only findings and the verdict.")->group(kCommonOptions);
  app.add_flag("-v,--verbose", output.verbose, "Print each test as it ends, with its points.")
      ->group(kCommonOptions);
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty()) names.push_back(command->get_name());
  return names;
}

// An unknown word is often why another is missing, so it is reported first; CLI11 does it the other way.
std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> extras = app.remaining(true);
  if (extras.empty()) return error.what();
  const std::vector<CLI::App*> commands = app.get_subcommands();
  const std::string& word = extras.front();
  if (word.starts_with("-")) {
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("unknown option {}{}", name,
                       did_you_mean(name, option_names(commands.empty() ? app : *commands.front())));
  }
  if (commands.empty())
    return fmt::format("unknown command '{}'{}", word, did_you_mean(word, command_names(app)));
  return fmt::format("{} does not take '{}'", commands.front()->get_name(), word);
}

void add_pages(CommandLine& line) {
  const auto page = std::make_shared<std::filesystem::path>();
  CLI::App& app = line.add("pages", "Print a man page's Markdown with its tables.",
                           [page, &line] { return print_page(line.app, *page); });
  app.group("")->add_option("PAGE", *page, "File.")->required();  // hidden: conformance/pages
}

// Offers values of an option or argument that begin with `typed`. In a list, the last item is completed.
void add_values(const CommandLine& line, const CLI::Option& option, const std::string& typed,
                const std::string& before, std::vector<std::string>& found) {
  const auto values = line.values.find(&option);
  if (values == line.values.end()) return;
  const size_t start = typed.find_last_of(":,") + 1;  // npos + 1 is 0
  const std::string head = before + typed.substr(0, start);
  const std::string item = typed.substr(start);
  for (const std::string& name : values->second())
    if (name.starts_with(item)) found.push_back(head + name);
}

const CLI::Option* option_named(const CLI::App& app, const std::string& name) {
  return name.starts_with("-") ? app.get_option_no_throw(name) : nullptr;
}

}  // namespace

CLI::App& CommandLine::add(const std::string& name, const std::string& what, std::function<int()> action) {
  CLI::App& command = *app.add_subcommand(name, what);
  actions[&command] = std::move(action);
  return command;
}

CLI::Option& CommandLine::choice(CLI::Option& option, const std::vector<std::string>& names) {
  option.check(CLI::Validator(
      [names](const std::string& value) {
        if (std::ranges::find(names, value) != names.end()) return std::string();
        return fmt::format("'{}' is not one of {}{}", value, fmt::join(names, ", "),
                           did_you_mean(value, names));
      },
      ""));
  option.type_name(fmt::format("{}", fmt::join(names, "|")));
  return offer(option, [names] { return names; });
}

CLI::Option& CommandLine::offer(CLI::Option& option, Names names) {
  values[&option] = std::move(names);
  return option;
}

std::unique_ptr<CommandLine> build_command_line(char** argv) {
  auto line = std::make_unique<CommandLine>();
  line->argv = argv;
  CLI::App& app = line->app;
  app.name("rpma-conformance");
  app.description(
      "Fault injection and conformance tests for RDMA listeners: does rpma_ep_listen(3) keep its promises "
      "when "
      "a call below it fails?");
  app.set_version_flag("-V,--version", fmt::format("rpma-conformance {}\ncommit {}", kVersion, kCommit),
                       "Print the version and exit.");
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 conforms, 1 a finding or a regression, 2 usage or set-up, 3 incomplete, 4 bundle "
      "invalid.");
  add_commands_that_test(*line);
  add_commands_that_read(*line);
  for (CLI::App* command : app.get_subcommands({})) add_common(*command, *line);
  add_common(app, *line);
  add_pages(*line);
  return line;
}

int run_command_line(CommandLine& line, std::span<char* const> words) {
  CLI::App& app = line.app;
  refuse_empty_values(app, words);
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const std::string what = as_one_line(complaint(app, error), kMostOfACommandLine);
    const auto commands = app.get_subcommands();
    const std::string of_command = commands.empty() ? "" : " " + commands.front()->get_name();
    throw SetupError(
        what.ends_with('?') ? what : fmt::format("{}; see rpma-conformance{} --help", what, of_command));
  }
  if (line.output.quiet && line.output.verbose) throw SetupError("--quiet excludes --verbose");
  set_output(line.output);
  return line.actions.at(app.get_subcommands().front())();
}

std::vector<std::string> completions(const CommandLine& line, std::vector<std::string> words) {
  const std::string typed = words.empty() ? "" : words.back();
  if (!words.empty()) words.pop_back();
  const CLI::App* command = &line.app;
  const CLI::Option* awaited = nullptr;  // the option that the next word is a value of
  size_t arguments = 0;
  for (const std::string& word : words) {
    if (awaited != nullptr) {
      awaited = nullptr;
    } else if (word.starts_with("-")) {
      const CLI::Option* option = option_named(*command, word);
      if (option != nullptr && option->get_items_expected_max() > 0) awaited = option;
    } else if (command == &line.app) {
      const auto named =
          line.app.get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
      if (named.empty()) return {};
      command = named.front();
    } else {
      ++arguments;
    }
  }
  std::vector<std::string> found;
  if (awaited != nullptr) {
    add_values(line, *awaited, typed, "", found);
  } else if (const size_t equals = typed.find('='); typed.starts_with("-") && equals != std::string::npos) {
    if (const CLI::Option* option = option_named(*command, typed.substr(0, equals)))
      add_values(line, *option, typed.substr(equals + 1), typed.substr(0, equals + 1), found);
  } else if (typed.starts_with("-")) {
    found = option_names(*command);
    std::erase_if(found, [&typed](const std::string& name) { return !name.starts_with(typed); });
  } else if (command == &line.app) {
    found = command_names(line.app);
    std::erase_if(found, [&typed](const std::string& name) { return !name.starts_with(typed); });
  } else {
    for (const CLI::Option* option : command->get_options())
      if (option->get_positional() && arguments-- == 0) add_values(line, *option, typed, "", found);
  }
  return found;
}

}  // namespace conformance
