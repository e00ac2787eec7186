#include "runner/core/evaluation_json.hpp"

#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using ::testing::HasSubstr;

// Something of each kind of member.
Evaluation full_row() {
  Evaluation row;
  row.run_id = "0123";
  row.task = "level1/019_relu";
  row.level = 1;
  row.submission = SubmissionId{"alice", "alice/level1/019_relu.cpp", "fast", "ab", "fp32", true};
  row.state = State::kSuspect;
  row.correct = false;
  row.message = "two\nlines, \"quoted\", ü";
  Check check;
  check.max_error = std::numeric_limits<double>::infinity();
  check.tolerance = 0.1;
  check.eager_max_error = -std::numeric_limits<double>::infinity();
  check.wrong_elements = std::numeric_limits<std::uint64_t>::max();
  row.checks = {check};
  row.attempts = {{.reason = "first", .state = State::kOk, .null_call_ns = -3}};
  row.blocks = {{.block = 4, .clock_limits = std::uint64_t{1} << 63, .submission_waited_ns = 9}};
  row.samples = {{.side = Side::kVendor, .time_ns = 1, .claimed_ns = 2, .dropped = true},
                 {.side = Side::kEager, .time_ns = std::int64_t{1} << 62}};
  row.alone = {{.block = kAlone, .drop_reason = "busy"}};
  row.floor_ns = 1.0 / 3;
  row.sources = {{"src/a.cu", "cd", 12}};
  row.timed = false;
  row.calibration = Calibration{0.001, 0.002, "2026-01-02T03:04:05Z"};
  row.build_seconds = 0.0;
  row.device_uuid = "GPU-1";
  return row;
}

Evaluation read_again(const Evaluation& row) {
  // Goes through text, because that is what a channel carries.
  const auto again = evaluation_from_json(Json::parse(evaluation_json(row).dump()));
  EXPECT_TRUE(again.ok()) << again.error().message;
  return again ? *again : Evaluation();
}

TEST(EvaluationJson, ComesBackAsItWas) {
  const Evaluation row = full_row();
  const Evaluation again = read_again(row);
  EXPECT_EQ(evaluation_json(again), evaluation_json(row));
  EXPECT_EQ(again.submission->vendor_library, true);
  EXPECT_EQ(again.state, State::kSuspect);
  EXPECT_EQ(again.correct, false);
  EXPECT_EQ(again.message, row.message);
  EXPECT_EQ(again.attempts.at(0).null_call_ns, -3);
  EXPECT_EQ(again.attempts[0].null_strict_ns, std::nullopt);
  EXPECT_EQ(again.blocks.at(0).clock_limits, std::uint64_t{1} << 63);
  EXPECT_EQ(again.samples.at(0).side, Side::kVendor);
  EXPECT_EQ(again.samples.at(1).time_ns, std::int64_t{1} << 62);
  EXPECT_EQ(again.sources, row.sources);
  EXPECT_EQ(again.build_seconds, 0.0);
  EXPECT_EQ(again.device_uuid, "GPU-1");
  EXPECT_EQ(again.copy_ns, std::nullopt);
}

TEST(EvaluationJson, NumbersComeBackToTheBit) {
  const Evaluation again = read_again(full_row());
  EXPECT_EQ(again.floor_ns, 1.0 / 3);
  EXPECT_EQ(again.checks.at(0).max_error, std::numeric_limits<double>::infinity());
  EXPECT_EQ(again.checks[0].eager_max_error, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(again.checks[0].tolerance, 0.1);
  EXPECT_EQ(again.checks[0].wrong_elements, std::numeric_limits<std::uint64_t>::max());
  Evaluation row;
  row.wall_seconds = std::nan("");
  EXPECT_TRUE(std::isnan(read_again(row).wall_seconds));
}

TEST(EvaluationJson, NamesTheMemberThatIsWrong) {
  const auto refused = [](const char* member, const Json& value) {
    Json json = evaluation_json(full_row());
    json[member] = value;
    const auto read = evaluation_from_json(json);
    return read.ok() ? std::string("taken") : read.error().message;
  };
  EXPECT_THAT(refused("level", "1"), HasSubstr("level"));
  EXPECT_THAT(refused("level", 1.5), HasSubstr("level"));
  EXPECT_THAT(refused("state", "good"), HasSubstr("state"));
  EXPECT_THAT(refused("floor_ns", "much"), HasSubstr("floor_ns"));
  EXPECT_THAT(refused("samples", Json::object()), HasSubstr("samples"));
  EXPECT_THAT(refused("blocks", {{{"attempt", 0}}}), HasSubstr("block"));
  EXPECT_THAT(refused("submission", 3), HasSubstr("no object"));
  EXPECT_FALSE(evaluation_from_json(Json::array()).ok());
  Json less = evaluation_json(full_row());
  less.erase("hint");
  EXPECT_THAT(evaluation_from_json(less).error().message, HasSubstr("hint"));
}

}  // namespace
}  // namespace kbench
