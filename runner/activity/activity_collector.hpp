// Collects what the device does in this process's calls, by CUPTI's activity records. CUPTI is
// opened at run time: a process that does not profile has nothing of it. It slows launches down by
// about a microsecond each, so nothing is timed beside it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "runner/activity/activity.hpp"
#include "runner/activity/activity_file.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// Activities of a call that are not its own: the baselines' calls begin with a flush of the cache,
// whose memset is the last of these.
enum class CallBegins { kAtOnce, kAfterFirstMemset };

class ActivityCollector {
 public:
  virtual ~ActivityCollector() = default;
  // To be called before and after a call whose work on the device is complete.
  virtual void begin_call() = 0;
  virtual void end_call(std::int64_t claimed_ns, std::int64_t host_ns, CallBegins begins,
                        ActivityWriter& writer) = 0;
};

// One for each process, from then on until its end. `library`: CUPTI's file, or empty where it is
// loaded by its name. Errors: kNotFound, with a sentence for people, where CUPTI is not there, is
// of another CUDA, or may not be used.
[[nodiscard]] Result<std::unique_ptr<ActivityCollector>> start_collecting(
    const std::string& library);

}  // namespace kbench
