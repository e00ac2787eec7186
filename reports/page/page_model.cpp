#include "reports/page/page_model.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/fields.hpp"
#include "reports/facts/file_names.hpp"
#include "reports/facts/run_words.hpp"
#include "reports/facts/sanitize.hpp"

namespace kbench {
namespace {

auto board_key(const ResultRow& row) {
  return std::tie(row.device, row.precision, row.profile, row.size, row.protocol);
}

auto page_order(const ResultRow& row) {
  return std::tuple_cat(board_key(row), std::tie(row.level, row.task, row.agent, row.submission));
}

// Calls act(first, last) for each stretch of equal keys.
template <class Key, class Act>
void for_each_stretch(std::span<const ResultRow> rows, Key key, Act act) {
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first;
    while (last < rows.size() && key(rows[last]) == key(rows[first])) ++last;
    act(rows.subspan(first, last - first), first);
    first = last;
  }
}

PageScope make_scope(int level, std::span<const ResultRow> rows, VariantRule rule) {
  return {level, count_tasks(rows), count_ranked_tasks(rows), rank_agents(rows, {.rule = rule})};
}

PageTask make_task(std::span<const ResultRow> rows, std::size_t first,
                   const std::vector<std::string>& agents, VariantRule rule) {
  PageTask task{rows[0].task, rows[0].size, rows[0].level, first, rows, {}};
  for (const std::string& agent : agents)
    task.best.push_back(best_row(rows, agent, task.task, task.size, rule));
  return task;
}

PageBoard make_board(std::span<const ResultRow> rows, std::size_t offset, VariantRule rule) {
  PageBoard board{rows[0].device,
                  rows[0].precision,
                  rows[0].profile,
                  rows[0].size,
                  rows[0].protocol,
                  {},
                  {},
                  {}};
  board.scopes.push_back(make_scope(0, rows, rule));
  for (const AgentScore& score : board.scopes[0].ranking) board.agents.push_back(score.agent);
  if (rows.front().level != rows.back().level) {
    for_each_stretch(
        rows, [](const ResultRow& row) { return row.level; },
        [&](std::span<const ResultRow> level, std::size_t) {
          board.scopes.push_back(make_scope(level[0].level, level, rule));
        });
  }
  for_each_stretch(
      rows, [](const ResultRow& row) { return std::tie(row.level, row.task); },
      [&](std::span<const ResultRow> task, std::size_t first) {
        board.tasks.push_back(make_task(task, offset + first, board.agents, rule));
      });
  return board;
}

// Whether the blank-separated `words` contain this one.
bool has_word(std::string_view words, std::string_view word) {
  return fmt::format(" {} ", words).find(fmt::format(" {} ", word)) != std::string::npos;
}

template <class Predicate>
std::size_t count_rows(const PageModel& page, Predicate predicate) {
  return static_cast<std::size_t>(std::count_if(page.rows.begin(), page.rows.end(), predicate));
}

std::string of_rows(std::size_t count, const PageModel& page) {
  return fmt::format("{} of {} row{}", count, page.rows.size(), page.rows.size() == 1 ? "" : "s");
}

std::string chain_caution(const ChainFinding& chain) {
  switch (chain.state) {
    case ChainFinding::State::kHolds: return "";
    case ChainFinding::State::kChanged:
      return fmt::format("These rows were changed: {}.", chain.message);
    case ChainFinding::State::kUnchained:
    case ChainFinding::State::kUnchecked: break;
  }
  return fmt::format("Unverified: {}.", chain.message.empty()
                                            ? "nobody can tell whether these rows are as stored"
                                            : chain.message);
}

// The first two names and how many more; a list of fifty is no headline, nor is a name of a page.
std::string join_names(std::vector<std::string> names) {
  for (std::string& name : names) name = shorten(sanitize_line(name), 60);
  if (names.size() == 1) return names[0];
  if (names.size() == 2) return fmt::format("{} and {}", names[0], names[1]);
  return fmt::format("{}, {} and {} more", names[0], names[1], names.size() - 2);
}

// "3 of 4 tasks", "0 of 1 task"
std::string of_tasks(std::size_t some, int all) {
  return fmt::format("{} of {} task{}", some, all, all == 1 ? "" : "s");
}

// "57 % [41–73]"
std::string share_words(const std::optional<ScoreValue>& share) {
  const ScoreValue value = share.value_or(ScoreValue{});
  return fmt::format("{:.0f}\u00a0%\u00a0[{:.0f}–{:.0f}]", 100 * value.estimate, 100 * value.low,
                     100 * value.high);
}

// "the correct ones", "29 of the 33 correct ones"
std::string correct_ones(int some, int all) {
  return some < all ? fmt::format("{} of the {} correct ones", some, all) : "the correct ones";
}

// A remark in brackets.
std::string behind(const std::string& remark) {
  return remark.empty() ? "" : fmt::format(" ({})", remark);
}

// How fast what it solved is; empty if no time of it counts, or if so few do that redrawings of the
// tasks have none: those make the low end 0, which is no speed-up.
std::string mean_words(const AgentScore& agent) {
  const std::optional<ScoreValue>& mean = agent.of(Score::kCorrectMeanEager);
  if (!mean || !(mean->low > 0)) return "";
  const Speedup shown{
      .estimate = mean->estimate, .low = mean->low, .high = mean->high, .confidence = 1};
  return fmt::format("; geometric mean of {} {}{}", correct_ones(mean->tasks, agent.correct),
                     show_speedup(shown), behind(show_left_out(agent.left_out[0], "eager")));
}

// The words in front of estimates: the device was never calibrated, or what else took the verdicts
// of calibrated rows.
std::string why_by_estimate(bool calibrated, const std::set<std::string>& reasons) {
  if (!calibrated) return "Not calibrated, so nobody is ranked";
  return fmt::format("No speed-up has a verdict, so nobody is ranked{}{}",
                     reasons.size() == 1 ? ": " : "",
                     reasons.size() == 1 ? sanitize_line(*reasons.begin()) : "");
}

// Those that are faster than eager on the most tasks. Equals are named together: estimates without
// a verdict do not tell them apart.
std::string fastest_by_estimate(const std::vector<AgentScore>& ranking) {
  const AgentScore& first = *std::max_element(
      ranking.begin(), ranking.end(),
      [](const AgentScore& a, const AgentScore& b) { return *a.estimates < *b.estimates; });
  const Estimates& estimates = *first.estimates;
  const std::string mean =
      fmt::format("; geometric mean of {} about {}", correct_ones(estimates.timed, first.correct),
                  show_ratio(estimates.mean()));
  if (estimates.faster == 0)
    return fmt::format("nobody is faster than eager on any task; nearest is {}, correct on {}{}",
                       join_names({first.agent}),
                       of_tasks(static_cast<std::size_t>(first.correct), first.tasks), mean);
  std::vector<std::string> equals;
  for (const AgentScore& score : ranking)
    if (score.estimates->faster == estimates.faster) equals.push_back(score.agent);
  const std::string tasks = of_tasks(static_cast<std::size_t>(estimates.faster), first.tasks);
  if (equals.size() > 1)
    return fmt::format("{} are faster than eager on {} each", join_names(equals), tasks);
  return fmt::format("{} is faster than eager on {}, and correct on {}{}", join_names(equals),
                     tasks, first.correct, mean);
}

// A sentence for a board on which no time has a verdict, as on a device that was never calibrated:
// scores are all 0 there and give no ranks, but there are estimates. Empty for any other board.
std::string estimate_words(const PageBoard& board) {
  const std::vector<AgentScore>& ranking = board.scopes[0].ranking;
  if (!ranking[0].estimates) return "";
  bool calibrated = false;
  std::set<std::string> reasons;
  for (const PageTask& task : board.tasks)
    for (const ResultRow* row : task.best) {
      if (!row || !row->counts_as_correct() || !row->ranked() || !row->over_eager) continue;
      calibrated = calibrated || row->over_eager->calibrated;
      reasons.insert(row->no_verdict_kind);
    }
  return fmt::format("{}. By estimate {}.", why_by_estimate(calibrated, reasons),
                     fastest_by_estimate(ranking));
}

// A sentence for a board of which no task counts: with the reason, if there is only one.
std::string why_nobody_ranks(const PageBoard& board) {
  std::set<std::string> reasons;
  for (const PageTask& task : board.tasks)
    for (const ResultRow& row : task.rows) reasons.insert(row.credit.unranked);
  const std::string why = reasons.size() == 1 ? *reasons.begin() : "";
  return fmt::format("No task of this run counts in a score{}{}.", why.empty() ? "" : ": ",
                     sanitize_line(why));
}

}  // namespace

const ResultRow& PageTask::baselines() const {
  const auto tells = [](const ResultRow& row) {
    return std::tuple(row.baseline ? row.baseline->units : 0, row.compiled.median_ns.has_value(),
                      row.eager.median_ns.has_value());
  };
  return *std::max_element(rows.begin(), rows.end(), [&](const ResultRow& a, const ResultRow& b) {
    return tells(a) < tells(b);
  });
}

PageModel::PageModel(const ReportData& report) : data(report) {
  std::vector<ResultRow> derived;
  for (const Evaluation& evaluation : data.evaluations) derived.push_back(derive(data, evaluation));
  tell_files_apart(derived);
  std::vector<std::size_t> order(derived.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return page_order(derived[a]) < page_order(derived[b]);
  });
  for (const std::size_t i : order) {
    rows.push_back(std::move(derived[i]));
    evaluations.push_back(&data.evaluations[i]);
  }
  for_each_stretch(rows, board_key, [&](std::span<const ResultRow> board, std::size_t first) {
    boards.push_back(make_board(board, first, data.variants));
  });
}

std::vector<std::string> run_cautions_of(const PageModel& page) {
  std::vector<std::string> cautions;
  const std::string chain = chain_caution(page.data.chain);
  if (!chain.empty()) cautions.push_back(chain);
  if (page.data.group && is_in_part(*page.data.group))
    cautions.push_back(fmt::format("In part: {}.", fmt::join(group_sentences(page.data), "; ")));
  if (const std::string rerun = rerun_words(page.data.run); !rerun.empty())
    cautions.push_back(rerun + ".");
  if (const std::string doubtful = calibration_caution(page.data.run); !doubtful.empty())
    cautions.push_back(doubtful + ".");
  if (page.data.run.finished_at.empty())
    cautions.push_back("This run was not finished; more results may follow.");
  if (page.data.quick) {
    cautions.push_back(
        "Quick: the fewest blocks that give a ratio were timed; intervals are wide.");
  }
  return cautions;
}

// Redrawings of so few tasks hardly differ from the tasks themselves.
bool ranks_by_few_tasks(const PageBoard& board) {
  constexpr int kFewTasks = 10;
  const std::vector<AgentScore>& ranking = board.scopes[0].ranking;
  return ranking.size() > 1 && ranking[0].tasks < kFewTasks;
}

std::vector<std::string> cautions_of(const PageModel& page) {
  std::vector<std::string> cautions = run_cautions_of(page);
  const auto timed = [](const ResultRow& row) { return row.submitted.median_ns.has_value(); };
  if (const auto rows = count_rows(
          page, [&](const ResultRow& row) { return timed(row) && row.calibrated_at.empty(); })) {
    cautions.push_back(fmt::format("Uncalibrated: {} without a verdict. Run kbench calibrate once.",
                                   of_rows(rows, page)));
  }
  if (const auto rows = count_rows(
          page, [](const ResultRow& row) { return has_word(row.labels, "busy_machine"); })) {
    cautions.push_back(
        fmt::format("Busy: other programs kept the machine busy during {}.", of_rows(rows, page)));
  }
  if (std::any_of(page.boards.begin(), page.boards.end(), ranks_by_few_tasks))
    cautions.push_back(
        "Few tasks: a rank among them says little about other tasks. Rank agents by runs of whole "
        "levels.");
  return cautions;
}

std::string winners_of(const PageBoard& board) {
  const std::vector<AgentScore>& ranking = board.scopes[0].ranking;
  if (ranking.empty()) return "Nobody submitted anything: the run timed the baselines only.";
  if (ranking[0].tasks == 0) return why_nobody_ranks(board);
  const auto correct = std::find_if(ranking.begin(), ranking.end(),
                                    [](const AgentScore& score) { return score.correct > 0; });
  if (correct == ranking.end())
    return fmt::format("Nobody was correct on any of {} task{}.", ranking[0].tasks,
                       ranking[0].tasks == 1 ? "" : "s");
  // The first of those agents that rank together with the first correct one.
  const auto together = [&](const AgentScore& score) { return score.apart == correct->apart; };
  const AgentScore& lead = *std::find_if(ranking.begin(), ranking.end(), together);
  if (const auto estimated = estimate_words(board); !estimated.empty()) return estimated;
  std::vector<std::string> first;
  for (const AgentScore& score : ranking)
    if (score.first_rank == 1 && together(score)) first.push_back(score.agent);
  const auto& sure = lead.of(Score::kSureFastEager);
  const int counted = sure && sure->tasks > 0 ? sure->tasks : lead.tasks;
  const std::string share =
      fmt::format("surely faster than eager on {}{}", share_words(sure),
                  counted == lead.tasks || first.size() > 1
                      ? ""
                      : fmt::format(" of the {} with an eager time", counted));
  const std::string mean = mean_words(lead);
  if (first.size() > 1)
    return fmt::format("{} agents tie for first: {}. {} is {} of {} tasks{}.", first.size(),
                       join_names(first), join_names({lead.agent}), share, counted, mean);
  return fmt::format("{}{} correct on {}, {}{}.", join_names(first),
                     ranking.size() == 1 ? " is" : " ranks first:",
                     of_tasks(static_cast<std::size_t>(lead.correct), lead.tasks), share, mean);
}

}  // namespace kbench
