#include "reports/over_time/nightly.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/formats/github_report.hpp"
#include "reports/formats/json_report.hpp"
#include "reports/formats/junit_report.hpp"
#include "reports/formats/markdown_report.hpp"
#include "reports/over_time/nightly_report.hpp"
#include "tests/fakes/stored_runs.hpp"
#include "tests/unit/golden.hpp"

namespace kbench {
namespace {

using test::failed_evaluation;
using test::timed_evaluation;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kRelu = "level1/019_relu";
const NightlyRule kRule{.flag = 0.06};

ReportData run_of(const std::string& id, std::vector<Evaluation> rows,
                  const test::RunSpec& like = {}) {
  ReportData data;
  test::RunSpec spec = like;
  spec.id = id;
  data.run = test::stored_run(spec);
  data.chain.state = ChainFinding::State::kHolds;
  data.quick = spec.quick;
  data.evaluations = std::move(rows);
  return data;
}

Evaluation relu(std::int64_t ns, const std::string& source = "3333cccc") {
  Evaluation evaluation = timed_evaluation("run", kRelu, "alice", ns);
  evaluation.submission->source_hash = source;
  return evaluation;
}

// Newest first, as the store lists them.
std::vector<GoodRun> good_runs(const std::vector<Evaluation>& rows) {
  std::vector<GoodRun> good;
  for (std::size_t i = 0; i < rows.size(); ++i)
    good.push_back(good_run(run_of("good" + std::to_string(i), {rows[i]}), Side::kEager));
  return good;
}

Night night_of(const Evaluation& tonight, const std::vector<Evaluation>& before) {
  return look_at_night(run_of("tonight", {tonight}), good_runs(before), Side::kEager, kRule);
}

TEST(Night, HoldsEachRowAgainstTheMedianOfItsLastGoodRuns) {
  const std::vector<Evaluation> before{relu(1'000'000), relu(1'001'000), relu(1'000'000),
                                       relu(3'000'000), relu(999'000)};
  EXPECT_THAT(night_of(relu(1'050'000), before).suspects, IsEmpty());
  EXPECT_THAT(night_of(relu(800'000), before).suspects, IsEmpty());
  const Night night = night_of(relu(1'100'000), before);
  ASSERT_EQ(night.suspects.size(), 1U);
  EXPECT_EQ(night.compared, 1);
  EXPECT_EQ(night.suspects[0].why, Suspect::Why::kSlower);
  EXPECT_NEAR(night.suspects[0].longer_by, 0.1, 1e-9);
  EXPECT_EQ(night.suspects[0].reference.values.size(), 5U);
  EXPECT_DOUBLE_EQ(night.suspects[0].evidence.between_runs, 0.02) << "as calibrated";
}

// Older than five it does not count, however fast it was.
TEST(Night, LooksNoFurtherBackThanFiveRuns) {
  std::vector<Evaluation> before(5, relu(1'000'000));
  before.insert(before.end(), 9, relu(500'000));
  EXPECT_THAT(night_of(relu(1'050'000), before).suspects, IsEmpty());
}

// The newest good run may be slow already: what was there before it is the good source.
TEST(Night, TheGoodSourceIsOneThatWasNoSlowerThanTheReference) {
  const Night night =
      night_of(relu(1'300'000, "new"), {relu(1'300'000, "new"), relu(1'000'000, "old"),
                                        relu(1'000'000, "old"), relu(1'000'000, "older")});
  ASSERT_EQ(night.suspects.size(), 1U);
  EXPECT_EQ(night.suspects[0].good.source_hash, "old");
  EXPECT_EQ(night.suspects[0].good_run.id, "good1");
  EXPECT_FALSE(night.suspects[0].same_source());
}

TEST(Night, AnotherTaskFileIsAnotherHistory) {
  Evaluation tonight = relu(2'000'000);
  tonight.task_hash = "2222bbbb";
  const Night night = night_of(tonight, {relu(1'000'000)});
  EXPECT_THAT(night.suspects, IsEmpty());
  EXPECT_EQ(night.without_reference, 1);
}

TEST(Night, WhatFailsForAnotherTaskFileIsHeldAgainstNothing) {
  Evaluation tonight = failed_evaluation("run", kRelu, "alice");
  tonight.task_hash = "2222bbbb";
  const Night night = night_of(tonight, {relu(1'000'000)});
  EXPECT_THAT(night.suspects, IsEmpty());
  EXPECT_EQ(night.failing, 1);
}

TEST(Night, SuspectsWhatWasCorrectInMostGoodRunsAndFailsNow) {
  const Evaluation wrong = failed_evaluation("run", kRelu, "alice");
  const Night night = night_of(wrong, {wrong, relu(1'000'000), relu(1'000'000)});
  ASSERT_EQ(night.suspects.size(), 1U);
  EXPECT_EQ(night.suspects[0].why, Suspect::Why::kFails);
  EXPECT_EQ(night.suspects[0].good_run.id, "good1");
  EXPECT_THAT(night_of(wrong, {wrong, wrong, relu(1'000'000)}).suspects, IsEmpty()) << "as before";
  EXPECT_THAT(night_of(wrong, {}).suspects, IsEmpty()) << "new";
}

TEST(Night, WhatFailsAsBeforeIsCounted) {
  const Evaluation wrong = failed_evaluation("run", kRelu, "alice");
  EXPECT_THAT(night_summary(night_of(wrong, {wrong})), HasSubstr("; 1 failing as before, or new"));
  EXPECT_THAT(night_summary(night_of(wrong, {relu(1'000'000)})), Not(HasSubstr("failing")));
  EXPECT_THAT(night_summary(night_of(relu(1'000'000), {wrong})), Not(HasSubstr("failing")));
}

// Was: "compared 0, suspected 1: 1 confirmed".
TEST(Night, WhatWasGoodAndFailsIsCompared) {
  const Evaluation wrong = failed_evaluation("run", kRelu, "alice");
  EXPECT_THAT(night_summary(night_of(wrong, {relu(1'000'000)})),
              HasSubstr("compared 1, suspected 1: 1 unclear"));
}

// Was: "compared 0, suspected 0".
TEST(Night, WithoutAnyGoodRunNothingIsCompared) {
  const Night night = look_at_night(run_of("tonight", {relu(1'000'000)}), {}, Side::kEager, kRule);
  EXPECT_EQ(night_summary(night), "nothing to compare with yet; 1 new or without any good run");
}

TEST(Night, WhatCannotBeReadHasNothingToMeasureAgain) {
  Evaluation malformed = failed_evaluation("run", kRelu, "alice", State::kCompileError);
  malformed.submission->source_hash.clear();
  Night night = night_of(malformed, {relu(1'000'000)});
  ASSERT_EQ(night.suspects.size(), 1U);
  EXPECT_TRUE(night.suspects[0].cannot_be_read());
  EXPECT_THAT(finding_words(night.suspects[0]), HasSubstr("needs no second try"));
  night = night_of(failed_evaluation("run", kRelu, "alice"), {relu(1'000'000)});
  EXPECT_FALSE(night.suspects.at(0).cannot_be_read());
}

// Was: "not tried again" of one whose second try nobody could judge.
TEST(Night, WhatWasTriedAgainAndNotJudgedIsNotCalledUntried) {
  const Evaluation wrong = failed_evaluation("run", kRelu, "alice");
  Suspect suspect = night_of(wrong, {relu(1'000'000)}).suspects.at(0);
  EXPECT_THAT(finding_words(suspect), HasSubstr("(wrong result), not tried again"));
  suspect.clearance = Clearance::kUnclear;
  EXPECT_THAT(finding_words(suspect), HasSubstr("and was not judged when tried again"));
}

TEST(Night, OurOwnFaultAccusesNobody) {
  const Evaluation ours = failed_evaluation("run", kRelu, "alice", State::kInfrastructureError);
  const Night night = night_of(ours, {relu(1'000'000)});
  EXPECT_THAT(night.suspects, IsEmpty());
  EXPECT_EQ(night.faults, 1);
  EXPECT_THAT(night_summary(night), HasSubstr("1 not judged"));
}

TEST(Night, NamesWhatIsGone) {
  const Night night =
      look_at_night(run_of("tonight", {}), good_runs({relu(1'000'000)}), Side::kEager, kRule);
  ASSERT_EQ(night.gone.size(), 1U);
  EXPECT_THAT(render_night(night, {}), HasSubstr("gone since the last good run: level1/019_relu"));
}

TEST(Night, IsFullOnceEachRowHasFiveRuns) {
  const ReportData tonight = run_of("tonight", {relu(1'000'000)});
  EXPECT_FALSE(is_full_reference(tonight, good_runs({4, relu(1'000'000)})));
  std::vector<Evaluation> rows(4, relu(1'000'000));
  rows.insert(rows.begin() + 1, failed_evaluation("run", kRelu, "alice"));
  EXPECT_FALSE(is_full_reference(tonight, good_runs(rows))) << "it failed in one of them";
  rows.push_back(relu(1'000'000));
  EXPECT_TRUE(is_full_reference(tonight, good_runs(rows)));
}

TEST(GoodRun, IsOneThatWasMeasuredAlikeAndWithoutFault) {
  const ReportData tonight = run_of("tonight", {relu(1'000'000)});
  const auto why = [&](const ReportData& run) { return why_not_good(run, tonight); };
  ReportData run = run_of("a", {relu(1'000'000), failed_evaluation("a", kRelu, "bob")});
  EXPECT_EQ(why(run), "") << "a wrong submission is nobody's fault but its own";
  run.run.finished_at.clear();
  EXPECT_EQ(why(run), "not finished");
  EXPECT_EQ(why(run_of("a", {relu(1'000'000)}, {.quick = true})), "another timing");
  EXPECT_EQ(why(run_of("a", {relu(1'000'000)}, {.threads = 64})), "another device");
  run = run_of("a", {failed_evaluation("a", kRelu, "bob", State::kInfrastructureError)});
  EXPECT_THAT(why(run), HasSubstr("fault"));
  run = run_of("a", {failed_evaluation("a", kRelu, "bob", State::kDoesNotFit)});
  EXPECT_EQ(why(run), "") << "that is how it is on this device";
  run = run_of("a", {relu(1'000'000)});
  run.chain.state = ChainFinding::State::kChanged;
  EXPECT_EQ(why(run), "rows changed since");
  run.chain.state = ChainFinding::State::kUnchained;
  EXPECT_EQ(why(run), "rows not chained here");
  ReportData keyless = tonight;
  keyless.chain.state = ChainFinding::State::kUnchained;
  EXPECT_EQ(why_not_good(run, keyless), "") << "where no key can be kept, none has one";
}

// The reports of a night in which one was confirmed, one cleared, and one stayed unclear.
class NightReports : public ::testing::Test {
 protected:
  void SetUp() override {
    data_ = run_of("tonight", {timed_evaluation("tonight", kRelu, "alice", 1'100'000),
                               timed_evaluation("tonight", kRelu, "bob", 1'200'000),
                               timed_evaluation("tonight", kRelu, "carol", 1'300'000)});
    std::vector<GoodRun> good{
        good_run(run_of("0123456789abcdef", {timed_evaluation("g", kRelu, "alice", 1'000'000),
                                             timed_evaluation("g", kRelu, "bob", 1'000'000),
                                             timed_evaluation("g", kRelu, "carol", 1'000'000)}),
                 Side::kEager)};
    for (auto& [key, row] : good.front().rows) row.submission.source_hash = "before";
    night_ = look_at_night(data_, good, Side::kEager, kRule);
    ASSERT_EQ(night_.suspects.size(), 3U);
    night_.suspects[0].clearance = Clearance::kConfirmed;
    night_.suspects[0].evidence.slowdowns = {0.1, 0.11, 0.09};
    night_.suspects[1].clearance = Clearance::kCleared;
    night_.suspects[1].evidence.slowdowns = {0.001, -0.002, 0.001};
    night_.suspects[1].evidence.alone = night_.suspects[1].reference;
    night_.suspects[2].remark = "its source is gone";
    data_.night = findings_of(night_);
  }

  ReportData data_;
  Night night_;
};

TEST_F(NightReports, OnTheTerminal) {
  const std::string text = render_night(night_, {});
  EXPECT_THAT(text, HasSubstr("against 1 good run: 0123456789ab"));
  EXPECT_THAT(text, HasSubstr("✗ confirmed  level1/019_relu  alice"));
  EXPECT_THAT(text, HasSubstr("took 10.0 % longer than the last good run; measured again: "
                              "+10.5 % ± 7.0 % in 3 pairs with the source of 0123456789ab"));
  EXPECT_THAT(text, HasSubstr("in 3 measurements of tonight's source"));
  EXPECT_THAT(text, HasSubstr("? unclear"));
  EXPECT_THAT(text, HasSubstr("its source is gone"));
  EXPECT_THAT(text, HasSubstr("compared 3, suspected 3: 1 confirmed, 1 cleared, 1 unclear"));
}

// Was: each sentence stood above its row, so that with two suspects the wrong one was accused.
TEST_F(NightReports, EachSentenceStandsBelowItsRow) {
  test::expect_golden("reports/formats/night.txt", render_night(night_, {}));
}

TEST_F(NightReports, ForGitHub) {
  const std::string text = render_github(data_, "");
  EXPECT_THAT(text,
              HasSubstr("::error file=submissions/alice/level1/019_relu.cpp,"
                        "title=regression%3A level1/019_relu by alice::took 10.0 %25 longer"));
  EXPECT_THAT(text, HasSubstr("::notice file=submissions/bob/level1/019_relu.cpp,"
                              "title=suspected%2C cleared"));
  EXPECT_EQ(text.find("::error", 1), std::string::npos) << "one error only, which comes first";
}

TEST_F(NightReports, AsMarkdownAndWithinALimit) {
  EXPECT_THAT(render_markdown(data_),
              HasSubstr("- **✗ regression** <code>level1/019_relu</code> by <code>alice</code>"));
  EXPECT_LE(github_summary(data_, 500).size(), 500U);
}

TEST_F(NightReports, AsJUnit) {
  const std::string text = render_junit(data_);
  EXPECT_THAT(text, HasSubstr("tests=\"3\" failures=\"1\" errors=\"0\""));
  EXPECT_THAT(text, HasSubstr("<failure type=\"regression\" message=\"regression: took 10.0 %"));
  data_.night.reset();
  EXPECT_THAT(render_junit(data_), Not(HasSubstr("regression")));
}

TEST_F(NightReports, AsJson) {
  const Json report = report_json(data_);
  EXPECT_EQ(report["night"].size(), 3U);
  EXPECT_EQ(report["night"][0]["verdict"], "confirmed");
  EXPECT_EQ(report["night"][1]["agent"], "bob");
  data_.night.reset();
  EXPECT_TRUE(report_json(data_)["night"].is_null());
}

}  // namespace
}  // namespace kbench
