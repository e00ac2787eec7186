// The times of one evaluation: baselines alone, before the submission is loaded and after it has
// gone, and the blocks in which all sides are timed.
//
//   placement  buffers and, on a CPU, players; CUDA: every block has new addresses
//   block      every side twice, E C S | S C E, the order of sides drawn anew
//   visit      every side once, on one fresh input
//   call       by the call protocol; the submission's outputs are checked each time
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runner/measure/correctness_checks.hpp"
#include "runner/measure/evaluation_at_hand.hpp"

namespace kbench {

// Each step returns how the evaluation ends early, or nothing.
class TimedBlocks {
 public:
  // `first`: samples of an earlier measurement that will count together with these.
  TimedBlocks(EvaluationAtHand& at, CorrectnessChecks& checks, std::span<const Sample> first)
      : at_(at), checks_(checks), first_(first) {}

  // Times the baselines while no submission is loaded, so that none can slow them down.
  std::optional<EarlyEnd> time_alone() { return time_alone(kBeforeTheWorker); }
  // CUDA: the same once the submission has gone, which may have slowed them down.
  std::optional<EarlyEnd> time_alone_again() { return time_alone(kAfterTheWorker); }
  // Times blocks until the stop rule has enough.
  std::optional<EarlyEnd> time();

 private:
  // Visit numbers of the baselines' calls alone: before the worker comes, and (CUDA) after it has
  // gone.
  static constexpr int kBeforeTheWorker = 0;
  static constexpr int kAfterTheWorker = 1;

  std::optional<EarlyEnd> time_alone(int visit);
  std::optional<EarlyEnd> visit_alone(int visit, bool counts);
  [[nodiscard]] int calls_alone() const;
  std::optional<EarlyEnd> time_baseline_alone(Sample& sample);
  void drop_left_out_vendor();
  [[nodiscard]] std::optional<std::int64_t> time_vendor();
  void drop_slow_vendor(std::optional<std::int64_t> ns, double eager_ns);
  std::optional<EarlyEnd> warm_up();
  [[nodiscard]] int slots_needed() const;
  std::optional<EarlyEnd> settle_in();
  [[nodiscard]] bool wants_profile() const;
  std::optional<EarlyEnd> profile_now_and_then();
  std::optional<EarlyEnd> profile_a_visit();
  std::optional<EarlyEnd> place_anew(int slots);
  std::optional<EarlyEnd> time_placement(double placing_seconds);
  [[nodiscard]] bool enough(double seconds) const;
  std::optional<EarlyEnd> time_block();
  [[nodiscard]] std::uint64_t clock_limits() const;
  std::optional<EarlyEnd> read_clock(std::int64_t& khz);
  std::optional<EarlyEnd> time_visit(const std::vector<Side>& order, int visit, Block& block);
  std::optional<EarlyEnd> time_submission(Sample& sample, Block& block);
  std::optional<EarlyEnd> time_baseline(Sample& sample, Block& block);

  EvaluationAtHand& at_;
  CorrectnessChecks& checks_;
  std::span<const Sample> first_;
  std::vector<double> sentinels_ns_;  // sentinels of this block
  double shortest_ns_ = 0;            // a call of the fastest baseline
  int placement_ = 0;
  int block_ = 0;
  int visits_profiled_ = 0;
  std::uint64_t visits_alone_ = 0;
};

}  // namespace kbench
