#include "reports/rank/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "reports/rank/bootstrap.hpp"
#include "reports/rank/contributions.hpp"
#include "runner/core/for_each_index.hpp"
#include "runner/core/statistics.hpp"
#include "runner/core/usable_cores.hpp"

namespace kbench {
namespace {

constexpr std::uint64_t kSeed = 20'100'517;  // any; the same for every report
constexpr double kSurely = 0.975;            // share of the redrawings
constexpr int kDrawnAtOnce = 1000;           // redrawings

using Task = std::pair<std::string, std::string>;  // task and size
using Key = std::pair<double, double>;             // sure fast_1, then the mean

// Scores in which a time of a solved task counts, and those in which one is left out.
struct Solved {
  std::array<bool, kScores> counts{};
  std::array<bool, kScores> left_out{};

  void add(const Outcome& outcome, const std::array<bool, kScores>& where) {
    if (!outcome.correct) return;
    contribute(&outcome, 0, 0, [&](Score score, double value) {
      const auto s = static_cast<std::size_t>(score);
      (std::isnan(value) ? left_out : counts)[s] |= where[s];
    });
  }
  // Something was solved and no time of it counts: what failed alone would make the score.
  [[nodiscard]] bool tells_nothing(std::size_t s) const { return left_out[s] && !counts[s]; }
};

// Tasks of which something counts, and the scores in which it does.
struct TaskField {
  std::map<Task, std::size_t> index;
  std::vector<std::array<bool, kScores>> counts;
  Solved solved;  // scores of anybody's solutions

  [[nodiscard]] std::size_t size() const { return counts.size(); }
};

// Whether rows of a task had what a score needs.
struct Measured {
  std::array<bool, kScores> had{};
  bool solved = false;  // a submission solved it
  bool failed = false;  // a submission, which ended its evaluation before anything was timed
  bool tried = false;   // a submission tried it
};

// A task on which submissions only failed counts as well, in what there is elsewhere: nobody timed
// its baselines because of them. One without any submission has baselines and no limit, and counts
// as far from it: else an agent would gain by submitting less.
std::array<bool, kScores> counted(const Measured& task, const std::array<bool, kScores>& anywhere) {
  std::array<bool, kScores> counts = task.had;
  for (std::size_t s = 0; s < kScores; ++s) {
    const Needs needs = score_kinds()[s].needs;
    // Whether a task is a call of a library is known of rows that got as far as asking.
    if (needs == Needs::kVendor) continue;
    if (!task.tried) counts[s] |= anywhere[s] && needs == Needs::kLimit;
    if (task.failed && !task.solved) counts[s] |= anywhere[s] || needs == Needs::kEager;
  }
  return counts;
}

TaskField field_of(std::span<const ResultRow> rows) {
  TaskField field;
  std::vector<Measured> measured;
  std::array<bool, kScores> anywhere{};
  for (const ResultRow& row : rows) {
    if (!row.ranked()) continue;
    const auto [at, fresh] = field.index.emplace(Task(row.task, row.size), measured.size());
    if (fresh) measured.push_back({});
    Measured& task = measured[at->second];
    for (std::size_t s = 0; s < kScores; ++s) {
      task.had[s] |= has(row, score_kinds()[s].needs);
      anywhere[s] |= task.had[s];
    }
    if (!row.has_submission) continue;
    task.tried = true;
    task.solved |= row.counts_as_correct();
    task.failed |= row.fault == Fault::kSubmission;
  }
  for (const Measured& task : measured) field.counts.push_back(counted(task, anywhere));
  for (const ResultRow& row : rows)
    if (row.ranked() && row.has_submission)
      field.solved.add(outcome_of(row), field.counts[field.index.at({row.task, row.size})]);
  return field;
}

// An agent's results that count, by the field's tasks; no outcome: nothing submitted.
struct Contestant {
  AgentScore score;
  std::vector<std::vector<Outcome>> outcomes;
  std::vector<bool> left_out;  // tasks with a submission that was not judged
};

std::vector<Outcome> outcomes_of(const Standing& standing) {
  std::vector<Outcome> outcomes;
  for (const ResultRow* row : standing.rows)
    if (row->ranked()) outcomes.push_back(outcome_of(*row, standing.best_of));
  return outcomes;
}

bool nobody_judged(const Standing& standing) {
  return std::none_of(standing.rows.begin(), standing.rows.end(),
                      [](const ResultRow* row) { return row->credit.judged; });
}

// Notes for each baseline whether a task that was solved has no ratio over it, and why.
void add_left_out(AgentScore& score, const Standing& standing) {
  const std::array<Side, 3> sides{Side::kEager, Side::kCompiled, Side::kVendor};
  for (std::size_t s = 0; s < sides.size(); ++s) {
    const ResultRow* solved = nullptr;
    bool has_ratio = false;
    for (const ResultRow* row : standing.rows) {
      if (!row->ranked() || !row->counts_as_correct()) continue;
      solved = row;
      const Speedup* ratio = row->credited(sides[s]);
      has_ratio = has_ratio || (ratio != nullptr && ratio->low > 0);
    }
    if (solved == nullptr || has_ratio) continue;
    LeftOut& left_out = score.left_out.at(s);
    const auto& ratio = solved->over(sides[s]);
    const bool counts = solved->credit.uncredited.empty();
    ++(counts || !ratio                   ? left_out.untimed
       : ratio->verdict == Verdict::kNone ? left_out.no_verdict
                                          : left_out.uncounted);
  }
}

Contestant contestant_of(std::span<const ResultRow> rows, const TaskField& field,
                         const std::string& agent, VariantRule rule) {
  Contestant made;
  made.score.agent = agent;
  made.score.tasks = static_cast<int>(field.size());
  made.outcomes.resize(field.size());
  made.left_out.resize(field.size());
  for (const Standing& standing : standings(rows, agent, rule)) {
    const ResultRow& first = *standing.rows.front();
    made.score.apart = first.ranked_apart();
    const auto task = field.index.find({first.task, first.size});
    if (task == field.index.end()) continue;  // nothing ranks there
    std::vector<Outcome> outcomes = outcomes_of(standing);
    if (outcomes.empty()) {
      made.left_out[task->second] = nobody_judged(standing);
      made.score.tasks -= made.left_out[task->second] ? 1 : 0;
      continue;
    }
    ++made.score.submitted;
    made.score.correct += std::any_of(outcomes.begin(), outcomes.end(),
                                      [](const Outcome& outcome) { return outcome.correct; });
    add_left_out(made.score, standing);
    made.score.variants = std::max(made.score.variants, standing.variants);
    made.outcomes[task->second] = std::move(outcomes);
  }
  return made;
}

double from_mean(Aggregate aggregate, double mean) {
  return aggregate == Aggregate::kGeometricMean ? std::exp(mean) : mean;
}

using Numbers = std::array<double, kScores>;

// Sums of what tasks contribute, and of how many.
struct Sums {
  Numbers sum{};
  Numbers count{};

  [[nodiscard]] std::optional<double> score(std::size_t s) const {
    if (count[s] == 0) return std::nullopt;
    return from_mean(score_kinds()[s].aggregate, sum[s] / count[s]);
  }
};

bool is_share(const ScoreKind& kind) {
  return kind.aggregate == Aggregate::kMean && kind.score != Score::kMilestone;
}

bool is_timed(const Outcome& outcome) { return outcome.eager || outcome.compiled; }

// An agent's share in one task: its variants together weigh as much as one alone.
class TaskShare {
 public:
  TaskShare(std::span<const Outcome> outcomes, const std::array<bool, kScores>& counts,
            double log_p)
      : outcomes_(outcomes), log_p_(log_p) {
    Numbers contributing{};
    each(
        [&](Score score, double value) {
          contributing[static_cast<std::size_t>(score)] += std::isnan(value) ? 0 : 1;
        },
        no_luck);
    for (std::size_t s = 0; s < kScores; ++s) {
      count_[s] = counts[s] && contributing[s] > 0 ? 1 : 0;
      weight_[s] = count_[s] > 0 ? 1 / contributing[s] : 0;
    }
    timed_ = std::any_of(outcomes.begin(), outcomes.end(), is_timed);
    add_to(middle_, no_luck);
  }

  // The sums without luck: a mean over variants, as much of it as counts.
  [[nodiscard]] const Sums& middle() const { return middle_; }

  // Adds a task's share; called some ten million times for a page. `luck()` is asked only where
  // there is a time to be moved.
  template <typename Luck>
  void add_to(Sums& sums, Luck luck) const {
    each(
        [&](Score score, double value) {
          const auto s = static_cast<std::size_t>(score);
          sums.sum[s] += std::isnan(value) ? 0 : value * weight_[s];
        },
        [&] { return timed_ ? luck() : 0.0; });
    for (std::size_t s = 0; s < kScores; ++s) sums.count[s] += count_[s];
  }

  static double no_luck() { return 0; }

 private:
  template <typename Take, typename Luck>
  void each(Take take, Luck luck) const {
    if (outcomes_.empty()) contribute(nullptr, log_p_, 0, take);
    for (const Outcome& outcome : outcomes_) contribute(&outcome, log_p_, luck(), take);
  }

  std::span<const Outcome> outcomes_;
  double log_p_;
  bool timed_ = false;
  Numbers weight_{};  // weight of each variant in each score; 0: the task has no part
  Numbers count_{};   // 1 or 0: whether the task has a part
  Sums middle_;
};

// All scores of one agent, and what redrawings make of them.
class Scorer {
 public:
  // `number` tells agents apart.
  Scorer(const Contestant& contestant, const TaskField& field, double log_p, std::size_t number)
      : field_(field.solved), luck_(kSeed + 1 + number) {
    static const std::array<bool, kScores> kInNone{};
    for (std::size_t task = 0; task < field.size(); ++task) {
      const auto& counts = contestant.left_out[task] ? kInNone : field.counts[task];
      tasks_.emplace_back(contestant.outcomes[task], counts, log_p);
      tasks_.back().add_to(sums_, TaskShare::no_luck);
      for (const Outcome& outcome : contestant.outcomes[task]) solved_.add(outcome, counts);
    }
  }

  // Every agent meets the same tasks in each redrawing, so that they can be compared in pairs; its
  // luck is its own. `drawn` has as many tasks for each redrawing as there are.
  void redraw(std::span<const std::uint32_t> drawn) {
    for (; !drawn.empty(); drawn = drawn.subspan(tasks_.size())) {
      Sums sums;
      for (const std::uint32_t task : drawn.first(tasks_.size()))
        tasks_[task].add_to(sums, [this] { return luck_.luck(); });
      for (std::size_t s = 0; s < kScores; ++s) redrawn_[s].push_back(sums.score(s).value_or(0));
    }
  }

  // The key that ranks are by in the sample.
  [[nodiscard]] Key key() const {
    const auto mean = static_cast<std::size_t>(Score::kMeanEager);
    const auto sure = static_cast<std::size_t>(Score::kSureFastEager);
    return {sums_.score(sure).value_or(0),
            is_unknown(mean) ? std::exp(kLeastLog) : sums_.score(mean).value_or(0)};
  }

  // How often this one is the better one by a score, and how often the other one is, in so many
  // redrawings. Equal shares of sure tasks are told apart by the mean over the same baseline; a
  // mean that is not known is that of failures alone.
  [[nodiscard]] std::pair<int, int> wins(const Scorer& other, std::size_t s, int redrawings) const {
    const std::optional<std::size_t> mean = tie_break(s);
    const double least = std::exp(kLeastLog);
    const auto key_of = [&](const Scorer& one, bool is_known, std::size_t i) -> Key {
      return {one.redrawn_[s][i], !mean ? 0 : is_known ? one.redrawn_[*mean][i] : least};
    };
    const bool known = mean && !is_unknown(*mean);
    const bool other_known = mean && !other.is_unknown(*mean);
    std::pair<int, int> won;
    for (std::size_t i = 0; i < static_cast<std::size_t>(redrawings); ++i) {
      const Key own = key_of(*this, known, i);
      const Key others = key_of(other, other_known, i);
      won.first += own > others ? 1 : 0;
      won.second += others > own ? 1 : 0;
    }
    return won;
  }

  [[nodiscard]] bool has_value(std::size_t s) const {
    return (is_share(score_kinds()[s]) || !is_unknown(s)) && sums_.count[s] > 0;
  }

  // Last, since it sorts the redrawings.
  std::optional<ScoreValue> value(std::size_t s) {
    const ScoreKind& kind = score_kinds()[s];
    if (!is_share(kind) && is_unknown(s)) return std::nullopt;
    if (kind.aggregate == Aggregate::kMedian) return median_value(s);
    const std::optional<double> estimate = sums_.score(s);
    if (!estimate) return std::nullopt;
    ScoreValue value{*estimate, *estimate, *estimate, static_cast<int>(sums_.count[s])};
    if (redrawn_[s].empty()) return value;
    const bool certain = is_share(kind) && (*estimate <= 0 || *estimate >= 1);
    const Bounds bounds = certain ? jeffreys_interval(*estimate >= 1, value.tasks)
                                  : bca_interval(*estimate, redrawn_[s], without(s));
    value.low = bounds.low;
    value.high = bounds.high;
    return value;
  }

 private:
  static std::optional<std::size_t> tie_break(std::size_t s) {
    switch (static_cast<Score>(s)) {
      case Score::kSureFastEager: return static_cast<std::size_t>(Score::kMeanEager);
      case Score::kSureFastCompiled: return static_cast<std::size_t>(Score::kMeanCompiled);
      case Score::kSureFastVendor: return static_cast<std::size_t>(Score::kMeanVendor);
      default: return std::nullopt;
    }
  }

  // Where no time counts, as on a device that was never calibrated, failures are no score.
  [[nodiscard]] bool is_unknown(std::size_t s) const {
    return solved_.tells_nothing(s) || (!solved_.counts[s] && field_.tells_nothing(s));
  }

  [[nodiscard]] std::vector<double> without(std::size_t s) const {
    std::vector<double> values;
    if (sums_.count[s] < 2) return values;
    for (const TaskShare& task : tasks_) {
      const Sums& own = task.middle();
      if (own.count[s] == 0) continue;
      const double mean = (sums_.sum[s] - own.sum[s]) / (sums_.count[s] - 1);
      values.push_back(from_mean(score_kinds()[s].aggregate, mean));
    }
    return values;
  }

  // With the tasks' own interval of the median, by their order: as for speed-ups within a row. Too
  // few tasks for 95 % bound a share by nothing.
  [[nodiscard]] std::optional<ScoreValue> median_value(std::size_t s) const {
    constexpr double kLeastConfidence = 0.95;
    std::vector<double> values;
    for (const TaskShare& task : tasks_)
      if (task.middle().count[s] > 0) values.push_back(task.middle().sum[s]);
    if (values.empty()) return std::nullopt;
    const int tasks = static_cast<int>(values.size());
    const double middle = median(values);
    const OrderInterval interval = median_interval(std::move(values));
    if (interval.confidence < kLeastConfidence)
      return ScoreValue{middle, 0, std::max(1.0, middle), tasks};
    return ScoreValue{middle, interval.low, interval.high, tasks};
  }

  std::vector<TaskShare> tasks_;
  Solved field_;   // scores of anybody's solutions
  Solved solved_;  // scores of this agent's
  Sums sums_;
  Redraw luck_;
  std::array<std::vector<double>, kScores> redrawn_;
};

// An agent without a known mean is not behind one who solved nothing.
Key order_of(const AgentScore& score) {
  const std::optional<ScoreValue>& mean = score.of(Score::kMeanEager);
  return {score.value(Score::kSureFastEager), mean ? mean->estimate : std::exp(kLeastLog)};
}

// Draws once for all agents, and not all at once: a large suite's would take hundreds of megabytes.
void redraw_all(std::vector<Scorer>& scorers, std::size_t tasks, int redrawings, int cores) {
  Redraw random(kSeed);
  for (int done = 0; done < redrawings; done += kDrawnAtOnce) {
    const int now = std::min(kDrawnAtOnce, redrawings - done);
    std::vector<std::uint32_t> drawn(tasks * static_cast<std::size_t>(now));
    random.tasks(tasks, drawn);
    for_each_index(scorers.size(), cores, [&](std::size_t a) { scorers[a].redraw(drawn); });
  }
}

// Ranks of agents by one score, first and last.
using Ranks = std::vector<std::pair<int, int>>;

// `together` tells whether two agents are compared; one that is compared with nobody is alone.
template <class Together>
Ranks ranks_by(const std::vector<Scorer>& scorers, std::size_t s, int redrawings,
               Together together) {
  Ranks ranks(scorers.size(), {1, 1});
  for (std::size_t a = 0; a < scorers.size(); ++a)
    for (std::size_t b = a + 1; b < scorers.size(); ++b) {
      if (!together(a, b)) continue;
      bool better = scorers[a].key() > scorers[b].key();
      bool worse = scorers[b].key() > scorers[a].key();
      if (redrawings > 0) {
        const auto [won, lost] = scorers[a].wins(scorers[b], s, redrawings);
        better = won >= kSurely * redrawings;
        worse = lost >= kSurely * redrawings;
      }
      ranks[b].first += better ? 1 : 0;
      ranks[a].first += worse ? 1 : 0;
      ranks[a].second += better ? 0 : 1;
      ranks[b].second += worse ? 0 : 1;
    }
  return ranks;
}

void order_by_estimates(std::vector<AgentScore>& ranking,
                        const std::map<std::string, Estimates>& estimates) {
  for (AgentScore& score : ranking) {
    score.first_rank = score.last_rank = 0;
    score.estimates = estimates.at(score.agent);
  }
  std::stable_sort(ranking.begin(), ranking.end(), [&](const AgentScore& a, const AgentScore& b) {
    if (a.apart != b.apart) return b.apart;
    return *b.estimates < *a.estimates;
  });
}

}  // namespace

std::vector<AgentScore> rank_agents(std::span<const ResultRow> rows,
                                    const RankingOptions& options) {
  const TaskField field = field_of(rows);
  std::vector<Contestant> contestants;
  for (const std::string& agent : agents_of(rows))
    contestants.push_back(contestant_of(rows, field, agent, options.rule));

  std::vector<Scorer> scorers;
  for (const Contestant& contestant : contestants)
    scorers.emplace_back(contestant, field, std::log(options.p), scorers.size());
  const int redrawings = field.size() == 0 ? 0 : options.redrawings;
  const auto cores = static_cast<int>(usable_cores().size());
  redraw_all(scorers, field.size(), redrawings, cores);

  std::vector<AgentScore> ranking;
  for (Contestant& contestant : contestants) ranking.push_back(std::move(contestant.score));
  const auto alike = [&](std::size_t a, std::size_t b) {
    return ranking[a].apart == ranking[b].apart;
  };
  const Ranks ranks =
      ranks_by(scorers, static_cast<std::size_t>(Score::kSureFastEager), redrawings, alike);
  for (std::size_t a = 0; a < ranking.size(); ++a)
    std::tie(ranking[a].first_rank, ranking[a].last_rank) = ranks[a];
  // Values sort the redrawings, which pairs are compared by: so first all ranks.
  std::array<Ranks, kScores> by_score;
  for_each_index(kScores, cores, [&](std::size_t s) {
    if (redrawings == 0 || score_kinds()[s].aggregate == Aggregate::kMedian) return;
    by_score[s] = ranks_by(scorers, s, redrawings, [&](std::size_t a, std::size_t b) {
      return alike(a, b) && scorers[a].has_value(s) && scorers[b].has_value(s);
    });
  });
  for_each_index(scorers.size(), cores, [&](std::size_t a) {
    for (std::size_t s = 0; s < kScores; ++s) {
      ranking[a].scores[s] = scorers[a].value(s);
      if (ranking[a].scores[s] && !by_score[s].empty())
        std::tie(ranking[a].scores[s]->first_rank, ranking[a].scores[s]->last_rank) =
            by_score[s][a];
    }
  });
  std::stable_sort(ranking.begin(), ranking.end(), [](const AgentScore& a, const AgentScore& b) {
    if (a.apart != b.apart) return b.apart;
    const auto [sure_a, mean_a] = order_of(a);
    const auto [sure_b, mean_b] = order_of(b);
    return std::tuple(sure_b, a.first_rank, a.last_rank, mean_b) <
           std::tuple(sure_a, b.first_rank, b.last_rank, mean_a);
  });
  if (const auto estimates = estimates_of(rows, options.rule); !estimates.empty())
    order_by_estimates(ranking, estimates);
  return ranking;
}

std::string show_left_out(const LeftOut& left_out, std::string_view baseline) {
  std::string text;
  const auto add = [&](int count, std::string_view one, std::string_view many) {
    if (count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, count == 1 ? one : many);
  };
  add(left_out.no_verdict, "has no verdict", "have no verdict");
  add(left_out.untimed, fmt::format("has no {} time", baseline),
      fmt::format("have no {} time", baseline));
  add(left_out.uncounted, "does not count", "do not count");
  return text;
}

std::string show_ranks(const AgentScore& score) {
  if (score.tasks == 0 || score.first_rank == 0) return "–";
  if (score.first_rank == score.last_rank) return fmt::format("{}", score.first_rank);
  return fmt::format("{}–{}", score.first_rank, score.last_rank);
}

}  // namespace kbench
