#include "runner/analysis/least_time.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runner/analysis/speedup.hpp"

namespace kbench {
namespace {

// Part of a baseline's memory traffic that a kernel needs at least: floor_ns() grants as much.
constexpr double kBaselineShare = 0.8;

std::optional<double> time_of(const Evaluation& evaluation, Side side) {
  return median_time_ns(evaluation.samples, side);
}

}  // namespace

std::optional<double> least_time_ns(const Evaluation& evaluation) {
  std::optional<double> least = evaluation.floor_ns;
  if (!least) return std::nullopt;
  for (const Side baseline : {Side::kEager, Side::kCompiled})
    if (const auto time = time_of(evaluation, baseline))
      least = std::min(*least, kBaselineShare * *time);
  return least;
}

bool is_below_floor(const Evaluation& evaluation) {
  const auto time = time_of(evaluation, Side::kSubmission);
  const auto least = least_time_ns(evaluation);
  return time && least && *time < *least;
}

std::string below_floor_words(const Evaluation& evaluation) {
  return fmt::format("{:.4f} ms a call, and the device needs at least {:.4f} ms",
                     time_of(evaluation, Side::kSubmission).value_or(0) * 1e-6,
                     least_time_ns(evaluation).value_or(0) * 1e-6);
}

}  // namespace kbench
