// The small pure parts of runner/measure: keys, order of sides, disturbed blocks.
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "runner/analysis/keep.hpp"
#include "runner/core/random_id.hpp"
#include "runner/measure/players/player_environment.hpp"
#include "runner/measure/secret.hpp"
#include "runner/measure/watch/core_pin.hpp"

namespace kbench {
namespace {

TEST(Secret, SeedsAndIdsAreFreshAndLongEnough) {
  EXPECT_EQ(random_seed().size(), 64u);
  EXPECT_EQ(random_id().size(), 32u);
  EXPECT_NE(random_seed(), random_seed());
}

TEST(Secret, KeysDependOnSeedPurposeAndIndexOnly) {
  const KeySchedule one("a");
  EXPECT_EQ(one.key("input", 3), KeySchedule("a").key("input", 3));
  EXPECT_NE(one.key("input", 3), one.key("input", 4));
  EXPECT_NE(one.key("input", 3), one.key("order", 3));
  EXPECT_NE(one.key("input", 3), KeySchedule("b").key("input", 3));
}

TEST(SideOrder, AllSixOrdersOfThreeSidesAppearAboutEquallyOften) {
  const std::vector<Side> sides{Side::kEager, Side::kCompiled, Side::kSubmission};
  const KeySchedule keys("seed");
  std::map<std::vector<Side>, int> counts;
  for (std::uint64_t i = 0; i < 6000; ++i) ++counts[shuffled(sides, keys.key("order", i))];
  EXPECT_EQ(counts.size(), 6u);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(BlockFilter, DropsThrottledAndMovingBlocks) {
  std::vector<Sample> samples;
  for (int block = 0; block < 4; ++block) samples.push_back({.block = block});
  drop_disturbed_blocks(samples,
                        std::vector<Block>{{.block = 0, .start_khz = 1980, .end_khz = 1980},
                                           {.block = 1, .start_khz = 1980, .end_khz = 1900},
                                           {.block = 2, .start_khz = 1400, .end_khz = 1400},
                                           {.block = 3}},
                        false);
  EXPECT_FALSE(samples[0].dropped);
  EXPECT_TRUE(samples[1].dropped);
  EXPECT_TRUE(samples[2].dropped);
  EXPECT_FALSE(samples[3].dropped) << "an unknown clock drops nothing";
  EXPECT_EQ(samples[0].sm_clock_khz, 1980);
}

// One sample a block, all of the same length, and the blocks that are dropped.
struct CpuRun {
  std::vector<Sample> samples;
  std::vector<Block> conditions;

  void add(Block block) {
    block.block = static_cast<int>(conditions.size());
    samples.push_back({.block = block.block, .calls = 4, .time_ns = 100'000'000});
    conditions.push_back(block);
  }

  std::set<int> dropped(bool on_cpu = true) {
    drop_disturbed_blocks(samples, conditions, on_cpu);
    std::set<int> blocks;
    for (const Sample& sample : samples)
      if (sample.dropped) blocks.insert(sample.block);
    return blocks;
  }

  [[nodiscard]] bool was_busy(const std::string& device = "cpu") const {
    Evaluation evaluation;
    evaluation.device = device;
    evaluation.samples = samples;
    evaluation.blocks = conditions;
    return machine_was_busy(evaluation);
  }
};

TEST(BlockFilter, DropsBlocksWhoseCoresTheHypervisorTook) {
  CpuRun run;
  for (const std::int64_t stolen : {0, 1'000'000, 30'000'000, 0}) run.add({.stolen_ns = stolen});
  EXPECT_EQ(run.dropped(), std::set<int>{2});
  EXPECT_NE(run.samples[2].drop_reason.find("hypervisor"), std::string::npos);
}

TEST(BlockFilter, DropsBlocksInWhichTheOraclesOwnWorkWasSlow) {
  CpuRun run;
  for (const std::int64_t sentinel : {2'000, 2'100, 2'500, 2'800, 2'050})
    run.add({.sentinel_ns = sentinel});
  EXPECT_EQ(run.dropped(), std::set<int>{3});
  EXPECT_NE(run.samples[3].drop_reason.find("37 % longer"), std::string::npos)
      << run.samples[3].drop_reason;
  EXPECT_EQ(run.dropped(false), std::set<int>{}) << "on CUDA a flush tells of the device";
}

TEST(BlockFilter, AnUnknownSentinelDropsNothing) {
  CpuRun run;
  for (const std::int64_t sentinel : {0, 2'000, 9'000, 0}) run.add({.sentinel_ns = sentinel});
  EXPECT_EQ(run.dropped(), std::set<int>{2});
}

TEST(BlockFilter, KeepsTheQuieterHalf) {
  CpuRun run;
  for (int block = 0; block < 6; ++block) run.add({.stolen_ns = 50'000'000 + block});
  EXPECT_EQ(run.dropped(), (std::set<int>{3, 4, 5}));
}

TEST(BlockFilter, ABlockComesBackWhenLaterOnesAreWorse) {
  CpuRun run;
  run.add({});
  run.add({.stolen_ns = 9'000'000});
  EXPECT_EQ(run.dropped(), std::set<int>{1});
  for (int block = 2; block < 4; ++block) run.add({.stolen_ns = 90'000'000});
  EXPECT_EQ(run.dropped(), (std::set<int>{2, 3}));
  EXPECT_EQ(run.samples[1].drop_reason, "");
}

// A side's own time says nothing of the machine: dropping for it would favour another side.
TEST(BlockFilter, NothingIsDroppedForWhatASideTook) {
  CpuRun run;
  for (int block = 0; block < 12; ++block) run.add({.involuntary_switches = block});
  for (Sample& sample : run.samples) sample.time_ns += 30'000'000 * (sample.block % 3);
  EXPECT_EQ(run.dropped(), std::set<int>{});
}

TEST(Busy, IsAMachineOnWhichStrangersRanInMoreThanHalfOfTheBlocks) {
  CpuRun run;
  for (int block = 0; block < 4; ++block) run.add({.strangers = block < 2 ? 2 : 1});
  EXPECT_FALSE(run.was_busy()) << "in half of them, and once in four calls is nothing";
  run.add({.strangers = 4});
  EXPECT_TRUE(run.was_busy());
  EXPECT_FALSE(run.was_busy("cuda"));
}

TEST(Busy, IsAMachineOnWhichTheOraclesOwnWorkWasSlowInMoreThanHalfOfTheBlocks) {
  CpuRun run;
  for (int block = 0; block < 3; ++block) run.add({.sentinel_ns = 1'000});
  for (int block = 0; block < 3; ++block) run.add({.sentinel_ns = 1'400});
  EXPECT_FALSE(run.was_busy());
  run.add({.sentinel_ns = 1'500});
  EXPECT_TRUE(run.was_busy());
}

TEST(Busy, AMeasurementThatDoesNotCountSaysNothing) {
  CpuRun run;
  for (int block = 0; block < 4; ++block) run.add({});
  for (int block = 0; block < 9; ++block)
    run.conditions.push_back({.attempt = 1, .block = block, .strangers = 9});
  EXPECT_FALSE(run.was_busy());
}

TEST(Keep, JudgesAnewByWhatSurroundedTheBlocksOfEachAttempt) {
  Evaluation stored;
  stored.device = "cuda";
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (int i = 0; i < 2; ++i) {
      const int block = 2 * attempt + i;
      stored.samples.push_back({.attempt = attempt, .block = block, .dropped = block == 0});
      stored.blocks.push_back({.attempt = attempt,
                               .block = block,
                               .start_khz = attempt == 0 ? 1980 : 1200,
                               .end_khz = i == 0 ? 1200 + 780 * (1 - attempt) : 1000});
    }
  }
  keep(stored);
  std::vector<bool> dropped;
  for (const Sample& sample : stored.samples) dropped.push_back(sample.dropped);
  EXPECT_EQ(dropped, (std::vector<bool>{false, true, false, true}))
      << "a lower clock of another attempt is that attempt's own";
}

// Both baselines are quick now and then, by luck, and the submission's times take no notice of it.
TEST(VisibleDevice, IsTheOneThatThisProcessSeesUnderThatNumber) {
  EXPECT_EQ(visible_device(nullptr, 3), "3");
  EXPECT_EQ(visible_device("", 0), "0");
  EXPECT_EQ(visible_device("2,5", 1), "5");
  EXPECT_EQ(visible_device("2, GPU-8932f937,7", 1), "GPU-8932f937");
}

TEST(OneGpuEnvironment, SaysWhichOneUnderOurOwnOrder) {
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  ::unsetenv("CUDA_DEVICE_ORDER");
  EXPECT_EQ(one_gpu_environment(1).at("CUDA_VISIBLE_DEVICES"), "1");
  ::setenv("CUDA_VISIBLE_DEVICES", "3,2", 1);
  ::setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
  EXPECT_EQ(one_gpu_environment(1).at("CUDA_VISIBLE_DEVICES"), "2");
  EXPECT_EQ(one_gpu_environment(1).at("CUDA_DEVICE_ORDER"), "PCI_BUS_ID");
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  ::unsetenv("CUDA_DEVICE_ORDER");
}

TEST(CorePin, IsOnOneCoreForItsLifeAndBackOnAllAfterwards) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  {
    const CorePin pin;
    cpu_set_t now;
    ASSERT_EQ(::sched_getaffinity(0, sizeof now, &now), 0);
    EXPECT_EQ(CPU_COUNT(&now), 1);
    CPU_AND(&now, &now, &before);
    EXPECT_EQ(CPU_COUNT(&now), 1);
  }
  cpu_set_t after;
  ASSERT_EQ(::sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace kbench
