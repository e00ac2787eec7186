// The table in which CUDA Agent and its successors report KernelBench (Dai et al., arXiv
// 2602.24286, Table 1), of any run that was judged by their profile: for each level and overall,
// the share of tasks that are correct, the shares that are faster, and geometric means over correct
// tasks. The numbers follow the paper and not kbench's own scores: means leave out tasks that are
// not correct. Every task counts, ranked or not, except for an agent whose submission was not
// judged.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/facts/model.hpp"

namespace kbench {

// Counts against one baseline.
struct Table1Side {
  int faster = 0;              // correct, and a speed-up above 1
  int clearly = 0;             // the same above kMilestoneSpeedup: the paper names no threshold
  std::optional<double> mean;  // geometric, over correct tasks with a speed-up; empty without any
};

struct Table1Row {
  int level = 0;  // 0: overall
  std::string agent;
  int tasks = 0;  // all tasks of the level, whoever submitted
  int passed = 0;
  Table1Side eager;
  Table1Side compiled;
};

// For overall and then each level, a row for each agent, by name. An agent's best variant for a
// task stands for it. Overall: rates over all tasks, and exp(Σ N_L ln g_L / Σ N_L) of the levels'
// means g_L weighted by their numbers of tasks N_L; none where a level has none.
[[nodiscard]] std::vector<Table1Row> table1(std::span<const ResultRow> rows);

[[nodiscard]] std::string render_table1(const ReportData& data);

}  // namespace kbench
