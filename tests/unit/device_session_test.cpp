// Things that a session keeps, without an oracle: cli.serve_session_test has one.
#include "runner/device/device_session.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/os/files.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A compiler that tells its version and can do nothing else.
class DeviceSessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* before = std::getenv("CXX")) before_ = before;
    write_compiler("one 1.0");
    ::setenv("CXX", compiler().c_str(), 1);
  }
  void TearDown() override {
    before_.empty() ? ::unsetenv("CXX") : ::setenv("CXX", before_.c_str(), 1);
  }

  [[nodiscard]] fs::path compiler() const { return folder_->path() / "c++"; }
  void write_compiler(const std::string& version) const {
    std::ofstream(compiler()) << "#!/bin/sh\necho " << version << "\n";
    fs::permissions(compiler(), fs::perms::owner_all);
  }

  Result<ScratchFolder> folder_ = ScratchFolder::make("kbench-session-test");
  std::string before_;
};

TEST_F(DeviceSessionTest, LooksOnceHoweverOftenItIsPrepared) {
  DeviceSession session({}, SessionTurns::kMany);
  EXPECT_THAT(session.take_starts(), IsEmpty());
  session.prepare();
  const auto sandbox = session.sandbox();
  EXPECT_EQ(session.toolchain().host_version, "one 1.0");
  EXPECT_THAT(session.take_starts(), ElementsAre("tried the sandbox", "looked for compilers"));
  session.prepare();
  EXPECT_EQ(session.sandbox(), sandbox);
  EXPECT_THAT(session.take_starts(), IsEmpty());
}

TEST_F(DeviceSessionTest, AsksACompilerAgainThatWasExchanged) {
  DeviceSession session({}, SessionTurns::kMany);
  session.prepare();
  EXPECT_EQ(session.toolchain().host_version, "one 1.0");
  const auto time = fs::last_write_time(compiler());
  write_compiler("two 2.0");
  fs::last_write_time(compiler(), time + std::chrono::seconds(1));
  session.prepare();
  EXPECT_EQ(session.toolchain().host_version, "two 2.0");
}

// Without that it would wait for itself, and the device's holder for it.
TEST(DeviceTurn, WhoTakesTheWholeDeviceGivesItsTurnUpFirst) {
  const test::TemporaryFolder folder;
  Installation installation;
  installation.state = folder / "state";
  installation.locks = folder / "locks";
  installation.cache = folder.path();
  installation.oracle = folder / "no-oracle";
  Target target;
  target.device = "cpu";
  DeviceSession session(installation, SessionTurns::kOne);
  LockRequest request{.installation = &installation,
                      .target = &target,
                      .what = "a check",
                      .wait = false,
                      .turn_only = true};
  auto turn = DeviceTurn::take(session, request);
  ASSERT_TRUE(turn.ok()) << turn.error().message;
  EXPECT_FALSE(turn->start_oracle(installation, target, "fp32").ok()) << "there is no oracle";
  const Status taken = turn->take_whole_device(request);
  ASSERT_FALSE(taken.ok()) << "there is no oracle";
  EXPECT_THAT(taken.error().message, Not(HasSubstr("another measurement has the device")));
  request.turn_only = false;
  const auto other = take_measuring_lock(request);
  ASSERT_FALSE(other.ok()) << "the device is taken";
  EXPECT_THAT(other.error().message, HasSubstr("another measurement has the device"));
}

}  // namespace
}  // namespace kbench
