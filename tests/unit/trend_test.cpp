#include "reports/facts/trend.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/facts/model.hpp"
#include "reports/over_time/loaded_trend.hpp"
#include "runner/store/store.hpp"
#include "tests/fakes/stored_runs.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

using test::failed_evaluation;
using test::RunSpec;
using test::stored_run;
using test::timed_evaluation;
using ::testing::ElementsAre;

constexpr const char* kRelu = "level1/019_relu";

std::string id_of(int number) { return fmt::format("{:032x}", 0xa000 + number); }

RunSpec spec_of(int number) {
  return {.id = id_of(number), .started_at = fmt::format("2026-11-{:02}T03:00:00Z", number + 1)};
}

class StoredTrend : public ::testing::Test {
 protected:
  StoredTrend()
      : store_(std::move(Store::open(folder_ / "k.sqlite", Store::Mode::kReadWrite).value())) {}

  void store(const RunSpec& spec, const std::vector<Evaluation>& evaluations) {
    ASSERT_TRUE(store_.begin_run(stored_run(spec)).ok());
    for (const Evaluation& evaluation : evaluations) ASSERT_TRUE(store_.add(evaluation).ok());
  }
  void store_relu(const RunSpec& spec, std::int64_t submission_ns) {
    store(spec, {timed_evaluation(spec.id, kRelu, "alice", submission_ns)});
  }
  std::optional<Trend> trend(const std::string& run = "latest",
                             VariantRule rule = VariantRule::kBest) {
    auto data = load_report(store_, run);
    EXPECT_TRUE(data.ok());
    data->variants = rule;
    auto loaded = load_trend(store_, *data);
    EXPECT_TRUE(loaded.ok());
    return std::move(*loaded);
  }

  test::TemporaryFolder folder_;
  Store store_;
};

std::vector<std::size_t> runs_of(const TrendSeries& series) {
  std::vector<std::size_t> runs;
  for (const TrendPoint& point : series.points) runs.push_back(point.run);
  return runs;
}

TEST_F(StoredTrend, OneRunIsNone) {
  store_relu(spec_of(0), 1'000'000);
  EXPECT_FALSE(trend().has_value());
}

TEST_F(StoredTrend, AChangeIsDatedToTheRunThatBroughtIt) {
  for (int run = 0; run < 8; ++run) store_relu(spec_of(run), run < 5 ? 1'000'000 : 1'600'000);
  const auto found = trend();
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->runs.size(), 8U);
  EXPECT_EQ(found->runs.front().id, id_of(0));
  ASSERT_EQ(found->series.size(), 1U);
  const TrendSeries& series = found->series[0];
  EXPECT_THAT(runs_of(series), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  ASSERT_EQ(series.changes.size(), 1U);
  EXPECT_EQ(series.changes[0].point, 5U);
  EXPECT_NEAR(series.changes[0].before, 2.0, 1e-6);
  EXPECT_NEAR(series.changes[0].after, 1.25, 1e-6);
}

TEST_F(StoredTrend, RunsThatMeasuredOtherwiseHaveNoPart) {
  store_relu(spec_of(0), 1'000'000);
  RunSpec other = spec_of(1);
  other.device = "Another CPU";
  store_relu(other, 1'000'000);
  RunSpec quick = spec_of(2);
  quick.quick = true;
  store_relu(quick, 1'000'000);
  RunSpec sized = spec_of(3);
  Evaluation full = timed_evaluation(sized.id, kRelu, "alice", 1'000'000);
  full.size = "full";
  store(sized, {full});
  store_relu(spec_of(4), 1'000'000);
  const auto found = trend();
  ASSERT_TRUE(found.has_value());
  // The run of the other size is of the device, but has no point of this series.
  ASSERT_EQ(found->runs.size(), 3U);
  ASSERT_EQ(found->series.size(), 1U);
  EXPECT_THAT(runs_of(found->series[0]), ElementsAre(0, 2));
}

TEST_F(StoredTrend, PythonRowsOfAnotherTorchPolicyAreOfAnotherSeries) {
  for (int run = 0; run < 3; ++run) {
    Evaluation row = timed_evaluation(spec_of(run).id, kRelu, "alice", 1'000'000);
    row.allow_torch = run == 0 ? "data" : "all";
    store(spec_of(run), {row});
  }
  const auto found = trend();
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->series.size(), 1U);
  EXPECT_THAT(runs_of(found->series[0]), ElementsAre(1U, 2U));
}

TEST_F(StoredTrend, ItEndsWithTheRunThatIsReported) {
  for (int run = 0; run < 4; ++run) store_relu(spec_of(run), 1'000'000);
  const auto found = trend(id_of(2));
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->runs.size(), 3U);
  EXPECT_EQ(found->runs.back().id, id_of(2));
}

TEST_F(StoredTrend, WhatFailedHasAPointWithoutASpeedup) {
  store_relu(spec_of(0), 1'000'000);
  store(spec_of(1), {failed_evaluation(id_of(1), kRelu, "alice", State::kCrash)});
  store_relu(spec_of(2), 1'000'000);
  const auto found = trend();
  ASSERT_TRUE(found.has_value());
  const TrendSeries& series = found->series[0];
  ASSERT_EQ(series.points.size(), 3U);
  EXPECT_TRUE(series.points[0].speedup.has_value());
  EXPECT_FALSE(series.points[1].speedup.has_value());
  EXPECT_EQ(series.points[1].state, "crash");
  EXPECT_TRUE(series.changes.empty());
}

TEST_F(StoredTrend, OnlyAgentsOfThisRunAreShown) {
  store(spec_of(0), {timed_evaluation(id_of(0), kRelu, "alice", 1'000'000),
                     timed_evaluation(id_of(0), kRelu, "bob", 1'000'000)});
  store_relu(spec_of(1), 1'000'000);
  const auto found = trend();
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->series.size(), 1U);
  EXPECT_EQ(found->series[0].agent, "alice");
}

TEST_F(StoredTrend, VariantsGoByTheRule) {
  for (int run = 0; run < 2; ++run)
    store(spec_of(run), {timed_evaluation(id_of(run), kRelu, "alice", 1'000'000),
                         timed_evaluation(id_of(run), kRelu, "alice", 500'000, "v2")});
  const auto estimate = [&](VariantRule rule) {
    return trend("latest", rule)->series[0].points[0].speedup->estimate;
  };
  EXPECT_NEAR(estimate(VariantRule::kBest), 4, 1e-6);
  EXPECT_NEAR(estimate(VariantRule::kMean), 4, 1e-6) << "what the page shows of it";
}

TEST_F(StoredTrend, NoMoreRunsThanAPageCanShow) {
  const int runs = static_cast<int>(kMostTrendRuns) + 3;
  for (int run = 0; run < runs; ++run) {
    RunSpec spec = spec_of(run);
    spec.started_at = fmt::format("2026-{:02}-{:02}T03:00:00Z", 1 + run / 28, 1 + run % 28);
    store_relu(spec, 1'000'000);
  }
  const auto found = trend();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->runs.size(), kMostTrendRuns);
  EXPECT_EQ(found->older, 3U);
  EXPECT_EQ(found->runs.back().id, id_of(runs - 1)) << "the oldest are left out";
}

}  // namespace
}  // namespace kbench
