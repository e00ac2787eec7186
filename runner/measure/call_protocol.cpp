#include "runner/measure/call_protocol.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "runner/core/defence.hpp"
#include "runner/core/labels.hpp"
#include "runner/core/usable_cores.hpp"
#include "runner/measure/secret.hpp"
#include "runner/measure/watch/pressure_share.hpp"
#include "runner/task/hard_draws.hpp"
#include "runner/task/large_biases.hpp"

namespace kbench {
namespace {

using std::chrono::milliseconds;

constexpr auto kLoadTimeout = milliseconds{30'000};
constexpr auto kBaselineTimeout = milliseconds{300'000};
// The audit looks at inputs and parameters in one call of so many. Which calls is secret.
constexpr std::uint64_t kFullAuditOneIn = 8;
// CUDA, share of the time in which some program of the machine waits for a core. Beside 32 busy
// loops on 16 cores an honest tanh outlasted its claim by 56 us in two measurements, where 55 are
// granted (H200), and only a tenth of the empty calls or less came late.
constexpr double kSaturated = 0.1;
// CUDA: blocks that begin with an empty call of the worker's own. Every second one of the later
// blocks does: a lower quartile needs no more, and each reveals and takes all tensors, 12 ms of a
// relu at full.
constexpr int kBlocksWithAnEmptyCall = 12;

// A fault of eager's worker is ours: nothing foreign runs in it.
std::optional<EarlyEnd> as_ours(std::optional<EarlyEnd> end) {
  if (!end || end->state == State::kDoesNotFit) return end;
  return EarlyEnd{State::kInfrastructureError,
                  "the task's own Model, played as a submission for eager, failed: " + end->message,
                  end->hint};
}

}  // namespace

CallProtocol::CallProtocol(const EvaluationRequest& request, const EvaluationSettings& settings,
                           Oracle& oracle, const WorkerFactory& start_worker,
                           const KeySchedule& keys, WaitBudget& budget, Evaluation& record)
    : request_(request),
      settings_(settings),
      oracle_(oracle),
      start_worker_(start_worker),
      keys_(keys),
      budget_(budget),
      record_(record),
      submission_{Seat::kSubmission, ClaimLedger(request.device)},
      baselines_{Seat::kBaselines, ClaimLedger(request.device)},
      eager_{Seat::kBaselines, ClaimLedger(request.device)},
      vendor_(request, oracle, record),
      quiet_core_(request.cores, settings.surroundings.probe_core_ns),
      all_cores_(usable_cores()) {}

CallProtocol::~CallProtocol() {
  if (worker_ && settings_.bury) settings_.bury(std::move(worker_));
}

template <class Wait>
std::optional<EarlyEnd> CallProtocol::at_its_expense(const Wait& wait) {
  const std::int64_t start = settings_.surroundings.now_ns();
  auto end = wait();
  budget_.spend(std::chrono::nanoseconds{settings_.surroundings.now_ns() - start});
  if (!budget_.exhausted()) return end;
  return EarlyEnd{
      State::kOverBudget,
      fmt::format("it kept the run waiting for {} s in all, loading and in calls",
                  std::chrono::duration_cast<std::chrono::seconds>(budget_.limit()).count()),
      "it is far slower than eager, or waits for something; --budget gives a submission more time"};
}

std::uint64_t CallProtocol::random_offset() {
  if (!stands(Defence::kFreshPlaces)) return kLeastOffset;
  const DeviceKind device = on_cpu() ? DeviceKind::kCpu : DeviceKind::kCuda;
  return drawn_offset(keys_.key("offset", offsets_drawn_++), device);
}

std::vector<SlotPlaces> CallProtocol::random_places() {
  std::vector<SlotPlaces> places;
  for (int slot = 0; slot < slots_; ++slot) {
    const auto index = static_cast<std::uint64_t>(slot);
    places.push_back({index * arenas_.geometry.input_stride + random_offset(),
                      index * arenas_.geometry.output_stride + random_offset()});
  }
  return places;
}

std::string CallProtocol::likely_cause() {
  return worker_ ? kbench::likely_cause(worker_->model_account(), worker_->has_prepare()) : "";
}

std::string CallProtocol::step_against_races() {
  return worker_ ? fmt::format("to find a race or a wrong bound: {}", worker_->kind().crash_step)
                 : "";
}

std::string CallProtocol::last_output() { return worker_ ? worker_->last_output() : ""; }

void CallProtocol::dismiss() {
  submission_.player = baselines_.player = eager_.player = nullptr;
  baselines_player_.reset();
  eager_worker_.reset();
  vendor_.end();
  worker_.reset();
  worker_is_ready_ = false;
  core_chosen_ns_ = 0;  // the next one is somewhere else
}

std::optional<EarlyEnd> CallProtocol::place(int slots, bool large_biases) {
  dismiss();
  PlaceRequest place;
  place.slots = slots;
  place.key = keys_.key("parameters", placements_made_++);
  if (large_biases) place.key = key_of_large_biases(place.key);
  is_behind_timing_ = large_biases;
  place.param_offset = random_offset();
  place.private_param_offset = random_offset();
  place.original_draws = settings_.original_draws;
  place.seats_baselines = has_baseline_player() || vendor_.plays();
  place.timed = settings_.is_timed();
  place.baselines_param_offset = random_offset();
  place.heap_bytes = request_.heap_bytes;
  auto arenas = oracle_.place(place);
  if (!arenas && arenas.error().code == ErrorCode::kDoesNotFit && vendor_.plays()) {
    vendor_.leave_out("the device has no memory for tensors of its own");
    place.seats_baselines = has_baseline_player();
    arenas = oracle_.place(place);
  }
  if (!arenas) return from_error(arenas.error());
  arenas_ = std::move(*arenas);
  submission_.parameter_base = place.param_offset;
  baselines_.parameter_base = eager_.parameter_base = place.baselines_param_offset;
  slots_ = slots;
  vendor_.start(arenas_, place.baselines_param_offset);
  return on_cpu() ? start_players() : std::nullopt;
}

// The player that starts first gets the memory that the players before have freed, in pages that
// lie all over: a layer norm was 5 to 20 % slower with its heap there, on any side. So the order of
// players is drawn anew, and each has its memory before the next one starts.
std::optional<EarlyEnd> CallProtocol::start_players() {
  const std::vector<Side> sides{Side::kEager, Side::kCompiled, Side::kSubmission};
  for (const Side side : shuffled(sides, keys_.key("start", placements_made_)))
    if (auto end = start_player(side)) return end;
  return std::nullopt;
}

std::optional<EarlyEnd> CallProtocol::start_player(Side side) {
  if (side == Side::kCompiled) return start_baselines();
  if (side == Side::kEager) return request_.eager_is_a_worker ? start_eager() : std::nullopt;
  if (library_.empty()) return std::nullopt;
  if (auto end = start_worker()) return end;
  return await_worker();
}

std::optional<EarlyEnd> CallProtocol::await_worker() {
  if (worker_is_ready_) return std::nullopt;
  worker_is_ready_ = true;
  return worker_->await_ready(kLoadTimeout);
}

std::optional<EarlyEnd> CallProtocol::start_baselines() {
  if (!has_baseline_player()) return std::nullopt;
  auto player = oracle_.start_player(arenas_, baselines_.parameter_base);
  if (!player) return from_error(player.error());
  baselines_player_ = std::move(*player);
  baselines_.player = baselines_player_.get();
  baselines_.ledger.forget_player();
  return baselines_player_->await_ready(kBaselineTimeout);
}

std::optional<EarlyEnd> CallProtocol::start_eager() {
  auto worker = start_worker_({.device = request_.device,
                               .threads = request_.threads,
                               .size = request_.size,
                               .arenas = &arenas_,
                               .seat = Seat::kBaselines,
                               .parameter_base = eager_.parameter_base,
                               .precision = request_.precision});
  if (!worker) return as_ours(from_error(worker.error()));
  eager_worker_ = std::move(*worker);
  eager_.player = eager_worker_.get();
  eager_.ledger.forget_player();
  return as_ours(eager_worker_->await_ready(kLoadTimeout));
}

std::optional<EarlyEnd> CallProtocol::load_eager() {
  if (eager_.ledger.calibrated()) return std::nullopt;
  if (auto end = calibrate(eager_)) return end;
  if (auto end = eager_worker_->load()) return as_ours(end);
  return as_ours(eager_worker_->await_loaded(kLoadTimeout));
}

std::optional<EarlyEnd> CallProtocol::start_worker() {
  if (!request_.submission || worker_) return std::nullopt;
  submission_.ledger.forget_player();
  auto library = request_.library();
  if (!library) return from_error(library.error());
  library_ = std::move(*library);
  auto worker = start_worker_({.device = request_.device,
                               .device_index = request_.device_index,
                               .threads = request_.threads,
                               .library = library_,
                               .size = request_.size,
                               .arenas = &arenas_,
                               .parameter_base = submission_.parameter_base,
                               .precision = request_.precision});
  if (!worker) return from_error(worker.error());
  worker_ = std::move(*worker);
  submission_.player = worker_.get();
  return std::nullopt;
}

std::optional<EarlyEnd> CallProtocol::load() {
  if (!request_.submission) return std::nullopt;
  if (auto end = await_worker()) return end;
  if (stands(Defence::kTrustedEmptyCalls) && !eager_worker_)
    if (auto end = calibrate(submission_)) return end;
  leave_quiet_core();
  return worker_->load();
}

std::optional<EarlyEnd> CallProtocol::prepare() {
  if (!request_.submission) return std::nullopt;
  const auto load = [&] { return worker_->await_loaded(budget_.at_most(kLoadTimeout)); };
  if (auto end = at_its_expense(load)) return end;
  if (worker_->model_account().parameters_by_order) add_label("parameters_by_order");
  if (auto end = inspect()) return end;
  if (!stands(Defence::kTrustedEmptyCalls) && !eager_worker_)
    if (auto end = calibrate(submission_)) return end;
  if (!worker_->has_prepare()) return std::nullopt;
  PlayerAnswer answer;
  const auto call = [&] {
    answer = worker_->call({.kind = CallKind::kPrepare,
                            .parameter_base = submission_.parameter_base,
                            .timeout = budget_.at_most(kLoadTimeout)});
    return answer.failure;
  };
  if (auto end = at_its_expense(call)) return end;
  if (!is_behind_timing_) record_.prepare_ns = answer.claimed_ns;
  return std::nullopt;
}

std::optional<EarlyEnd> CallProtocol::draw_inputs(std::optional<HardDraw> hard) {
  const std::string name(hard ? to_string(*hard) : "");
  std::vector<SlotInputs> slots;
  for (int slot = 0; slot < slots_; ++slot)
    slots.push_back({keys_.key("input", stands(Defence::kFreshInputs) ? inputs_drawn_++ : 0),
                     random_offset(), name});
  if (auto drawn = oracle_.inputs(slots); !drawn) return from_error(drawn.error());
  return std::nullopt;
}

// A hundred times eager, but never so short that a first call is cut off, or on a CPU one whose
// core another program keeps busy: a thread then waits 0.2 s for its turn, at each barrier anew.
milliseconds CallProtocol::call_timeout() const {
  if (settings_.call_limit) return *settings_.call_limit;
  constexpr milliseconds kLeastOnCpu{20'000}, kMost{60'000};
  const milliseconds least = on_cpu() ? kLeastOnCpu : worker_->kind().least_call_timeout;
  const milliseconds patience{static_cast<std::int64_t>(eager_ns_ * 100 * slots_ / 1e6)};
  return std::clamp(patience, least, kMost);
}

// How long the oracle has nothing to do while a submission works that is as fast as eager.
std::int64_t CallProtocol::usual_call_ns() const {
  constexpr double kDeepRestNs = 5e6;  // nothing rests deeper after that
  return static_cast<std::int64_t>(std::min(eager_ns_ * slots_, kDeepRestNs));
}

// On a CPU the oracle's threads stand still during the call. Once the player's do too, any thread
// that runs is a stranger's. It disturbs nothing where nothing is timed.
std::optional<EarlyEnd> CallProtocol::call_player(Seated& side, const PlayerCall& call,
                                                  PlayerAnswer& answer) {
  const bool stands_still = on_cpu() && settings_.is_timed();
  if (stands_still)
    if (auto frozen = oracle_.freeze(); !frozen) return from_error(frozen.error());
  answer = side.player->call(call);
  if (stands_still) {
    if (settings_.surroundings.others_run()) ++strangers_;
    if (auto thawed = oracle_.thaw(); !thawed) return from_error(thawed.error());
  }
  const bool is_ours = on_cpu() && &side == &eager_;
  return is_ours ? as_ours(answer.failure) : answer.failure;
}

std::optional<EarlyEnd> CallProtocol::run(Seated& side, CallKind kind, CallTimes& times) {
  const std::vector<SlotPlaces> places = random_places();
  if (auto armed = oracle_.arm(side.seat, places); !armed) return from_error(armed.error());
  const int calls = kind == CallKind::kNull ? 1 : slots_;
  for (int slot = 0; slot < calls; ++slot)
    if (auto end = run_slot(side, kind, slot, places.at(static_cast<std::size_t>(slot)), times))
      return end;
  return std::nullopt;
}

// The next inputs are shown once these outputs are taken: a submission that sees several could
// serve them together.
std::optional<EarlyEnd> CallProtocol::run_slot(Seated& side, CallKind kind, int slot,
                                               const SlotPlaces& places, CallTimes& times) {
  const std::int64_t start = settings_.surroundings.now_ns();
  const auto revealed = oracle_.reveal(slot);
  if (!revealed) return from_error(revealed.error());
  PlayerAnswer answer;
  const std::chrono::nanoseconds none{0};
  const bool looked_at = &side == &submission_ && kind == CallKind::kForward && slot >= look_from_;
  const auto call = [&](std::chrono::milliseconds timeout) {
    return call_player(side,
                       {.kind = kind,
                        .parameter_base = side.parameter_base,
                        .places = places,
                        .gate = revealed->gate,
                        .timeout = timeout,
                        .look_every = looked_at ? look_every_ : none,
                        .first_look = looked_at && slot == look_from_ ? first_look_ : none},
                       answer);
  };
  const bool is_baseline = side.seat == Seat::kBaselines;
  if (auto end = is_baseline ? call(kBaselineTimeout) : at_its_expense([&] {
        return call(budget_.at_most(call_timeout()));
      }))
    return end;
  // The oracle rests in an empty call as long as in a real one: what honest calls showed above
  // empty ones on the strict clock fell from 0.21 to 0.13 ms in the middle (H200, virtual machine).
  const std::int64_t done = settings_.surroundings.now_ns();
  if (kind == CallKind::kNull && !on_cpu()) settings_.surroundings.spin_ns(usual_call_ns());
  const std::int64_t rested = settings_.surroundings.now_ns() - done;
  if (&side == &baselines_ && kind != CallKind::kNull)
    if (auto end = hand_over(places)) return end;
  // Eager's outputs stay in their snapshot until the next one. A worker's are taken after empty
  // calls as well: these find the outputs' memory then as the real ones do.
  if (&side != &baselines_ || kind == CallKind::kEager)
    if (auto taken = oracle_.snapshot(slot, answer.places); !taken)
      return from_error(taken.error());
  if (answer.copied) add_label("outputs_copied");
  const bool claims_count = !on_cpu() && stands(Defence::kClaimsBounded);
  if (kind == CallKind::kForward && answer.claimed_ns <= 0 && claims_count)
    return inconsistent("the worker claims that a call took no time");
  times.claimed_ns += answer.claimed_ns;
  times.switches += answer.switches;
  times.waited_ns += answer.waited_ns;
  times.flush_ns += revealed->flush_ns;
  // A GPU is busy with what hides the inputs until go is long said: the sum is steadier than its
  // parts.
  times.wall_ns += on_cpu() ? answer.wall_ns : answer.done_at_ns - start;
  times.strict_ns += settings_.surroundings.now_ns() - start - rested;
  return std::nullopt;
}

std::optional<EarlyEnd> CallProtocol::hand_over(const SlotPlaces& places) {
  const PlayerCall call{.kind = CallKind::kHandOver, .places = places, .timeout = kBaselineTimeout};
  return baselines_.player->call(call).failure;
}

std::optional<EarlyEnd> CallProtocol::make_empty_calls(Seated& side, NullCalls& made) {
  const int calls = placements_made_ == 1 ? settings_.null_calls : settings_.null_calls_again;
  for (int i = 0; i <= calls; ++i) {
    take_quiet_core();
    CallTimes times;
    if (auto end = run(side, CallKind::kNull, times)) return end;
    if (i == 0) continue;  // starts threads and touches pages
    made.wall_ns.push_back(static_cast<double>(times.wall_ns));
    made.strict_ns.push_back(static_cast<double>(times.strict_ns));
  }
  return std::nullopt;
}

std::optional<EarlyEnd> CallProtocol::calibrate(Seated& side) {
  NullCalls nulls;
  if (auto end = make_empty_calls(side, nulls)) return end;
  side.ledger.calibrate(std::move(nulls));
  if (&side.ledger != &ledger() || is_behind_timing_) return std::nullopt;
  record_.null_call_ns = side.ledger.null_wall_ns();
  record_.null_strict_ns = side.ledger.null_strict_ns();
  return std::nullopt;
}

std::optional<EarlyEnd> CallProtocol::make_empty_call() {
  if (!on_cpu()) return make_own_empty_call();
  if (!eager_worker_) return std::nullopt;
  CallTimes times;
  if (auto end = run(eager_, CallKind::kNull, times)) return end;
  eager_.ledger.add_empty_call(static_cast<double>(times.wall_ns));
  return std::nullopt;
}

std::optional<EarlyEnd> CallProtocol::make_own_empty_call() {
  if (!worker_ || !stands(Defence::kTrustedEmptyCalls)) return std::nullopt;
  const int block = blocks_begun_++;
  if (block >= kBlocksWithAnEmptyCall && block % 2 == 1) return std::nullopt;
  take_quiet_core();
  CallTimes times;
  if (auto end = run(submission_, CallKind::kNull, times)) return end;
  submission_.ledger.add_own_empty_call(static_cast<double>(times.wall_ns));
  return std::nullopt;
}

std::optional<EarlyEnd> CallProtocol::time_baseline(Side side, BaselineTime& timed) {
  if (!has_baseline_player()) {
    auto by_oracle = oracle_.time(side);
    if (!by_oracle) return from_error(by_oracle.error());
    timed = *by_oracle;
    return std::nullopt;
  }
  if (side == Side::kCompiled) return time_player(baselines_, CallKind::kCompiled, timed);
  if (!eager_worker_ || graph_plays_eager_) return time_graph(timed);
  if (auto end = load_eager()) return end;
  return time_player(eager_, CallKind::kForward, timed);
}

std::optional<EarlyEnd> CallProtocol::time_graph(BaselineTime& timed) {
  return time_player(baselines_, CallKind::kEager, timed);
}

std::optional<EarlyEnd> CallProtocol::time_player(Seated& side, CallKind kind,
                                                  BaselineTime& timed) {
  if (!side.ledger.calibrated())
    if (auto end = calibrate(side)) return end;
  CallTimes times;
  if (auto end = run(side, kind, times)) return end;
  timed.ns = side.ledger.time_of(times.claimed_ns, times.wall_ns, slots_);
  timed.flush_ns = times.flush_ns;
  timed.involuntary_switches = times.switches;
  timed.waited_ns = times.waited_ns;
  timed.launch_ns = timed.ns;
  if (kind == CallKind::kCompiled) return std::nullopt;
  if (auto kept = oracle_.keep_eager(); !kept) return from_error(kept.error());
  return std::nullopt;
}

void CallProtocol::time_vendor(std::optional<std::int64_t>& ns) {
  ns = vendor_.call(random_places().front());
}

bool CallProtocol::take_vendor() { return vendor_.call_and_take(random_places().front()); }

void CallProtocol::have_graph_play_eager() {
  graph_plays_eager_ = true;
  add_label("eager_by_graph");
}

std::optional<EarlyEnd> CallProtocol::call(CallTimes& times, bool everything) {
  // Operators are counted in a call that is checked and not timed.
  const bool observed = everything && !torch_use_known_ && worker_->kind().observes;
  if (auto end = run(submission_, observed ? CallKind::kObserved : CallKind::kForward, times))
    return end;
  if (observed)
    if (auto end = judge_torch_use()) return end;
  times.time_ns = ledger().time_of(times.claimed_ns, times.wall_ns, slots_);
  if (look_every_.count() == 0) last_call_ns_ = times.wall_ns / slots_;
  const bool drawn = keys_.key("audit", calls_made_++) % kFullAuditOneIn == 0;
  return audit(everything || drawn);
}

std::optional<EarlyEnd> CallProtocol::audit(bool everything) {
  auto found = oracle_.audit(everything);
  if (!found) return from_error(found.error());
  if (found->outside_outputs > 0 && stands(Defence::kRedzones)) {
    return EarlyEnd{
        State::kRedzoneViolation,
        fmt::format("{} bytes outside of the outputs were written to{}", found->outside_outputs,
                    found->outside_at.empty() ? "" : ", the first of them " + found->outside_at),
        fmt::format("check the bounds of the last block or vector of each output; {}",
                    worker_->kind().crash_step)};
  }
  const bool changed = found->inputs_changed > 0 || found->params_changed > 0;
  if (changed && stands(Defence::kInputsAudited)) {
    return EarlyEnd{
        State::kInputModified,
        fmt::format("{} bytes of the inputs and {} bytes of the parameters were changed",
                    found->inputs_changed, found->params_changed),
        "inputs and parameters are read only; scratch memory is in the workspace"};
  }
  return std::nullopt;
}

// The looking thread loses its core to the threads that it has just continued, for a slice of the
// scheduler if all cores are busy. So the part of a call before the first look differs from call to
// call.
std::optional<EarlyEnd> CallProtocol::call_and_profile() {
  constexpr std::int64_t kFewestParts = 4, kMostParts = 60;
  constexpr std::chrono::nanoseconds kLeast = std::chrono::microseconds{100};
  const auto within = static_cast<std::uint64_t>(std::max<std::int64_t>(last_call_ns_, 1));
  first_look_ = std::chrono::nanoseconds(1 + keys_.key("first look", looks_planned_) % within);
  look_from_ =
      static_cast<int>(keys_.key("look from", looks_planned_) % static_cast<std::uint64_t>(slots_));
  const auto drawn = static_cast<std::int64_t>(keys_.key("look", looks_planned_++) >> 1);
  const std::int64_t parts = kFewestParts + drawn % (kMostParts - kFewestParts + 1);
  look_every_ = std::max(kLeast, std::chrono::nanoseconds(last_call_ns_ / parts));
  CallTimes times;
  auto end = call(times);
  look_every_ = first_look_ = std::chrono::nanoseconds{0};
  look_from_ = 0;
  code_profile_.add(worker_->take_code_profile());
  return end;
}

void CallProtocol::saw_baseline(Side side, const BaselineTime& timed) {
  if (request_.submission) idle_.beside(timed.flush_ns);
  if (side == Side::kEager) launching_matters_ = launching_matters(timed);
}

void CallProtocol::saw_baseline_alone(Side side, const BaselineTime& timed) {
  idle_.alone(timed.flush_ns);
  if (side != Side::kEager) return;
  launching_matters_ = launching_matters(timed);
  expect(static_cast<double>(timed.ns) / slots_);
}

// On CPU the oracle's and the worker's threads have their places from the start.
void CallProtocol::take_quiet_core() {
  // Asking takes 4 ms, and a core is disturbed for 100 ms and more at a time.
  const std::int64_t good_for = launching_matters_ ? 10'000'000 : 1'000'000'000;
  const std::int64_t now = settings_.surroundings.now_ns();
  if (on_cpu() || (core_chosen_ns_ != 0 && now - core_chosen_ns_ < good_for)) return;
  core_chosen_ns_ = now;
  const auto core = quiet_core_.choose();
  if (!core) return;
  supervisor_.stay_off(*core);
  oracle_.run_on(*core);
  if (worker_) worker_->run_on({&*core, 1});
  vendor_.run_on(*core);
}

void CallProtocol::leave_quiet_core() {
  if (on_cpu() || core_chosen_ns_ == 0) return;
  core_chosen_ns_ = 0;
  if (worker_) worker_->run_on(all_cores_);
}

void CallProtocol::add_label(const std::string& label) {
  std::string clean = label;
  std::replace(clean.begin(), clean.end(), ' ', '_');
  kbench::add_label(record_.labels, clean);
}

// A saturated host delays single calls by milliseconds, by chance more often those of one side, and
// all of them by some microseconds. Only processes that have loaded nothing foreign say that it
// was: the worker at its start, else a new one, which is also when the kernel is asked.
std::optional<EarlyEnd> CallProtocol::unless_host_was_busy(EarlyEnd accusation) {
  bool late = stands(Defence::kTrustedEmptyCalls) && came_late(submission_.ledger.empty_calls());
  if (!late) {
    dismiss();
    if (auto released = oracle_.release(); !released) return from_error(released.error());
    NullCalls afterwards;
    if (auto end = start_worker()) return as_ours(end);
    if (auto end = await_worker()) return as_ours(end);
    const PressureShare waiting(settings_.surroundings);
    if (auto end = make_empty_calls(submission_, afterwards)) return as_ours(end);
    late = came_late(afterwards) || waiting.until_now() > kSaturated;
    dismiss();
  }
  if (!late) return accusation;
  add_label("busy_machine");
  return std::nullopt;
}

}  // namespace kbench
