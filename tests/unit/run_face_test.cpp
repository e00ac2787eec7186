// The reports that a run writes at its end, and the runs that they cannot show.
#include "runner/print/run_face.hpp"

#include <gmock/gmock.h>

#include "reports/write/reporter.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/run_checks.hpp"
#include "tests/unit/run_fixture.hpp"

namespace kbench::test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class RunFaceTest : public RunTest {
 protected:
  RunFaceTest() {
    submit("anna/level1/019_relu.cpp");
    benches_.script.times_ns = {{"anna", 1e6}};
    options_.common.verbosity = -1;
    options_.common.color = ColorMode::kNever;
    outputs("json=" + (folder_ / "a.json").string());
  }

  void outputs(const std::string& word) { options_.outputs = {parse_output(word).value()}; }

  Result<RunOutcome> report() {
    begin_with_tables();
    options_.database = terms_.database;
    ReportingFace face(ColorMode::kNever, -1, reports_of(options_, benches_.place),
                       [this](const Evaluation& row) { rows_.push_back(row); });
    return RunSession(benches_, request_, terms_, face).run();
  }
  // The one row of the report.
  Json reported() {
    const auto outcome = report();
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    std::ifstream file(folder_ / "a.json");
    return Json::parse(file, nullptr, false);
  }

  RunOptions options_;
  std::vector<Evaluation> rows_;
};

TEST_F(RunFaceTest, EachRowIsToldOnce) {
  reported();
  EXPECT_THAT(rows_, SizeIs(1));
}

TEST_F(RunFaceTest, AnUncalibratedDeviceCountsWhereItIsTrusted) {
  const Json before = reported();
  options_.common.trust.estimates = true;
  const Json trusted = reported();
  ASSERT_THAT(trusted.at("results"), SizeIs(1));
  EXPECT_THAT(before.at("results").dump(), Not(HasSubstr("estimate_trusted")));
  EXPECT_THAT(trusted.at("results").dump(), HasSubstr("estimate_trusted"));
}

TEST_F(RunFaceTest, VariantsCountAsItIsAsked) {
  EXPECT_EQ(reported().at("variants"), "best");
  options_.variants = VariantRule::kFirst;
  EXPECT_EQ(reported().at("variants"), "first");
}

TEST_F(RunFaceTest, WhatCannotBeReportedIsNotLost) {
  outputs("json=" + (folder_ / "no folder/a.json").string());
  const auto outcome = report();
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().hint, HasSubstr("is saved in " + terms_.database.string()));
  EXPECT_THAT(stored(), SizeIs(1));
}

TEST_F(RunFaceTest, ChecksHaveNoPageThatNobodyAskedFor) {
  options_.database = terms_.database;
  options_.checks_only = true;
  options_.outputs = run_outputs({}, terms_.database).value();
  const auto checked = check_run_options(options_);
  ASSERT_TRUE(checked.ok()) << checked.error().message;
  ASSERT_THAT(checked->outputs, SizeIs(1));
  EXPECT_EQ(checked->outputs[0].reporter->name, "table");
}

TEST_F(RunFaceTest, AnOutputThatShowsTimesRefusesARunWithoutAny) {
  options_.database = terms_.database;
  outputs("google-benchmark=" + (folder_ / "b.json").string());
  EXPECT_TRUE(check_run_options(options_).ok());
  options_.checks_only = true;
  EXPECT_FALSE(check_run_options(options_).ok());
}

TEST_F(RunFaceTest, TheDatabaseIsNoOutput) {
  options_.database = terms_.database;
  outputs("json=" + terms_.database.string());
  EXPECT_FALSE(check_run_options(options_).ok());
  options_.file = folder_.write("me.cpp", "int nothing;\n");
  outputs("json=" + options_.file->string());
  EXPECT_FALSE(check_run_options(options_).ok()) << "nor is what is submitted";
}

TEST(RunFace, TheLineOfARowTellsTwoFilesOfAnAgentApart) {
  Plan plan;
  plan.target.size = "small";
  plan.tasks.emplace_back().id = "level1/019_relu";
  for (const char* name : {"anna/level1/019_relu.cpp", "anna/level1/019_relu.py"}) {
    PlannedRow unit;
    unit.id.agent = "anna";
    unit.id.name = name;
    plan.units.push_back(std::move(unit));
  }
  RunFace face(ColorMode::kNever, 0);
  ASSERT_TRUE(face.begin(plan).ok());
  Evaluation row;
  row.task = "level1/019_relu";
  row.size = "small";
  row.submission = plan.units[1].id;
  ::testing::internal::CaptureStderr();
  face.row(row, {});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("anna (.py)"));
}

TEST(RunFace, RunsWithinACommandAreQuietUnlessItIsVerbose) {
  EXPECT_EQ(within_command(-1), -1);
  EXPECT_EQ(within_command(0), -1);
  EXPECT_EQ(within_command(2), 2);
}

}  // namespace
}  // namespace kbench::test
