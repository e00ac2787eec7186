// One call of a player, by the same steps whether it is a submission's or a baseline's (CPU), and
// whether it is checked, timed or empty:
//
//   arm       the oracle poisons the outputs and everything around them
//   reveal    the oracle shows a fresh input, at a fresh address           <- strict clock starts
//   go, done  the player runs: continued just before, stopped right after
//   snapshot  the oracle copies the outputs away                           <- strict clock stops
//   audit     it looks around them, and at times, drawn secretly, at inputs and parameters as well
//
// On CUDA the oracle hosts the baselines: it makes no difference there which process launches. The
// caller judges the outputs, since it knows what they are compared with. The protocol owns the
// players and the buffers that they are placed on. Each step returns how the evaluation ends early,
// or nothing.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/measure/claims.hpp"
#include "runner/measure/evaluation_request.hpp"
#include "runner/measure/oracle/oracle.hpp"
#include "runner/measure/players/worker.hpp"
#include "runner/measure/secret.hpp"
#include "runner/measure/vendor_side.hpp"
#include "runner/measure/watch/core_pin.hpp"
#include "runner/measure/watch/idle_watch.hpp"
#include "runner/measure/watch/quiet_core.hpp"

namespace kbench {

// The end of a submission whose work goes on after its call has returned. Defined in
// call_judgement.cpp, like all that the protocol judges by.
[[nodiscard]] EarlyEnd inconsistent(std::string message);

// Whether the host's speed shows in the time of a baseline's call on a GPU: a part of the call went
// by while its kernels were launched.
[[nodiscard]] inline bool launching_matters(const BaselineTime& timed) {
  return static_cast<double>(timed.launch_ns) > 0.1 * static_cast<double>(timed.ns);
}

// The time for which one submission may keep a run waiting: while it loads, prepares and is called,
// over all measurements of it. Each call has a limit of its own; without this, calls that stay just
// below theirs held a run for minutes.
class WaitBudget {
 public:
  explicit WaitBudget(std::chrono::nanoseconds limit) : limit_(limit) {}

  void spend(std::chrono::nanoseconds waited) { spent_ += waited; }
  [[nodiscard]] bool exhausted() const { return spent_ >= limit_; }
  [[nodiscard]] std::chrono::nanoseconds limit() const { return limit_; }

  // The time to wait: `timeout`, or a little more than what is left where that is less.
  [[nodiscard]] std::chrono::milliseconds at_most(std::chrono::milliseconds timeout) const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit_ - spent_);
    return std::clamp(left, std::chrono::milliseconds{1}, timeout);
  }

 private:
  std::chrono::nanoseconds limit_;
  std::chrono::nanoseconds spent_{0};
};

// Sums over one call for each slot.
struct CallTimes {
  std::int64_t time_ns = 0;     // the time that is believed
  std::int64_t claimed_ns = 0;  // the worker's word
  // Time from go to done, with the work around it; on CUDA from before the inputs are shown.
  std::int64_t wall_ns = 0;
  std::int64_t strict_ns = 0;  // time from before the inputs are shown until outputs are taken
  std::int64_t flush_ns = 0;   // CPU: of the cache flush before the first slot's call
  std::int64_t switches = 0;   // CPU, baselines: times that the kernel took a core away
  std::int64_t waited_ns = 0;  // CPU: wait of the player's threads for a busy core
};

class CallProtocol {
 public:
  CallProtocol(const EvaluationRequest& request, const EvaluationSettings& settings, Oracle& oracle,
               const WorkerFactory& start_worker, const KeySchedule& keys, WaitBudget& budget,
               Evaluation& record);
  ~CallProtocol();
  CallProtocol(const CallProtocol&) = delete;
  CallProtocol& operator=(const CallProtocol&) = delete;

  // Makes new buffers for `slots` inputs; the old players end. CPU: new ones start on them, but for
  // the first worker of the submission, which may still be compiled.
  std::optional<EarlyEnd> place(int slots) { return place(slots, false); }
  // Places one slot, with parameters that show biases (task/large_biases.hpp). Nothing is timed on
  // them, so the record's empty calls and time of prepare stay as they are.
  std::optional<EarlyEnd> place_large_biases() { return place(1, true); }
  // Starts a worker on these buffers if there is none, and does not wait for it.
  std::optional<EarlyEnd> start_worker();
  // Ends the players: before their buffers go away, and before the oracle starts anew.
  void dismiss();
  // The worker's last output; empty without a worker.
  [[nodiscard]] std::string last_output();
  void add_label(const std::string& label);
  // A reason why the submission's results may be wrong, by its model's own account; empty without
  // one.
  [[nodiscard]] std::string likely_cause();
  // The step that finds a race or a wrong bound; empty without a worker.
  [[nodiscard]] std::string step_against_races();
  // Has the worker load the submission, without waiting for it; inputs must have been drawn. The
  // worker's empty calls come before that, so that the submission cannot slow them down and hide
  // work in what they excuse.
  std::optional<EarlyEnd> load();
  // Waits until the submission is loaded, and lets it prepare its parameters.
  std::optional<EarlyEnd> prepare();
  // Draws fresh private inputs for all slots, of the task's own distribution or a hard one.
  std::optional<EarlyEnd> draw_inputs(std::optional<HardDraw> hard = {});
  // Makes one verified call on all slots. `everything`: the audit looks at inputs and parameters in
  // any case.
  std::optional<EarlyEnd> call(CallTimes& times, bool everything = false);
  // Makes a call that is stopped again and again to see in whose code it is (code_profile.hpp). It
  // is verified like any other, and not timed.
  std::optional<EarlyEnd> call_and_profile();
  // Whether calls are profiled: only those of Python submissions on a CPU, where it matters who
  // wrote the code.
  [[nodiscard]] bool profiles() const;
  [[nodiscard]] bool has_enough_looks() const;
  // Whether the submission's last uninterrupted call took a second or more.
  [[nodiscard]] bool takes_long() const { return last_call_ns_ > 1'000'000'000; }
  // Puts the result of all profiled calls into the record.
  std::optional<EarlyEnd> judge_code_profile();
  // Makes one more empty call, before a block. On a CPU where a worker plays eager, the call is
  // that worker's: its empty calls are taken off eager's calls and the submission's, so that a slow
  // moment of the machine moves both alike. On CUDA the call is the submission's worker's, and
  // bounds what is granted to it.
  std::optional<EarlyEnd> make_empty_call();
  // Makes one timed visit of a baseline, on all slots. Eager's outputs are what judge() compares
  // with.
  std::optional<EarlyEnd> time_baseline(Side side, BaselineTime& timed);
  // CPU: one timed visit of eager as the task's graph, even where a worker plays eager.
  std::optional<EarlyEnd> time_graph(BaselineTime& timed);
  // One timed visit of the vendor's library, where it plays. `ns` is empty once the library is left
  // out.
  void time_vendor(std::optional<std::int64_t>& ns);
  // Calls the vendor's library on the inputs drawn last, for judge_baseline(). A failure leaves the
  // library out.
  [[nodiscard]] bool take_vendor();
  [[nodiscard]] VendorSide& vendor() { return vendor_; }
  // Has the graph play eager from now on in place of the worker. A task's file may do more than its
  // graph says, such as sleep, and a submission compared with it would look fast.
  void have_graph_play_eager();
  // Checks which code the worker has mapped by now.
  std::optional<EarlyEnd> inspect();
  // Judges all calls together: work left behind, claims that the clocks contradict.
  [[nodiscard]] std::optional<EarlyEnd> judge_clocks();

  // CUDA: moves the launching threads to an undisturbed core, before something is timed.
  void take_quiet_core();
  // Lets the worker run on every core until the next take_quiet_core(), for calls that start its
  // threads: a thread stays on the cores that its starter had. On one core the 32 threads of an
  // OpenMP team took 256 ms for each parallel region (H200's host).
  void leave_quiet_core();

  // Learns from a baseline's timed visit how long flushes take: beside the worker, and without one.
  void saw_baseline(Side side, const BaselineTime& timed);
  void saw_baseline_alone(Side side, const BaselineTime& timed);
  // CPU: number of calls that ended while another program ran, since forget_strangers().
  void forget_strangers() { strangers_ = 0; }
  [[nodiscard]] int strangers() const { return strangers_; }
  // Sets eager's time. A call of the submission may take a hundred times as long.
  void expect(double eager_ns_a_call) { eager_ns_ = eager_ns_a_call; }

  [[nodiscard]] int slots() const { return slots_; }
  [[nodiscard]] std::uint64_t inputs_drawn() const { return inputs_drawn_; }

 private:
  std::optional<EarlyEnd> place(int slots, bool large_biases);
  [[nodiscard]] bool on_cpu() const { return request_.device == "cpu"; }
  // Whether baselines have a process of their own. That is for the clock: where nothing is timed,
  // the oracle plays eager, as on CUDA, unless a worker does.
  [[nodiscard]] bool has_baseline_player() const {
    return on_cpu() && (settings_.is_timed() || request_.eager_is_a_worker);
  }
  [[nodiscard]] std::chrono::milliseconds call_timeout() const;
  // Waits for the submission and spends its budget; returns how the evaluation ends once the budget
  // is used up.
  template <class Wait>
  std::optional<EarlyEnd> at_its_expense(const Wait& wait);
  std::uint64_t random_offset();
  [[nodiscard]] std::int64_t least_first_looks() const;
  std::vector<SlotPlaces> random_places();
  [[nodiscard]] std::int64_t usual_call_ns() const;
  // A player, what its empty calls cost, and where its parameters start.
  struct Seated {
    Seat seat;
    ClaimLedger ledger;
    Player* player = nullptr;
    std::uint64_t parameter_base = 0;
  };
  // CPU: starts the players of these sides, as far as they are known by now.
  std::optional<EarlyEnd> start_players();
  std::optional<EarlyEnd> start_player(Side side);
  std::optional<EarlyEnd> await_worker();
  std::optional<EarlyEnd> start_baselines();
  // Starts eager's worker, whose failures are kbench's.
  std::optional<EarlyEnd> start_eager();
  std::optional<EarlyEnd> load_eager();
  // Ledger for the submission's calls: its own worker's empty calls, or those of eager's worker.
  [[nodiscard]] ClaimLedger& ledger() { return eager_worker_ ? eager_.ledger : submission_.ledger; }
  std::optional<EarlyEnd> call_player(Seated& side, const PlayerCall& call, PlayerAnswer& answer);
  // Makes the player's empty calls: readings of the clocks when nothing is computed.
  std::optional<EarlyEnd> calibrate(Seated& side);
  std::optional<EarlyEnd> make_empty_calls(Seated& side, NullCalls& made);
  // CUDA: an empty call of the submission's worker, in the first blocks and then in every second
  // one.
  std::optional<EarlyEnd> make_own_empty_call();
  // One call for each slot, one after the other; an empty call for the first slot only.
  std::optional<EarlyEnd> run(Seated& side, CallKind kind, CallTimes& times);
  std::optional<EarlyEnd> run_slot(Seated& side, CallKind kind, int slot, const SlotPlaces& places,
                                   CallTimes& times);
  // CPU: one timed visit of a player of baselines.
  std::optional<EarlyEnd> time_player(Seated& side, CallKind kind, BaselineTime& timed);
  // Copies a baseline's outputs out of the player's own memory, outside of the clock.
  std::optional<EarlyEnd> hand_over(const SlotPlaces& places);
  std::optional<EarlyEnd> audit(bool everything);
  // Puts torch's operators that the submission called, by the worker's word, into the record.
  std::optional<EarlyEnd> judge_torch_use();
  // CUDA: whether the oracle's flushes took longer beside the submission than alone.
  std::optional<EarlyEnd> judge_idleness();
  // Whether baselines took longer beside the submission than alone.
  std::optional<EarlyEnd> judge_baselines();
  // CUDA: turns the accusation into a label where the host was so busy that clocks prove nothing.
  std::optional<EarlyEnd> unless_host_was_busy(EarlyEnd accusation);

  const EvaluationRequest& request_;
  const EvaluationSettings& settings_;
  Oracle& oracle_;
  const WorkerFactory& start_worker_;
  const KeySchedule& keys_;
  WaitBudget& budget_;
  Evaluation& record_;

  PlacedArenas arenas_;
  std::filesystem::path library_;
  std::unique_ptr<Worker> worker_;
  bool worker_is_ready_ = false;
  std::unique_ptr<Player> baselines_player_;  // CPU
  std::unique_ptr<Worker> eager_worker_;      // CPU, where eager is not played by that one
  Seated submission_;
  Seated baselines_;
  Seated eager_;
  VendorSide vendor_;
  int strangers_ = 0;  // calls of a block after which a stranger ran
  IdleWatch idle_;
  QuietCore quiet_core_;
  CoreAvoidance supervisor_;
  std::vector<int> all_cores_;
  std::int64_t core_chosen_ns_ = 0;
  bool launching_matters_ = true;  // eager's time is more than the device's
  int slots_ = 1;
  bool is_behind_timing_ = false;  // the record keeps what was measured of the timed worker
  double eager_ns_ = 0;
  std::uint64_t offsets_drawn_ = 0;
  std::uint64_t inputs_drawn_ = 0;
  std::uint64_t placements_made_ = 0;
  std::uint64_t calls_made_ = 0;
  int blocks_begun_ = 0;  // CUDA, timed
  bool torch_use_known_ = false;
  TorchUse torch_use_;
  CodeProfiles code_profile_;
  std::uint64_t looks_planned_ = 0;
  std::int64_t last_call_ns_ = 0;           // the submission's last call without a profile
  std::chrono::nanoseconds look_every_{0};  // time between two stops of its next profiled call
  std::chrono::nanoseconds first_look_{0};
  int look_from_ = 0;  // first slot that is profiled; earlier slots run undisturbed
  bool graph_plays_eager_ = false;
};

}  // namespace kbench
