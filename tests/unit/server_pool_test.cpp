#include "runner/os/server_pool.hpp"

#include <atomic>
#include <map>
#include <thread>

#include <gtest/gtest.h>

#include "tests/fakes/await.hpp"

namespace kbench {
namespace {

using std::chrono::milliseconds;

// Answers with the request; a request "break" spends it, "wait" waits for the stop.
class Echo final : public Server {
 public:
  Result<Json> ask(const Json& request, milliseconds, const Stop& stop) override {
    if (request == "wait" && !test::await(stop, "the stop")) return Json("not stopped");
    spent_ = request == "break";
    if (spent_) return Error{ErrorCode::kInfrastructure, "it broke", ""};
    return request;
  }
  [[nodiscard]] bool spent() const override { return spent_; }

 private:
  bool spent_ = false;
};

class ServerPoolTest : public ::testing::Test {
 protected:
  Status ask(const std::vector<Json>& requests) {
    return pool_.ask(requests, [this](std::size_t index, const Answer& answer) {
      EXPECT_EQ(std::this_thread::get_id(), caller_);
      answers_[index] = answer.body ? answer.body->dump() : answer.body.error().message;
    });
  }

  ServerPool pool_{.start = [this](const Stop&) -> Result<std::unique_ptr<Server>> {
                     if (started_++ >= most_) return Error{ErrorCode::kInfrastructure, "no", ""};
                     return std::unique_ptr<Server>(std::make_unique<Echo>());
                   },
                   .processes = 3};
  const std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<int> started_ = 0;
  int most_ = 100;
  std::map<std::size_t, std::string> answers_;
};

TEST_F(ServerPoolTest, AnswersAllAndReplacesWhatBroke) {
  EXPECT_TRUE(ask({1, "break", 2, "break", 3}).ok());
  EXPECT_EQ(answers_, (std::map<std::size_t, std::string>{
                          {0, "1"}, {1, "it broke"}, {2, "2"}, {3, "it broke"}, {4, "3"}}));
}

TEST_F(ServerPoolTest, StartsNoMoreThanThereIsWorkFor) {
  EXPECT_TRUE(ask({}).ok());
  EXPECT_EQ(started_, 0);
  EXPECT_TRUE(ask({1}).ok());
  EXPECT_EQ(started_, 1);
}

TEST_F(ServerPoolTest, TheOthersDoTheWorkOfOneThatCannotStart) {
  most_ = 1;
  EXPECT_TRUE(ask({1, 2, 3, 4, 5}).ok());
  EXPECT_EQ(answers_.size(), 5u);
}

TEST_F(ServerPoolTest, WithoutAServerThereIsAnError) {
  most_ = 0;
  const auto none = ask({1, 2});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "no");
  EXPECT_TRUE(answers_.empty());
}

TEST_F(ServerPoolTest, AStopLeavesTheRestOpen) {
  pool_.processes = 1;
  pool_.stop = [this] { return !answers_.empty(); };
  EXPECT_TRUE(ask({1, "wait", 2}).ok());
  EXPECT_EQ(answers_.size(), 1u);
}

}  // namespace
}  // namespace kbench
