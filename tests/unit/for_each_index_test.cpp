#include "runner/core/for_each_index.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(ForEachIndex, EachIsVisitedOnceWhateverTheThreads) {
  for (const int threads : {-1, 0, 1, 3, 64}) {
    std::vector<int> visits(37);
    for_each_index(visits.size(), threads, [&](std::size_t i) { ++visits[i]; });
    EXPECT_EQ(visits, std::vector<int>(37, 1)) << threads << " threads";
  }
}

TEST(ForEachIndex, NothingToDoStartsNothing) {
  for_each_index(0, 4, [](std::size_t) { FAIL(); });
}

TEST(ForEachIndex, SeveralThreadsWorkAtOnce) {
  // Each waits for the other: with one thread this would not end.
  std::atomic<int> arrived{0};
  for_each_index(2, 2, [&](std::size_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 2);
}

}  // namespace
}  // namespace kbench
