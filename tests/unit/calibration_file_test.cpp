#include "runner/device/calibration_file.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "runner/os/files.hpp"

namespace kbench {
namespace {

class CalibrationFile : public ::testing::Test {
 protected:
  CalibratedDevice gpu(const std::string& driver = "580.159.04") {
    Target target{.device = "cuda"};
    target.gpu = GpuInfo{.name = "NVIDIA H200", .driver = driver, .uuid = "GPU-1"};
    return describe_device(target, {});
  }
  StoredCalibration stored(CalibratedDevice device, double between_runs) {
    return {.device = std::move(device),
            .calibration = {0, between_runs, "2026-11-24T12:00:00Z"},
            .runs = 5,
            .database = "timing.sqlite"};
  }
  std::filesystem::path state() { return folder_.path() / "state" / "kbench"; }

  ScratchFolder folder_ = std::move(*ScratchFolder::make("calibration-test"));
};

TEST_F(CalibrationFile, WhatIsKeptIsFound) {
  ASSERT_TRUE(keep_calibration(state(), stored(gpu(), 0.002)));
  const auto found = find_calibration(state(), gpu());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->between_runs, 0.002);
  EXPECT_EQ(found->measured_at, "2026-11-24T12:00:00Z");
}

TEST_F(CalibrationFile, AnotherDriverOrAnotherDeviceHasNone) {
  ASSERT_TRUE(keep_calibration(state(), stored(gpu(), 0.002)));
  EXPECT_FALSE(find_calibration(state(), gpu("999.1")));
  EXPECT_FALSE(find_calibration(state(), describe_device({.device = "cpu"}, {})));
}

TEST_F(CalibrationFile, ANewOneReplacesTheOldOneOfTheSameDeviceOnly) {
  const CalibratedDevice cpu = describe_device({.device = "cpu"}, {});
  ASSERT_TRUE(keep_calibration(state(), stored(gpu("570.1"), 0.003)));
  ASSERT_TRUE(keep_calibration(state(), stored(cpu, 0.02)));
  ASSERT_TRUE(keep_calibration(state(), stored(gpu(), 0.001)));
  EXPECT_EQ(read_calibrations(state())->size(), 2u);
  EXPECT_EQ(find_calibration(state(), gpu())->between_runs, 0.001);
  EXPECT_EQ(find_calibration(state(), cpu)->between_runs, 0.02);
}

TEST_F(CalibrationFile, ADamagedFileIsNoCalibration) {
  ASSERT_TRUE(keep_calibration(state(), stored(gpu(), 0.002)));
  for (const char* text : {"", "{", "{\"schema\": \"other/9\", \"devices\": []}", "[]"}) {
    std::ofstream(state() / "calibration.json") << text;
    const auto read = read_calibrations(state());
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().hint.find("selftest timing"), std::string::npos);
    EXPECT_FALSE(find_calibration(state(), gpu())) << text;
  }
  EXPECT_TRUE(keep_calibration(state(), stored(gpu(), 0.002))) << "and is mended by a new one";
  EXPECT_TRUE(find_calibration(state(), gpu()));
}

TEST_F(CalibrationFile, ADeviationBelowZeroIsNoDeviation) {
  ASSERT_TRUE(keep_calibration(state(), stored(gpu(), -0.5)));
  EXPECT_FALSE(find_calibration(state(), gpu()));
}

TEST_F(CalibrationFile, NoStateFolderNoCalibration) {
  EXPECT_TRUE(read_calibrations({})->empty());
  EXPECT_FALSE(keep_calibration({}, stored(gpu(), 0.002)));
}

}  // namespace
}  // namespace kbench
