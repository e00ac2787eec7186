#include "runner/measure/players/mailbox_call.hpp"

#include <thread>
#include <utility>

#include <gtest/gtest.h>

namespace kbench {
namespace {

using namespace std::chrono_literals;

// A player in a thread: it cannot go on before let_run(), and says done at once.
class MailboxCallTest : public testing::Test {
 protected:
  MailboxCall call(WhileWaiting meanwhile) {
    meanwhile.is_over = [] { return false; };
    meanwhile.has_stalled = [](auto) { return false; };
    meanwhile.move_threads = [] {};
    return go_and_wait(mailbox_, {.kind = CallKind::kForward, .timeout = 60s}, 1, WaitStyle::kFutex,
                       meanwhile);
  }

  Mailbox mailbox_ = std::move(*Mailbox::create());
};

TEST_F(MailboxCallTest, OnACpuTheClockRunsBeforeItIsContinuedAndItIsStoppedOnceItIsDone) {
  std::thread player;
  bool stopped = false;
  const MailboxCall made =
      call({.let_run =
                [&] {
                  EXPECT_EQ(mailbox_.page().go.load(), 1u) << "or it could wait";
                  std::this_thread::sleep_for(20ms);
                  player = std::thread(
                      [&] { Mailbox::raise(mailbox_.page().done, 1, WaitStyle::kFutex); });
                  return true;
                },
            .stop =
                [&] {
                  stopped = true;
                  EXPECT_EQ(mailbox_.page().done.load(), 1u);
                }});
  player.join();
  EXPECT_TRUE(made.answered && stopped);
  EXPECT_EQ(made.done, 1u);
  EXPECT_GE(made.wall_ns, 20'000'000);
}

TEST_F(MailboxCallTest, WhoCannotBeContinuedIsNotWaitedFor) {
  bool stopped = false;
  const MailboxCall made = call({.let_run = [] { return false; }, .stop = [&] { stopped = true; }});
  EXPECT_FALSE(made.answered);
  EXPECT_FALSE(stopped);
}

}  // namespace
}  // namespace kbench
