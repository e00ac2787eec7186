#include "runner/os/written_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/unique_fd.hpp"
#include "runner/os/files.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using std::chrono::nanoseconds;

// Files of this process stand for those of a session.
class WrittenFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto scratch = ScratchFolder::make("written-files-test");
    ASSERT_TRUE(scratch.ok()) << scratch.error().message;
    scratch_ = std::move(*scratch);
  }
  [[nodiscard]] fs::path folder() const { return scratch_.path(); }

  // A file that takes its room without anything being written.
  [[nodiscard]] UniqueFd make(const std::string& name, std::uint64_t bytes) const {
    UniqueFd file(::open((folder() / name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (bytes > 0) {
      EXPECT_EQ(::posix_fallocate(file.get(), 0, static_cast<off_t>(bytes)), 0);
    }
    return file;
  }
  // Words of a look at all files.
  [[nodiscard]] std::string seen() const {
    const std::array<pid_t, 1> own{::getpid()};
    const auto too_much = WrittenFiles(folder()).look(own, nanoseconds{0});
    return too_much ? *too_much : "error: " + too_much.error().message;
  }

  ScratchFolder scratch_;
};

TEST_F(WrittenFilesTest, WhatIsWithinTheLimitsIsFine) {
  EXPECT_EQ(seen(), "");
  (void)make("file", WrittenFiles::kMost.bytes / 2);
  EXPECT_EQ(seen(), "");
}

TEST_F(WrittenFilesTest, BytesOfAllFilesCountTogether) {
  for (const char* name : {"a", "b", "c"}) (void)make(name, WrittenFiles::kMost.bytes / 2);
  EXPECT_EQ(seen(), "wrote more than 2 GiB to its folder");
}

TEST_F(WrittenFilesTest, AFileWithoutANameCountsAsLongAsItIsOpen) {
  UniqueFd file = make("file", WrittenFiles::kMost.bytes / 2);
  const UniqueFd same(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
  fs::remove(folder() / "file");
  (void)make("other", WrittenFiles::kMost.bytes / 2 + (1 << 20));
  EXPECT_THAT(seen(), testing::HasSubstr("more than 2 GiB"));
  fs::remove(folder() / "other");
  EXPECT_EQ(seen(), "") << "the same file under two numbers is one";
}

TEST_F(WrittenFilesTest, SoDoManyFilesAndDeepFolders) {
  (void)make("file", 0);
  // Names of one file: some disks take a millisecond for a new one.
  for (std::uint64_t i = 0; i < WrittenFiles::kMost.entries; ++i)
    fs::create_hard_link(folder() / "file", folder() / std::to_string(i));
  EXPECT_EQ(seen(), "made more than 10000 files in its folder");
  ASSERT_TRUE(empty_folder(folder()).ok());
  fs::path deep = folder();
  for (std::uint64_t i = 0; i <= WrittenFiles::kMost.depth; ++i) deep /= "d";
  fs::create_directories(deep);
  EXPECT_THAT(seen(), testing::HasSubstr("nested more than 64 folders"));
}

TEST_F(WrittenFilesTest, ItIsLookedAtNoMoreOftenThanAsked) {
  const std::array<pid_t, 1> own{::getpid()};
  WrittenFiles files(folder());
  EXPECT_EQ(files.look(own, std::chrono::hours{1}).value(), "");
  for (const char* name : {"a", "b", "c"}) (void)make(name, WrittenFiles::kMost.bytes / 2);
  EXPECT_EQ(files.look(own, std::chrono::hours{1}).value(), "");
}

// Was never seen where a first look took long: a run of checks alone was over before the next.
TEST_F(WrittenFilesTest, ALookNowIsOne) {
  const std::array<pid_t, 1> own{::getpid()};
  WrittenFiles files(folder());
  EXPECT_EQ(files.look(own, std::chrono::hours{1}).value(), "");
  for (const char* name : {"a", "b", "c"}) (void)make(name, WrittenFiles::kMost.bytes / 2);
  EXPECT_EQ(files.look_now(own).value(), "wrote more than 2 GiB to its folder");
}

TEST_F(WrittenFilesTest, AFolderThatIsNotThereIsNotTakenForAnEmptyOne) {
  fs::remove(folder());
  EXPECT_THAT(seen(), testing::StartsWith("error: "));
}

}  // namespace
}  // namespace kbench
