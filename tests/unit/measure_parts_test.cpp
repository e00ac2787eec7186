// The small pure parts of runner/measure: keys, order of sides, disturbed blocks.
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "runner/analysis/keep.hpp"
#include "runner/measure/core_pin.hpp"
#include "runner/measure/gpu_visibility.hpp"
#include "runner/measure/secret.hpp"
#include "runner/measure/side_order.hpp"

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

TEST(BlockFilter, DropsBlocksWhoseCoresOthersTook) {
  std::vector<Sample> samples;
  for (int block = 0; block < 4; ++block)
    samples.push_back({.block = block, .time_ns = 100'000'000});
  drop_disturbed_blocks(samples,
                        std::vector<Block>{{.block = 0},
                                           {.block = 1, .involuntary_switches = 50},
                                           {.block = 2, .stolen_ns = 30'000'000},
                                           {.block = 3, .involuntary_switches = 3}},
                        false);
  EXPECT_FALSE(samples[0].dropped);
  EXPECT_TRUE(samples[1].dropped);
  EXPECT_TRUE(samples[2].dropped);
  EXPECT_FALSE(samples[3].dropped) << "a few switches in 100 ms are the kernel's own";
  EXPECT_NE(samples[1].drop_reason, "");
}

TEST(BlockFilter, KeepsTheQuieterHalf) {
  std::vector<Sample> samples;
  std::vector<Block> conditions;
  for (int block = 0; block < 6; ++block) {
    samples.push_back({.block = block, .time_ns = 10'000'000});
    conditions.push_back({.block = block, .involuntary_switches = 100 + block});
  }
  drop_disturbed_blocks(samples, conditions, false);
  std::vector<bool> dropped;
  for (const Sample& sample : samples) dropped.push_back(sample.dropped);
  EXPECT_EQ(dropped, (std::vector<bool>{false, false, false, true, true, true}));
}

TEST(BlockFilter, ABlockComesBackWhenLaterOnesAreWorse) {
  std::vector<Sample> samples{{.block = 0, .time_ns = 10'000'000},
                              {.block = 1, .time_ns = 10'000'000}};
  std::vector<Block> conditions{{.block = 0}, {.block = 1, .involuntary_switches = 9}};
  drop_disturbed_blocks(samples, conditions, false);
  EXPECT_TRUE(samples[1].dropped);
  for (int block = 2; block < 4; ++block) {
    samples.push_back({.block = block, .time_ns = 10'000'000});
    conditions.push_back({.block = block, .involuntary_switches = 90});
  }
  drop_disturbed_blocks(samples, conditions, false);
  EXPECT_FALSE(samples[1].dropped);
  EXPECT_EQ(samples[1].drop_reason, "");
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

// The samples of one block on the CPU, and that it was there.
struct CpuRun {
  std::vector<Sample> samples;
  std::vector<Block> conditions;

  void add(int placement, std::int64_t eager_ns, std::int64_t compiled_ns,
           std::int64_t submission_ns) {
    const int block = static_cast<int>(conditions.size());
    for (const auto& [side, ns] :
         {std::pair{Side::kEager, eager_ns}, std::pair{Side::kCompiled, compiled_ns},
          std::pair{Side::kSubmission, submission_ns}})
      samples.push_back(
          {.placement = placement, .block = block, .side = side, .calls = 1, .time_ns = ns});
    conditions.push_back({.block = block});
  }

  // Which blocks are dropped.
  std::set<int> dropped() {
    drop_disturbed_blocks(samples, conditions, true);
    return marked();
  }
  std::set<int> dropped_in_the_end() {
    drop_disturbed_blocks_at_the_end(samples, conditions, true);
    return marked();
  }

 private:
  [[nodiscard]] std::set<int> marked() const {
    std::set<int> blocks;
    for (const Sample& sample : samples)
      if (sample.dropped) blocks.insert(sample.block);
    return blocks;
  }
};

TEST(BlockFilter, DropsBlocksThatWereSlowForBothBaselines) {
  CpuRun run;
  for (int placement = 0; placement < 12; ++placement) run.add(placement, 1000, 600, 300);
  run.add(12, 1250, 601, 300);  // eager's bad luck
  run.add(13, 1001, 750, 300);  // compiled's
  run.add(14, 1000, 600, 900);  // the submission's: says nothing of the surroundings
  run.add(15, 1200, 720, 300);
  run.add(16, 1040, 640, 330);  // as blocks differ
  EXPECT_EQ(run.dropped(), std::set<int>{15});
  EXPECT_NE(run.samples.at(15 * 3).drop_reason.find("both baselines took 20 % longer"),
            std::string::npos);
}

TEST(BlockFilter, ADisturbedMachineKeepsTheQuietestOfTenPlacements) {
  CpuRun run;
  for (int placement = 0; placement < 12; ++placement)
    run.add(placement, 1000 + 100 * placement, 600 + 60 * placement, 300);
  run.add(11, 1000, 600, 300);
  EXPECT_EQ(run.dropped(), (std::set<int>{9, 10, 11}));
}

TEST(BlockFilter, FewPlacementsKeepAllTheirBlocks) {
  CpuRun run;
  for (int block = 0; block < 20; ++block)
    run.add(block / 4, 1000 + 100 * block, 600 + 60 * block, 300);
  EXPECT_EQ(run.dropped(), std::set<int>{});
}

// Both baselines are quick now and then, by luck, and the submission's times take no notice of it.
TEST(BlockFilter, QuickBaselinesThatWereLuckAreNotChosenInTheEnd) {
  CpuRun run;
  for (int placement = 0; placement < 60; ++placement) {
    const bool lucky = placement % 6 == 0;
    const int noise = placement % 12 == 0 ? 400 : -400;
    for (int block = 0; block < 5; ++block)
      run.add(placement, lucky ? 1000 : 1500, lucky ? 1000 : 1500, lucky ? 1500 + noise : 1500);
  }
  EXPECT_EQ(run.dropped().size(), 250u);
  EXPECT_EQ(run.dropped_in_the_end(), std::set<int>{});
}

TEST(BlockFilter, AQuietTimeStaysChosenInTheEnd) {
  CpuRun run;
  for (int placement = 0; placement < 60; ++placement) {
    const bool quiet = placement % 4 == 0;
    run.add(placement, quiet ? 1000 : 1500, quiet ? 1000 : 1500,
            (quiet ? 1000 : 1900) + placement % 7);
  }
  EXPECT_EQ(run.dropped_in_the_end().size(), 45u);
}

TEST(BlockFilter, OneBaselineAloneDropsNothing) {
  CpuRun run;
  for (int i = 0; i < 20; ++i) run.add(i, 1000 + 100 * i, 600, 300);
  std::erase_if(run.samples, [](const Sample& sample) { return sample.side == Side::kCompiled; });
  EXPECT_EQ(run.dropped(), std::set<int>{});
}

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
