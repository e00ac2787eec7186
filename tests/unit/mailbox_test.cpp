#include "runner/worker/mailbox.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

// Far above what a wait takes that asks as it should.
constexpr std::chrono::seconds kPatience{10};

void wake(std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

// Somebody who shares the page and does this again and again, until it goes or patience ends.
class BusyPeer {
 public:
  BusyPeer(Mailbox& mailbox, std::function<void(std::atomic<std::uint32_t>&)> keep_busy)
      : thread_([this, &page = mailbox.page(), keep_busy = std::move(keep_busy)] {
          const auto end = Clock::now() + kPatience;
          while (!left_ && Clock::now() < end) keep_busy(page.done);
          // Lets go whoever has never asked.
          if (!left_) Mailbox::raise(page.done, 7, WaitStyle::kFutex);
        }) {}
  ~BusyPeer() {
    left_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> left_{false};
  std::thread thread_;
};

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

// So long that a busy machine does not keep the peer from waking it in time.
TEST_P(MailboxTest, AsksBesideAPeerThatKeepsWakingIt) {
  auto mailbox = Mailbox::create();
  ASSERT_TRUE(mailbox);
  const BusyPeer peer(*mailbox, wake);
  EXPECT_FALSE(Mailbox::wait_while_equal(
      mailbox->page().done, 0, GetParam(), [] { return true; }, std::chrono::milliseconds{500}));
}

// It sees another word and has an answer, or it asks.
TEST_P(MailboxTest, EndsBesideAPeerThatAlternatesTheWord) {
  auto mailbox = Mailbox::create();
  ASSERT_TRUE(mailbox);
  const BusyPeer peer(*mailbox, [](std::atomic<std::uint32_t>& word) {
    word.store(1);
    word.store(0);
    wake(word);
  });
  const auto start = Clock::now();
  Mailbox::wait_while_equal(mailbox->page().done, 0, GetParam(), [] { return true; });
  EXPECT_LT(Clock::now() - start, kPatience);
}

TEST_P(MailboxTest, AsksAfterASecondAsWell) {
  auto mailbox = Mailbox::create();
  ASSERT_TRUE(mailbox);
  const BusyPeer peer(*mailbox, [](auto&) { std::this_thread::yield(); });
  EXPECT_FALSE(Mailbox::wait_while_equal(
      mailbox->page().done, 0, GetParam(), [] { return true; }, std::chrono::seconds{1}));
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
