#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <cupti.h>
#include <fmt/format.h>

#include "runner/activity/activity_collector.hpp"
#include "runner/activity/counter_collector.hpp"
#include "runner/activity/symbols.hpp"

namespace kbench {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kLongestMangledName = 1000;

// Names and signatures: CUPTI of CUDA 13.
struct Cupti {
  decltype(&cuptiGetVersion) version = nullptr;
  decltype(&cuptiGetResultString) text = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush = nullptr;
  decltype(&cuptiActivityGetNextRecord) next = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped = nullptr;

  // The first symbol that is missing; empty: none.
  std::string find_all(void* library) {
    Symbols symbols;
    symbols.find(library, version, "cuptiGetVersion");
    symbols.find(library, text, "cuptiGetResultString");
    symbols.find(library, callbacks, "cuptiActivityRegisterCallbacks");
    symbols.find(library, enable, "cuptiActivityEnable");
    symbols.find(library, disable, "cuptiActivityDisable");
    symbols.find(library, flush, "cuptiActivityFlushAll");
    symbols.find(library, next, "cuptiActivityGetNextRecord");
    symbols.find(library, dropped, "cuptiActivityGetNumDroppedRecords");
    return symbols.missing();
  }
};

std::string demangled(const char* name) {
  if (name == nullptr) return "";
  const std::string given = std::string(name).substr(0, kLongestMangledName);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(given.c_str(), nullptr, nullptr, &status), &std::free);
  return (status == 0 ? std::string(text.get()) : given).substr(0, kLongestActivityName);
}

// Buffers into which CUPTI's callbacks put what they are handed, from threads of its own.
class Inbox {
 public:
  void use(const Cupti& cupti) { cupti_ = cupti; }

  void add(std::uint8_t* buffer, std::size_t valid_bytes) {
    const std::lock_guard lock(mutex_);
    CUpti_Activity* record = nullptr;
    while (cupti_.next(buffer, valid_bytes, &record) == CUPTI_SUCCESS) add(*record);
    std::size_t lost = 0;
    if (cupti_.dropped(nullptr, 0, &lost) == CUPTI_SUCCESS) dropped_ += lost;
  }

  // Activities in the order in which they started, and the number that were lost.
  std::pair<std::vector<Activity>, std::uint64_t> take() {
    const std::lock_guard lock(mutex_);
    std::vector<Activity> taken = std::exchange(activities_, {});
    std::stable_sort(taken.begin(), taken.end(),
                     [](const Activity& a, const Activity& b) { return a.start_ns < b.start_ns; });
    return {std::move(taken), std::exchange(dropped_, 0)};
  }

 private:
  template <class Record>
  Activity* put(ActivityKind kind, const Record& record) {
    if (activities_.size() >= kMostActivities) {
      ++dropped_;
      return nullptr;
    }
    Activity& made = activities_.emplace_back();
    made.kind = kind;
    made.start_ns = static_cast<std::int64_t>(record.start);
    made.end_ns = static_cast<std::int64_t>(record.end);
    made.stream = record.streamId;
    return &made;
  }

  void add(const CUpti_Activity& record) {
    if (record.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      const auto& kernel = reinterpret_cast<const CUpti_ActivityKernel10&>(record);
      Activity* made = put(ActivityKind::kKernel, kernel);
      if (made == nullptr) return;
      const auto positive = [](std::int32_t value) {
        return static_cast<std::uint32_t>(std::max(value, 0));
      };
      made->name = demangled(kernel.name);
      made->grid = {positive(kernel.gridX), positive(kernel.gridY), positive(kernel.gridZ)};
      made->block = {positive(kernel.blockX), positive(kernel.blockY), positive(kernel.blockZ)};
      made->registers = kernel.registersPerThread;
      made->static_shared_bytes = positive(kernel.staticSharedMemory);
      made->dynamic_shared_bytes = positive(kernel.dynamicSharedMemory);
      made->local_bytes = kernel.localMemoryPerThread;
    } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy6&>(record);
      if (Activity* made = put(ActivityKind::kCopy, copy)) made->bytes = copy.bytes;
    } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMSET) {
      const auto& set = reinterpret_cast<const CUpti_ActivityMemset4&>(record);
      if (Activity* made = put(ActivityKind::kMemset, set)) made->bytes = set.bytes;
    }
  }

  std::mutex mutex_;
  Cupti cupti_;
  std::vector<Activity> activities_;
  std::uint64_t dropped_ = 0;
};

// CUPTI's callbacks carry no pointer of the caller's, so the one inbox must be reachable so.
Inbox& inbox() {
  static Inbox only;
  return only;
}

void CUPTIAPI buffer_requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(64, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *records = 0;  // 0: as many as fit
}

void CUPTIAPI buffer_completed(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                               std::size_t valid_bytes) {
  const std::unique_ptr<std::uint8_t, decltype(&std::free)> owner(buffer, &std::free);
  if (valid_bytes > 0) inbox().add(buffer, valid_bytes);
}

constexpr std::array kRecordedKinds = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                       CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};

// The calls of a profile in their order: the last one has its kernels counted instead.
class CuptiCollector final : public ActivityCollector {
 public:
  CuptiCollector(const Cupti& cupti, Result<std::unique_ptr<CounterCollector>> counters)
      : cupti_(cupti), counters_(std::move(counters)) {}

  void begin_call() override {
    if (calls_++ == kCountedCall) {
      begin_counting();
      return;
    }
    cupti_.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    (void)inbox().take();
  }

  void end_call(std::int64_t claimed_ns, std::int64_t host_ns, CallBegins begins,
                ActivityWriter& writer) override {
    if (calls_ > kCountedCall) {
      end_counting(begins, writer);
      return;
    }
    cupti_.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    auto [activities, lost] = inbox().take();
    if (begins == CallBegins::kAfterFirstMemset) {
      const auto flush = std::find_if(
          activities.begin(), activities.end(),
          [](const Activity& activity) { return activity.kind == ActivityKind::kMemset; });
      if (flush != activities.end()) activities.erase(activities.begin(), flush + 1);
    }
    kernels_ = static_cast<std::size_t>(std::count_if(
        activities.begin(), activities.end(),
        [](const Activity& activity) { return activity.kind == ActivityKind::kKernel; }));
    writer.add({claimed_ns, host_ns, std::move(activities)});
    writer.add_dropped(lost);
  }

 private:
  void begin_counting() {
    for (const auto kind : kRecordedKinds) cupti_.disable(kind);
    if (!counters_) {
      counting_ = counters_.error();
    } else if (kernels_ > kMostCountedKernels) {
      counting_ = Error{
          ErrorCode::kNotFound,
          fmt::format("hardware counters: a call has {} kernels, and of at most {} they are read",
                      kernels_, kMostCountedKernels),
          ""};
    } else {
      counting_ = (*counters_)->begin();
    }
  }

  void end_counting(CallBegins begins, ActivityWriter& writer) {
    if (!counting_) {
      writer.set_counter_problem(counting_.error().message);
      return;
    }
    auto rows = (*counters_)->end();
    if (!rows) {
      writer.set_counter_problem(rows.error().message);
      return;
    }
    // To the range profiler the flush is a kernel like others.
    if (begins == CallBegins::kAfterFirstMemset && rows->size() == kernels_ + 1)
      rows->erase(rows->begin());
    writer.set_counters(*rows);
  }

  Cupti cupti_;
  Result<std::unique_ptr<CounterCollector>> counters_;
  Status counting_ = Done{};
  int calls_ = 0;
  std::size_t kernels_ = 0;  // kernels of the last recorded call
};

Error not_there(const std::string& why, const std::string& hint) {
  return {ErrorCode::kNotFound, "no activities of the device: " + why, hint};
}

}  // namespace

Result<std::unique_ptr<ActivityCollector>> start_collecting(const std::string& library) {
  const std::string name =
      library.empty() ? fmt::format("libcupti.so.{}", CUPTI_API_VERSION / 10000) : library;
  void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    return not_there(std::string("CUPTI does not load: ") + ::dlerror(),
                     "it comes with the CUDA toolkit and with torch");
  Cupti cupti;
  if (const std::string missing = cupti.find_all(handle); !missing.empty())
    return not_there("CUPTI has no " + missing, "");
  std::uint32_t version = 0;
  cupti.version(&version);
  if (version / 10000 != CUPTI_API_VERSION / 10000)
    return not_there(fmt::format("CUPTI of CUDA {} is there, and kbench was built for CUDA {}",
                                 version / 10000, CUPTI_API_VERSION / 10000),
                     "");
  inbox().use(cupti);
  CUptiResult result = cupti.callbacks(buffer_requested, buffer_completed);
  for (const auto kind : kRecordedKinds)
    if (result == CUPTI_SUCCESS) result = cupti.enable(kind);
  if (result == CUPTI_SUCCESS)
    return std::unique_ptr<ActivityCollector>(
        std::make_unique<CuptiCollector>(cupti, prepare_counting(handle)));
  const char* text = nullptr;
  cupti.text(result, &text);
  return not_there(fmt::format("CUPTI refuses: {}", text == nullptr ? "unknown error" : text),
                   "may this user profile the GPU?");
}

}  // namespace kbench
