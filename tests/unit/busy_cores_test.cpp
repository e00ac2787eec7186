#include "runner/os/busy_cores.hpp"

#include <sched.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runner/core/usable_cores.hpp"
#include "tests/fakes/await.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;

struct Thread {
  int policy = -1;
  long ticks = 0;  // of a processor
  int core = -1;
};

// Threads of this process that give way to all others, as /proc/self/task/N/stat tells.
std::vector<Thread> idle_threads() {
  std::vector<Thread> found;
  for (const auto& entry : fs::directory_iterator("/proc/self/task")) {
    std::ifstream file(entry.path() / "stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    std::istringstream rest(text.substr(text.rfind(')') + 1));
    std::vector<std::string> fields((std::istream_iterator<std::string>(rest)), {});
    if (fields.size() < 39) continue;
    const Thread thread{std::stoi(fields[38]), std::stol(fields[11]), std::stoi(fields[36])};
    if (thread.policy == SCHED_IDLE) found.push_back(thread);
  }
  return found;
}

TEST(BusyCores, KeepsEachAtWorkUntilItEnds) {
  const int core = usable_cores().front();
  {
    const BusyCores busy({core});
    EXPECT_EQ(busy.size(), 1U);
    EXPECT_TRUE(await(
        [&] {
          const auto threads = idle_threads();
          return threads.size() == 1 && threads[0].ticks > 0 && threads[0].core == core;
        },
        "work on the core"));
  }
  EXPECT_TRUE(idle_threads().empty());
}

TEST(BusyCores, NoCoreIsNoWork) {
  const BusyCores busy({});
  EXPECT_EQ(busy.size(), 0U);
  EXPECT_TRUE(idle_threads().empty());
}

}  // namespace
}  // namespace kbench::test
