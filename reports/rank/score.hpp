// The submissions of an agent that count, and the formulas of its scores: pure functions of result
// rows, computed on reading. The rule for what is missing is the same everywhere: a task that an
// agent did not solve counts as not faster, and as ten times slower in the geometric mean; only the
// mean over correct tasks leaves it out, and is never shown without their number (the formulas:
// contributions.hpp). Tasks that cannot tell right from wrong count nowhere. ranking.cpp adds
// intervals and ranks.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/facts/model.hpp"
#include "reports/facts/variant_rule.hpp"

namespace kbench {

// Number of different (task, size) pairs, and of those that are ranked.
[[nodiscard]] int count_tasks(std::span<const ResultRow> rows);
[[nodiscard]] int count_ranked_tasks(std::span<const ResultRow> rows);

// Names of those that submitted anything for this device, sorted. An agent whose Python submissions
// compute with torch is another contestant with these: ResultRow::ranked_as.
[[nodiscard]] std::vector<std::string> agents_of(std::span<const ResultRow> rows);

// The row of an agent that counts on one task.
struct Standing {
  std::vector<const ResultRow*> rows;  // never empty; one, but under VariantRule::kMean
  int variants = 0;                    // number of variants that the agent handed in
  std::size_t best_of = 1;             // number of rows from which a speed-up was chosen
};
// One for each task that the agent submitted to, in the order of the rows.
[[nodiscard]] std::vector<Standing> standings(std::span<const ResultRow> rows,
                                              const std::string& agent,
                                              VariantRule rule = VariantRule::kBest);

// The row that stands for an agent on one task: by kFirst the first one, else the best one, which
// under kMean is shown and not alone in counting. Null where it submitted nothing.
[[nodiscard]] const ResultRow* best_row(std::span<const ResultRow> rows, const std::string& agent,
                                        const std::string& task, const std::string& size,
                                        VariantRule rule = VariantRule::kBest);

// A row as the scores see it. Logarithms are natural.
struct Outcome {
  // The speed-up over one baseline, of a correct row.
  struct Ratio {
    double log = 0;
    double log_low = 0;    // low end of the 95 % interval
    double deviation = 0;  // standard, of the logarithm
    bool sure = false;     // the interval holds what it promises: the row has a verdict
  };
  bool correct = false;
  // The ratio over eager. Empty in a correct row whose speed-up does not count (credit.hpp): such a
  // task is left out of means, and is not faster in shares.
  std::optional<Ratio> eager;
  std::optional<Ratio> compiled;
  std::optional<Ratio> vendor;
  bool has_vendor = false;               // the vendor's library was timed beside it
  std::optional<double> share_of_limit;  // least possible time over its time
};
// `best_of`: it was chosen from so many (best_of.hpp).
[[nodiscard]] Outcome outcome_of(const ResultRow& row, std::size_t best_of = 1);

enum class Score {
  kCoverage,
  kCorrectness,
  kSureFastEager,  // the default order
  kFastEager,
  kMeanEager,
  kCorrectMeanEager,
  kSureFastCompiled,
  kFastCompiled,
  kMeanCompiled,
  kCorrectMeanCompiled,
  kSureFastVendor,
  kFastVendor,
  kMeanVendor,
  kCorrectMeanVendor,
  kShareOfLimit,
  kMilestone,
};
constexpr std::size_t kScores = 16;

// How a score is made of what each task contributes.
enum class Aggregate { kMean, kGeometricMean, kMedian };

// The facts of a task that a score needs; a task without them, for every agent, is left out of that
// score.
enum class Needs { kNothing, kEager, kCompiled, kVendor, kLimit };

struct ScoreKind {
  Score score;
  std::string_view name;     // name in JSON
  std::string_view heading;  // heading of a column
  Aggregate aggregate;
  Needs needs;
  std::string_view help;     // the score in words
  std::string_view formula;  // the formula as plain text
};
[[nodiscard]] std::span<const ScoreKind, kScores> score_kinds();
[[nodiscard]] const ScoreKind& kind_of(Score score);
[[nodiscard]] bool has(const ResultRow& row, Needs what);

}  // namespace kbench
