#include "runner/measure/watch/surroundings.hpp"

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>

namespace kbench {
namespace {

// "some avg10=0.12 avg60=0.05 avg300=0.01 total=17526", in microseconds; see proc(5).
std::int64_t stalled_ns(const char* file) {
  std::ifstream stalls(file);
  std::string word;
  for (int field = 0; field < 4; ++field) stalls >> word;
  std::int64_t microseconds = 0;
  stalls.ignore(16, '=') >> microseconds;
  return stalls ? 1000 * microseconds : 0;
}

}  // namespace

std::int64_t steady_now_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Pressure pressure() {
  return {stalled_ns("/proc/pressure/cpu"), stalled_ns("/proc/pressure/memory")};
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
