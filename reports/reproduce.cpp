#include "reports/reproduce.hpp"

#include <algorithm>
#include <cstddef>
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
  if (!file.empty()) command.word(file);
  command.option("--task", row.task).option("--size", row.size);
  command.option("--device", device_option(choices, row)).option("--precision", row.precision);
  command.option("--profile", row.profile == "kbench" ? "" : row.profile);
  command.option("--suite", choices.text("suite"));
  if (row.has_submission && file.empty())
    command.option("--submissions", choices.text("submissions")).option("--agent", row.agent);
  command.option("--budget", budget_option(choices));
  command.flag("--quick", choices.flag("quick"));
  command.flag("--baselines-only", !row.has_submission);
  return command.text();
}

// Whether another row has the same task, agent and variant: as a file and as a folder, say.
bool is_ambiguous(const ReportData& data, const ResultRow& row) {
  return std::count_if(data.evaluations.begin(), data.evaluations.end(),
                       [&](const Evaluation& other) {
                         return other.submission && other.task == row.task &&
                                other.submission->agent == row.agent &&
                                other.submission->variant == row.variant;
                       }) > 1;
}

// How `kbench sources` and `kbench reproduce` are told which row.
void name_row(Command& command, const ReportData& data, const ResultRow& row) {
  constexpr std::size_t kShownOfId = 12;
  command.word(data.run.id.substr(0, kShownOfId));
  command.option("--db", data.database.string()).option("--task", row.task);
  command.option("--agent", row.agent).option("--variant", row.variant);
  if (row.has_submission && is_ambiguous(data, row)) command.option("--submission", row.submission);
}

}  // namespace

std::string reproduce_command(const ReportData& data, const ResultRow& row) {
  if (row.has_submission && row.sources.empty()) return from_submissions(data.run, row);
  Command command;
  command.word("kbench").word("reproduce");
  name_row(command, data, row);
  return command.text();
}

std::string sources_command(const ReportData& data, const ResultRow& row) {
  Command command;
  command.word("kbench").word("sources");
  name_row(command, data, row);
  return command.option("--out", "sources").text();
}

}  // namespace kbench
