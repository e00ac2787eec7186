#include "runner/print/machine_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Terminal kPlain;
const Terminal kColoured{.color = true};

TEST(MachineText, AFindingSaysWhatToDoBelowIt) {
  const std::vector<Finding> findings = {{"python", Health::kPass, "3.11 with torch", ""},
                                         {"cache", Health::kFail, "full\x1b[2J", "make room"}};
  const std::string text = findings_text(findings, kPlain);
  EXPECT_THAT(text, HasSubstr("PASS     python        3.11 with torch\n"
                              "FAIL     cache         full"));
  EXPECT_THAT(text, HasSubstr("\n                       -> make room\n"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b"))) << "text of others steers no terminal";
  EXPECT_THAT(findings_text(findings, kColoured), HasSubstr("\x1b["));
  const Json json = findings_json(findings);
  EXPECT_EQ(json.at("schema_version"), 1);
  EXPECT_EQ(json.at("findings").at(1).at("health"), "FAIL");
  EXPECT_EQ(json.at("findings").at(1).at("remedy"), "make room");
}

TEST(MachineText, ALimitStandsBesideWhatTheMakerStates) {
  MeasuredDevice measured;
  measured.device.name = "a device";
  measured.limits.copy = {.value = 1e12, .spread = 0.01};
  measured.limits.products["fp32"] = {.value = 5e13, .spread = 0.02};
  const std::string alone = limits_text(measured, nullptr, kPlain);
  EXPECT_THAT(alone, HasSubstr("limits  a device\n"));
  EXPECT_THAT(alone, HasSubstr("copy (read and written)           1000 GB/s        1.0 %"));
  EXPECT_THAT(alone, HasSubstr("products fp32                       50 TFLOP/s     2.0 %"));
  EXPECT_THAT(alone, Not(HasSubstr("data sheet")));
  DeviceSheet sheet;
  sheet.bytes_per_s = 4e12;
  const std::string beside = limits_text(measured, &sheet, kPlain);
  EXPECT_THAT(beside, HasSubstr("data sheet\n"));
  EXPECT_THAT(beside, HasSubstr("4000 (25 %)\n"));
  EXPECT_THAT(beside, HasSubstr("caution  ")) << "far below what is stated";
}

TEST(MachineText, LimitsOfSeveralDevicesStandBelowTheirUuids) {
  MeasuredDevice measured;
  measured.device.name = "a device";
  measured.device.identity = "GPU-1";
  const std::string alone = limits_text({measured}, kPlain);
  EXPECT_EQ(alone, limits_text(measured, nullptr, kPlain));
  EXPECT_FALSE(limits_json({measured}).contains("devices"));
  MeasuredDevice other = measured;
  other.device.identity = "GPU-2";
  EXPECT_EQ(limits_text({measured, other}, kPlain), "GPU-1\n" + alone + "\nGPU-2\n" + alone);
  const Json json = limits_json({measured, other});
  EXPECT_EQ(json.at("schema_version"), 1);
  ASSERT_EQ(json.at("devices").size(), 2u);
  EXPECT_EQ(json.at("devices").at(1).at("uuid"), "GPU-2");
  EXPECT_EQ(json.at("devices").at(1).at("name"), "a device");
}

TEST(MachineText, AClockCheckThatFailedIsSaid) {
  ClockFindings findings;
  findings.calibration.device.device = "cpu";
  findings.calibration.device.name = "a device";
  findings.calibration.runs = 3;
  findings.checks.resize(2);
  findings.checks[0].what = "2 % longer";
  findings.checks[0].passed = true;
  findings.checks[1].what = "5 % longer";
  findings.checks[1].passed = false;
  findings.missing = 1;
  findings.empty_call_ns = 2000;
  findings.busy = 4;
  const std::string text = clock_text(findings, kPlain);
  EXPECT_THAT(text, HasSubstr("timing  a device, 3 runs\n"));
  EXPECT_THAT(text, HasSubstr("PASS    2 % longer"));
  EXPECT_THAT(text, HasSubstr("FAIL    5 % longer"));
  EXPECT_THAT(text, HasSubstr("FAIL    1 not measured\n"));
  EXPECT_THAT(text,
              HasSubstr("kbench's own part of a call is 0.002 ms by its clock; it is taken off "
                        "every time\n"));
  EXPECT_THAT(text, HasSubstr("4 evaluations ran beside other programs"));
  findings.calibration.device.device = "cuda";
  EXPECT_THAT(clock_text(findings, kPlain), HasSubstr("a GPU's times do not contain it"));
  EXPECT_THAT(clock_text(findings, kPlain),
              HasSubstr("PASS: the bias is 0.5 % of the time at most."));
  findings.place = "cuda:1";
  findings.calibration.device.identity = "GPU-7";
  EXPECT_THAT(clock_text(findings, kPlain), HasSubstr("timing  cuda:1 (GPU-7), a device, 3 runs"));
}

TEST(MachineText, AnEscapeHasItsReasonBelowIt) {
  EscapeResult result;
  result.escape.name = "read-home";
  result.escape.what = "reads a file of the user";
  result.outcome = EscapeOutcome::kBlocked;
  result.reason = "no such file";
  const std::string text = escape_text(result, kPlain);
  EXPECT_THAT(text, HasSubstr("read-home"));
  EXPECT_THAT(text, HasSubstr("reads a file of the user\n                no such file\n"));
  SandboxLevel level;
  level.reason = "no user namespaces";
  EXPECT_THAT(sandbox_text(level), HasSubstr("; no user namespaces\n"));
}

}  // namespace
}  // namespace kbench
