// Reads hardware counters of the kernels that this process launches, by CUPTI's range profiler. A
// kernel is run once for each group of counters, with its memory as it found it.
#pragma once

#include <memory>
#include <vector>

#include "runner/activity/counters.hpp"
#include "runner/core/result.hpp"

namespace kbench {

class CounterCollector {
 public:
  virtual ~CounterCollector() = default;
  // Around a call, in the thread whose context is used. Nothing else of CUPTI may be at work.
  // Errors: kNotFound, with a sentence for people; end() then need not be called.
  virtual Status begin() = 0;
  // A row for each kernel, in the order in which they were launched.
  virtual Result<std::vector<CounterRow>> end() = 0;
};

// Loads all that counting takes, for a process that cannot open files later. `cupti`: the library,
// as dlopen() gave it. Errors: kNotFound where it cannot count here.
[[nodiscard]] Result<std::unique_ptr<CounterCollector>> prepare_counting(void* cupti);

}  // namespace kbench
