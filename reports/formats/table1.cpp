#include "reports/formats/table1.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/sanitize.hpp"
#include "reports/formats/text_table.hpp"
#include "reports/rank/score.hpp"
#include "runner/reward/reward.hpp"

namespace kbench {
namespace {

// Sums over the tasks of one level, for one baseline.
struct Sum {
  int faster = 0;
  int clearly = 0;
  int timed = 0;
  double logs = 0;

  void add(const Speedup* speedup) {
    if (speedup == nullptr) return;
    faster += speedup->estimate > 1 ? 1 : 0;
    clearly += speedup->estimate > kMilestoneSpeedup ? 1 : 0;
    logs += std::log(speedup->estimate);
    ++timed;
  }

  [[nodiscard]] Table1Side side() const {
    return {faster, clearly, timed == 0 ? std::nullopt : std::optional(std::exp(logs / timed))};
  }
};

Table1Row row_of(std::span<const ResultRow> rows, int level, int tasks, const std::string& agent) {
  Table1Row made{.level = level, .agent = agent, .tasks = tasks};
  Sum eager;
  Sum compiled;
  for (const Standing& standing : standings(rows, agent)) {
    const ResultRow& row = *standing.rows.front();
    if (row.level == level && !row.credit.judged) --made.tasks;
    if (row.level != level || !row.counts_as_correct() || !row.credit.as_stored) continue;
    ++made.passed;
    eager.add(row.credited(Side::kEager));
    compiled.add(row.credited(Side::kCompiled));
  }
  made.eager = eager.side();
  made.compiled = compiled.side();
  return made;
}

Table1Side overall(const std::vector<Table1Row>& levels, Table1Side Table1Row::*side) {
  Table1Side made;
  double logs = 0;
  int tasks = 0;
  bool complete = true;
  for (const Table1Row& level : levels) {
    const Table1Side& of = level.*side;
    made.faster += of.faster;
    made.clearly += of.clearly;
    tasks += level.tasks;
    complete = complete && of.mean.has_value();
    if (of.mean) logs += level.tasks * std::log(*of.mean);
  }
  if (complete && tasks > 0) made.mean = std::exp(logs / tasks);
  return made;
}

Table1Row overall(const std::vector<Table1Row>& levels) {
  Table1Row made{.agent = levels.front().agent};
  for (const Table1Row& level : levels) {
    made.tasks += level.tasks;
    made.passed += level.passed;
  }
  made.eager = overall(levels, &Table1Row::eager);
  made.compiled = overall(levels, &Table1Row::compiled);
  return made;
}

std::map<int, int> tasks_by_level(std::span<const ResultRow> rows) {
  std::set<std::pair<int, std::string>> tasks;
  for (const ResultRow& row : rows) tasks.emplace(row.level, row.task);
  std::map<int, int> count;
  for (const auto& [level, task] : tasks) ++count[level];
  return count;
}

std::string show_share(int part, int whole) {
  return whole == 0 ? "–" : fmt::format("{:.1f}%", 100.0 * part / whole);
}

std::string show_mean(const std::optional<double>& mean) {
  return mean ? fmt::format("{:.2f}×", *mean) : "–";
}

std::vector<Column> columns_of(const std::vector<Table1Row>& rows) {
  using Kind = Column::Kind;
  std::vector<Column> columns{{"Subset"},
                              {"Agent", Kind::kName},
                              {"Pass", Kind::kNumber},
                              {"> Eager", Kind::kNumber},
                              {"> Compiled", Kind::kNumber},
                              {">> Eager", Kind::kNumber},
                              {">> Compiled", Kind::kNumber},
                              {"× Eager", Kind::kNumber},
                              {"× Compiled", Kind::kNumber}};
  for (const Table1Row& row : rows) {
    const std::vector<std::string> cells{
        row.level == 0 ? "overall" : fmt::format("level {}", row.level),
        sanitize_line(row.agent),
        show_share(row.passed, row.tasks),
        show_share(row.eager.faster, row.tasks),
        show_share(row.compiled.faster, row.tasks),
        show_share(row.eager.clearly, row.tasks),
        show_share(row.compiled.clearly, row.tasks),
        show_mean(row.eager.mean),
        show_mean(row.compiled.mean)};
    for (std::size_t i = 0; i < cells.size(); ++i) columns[i].cells.push_back({cells[i], {}});
  }
  return columns;
}

// Cautions for a reader who compares these rows with the paper.
std::string cautions(const ReportData& data, std::span<const ResultRow> rows) {
  int ours = 0;
  int variants = 0;
  std::set<std::string> unranked;
  for (const ResultRow& row : rows) {
    ours += row.credit.judged ? 0 : 1;
    if (row.credit.judged && !row.ranked()) unranked.insert(row.task);
  }
  for (const std::string& agent : agents_of(rows))
    for (const Standing& standing : standings(rows, agent))
      variants = std::max(variants, standing.variants);
  std::string text;
  if (data.chain.state == ChainFinding::State::kChanged)
    text += fmt::format("Rows were changed after they were stored: {}\n",
                        sanitize_line(data.chain.message));
  if (ours > 0)
    text += fmt::format(
        "{} rows were not judged, by a fault of kbench, of the machine or of the task, and are "
        "left "
        "out.\n",
        ours);
  if (variants > 1)
    text += fmt::format("The best of up to {} variants counts for an agent.\n", variants);
  if (!unranked.empty())
    text += fmt::format(
        "{} tasks count here that kbench ranks nobody by: what they accept may "
        "compute nothing.\n",
        unranked.size());
  return text;
}

}  // namespace

std::vector<Table1Row> table1(std::span<const ResultRow> rows) {
  const std::map<int, int> levels = tasks_by_level(rows);
  std::vector<Table1Row> all;
  std::map<int, std::vector<Table1Row>> by_level;
  for (const std::string& agent : agents_of(rows)) {
    std::vector<Table1Row> of_agent;
    for (const auto& [level, tasks] : levels) of_agent.push_back(row_of(rows, level, tasks, agent));
    by_level[0].push_back(overall(of_agent));
    for (Table1Row& row : of_agent) by_level[row.level].push_back(std::move(row));
  }
  for (auto& [level, of_level] : by_level)
    std::move(of_level.begin(), of_level.end(), std::back_inserter(all));
  return all;
}

std::string render_table1(const ReportData& data) {
  const std::vector<ResultRow> rows = derive_all(data);
  const std::vector<Table1Row> table = table1(rows);
  std::string tasks;
  for (const auto& [level, count] : tasks_by_level(rows))
    tasks += fmt::format("{}level {}: {}", tasks.empty() ? "" : ", ", level, count);
  std::string text = fmt::format("Tasks: {}. On {}.\n\n", tasks.empty() ? "none" : tasks,
                                 data.device_name.empty() ? "a device that nobody wrote down"
                                                          : sanitize_line(data.device_name));
  text += render_table(columns_of(table), {});
  text +=
      "\nPass: correct. >: correct and faster. >>: correct and 5 % less time. ×: geometric mean "
      "of the\nspeed-ups of correct tasks; overall, of the levels' means weighted by their "
      "numbers of tasks.\n";
  return text + cautions(data, rows);
}

}  // namespace kbench
