// The page's data, in its order: rows grouped by boards, whose rows may be ranked together, then by
// task. All numbers are derived here once; page_data writes them as JSON for the script,
// html_report as plain tables for readers without one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "reports/facts/model.hpp"
#include "reports/rank/ranking.hpp"

namespace kbench {

// All rows of one task at one size. Views into PageModel::rows.
struct PageTask {
  std::string task;
  std::string size;
  int level = 0;
  std::size_t first = 0;  // index of its first row
  std::span<const ResultRow> rows;
  std::vector<const ResultRow*> best;  // one for each agent of the board; null: nothing submitted

  // The row that tells most of the baselines: with an interval between them before both times
  // before eager's alone. Rows of failed submissions often lack what another row has.
  [[nodiscard]] const ResultRow& baselines() const;
};

// The ranking of one level, or of all (level 0).
struct PageScope {
  int level = 0;
  int tasks = 0;
  int ranked = 0;  // tasks that are ranked
  std::vector<AgentScore> ranking;
};

// Rows of one device, precision class, profile, size and protocol: nothing is ranked across these.
struct PageBoard {
  std::string device;
  std::string precision;
  std::string profile;
  std::string size;
  int protocol = 1;
  std::vector<std::string> agents;  // sorted by overall rank
  std::vector<PageScope> scopes;    // all levels first; single ones where there are several
  std::vector<PageTask> tasks;
};

struct PageModel {
  explicit PageModel(const ReportData& data);
  PageModel(const PageModel&) = delete;
  PageModel& operator=(const PageModel&) = delete;

  const ReportData& data;
  std::vector<ResultRow> rows;                 // sorted by board, level, task, agent, submission
  std::vector<const Evaluation*> evaluations;  // evaluation of each row
  std::vector<PageBoard> boards;
};

// Cautions for a reader before believing a number: one sentence each, worst first.
[[nodiscard]] std::vector<std::string> cautions_of(const PageModel& page);
// Only the cautions about the run as a whole: a verdict card tells what is to be said of its row.
[[nodiscard]] std::vector<std::string> run_cautions_of(const PageModel& page);

// A sentence that names who is ahead.
[[nodiscard]] std::string winners_of(const PageBoard& board);

}  // namespace kbench
