#include "runner/os/run_trusted.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/await.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

using std::chrono::milliseconds;
using test::TemporaryFolder;
using ::testing::HasSubstr;

TEST(RunTrusted, CollectsBothStreams) {
  const auto output = run_trusted({"/bin/sh", "-c", "echo out; echo err >&2"}, test::kPatience);
  ASSERT_TRUE(output.ok()) << output.error().message;
  EXPECT_EQ(*output, "out\nerr\n");
}

TEST(RunTrusted, FailureCarriesTheLastLine) {
  const auto output =
      run_trusted({"/bin/sh", "-c", "echo first; echo last; exit 7"}, test::kPatience);
  ASSERT_FALSE(output.ok());
  EXPECT_EQ(output.error().code, ErrorCode::kInfrastructure);
  EXPECT_EQ(output.error().message, "/bin/sh ended with 7: last");
}

// Was: "ended with 1: ", and nothing behind it.
TEST(RunTrusted, FailureOfASilentProgramSaysSo) {
  const auto output = run_trusted({"/bin/sh", "-c", "exit 1"}, test::kPatience);
  ASSERT_FALSE(output.ok());
  EXPECT_EQ(output.error().message, "/bin/sh ended with 1, and printed nothing");
}

TEST(RunTrusted, SignalIsNamed) {
  const auto output = run_trusted({"/bin/sh", "-c", "kill -9 $$"}, test::kPatience);
  ASSERT_FALSE(output.ok());
  EXPECT_THAT(output.error().message, HasSubstr("killed by signal 9"));
}

TEST(RunTrusted, MissingProgramIsAnError) {
  const auto output = run_trusted({"/nowhere/program"}, test::kPatience);
  ASSERT_FALSE(output.ok());
  EXPECT_THAT(output.error().message, HasSubstr("/nowhere/program"));
}

// The grandchild holds the pipe open: only killing the whole group ends this.
TEST(RunTrusted, DeadlineEndsTheWholeGroup) {
  const TemporaryFolder folder;
  const auto note = folder / "grandchild";
  const auto grandchild = [&] {
    pid_t pid = 0;
    std::ifstream(note) >> pid;
    return pid;
  };
  EXPECT_TRUE(test::with_longer_limits(milliseconds{300}, [&](milliseconds limit) {
    const auto output =
        run_trusted({"/bin/sh", "-c", "sleep 600 & echo $! > $0; wait", note.string()}, limit);
    EXPECT_FALSE(output.ok());
    if (output.ok()) return true;
    EXPECT_EQ(output.error().code, ErrorCode::kTimeout);
    return grandchild() > 0;
  }));
  EXPECT_TRUE(test::await([&] { return !test::lives(grandchild()); }, "the grandchild's end"));
}

TEST(RunTrusted, OutputIsBounded) {
  const auto output =
      run_trusted({"/bin/sh", "-c", "head -c 1000000 /dev/zero | tr '\\0' x"}, test::kPatience);
  ASSERT_TRUE(output.ok()) << output.error().message;
  EXPECT_EQ(output->size(), 65536U);
}

}  // namespace
}  // namespace kbench
