// What the evaluator asks of the machine it runs on, as functions, so that tests can script them.
#pragma once

#include <cstdint>
#include <functional>

namespace kbench {

// Of the steady clock.
[[nodiscard]] std::int64_t steady_now_ns();

// Nanoseconds that the hypervisor has taken from this machine's cores so far, in steps of 10 ms;
// 0 where /proc/stat does not say.
[[nodiscard]] std::int64_t stolen_ns();

struct Surroundings {
  std::function<std::int64_t()> now_ns = steady_now_ns;
  std::function<std::int64_t()> stolen_ns = kbench::stolen_ns;
};

}  // namespace kbench
