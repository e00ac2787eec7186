// Scores of agents over the tasks of one run: pure functions of result rows, computed on reading.
// The rule for what is missing is the same everywhere: a task of the run that an agent did not
// solve counts in the denominator of fast_p and of the coverage, and cannot enter the geometric
// mean, which is therefore never shown without its coverage. Tasks that cannot tell right from
// wrong count nowhere. Used by the console and HTML reports.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/model.hpp"

namespace kbench {

// Why the task of an evaluation counts in no score; empty where it does. A task whose output does
// not depend on its inputs cannot tell a kernel that works from one that writes zeros: it ranks
// nobody. Its file may say so itself (stored with the row), or lint found out about the very
// content that was evaluated (`lint`, null without a record), whether or not the task accepts the
// flaw.
[[nodiscard]] std::string why_unranked(const Evaluation& evaluation, const LintRecord* lint);

// The speed-up of a row over a baseline (Side::kEager or Side::kCompiled); empty unless the row
// counts as correct and its task is ranked.
[[nodiscard]] std::optional<double> scored_speedup(const ResultRow& row, Side baseline);

// Number of different (task, size) pairs, and of those that are ranked.
[[nodiscard]] int count_tasks(std::span<const ResultRow> rows);
[[nodiscard]] int count_ranked_tasks(std::span<const ResultRow> rows);

// Names of the agents that submitted anything, sorted.
[[nodiscard]] std::vector<std::string> agents_of(std::span<const ResultRow> rows);

// The row that stands for an agent on one task: among its variants the correct one with the largest
// speed-up over eager, else any correct one, else the first. Null where it submitted nothing.
[[nodiscard]] const ResultRow* best_row(std::span<const ResultRow> rows, const std::string& agent,
                                        const std::string& task, const std::string& size);

// One agent's standing rows: best_row for every task it submitted to.
[[nodiscard]] std::vector<const ResultRow*> best_rows(std::span<const ResultRow> rows,
                                                      const std::string& agent);

// Share of `tasks` tasks that are correct and more than `p` times as fast as the baseline, after
// Ouyang et al., "KernelBench: Can LLMs Write Efficient GPU Kernels?", 2025, section 3.3. 0 for no
// tasks.
[[nodiscard]] double fast_p(std::span<const ResultRow* const> best, int tasks, Side baseline,
                            double p);

// Geometric mean of the speed-ups over the correct tasks only; empty without any.
[[nodiscard]] std::optional<double> geometric_mean(std::span<const ResultRow* const> best,
                                                   Side baseline);

struct AgentScore {
  int rank = 0;  // 1 is best; equal scores share a rank
  std::string agent;
  int tasks = 0;      // ranked tasks of the run, the denominator
  int submitted = 0;  // tasks with a submission
  int correct = 0;    // tasks with a correct one
  double fast_1_eager = 0;
  double fast_1_compiled = 0;
  std::optional<double> mean_eager;  // geometric means
  std::optional<double> mean_compiled;
};

// Best first: by fast_1 over eager, then by the geometric mean over eager.
[[nodiscard]] std::vector<AgentScore> rank_agents(std::span<const ResultRow> rows);

}  // namespace kbench
