#include "runner/os/run_trusted.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

TEST(RunTrusted, CollectsBothStreams) {
  const auto output = run_trusted({"/bin/sh", "-c", "echo out; echo err >&2"}, seconds{20});
  ASSERT_TRUE(output.ok()) << output.error().message;
  EXPECT_EQ(*output, "out\nerr\n");
}

TEST(RunTrusted, FailureCarriesTheLastLine) {
  const auto output = run_trusted({"/bin/sh", "-c", "echo first; echo last; exit 7"}, seconds{20});
  ASSERT_FALSE(output.ok());
  EXPECT_EQ(output.error().code, ErrorCode::kInfrastructure);
  EXPECT_EQ(output.error().message, "/bin/sh ended with 7: last");
}

TEST(RunTrusted, SignalIsNamed) {
  const auto output = run_trusted({"/bin/sh", "-c", "kill -9 $$"}, seconds{20});
  ASSERT_FALSE(output.ok());
  EXPECT_THAT(output.error().message, HasSubstr("killed by signal 9"));
}

TEST(RunTrusted, MissingProgramIsAnError) {
  const auto output = run_trusted({"/nowhere/program"}, seconds{20});
  ASSERT_FALSE(output.ok());
  EXPECT_THAT(output.error().message, HasSubstr("/nowhere/program"));
}

// The grandchild holds the pipe open: only killing the whole group ends this.
TEST(RunTrusted, DeadlineEndsTheWholeGroup) {
  const auto output = run_trusted({"/bin/sh", "-c", "sleep 600 & wait"}, milliseconds{300});
  ASSERT_FALSE(output.ok());
  EXPECT_EQ(output.error().code, ErrorCode::kTimeout);
}

TEST(RunTrusted, OutputIsBounded) {
  const auto output =
      run_trusted({"/bin/sh", "-c", "head -c 1000000 /dev/zero | tr '\\0' x"}, seconds{60});
  ASSERT_TRUE(output.ok()) << output.error().message;
  EXPECT_EQ(output->size(), 65536U);
}

}  // namespace
}  // namespace kbench
