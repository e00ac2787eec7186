#include "reports/rank/score.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "reports/rank/best_of.hpp"
#include "runner/core/labels.hpp"

namespace kbench {
namespace {

// Words that scores share.
constexpr std::string_view kAgainstCompiled = "The same against the compiled baseline.";
constexpr std::string_view kAgainstVendor =
    "The same against one call of a vendor's library, where there is one.";
constexpr std::string_view kShareSurelyAbove = "#[correct ∧ low end > p] / N";
constexpr std::string_view kShareAbove = "#[correct ∧ x > p] / N";
constexpr std::string_view kMeanOverAll =
    "exp(Σ ln x′ / N), x′ = x clipped to [0.1, 100], 0.1 where missing";
constexpr std::string_view kMeanOverCorrect = "exp(Σ ln x / correct)";

constexpr std::array<ScoreKind, kScores> kKinds{{
    {Score::kCoverage, "coverage", "Submitted", Aggregate::kMean, Needs::kNothing,
     "Share of the tasks for which anything was handed in.", "submitted / N"},
    {Score::kCorrectness, "correctness", "Correct", Aggregate::kMean, Needs::kNothing,
     "Share of the tasks that were solved correctly.", "correct / N"},
    {Score::kSureFastEager, "sure_fast_1.eager", "Sure fast₁ vs eager", Aggregate::kMean,
     Needs::kEager,
     "Share of the tasks solved correctly and faster than eager for sure: the whole interval lies "
     "above p.",
     kShareSurelyAbove},
    {Score::kFastEager, "fast_1.eager", "fast₁ vs eager", Aggregate::kMean, Needs::kEager,
     "Share of the tasks solved correctly and faster than eager, by the estimate.", kShareAbove},
    {Score::kMeanEager, "mean.eager", "Mean vs eager", Aggregate::kGeometricMean, Needs::kEager,
     "Geometric mean of the speed-ups over eager over all tasks, where an unsolved task counts as "
     "0.1×.",
     kMeanOverAll},
    {Score::kCorrectMeanEager, "correct_mean.eager", "Mean vs eager, correct only",
     Aggregate::kGeometricMean, Needs::kEager,
     "Geometric mean of the speed-ups over eager of the correct tasks alone, as papers print it.",
     kMeanOverCorrect},
    {Score::kSureFastCompiled, "sure_fast_1.compiled", "Sure fast₁ vs compiled", Aggregate::kMean,
     Needs::kCompiled, kAgainstCompiled, kShareSurelyAbove},
    {Score::kFastCompiled, "fast_1.compiled", "fast₁ vs compiled", Aggregate::kMean,
     Needs::kCompiled, kAgainstCompiled, kShareAbove},
    {Score::kMeanCompiled, "mean.compiled", "Mean vs compiled", Aggregate::kGeometricMean,
     Needs::kCompiled, kAgainstCompiled, kMeanOverAll},
    {Score::kCorrectMeanCompiled, "correct_mean.compiled", "Mean vs compiled, correct only",
     Aggregate::kGeometricMean, Needs::kCompiled, kAgainstCompiled, kMeanOverCorrect},
    {Score::kSureFastVendor, "sure_fast_1.vendor", "Sure fast₁ vs vendor", Aggregate::kMean,
     Needs::kVendor, kAgainstVendor, kShareSurelyAbove},
    {Score::kFastVendor, "fast_1.vendor", "fast₁ vs vendor", Aggregate::kMean, Needs::kVendor,
     kAgainstVendor, kShareAbove},
    {Score::kMeanVendor, "mean.vendor", "Mean vs vendor", Aggregate::kGeometricMean, Needs::kVendor,
     kAgainstVendor, kMeanOverAll},
    {Score::kCorrectMeanVendor, "correct_mean.vendor", "Mean vs vendor, correct only",
     Aggregate::kGeometricMean, Needs::kVendor, kAgainstVendor, kMeanOverCorrect},
    {Score::kShareOfLimit, "share_of_limit", "Of the limit", Aggregate::kMedian, Needs::kLimit,
     "How near the kernels come to what the device can do: the median over tasks of the least "
     "possible time over theirs.",
     "median(limit / time), 0 where missing"},
    {Score::kMilestone, "milestone", "Milestones", Aggregate::kMean, Needs::kEager,
     "Mean reward: −1 for wrong or missing, 1 for correct, 2 for 5 % less time than eager, 3 for "
     "5 % less than both baselines.",
     "Σ r / N, r ∈ {−1, 1, 2, 3}"},
}};

// A judged row goes before one that is not, a correct one before an incorrect one, a timed one
// before an untimed one, then the one with the better low end.
std::tuple<bool, bool, double> goodness(const ResultRow& row) {
  const Speedup* ratio = row.credited(Side::kEager);
  return {row.credit.judged, row.counts_as_correct(), ratio ? ratio->low : 0};
}

// Whether another run of the group had answered the request: the row counts where no other does.
bool is_again(const ResultRow& row) { return has_label(row.labels, kAgainLabel); }

// Whether a variant takes the place of the one that was chosen before it.
bool counts_more(const ResultRow& row, const ResultRow& chosen, VariantRule rule) {
  if (is_again(row) != is_again(chosen)) return is_again(chosen);
  return rule == VariantRule::kFirst ? row.submission < chosen.submission
                                     : goodness(row) > goodness(chosen);
}

bool is_of(const ResultRow& row, const std::string& agent) {
  return row.has_submission && row.ranked_as() == agent && row.state != State::kSkipped;
}

std::optional<Outcome::Ratio> ratio_of(const Speedup* ratio, std::size_t best_of) {
  if (ratio == nullptr || !(ratio->low > 0)) return std::nullopt;
  Outcome::Ratio made;
  made.log = std::log(ratio->estimate);
  made.log_low = std::log(ratio->low);
  made.deviation = (std::log(ratio->high) - made.log_low) / (2 * kNormal95);
  made.log_low -= widening(best_of) * made.deviation;
  made.sure = ratio->verdict != Verdict::kNone;
  return made;
}

}  // namespace

int count_tasks(std::span<const ResultRow> rows) {
  std::set<std::pair<std::string, std::string>> tasks;
  for (const ResultRow& row : rows) tasks.emplace(row.task, row.size);
  return static_cast<int>(tasks.size());
}

int count_ranked_tasks(std::span<const ResultRow> rows) {
  std::set<std::pair<std::string, std::string>> tasks;
  for (const ResultRow& row : rows)
    if (row.ranked()) tasks.emplace(row.task, row.size);
  return static_cast<int>(tasks.size());
}

std::vector<std::string> agents_of(std::span<const ResultRow> rows) {
  std::set<std::string> agents;
  for (const ResultRow& row : rows)
    if (is_of(row, row.ranked_as())) agents.insert(row.ranked_as());
  return {agents.begin(), agents.end()};
}

std::vector<Standing> standings(std::span<const ResultRow> rows, const std::string& agent,
                                VariantRule rule) {
  std::vector<Standing> found;
  std::map<std::pair<std::string, std::string>, std::size_t> index;
  std::map<std::size_t, std::size_t> chosen_from;
  for (const ResultRow& row : rows) {
    if (!is_of(row, agent)) continue;
    const auto [at, fresh] = index.emplace(std::pair(row.task, row.size), found.size());
    if (!fresh && is_again(row)) continue;
    if (fresh) found.emplace_back();
    Standing& standing = found[at->second];
    if (!fresh && is_again(*standing.rows[0])) {
      standing = {};
      chosen_from.erase(at->second);
    }
    ++standing.variants;
    // Luck in its times can make it the best.
    if (row.credited(Side::kEager) != nullptr) ++chosen_from[at->second];
    if (standing.rows.empty() || rule == VariantRule::kMean) {
      standing.rows.push_back(&row);
    } else if (counts_more(row, *standing.rows[0], rule)) {
      standing.rows[0] = &row;
    }
  }
  if (rule == VariantRule::kBest)
    for (const auto& [at, count] : chosen_from) found[at].best_of = count;
  return found;
}

const ResultRow* best_row(std::span<const ResultRow> rows, const std::string& agent,
                          const std::string& task, const std::string& size, VariantRule rule) {
  const ResultRow* best = nullptr;
  for (const ResultRow& row : rows) {
    if (!is_of(row, agent) || row.task != task || row.size != size) continue;
    if (best == nullptr || counts_more(row, *best, rule)) best = &row;
  }
  return best;
}

Outcome outcome_of(const ResultRow& row, std::size_t best_of) {
  Outcome outcome;
  if (!row.counts_as_correct()) return outcome;
  outcome.correct = true;
  outcome.eager = ratio_of(row.credited(Side::kEager), best_of);
  outcome.compiled = ratio_of(row.credited(Side::kCompiled), best_of);
  outcome.has_vendor = row.vendor.median_ns.has_value();
  outcome.vendor = ratio_of(row.credited(Side::kVendor), best_of);
  if (row.credit.uncredited.empty()) outcome.share_of_limit = row.share_of_limit(Side::kSubmission);
  return outcome;
}

std::span<const ScoreKind, kScores> score_kinds() { return kKinds; }

const ScoreKind& kind_of(Score score) { return kKinds.at(static_cast<std::size_t>(score)); }

bool has(const ResultRow& row, Needs what) {
  switch (what) {
    case Needs::kNothing: return true;
    case Needs::kEager: return row.eager.median_ns.has_value();
    case Needs::kCompiled: return row.compiled.median_ns.has_value();
    case Needs::kVendor: return row.vendor.median_ns.has_value();
    case Needs::kLimit: return row.share_of_limit(Side::kSubmission).has_value();
  }
  return false;
}

}  // namespace kbench
