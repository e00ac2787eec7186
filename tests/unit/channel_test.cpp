#include "runner/core/channel.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/fakes/await.hpp"

namespace kbench {
namespace {

using std::chrono::milliseconds;

class ChannelTest : public testing::Test {
 protected:
  ChannelTest() {
    auto ends = Channel::make_pair();
    raw_ = ends->first.get();
    left_ = Channel(std::move(ends->first));
    right_ = Channel(std::move(ends->second));
  }

  void send_raw(const std::string& text, std::uint32_t length) {
    std::string frame(reinterpret_cast<const char*>(&length), sizeof length);
    frame += text;
    ASSERT_EQ(::send(raw_, frame.data(), frame.size(), 0), static_cast<ssize_t>(frame.size()));
  }

  int raw_ = -1;
  Channel left_;
  Channel right_;
};

TEST_F(ChannelTest, CarriesJsonAndDescriptors) {
  const UniqueFd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(left_.send({{"answer", 42}}, {file.get(), file.get()}));
  auto message = right_.receive(test::kPatience);
  ASSERT_TRUE(message);
  EXPECT_EQ(message->body.at("answer"), 42);
  ASSERT_EQ(message->descriptors.size(), 2u);
  EXPECT_NE(::fcntl(message->descriptors[0].get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(ChannelTest, KeepsMessagesApart) {
  ASSERT_TRUE(left_.send(1));
  ASSERT_TRUE(left_.send(std::string(100'000, 'x')));
  EXPECT_EQ(right_.receive(test::kPatience)->body, 1);
  EXPECT_EQ(right_.receive(test::kPatience)->body.get<std::string>().size(), 100'000u);
}

TEST_F(ChannelTest, TimesOut) {
  const auto message = right_.receive(milliseconds{10});
  ASSERT_FALSE(message);
  EXPECT_EQ(message.error().code, ErrorCode::kTimeout);
}

// The patience of its socket is that of the whole message, not of each piece of it.
TEST_F(ChannelTest, APeerThatReadsALittleNowAndThenDoesNotHoldWhoSends) {
  const timeval patience{0, 200'000};
  ASSERT_EQ(::setsockopt(raw_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience), 0);
  std::atomic<bool> over{false};
  std::thread slow_reader([&, fd = right_.fd()] {
    std::array<char, 16384> buffer;
    while (!over && ::recv(fd, buffer.data(), buffer.size(), 0) > 0)
      std::this_thread::sleep_for(milliseconds{20});
  });
  const Status sent = left_.send(std::string(3'000'000, 'x'));
  over = true;
  left_ = Channel();
  slow_reader.join();
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, ErrorCode::kInfrastructure);
}

TEST_F(ChannelTest, SaysWhenThePeerIsGone) {
  left_ = Channel();
  const auto message = right_.receive(test::kPatience);
  ASSERT_FALSE(message);
  EXPECT_EQ(message.error().code, ErrorCode::kInfrastructure);
}

int open_descriptors() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

TEST_F(ChannelTest, RefusesDescriptorsWhereTheyAreNotExpected) {
  const UniqueFd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  auto ends = Channel::make_pair();
  Channel sender(std::move(ends->first));
  Channel receiver(std::move(ends->second), Channel::Descriptors::kRefused);
  ASSERT_TRUE(sender.send({{"type", "loaded"}}, {file.get(), file.get()}));
  const int before = open_descriptors();
  const auto message = receiver.receive(test::kPatience);
  ASSERT_FALSE(message);
  EXPECT_EQ(message.error().code, ErrorCode::kBadInput);
  EXPECT_NE(message.error().message.find("descriptors"), std::string::npos);
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(ChannelTest, WithoutDescriptorsItIsTakenThere) {
  auto ends = Channel::make_pair();
  Channel sender(std::move(ends->first));
  Channel receiver(std::move(ends->second), Channel::Descriptors::kRefused);
  ASSERT_TRUE(sender.send({{"type", "loaded"}}));
  EXPECT_TRUE(receiver.receive(test::kPatience));
}

TEST_F(ChannelTest, RefusesImpossibleLengths) {
  send_raw("", 0xffffffffu);
  const auto message = right_.receive(test::kPatience);
  ASSERT_FALSE(message);
  EXPECT_EQ(message.error().code, ErrorCode::kBadInput);
}

TEST_F(ChannelTest, RefusesWhatIsNotJson) {
  send_raw("{\"a\":", 5);
  const auto message = right_.receive(test::kPatience);
  ASSERT_FALSE(message);
  EXPECT_EQ(message.error().code, ErrorCode::kBadInput);
}

TEST_F(ChannelTest, RefusesDeepNesting) {
  const std::string bomb(10'000, '[');
  send_raw(bomb, static_cast<std::uint32_t>(bomb.size()));
  const auto message = right_.receive(test::kPatience);
  ASSERT_FALSE(message);
  EXPECT_EQ(message.error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace kbench
