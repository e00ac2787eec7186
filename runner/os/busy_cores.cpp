#include "runner/os/busy_cores.hpp"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdint>

namespace kbench {
namespace {

constexpr std::size_t kNumbers = std::size_t{4} << 20;  // 32 MiB

void work(const std::stop_token& ends, int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  const sched_param none{};
  // A core that this process may not use would put the work on others.
  if (::pthread_setaffinity_np(::pthread_self(), sizeof set, &set) != 0) return;
  (void)::pthread_setschedparam(::pthread_self(), SCHED_IDLE, &none);
  std::vector<std::uint64_t> numbers(kNumbers, static_cast<std::uint64_t>(core));
  std::uint64_t sum = 0;
  while (!ends.stop_requested()) {
    for (std::uint64_t& number : numbers) {
      number = number * 6364136223846793005u + 1442695040888963407u;
      sum += number;
    }
    std::atomic_signal_fence(std::memory_order_seq_cst);
    numbers[0] = sum;
  }
}

}  // namespace

BusyCores::BusyCores(const std::vector<int>& cores) {
  for (const int core : cores)
    threads_.emplace_back([core](const std::stop_token& ends) { work(ends, core); });
}

}  // namespace kbench
