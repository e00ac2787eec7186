// The side of a vendor's library: a worker with kbench-vendor.so, on the arenas of the baselines'
// seat, which no other side has on CUDA. Its calls are armed, shown inputs and timed like a
// submission's. The worker is our own program, so its word on its time counts. Invariant: a failure
// of this side ends no evaluation. The side is left out, and the record says why.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/measure/evaluation_request.hpp"
#include "runner/measure/oracle/oracle.hpp"
#include "runner/measure/players/worker.hpp"

namespace kbench {

// Why a call of the library's worker failed: the library's own words, which tell more than the
// worker's, where it printed some.
[[nodiscard]] std::string vendor_failure(Worker& worker, const EarlyEnd& end);

class VendorSide {
 public:
  VendorSide(const EvaluationRequest& request, Oracle& oracle, Evaluation& record);

  // True if the run asked for the library, and nothing has gone wrong so far.
  [[nodiscard]] bool plays() const { return plays_; }
  void leave_out(std::string reason);

  // Starts a worker on these arenas, ready to be called and stopped.
  void start(const PlacedArenas& arenas, std::uint64_t parameter_base);
  void end() { worker_.reset(); }
  void run_on(int core);

  // One call on slot 0, which the oracle has drawn inputs for. Empty once the side is left out.
  std::optional<std::int64_t> call(const SlotPlaces& places);
  // A call that is not timed. Its outputs are taken for judge_baseline(), and the library's choice
  // goes into the record. False once the side is left out.
  bool call_and_take(const SlotPlaces& places);

 private:
  bool fine(const Status& status);
  bool fine(const std::optional<EarlyEnd>& end);
  std::optional<std::int64_t> play(const SlotPlaces& places);

  const EvaluationRequest& request_;
  Oracle& oracle_;
  Evaluation& record_;
  bool plays_ = false;
  std::unique_ptr<Worker> worker_;
  std::uint64_t parameter_base_ = 0;
};

}  // namespace kbench
