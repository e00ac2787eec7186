// The clock held against what was planted, on a bench that measures what it is told: what is handed
// in, what is found, and what is kept of it.
#include "runner/again/clock_selftest.hpp"

#include <cmath>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "runner/analysis/clock_checks.hpp"
#include "tests/fakes/lane_bench.hpp"
#include "tests/unit/run_fixture.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr double kReluNs = 8e6;

class ClockSelftestTest : public RunTest {
 protected:
  ClockSelftestTest() {
    benches_.place.suites = kSuites;
    benches_.place.examples = fs::path(kSource) / "data/submissions";
    benches_.place.selftest = fs::path(kSource) / "data/selftest";
    benches_.script.while_measuring = [this](const PlannedRow& unit) { plant(unit); };
    benches_.script.compiled_ns["clock"] = kReluNs;
    asked_.device = "cpu";
  }

  // The clock of an honest machine.
  void plant(const PlannedRow& unit) {
    double ns = kReluNs;
    for (const Planted& one : planted())
      if (one.variant == unit.id.variant) ns = kReluNs * one.percent / 100 + 1e3 * one.spin_us;
    benches_.script.times_ns["clock"] = ns * stretch_;
    for (const fs::path& source : unit.submission->sources)
      if (unit.id.variant == "slower_5") told_ = text_of(source);
  }
  static std::string text_of(const fs::path& file) {
    std::ostringstream bytes;
    bytes << std::ifstream(file).rdbuf();
    return bytes.str();
  }
  Result<std::vector<ClockFindings>> test() { return test_on(benches_); }
  Result<std::vector<ClockFindings>> test_on(BenchSource& benches) {
    return test_clock(asked_, benches, kept_,
                      [this](const std::string& text) { notes_.push_back(text); });
  }
  ClockFindings found() {
    auto findings = test();
    EXPECT_TRUE(findings.ok()) << findings.error().message;
    return findings && findings->size() == 1 ? std::move(findings->front()) : ClockFindings();
  }
  [[nodiscard]] std::vector<StoredCalibration> calibrations() const {
    auto all = read_calibrations(benches_.place.state);
    return all ? std::move(*all) : std::vector<StoredCalibration>();
  }

  ClockSelftest asked_;
  double stretch_ = 1;  // factor of every time
  std::string told_;    // the source that is to take 5 % longer
  std::vector<std::string> notes_;
};

TEST_F(ClockSelftestTest, AnHonestClockShowsWhatWasPlantedAndIsKept) {
  const ClockFindings findings = found();
  EXPECT_THAT(findings.checks, SizeIs(expected_checks("cpu")));
  EXPECT_EQ(findings.missing, 0u);
  EXPECT_EQ(findings.failed(), 0u);
  for (const ClockCheck& check : findings.checks) EXPECT_EQ(check.runs, 3) << check.name;
  EXPECT_THAT(notes_, ElementsAre("run 1 of 3", "run 2 of 3", "run 3 of 3"));
  EXPECT_THAT(kept_.rows, SizeIs(3 * (planted().size() + 2)));
  ASSERT_THAT(calibrations(), SizeIs(1));
  EXPECT_EQ(calibrations()[0].runs, 3);
  EXPECT_EQ(calibrations()[0].device.device, "cpu");
  EXPECT_EQ(calibrations()[0].database, (benches_.place.state / "timing-cpu.sqlite").string());
  EXPECT_FALSE(calibrations()[0].calibration.measured_at.empty());
  EXPECT_EQ(calibrations()[0].calibration.measured_at,
            findings.calibration.calibration.measured_at);
}

TEST_F(ClockSelftestTest, EachSubmissionHasItsAmountBeforeTheSharedSource) {
  found();
  EXPECT_THAT(told_, ::testing::StartsWith("#define KB_PERCENT 105\n#define KB_SPIN_US 0\n"));
  EXPECT_THAT(told_, HasSubstr(text_of(benches_.place.selftest / "clock.cpp")));
  EXPECT_THAT(benches_.measured, Contains("clock/level1/019_relu@spin_4ms.cpp"));
  EXPECT_THAT(benches_.measured, Contains("clock/level1/023_softmax.cpp"));
  EXPECT_THAT(benches_.measured, Contains("clock/level3/004_lenet5.cpp"));
}

// A clock that runs slower for what is slow.
TEST_F(ClockSelftestTest, AClockThatLiesFailsAndIsKeptAllTheSame) {
  benches_.script.while_measuring = [this](const PlannedRow& unit) {
    plant(unit);
    if (unit.id.variant == "twice") benches_.script.times_ns["clock"] = 1.5 * kReluNs;
  };
  const ClockFindings findings = found();
  EXPECT_EQ(findings.failed(), 1u);
  ASSERT_THAT(calibrations(), SizeIs(1));
  EXPECT_EQ(calibrations()[0].failed_checks, 1);
  // No interval is narrower than the clock is wrong: by a quarter of what it should have seen.
  EXPECT_NEAR(1.96 * calibrations()[0].calibration.between_runs, 0.25, 1e-3);
  const Json json = clock_json(findings);
  for (const Json& check : json.at("checks")) {
    const bool lies = check.at("what") == "half as fast";
    EXPECT_EQ(check.at("passed"), !lies) << check;
    if (!lies) continue;
    EXPECT_NEAR(check.at("expected").get<double>(), 1, 1e-9);
    EXPECT_NEAR(check.at("seen").get<double>(), 0.5, 1e-6);
    EXPECT_NEAR(check.at("bias").get<double>(), -0.5, 1e-6);
    EXPECT_EQ(check.at("runs"), 3);
    EXPECT_EQ(check.at("found"), 3);
  }
}

// A row that is faster in each run because of its place there. That is within what is allowed, and
// cancels where runs are compared.
TEST_F(ClockSelftestTest, ARowThatIsFasterInEachRunIsTold) {
  const double quiet = found().calibration.calibration.between_runs;
  notes_.clear();
  benches_.script.while_measuring = [this](const PlannedRow& unit) {
    stretch_ = unit.id.variant == "equal_a" ? 0.98 : 1;
    plant(unit);
  };
  const ClockFindings findings = found();
  EXPECT_EQ(findings.failed(), 0u);
  EXPECT_NEAR(findings.between_rows, 0.02 / std::sqrt(2.0), 0.002);
  EXPECT_EQ(findings.calibration.calibration.between_runs, quiet);
  EXPECT_EQ(clock_json(findings).at("between_rows"), findings.between_rows);
}

TEST_F(ClockSelftestTest, RunsThatDifferAreTheCalibration) {
  // Each run's kernels take 10 % longer than those of the one before, and eager does not.
  asked_.rounds = 2;
  benches_.script.while_measuring = [this](const PlannedRow& unit) {
    stretch_ = notes_.size() > 1 ? 1.1 : 1;
    plant(unit);
  };
  const ClockFindings findings = found();
  EXPECT_THAT(notes_, SizeIs(2));
  EXPECT_GT(findings.calibration.calibration.between_runs, 0.03);
  EXPECT_GT(calibrations().at(0).calibration.between_runs, 0.03);
  EXPECT_GT(findings.coverage.total, 0);
  const Json json = clock_json(findings);
  EXPECT_EQ(json.at("runs"), 2);
  EXPECT_EQ(json.at("between_runs"), findings.calibration.calibration.between_runs);
  EXPECT_EQ(json.at("between_sessions"), findings.calibration.calibration.between_sessions);
  EXPECT_EQ(json.at("coverage").at("total"), findings.coverage.total);
  EXPECT_EQ(json.at("coverage").at("held"), findings.coverage.held);
  EXPECT_EQ(json.at("missing_checks"), 0);
  EXPECT_EQ(json.at("device"), "cpu");
}

TEST_F(ClockSelftestTest, OneRunCalibratesNothing) {
  asked_.rounds = 1;
  found();
  EXPECT_THAT(notes_, ElementsAre("run 1 of 1"));
  EXPECT_THAT(calibrations(), SizeIs(0));
}

TEST_F(ClockSelftestTest, WhatLayThereOfAnEarlierOneIsNotCounted) {
  asked_.rounds = 1;
  found();
  const ClockFindings again = found();
  for (const ClockCheck& check : again.checks) EXPECT_EQ(check.runs, 1) << check.name;
}

TEST_F(ClockSelftestTest, ARowThatFailsEndsItWithTheRunsName) {
  int measured = 0;
  benches_.script.while_measuring = [&](const PlannedRow& unit) {
    plant(unit);
    if (++measured == 10) benches_.script.states["clock"] = State::kWrongResult;
  };
  const auto failed = test();
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::kInfrastructure);
  EXPECT_THAT(failed.error().message, HasSubstr("run 2 of 3: "));
  EXPECT_THAT(failed.error().hint, HasSubstr("timing-cpu.sqlite"));
  EXPECT_THAT(notes_, SizeIs(2)) << "no further run begins";
  EXPECT_THAT(calibrations(), SizeIs(0));
}

TEST_F(ClockSelftestTest, ARunThatCannotStartIsToldWithItsHint) {
  benches_.script.oracle_fails = Error{ErrorCode::kInfrastructure, "no oracle", "build one"};
  const auto failed = test();
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, "run 1 of 3: no oracle");
  EXPECT_EQ(failed.error().hint, "build one");
}

TEST_F(ClockSelftestTest, CtrlCCalibratesNothing) {
  benches_.script.while_measuring = [this](const PlannedRow& unit) {
    plant(unit);
    ::raise(SIGINT);
  };
  const auto stopped = test();
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().message, "interrupted");
  EXPECT_THAT(kept_.rows, SizeIs(1));
  EXPECT_THAT(calibrations(), SizeIs(0));
}

TEST_F(ClockSelftestTest, ACalibrationNeedsAPlace) {
  benches_.place.state.clear();
  EXPECT_EQ(test().error().code, ErrorCode::kUsage);
  EXPECT_EQ(benches_.made, 0);
}

TEST_F(ClockSelftestTest, AnInstallationWithoutItsSourcesIsIncomplete) {
  benches_.place.selftest = folder_.path();
  EXPECT_THAT(test().error().hint, HasSubstr("install it again"));
  benches_.place.selftest = fs::path(kSource) / "data/selftest";
  benches_.place.examples = folder_.path();
  EXPECT_THAT(test().error().message, HasSubstr("023_softmax.cpp cannot be read"));
  EXPECT_EQ(benches_.made, 0);
}

TEST_F(ClockSelftestTest, ADamagedCalibrationIsReplacedAndItIsSaid) {
  found();
  const auto file = fs::directory_iterator(benches_.place.state / "calibrations")->path();
  std::ofstream(file) << "damaged";
  notes_.clear();
  found();
  EXPECT_THAT(notes_, Contains(HasSubstr("it is replaced")));
  EXPECT_THAT(calibrations(), SizeIs(1));
}

// --- several devices at once: lanes that are real processes, and answer what they are told ---

class ClocksSelftestTest : public ClockSelftestTest {
 protected:
  ClocksSelftestTest() : lane_benches_(benches_.place) {
    lane_benches_.lanes.folder = folder_ / "lanes";
    fs::create_directories(lane_benches_.lanes.folder);
    lane_benches_.script.compiled_ns["clock"] = kReluNs;
    lane_benches_.script.while_measuring = [this](const PlannedRow& unit) {
      plant(unit);
      lane_benches_.script.times_ns = benches_.script.times_ns;
    };
    asked_.device.reset();
    asked_.devices = "cpu";
    asked_.rounds = 2;
  }
  [[nodiscard]] std::vector<std::string> begun() const { return lane_lines(folder_ / "lanes/log"); }

  LaneBenches lane_benches_;
};

TEST_F(ClocksSelftestTest, EachDeviceMeasuresAllAndIsKeptUnderItsOwnUuid) {
  const auto all = test_on(lane_benches_);
  ASSERT_TRUE(all.ok()) << all.error().message;
  ASSERT_THAT(*all, SizeIs(2));
  for (const ClockFindings& one : *all) {
    EXPECT_THAT(one.checks, SizeIs(expected_checks("cpu")));
    EXPECT_EQ(one.failed(), 0u);
    for (const ClockCheck& check : one.checks) EXPECT_EQ(check.runs, 2) << check.name;
  }
  ASSERT_THAT(calibrations(), SizeIs(2));
  std::set<std::string> known;
  for (const StoredCalibration& one : calibrations()) known.insert(one.device.identity);
  EXPECT_THAT(known, ElementsAre("GPU-cuda:0", "GPU-cuda:1"));
  const std::size_t submissions = planted().size() + 2;
  EXPECT_THAT(kept_.rows, SizeIs(2 * 2 * submissions));
  std::map<std::string, std::size_t> by_device;
  for (const Evaluation& row : kept_.rows) {
    ++by_device[row.device_uuid];
    EXPECT_THAT(row.sources, Not(SizeIs(0))) << "each row has its sources";
  }
  EXPECT_EQ(by_device["GPU-cuda:0"], 2 * submissions);
  EXPECT_EQ(by_device["GPU-cuda:1"], 2 * submissions);
  EXPECT_EQ(clock_json(*all).at("devices").size(), 2u);
}

// The second device's kernels take longer in the second run, and eager does not.
TEST_F(ClocksSelftestTest, ADevicesRowsAreItsCalibrationAlone) {
  const auto plants = lane_benches_.script.while_measuring;
  lane_benches_.script.while_measuring = [this, plants](const PlannedRow& unit) {
    plants(unit);
    if (notes_.size() > 1) std::ofstream(folder_ / "lanes/slower-cuda:1") << 1.1;
  };
  const auto all = test_on(lane_benches_);
  ASSERT_TRUE(all.ok()) << all.error().message;
  ASSERT_THAT(*all, SizeIs(2));
  EXPECT_LT((*all)[0].calibration.calibration.between_runs, 0.03);
  EXPECT_GT((*all)[1].calibration.calibration.between_runs, 0.03);
}

TEST_F(ClocksSelftestTest, ADeviceThatIsLostEndsItAndNothingIsKept) {
  lane_benches_.lanes.units["clock"] = {{"loses", "cuda:1"}};
  const auto failed = test_on(lane_benches_);
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message, HasSubstr("run 1 of 2: "));
  EXPECT_THAT(calibrations(), SizeIs(0));
}

TEST_F(ClocksSelftestTest, WordsThatARunRefusesAreRefused) {
  asked_.devices = "cpu,cpu";
  EXPECT_EQ(test_on(lane_benches_).error().code, ErrorCode::kUsage);
  asked_.devices = "every";
  EXPECT_THAT(test_on(lane_benches_).error().message, HasSubstr("not a list of GPUs"));
  EXPECT_THAT(begun(), SizeIs(0));
}

TEST_F(ClocksSelftestTest, OneDeviceKeepsNoCoreBusy) {
  asked_.devices.reset();
  asked_.device = "cpu";
  asked_.busy = true;
  found();
  EXPECT_THAT(notes_, Contains(HasSubstr("--busy: one device has all cores")));
}

}  // namespace
}  // namespace kbench::test
