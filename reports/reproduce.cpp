#include "reports/reproduce.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/run_facts.hpp"
#include "reports/sanitize.hpp"

namespace kbench {
namespace {

// The choices of a run. A database of another origin may hold anything in its place.
class Choices {
 public:
  explicit Choices(const std::string& text) : json_(recorded(text)) {}

  [[nodiscard]] std::string text(const char* name) const {
    const Json* found = find(name);
    return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
  }
  [[nodiscard]] int number(const char* name, int otherwise) const {
    const Json* found = find(name);
    return found != nullptr && found->is_number_integer() ? found->get<int>() : otherwise;
  }
  [[nodiscard]] std::string real(const char* name) const {
    const Json* found = find(name);
    return found != nullptr && found->is_number() ? fmt::format("{}", found->get<double>())
                                                  : std::string();
  }
  [[nodiscard]] bool flag(const char* name) const {
    const Json* found = find(name);
    return found != nullptr && found->is_boolean() && found->get<bool>();
  }

 private:
  [[nodiscard]] const Json* find(const char* name) const {
    if (!json_.is_object()) return nullptr;
    const auto found = json_.find(name);
    return found == json_.end() ? nullptr : &*found;
  }
  Json json_;
};

class Command {
 public:
  Command& word(const std::string& text) {
    words_.push_back(shell_word(text));
    return *this;
  }
  // Left out without a value.
  Command& option(const char* name, const std::string& value) {
    if (value.empty()) return *this;
    words_.emplace_back(name);
    return word(value);
  }
  Command& flag(const char* name, bool is_set) {
    if (is_set) words_.emplace_back(name);
    return *this;
  }
  [[nodiscard]] std::string text() const { return fmt::format("{}", fmt::join(words_, " ")); }

 private:
  std::vector<std::string> words_;
};

std::string device_option(const Choices& choices, const ResultRow& row) {
  const int index = choices.number("device_index", 0);
  return row.device == "cuda" && index > 0 ? fmt::format("cuda:{}", index) : row.device;
}

constexpr int kDefaultBudgetSeconds = 180;

std::string budget_option(const Choices& choices) {
  const int seconds = choices.number("budget_seconds", kDefaultBudgetSeconds);
  return seconds == kDefaultBudgetSeconds ? "" : fmt::format("{}", seconds);
}

// From the files that were handed in, wherever they are now: all variants of the agent.
std::string from_submissions(const Run& run, const ResultRow& row) {
  const Choices choices(run.configuration);
  const std::string file = row.has_submission ? choices.text("file") : "";
  Command command;
  command.word("kbench").word("run");
  if (!file.empty()) command.word(file).option("--name", row.agent);
  command.option("--task", row.task).option("--size", row.size);
  command.option("--device", device_option(choices, row)).option("--precision", row.precision);
  command.option("--profile", row.profile == "kbench" ? "" : row.profile);
  command.option("--allow-torch", choices.text("allow_torch"));
  command.option("--suite", choices.text("suite"));
  if (row.has_submission && file.empty())
    command.option("--submissions", choices.text("submissions")).option("--agent", row.agent);
  command.option("--budget", budget_option(choices));
  command.option("--call-limit", choices.real("call_limit_seconds"));
  command.flag("--quick", choices.flag("quick"));
  command.flag("--checks-only", choices.flag("checks_only"));
  command.flag("--baselines-only", !row.has_submission);
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
  command.option("--db", data_.database.string()).option("--task", row.task);
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
