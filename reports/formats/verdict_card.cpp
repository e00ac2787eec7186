#include "reports/formats/verdict_card.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/sanitize.hpp"
#include "runner/analysis/speedup.hpp"
#include "runner/core/limit_basis.hpp"

namespace kbench {
namespace {

constexpr const char* kUnknown = "–";

std::string device_words(const ResultRow& row) {
  std::vector<std::string> words{sanitize_line(row.size), sanitize_line(row.device)};
  if (!row.device_name.empty()) words.push_back(sanitize_line(row.device_name));
  return fmt::format("{}", fmt::join(words, " · "));
}

CardBadge state_badge(const ResultRow& row) {
  if (row.judged_correct()) return {fmt::format("{} correct", glyph(row.state)), tone(row.state)};
  return {fmt::format("{} {}", glyph(row.state), words(row.state)), tone(row.state)};
}

CardBadge verdict_badge(const Speedup& speedup) {
  return {fmt::format("{} {}", glyph(speedup.verdict), to_string(speedup.verdict)),
          tone(speedup.verdict)};
}

// "▲ FASTER than eager": whoever reads only the first line takes it for more otherwise.
CardBadge verdict_badge(const Speedup& speedup, const char* side) {
  CardBadge badge = verdict_badge(speedup);
  const bool differs = speedup.verdict == Verdict::kFaster || speedup.verdict == Verdict::kSlower;
  const char* link = differs ? "than" : speedup.verdict == Verdict::kSame ? "as" : "over";
  badge.text += fmt::format(" {} {}", link, side);
  return badge;
}

// Doubts that keep a speed-up from a verdict, a word each.
std::vector<CardBadge> doubt_badges(const Doubts& doubts) {
  std::vector<CardBadge> badges;
  const auto add = [&](bool holds, const char* text) {
    if (holds) badges.push_back({fmt::format("– {}", text), Tone::kCaution});
  };
  add(doubts.uncalibrated, "timing not calibrated");
  add(doubts.busy, "busy machine");
  add(!doubts.too_short.empty(), "too short to time");
  add(doubts.too_few_blocks, "too few blocks");
  return badges;
}

std::vector<CardBadge> badges_of(const ReportData& data, const ResultRow& row,
                                 const Doubts& doubts) {
  std::vector<CardBadge> badges;
  if (row.credit.below_floor) badges.push_back({"⚑ below the floor", Tone::kCaution});
  if (row.counts_as_correct() && row.over_eager) {
    badges = doubt_badges(doubts);
    if (badges.empty()) {
      const bool alike = row.over_compiled && row.over_compiled->verdict == row.over_eager->verdict;
      badges.push_back(verdict_badge(*row.over_eager, alike ? "eager and compiled" : "eager"));
      if (row.over_compiled && !alike)
        badges.push_back(verdict_badge(*row.over_compiled, "compiled"));
    }
  }
  if (row.timed && !row.ranked()) badges.push_back({"not ranked", Tone::kCaution});
  if (row.calls_libraries) badges.push_back({"calls libraries", Tone::kCaution});
  if (row.unobserved) badges.push_back({"unobserved", Tone::kCaution});
  if (data.quick && row.over_eager) badges.push_back({"quick", Tone::kCaution});
  return badges;
}

CardFact correct_fact(const ResultRow& row, std::size_t draws) {
  CardFact fact{"Correct", kUnknown, "not judged", Tone::kNeutral};
  if (!row.correct) return fact;
  fact.value = *row.correct ? "yes" : "no";
  fact.tone = *row.correct ? Tone::kNeutral : Tone::kBad;
  fact.remark = draws == 0 ? "" : fmt::format("{} draw{} checked", draws, draws == 1 ? "" : "s");
  // The message, of the first wrong element, has the tolerance of that one.
  const bool is_nan = row.max_error && std::isnan(*row.max_error);
  if (is_nan) fact.remark += "; an element is nan";
  if (!is_nan && row.max_error && row.tolerance)
    fact.remark += fmt::format(
        fmt::runtime(
            *row.correct
                ? ", largest error {} of {} allowed"
                : "; the worst element of all draws is off by {}, and {} is allowed there"),
        show_error(*row.max_error), show_error(*row.tolerance));
  return fact;
}

std::string side_words(const char* side, const Timing& timing) {
  return timing.median_ns ? fmt::format("{} {} ms", side, show_ms(*timing.median_ns))
                          : fmt::format("{} {}", side, kUnknown);
}

// Whether two ratios differ by so much that a reader is surprised.
bool is_noticed(double ratio, const Speedup& speedup) {
  constexpr double kNoticed = 0.1;
  return std::abs(std::log(ratio / speedup.estimate)) > std::log1p(kNoticed);
}

// Beside the times: what they would give, divided by one another, where that lies outside of the
// speed-up's interval. Where it is far from the speed-up, a sentence below says so at length.
std::string beside_times(const ResultRow& row) {
  if (!row.counts_as_correct() || !row.over_eager || !row.eager.median_ns) return "";
  const double ratio = *row.eager.median_ns / *row.submitted.median_ns;
  const Speedup& speedup = *row.over_eager;
  const bool is_within = ratio >= speedup.low && ratio <= speedup.high;
  if (is_within || is_noticed(ratio, speedup)) return "";
  if (show_ratio(ratio) == show_ratio(speedup.estimate)) return "";
  return fmt::format("; medians that would give {} eager, but the speed-up is of ratios in blocks",
                     show_ratio(ratio));
}

CardFact time_fact(const ResultRow& row) {
  if (!row.submitted.median_ns)
    return {"Time", kUnknown, sanitize_line(row.submitted.reason), Tone::kNeutral};
  return {"Time", fmt::format("{} ms", show_ms(*row.submitted.median_ns)),
          fmt::format("{}, {}{}", side_words("eager", row.eager),
                      side_words("compiled", row.compiled), beside_times(row)),
          Tone::kNeutral};
}

CardFact speedup_fact(const char* name, const std::optional<Speedup>& speedup,
                      const Timing& baseline) {
  if (!speedup) return {name, kUnknown, sanitize_line(baseline.reason), Tone::kNeutral};
  const CardBadge verdict = verdict_badge(*speedup);
  return {name, show_speedup(speedup), verdict.text, verdict.tone};
}

// A share with what its interval leaves open, as parts of one.
struct ShareRange {
  double low = 0;
  double high = 0;
  bool has_interval = false;
};

// Eager's time over the ends of the speed-up's interval is the interval of the submission's time,
// and the limit over those is that of the share.
ShareRange limit_share_range(const ResultRow& row, double share) {
  if (!row.over_eager || !row.eager.median_ns || !(row.over_eager->low > 0))
    return {share, share, false};
  // A median over all blocks need not lie among the ratios within blocks.
  const double shortest =
      std::min(*row.eager.median_ns / row.over_eager->high, *row.submitted.median_ns);
  const double longest =
      std::max(*row.eager.median_ns / row.over_eager->low, *row.submitted.median_ns);
  const double limit = share * *row.submitted.median_ns;
  return {limit / longest, limit / shortest, true};
}

// "39 % [34–44]", "38.5 % [38.2–38.8]"; without a speed-up no interval. The page has the same for
// its bars (timeRange and showLimitShare).
std::string limit_share_words(const ResultRow& row, double share) {
  const ShareRange range = limit_share_range(row, share);
  if (!range.has_interval) return fmt::format("{:.{}f} %", 100 * share, share < 0.1 ? 1 : 0);
  // Else both ends may look equal.
  const int decimals = share < 0.1 || range.high - range.low < 0.02 ? 1 : 0;
  const double confidence = row.over_eager->confidence;
  return fmt::format("{:.{}f} % [{:.{}f}–{:.{}f}]{}", 100 * share, decimals, 100 * range.low,
                     decimals, 100 * range.high, decimals,
                     confidence < 0.95 ? fmt::format(" at {:.0f} %", 100 * confidence) : "");
}

// A calibration has two halves: "bytes, calibrated …" is the limits', and says nothing of timing.
std::string basis_words(std::string basis) {
  if (const auto at = calibrated_rates_in(basis); at != basis.npos) basis.insert(at, "limits ");
  return sanitize_line(basis);
}

CardFact limit_fact(const ResultRow& row) {
  CardFact fact{"Share of the limit", kUnknown, "the least time of a call is not known here",
                Tone::kNeutral};
  const auto share = row.share_of_limit(Side::kSubmission);
  if (!share) {
    if (!row.limit_basis.empty()) fact.remark = basis_words(row.limit_basis);
    return fact;
  }
  fact.value = limit_share_words(row, *share);
  fact.remark =
      fmt::format("the limit is {} ms a call", show_ms(*share * *row.submitted.median_ns));
  if (!row.limit_basis.empty()) fact.remark += fmt::format(" ({})", basis_words(row.limit_basis));
  const ShareRange range = limit_share_range(row, *share);
  if (range.low > 1 && row.prepare_ns)
    fact.remark += "; above 100 % since it counts parameters that kbench_prepare has read before";
  else if (range.high > 1)  // an interval cut off there would claim to be narrower than it is
    fact.remark += "; above 100 % since time and limit are both measured";
  return fact;
}

// Numbers of a submission that is not correct are not to be read as results.
std::vector<CardFact> facts_of(const ResultRow& row, std::size_t draws) {
  std::vector<CardFact> facts{correct_fact(row, draws)};
  if (!row.judged_correct()) return facts;
  facts.push_back(time_fact(row));
  if (!row.submitted.median_ns) return facts;
  if (row.counts_as_correct()) {
    facts.push_back(speedup_fact("Over eager", row.over_eager, row.eager));
    facts.push_back(speedup_fact("Over compiled", row.over_compiled, row.compiled));
    if (row.asked_for_vendor())
      facts.push_back(speedup_fact("Over vendor", row.over_vendor, row.vendor));
  }
  facts.push_back(limit_fact(row));
  return facts;
}

std::vector<std::string> numbers_of(const ResultRow& row) {
  std::vector<std::string> numbers;
  if (!row.counts_as_correct() || !row.submitted.median_ns) return numbers;
  numbers.push_back(fmt::format("{} ms", show_ms(*row.submitted.median_ns)));
  if (row.over_eager)
    numbers.push_back(fmt::format("{} eager", show_ratio(row.over_eager->estimate)));
  if (row.over_compiled)
    numbers.push_back(fmt::format("{} compiled", show_ratio(row.over_compiled->estimate)));
  return numbers;
}

// See data/docs/trust.md: five runs on a GPU, three on a CPU.
std::string calibration_time(const std::string& device) {
  return device == "cpu" ? "about ten minutes, once for this device"
                         : "about three minutes, once for this device";
}

// Says why the times on the card, divided by one another, give another number than the speed-up:
// the machine was restless.
std::string apart_from_times(const ResultRow& row) {
  std::vector<std::string> ratios;
  const auto add = [&](const char* side, const Timing& baseline,
                       const std::optional<Speedup>& speedup) {
    if (!speedup || !baseline.median_ns || !row.submitted.median_ns) return;
    const double ratio = *baseline.median_ns / *row.submitted.median_ns;
    if (is_noticed(ratio, *speedup))
      ratios.push_back(fmt::format("{} {}", show_ratio(ratio), side));
  };
  add("eager", row.eager, row.over_eager);
  add("compiled", row.compiled, row.over_compiled);
  if (ratios.empty()) return "";
  return fmt::format(
      "The times are medians over all blocks and would give {}. A speed-up is the median of ratios "
      "within blocks, whose sides were timed by turns: other programs disturb it less.",
      fmt::join(ratios, ", "));
}

std::vector<CardDoubt> doubts_of_row(const ResultRow& row, Doubts doubts) {
  std::vector<CardDoubt> sentences;
  if (doubts.uncalibrated) {
    const char* consequence =
        row.credit.estimate_trusted ? "counts by --trust-estimates alone" : "counts in no score";
    sentences.push_back(
        {fmt::format("No verdict: {}, and the speed-up {}.", kTimingNotCalibrated, consequence),
         has_calibrated_limits(row.limit_basis) ? "kbench calibrate --only timing"
                                                : "kbench calibrate",
         calibration_time(row.device)});
    doubts.uncalibrated = false;
  }
  if (doubts.any()) {
    sentences.push_back({fmt::format("No verdict: {}.", sanitize_line(doubts.words())), "", ""});
    if (doubts.busy) {
      sentences.back().command = "kbench compare --remeasure";
      sentences.back().remark = "still compares two tries on a busy machine";
    }
  }
  if (row.no_verdict.empty() && !row.credit.uncredited.empty())
    sentences.push_back(
        {fmt::format("Not counted: {}.", sanitize_line(row.credit.uncredited)), "", ""});
  if (row.timed && !row.ranked())
    sentences.push_back(
        {fmt::format("Not ranked: {}.", sanitize_line(row.credit.unranked)), "", ""});
  if (row.calls_libraries)
    sentences.push_back(
        {fmt::format("Ranked separately: it computes with {}.", sanitize_line(row.torch_operators)),
         "", ""});
  if (row.counts_as_correct())
    if (const std::string apart = apart_from_times(row); !apart.empty())
      sentences.push_back({apart, "", ""});
  return sentences;
}

}  // namespace

VerdictCard card_of(const ReportData& data, const Evaluation& evaluation) {
  const ResultRow row = derive(data, evaluation);
  const bool was_timed = row.submitted.median_ns.has_value();
  const Doubts doubts = was_timed ? doubts_of(evaluation) : Doubts{};
  VerdictCard card;
  card.task = sanitize_line(row.task);
  card.submission = sanitize_line(row.submission);
  card.place = device_words(row);
  card.state = state_badge(row);
  card.numbers = numbers_of(row);
  card.badges = badges_of(data, row, doubts);
  card.facts = facts_of(row, evaluation.checks.size());
  card.message = sanitize_text(row.message);
  card.hint = sanitize_line(row.hint);
  card.doubts = doubts_of_row(row, row.counts_as_correct() ? doubts : Doubts{});
  return card;
}

std::optional<VerdictCard> verdict_card(const ReportData& data) {
  if (data.evaluations.size() != 1 || !data.evaluations.front().submission) return std::nullopt;
  return card_of(data, data.evaluations.front());
}

std::string card_title(const VerdictCard& card) {
  std::string title = card.state.text;
  for (const std::string& number : card.numbers) title += " · " + number;
  return title;
}

}  // namespace kbench
