#include "runner/measure/worker_watch.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "runner/measure/libraries.hpp"

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

std::uint64_t run_time_ns(std::span<const pid_t> processes) {
  std::uint64_t sum = 0;
  // schedstat: nanoseconds run, nanoseconds waited, number of slices.
  for_each_thread(processes, [&](const std::filesystem::path& thread) {
    sum += std::strtoull(read_text(thread / "schedstat").c_str(), nullptr, 10);
  });
  return sum;
}

bool StopLedger::ran(std::uint64_t before_ns, std::uint64_t after_ns) {
  // What a thread runs between showing as stopped and leaving its core.
  constexpr std::uint64_t kLeavingNs = 500'000;
  // The same with the core taken away by a hypervisor in between: the time away is counted as its
  // own. Seen once in some thousand stops, for 1.6 ms.
  constexpr std::uint64_t kStolenNs = 20'000'000;
  constexpr int kAlways = 2;
  constexpr int kOneIn = 50;
  ++stops_;
  // A thread that ended has taken its time along.
  if (after_ns <= before_ns + kLeavingNs) return false;
  ++overruns_;
  return after_ns > before_ns + kStolenNs || overruns_ > kAlways + stops_ / kOneIn;
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

std::vector<std::string> mapped_code_of(std::span<const pid_t> processes) {
  std::vector<std::string> paths;
  for (const pid_t process : processes) {
    for (std::string& path : mapped_code(read_text(folder_of(process) / "maps"))) {
      if (std::find(paths.begin(), paths.end(), path) == paths.end())
        paths.push_back(std::move(path));
    }
  }
  return paths;
}

}  // namespace kbench
