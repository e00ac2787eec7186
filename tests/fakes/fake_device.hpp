// A scripted device for tests of the evaluator: an oracle and workers whose times, errors and
// misbehaviour are data. No clock is read and no hardware is touched, so every fault can be played.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/activity/activity_file.hpp"
#include "runner/measure/oracle/oracle.hpp"
#include "runner/measure/players/worker.hpp"
#include "runner/measure/watch/surroundings.hpp"

namespace kbench::fakes {

// Events and settings, shared between the fake oracle and the fake workers.
struct Script {
  double eager_ns = 4e6;
  double eager_drift = 1;  // factor on it, once the oracle was restarted
  double compiled_ns = 2e6;
  double submission_ns = 1e6;
  double eager_error = 1e-6;
  // Error of the submission's output in the n-th judged call (0 = first); NaN counts as wrong.
  std::function<double(int call)> submission_error = [](int) { return 0.0; };
  double hard_error = 0;              // the same on hard draws
  int hard_draws_off = 1'000'000;     // on the first so many of them
  double perturbed_error = 0;         // eager's, on inputs that differ in their last bits
  std::uint64_t hard_not_finite = 0;  // eager's, on hard draws
  std::uint64_t own_not_finite = 0;   // and on the task's own
  std::optional<Error> reference_fails = std::nullopt;
  double compiled_error = 0;
  double eager_worker_error = 0;                    // where a worker plays eager
  std::vector<std::chrono::milliseconds> patience;  // with each call of the submission
  double hidden_ns = 0;                             // wall time that the worker does not admit
  bool hides_once = false;                          // no longer once the oracle restarted
  std::uint64_t clock_limits = 0;
  bool others_run = false;   // on the machine, beside kbench
  double waiting_share = 0;  // share of the time in which programs of the machine wait for a core
  double leftover_ns = 0;    // device time after done: the next thing the oracle does waits for it
  double early_ns = 0;       // device time between showing the inputs and go
  double null_ns = 50e3;
  double null_before_loading_ns = 0;   // a worker's, more than null_ns
  int late_nulls_one_in = 0;           // one of so many empty calls before loading is 2 ms late
  bool late_nulls_afterwards = false;  // only once the submission was called
  double copy_ns = 1e6;                // showing the inputs, copying the outputs away
  double waking_ns = 0;    // more, for copying away, when the oracle had rested for a millisecond
  double flush_ns = 40e3;  // the oracle's cache flush, alone
  double flush_beside_ns = 0;       // time that it takes more once a worker is there
  double slowed_baseline = 1;       // factor on baselines that run after the submission
  double slowed_beside_worker = 1;  // factor on baselines once a worker is there
  std::function<Audit(int call)> audit = [](int) { return Audit{}; };
  std::vector<MappedCode> mapped_code;
  int maps_after = 0;                      // forward calls of the worker that maps it
  std::optional<int> maps_in;              // number of the only worker that does so, from 1
  std::int64_t switches_a_call = 0;        // involuntary, of every baseline
  double launch_share = 0;                 // share of a baseline's time, until its last launch
  DevicePeaks peaks;                       // 0: no floor
  std::optional<DevicePeaks> peaks_again;  // once they were doubted; empty: the same
  double factor_when_repeated = 1;         // on the submission's time, after the oracle restarted
  std::string compiled_reason;
  std::optional<Error> load_error;
  std::optional<EarlyEnd> load_failure;                  // failure of the worker
  std::optional<EarlyEnd> eager_load_failure;            // failure of eager's, where it has one
  std::optional<double> eager_null_ns;                   // its empty calls, where not as others'
  std::int64_t eager_worker_ns = 4'000'000;              // a call of that one
  std::optional<std::pair<int, EarlyEnd>> call_failure;  // at the n-th forward call
  bool fails_again = false;                              // so many calls after that too
  std::vector<std::int64_t> clocks_khz;                  // one for each reading; empty: 0
  bool has_prepare = false;
  double prepare_ns = 0;
  bool python = false;                     // the worker is of that kind, on CUDA
  std::vector<OutputOrder> output_orders;  // orders of its calls' outputs
  bool copies_outputs = false;             // and whether they were copied within the call
  TorchUse torch_use;                      // torch in its observed call
  CodeProfiles code_profile;               // profile of each call that is looked at
  std::vector<bool> looked_at;             // for each forward call: whether it was

  // Steps of the evaluator, in order.
  std::vector<std::string> log;
  std::vector<std::uint64_t> input_keys;
  std::vector<std::string> hard_draws;  // one for each input; empty: the task's own
  std::vector<bool> full_audits;
  std::vector<int> revealed;  // slots, in the order of their calls
  std::vector<int> snapshots;
  std::vector<OutputOrder> orders;  // orders of the last one
  std::int64_t now_ns = 0;          // time of the scripted clock
  std::int64_t stolen_ns = 0;
  int oracle_core = -1;         // where each was put last
  int worker_core = -1;         // -1: on any
  int core_while_loading = -1;  // core of the worker
  std::optional<int> core_of_first_call;
  bool worker_is_there = false;
  int timed_beside_at_first_and_last = 0;  // first and last baselines beside a worker
  bool after_submission = false;
  bool restarted = false;
  bool worker_saw_restart = false;
  int audited = 0;
  int workers_started = 0;
  int empty_calls = 0;  // before loading
  int players_started = 0;
  int forward_calls = 0;
  std::string printed;  // by the submission
  int judged = 0;
  // The side of a vendor's library.
  double vendor_ns = 3e6;
  double vendor_error = 0;
  std::optional<EarlyEnd> vendor_load_failure;
  std::optional<int> vendor_fails_at;  // the n-th call
  std::string vendor_printed = "vendor algorithm: cuBLASLt algorithm 66\n";
  int vendor_calls = 0;
  bool seats_baselines = false;  // at the last placement
  bool second_seat_does_not_fit = false;
  std::vector<Activity> activities;  // activities of each recorded call
  std::size_t clock_readings = 0;

  [[nodiscard]] int count(const std::string& entry) const {
    int n = 0;
    for (const std::string& line : log) n += line == entry ? 1 : 0;
    return n;
  }
};

class FakeOracle final : public Oracle {
 public:
  explicit FakeOracle(Script& script) : script_(script) {}

  Result<OracleHello> hello() override { return OracleHello{}; }
  Status restart() override {
    script_.log.emplace_back("restart");
    script_.restarted = true;
    script_.worker_saw_restart |= script_.worker_is_there;
    return Done{};
  }
  Result<std::string> load(const std::filesystem::path&, const std::string&,
                           const std::filesystem::path&, int) override {
    if (script_.load_error) return *script_.load_error;
    return script_.compiled_reason;
  }
  Result<PlacedArenas> place(const PlaceRequest& request) override {
    script_.log.emplace_back("place");
    slots_ = request.slots;
    script_.seats_baselines = request.seats_baselines;
    if (request.seats_baselines && script_.second_seat_does_not_fit)
      return Error{ErrorCode::kDoesNotFit, "too large", ""};
    PlacedArenas arenas;
    arenas.geometry = {{1 << 20, 1 << 20, 1 << 20}, 1 << 20, 1 << 20};
    return arenas;
  }
  Status inputs(const std::vector<SlotInputs>& slots) override {
    script_.log.emplace_back("inputs");
    script_.after_submission = false;
    for (const SlotInputs& slot : slots) {
      script_.input_keys.push_back(slot.key);
      script_.hard_draws.push_back(slot.hard_draw);
    }
    return Done{};
  }
  Result<std::vector<EagerError>> reference() override {
    script_.log.emplace_back("reference");
    if (script_.reference_fails) return *script_.reference_fails;
    const std::uint64_t not_finite = is_hard() ? script_.hard_not_finite : script_.own_not_finite;
    return std::vector<EagerError>{{script_.eager_error, script_.eager_error, 1.0, not_finite}};
  }
  Result<std::vector<EagerError>> perturbed() override {
    script_.log.emplace_back("perturbed");
    return std::vector<EagerError>{{script_.perturbed_error, script_.perturbed_error, 1.0, 0}};
  }
  Status release() override { return Done{}; }
  Result<std::unique_ptr<Player>> start_player(const PlacedArenas&, std::uint64_t) override;
  Status keep_eager() override {
    script_.log.emplace_back("keep eager");
    return Done{};
  }
  [[nodiscard]] double baseline_ns(Side side, int calls) {
    note_who_is_there();
    script_.log.emplace_back(to_string(side));
    double ns = (side == Side::kEager ? script_.eager_ns : script_.compiled_ns) * calls;
    if (side == Side::kEager && script_.restarted) ns *= script_.eager_drift;
    if (script_.after_submission) ns *= script_.slowed_baseline;
    if (script_.worker_is_there) ns *= script_.slowed_beside_worker;
    return ns;
  }
  Result<BaselineTime> time(Side side) override {
    const double ns = baseline_ns(side, slots_);
    return BaselineTime{static_cast<std::int64_t>(ns), flush_now(), script_.switches_a_call,
                        static_cast<std::int64_t>(ns * script_.launch_share)};
  }
  Result<BaselineTime> record(Side side, const std::filesystem::path&, int file) override {
    script_.log.emplace_back("record");
    auto writer = ActivityWriter::open(UniqueFd(::dup(file)));
    if (!writer) return writer.error();
    writer->add({static_cast<std::int64_t>(baseline_ns(side, 1)), 0, script_.activities});
    return time(side);
  }
  Result<std::int64_t> flush() override { return flush_now(); }
  Status arm(Seat seat, const std::vector<SlotPlaces>&) override {
    seat_ = seat;
    log_of_seat("arm");
    return Done{};
  }
  Result<Revealed> reveal(int slot) override {
    log_of_seat("reveal");
    if (seat_ == Seat::kSubmission) script_.revealed.push_back(slot);
    pass(script_.copy_ns + script_.flush_ns);
    rests_since_ns_ = script_.now_ns;
    return Revealed{.flush_ns = flush_now()};
  }
  Status snapshot(int slot, const OutputPlaces& places) override {
    script_.orders = places.orders;
    if (seat_ == Seat::kSubmission) script_.snapshots.push_back(slot);
    log_of_seat("snapshot");
    if (script_.now_ns - rests_since_ns_ > 1'000'000) pass(script_.waking_ns);
    pass(script_.copy_ns);
    return Done{};
  }
  Result<Audit> audit(bool everything) override {
    script_.full_audits.push_back(everything);
    Audit found = script_.audit(script_.audited++);
    if (!everything) found.inputs_changed = found.params_changed = 0;
    return found;
  }
  Result<DevicePeaks> peaks() override {
    script_.log.emplace_back("peaks");
    return script_.count("doubt peaks") > 0 ? script_.peaks_again.value_or(script_.peaks)
                                            : script_.peaks;
  }
  void doubt_peaks() override { script_.log.emplace_back("doubt peaks"); }
  Result<std::vector<CompareResult>> judge(Against against,
                                           const std::vector<OutputBound>& bounds) override {
    script_.log.emplace_back(against == Against::kEager ? "judge eager" : "judge reference");
    const double error = script_.submission_error(script_.judged++);
    if (!is_hard()) return compare(error, bounds);
    const auto easy = std::count(script_.hard_draws.begin(), script_.hard_draws.end(), "");
    const auto hard = static_cast<int>(script_.hard_draws.size()) - static_cast<int>(easy);
    return compare(hard <= script_.hard_draws_off ? script_.hard_error : 0, bounds);
  }
  Result<std::vector<CompareResult>> judge_baseline(
      Side side, const std::vector<OutputBound>& bounds) override {
    if (side == Side::kCompiled) return compare(script_.compiled_error, bounds);
    script_.log.emplace_back(side == Side::kVendor ? "judge vendor" : "judge eager's worker");
    return compare(side == Side::kVendor ? script_.vendor_error : script_.eager_worker_error,
                   bounds);
  }
  Result<std::int64_t> sm_clock_khz() override {
    if (script_.clocks_khz.empty()) return std::int64_t{0};
    return script_.clocks_khz[script_.clock_readings++ % script_.clocks_khz.size()];
  }
  Status freeze() override {
    script_.log.emplace_back("freeze");
    return Done{};
  }
  Status thaw() override {
    script_.log.emplace_back("thaw");
    return Done{};
  }
  void run_on(int core) override { script_.oracle_core = core; }

 private:
  void log_of_seat(const char* what) {
    script_.log.emplace_back(seat_ == Seat::kSubmission ? what
                                                        : fmt::format("baselines' {}", what));
  }
  void note_who_is_there() {
    const bool first = script_.count("eager") + script_.count("compiled") == 0;
    if (first) first_beside_ = script_.worker_is_there ? 1 : 0;
    script_.timed_beside_at_first_and_last = first_beside_ + (script_.worker_is_there ? 1 : 0);
  }
  [[nodiscard]] bool is_hard() const { return !script_.hard_draws.back().empty(); }

  static std::vector<CompareResult> compare(double error, const std::vector<OutputBound>& bounds) {
    CompareResult result;
    const bool wrong = !(error <= bounds.at(0).absolute);
    result.wrong = wrong ? 1 : 0;
    result.max_error = error;
    result.tolerance_at_max = bounds.at(0).absolute;
    result.sum_squared_error = std::isnan(error) ? 0 : error * error;
    result.sum_squared_reference = 1;
    return {result};
  }

  void pass(double nanoseconds) { script_.now_ns += static_cast<std::int64_t>(nanoseconds); }
  [[nodiscard]] std::int64_t flush_now() const {
    const double beside = script_.worker_is_there ? script_.flush_beside_ns : 0;
    return static_cast<std::int64_t>(script_.flush_ns + beside);
  }

  Script& script_;
  Seat seat_ = Seat::kSubmission;
  int slots_ = 1;
  int first_beside_ = 0;
  std::int64_t rests_since_ns_ = 0;
};

// Plays the baselines on CPU.
class FakePlayer final : public Player {
 public:
  FakePlayer(Script& script, FakeOracle& oracle) : script_(script), oracle_(oracle) {
    ++script_.players_started;
    script_.log.emplace_back("baselines start");
  }
  std::optional<EarlyEnd> await_ready(std::chrono::milliseconds) override { return std::nullopt; }
  PlayerAnswer call(const PlayerCall& call) override {
    PlayerAnswer answer;
    if (call.kind == CallKind::kHandOver) {
      script_.log.emplace_back("hand over");
      return answer;
    }
    answer.wall_ns = static_cast<std::int64_t>(script_.null_ns);
    if (call.kind == CallKind::kNull) script_.log.emplace_back("baselines' null");
    if (call.kind == CallKind::kEager) play(Side::kEager, answer);
    if (call.kind == CallKind::kCompiled) play(Side::kCompiled, answer);
    script_.now_ns += answer.wall_ns;
    answer.done_at_ns = script_.now_ns;
    return answer;
  }

 private:
  void play(Side side, PlayerAnswer& answer) {
    answer.claimed_ns = static_cast<std::int64_t>(oracle_.baseline_ns(side, 1));
    answer.wall_ns += answer.claimed_ns;
    answer.switches = script_.switches_a_call;
  }

  Script& script_;
  FakeOracle& oracle_;
};

inline Result<std::unique_ptr<Player>> FakeOracle::start_player(const PlacedArenas&,
                                                                std::uint64_t) {
  return std::unique_ptr<Player>(std::make_unique<FakePlayer>(script_, *this));
}

// Plays eager, where a worker does.
class FakeEager final : public Worker {
 public:
  explicit FakeEager(Script& script) : script_(script) {}
  std::optional<EarlyEnd> await_ready(std::chrono::milliseconds) override { return std::nullopt; }
  std::optional<EarlyEnd> load() override { return std::nullopt; }
  std::optional<EarlyEnd> await_loaded(std::chrono::milliseconds) override {
    script_.log.emplace_back("eager's worker loads");
    return script_.eager_load_failure;
  }
  [[nodiscard]] const WorkerKind& kind() const override { return python_worker(); }
  PlayerAnswer call(const PlayerCall& call) override {
    script_.log.emplace_back(call.kind == CallKind::kNull ? "eager's null" : "eager's call");
    PlayerAnswer answer;
    const bool empty = call.kind == CallKind::kNull;
    answer.wall_ns = static_cast<std::int64_t>(
        empty ? script_.eager_null_ns.value_or(script_.null_ns) : script_.null_ns);
    if (!empty) answer.wall_ns += script_.eager_worker_ns;
    script_.now_ns += answer.wall_ns;
    answer.done_at_ns = script_.now_ns;
    return answer;
  }
  void run_on(std::span<const int>) override {}
  [[nodiscard]] std::string last_output() override { return ""; }
  [[nodiscard]] Result<std::vector<MappedCode>> mapped_code() override {
    return std::vector<MappedCode>();
  }
  [[nodiscard]] bool has_prepare() const override { return false; }

 private:
  Script& script_;
};

// Plays a vendor's library.
class FakeVendor final : public Worker {
 public:
  explicit FakeVendor(Script& script) : script_(script) {}
  std::optional<EarlyEnd> await_ready(std::chrono::milliseconds) override { return std::nullopt; }
  std::optional<EarlyEnd> load() override { return std::nullopt; }
  std::optional<EarlyEnd> await_loaded(std::chrono::milliseconds) override {
    return script_.vendor_load_failure;
  }
  PlayerAnswer call(const PlayerCall& call) override {
    script_.log.emplace_back("vendor");
    PlayerAnswer answer;
    answer.claimed_ns =
        call.kind == CallKind::kForward ? static_cast<std::int64_t>(script_.vendor_ns) : 0;
    answer.wall_ns = answer.claimed_ns + static_cast<std::int64_t>(script_.null_ns);
    if (script_.vendor_calls++ == script_.vendor_fails_at)
      answer.failure = EarlyEnd{State::kSubmissionError, "it returned 1", ""};
    script_.now_ns += answer.wall_ns;
    answer.done_at_ns = script_.now_ns;
    return answer;
  }
  void run_on(std::span<const int>) override {}
  [[nodiscard]] std::string last_output() override {
    return std::exchange(script_.vendor_printed, "");
  }
  [[nodiscard]] Result<std::vector<MappedCode>> mapped_code() override {
    return std::vector<MappedCode>();
  }
  [[nodiscard]] bool has_prepare() const override { return false; }

 private:
  Script& script_;
};

class FakeWorker final : public Worker {
 public:
  explicit FakeWorker(Script& script) : script_(script), number_(script.workers_started) {}
  ~FakeWorker() override { script_.worker_is_there = false; }
  FakeWorker(const FakeWorker&) = delete;
  FakeWorker& operator=(const FakeWorker&) = delete;

  std::optional<EarlyEnd> await_ready(std::chrono::milliseconds) override { return std::nullopt; }
  std::optional<EarlyEnd> load() override {
    script_.log.emplace_back("load");
    script_.core_while_loading = script_.worker_core;
    script_.worker_is_there = true;
    return std::nullopt;
  }
  std::optional<EarlyEnd> await_loaded(std::chrono::milliseconds) override {
    return script_.load_failure;
  }
  [[nodiscard]] const WorkerKind& kind() const override {
    return script_.python ? python_worker() : native_worker();
  }
  [[nodiscard]] TorchUse torch_use() override { return script_.torch_use; }
  [[nodiscard]] CodeProfiles take_code_profile() override { return script_.code_profile; }
  PlayerAnswer call(const PlayerCall& call) override {
    PlayerAnswer answer;
    answer.wall_ns = static_cast<std::int64_t>(script_.null_ns);
    if (call.kind == CallKind::kNull) answer.wall_ns += more_for_an_empty_call();
    if (call.kind == CallKind::kForward || call.kind == CallKind::kObserved) {
      if (!script_.core_of_first_call) script_.core_of_first_call = script_.worker_core;
      script_.patience.push_back(call.timeout);
      script_.looked_at.push_back(call.look_every.count() > 0);
      forward(answer);
    }
    if (call.kind == CallKind::kPrepare) {
      script_.log.emplace_back("prepare");
      answer.claimed_ns = 1;
      answer.wall_ns += static_cast<std::int64_t>(script_.prepare_ns);
    }
    answer.done_at_ns = script_.now_ns + answer.wall_ns;
    script_.now_ns += answer.wall_ns;
    return answer;
  }
  void run_on(std::span<const int> cores) override {
    script_.worker_core = cores.size() == 1 ? cores[0] : -1;
  }
  [[nodiscard]] std::string last_output() override { return script_.printed; }
  [[nodiscard]] Result<std::vector<MappedCode>> mapped_code() override {
    const bool is_early = calls_ < script_.maps_after;
    if (is_early || script_.maps_in.value_or(number_) != number_) return std::vector<MappedCode>();
    return script_.mapped_code;
  }
  [[nodiscard]] bool has_prepare() const override { return script_.has_prepare; }

 private:
  std::int64_t more_for_an_empty_call() {
    script_.log.emplace_back("null");
    if (script_.worker_is_there) return 0;
    const double more = script_.null_before_loading_ns;
    const bool late = script_.late_nulls_one_in > 0 &&
                      ++script_.empty_calls % script_.late_nulls_one_in == 0 &&
                      (!script_.late_nulls_afterwards || script_.count("submission") > 0);
    return static_cast<std::int64_t>(more + (late ? 2e6 : 0));
  }

  void forward(PlayerAnswer& answer) {
    ++calls_;
    answer.places.orders = script_.output_orders;
    answer.copied = script_.copies_outputs;
    script_.log.emplace_back("submission");
    script_.after_submission = true;
    if (script_.call_failure && script_.call_failure->first == script_.forward_calls++) {
      answer.failure = script_.call_failure->second;
      if (script_.fails_again) script_.forward_calls = 0;
    }
    const double factor = script_.restarted ? script_.factor_when_repeated : 1;
    const double claimed = script_.submission_ns * factor;
    answer.claimed_ns = static_cast<std::int64_t>(claimed);
    const double hidden = script_.hides_once && script_.restarted ? 0 : script_.hidden_ns;
    answer.wall_ns += static_cast<std::int64_t>(claimed + hidden);
    script_.now_ns += static_cast<std::int64_t>(script_.early_ns + script_.leftover_ns);
  }

  Script& script_;
  const int number_;
  int calls_ = 0;
};

inline Surroundings scripted_surroundings(Script& script) {
  return {.now_ns = [&script] { return script.now_ns; },
          .stolen_ns = [&script] { return script.stolen_ns; },
          .pressure =
              [&script] {
                const double waited = script.waiting_share * static_cast<double>(script.now_ns);
                return Pressure{.cpu_ns = static_cast<std::int64_t>(waited)};
              },
          .others_run = [&script] { return script.others_run; },
          .clock_limits = [&script] { return script.clock_limits; },
          .spin_ns = [&script](std::int64_t nanoseconds) { script.now_ns += nanoseconds; }};
}

inline WorkerFactory worker_factory(Script& script) {
  return [&script](const WorkerStart& start) -> Result<std::unique_ptr<Worker>> {
    if (start.seat == Seat::kBaselines)
      return std::unique_ptr<Worker>(std::make_unique<FakeEager>(script));
    ++script.workers_started;
    script.log.emplace_back("worker starts");
    return std::unique_ptr<Worker>(std::make_unique<FakeWorker>(script));
  };
}

}  // namespace kbench::fakes
