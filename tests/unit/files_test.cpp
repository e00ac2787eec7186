#include "runner/os/files.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/os/write_hint.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = ScratchFolder::make("kbench-files-test");
    ASSERT_TRUE(made.ok()) << made.error().message;
    folder_ = std::move(*made);
  }
  [[nodiscard]] fs::path at(const char* name) const { return folder_.path() / name; }

  ScratchFolder folder_;
};

TEST_F(Files, WhatCannotBeReadToItsEndIsNoText) {
  ASSERT_TRUE(write_new_file(at("text"), std::string(100'000, 'x')).ok());
  ASSERT_TRUE(write_new_file(at("empty"), "").ok());
  EXPECT_EQ(read_file(at("text")), std::string(100'000, 'x'));
  EXPECT_EQ(read_file(at("empty")), "");
  EXPECT_FALSE(read_file(at("none")));
  EXPECT_FALSE(read_file(folder_.path())) << "a folder opens, and has no text";
  EXPECT_FALSE(read_file("/proc/self/mem")) << "opens, and no byte at its begin can be read";
  EXPECT_TRUE(read_file("/proc/self/status")) << "says that it has no size";
}

TEST_F(Files, AFileThatIsTooLargeIsToldWithItsSizeAndTheLimit) {
  ASSERT_TRUE(write_new_file(at("large"), std::string(1001, 'x')).ok());
  const auto read = read_foreign_file(at("large"), 1000);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message,
            at("large").string() + " is too large: it has 1001 bytes, and 1000 are allowed");
  EXPECT_EQ(read.error().hint, "make it smaller");
}

TEST_F(Files, WhatCannotBeWrittenComesWithWhatToDo) {
  EXPECT_EQ(write_hint(ENOSPC), "The disk is full.");
  EXPECT_EQ(write_hint(EDQUOT), "Your quota of that disk is used up.");
  EXPECT_EQ(write_hint(EROFS), "It is mounted read-only: name a folder elsewhere.");
  EXPECT_EQ(write_hint(EACCES), "Whoever runs kbench may not: look at owner and rights (ls -ld).");
  EXPECT_EQ(write_hint(EIO), "");
}

TEST_F(Files, AFolderGoesWithItsOwner) {
  ASSERT_TRUE(write_new_file(at("x"), "text").ok());
  const fs::path path = folder_.path();
  folder_ = ScratchFolder();
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(Files, WhatAKilledProcessLeftGoesWithTheNextFolderOfThatName) {
  const std::string name = "kbench-files-test-" + std::to_string(::getpid());
  const auto alive = ScratchFolder::make(name);
  ASSERT_TRUE(alive.ok());
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto made = ScratchFolder::make(name);
    const std::string path = made.ok() ? made->path().string() : "";
    const bool told = ::write(pipe[1], path.data(), path.size()) >= 0;
    ::close(pipe[1]);
    ::raise(told ? SIGKILL : SIGABRT);
  }
  ::close(pipe[1]);
  std::array<char, 4096> path{};
  ASSERT_GT(::read(pipe[0], path.data(), path.size() - 1), 0);
  ::close(pipe[0]);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ASSERT_TRUE(fs::exists(path.data()));

  const auto next = ScratchFolder::make(name);
  ASSERT_TRUE(next.ok());
  EXPECT_FALSE(fs::exists(path.data()));
  EXPECT_TRUE(fs::exists(alive->path()));
  EXPECT_TRUE(fs::exists(next->path()));
}

TEST_F(Files, WhatIsWrittenIsRead) {
  EXPECT_EQ(read_file(at("x")), std::nullopt);
  ASSERT_TRUE(write_atomically(at("x"), std::string_view("a\0b", 3), 0640).ok());
  EXPECT_EQ(read_file(at("x")), std::string("a\0b", 3));
  struct stat info {};
  ASSERT_EQ(::stat(at("x").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
  EXPECT_FALSE(write_new_file(at("x"), "again").ok());
  EXPECT_FALSE(write_atomically(at("none/x"), "text", 0644).ok());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1)
      << "nothing is left beside it";
}

TEST_F(Files, NothingIsLeftOfAFileThatDidNotFit) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit few = before;
  few.rlim_cur = 4;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &few), 0);
  const Status written = write_new_file(at("x"), "more than four bytes");
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  EXPECT_FALSE(written.ok());
  EXPECT_FALSE(fs::exists(at("x")));
}

TEST_F(Files, AForeignFileIsARegularOneAndBounded) {
  ASSERT_TRUE(write_new_file(at("x"), "text").ok());
  fs::create_symlink(at("x"), at("link"));
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_foreign_file(at("x"), 4).value(), "text");
  EXPECT_EQ(read_foreign_file(at("x"), 3).error().code, ErrorCode::kBadInput);
  for (const char* name : {"link", "pipe", "none", "."})
    EXPECT_EQ(read_foreign_file(at(name), 100).error().code, ErrorCode::kNotFound) << name;
}

// Was: "cannot read", with an error of some earlier call, as if the machine were to blame. Files of
// /sys say that they have a page.
TEST_F(Files, AForeignFileThatEndsBeforeItsSizeIsNoFaultOfTheMachine) {
  const fs::path file = "/sys/devices/system/cpu/online";
  if (!fs::exists(file) || fs::file_size(file) == 0) GTEST_SKIP() << file << " is not as usual";
  const auto read = read_foreign_file(file, 1 << 20);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kBadInput);
  EXPECT_THAT(read.error().message, ::testing::HasSubstr(" of its "));
}

}  // namespace
}  // namespace kbench
