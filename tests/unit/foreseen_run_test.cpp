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

}  // namespace
}  // namespace kbench::test
