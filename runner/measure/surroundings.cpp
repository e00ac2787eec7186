#include "runner/measure/surroundings.hpp"

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>

namespace kbench {

std::int64_t steady_now_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool others_run() {
  // "0.20 0.18 0.12 1/80 11206": of 80 threads one wants to run, and that is the reader; proc(5).
  std::ifstream load("/proc/loadavg");
  std::string average;
  int running = 0;
  load >> average >> average >> average >> running;
  return load && running > 1;
}

void spin_ns(std::int64_t nanoseconds) {
  const std::int64_t end = steady_now_ns() + nanoseconds;
  while (steady_now_ns() < end) {
  }
}

std::int64_t stolen_ns() {
  // "cpu user nice system idle iowait irq softirq steal ...", in clock ticks; see proc(5).
  std::ifstream stat("/proc/stat");
  std::string name;
  std::int64_t ticks = 0;
  stat >> name;
  for (int field = 0; field < 8; ++field) stat >> ticks;
  const long per_second = ::sysconf(_SC_CLK_TCK);
  if (!stat || name != "cpu" || per_second <= 0) return 0;
  return ticks * (1'000'000'000 / per_second);
}

}  // namespace kbench
