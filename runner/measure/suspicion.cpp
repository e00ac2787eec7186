#include "runner/measure/suspicion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/analysis/keep.hpp"
#include "runner/analysis/least_time.hpp"
#include "runner/analysis/speedup.hpp"
#include "runner/core/defence.hpp"
#include "runner/core/labels.hpp"

namespace kbench {
namespace {

constexpr double kTooFast = 10;

std::optional<double> time_of(const Evaluation& evaluation, Side side = Side::kSubmission) {
  return median_time_ns(evaluation.samples, side);
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

void discount(Evaluation& evaluation) {
  for (Attempt& attempt : evaluation.attempts) attempt.counts = false;
  append(evaluation.set_aside, evaluation.samples);
  append(evaluation.set_aside, evaluation.alone);
  evaluation.samples.clear();
  evaluation.alone.clear();
}

// Attempts are numbered through: those of the second measurement come after those of the first.
void number_after(const Evaluation& first, Evaluation& second) {
  const auto before = static_cast<int>(first.attempts.size());
  for (auto* samples : {&second.samples, &second.alone, &second.set_aside})
    for (Sample& sample : *samples) sample.attempt += before;
  for (Block& block : second.blocks) block.attempt += before;
}

template <class T>
void prepend(std::vector<T>& to, const std::vector<T>& before) {
  to.insert(to.begin(), before.begin(), before.end());
}

// The second measurement with all that the first has. Where both count, blocks and placements are
// numbered on.
Evaluation together(Evaluation first, bool first_counts, Evaluation second, bool second_counts) {
  number_after(first, second);
  if (!first_counts) discount(first);
  if (!second_counts) discount(second);
  prepend(second.attempts, first.attempts);
  const int blocks = first.samples.empty() ? 0 : first.samples.back().block + 1;
  for (Block& block : second.blocks)
    if (second.attempts[static_cast<std::size_t>(block.attempt)].counts) block.block += blocks;
  second.samples = joined(first.samples, second.samples);
  prepend(second.alone, first.alone);
  prepend(second.set_aside, first.set_aside);
  prepend(second.blocks, first.blocks);
  return second;
}

// Time of the second measurement at the pace of the first one. A machine may become slower or
// faster as a whole, and then eager does too.
double at_pace_of(const Evaluation& first, const Evaluation& second) {
  const double again = time_of(second).value_or(0);
  const auto eager_once = time_of(first, Side::kEager);
  const auto eager_again = time_of(second, Side::kEager);
  if (!eager_once || !eager_again || *eager_again <= 0) return again;
  return again * *eager_once / *eager_again;
}

bool far_apart(double once_ns, double again_ns, bool on_cpu) {
  if (once_ns <= 0 || again_ns <= 0) return false;
  const double most_apart = on_cpu ? 2.0 : 1.25;
  return std::max(once_ns, again_ns) > most_apart * std::min(once_ns, again_ns);
}

// Difference that the clock cannot resolve. CPU: a call is what the clock shows above an empty one,
// and by about as much as that takes two honest measurements of a short kernel may differ. CUDA:
// events are finer than any kernel.
double clock_resolution_ns(const Evaluation& first, const Evaluation& second) {
  if (second.device != "cpu") return 0;
  return static_cast<double>(std::max(first.null_call_ns, second.null_call_ns).value_or(0));
}

constexpr const char* kReadTheKernel =
    "somebody has to read the kernel before this row may be ranked";

bool is_slower(const Evaluation& one, const Evaluation& other) {
  return time_of(one).value_or(0) > time_of(other).value_or(0);
}

bool are_far_apart(const Evaluation& first, const Evaluation& second) {
  const double once = time_of(first).value_or(0);
  const bool on_cpu = second.device == "cpu";
  return stands(Defence::kFloor) && far_apart(once, time_of(second).value_or(0), on_cpu) &&
         far_apart(once, at_pace_of(first, second), on_cpu);
}

void accuse(Evaluation& evaluation, std::string message) {
  evaluation.state = State::kSuspect;
  evaluation.message = std::move(message);
  evaluation.hint = kReadTheKernel;
}

Evaluation failed_again(Evaluation first, Evaluation second, const std::string& reason) {
  second.message = fmt::format("measured again because of {}: {}", reason, second.message);
  return together(std::move(first), false, std::move(second), true);
}

}  // namespace

std::vector<Sample> joined(std::span<const Sample> first, std::span<const Sample> second) {
  std::vector<Sample> result(first.begin(), first.end());
  const int blocks = first.empty() ? 0 : first.back().block + 1;
  const int placements = first.empty() ? 0 : first.back().placement + 1;
  for (Sample sample : second) {
    sample.block += blocks;
    sample.placement += placements;
    result.push_back(std::move(sample));
  }
  return result;
}

bool is_contradicted(const Evaluation& evaluation) {
  return evaluation.state == State::kTimingInconsistent ||
         evaluation.state == State::kDeviceNotIdle || evaluation.state == State::kRanWhileStopped;
}

Evaluation confirm(const Evaluation& first, Evaluation second) {
  second.repeats = first.repeats + 1;
  second.wall_seconds += first.wall_seconds;
  if (is_contradicted(second)) {
    second.message = "measured twice, and both times: " + second.message;
  } else {
    add_label(second.labels, fmt::format("{}_once", to_string(first.state)));
  }
  second.seed = first.seed;
  return together(first, false, std::move(second), true);
}

std::string reason_to_repeat(const Evaluation& evaluation, bool repeat_busy) {
  if (evaluation.state != State::kOk) return "";
  if (is_below_floor(evaluation)) return below_floor_words(evaluation);
  // Eager alone may be slow where a task has many small steps: a compiler is ten times faster then.
  const auto over_eager = speedup(evaluation, Side::kEager, Side::kSubmission);
  const auto over_compiled = speedup(evaluation, Side::kCompiled, Side::kSubmission);
  const bool by_both = !over_compiled || over_compiled->estimate > kTooFast;
  if (over_eager && over_eager->estimate > kTooFast && by_both)
    return fmt::format("{:.1f} times as fast as eager", over_eager->estimate);
  if (repeat_busy && machine_was_busy(evaluation)) return "other programs on the machine";
  return "";
}

bool disagree(const Evaluation& first, const Evaluation& second) {
  const bool both_timed = first.state == State::kOk && second.state == State::kOk;
  if (!both_timed || machine_was_busy(first) || machine_was_busy(second)) return false;
  if (is_below_floor(first) && is_below_floor(second)) return false;
  const double apart = std::abs(time_of(first).value_or(0) - time_of(second).value_or(0));
  return are_far_apart(first, second) && apart > clock_resolution_ns(first, second);
}

Evaluation settle(Evaluation first, Evaluation second, const std::string& reason) {
  second.repeats += first.repeats + 1;
  second.wall_seconds += first.wall_seconds;
  second.seed = first.seed;
  if (second.state != State::kOk) return failed_again(std::move(first), std::move(second), reason);
  // Other programs on the machine say nothing of a submission, so the quiet measurement of the two
  // counts. If neither was quiet, nothing is said (analysis/speedup, doubts_of) and nothing is
  // gained (reports/facts/credit).
  const bool first_was_busy = machine_was_busy(first);
  const bool second_was_busy = machine_was_busy(second);
  if (first_was_busy && second_was_busy)
    return together(std::move(first), true, std::move(second), true);
  if (first_was_busy || second_was_busy) {
    if (is_below_floor(first_was_busy ? second : first)) {
      accuse(second, "measured twice, once beside other programs and once faster than can be: " +
                         below_floor_words(first_was_busy ? second : first));
    }
    remove_label(second.labels, "busy_machine");
    return together(std::move(first), second_was_busy, std::move(second), first_was_busy);
  }
  const bool first_is_slower = is_slower(first, second);
  const bool below_floor = is_below_floor(first) && is_below_floor(second);
  if (below_floor) {
    accuse(second, "measured twice, and both times faster than can be: " +
                       below_floor_words(first_is_slower ? first : second));
  }
  // Times that are far apart here are so by less than the clock resolves: else the measurements
  // would disagree.
  if (below_floor || are_far_apart(first, second))
    return together(std::move(first), first_is_slower, std::move(second), !first_is_slower);
  return together(std::move(first), true, std::move(second), true);
}

Evaluation settle(Evaluation first, Evaluation second, Evaluation third,
                  const std::string& reason) {
  third.repeats += first.repeats + second.repeats + 2;
  third.wall_seconds += first.wall_seconds + second.wall_seconds;
  third.seed = first.seed;
  if (third.state != State::kOk) {
    Evaluation before = together(std::move(first), true, std::move(second), true);
    return failed_again(std::move(before), std::move(third), reason);
  }
  std::array<bool, 3> counts{};
  const bool third_tells = !machine_was_busy(third);
  if (third_tells && !disagree(second, third)) {
    counts = {false, true, true};
  } else if (third_tells && !disagree(first, third)) {
    counts = {true, false, true};
  } else {
    const std::array<const Evaluation*, 3> all{&first, &second, &third};
    const auto slowest = std::max_element(
        all.begin(), all.end() - (third_tells ? 0 : 1),
        [](const Evaluation* a, const Evaluation* b) { return is_slower(*b, *a); });
    counts.at(static_cast<std::size_t>(slowest - all.begin())) = true;
  }
  const Evaluation& other = counts[1] ? second : first;
  if (counts[2] && (counts[0] || counts[1]) && is_below_floor(third) && is_below_floor(other)) {
    accuse(third, "measured three times, and twice faster than can be: " +
                      below_floor_words(is_slower(other, third) ? other : third));
  }
  remove_label(third.labels, "busy_machine");  // a busy one does not count
  add_label(third.labels, "unstable");
  Evaluation before = together(std::move(first), counts[0], std::move(second), counts[1]);
  return together(std::move(before), counts[0] || counts[1], std::move(third), counts[2]);
}

}  // namespace kbench
