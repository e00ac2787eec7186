#include "runner/core/for_each_index.hpp"

#include <atomic>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fakes/await.hpp"

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
  // Each call waits for the other: with one thread it would not come.
  std::atomic<int> arrived{0};
  for_each_index(2, 2, [&](std::size_t) {
    ++arrived;
    EXPECT_TRUE(test::await([&] { return arrived == 2; }, "the other thread"));
  });
  EXPECT_EQ(arrived, 2);
}

}  // namespace
}  // namespace kbench
