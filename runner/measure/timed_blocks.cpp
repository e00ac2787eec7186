#include "runner/measure/timed_blocks.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "runner/analysis/keep.hpp"
#include "runner/core/statistics.hpp"
#include "runner/measure/suspicion.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

// CPU: the shortest sample. A baseline with a shorter call has samples of several calls on distinct
// inputs.
constexpr double kShortestSampleNs = 2e6;
// Visits of Python on a CPU that show in whose code it is.
constexpr int kLeastProfiled = 6;
// Visits where the looks are too few. Threads of the submission on all cores keep the looking
// thread off its core for a slice of the scheduler, some milliseconds; a short call is over by
// then.
constexpr int kMostProfiled = 48;
// One block in so many is profiled. With one placement there are few blocks, and a submission that
// counts its calls would know which; so most are profiled there.
constexpr std::uint64_t kProfiledOneIn = 3;
constexpr std::uint64_t kLeftAloneOneIn = 4;
constexpr int kAloneWarmUps = 2;  // libraries choose and load their kernels
// Calls of each baseline alone, before the worker comes; on CUDA as many after it has gone. So many
// samples make an interval of 95 % (analysis/speedup, Slowdown).
constexpr int kAloneAtOnce = 6;
constexpr int kAloneAPlacement = 2;  // calls alone where six placements or more follow

// A vendor's call that takes so many times as long as eager's measures nothing. Without TF32 cuDNN
// has one engine for a linear layer with a GELU: on an H200 it takes 270 times as long as the two
// calls of eager.
constexpr double kSlowestVendor = 10;

}  // namespace

std::optional<EarlyEnd> TimedBlocks::time_alone(int visit) {
  if (!at_.has_submission()) return std::nullopt;
  const std::size_t first = at_.record.alone.size();
  const int warm_ups = at_.settings.judges_times() ? kAloneWarmUps : 1;
  for (int i = 0; i < warm_ups + calls_alone(); ++i)
    if (auto end = visit_alone(visit, i >= warm_ups)) return end;
  const auto clock = at_.oracle.sm_clock_khz();
  if (!clock) return from_error(clock.error());
  for (std::size_t i = first; i < at_.record.alone.size(); ++i)
    if (*clock > 0) at_.record.alone[i].sm_clock_khz = *clock;
  if (visit == kAfterTheWorker) return std::nullopt;  // the memory is not needed
  if (auto released = at_.oracle.release(); !released) return from_error(released.error());
  return std::nullopt;
}

// A visit like those of a block, with a flush in the submission's place. A baseline that is
// called again and again would find its code and memory in caches left to it alone.
std::optional<EarlyEnd> TimedBlocks::visit_alone(int visit, bool counts) {
  if (auto end = at_.calls.draw_inputs()) return end;
  for (const Side side : shuffled(at_.sides, at_.keys.key("alone", visits_alone_++))) {
    if (side == Side::kVendor) continue;
    if (side == Side::kSubmission) {
      if (auto flushed = at_.oracle.flush(); !flushed) return from_error(flushed.error());
      continue;
    }
    Sample sample{.placement = placement_,
                  .block = kAlone,
                  .visit = visit,
                  .side = side,
                  .calls = at_.calls.slots()};
    if (auto end = time_baseline_alone(sample)) return end;
    if (counts) at_.record.alone.push_back(sample);
  }
  return std::nullopt;
}

// Number of calls alone. Zero where no time is judged: then the first warm-up tells how long the
// submission may take.
int TimedBlocks::calls_alone() const {
  if (!at_.settings.judges_times()) return 0;
  const bool many_placements = at_.on_cpu() && at_.settings.stop.min_placements >= kAloneAtOnce;
  return many_placements ? kAloneAPlacement : kAloneAtOnce;
}

std::optional<EarlyEnd> TimedBlocks::time_baseline_alone(Sample& sample) {
  at_.calls.take_quiet_core();
  BaselineTime timed;
  if (auto end = at_.calls.time_baseline(sample.side, timed)) return end;
  sample.time_ns = timed.ns;
  at_.calls.saw_baseline_alone(sample.side, timed);
  return std::nullopt;
}

// No further visit has the vendor's side once that is left out.
void TimedBlocks::drop_left_out_vendor() {
  if (!at_.calls.vendor().plays()) std::erase(at_.sides, Side::kVendor);
}

// Time of a visit of the vendor's library; empty once that is left out.
std::optional<std::int64_t> TimedBlocks::time_vendor() {
  std::optional<std::int64_t> ns;
  if (at_.calls.vendor().plays()) at_.calls.time_vendor(ns);
  drop_left_out_vendor();
  return ns;
}

// `ns` of all slots' calls, `eager_ns` of one.
void TimedBlocks::drop_slow_vendor(std::optional<std::int64_t> ns, double eager_ns) {
  if (!ns) return;
  const double call_ns = static_cast<double>(*ns) / at_.calls.slots();
  if (call_ns <= kSlowestVendor * eager_ns) return;
  at_.calls.vendor().leave_out(fmt::format("{} takes {:.0f} times as long as eager",
                                           at_.record.vendor_algorithm, call_ns / eager_ns));
  drop_left_out_vendor();
}

// An unrecorded visit of each side. It warms caches, clocks and lazy loading, and tells how long
// a baseline's call takes. The submission cannot tell it from a visit that counts, and it is
// verified like one.
std::optional<EarlyEnd> TimedBlocks::warm_up() {
  if (auto end = at_.calls.draw_inputs()) return end;
  shortest_ns_ = HUGE_VAL;
  double eager_ns = 0;
  const std::vector<Side> sides = at_.sides;
  for (const Side side : sides) {  // eager first: its outputs judge the submission's
    if (side != Side::kSubmission) at_.calls.take_quiet_core();
    if (side == Side::kVendor) {
      drop_slow_vendor(time_vendor(), eager_ns);
      continue;
    }
    if (side == Side::kSubmission) {
      at_.calls.leave_quiet_core();
      CallTimes times;
      if (auto end = at_.calls.call(times)) return end;
      if (auto end = checks_.verify_timed_call()) return end;
      continue;
    }
    BaselineTime timed;
    if (auto end = at_.calls.time_baseline(side, timed)) return end;
    const double call_ns = static_cast<double>(timed.ns) / at_.calls.slots();
    if (side == Side::kEager) {
      at_.calls.expect(call_ns);
      eager_ns = call_ns;
    }
    shortest_ns_ = std::min(shortest_ns_, call_ns);
  }
  return std::nullopt;
}

// Number of distinct inputs that make a sample long enough for the clock. It depends on the
// baselines alone: a submission that returned at once would choose how it is timed.
int TimedBlocks::slots_needed() const {
  if (!at_.on_cpu()) return 1;
  const double needed = std::ceil(kShortestSampleNs / std::max(shortest_ns_, 1.0));
  return static_cast<int>(std::clamp(needed, 1.0, static_cast<double>(kMaxSlots)));
}

// Visits each side twice: the first visit is slower than those that count, in either order of the
// sides. The shortest of rough times counts, and that is not the first.
std::optional<EarlyEnd> TimedBlocks::settle_in() {
  const int visits = at_.settings.times == Times::kRough ? 1 : 2;
  for (int i = 0; i < visits; ++i)
    if (auto end = warm_up()) return end;
  return std::nullopt;
}

std::optional<EarlyEnd> TimedBlocks::time() {
  if (!at_.settings.is_timed()) return std::nullopt;
  if (auto end = settle_in()) return end;
  const int slots = slots_needed();
  if (slots != at_.calls.slots())
    if (auto end = place_anew(slots)) return end;
  const auto start = Clock::now();
  while (!enough(seconds_since(start))) {
    const auto placing = Clock::now();
    if (at_.on_cpu() && placement_ > 0)
      if (auto end = place_anew(slots)) return end;
    if (auto end = time_placement(seconds_since(placing))) return end;
    drop_disturbed_blocks(at_.record.samples, at_.record.blocks, at_.on_cpu());
  }
  while (wants_profile() && visits_profiled_ < kMostProfiled)
    if (auto end = profile_a_visit()) return end;
  return std::nullopt;
}

bool TimedBlocks::wants_profile() const {
  if (!at_.has_submission() || !at_.calls.profiles()) return false;
  // Profiled visits are at the submission's expense.
  const int least = at_.calls.takes_long() ? 1 : kLeastProfiled;
  return visits_profiled_ < least || !at_.calls.has_enough_looks();
}

// Profiles a visit before some blocks; a submission that counts its calls does not know which.
std::optional<EarlyEnd> TimedBlocks::profile_now_and_then() {
  if (!wants_profile()) return std::nullopt;
  const std::uint64_t drawn = at_.keys.key("profile", static_cast<std::uint64_t>(block_));
  const bool now = at_.settings.stop.min_placements > 1 ? drawn % kProfiledOneIn == 0
                                                        : drawn % kLeftAloneOneIn != 0;
  return now ? profile_a_visit() : std::nullopt;
}

// A visit that does not count, on inputs of its own. A side cannot tell it from one that counts,
// not even by the time since its last call.
std::optional<EarlyEnd> TimedBlocks::profile_a_visit() {
  const auto number = static_cast<std::uint64_t>(visits_profiled_++);
  if (auto end = at_.calls.draw_inputs()) return end;
  for (const Side side : shuffled(at_.sides, at_.keys.key("order of a profile", number))) {
    BaselineTime timed;
    auto end = side == Side::kSubmission ? at_.calls.call_and_profile()
                                         : at_.calls.time_baseline(side, timed);
    if (end) return end;
  }
  return checks_.verify_timed_call();
}

// CPU: starts fresh players on fresh buffers, on all sides.
std::optional<EarlyEnd> TimedBlocks::place_anew(int slots) {
  if (auto end = at_.calls.inspect()) return end;
  if (auto end = at_.calls.place(slots)) return end;
  if (auto end = time_alone()) return end;
  if (auto end = at_.calls.start_worker()) return end;
  if (at_.has_submission()) {
    if (auto end = at_.calls.draw_inputs()) return end;
    if (auto end = at_.calls.load()) return end;
    if (auto end = at_.calls.prepare()) return end;
  }
  return settle_in();
}

// Times the blocks of one placement. A placement costs time, and its blocks share its luck, so
// about as much time goes into blocks as went into placing. A run with one placement has all of
// its blocks there.
std::optional<EarlyEnd> TimedBlocks::time_placement(double placing_seconds) {
  if (!at_.on_cpu()) {
    placement_ = block_;  // every block has new addresses
    return time_block();
  }
  const bool only_one = at_.settings.stop.min_placements <= 1;
  const auto start = Clock::now();
  int blocks = 0;
  do {
    if (auto end = time_block()) return end;
    ++blocks;
  } while (only_one ? !enough(seconds_since(start))
                    : seconds_since(start) < placing_seconds &&
                          blocks < at_.settings.stop.most_blocks_a_placement);
  ++placement_;
  return std::nullopt;
}

bool TimedBlocks::enough(double seconds) const {
  if (first_.empty())
    return has_enough(at_.settings.stop, at_.record.samples, at_.sides.back(), seconds);
  const auto both = [this] { return joined(first_, at_.record.samples); };
  return has_enough_together(at_.settings.stop, at_.record.samples, both, at_.sides.back(),
                             seconds);
}

std::optional<EarlyEnd> TimedBlocks::time_block() {
  auto order = shuffled(at_.sides, at_.keys.key("order", static_cast<std::uint64_t>(block_)));
  if (auto end = profile_now_and_then()) return end;
  Block block{.block = block_};
  at_.calls.forget_strangers();
  sentinels_ns_.clear();
  const Pressure pressure = at_.settings.surroundings.pressure();
  const std::int64_t stolen = at_.on_cpu() ? at_.settings.surroundings.stolen_ns() : 0;
  if (auto end = read_clock(block.start_khz)) return end;
  block.clock_limits = clock_limits();
  if (auto end = at_.calls.make_empty_call()) return end;
  for (int visit = 0; visit < 2; ++visit) {
    if (auto end = time_visit(order, visit, block)) return end;
    std::reverse(order.begin(), order.end());
  }
  if (auto end = read_clock(block.end_khz)) return end;
  block.clock_limits |= clock_limits();
  if (at_.on_cpu()) block.stolen_ns = at_.settings.surroundings.stolen_ns() - stolen;
  const Pressure now = at_.settings.surroundings.pressure();
  block.cpu_pressure_ns = now.cpu_ns - pressure.cpu_ns;
  block.memory_pressure_ns = now.memory_ns - pressure.memory_ns;
  if (!sentinels_ns_.empty()) block.sentinel_ns = static_cast<std::int64_t>(median(sentinels_ns_));
  block.strangers = at_.calls.strangers();
  at_.record.blocks.push_back(block);
  ++block_;
  return std::nullopt;
}

std::uint64_t TimedBlocks::clock_limits() const {
  return at_.on_cpu() ? 0 : at_.settings.surroundings.clock_limits();
}

std::optional<EarlyEnd> TimedBlocks::read_clock(std::int64_t& khz) {
  if (at_.on_cpu()) return std::nullopt;
  auto read = at_.oracle.sm_clock_khz();
  if (!read) return from_error(read.error());
  khz = *read;
  return std::nullopt;
}

// Times every side once, on one input. The input is fresh if there is a submission, which could
// remember the last one.
std::optional<EarlyEnd> TimedBlocks::time_visit(const std::vector<Side>& order, int visit,
                                                Block& block) {
  if (at_.has_submission())
    if (auto end = at_.calls.draw_inputs()) return end;
  bool eager_known = false;
  bool waiting_for_eager = false;
  for (const Side side : order) {
    Sample sample{.placement = placement_,
                  .block = block_,
                  .visit = visit,
                  .side = side,
                  .calls = at_.calls.slots()};
    at_.calls.take_quiet_core();
    if (side == Side::kVendor) {
      const auto ns = time_vendor();
      if (!ns) continue;
      sample.time_ns = *ns;
    } else if (side == Side::kSubmission) {
      if (auto end = time_submission(sample, block)) return end;
      waiting_for_eager = !eager_known;
      if (!waiting_for_eager)
        if (auto end = checks_.verify_timed_call()) return end;
    } else {
      if (auto end = time_baseline(sample, block)) return end;
      eager_known |= side == Side::kEager;
    }
    at_.record.samples.push_back(std::move(sample));
  }
  return waiting_for_eager ? checks_.verify_timed_call() : std::nullopt;
}

std::optional<EarlyEnd> TimedBlocks::time_submission(Sample& sample, Block& block) {
  CallTimes times;
  if (auto end = at_.calls.call(times)) return end;
  sample.time_ns = times.time_ns;
  sample.claimed_ns = times.claimed_ns;
  sample.wall_ns = times.wall_ns;
  sample.strict_ns = times.strict_ns;
  block.submission_waited_ns += times.waited_ns;
  return std::nullopt;
}

std::optional<EarlyEnd> TimedBlocks::time_baseline(Sample& sample, Block& block) {
  BaselineTime timed;
  if (auto end = at_.calls.time_baseline(sample.side, timed)) return end;
  sample.time_ns = timed.ns;
  block.involuntary_switches += timed.involuntary_switches;
  block.baselines_waited_ns += timed.waited_ns;
  sentinels_ns_.push_back(static_cast<double>(timed.flush_ns));
  at_.calls.saw_baseline(sample.side, timed);
  return std::nullopt;
}

}  // namespace kbench
