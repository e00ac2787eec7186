#include "runner/sandbox/undead.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include <gtest/gtest.h>

#include "runner/os/pipe.hpp"
#include "tests/fakes/await.hpp"

namespace kbench {
namespace {

// A run goes on beside remains no further: whatever is left here stops it.
class UndeadTest : public ::testing::Test {
 protected:
  UndeadList undead_;
};

TEST_F(UndeadTest, NobodyIsLeftAtFirst) { EXPECT_EQ(undead_.count(), 0); }

TEST_F(UndeadTest, AUserCountsAsLongAsAnythingRunsAsHim) {
  constexpr uid_t kNobodyRunsAs = 0x7ffffff0;
  undead_.add_user(kNobodyRunsAs);
  EXPECT_EQ(undead_.count(), 0);
  undead_.add_user(::geteuid());  // we do
  EXPECT_EQ(undead_.count(), 1);
  EXPECT_EQ(undead_.count(), 1) << "it is asked for again and again";
}

TEST_F(UndeadTest, WhoCannotBeSeenToEndCountsForEver) {
  undead_.add_lost();
  undead_.add_lost();
  EXPECT_EQ(undead_.count(), 2);
  EXPECT_EQ(undead_.count(), 2);
}

TEST_F(UndeadTest, AKeeperCountsUntilItsPipeEnds) {
  auto status = make_pipe();
  auto gate = make_pipe();
  ASSERT_TRUE(status.ok() && gate.ok());
  const pid_t keeper = ::fork();
  if (keeper == 0) {
    gate->write.reset();
    char byte = 0;
    ::_exit(::read(gate->read.get(), &byte, 1) == 0 ? 0 : 1);
  }
  status->write.reset();
  undead_.add(keeper, std::move(status->read));
  undead_.add_lost();
  EXPECT_EQ(undead_.count(), 2);
  gate->write.reset();
  EXPECT_TRUE(test::await([&] { return undead_.count() == 1; }, "the keeper ends"));
  EXPECT_EQ(::waitpid(keeper, nullptr, 0), -1) << "it was waited for";
}

}  // namespace
}  // namespace kbench
