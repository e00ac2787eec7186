// The rows that a run would bring, before anything is started.
#include "runner/run/foreseen_run.hpp"

#include <gmock/gmock.h>

#include "tests/unit/run_fixture.hpp"

namespace kbench::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ForeseenRun : public RunTest {
 protected:
  ForeseenRun() { submit("alice/level1/019_relu.cpp"); }

  Result<std::vector<ForeseenRow>> foresee() {
    auto plan = plan_run(request_, terms_, benches_.place);
    EXPECT_TRUE(plan.ok()) << plan.error().message;
    plan_ = std::move(*plan);
    return foresee_rows(plan_, request_, terms_);
  }
  std::vector<std::string> fates() {
    std::vector<std::string> words;
    const auto rows = foresee();
    EXPECT_TRUE(rows.ok()) << rows.error().message;
    for (const ForeseenRow& row : *rows) words.push_back(row.task->id + " " + row.fate_word());
    return words;
  }

  Plan plan_;
};

TEST_F(ForeseenRun, NamesWhatIsEvaluatedAndWhatIsNot) {
  request_.all_tasks = true;
  request_.levels = {1};
  EXPECT_THAT(fates(), ElementsAre("level1/001_square_matrix_multiplication baselines",
                                   "level1/019_relu evaluate", "level1/023_softmax baselines"));
  EXPECT_FALSE(std::filesystem::exists(terms_.database)) << "nothing is written";
  EXPECT_EQ(benches_.made, 0) << "nothing is started";
}

TEST_F(ForeseenRun, WithoutTimingATaskWithoutASubmissionEnds) {
  request_.checks_only = true;
  request_.tasks = {"softmax"};
  const auto rows = foresee();
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ(rows->front().fate, ForeseenRow::Fate::kEnds);
  EXPECT_THAT(rows->front().reason, HasSubstr("nothing to check"));
}

TEST_F(ForeseenRun, AResumedRunHasRowsAlreadyUnlessTheirSourceChanged) {
  good_run();
  submit("bob/level1/019_relu.cpp");
  terms_.resume = "latest";
  EXPECT_THAT(fates(), ElementsAre("level1/019_relu stored", "level1/019_relu evaluate"));
  folder_.write("subs/alice/level1/019_relu.cpp", "int another;\n");
  const auto rows = foresee();
  ASSERT_FALSE(rows.ok());
  EXPECT_THAT(rows.error().message, HasSubstr("its source changed since"));
  EXPECT_EQ(rows.error().code, ErrorCode::kUsage);
}

TEST_F(ForeseenRun, TimeIsThatOfTheLikeAndRowsWithoutItAreCounted) {
  good_run();
  submit("bob/level1/023_softmax.cpp");
  const auto rows = foresee();
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  const ForeseenTime time = estimate(*rows);
  EXPECT_EQ(time.known, 1u);
  EXPECT_EQ(time.unknown, 1u);
  const Json json = foreseen_json(plan_, *rows, terms_);
  EXPECT_EQ(json.at("rows_without_seconds"), 1);
  EXPECT_EQ(json.at("rows").at(0).at("agent"), "alice");
  EXPECT_TRUE(json.at("rows").at(1).at("seconds").is_null());
}

TEST_F(ForeseenRun, WhatEndsUnmeasuredSaysWhy) {
  submit("bob/level1/019_relu.cu");
  auto rows = foresee();
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ(rows->at(1).fate_word(), "skipped");
  EXPECT_THAT(rows->at(1).reason, HasSubstr("(use --device cuda"));
  EXPECT_FALSE(rows->at(1).is_measured());
  plan_.units[1].hint.clear();
  EXPECT_EQ(foresee_rows(plan_, request_, terms_)->at(1).reason, plan_.units[1].message);
  plan_.target.size = "gigantic";
  rows = foresee_rows(plan_, request_, terms_);
  EXPECT_EQ(rows->at(0).fate_word(), "skipped");
  EXPECT_EQ(rows->at(0).reason, "level1/019_relu has no size gigantic");
}

TEST_F(ForeseenRun, LongestFirstIsTheOrderOfThePlanToo) {
  submit("alice/level1/023_softmax.cpp");
  submit("alice/level1/001_square_matrix_multiplication.cpp");
  benches_.script.seconds = {{"level1/019_relu", 1},
                             {"level1/001_square_matrix_multiplication", 5},
                             {"level1/023_softmax", 9}};
  good_run();
  terms_.order = UnitOrder::kLongest;
  EXPECT_THAT(fates(), ElementsAre("level1/023_softmax evaluate",
                                   "level1/001_square_matrix_multiplication evaluate",
                                   "level1/019_relu evaluate"));
}

TEST_F(ForeseenRun, TimeIsThatOfRunsOfTheSameKind) {
  const auto seconds_of = [&](bool quick, bool checks_only) {
    request_.quick = quick;
    request_.checks_only = checks_only;
    const auto rows = foresee();
    return rows ? rows->front().seconds.value_or(0) : -1;
  };
  const auto run_for = [&](double seconds) {
    benches_.script.seconds = {{"level1/019_relu", seconds}};
    good_run();
  };
  run_for(9);
  request_.quick = true;
  run_for(4);
  request_.quick = false;
  request_.checks_only = true;
  run_for(1);
  EXPECT_EQ(seconds_of(false, false), 9);
  EXPECT_EQ(seconds_of(true, false), 4);
  EXPECT_EQ(seconds_of(false, true), 1);
  const auto rows = foresee();
  const Json json = foreseen_json(plan_, *rows, terms_);
  EXPECT_EQ(json.at("seconds"), 1);
  EXPECT_EQ(json.at("rows").at(0).at("seconds"), 1);
  EXPECT_EQ(json.at("device"), "cpu");
  EXPECT_EQ(json.at("size"), "small");
  EXPECT_EQ(json.at("database"), terms_.database.string());
}

}  // namespace
}  // namespace kbench::test
