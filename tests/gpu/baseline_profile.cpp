// Measures the two GPU baselines of one task as the oracle runs them: device time by events, and
// the kernels of a call by CUPTI. python_baselines.py puts the answer beside PyTorch's own in
// Python.
//
// Events come first and without CUPTI, which slows launches down. Kernels come second, in a pass of
// their own. One JSON object on standard output; messages on standard error; exit code 0 or 1.
#include <cxxabi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <cupti.h>

#include "runner/backend/backend.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/core/json.hpp"
#include "runner/core/statistics.hpp"
#include "runner/oracle/loaded_task.hpp"
#include "runner/task/task.hpp"

namespace kbench {
namespace {

constexpr int kWarmUpRounds = 3;
constexpr int kProfiledRounds = 5;

struct Options {
  std::string task_file;
  std::string size;
  std::string package;
  std::string precision = "torch-default";
  int calls = 30;
};

// --- What the device did ----------------------------------------------------------------------

struct Activity {
  CUpti_ActivityKind kind = CUPTI_ACTIVITY_KIND_INVALID;  // concurrent kernel, memcpy or memset
  std::string name;                                       // kernels only, demangled
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;

  [[nodiscard]] std::uint64_t duration_ns() const { return end_ns - start_ns; }
};

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

Status check(CUptiResult code, const char* call) {
  if (code == CUPTI_SUCCESS) return Done{};
  const char* text = "unknown error";
  static_cast<void>(cuptiGetResultString(code, &text));
  return Error{ErrorCode::kInfrastructure, std::string(call) + " failed: " + text,
               "may this user profile the GPU, and is libcupti that of the CUDA toolkit?"};
}

// Where CUPTI's callbacks put what they are handed. CUPTI calls from threads of its own.
class Collector {
 public:
  void add(std::uint8_t* buffer, std::size_t valid_bytes) {
    const std::lock_guard lock(mutex_);
    CUpti_Activity* record = nullptr;
    while (cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) add(*record);
    std::size_t dropped = 0;
    if (cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) == CUPTI_SUCCESS)
      dropped_ += dropped;
  }

  // In the order in which they started. Errors: kInfrastructure when records are missing.
  Result<std::vector<Activity>> take() {
    const std::lock_guard lock(mutex_);
    std::vector<Activity> taken = std::exchange(activities_, {});
    if (std::exchange(dropped_, 0) != 0)
      return Error{ErrorCode::kInfrastructure, "CUPTI dropped records", ""};
    for (const Activity& activity : taken) {
      if (activity.end_ns <= activity.start_ns)
        return Error{ErrorCode::kInfrastructure, "CUPTI has no duration for " + activity.name, ""};
    }
    std::sort(taken.begin(), taken.end(),
              [](const Activity& a, const Activity& b) { return a.start_ns < b.start_ns; });
    return taken;
  }

 private:
  void add(const CUpti_Activity& record) {
    if (record.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      const auto& kernel = reinterpret_cast<const CUpti_ActivityKernel10&>(record);
      activities_.push_back({record.kind, demangled(kernel.name), kernel.start, kernel.end});
    } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy6&>(record);
      activities_.push_back({record.kind, "memcpy", copy.start, copy.end});
    } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMSET) {
      const auto& set = reinterpret_cast<const CUpti_ActivityMemset4&>(record);
      activities_.push_back({record.kind, "memset", set.start, set.end});
    }
  }

  std::mutex mutex_;
  std::vector<Activity> activities_;
  std::size_t dropped_ = 0;
};

// CUPTI's callbacks carry no pointer of the caller's, so the one collector must be reachable so.
Collector& collector() {
  static Collector only;
  return only;
}

void CUPTIAPI buffer_requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  *buffer = static_cast<std::uint8_t*>(std::malloc(kBytes));  // given back in buffer_completed
  *bytes = *buffer == nullptr ? 0 : kBytes;
  *records = 0;  // as many as fit
}

void CUPTIAPI buffer_completed(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                               std::size_t valid_bytes) {
  const std::unique_ptr<std::uint8_t, decltype(&std::free)> owner(buffer, &std::free);
  if (valid_bytes > 0) collector().add(buffer, valid_bytes);
}

Status start_collecting() {
  auto status = check(cuptiActivityRegisterCallbacks(buffer_requested, buffer_completed),
                      "cuptiActivityRegisterCallbacks");
  for (const auto kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                          CUPTI_ACTIVITY_KIND_MEMSET})
    if (status) status = check(cuptiActivityEnable(kind), "cuptiActivityEnable");
  return status;
}

// Everything the device did since the last call.
Result<std::vector<Activity>> collected(Backend& backend) {
  if (auto done = backend.synchronize(); !done) return done.error();
  if (auto flushed =
          check(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
      !flushed)
    return flushed.error();
  return collector().take();
}

// --- What a baseline did, over all its calls --------------------------------------------------

class Profile {
 public:
  // One call's activities, in order. Errors: kInfrastructure when it cannot be a baseline's call.
  Status add(const std::vector<Activity>& activities) {
    bool flushed = false;  // what LoadedTask::time starts a call with ends with the flush
    std::map<CUpti_ActivityKind, double> sums;
    double kernels = 0;
    for (const Activity& activity : activities) {
      if (!flushed) {
        flushed = activity.kind == CUPTI_ACTIVITY_KIND_MEMSET;
        continue;
      }
      const auto duration = static_cast<double>(activity.duration_ns());
      sums[activity.kind] += duration;
      if (activity.kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
      kernels += 1;
      auto& [count, nanoseconds] = by_name_[activity.name];
      count += 1;
      nanoseconds += duration;
    }
    if (kernels == 0)
      return Error{ErrorCode::kInfrastructure, "CUPTI did not see the kernels of a call", ""};
    kernel_ns_.push_back(sums[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL]);
    memcpy_ns_.push_back(sums[CUPTI_ACTIVITY_KIND_MEMCPY]);
    memset_ns_.push_back(sums[CUPTI_ACTIVITY_KIND_MEMSET]);
    kernel_counts_.push_back(kernels);
    return Done{};
  }

  [[nodiscard]] Json json() const {
    const auto calls = static_cast<double>(kernel_ns_.size());
    Json kernels = Json::array();
    for (const auto& [name, total] : by_name_) {
      kernels.push_back(
          {{"name", name}, {"count", total.first / calls}, {"ns", total.second / calls}});
    }
    return {{"kernel_ns", median(kernel_ns_)},        {"memcpy_ns", median(memcpy_ns_)},
            {"memset_ns", median(memset_ns_)},        {"kernel_ns_of_calls", kernel_ns_},
            {"kernel_count", median(kernel_counts_)}, {"kernels", std::move(kernels)}};
  }

 private:
  std::vector<double> kernel_ns_;
  std::vector<double> memcpy_ns_;
  std::vector<double> memset_ns_;
  std::vector<double> kernel_counts_;
  std::map<std::string, std::pair<double, double>> by_name_;  // count and time, of all calls
};

// --- The program ------------------------------------------------------------------------------

class Measurement {
 public:
  Measurement(Backend& backend, LoadedTask& task) : backend_(backend), task_(task) {
    sides_.push_back(Side::kEager);
    if (task.compiled_reason().empty()) sides_.push_back(Side::kCompiled);
  }

  Status time_calls(int calls) {
    for (int round = -kWarmUpRounds; round < calls; ++round) {
      for (const Side side : sides_) {
        auto nanoseconds = call(side);
        if (!nanoseconds) return nanoseconds.error();
        if (round >= 0) samples_[side].push_back(static_cast<double>(*nanoseconds));
      }
      std::reverse(sides_.begin(), sides_.end());  // neither side always goes first
    }
    return Done{};
  }

  Status profile_calls() {
    if (auto started = start_collecting(); !started) return started;
    for (int round = -1; round < kProfiledRounds; ++round) {  // the first pays for CUPTI's start
      for (const Side side : sides_) {
        if (auto drawn = draw_inputs(); !drawn) return drawn;
        if (auto before = collected(backend_); !before) return before.error();
        if (auto timed = task_.time(side); !timed) return timed.error();
        auto activities = collected(backend_);
        if (!activities) return activities.error();
        if (round < 0) continue;
        if (auto added = profiles_[side].add(std::move(*activities)); !added) return added;
      }
    }
    return Done{};
  }

  // Null for a side that there is not.
  [[nodiscard]] Json json(Side side) const {
    const auto samples = samples_.find(side);
    const auto profile = profiles_.find(side);
    if (samples == samples_.end() || profile == profiles_.end()) return nullptr;
    Json result = profile->second.json();
    result["median_ns"] = median(samples->second);
    result["samples_ns"] = samples->second;
    return result;
  }

 private:
  Status draw_inputs() { return task_.inputs({SlotInputs{++key_, 0}}); }

  Result<std::int64_t> call(Side side) {
    if (auto drawn = draw_inputs(); !drawn) return drawn.error();
    auto time = task_.time(side);
    if (!time) return time.error();
    return time->ns;
  }

  Backend& backend_;
  LoadedTask& task_;
  std::vector<Side> sides_;
  std::uint64_t key_ = 0;
  std::map<Side, std::vector<double>> samples_;
  std::map<Side, Profile> profiles_;
};

Result<Json> measure(const Options& options) {
  auto backend = make_cuda_backend(0);
  if (!backend) return backend.error();
  if (auto done = configure_torch(options.precision); !done) return done.error();
  auto description = load_task(options.task_file);
  if (!description) return description.error();
  auto task = LoadedTask::load(**backend, *description, options.size, "cuda:0", options.package);
  if (!task) return task.error();
  PlaceRequest place;
  place.key = 1;
  if (auto placed = task->place(place); !placed) return placed.error();

  Measurement measurement(**backend, *task);
  if (auto done = measurement.time_calls(options.calls); !done) return done.error();
  if (auto done = measurement.profile_calls(); !done) return done.error();
  return Json{{"task", description->id},
              {"size", options.size},
              {"device", (*backend)->facts().name},
              {"torch", torch_version()},
              {"precision", options.precision},
              {"compiled_reason", task->compiled_reason()},
              {"eager", measurement.json(Side::kEager)},
              {"compiled", measurement.json(Side::kCompiled)}};
}

}  // namespace
}  // namespace kbench

int main(int argc, char** argv) {
  CLI::App app("Device time and kernels of one task's eager and compiled baselines, as JSON");
  kbench::Options options;
  app.add_option("TASK", options.task_file, "lowered task, suites/levelN/NNN_name.json")
      ->required();
  app.add_option("SIZE", options.size, "small or full")->required();
  app.add_option("PACKAGE", options.package, "AOTInductor package; without it only eager is run");
  app.add_option("--calls", options.calls, "timed calls of each side")
      ->check(CLI::Range(1, 100000));
  app.add_option("--precision", options.precision, "torch-default, fp32 or tf32");
  CLI11_PARSE(app, argc, argv);
  const auto result = kbench::measure(options);
  if (!result) {
    std::fprintf(stderr, "baseline_profile: %s\n%s\n", result.error().message.c_str(),
                 result.error().hint.c_str());
    return 1;
  }
  std::printf("%s\n", result->dump().c_str());
  return 0;
}
