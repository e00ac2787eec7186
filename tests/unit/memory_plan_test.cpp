#include "runner/oracle/memory_plan.hpp"

#include <string>

#include <gtest/gtest.h>

#include "runner/task/suite.hpp"
#include "tests/unit/paths.hpp"

namespace kbench {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

TEST(MemoryPlan, CountsWhatIsAliveAtOnce) {
  TaskSize size;
  size.peak_bytes_fp32 = 10;
  size.peak_bytes_fp64 = 20;
  // 2 x 100 + 2 x 1000 + 2 x 5 stand; the reference needs 200 + 2000 + 20.
  EXPECT_EQ(planned_bytes(size, 100, 1000, 5), 2210u + 2220u);
  // Another player has inputs, parameters and outputs of its own, and a snapshot.
  EXPECT_EQ(planned_bytes(size, 100, 1000, 5, 2), 2210u + 2220u + 100u + 1000u + 2 * 5u);
  // Large outputs: the reference itself and eager's run beside it weigh more.
  size.peak_bytes_fp32 = 500;
  EXPECT_EQ(planned_bytes(size, 100, 0, 400), 1000u + 800u + 200u + 500u);
}

TEST(MemoryPlan, NoTaskOfOursNeedsMoreThan80GiB) {
  const auto tasks = list_tasks(kbench::test::kSuites);
  ASSERT_TRUE(tasks);
  EXPECT_EQ(tasks->size(), 250u);
  for (const TaskEntry& entry : *tasks) {
    const auto task = load_task(entry.file);
    ASSERT_TRUE(task) << entry.id;
    const TaskSize* full = task->find_size("full");
    ASSERT_NE(full, nullptr) << entry.id;
    EXPECT_LE(planned_bytes(*full, pack(full->inputs).bytes, pack(full->parameters).bytes,
                            pack(full->outputs).bytes),
              80 * kGiB)
        << entry.id;
  }
}

TEST(MemoryPlan, WordsForReaders) {
  EXPECT_EQ(gibibytes(3 * kGiB / 2), "1.5 GiB");
  EXPECT_EQ(gibibytes(80 * kGiB), "80.0 GiB");
}

}  // namespace
}  // namespace kbench
