#include "runner/analysis/clock_checks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>

#include "runner/analysis/speedup.hpp"
#include "runner/core/statistics.hpp"

namespace kbench {
namespace {

constexpr std::array kPlanted{
    Planted{"equal_a", 100, 0, "relu"},
    Planted{"equal_b", 100, 0, "the same file under another name"},
    Planted{"slower_2", 102, 0, "2 % slower"},
    Planted{"slower_5", 105, 0, "5 % slower"},
    Planted{"twice", 200, 0, "half as fast"},
    Planted{"spin_4ms", 100, 4000, "4 ms longer"},
};

const Evaluation* find(const std::vector<Evaluation>& run, std::string_view variant) {
  const auto found = std::find_if(run.begin(), run.end(), [&](const Evaluation& evaluation) {
    return evaluation.submission && evaluation.submission->variant == variant &&
           evaluation.state == State::kOk;
  });
  return found == run.end() ? nullptr : &*found;
}

// How much longer `other` took than `first`; eager, which both ran beside, is the common scale.
std::optional<LogRatio> longer(const Evaluation& other, const Evaluation& first) {
  const auto a = log_speedup(first.samples, Side::kEager);
  const auto b = log_speedup(other.samples, Side::kEager);
  if (!a || !b) return std::nullopt;
  return LogRatio{a->estimate - b->estimate, std::hypot(a->half_width, b->half_width)};
}

ClockCheck judge(ClockCheck check, const std::vector<LogRatio>& seen, std::string_view device) {
  std::vector<double> relative;
  for (const LogRatio& one : seen) {
    relative.push_back(std::expm1(one.estimate));
    check.found += std::abs(one.estimate) > one.half_width ? 1 : 0;
  }
  check.runs = static_cast<int>(seen.size());
  check.deviation = std::sqrt(variance(relative));
  check.seen = median(std::move(relative));
  check.passed = std::abs(check.bias()) <= largest_bias(device) * (1 + check.expected);
  return check;
}

// Whether two rows of a run are compared, and not a row with a baseline.
bool compares_rows(const ClockCheck& check) {
  return std::any_of(kPlanted.begin(), kPlanted.end(),
                     [&](const Planted& planted) { return planted.variant == check.name; });
}

// Expected excess over 1: the planted percentage, or the planted spin relative to relu's time.
double expected_of(const Planted& planted, double relu_ns) {
  return (planted.percent - 100) / 100.0 + 1000.0 * planted.spin_us / relu_ns;
}

}  // namespace

std::span<const Planted> planted() { return kPlanted; }

double largest_bias(std::string_view device) { return device == "cpu" ? 0.03 : 0.005; }

std::size_t expected_checks(std::string_view device) {
  return kPlanted.size() - 1 + (device == "cpu" ? 1 : 0);
}

std::vector<ClockCheck> check_clock(std::span<const std::vector<Evaluation>> runs,
                                    std::string_view device) {
  std::vector<ClockCheck> checks;
  for (const Planted& other : std::span(kPlanted).subspan(1)) {
    std::vector<LogRatio> seen;
    std::vector<double> relu_ns;
    for (const auto& run : runs) {
      const Evaluation* first = find(run, kPlanted.front().variant);
      const Evaluation* second = find(run, other.variant);
      if (!first || !second) continue;
      const auto difference = longer(*second, *first);
      const auto time = median_time_ns(first->samples, Side::kSubmission);
      if (!difference || !time) continue;
      seen.push_back(*difference);
      relu_ns.push_back(*time);
    }
    if (seen.empty()) continue;
    ClockCheck check{.name = std::string(other.variant), .what = std::string(other.what)};
    check.expected = expected_of(other, median(std::move(relu_ns)));
    checks.push_back(judge(std::move(check), seen, device));
  }
  if (device != "cpu") return checks;
  std::vector<LogRatio> seen;
  for (const auto& run : runs) {
    const Evaluation* first = find(run, kPlanted.front().variant);
    if (!first) continue;
    // Compiled over submission: above 1 the submission is quicker.
    if (auto ratio = log_speedup(first->samples, Side::kCompiled)) seen.push_back(*ratio);
  }
  if (!seen.empty())
    checks.push_back(judge({.name = "compiled", .what = "the compiled baseline, whose loop it has"},
                           seen, device));
  return checks;
}

double largest_failed_bias(std::span<const ClockCheck> checks) {
  double largest = 0;
  for (const ClockCheck& check : checks)
    if (!check.passed && compares_rows(check))
      largest = std::max(largest, std::abs(check.relative_bias()));
  return largest;
}

double between_rows(std::span<const ClockCheck> checks) {
  constexpr double kOfAMedian = std::numbers::pi / 2;  // variance of a median over that of a mean
  double excess = 0;
  int count = 0;
  for (const ClockCheck& check : checks) {
    if (!compares_rows(check) || check.runs == 0) continue;
    const double bias = check.relative_bias();
    const double deviation = check.deviation / (1 + check.expected);
    excess += bias * bias - kOfAMedian * deviation * deviation / check.runs;
    ++count;
  }
  // A check is the difference of two rows.
  return count == 0 ? 0 : std::sqrt(std::max(excess / count / 2, 0.0));
}

}  // namespace kbench
