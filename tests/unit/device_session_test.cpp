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

namespace kbench {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

}  // namespace
}  // namespace kbench
