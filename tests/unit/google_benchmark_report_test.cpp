#include "reports/formats/google_benchmark_report.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "runner/core/json.hpp"
#include "tests/unit/formats_fixture.hpp"
#include "tests/unit/golden.hpp"

namespace kbench {
namespace {

TEST(GoogleBenchmarkReport, MatchesItsGolden) {
  test::expect_golden("reports/formats/run.google-benchmark.json",
                      render_google_benchmark(test::make_formats_data()));
}

// Fields that tools/compare.py and tools/gbench/report.py of Google Benchmark read.
TEST(GoogleBenchmarkReport, HasWhatItsReadersAskFor) {
  const Json report = Json::parse(render_google_benchmark(test::make_formats_data()));
  EXPECT_TRUE(report.at("context").at("date").is_string());
  EXPECT_EQ(report.at("context").at("num_cpus"), 16);
  std::map<std::string, Json> by_name;
  for (const Json& one : report.at("benchmarks")) {
    by_name[one.at("name")] = one;
    EXPECT_EQ(one.at("run_type"), "iteration");
    EXPECT_EQ(one.at("time_unit"), "ns");
    EXPECT_TRUE(one.at("iterations").is_number_integer());
    EXPECT_TRUE(one.at("real_time").is_number());
    EXPECT_TRUE(one.at("cpu_time").is_number());
  }
  EXPECT_EQ(by_name.size(), 10u);
  EXPECT_NEAR(by_name.at("level1/019_relu/full/alice").at("speedup").get<double>(), 2, 0.1);
  EXPECT_EQ(by_name.at("level1/019_relu/full/bob").at("error_occurred"), true);
  EXPECT_EQ(by_name.at("level1/023_softmax/full/bob").at("skipped"), true);
  EXPECT_GT(by_name.at("level3/007_lenet5/full/eager").at("real_time"), 0);
}

// Google Benchmark's compare.py pairs benchmarks by their names.
TEST(GoogleBenchmarkReport, TwoFilesOfAnAgentHaveTwoNames) {
  ReportData data = test::make_formats_data();
  Evaluation second = data.evaluations.front();
  ASSERT_TRUE(second.submission.has_value());
  data.evaluations.front().submission->name = "alice/level1/019_relu.cpp";
  second.submission->name = "alice/level1/019_relu.py";
  data.evaluations.push_back(std::move(second));
  std::set<std::string> names;
  const Json report = Json::parse(render_google_benchmark(data));
  for (const Json& one : report.at("benchmarks"))
    EXPECT_TRUE(names.insert(one.at("name")).second) << one.at("name");
  EXPECT_TRUE(names.contains("level1/019_relu/full/alice (.py)"));
}

TEST(GoogleBenchmarkReport, AnyEnvironmentWillDo) {
  ReportData data;
  for (const char* environment : {"", "{torn", "[]", R"({"host":3,"kbench":null})"}) {
    data.run.environment = environment;
    EXPECT_NO_THROW((void)render_google_benchmark(data)) << environment;
  }
}

}  // namespace
}  // namespace kbench
