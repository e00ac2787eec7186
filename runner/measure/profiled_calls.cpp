#include "runner/measure/profiled_calls.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "runner/activity/activity_file.hpp"
#include "runner/measure/secret.hpp"
#include "runner/measure/vendor_side.hpp"
#include "runner/measure/watch/pressure_share.hpp"

namespace kbench {
namespace {

constexpr std::chrono::milliseconds kLoadTimeout{30'000};
constexpr std::chrono::milliseconds kCallTimeout{20'000};
// Time limit of a vendor's call, as in an evaluation: the first call chooses among algorithms, and
// cuDNN compiles some of them.
constexpr std::chrono::milliseconds kVendorTimeout{300'000};

Error as_error(const EarlyEnd& end) {
  const bool theirs = fault_of(end.state) == Fault::kSubmission;
  return {theirs ? ErrorCode::kSubmission : ErrorCode::kInfrastructure, end.message, end.hint};
}

class Recording {
 public:
  Recording(const EvaluationRequest& request, const EvaluationSettings& settings, Side side,
            const std::filesystem::path& cupti, Oracle& oracle, const WorkerFactory& start_worker)
      : request_(request),
        settings_(settings),
        side_(side),
        cupti_(cupti),
        oracle_(oracle),
        start_worker_(start_worker),
        keys_(request.seed) {}

  Result<RecordedCalls> run() {
    auto file = make_activity_file();
    if (!file) return file.error();
    file_ = std::move(*file);
    if (auto placed = place(); !placed) return placed.error();
    const auto done = has_worker() ? worker_calls() : baseline();
    worker_.reset();  // the file's writer ends before the file is read
    if (!done) return done.error();
    auto recorded = on_cuda() ? read_activity_file(file_.get()) : by_clock();
    if (!recorded && side_ == Side::kSubmission)
      return Error{ErrorCode::kSubmission, recorded.error().message, recorded.error().hint};
    if (!recorded)
      return Error{ErrorCode::kInfrastructure, recorded.error().message,
                   "no submission took part: this is kbench's fault, or the driver's"};
    return RecordedCalls{without_first(std::move(*recorded)), waited_share_};
  }

 private:
  [[nodiscard]] bool on_cuda() const { return request_.device == "cuda"; }
  [[nodiscard]] bool records() const { return on_cuda() && !cupti_.empty(); }

  // True for a side that plays in a process of its own; other sides are the oracle's.
  [[nodiscard]] bool has_worker() const { return side_ == Side::kSubmission || is_vendor(); }
  [[nodiscard]] bool is_vendor() const { return side_ == Side::kVendor; }
  [[nodiscard]] Seat seat() const { return is_vendor() ? Seat::kBaselines : Seat::kSubmission; }

  std::uint64_t random_offset() {
    const DeviceKind device = on_cuda() ? DeviceKind::kCuda : DeviceKind::kCpu;
    return drawn_offset(keys_.key("offset", offsets_++), device);
  }

  Status place() {
    if (is_vendor() && (!request_.vendor || !request_.vendor->reason.empty()))
      return no_vendor(request_.vendor ? request_.vendor->reason : "nobody asked for it");
    auto parameters = request_.initial_parameters ? request_.initial_parameters() : Result<int>(-1);
    if (!parameters) return parameters.error();
    const auto reason = oracle_.load(
        request_.task->file, request_.size->name,
        side_ == Side::kCompiled ? request_.package : std::filesystem::path(), *parameters);
    if (!reason) return reason.error();
    if (side_ == Side::kCompiled && (request_.package.empty() || !reason->empty()))
      return Error{
          ErrorCode::kNotFound,
          "there is no compiled baseline: " + (reason->empty() ? request_.package_reason : *reason),
          "--side eager is there for every task"};
    PlaceRequest place;
    place.key = keys_.key("parameters", 0);
    place.param_offset = parameter_base_ = random_offset();
    place.private_param_offset = random_offset();
    place.original_draws = settings_.original_draws;
    place.heap_bytes = request_.heap_bytes;
    if (is_vendor()) {
      place.seats_baselines = true;
      place.baselines_param_offset = parameter_base_ = random_offset();
    }
    auto arenas = oracle_.place(place);
    if (!arenas) return arenas.error();
    arenas_ = std::move(*arenas);
    return Done{};
  }

  Status draw(int call) {
    return oracle_.inputs(
        {{keys_.key("input", static_cast<std::uint64_t>(call)), random_offset(), ""}});
  }

  // Makes the calls that warm up, then those that count.
  template <class Call>
  Status make_calls(const Call& make) {
    for (int call = 0; call < kCallsBeforeAProfile; ++call)
      if (auto done = make(call); !done) return done;
    const PressureShare waiting(settings_.surroundings);
    for (int call = kCallsBeforeAProfile; call < kCountedCall; ++call)
      if (auto done = make(call); !done) return done;
    waited_share_ = waiting.until_now();
    return Done{};
  }

  // --- a baseline: by the oracle itself, as on CUDA in an evaluation ---

  Status baseline() {
    if (auto done = make_calls([this](int call) { return play_baseline(call); }); !done)
      return done;
    if (records()) note_counted(play_baseline(kCountedCall));
    return Done{};
  }

  Status play_baseline(int call) {
    if (auto drawn = draw(call); !drawn) return drawn;
    auto timed = records() ? oracle_.record(side_, cupti_, file_.get()) : oracle_.time(side_);
    if (!timed) return timed.error();
    if (call < kCountedCall) clocked_.calls.push_back({timed->ns, timed->launch_ns, {}});
    return Done{};
  }

  // A failure of the counted call costs the counters only.
  void note_counted(const Status& done) {
    if (!done)
      counted_ = "hardware counters: the call that they are read in: " + done.error().message;
  }

  // --- the submission, or a vendor's library ---

  Status worker_calls() {
    if (auto started = start(); !started) return started;
    if (auto done = make_calls([this](int call) { return make_call(call); }); !done) return done;
    if (records()) note_counted(make_call(kCountedCall));
    return Done{};
  }

  Status start() {
    auto library = is_vendor() ? Result<std::filesystem::path>("") : request_.library();
    if (!library) return library.error();
    const WorkerFactory& start = is_vendor() ? request_.vendor->start : start_worker_;
    auto worker = start({.device = request_.device,
                         .device_index = request_.device_index,
                         .threads = request_.threads,
                         .library = *library,
                         .size = request_.size,
                         .arenas = &arenas_,
                         .seat = seat(),
                         .parameter_base = parameter_base_,
                         .precision = request_.precision,
                         .cupti = records() ? cupti_ : std::filesystem::path(),
                         .activity = records() ? file_.get() : -1});
    if (!worker) return worker.error();
    worker_ = std::move(*worker);
    if (auto end = worker_->await_ready(kLoadTimeout)) return as_error(*end);
    if (auto drawn = draw(0); !drawn) return drawn;
    if (auto end = worker_->load()) return as_error(*end);
    if (auto end = worker_->await_loaded(kLoadTimeout)) return told(*end);
    if (!worker_->has_prepare()) return Done{};
    const auto answer = worker_->call(
        {.kind = CallKind::kPrepare, .parameter_base = parameter_base_, .timeout = kLoadTimeout});
    return answer.failure ? Status(told(*answer.failure)) : Status(Done{});
  }

  Status make_call(int call) {
    if (auto drawn = draw(call); !drawn) return drawn;
    const SlotPlaces places{random_offset(), random_offset()};
    if (auto armed = oracle_.arm(seat(), {places}); !armed) return armed;
    const auto revealed = oracle_.reveal(0);
    if (!revealed) return revealed.error();
    const auto answer = worker_->call({.kind = CallKind::kForward,
                                       .parameter_base = parameter_base_,
                                       .places = places,
                                       .gate = revealed->gate,
                                       .timeout = call_limit()});
    if (answer.failure) return told(*answer.failure);
    if (call < kCountedCall)
      clocked_.calls.push_back({on_cuda() ? answer.claimed_ns : answer.wall_ns, 0, {}});
    return Done{};
  }

  [[nodiscard]] std::chrono::milliseconds call_limit() const {
    return is_vendor() ? kVendorTimeout : settings_.call_limit.value_or(kCallTimeout);
  }

  static Error no_vendor(const std::string& why) {
    return {ErrorCode::kNotFound, "there is no call of a vendor's library: " + why,
            "--side eager is there for every task"};
  }

  // The error with the last words that the process printed.
  Error told(const EarlyEnd& end) {
    if (is_vendor()) return no_vendor(vendor_failure(*worker_, end));
    Error error = as_error(end);
    const std::string printed = worker_->last_output();
    if (error.code == ErrorCode::kSubmission && !printed.empty())
      error.message += "\nthe last that it printed:\n" + printed;
    return error;
  }

  // --- what was recorded ---

  Result<RecordedActivity> by_clock() {
    clocked_.problem = "the activities of a call are those of a GPU, and this is a CPU";
    return std::move(clocked_);
  }

  // Without activities the calls are those of the clock.
  RecordedActivity without_first(RecordedActivity recorded) {
    if (recorded.calls.empty()) {
      if (on_cuda() && cupti_.empty()) recorded.problem = "CUPTI was not found";
      recorded.calls = std::move(clocked_.calls);
    }
    if (!counted_.empty()) recorded.counter_problem = std::move(counted_);
    const auto first = std::min<std::size_t>(kCallsBeforeAProfile, recorded.calls.size());
    recorded.calls.erase(recorded.calls.begin(),
                         recorded.calls.begin() + static_cast<std::ptrdiff_t>(first));
    if (recorded.calls.size() > kProfiledCalls) recorded.calls.resize(kProfiledCalls);
    return recorded;
  }

  const EvaluationRequest& request_;
  const EvaluationSettings& settings_;
  Side side_;
  const std::filesystem::path& cupti_;
  Oracle& oracle_;
  const WorkerFactory& start_worker_;
  KeySchedule keys_;
  UniqueFd file_;
  PlacedArenas arenas_;
  std::unique_ptr<Worker> worker_;
  std::uint64_t parameter_base_ = 0;
  std::uint64_t offsets_ = 0;
  RecordedActivity clocked_;
  std::string counted_;  // why the counted call failed
  double waited_share_ = 0;
};

}  // namespace

Result<RecordedCalls> record_calls(const EvaluationRequest& request,
                                   const EvaluationSettings& settings, Side side,
                                   const std::filesystem::path& cupti, Oracle& oracle,
                                   const WorkerFactory& start_worker) {
  return Recording(request, settings, side, cupti, oracle, start_worker).run();
}

}  // namespace kbench
