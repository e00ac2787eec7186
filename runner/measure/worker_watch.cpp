#include "runner/measure/worker_watch.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kbench {
namespace {

std::string read_text(const std::filesystem::path& file) {
  const std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::filesystem::path folder_of(pid_t process) {
  return std::filesystem::path("/proc") / std::to_string(process);
}

// Calls visit(folder) for every thread; threads that end meanwhile are passed over.
template <class Visit>
void for_each_thread(std::span<const pid_t> processes, Visit visit) {
  for (const pid_t process : processes) {
    std::error_code error;
    std::filesystem::directory_iterator threads(folder_of(process) / "task", error);
    for (; !error && threads != std::filesystem::directory_iterator(); threads.increment(error))
      visit(threads->path());
  }
}

}  // namespace

RunTimes run_times(std::span<const pid_t> processes) {
  RunTimes times;
  for_each_thread(processes, [&](const std::filesystem::path& thread) {
    // schedstat: nanoseconds run, nanoseconds waited, number of slices.
    std::istringstream fields(read_text(thread / "schedstat"));
    RunTime time;
    std::uint64_t waited_ns = 0;
    if (!(fields >> time.ns >> waited_ns >> time.slices)) return;
    times[static_cast<pid_t>(std::strtol(thread.filename().c_str(), nullptr, 10))] = time;
  });
  return times;
}

std::uint64_t total_ns(const RunTimes& times) {
  std::uint64_t sum = 0;
  for (const auto& [thread, time] : times) sum += time.ns;
  return sum;
}

RanMeanwhile ran_meanwhile(const RunTimes& before, const RunTimes& after) {
  RanMeanwhile meanwhile;
  for (const auto& [thread, now] : after) {
    const auto found = before.find(thread);
    const RunTime then = found == before.end() ? RunTime{} : found->second;
    if (now.ns <= then.ns) continue;
    (now.slices > then.slices ? meanwhile.again_ns : meanwhile.leaving_ns) += now.ns - then.ns;
  }
  return meanwhile;
}

bool StopLedger::ran(const RanMeanwhile& meanwhile) {
  // 8.7 ms were seen, beside a busy neighbour on the host.
  constexpr std::uint64_t kLongestLeavingNs = 100'000'000;
  // A thread may lose its core to another one just before it leaves, and get one only to leave.
  constexpr std::uint64_t kAgainNs = 500'000;
  constexpr std::uint64_t kLongestAgainNs = 20'000'000;
  constexpr int kAlways = 2;
  constexpr int kOneIn = 50;
  ++stops_;
  if (meanwhile.leaving_ns > kLongestLeavingNs || meanwhile.again_ns > kLongestAgainNs) return true;
  if (meanwhile.again_ns <= kAgainNs) return false;
  ++overruns_;
  return overruns_ > kAlways + stops_ / kOneIn;
}

bool StallWatch::stalled(std::chrono::nanoseconds into_call, std::uint64_t run_time_ns) {
  constexpr std::uint64_t kHardlyAnythingNs = 5'000'000;
  constexpr auto kWhile = std::chrono::milliseconds{200};
  if (since_.count() == 0 || run_time_ns > run_time_then_ns_ + kHardlyAnythingNs) {
    since_ = into_call;
    run_time_then_ns_ = run_time_ns;
  }
  if (told_ || into_call - since_ < kWhile) return false;
  return told_ = true;
}

}  // namespace kbench
