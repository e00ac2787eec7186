#include "runner/device/calibration_file.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

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

  // The one of this very device, driver and kbench; fails where a file is damaged.
  std::optional<Calibration> known(const CalibratedDevice& device) {
    auto found = find_calibration(state(), device);
    EXPECT_TRUE(found.ok());
    return found ? *found : std::nullopt;
  }
  // The file of the only device that has one.
  std::filesystem::path own_file() {
    return std::filesystem::directory_iterator(state() / "calibrations")->path();
  }
  // Writes the file in which older versions kept all devices.
  void write_old_file(const std::string& text) {
    std::filesystem::create_directories(state());
    std::ofstream(state() / "calibration.json") << text;
  }

  ScratchFolder folder_ = std::move(*ScratchFolder::make("calibration-test"));
};

TEST_F(CalibrationFile, WhatIsKeptIsFound) {
  ASSERT_TRUE(keep_calibration(state(), stored(gpu(), 0.002)));
  const auto found = known(gpu());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->between_runs, 0.002);
  EXPECT_EQ(found->measured_at, "2026-11-24T12:00:00Z");
}

TEST_F(CalibrationFile, AnotherDriverOrAnotherDeviceHasNone) {
  ASSERT_TRUE(keep_calibration(state(), stored(gpu(), 0.002)));
  EXPECT_FALSE(known(gpu("999.1")));
  EXPECT_FALSE(known(describe_device({.device = "cpu"}, {})));
}

// Was: `kbench serve --devices` looked at the first one alone.
TEST_F(CalibrationFile, EachOfSeveralDevicesIsLookedAtAndThoseWithoutOneAreNamed) {
  std::vector<Target> targets;
  for (int index = 0; index < 3; ++index)
    targets.push_back({.device = "cuda",
                       .device_index = index,
                       .gpu = GpuInfo{.name = "NVIDIA H200",
                                      .driver = "580.159.04",
                                      .uuid = "GPU-" + std::to_string(index)}});
  const Uncalibrated all = find_uncalibrated(state(), targets);
  EXPECT_EQ(all.words(), "cuda:0,cuda:1,cuda:2");
  ASSERT_TRUE(keep_calibration(state(), stored(describe_device(targets[0]), 0.002)));
  const Uncalibrated two = find_uncalibrated(state(), targets);
  EXPECT_EQ(two.words(), "cuda:1,cuda:2");
  EXPECT_EQ(two.why,
            "cuda:1: the device was never calibrated; cuda:2: the device was never calibrated");
  ASSERT_TRUE(keep_calibration(state(), stored(describe_device(targets[2]), 0.002)));
  const Uncalibrated one = find_uncalibrated(state(), targets);
  EXPECT_EQ(one.words(), "cuda:1");
  EXPECT_EQ(one.why, "cuda:1: the device was never calibrated");
  ASSERT_TRUE(keep_calibration(state(), stored(describe_device(targets[1]), 0.002)));
  EXPECT_TRUE(find_uncalibrated(state(), targets).places.empty());
}

TEST_F(CalibrationFile, TheOnlyDeviceNeedsNoName) {
  const std::vector<Target> cpu = {{.device = "cpu"}};
  EXPECT_EQ(find_uncalibrated(state(), cpu).words(), "cpu");
  EXPECT_EQ(find_uncalibrated(state(), cpu).why, "the device was never calibrated");
}

// With more threads there are more who wait for the slowest one.
TEST_F(CalibrationFile, WhatWasMeasuredOnSomeCoresSaysNothingOfMore) {
  const auto cpu = [](int threads) {
    return describe_device({.device = "cpu"}, {.name = "a processor", .threads = threads});
  };
  ASSERT_TRUE(keep_calibration(state(), stored(cpu(2), 0.02)));
  EXPECT_TRUE(known(cpu(2)));
  EXPECT_FALSE(known(cpu(16)));
}

TEST_F(CalibrationFile, ANewOneReplacesTheOldOneOfTheSameDeviceOnly) {
  const CalibratedDevice cpu = describe_device({.device = "cpu"}, {});
  ASSERT_TRUE(keep_calibration(state(), stored(gpu("570.1"), 0.003)));
  ASSERT_TRUE(keep_calibration(state(), stored(cpu, 0.02)));
  ASSERT_TRUE(keep_calibration(state(), stored(gpu(), 0.001)));
  EXPECT_EQ(read_calibrations(state())->size(), 2u);
  EXPECT_EQ(known(gpu())->between_runs, 0.001);
  EXPECT_EQ(known(cpu)->between_runs, 0.02);
}

DeviceLimits limits_of(double bandwidth) {
  DeviceLimits limits;
  limits.copy.value = bandwidth;
  limits.products["fp32"] = {5e13, 0.01};
  limits.measured_at = "2026-11-28T12:00:00Z";
  return limits;
}

// One file a device, and each half stays where the other one is measured anew.
TEST_F(CalibrationFile, LimitsAndTimingAreHalvesOfOneFile) {
  ASSERT_TRUE(keep_limits(state(), gpu(), limits_of(3e12)));
  EXPECT_FALSE(known(gpu())) << "limits alone give no verdict";
  ASSERT_TRUE(keep_calibration(state(), stored(gpu(), 0.002)));
  ASSERT_TRUE(keep_limits(state(), gpu(), limits_of(4e12)));
  EXPECT_EQ(known(gpu())->between_runs, 0.002);
  const auto limits = find_limits(state(), gpu());
  ASSERT_TRUE(limits && *limits);
  EXPECT_EQ((*limits)->copy.value, 4e12);
  EXPECT_EQ((*limits)->products.at("fp32").spread, 0.01);
  EXPECT_EQ(read_calibrations(state())->size(), 1u);
}

TEST_F(CalibrationFile, LimitsOfAnotherDriverAreNone) {
  ASSERT_TRUE(keep_limits(state(), gpu(), limits_of(3e12)));
  ASSERT_TRUE(keep_calibration(state(), stored(gpu("999.1"), 0.002)));
  EXPECT_FALSE(*find_limits(state(), gpu("999.1")));
}

TEST_F(CalibrationFile, WhatIsNoLimitIsDamage) {
  DeviceLimits limits = limits_of(-1);
  ASSERT_TRUE(keep_limits(state(), gpu(), limits));
  EXPECT_FALSE(find_limits(state(), gpu()));
}

// Several may calibrate a device each at the same time: none loses what another one kept.
TEST_F(CalibrationFile, DevicesThatAreCalibratedAtOnceAreAllKept) {
  constexpr int kDevices = 8;
  const auto device = [&](int i) {
    CalibratedDevice one = gpu();
    one.identity = "GPU-" + std::to_string(i);
    return one;
  };
  std::vector<std::jthread> calibrating;
  for (int i = 0; i < kDevices; ++i)
    calibrating.emplace_back([&, i] {
      for (int again = 0; again < 20; ++again)
        EXPECT_TRUE(keep_calibration(state(), stored(device(i), 0.001)).ok());
    });
  calibrating.clear();
  for (int i = 0; i < kDevices; ++i) EXPECT_TRUE(known(device(i))) << i;
}

TEST_F(CalibrationFile, ADamagedFileIsNamedAndMendedByANewCalibration) {
  ASSERT_TRUE(keep_calibration(state(), stored(gpu(), 0.002)));
  for (const char* text : {"", "{", "{\"schema\": \"other/9\", \"devices\": []}", "[]"}) {
    std::ofstream(own_file()) << text;
    for (const auto& error :
         {read_calibrations(state()).error(), find_calibration(state(), gpu()).error()}) {
      EXPECT_NE(error.message.find(own_file().string()), std::string::npos) << error.message;
      EXPECT_NE(error.hint.find("kbench calibrate"), std::string::npos);
    }
    EXPECT_TRUE(why_uncalibrated(state(), gpu()).starts_with("the device is calibrated anew"));
  }
  EXPECT_TRUE(keep_calibration(state(), stored(gpu(), 0.002)));
  EXPECT_TRUE(known(gpu()));
  EXPECT_EQ(why_uncalibrated(state(), gpu()), "");
}

// As it was written when all devices shared a file.
TEST_F(CalibrationFile, WhatStandsInTheOldFileHoldsUntilTheDeviceHasItsOwn) {
  const CalibratedDevice cpu = describe_device({.device = "cpu"}, {});
  const auto entry = [](const CalibratedDevice& device, const char* between_runs) {
    return R"({"device": {"device": ")" + device.device + R"(", "identity": ")" + device.identity +
           R"(", "name": ")" + device.name + R"(", "driver": ")" + device.driver +
           R"(", "kbench": ")" + device.kbench +
           R"("}, "calibration": {"between_sessions": 0, "between_runs": )" + between_runs +
           R"(, "measured_at": "2026-11-24T12:00:00Z"}, "runs": 5, "database": "x"})";
  };
  write_old_file(R"({"schema": "kbench-calibration/1", "devices": [)" + entry(gpu(), "0.003") +
                 ", " + entry(cpu, "0.02") + "]}");
  ASSERT_TRUE(known(gpu()));
  EXPECT_EQ(known(gpu())->between_runs, 0.003);
  ASSERT_TRUE(keep_calibration(state(), stored(gpu(), 0.001)));
  EXPECT_EQ(known(gpu())->between_runs, 0.001);
  EXPECT_EQ(known(cpu)->between_runs, 0.02);
  EXPECT_EQ(read_calibrations(state())->size(), 2u);
}

TEST_F(CalibrationFile, ADamagedOldFileSaysNothingOfDevicesWithTheirOwn) {
  ASSERT_TRUE(keep_calibration(state(), stored(gpu(), 0.002)));
  write_old_file("{");
  EXPECT_TRUE(known(gpu()));
  EXPECT_FALSE(known(gpu("999.1")));
  EXPECT_FALSE(find_calibration(state(), describe_device({.device = "cpu"}, {})).ok());
}

TEST_F(CalibrationFile, ADeviationBelowZeroIsNoDeviation) {
  ASSERT_TRUE(keep_calibration(state(), stored(gpu(), -0.5)));
  EXPECT_FALSE(find_calibration(state(), gpu()).ok());
}

TEST_F(CalibrationFile, NoStateFolderNoCalibration) {
  EXPECT_TRUE(read_calibrations({})->empty());
  EXPECT_FALSE(keep_calibration({}, stored(gpu(), 0.002)));
}

// An absurd peak would put the floor of every task out of reach.
TEST_F(CalibrationFile, LimitsThatNoDeviceHasAreNotBelieved) {
  for (const double bandwidth : {1e300, 1e-300, -5.0}) {
    ASSERT_TRUE(keep_limits(state(), gpu(), limits_of(bandwidth)));
    const auto limits = find_limits(state(), gpu());
    ASSERT_FALSE(limits) << bandwidth;
    EXPECT_NE(limits.error().message.find("holds what is no limit"), std::string::npos);
    for (const auto& file : std::filesystem::recursive_directory_iterator(state()))
      if (file.is_regular_file()) std::filesystem::remove(file);
  }
}

}  // namespace
}  // namespace kbench
