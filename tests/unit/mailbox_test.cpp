#include "runner/worker/mailbox.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <thread>

#include <gtest/gtest.h>

namespace kbench {
namespace {

class MailboxTest : public testing::TestWithParam<WaitStyle> {};

TEST_P(MailboxTest, WakesTheOtherSide) {
  auto mine = Mailbox::create();
  ASSERT_TRUE(mine);
  auto theirs = Mailbox::open(UniqueFd(::dup(mine->fd())));
  ASSERT_TRUE(theirs);
  std::thread peer([&] {
    auto& page = theirs->page();
    Mailbox::wait_while_equal(page.go, 0, GetParam(), [] { return false; });
    page.status = 7;
    Mailbox::raise(page.done, page.go.load(), GetParam());
  });
  Mailbox::raise(mine->page().go, 1, GetParam());
  EXPECT_TRUE(Mailbox::wait_while_equal(mine->page().done, 0, GetParam(), [] { return false; }));
  peer.join();
  EXPECT_EQ(mine->page().done.load(), 1u);
  EXPECT_EQ(mine->page().status, 7);
}

TEST_P(MailboxTest, GivesUpWhenAsked) {
  auto mailbox = Mailbox::create();
  ASSERT_TRUE(mailbox);
  int asked = 0;
  EXPECT_FALSE(
      Mailbox::wait_while_equal(mailbox->page().done, 0, GetParam(), [&] { return ++asked == 3; }));
  EXPECT_EQ(asked, 3);
}

INSTANTIATE_TEST_SUITE_P(Styles, MailboxTest, testing::Values(WaitStyle::kSpin, WaitStyle::kFutex),
                         [](const auto& style) {
                           return style.param == WaitStyle::kSpin ? "Spin" : "Futex";
                         });

TEST(Mailbox, CannotBeShrunkUnderTheSupervisor) {
  auto mailbox = Mailbox::create();
  ASSERT_TRUE(mailbox);
  EXPECT_NE(::ftruncate(mailbox->fd(), 0), 0);
}

}  // namespace
}  // namespace kbench
