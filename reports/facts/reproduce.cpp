#include "reports/facts/reproduce.hpp"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/run_facts.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/facts/without_folders.hpp"
#include "runner/core/run_choices.hpp"

namespace kbench {
namespace {

class Command {
 public:
  Command& word(const std::string& text) {
    words_.push_back(shell_word(text));
    return *this;
  }
  // Adds an option; without a value it is left out.
  Command& option(const std::string& name, const std::string& value) {
    if (value.empty()) return *this;
    words_.emplace_back(name);
    return word(value);
  }
  Command& flag(const std::string& name, bool is_set) {
    if (is_set) words_.emplace_back(name);
    return *this;
  }
  [[nodiscard]] std::string text() const { return fmt::format("{}", fmt::join(words_, " ")); }

 private:
  std::vector<std::string> words_;
};

// The values of a run's choices, as options take them; empty: not said. A flag that is set is
// "true". A database of another origin may hold anything in the place of a configuration.
class Choices {
 public:
  Choices(const Run& run, const ResultRow& row) : json_(recorded(run.configuration)), row_(row) {}

  [[nodiscard]] std::string of_run(std::string_view name, RunChoice::Kind kind) const {
    const Json value = find(name);
    switch (kind) {
      case RunChoice::Kind::kText:
        return value.is_string() ? without_folders(value.get<std::string>()) : "";
      case RunChoice::Kind::kNumber:
        if (value.is_number_integer()) return value.dump();
        return value.is_number() ? fmt::format("{}", value.get<double>()) : "";
      case RunChoice::Kind::kFlag: return value == true ? "true" : "";
      case RunChoice::Kind::kOther: break;
    }
    return "";
  }
  // The single file that was handed in; empty: it lay in a folder, or there was none.
  [[nodiscard]] std::string file() const {
    return row_.has_submission ? of_run("file", RunChoice::Kind::kText) : "";
  }
  // Choices that the row itself knows.
  [[nodiscard]] std::string of_row(std::string_view name) const {
    const bool in_folder = row_.has_submission && file().empty();
    if (name == "tasks") return row_.task;
    if (name == "size") return row_.size;
    if (name == "device") return device();
    if (name == "precision") return row_.precision;
    if (name == "profile") return row_.profile;
    if (name == "submissions") return in_folder ? of_run(name, RunChoice::Kind::kText) : "";
    if (name == "agent") return in_folder ? row_.agent : "";
    return name == "baselines_only" && !row_.has_submission ? "true" : "";
  }

 private:
  [[nodiscard]] Json find(std::string_view name) const {
    if (!json_.is_object()) return nullptr;
    const auto found = json_.find(name);
    return found == json_.end() ? Json() : *found;
  }
  [[nodiscard]] std::string device() const {
    const Json index = find("device_index");
    const bool numbered = row_.device == "cuda" && index.is_number_integer() && index > 0;
    return numbered ? fmt::format("cuda:{}", index.get<int>()) : row_.device;
  }

  Json json_;
  const ResultRow& row_;
};

// The command that measures from the files that were handed in, wherever they are now: all variants
// of the agent.
std::string from_submissions(const Run& run, const ResultRow& row) {
  const Choices choices(run, row);
  Command command;
  command.word("kbench").word("run");
  if (const std::string file = choices.file(); !file.empty())
    command.word(file).option("--name", row.agent);
  for (const RunChoice& choice : kRunChoices) {
    using Printed = RunChoice::Printed;
    if (choice.printed == Printed::kNever) continue;
    const std::string value = choice.printed == Printed::kOfRow
                                  ? choices.of_row(choice.name)
                                  : choices.of_run(choice.name, choice.kind);
    const std::string option = fmt::format("--{}", choice.option);
    if (choice.kind == RunChoice::Kind::kFlag)
      command.flag(option, value == "true");
    else if (value != choice.by_default)
      command.option(option, value);
  }
  return command.text();
}

}  // namespace

RowCommands::RowCommands(const ReportData& data) : data_(data) {
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (const Evaluation& evaluation : data.evaluations) {
    if (!evaluation.submission) continue;
    std::tuple key(evaluation.task, evaluation.submission->agent, evaluation.submission->variant);
    if (!seen.insert(key).second) ambiguous_.insert(std::move(key));
  }
}

std::string RowCommands::line(const char* name, const ResultRow& row,
                              const std::string& out) const {
  Command command;
  command.word("kbench").word(name).word(short_id(run_of(data_, row)));
  command.option("--db", data_.database.filename().string()).option("--task", row.task);
  command.option("--agent", row.agent).option("--variant", row.variant);
  if (ambiguous_.contains({row.task, row.agent, row.variant}))
    command.option("--submission", row.submission);
  return command.option("--out", out).text();
}

std::string RowCommands::reproduce(const ResultRow& row) const {
  if (row.has_submission && row.sources.empty()) return from_submissions(run_of(data_, row), row);
  return line("reproduce", row, "");
}

std::string RowCommands::write_sources(const ResultRow& row) const {
  return line("sources", row, "sources");
}

}  // namespace kbench
