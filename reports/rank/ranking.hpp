// The agents of a run in order, each with its scores, their intervals and the ranks that it may
// have. Pure. Its caller sees to it that rows may be compared: of one device, precision class,
// profile, size and protocol.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/facts/model.hpp"
#include "reports/rank/estimates.hpp"
#include "reports/rank/score.hpp"

namespace kbench {

struct ScoreValue {
  double estimate = 0;
  double low = 0;  // low end of the 95 % interval; the estimate where none is computed
  double high = 0;
  int tasks = 0;  // tasks that count in the score
  // Ranks by this score alone, as those of AgentScore; 0 where there are none: without redrawings,
  // and for a median.
  int first_rank = 0;
  int last_rank = 0;
};

// Correct tasks of an agent without a ratio that counts, by the reason: no mean over that baseline
// has them.
struct LeftOut {
  int no_verdict = 0;
  int untimed = 0;    // nobody timed the baseline beside it, or with too few blocks for a ratio
  int uncounted = 0;  // it has a verdict and does not count, for a reason of its own
};

struct AgentScore {
  // An agent is surely better than another if its sure fast_1 over eager, and where both are equal
  // its mean over eager, is the larger one in 97.5 % of redrawings of the tasks. Its first rank is
  // one more than the number of those surely better than it, its last rank one more than the number
  // of those that it does not surely beat. Agents whose ranks overlap are not told apart. Both are
  // 0 where there are only estimates: those rank nobody.
  int first_rank = 0;
  int last_rank = 0;
  std::string agent;
  // Computes with torch: ranks among such alone, and stands behind all others.
  bool apart = false;
  int tasks = 0;      // ranked tasks of the run, the denominator
  int submitted = 0;  // tasks with a submission
  int correct = 0;    // tasks with a correct one
  int variants = 0;   // the most that it tried for one task
  std::array<std::optional<ScoreValue>, kScores> scores;
  std::array<LeftOut, 3> left_out;     // over eager, compiled and vendor
  std::optional<Estimates> estimates;  // there where nobody is ranked because there is no more

  [[nodiscard]] const std::optional<ScoreValue>& of(Score score) const {
    return scores.at(static_cast<std::size_t>(score));
  }
  [[nodiscard]] double value(Score score) const { return of(score) ? of(score)->estimate : 0; }
};

struct RankingOptions {
  VariantRule rule = VariantRule::kBest;
  double p = 1;             // threshold of the fast_p scores
  int redrawings = 10'000;  // 0: no interval but a median's, and only equal agents share a rank
};

// Agents, best first: by sure fast_1 over eager, then by their ranks, then by the mean over eager,
// then by name; where there are only estimates by those, and then by name. Those ranked apart come
// last. `rows` may be compared.
[[nodiscard]] std::vector<AgentScore> rank_agents(std::span<const ResultRow> rows,
                                                  const RankingOptions& options = {});

// "4 have no verdict, 1 has no compiled time"; empty where nothing is left out.
[[nodiscard]] std::string show_left_out(const LeftOut& left_out, std::string_view baseline);

// "1", "2–4"; "–" where no task counts, and for estimates.
[[nodiscard]] std::string show_ranks(const AgentScore& score);

}  // namespace kbench
