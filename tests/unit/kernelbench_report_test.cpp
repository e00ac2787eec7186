#include "reports/formats/kernelbench_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/facts/levels.hpp"
#include "reports/write/reporter.hpp"
#include "runner/core/json.hpp"
#include "tests/unit/formats_fixture.hpp"
#include "tests/unit/golden.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;

// One level of the run that all formats are tried on, with samples as KernelBench calls them.
ReportData make_level_1() {
  ReportData data = test::make_formats_data();
  EXPECT_TRUE(keep_levels(data, {1}));
  Evaluation sample = test::timed_evaluation("level1/019_relu", 1, "alice");
  sample.submission->variant = "sample_4";
  sample.submission->name = "alice/level1/019_relu@sample_4.py";
  data.evaluations.push_back(sample);
  return data;
}

Json rendered(const ReportData& data) { return Json::parse(render_kernelbench(data)); }

TEST(Levels, AreThoseThatAreNamed) {
  const ReportData whole = test::make_formats_data();
  const auto count = [&](const std::vector<int>& levels) {
    ReportData data = whole;
    EXPECT_TRUE(keep_levels(data, levels));
    return data.evaluations.size();
  };
  EXPECT_EQ(count({}), whole.evaluations.size());
  EXPECT_EQ(count({1, 2, 3}), whole.evaluations.size());
  EXPECT_EQ(count({1}) + count({2, 3}), whole.evaluations.size());
  EXPECT_LT(count({1}), whole.evaluations.size());

  ReportData night = whole;
  night.night = {{.task = "level1/019_relu", .verdict = "cleared"},
                 {.task = "level2/001_conv", .verdict = "cleared"}};
  EXPECT_TRUE(keep_levels(night, {1}));
  ASSERT_EQ(night.night->size(), 1U);
  EXPECT_EQ(night.night->front().task, "level1/019_relu");

  ReportData data = whole;
  const Status none = keep_levels(data, {4, 10});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(none.error().message, HasSubstr("level 4, 10"));
  EXPECT_THAT(none.error().hint, HasSubstr("level 1"));
  data.levels = {1};
  EXPECT_TRUE(shows_task(data, "level1/019_relu"));
  EXPECT_FALSE(shows_task(data, "level10/001_softmax"));
}

TEST(KernelBenchReport, MatchesItsGolden) {
  test::expect_golden("reports/formats/run.kernelbench.json", render_kernelbench(make_level_1()));
}

// Fields that scripts/benchmark_eval_analysis.py and calculate_pass_at_k read.
TEST(KernelBenchReport, HasWhatItsReadersAskFor) {
  const Json results = rendered(make_level_1());
  ASSERT_TRUE(results.is_object());
  for (const auto& [problem, samples] : results.items()) {
    EXPECT_EQ(problem, std::to_string(std::stoi(problem)));
    ASSERT_TRUE(samples.is_array());
    for (const Json& sample : samples) {
      EXPECT_TRUE(sample.at("sample_id").is_number_integer());
      EXPECT_TRUE(sample.at("compiled").is_boolean());
      EXPECT_TRUE(sample.at("correctness").is_boolean());
      EXPECT_TRUE(sample.at("metadata").is_object());
      EXPECT_TRUE(sample.at("runtime").is_number());
      EXPECT_TRUE(sample.at("runtime_stats").is_object());
      EXPECT_EQ(sample.size(), 6u);
    }
  }
  const Json& relu = results.at("19");
  ASSERT_EQ(relu.size(), 4u);  // alice, bob, carol, and alice's sample 4
  EXPECT_EQ(relu[0].at("sample_id"), 0);
  EXPECT_EQ(relu[0].at("correctness"), true);
  EXPECT_NEAR(relu[0].at("runtime").get<double>(), 1.0, 0.1) << "in milliseconds";
  EXPECT_EQ(relu[1].at("correctness"), false);
  EXPECT_EQ(relu[1].at("compiled"), true);
  EXPECT_EQ(relu[1].at("runtime"), -1.0);
  EXPECT_EQ(relu[1].at("metadata").at("correctness_issue_name"), "wrong_result");
  EXPECT_EQ(relu[3].at("sample_id"), 4) << "by its name";
}

TEST(KernelBenchReport, WhatWasNotEvaluatedHasNoEntry) {
  // A crash; a skipped row and a fault of the machine's are left out.
  const Json softmax = rendered(make_level_1()).at("23");
  ASSERT_EQ(softmax.size(), 1u);
  EXPECT_EQ(softmax[0].at("metadata").at("runtime_error_name"), "crash");
  EXPECT_EQ(rendered({}), Json::object());
}

TEST(KernelBenchReport, WhatCouldNotBeLoadedDidNotCompile) {
  for (const State state :
       {State::kCompileError, State::kImportError, State::kMissingSymbol, State::kLoadError}) {
    ReportData data;
    data.evaluations = {test::failed_evaluation("level1/019_relu", "a", state, "why", "")};
    const Json sample = rendered(data).at("19")[0];
    EXPECT_EQ(sample.at("compiled"), false);
    EXPECT_EQ(sample.at("metadata").at("compilation_error"), "why");
  }
}

// As one that was measured again and is suspect: it is no wrong result.
TEST(KernelBenchReport, WhatIsFasterThanCanBeIsARuntimeError) {
  ReportData data;
  data.trust.unchecked = true;
  data.evaluations = {test::timed_evaluation("level1/019_relu", 1, "a")};
  data.evaluations[0].floor_ns = 1'200'000;
  const Json sample = rendered(data).at("19").at(0);
  EXPECT_EQ(sample.at("correctness"), false);
  EXPECT_EQ(sample.at("runtime"), -1.0);
  const Json& metadata = sample.at("metadata");
  EXPECT_EQ(metadata.at("runtime_error_name"), "below_floor") << "was: ok";
  EXPECT_THAT(metadata.at("runtime_error").get<std::string>(), HasSubstr("faster than the device"));
  EXPECT_EQ(metadata.at("excessive_speedup"), true);
  EXPECT_EQ(metadata.at("kbench").at("uncredited_reason"), metadata.at("runtime_error"));
  EXPECT_FALSE(metadata.contains("correctness_issue"));
}

TEST(KernelBenchReport, WhyARowCountsInNoScoreStandsInIt) {
  ReportData data;
  data.evaluations = {test::timed_evaluation("level1/019_relu", 1, "a")};
  const Json untrusted = rendered(data).at("19").at(0).at("metadata").at("kbench");
  EXPECT_THAT(untrusted.at("unranked_reason").get<std::string>(), HasSubstr("has no chain"));
  data.trust.unchecked = true;
  const Json trusted = rendered(data).at("19").at(0).at("metadata").at("kbench");
  EXPECT_FALSE(trusted.contains("unranked_reason"));
  EXPECT_FALSE(trusted.contains("uncredited_reason"));
}

TEST(KernelBenchReport, OneNumberIsNeverGivenTwice) {
  ReportData data;
  for (const char* agent : {"a", "b"}) {
    Evaluation one = test::timed_evaluation("level1/019_relu", 1, agent);
    one.submission->variant = "sample_1";
    data.evaluations.push_back(one);
  }
  data.evaluations.push_back(test::timed_evaluation("level1/019_relu", 1, "c"));
  const Json samples = rendered(data).at("19");
  ASSERT_EQ(samples.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(samples[i].at("sample_id"), i);
}

TEST(KernelBenchReport, OneFileIsOfOneLevel) {
  const Reporter& reporter = *find_reporter("kernelbench");
  EXPECT_TRUE(check_levels(reporter, {2}).ok());
  const auto several = check_levels(reporter, {1, 2});
  ASSERT_FALSE(several.ok());
  EXPECT_EQ(several.error().code, ErrorCode::kUsage);
  EXPECT_TRUE(check_levels(*find_reporter("json"), {1, 2}).ok());
}

}  // namespace
}  // namespace kbench
