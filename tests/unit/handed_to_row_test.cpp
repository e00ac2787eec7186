// Each field that an evaluation hands on to its row, on a scripted device: of its request, and of
// what it saw beside the times.
#include <gmock/gmock.h>

#include "runner/core/device_sheet.hpp"
#include "tests/unit/evaluator_fixture.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;

class HandedToRow : public ScriptedEvaluation {};

TEST_F(HandedToRow, ARowSaysWhatItWasMeasuredBy) {
  task_.level = 3;
  task_.hash = "the task's hash";
  task_.lint_accepts = {{"zeros", "a test says so"}};
  size_.name = "full";
  request_.precision = "tf32";
  request_.package_key = "the package's key";
  settings_.profile = "another";
  settings_.acceptance.c = 7;
  settings_.acceptance.k = 70;
  settings_.calibration = Calibration{.between_sessions = 0.01, .between_runs = 0.02};
  const Evaluation row = run();
  EXPECT_EQ(row.protocol, kProtocol);
  EXPECT_TRUE(row.timed);
  EXPECT_EQ(row.task, "level1/019_relu");
  EXPECT_EQ(row.level, 3);
  EXPECT_EQ(row.task_hash, "the task's hash");
  EXPECT_EQ(row.unranked, why_unranked(task_.lint_accepts));
  EXPECT_NE(row.unranked, "");
  EXPECT_EQ(row.size, "full");
  EXPECT_EQ(row.device, "cuda");
  EXPECT_EQ(row.precision, "tf32");
  EXPECT_EQ(row.package_key, "the package's key");
  EXPECT_EQ(row.profile, "another");
  EXPECT_EQ(row.rule_c, 7);
  EXPECT_GE(row.rule_k, 70);
  ASSERT_TRUE(row.calibration);
  EXPECT_EQ(row.calibration->between_runs, 0.02);
  EXPECT_EQ(row.seed, "00");
  EXPECT_GT(row.wall_seconds, 0);
  ASSERT_EQ(row.attempts.size(), 1U);
  EXPECT_EQ(row.attempts[0].reason, "first");
  EXPECT_EQ(row.attempts[0].seed, "00");
  EXPECT_EQ(row.attempts[0].null_call_ns, row.null_call_ns);
  EXPECT_EQ(row.attempts[0].null_strict_ns, row.null_strict_ns);
  EXPECT_NE(row.null_call_ns, row.null_strict_ns);
  EXPECT_NE(row.null_call_ns, 0);
  EXPECT_EQ(row.correct, true);
  for (const Sample& sample : row.samples) {
    const bool is_submission = sample.side == Side::kSubmission;
    EXPECT_EQ(sample.wall_ns.has_value(), is_submission);
    EXPECT_EQ(sample.claimed_ns.has_value(), is_submission);
    EXPECT_EQ(sample.strict_ns.has_value(), is_submission);
  }
}

TEST_F(HandedToRow, AnotherBenchmarksRuleIsInTheRow) {
  settings_.acceptance.allclose = 1e-2;
  EXPECT_EQ(run().rule_allclose, 1e-2);
}

TEST_F(HandedToRow, AWrongResultSaysSoAndWhereToLook) {
  script_.submission_error = [](int call) { return call < 12 ? 0.0 : 1.0; };
  const Evaluation row = run();
  EXPECT_EQ(row.state, State::kWrongResult);
  EXPECT_EQ(row.correct, false);
  EXPECT_THAT(row.hint, HasSubstr("kbench tasks prompt"));
  ASSERT_FALSE(row.checks.empty());
  const Check& last = row.checks.back();
  EXPECT_EQ(last.distribution, "timed");
  EXPECT_THAT(last.message, HasSubstr("in a timed call: "));
  EXPECT_GT(last.draw, settings_.correctness_draws) << "which draw of all it was";
}

TEST_F(HandedToRow, ABlockKeepsBothClocksAndWhatHeldThemBack) {
  // The clock is read once before the worker comes, at both ends of each block, and once alone.
  script_.clocks_khz = {1'000'000, 1'001'000};
  script_.clock_limits = 4;
  script_.switches_a_call = 2;
  const Evaluation row = run();
  ASSERT_FALSE(row.blocks.empty());
  for (const Block& block : row.blocks) {
    EXPECT_NE(block.start_khz, 0);
    EXPECT_NE(block.end_khz, 0);
    EXPECT_NE(block.start_khz, block.end_khz);
    EXPECT_EQ(block.clock_limits, 4U);
    EXPECT_EQ(block.involuntary_switches, 2 * 2 * 2) << "of two baselines, each twice";
    EXPECT_EQ(block.sentinel_ns, 40'000);
  }
  ASSERT_FALSE(row.alone.empty());
  for (const Sample& sample : row.alone) EXPECT_NE(sample.sm_clock_khz.value_or(0), 0);
}

TEST_F(HandedToRow, OnCpuABlockKeepsWhatOthersTookOfIt) {
  use_cpu();
  std::int64_t looks = 0;
  settings_.surroundings.stolen_ns = [&] { return ++looks * 100; };
  settings_.surroundings.pressure = [&] {
    return Pressure{.cpu_ns = ++looks * 10, .memory_ns = looks * 1000};
  };
  const Evaluation row = run();
  ASSERT_FALSE(row.blocks.empty());
  for (const Block& block : row.blocks) {
    EXPECT_GT(block.stolen_ns, 0);
    EXPECT_LT(block.stolen_ns, 1'000) << "of this block alone";
    EXPECT_GT(block.cpu_pressure_ns, 0);
    EXPECT_GT(block.memory_pressure_ns, 50 * block.cpu_pressure_ns);
  }
}

TEST_F(HandedToRow, FloorAndLimitAreOfWhatIsKnownOfTheDevice) {
  size_.work.read_bytes = size_.work.written_bytes = 1e6;
  size_.work.unfused_bytes = 6e6;
  script_.peaks = {.copy_bytes_per_s = 1e12, .matmul_flops_per_s = 1e12};
  const auto row_says = [&](double limit, double unfused, double floor, const char* basis) {
    const Evaluation row = run();
    EXPECT_DOUBLE_EQ(row.limit_ns.value_or(0), limit);
    EXPECT_DOUBLE_EQ(row.unfused_limit_ns.value_or(0), unfused);
    EXPECT_DOUBLE_EQ(row.floor_ns.value_or(0), floor);
    EXPECT_EQ(row.limit_basis, basis);
  };
  row_says(2000, 6000, 1600, "bytes, measured beside it");
  request_.cache_bytes = 500'000;
  row_says(1500, 5500, 1100, "bytes, measured beside it");
  request_.precision = "bf16";
  settings_.limits = DeviceLimits{.copy = {2e12, 0}, .measured_at = "then"};
  settings_.limits->products["bf16"] = {1e12, 0};
  row_says(750, 2750, 550, "bytes, calibrated then");
  settings_.limits.reset();
  request_.device_name = "NVIDIA H200";
  ASSERT_NE(find_device_sheet(request_.device_name), nullptr);
  EXPECT_LT(run().floor_ns.value_or(1600), 550) << "by its data sheet";
}

}  // namespace
}  // namespace kbench
