// Threads of this process that give way to all others, as those of BusyCores do.
#pragma once

#include <sched.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace kbench::test {

struct IdleThread {
  int policy = -1;
  long ticks = 0;  // of a processor
  int core = -1;
};

// As /proc/self/task/N/stat tells.
inline std::vector<IdleThread> idle_threads() {
  std::vector<IdleThread> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(entry.path() / "stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    std::istringstream rest(text.substr(text.rfind(')') + 1));
    std::vector<std::string> fields((std::istream_iterator<std::string>(rest)), {});
    if (fields.size() < 39) continue;
    const IdleThread thread{std::stoi(fields[38]), std::stol(fields[11]), std::stoi(fields[36])};
    if (thread.policy == SCHED_IDLE) found.push_back(thread);
  }
  return found;
}

// Whether there is one such thread, which has worked on the core.
inline bool keeps_busy(int core) {
  const auto threads = idle_threads();
  return threads.size() == 1 && threads[0].ticks > 0 && threads[0].core == core;
}

}  // namespace kbench::test
