// Everything that the supervisor of `kbench serve` hands on: orders to the judge, rows to clients,
// the end to those who wait. With a test for a gate and a judge that judges nothing.
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/utc_now.hpp"
#include "runner/serve/supervisor.hpp"
#include "tests/fakes/await.hpp"
#include "tests/fakes/scripted_judge.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Keeps the orders that it is handed, and knows relu by the text of its module.
class WatchedJudge final : public Judge {
 public:
  Result<Identity> identify(const Order& order) override {
    Order known = order;
    if (order.reference == "class Relu") known.task = "level1/019_relu";
    auto identity = inner.identify(known);
    if (identity && order.size.empty()) identity->size = "full";
    return identity;
  }
  Result<std::optional<Json>> find(const std::string& id, const std::string& reward,
                                   Rows rows) override {
    return inner.find(id, reward, rows);
  }
  Status judge(std::span<const QueuedOrder> orders, const Listener& listener) override {
    {
      const std::scoped_lock lock(mutex_);
      for (const QueuedOrder& one : orders) orders_.push_back(one.order);
    }
    if (while_judging && !std::exchange(judged_once_, true)) while_judging(listener);
    return inner.judge(orders, listener);
  }
  void stop() override { inner.stop(); }
  Result<Json> describe(const std::string& task, const std::string& size) override {
    return inner.describe(task, size);
  }
  Result<std::variant<Json, Order>> use_tool(const std::string& tool, const Json& arguments,
                                             const std::string& agent) override {
    return inner.use_tool(tool, arguments, agent);
  }
  std::vector<Order> orders() {
    const std::scoped_lock lock(mutex_);
    return orders_;
  }

  ScriptedJudge inner;
  std::function<void(const Listener&)> while_judging;  // the first time

 private:
  bool judged_once_ = false;
  std::mutex mutex_;
  std::vector<Order> orders_;
};

TEST(HandedToSpool, OtherUsersReadNobodysKernels) {
  const TemporaryFolder folder;
  const auto spool = Spool::open(folder / "spool");
  const std::string id(64, 'a');
  ASSERT_TRUE(spool->keep({.id = id, .order = {.task = "t", .files = {{"a", "b"}}}}).ok());
  const auto mode = std::filesystem::status(folder / ("spool/" + id + ".json")).permissions();
  EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(HandedToSpool, ATokensBytesAreFreeOnceItsOrderHasLeft) {
  EXPECT_EQ(size_of_files({.files = {{"ab", "xyz"}}}), 5U) << "names count, too";
  OrderQueue queue({.most_bytes_of_one = 60});
  const auto push = [&](const std::string& id) {
    return queue.push({.id = id, .order = {.agent = "ann"}, .bytes = 40});
  };
  EXPECT_EQ(push("a"), OrderQueue::Push::kTaken);
  EXPECT_EQ(push("b"), OrderQueue::Push::kTooMany);
  EXPECT_EQ(push("c"), OrderQueue::Push::kTooMany);
  queue.push({.id = "small", .order = {.agent = "ann"}, .bytes = 1});
  queue.finish("a");
  EXPECT_EQ(push("b"), OrderQueue::Push::kTaken);
}

TEST(HandedToGate, AHelloIsReadAsItWasWritten) {
  const GateHello hello{
      .version = "1.2.3",
      .device = "cuda",
      .device_name = "a device",
      .names = {"one", "two"},
      .tokens = {{"ann", {.read = true}, "hash"}},
      .openapi = "{}",
      .patience = {.headers = std::chrono::seconds{3}, .body = std::chrono::seconds{4}}};
  const auto read = hello_from_json(hello_json(hello));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->version, "1.2.3");
  EXPECT_EQ(read->device, "cuda");
  EXPECT_EQ(read->device_name, "a device");
  EXPECT_EQ(read->names, hello.names);
  EXPECT_EQ(read->openapi, "{}");
  EXPECT_EQ(read->patience.headers, std::chrono::seconds{3});
  EXPECT_EQ(read->patience.body, std::chrono::seconds{4});
  ASSERT_THAT(read->tokens, SizeIs(1));
  EXPECT_EQ(read->tokens[0].name, "ann");
  EXPECT_EQ(read->tokens[0].hash, "hash");
  EXPECT_TRUE(read->tokens[0].scopes.read);
  EXPECT_FALSE(read->tokens[0].scopes.evaluate);
}

TEST(HandedToGate, AnErrorKeepsItsHintAndWhoseFaultItIs) {
  const auto said = [](ErrorCode code) { return refusal_of({code, "what", "hint"}).body; };
  for (const ErrorCode code : {ErrorCode::kNotFound, ErrorCode::kUsage, ErrorCode::kBadInput,
                               ErrorCode::kSubmission, ErrorCode::kInfrastructure}) {
    EXPECT_EQ(said(code).at("error").at("message"), "what");
    EXPECT_EQ(said(code).at("error").at("hint"), "hint");
  }
  EXPECT_EQ(said(ErrorCode::kSubmission).at("error").at("fault"), "submission");
  EXPECT_EQ(said(ErrorCode::kInfrastructure).at("error").at("fault"), "infrastructure");
  EXPECT_EQ(said(ErrorCode::kUsage).at("error").at("fault"), "client");
}

class HandedToQueue : public ::testing::Test {
 protected:
  void start(OrderQueue::Limits limits = {}) {
    end_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
    settings_.limits = limits;
    settings_.end_fd = end_.get();
    settings_.abandon = [this] { ++abandoned_; };
    settings_.note = [this](const std::string& text) { notes_.push_back(text); };
    settings_.hello.tokens = {{"ann", {.evaluate = true}, "hash"},
                              {"bob", {.evaluate = true}, "third"},
                              {"wendy", {.workspace = true}, "other"}};
    settings_.open_gate = [this]() -> Result<Gate> {
      auto ends = Channel::make_pair();
      gates_.emplace_back(std::move(ends->second));
      ++opened_;
      return Gate{nullptr, Channel(std::move(ends->first), Channel::Descriptors::kRefused)};
    };
    gates_.reserve(8);
    thread_ = std::thread([this] {
      ended_ = serve(settings_, judge_, spool_);
      over_ = true;
    });
    ASSERT_TRUE(await([this] { return opened_ == 1; }, "a gate"));
    EXPECT_EQ(next().at("say"), "hello");
  }
  void TearDown() override {
    if (!thread_.joinable()) return;
    judge_.inner.release();
    if (!over_) ask_to_end();
    thread_.join();
  }
  void ask_to_end() const {
    const std::uint64_t one = 1;
    ASSERT_EQ(::write(end_.get(), &one, sizeof one), 8);
  }

  // Null where nothing comes any more.
  Json next() {
    auto message = gates_.back().receive(kPatience);
    return message ? std::move(message->body) : Json();
  }
  Json ask(Json question) {
    question["ask"] = ++asked_;
    EXPECT_TRUE(gates_.back().send(question).ok());
    for (Json message = next();; message = next()) {
      if (message.is_null() || message.contains("answer")) return message;
      events_.push_back(std::move(message));
    }
  }
  Json order(const std::string& text, const std::string& agent = "ann") {
    return ask({{"what", "order"}, {"order", order_json(whole(text, agent))}, {"reward", "log"}});
  }
  static Order whole(const std::string& text, const std::string& agent = "ann") {
    return {.task = "level1/019_relu", .size = "small", .agent = agent, .files = {{"a.cpp", text}}};
  }
  Json row(const std::string& id) { return ask({{"what", "row"}, {"id", id}, {"reward", "log"}}); }
  Json tool(const std::string& name) {
    return ask({{"what", "tool"},
                {"tool", name},
                {"arguments", {{"workspace", "w"}}},
                {"agent", "wendy"},
                {"reward", "log"}});
  }
  Json await_event(const std::string& event, const std::string& id) {
    const auto is_it = [&](const Json& one) {
      return one.value("event", "") == event && one.value("id", "") == id;
    };
    for (const Json& one : events_)
      if (is_it(one)) return one;
    for (Json one = next(); !one.is_null(); one = next()) {
      events_.push_back(one);
      if (is_it(one)) return one;
    }
    ADD_FAILURE() << "no event " << event << " of " << id;
    return {};
  }
  double oldest_wait() {
    return ask({{"what", "metrics"}}).at("body").at("oldest_wait_s").get<double>();
  }
  static std::string id_in(const Json& answer) { return answer.at("body").at("id"); }
  void keep(const std::string& text, std::uint64_t sequence) {
    const Order left = whole(text);
    ASSERT_TRUE(
        spool_.keep({.id = ScriptedJudge::id_of(left), .order = left, .sequence = sequence}).ok());
  }

  TemporaryFolder folder_;
  Spool spool_ = std::move(*Spool::open(folder_ / "spool"));
  WatchedJudge judge_;
  ServeSettings settings_ = {.open_gate = {}, .hello = {}, .limits = {}, .batch = 1};
  UniqueFd end_;
  std::vector<Channel> gates_;
  std::atomic<std::size_t> opened_ = 0;
  std::atomic<int> abandoned_ = 0;
  std::atomic<bool> over_ = false;
  std::vector<std::string> notes_;  // to be read once the supervisor is over, or has answered
  std::vector<Json> events_;
  std::optional<Result<ServeEnd>> ended_;
  std::thread thread_;
  int asked_ = 0;
};

TEST_F(HandedToQueue, TheJudgeGetsTheTaskAndSizeThatAnOrderWasUnderstoodAs) {
  start();
  const Order asked{.reference = "class Relu", .agent = "ann", .files = {{"a.cpp", "x"}}};
  const Json answer = ask({{"what", "order"}, {"order", order_json(asked)}, {"reward", "log"}});
  ASSERT_EQ(answer.at("status"), 202) << answer;
  await_event("done", id_in(answer));
  ASSERT_THAT(judge_.orders(), SizeIs(1));
  const Order judged = judge_.orders()[0];
  EXPECT_EQ(judged.task, "level1/019_relu");
  EXPECT_EQ(judged.reference, "");
  EXPECT_EQ(judged.size, "full");
  EXPECT_EQ(judged.agent, "ann");
  EXPECT_EQ(judged.files, asked.files);
}

TEST_F(HandedToQueue, WhoeverAsksSaysTheRewardAndTheSize) {
  start();
  const std::string id = id_in(order("x"));
  await_event("done", id);
  EXPECT_EQ(order("x").at("body").at("row").at("reward").at("name"), "log");
  EXPECT_EQ(row(id).at("body").at("row").at("reward").at("name"), "log");
  const Json submitted = tool("submit");
  ASSERT_EQ(submitted.at("status"), 202) << "a token for a workspace may submit: " << submitted;
  await_event("done", id_in(submitted));
  EXPECT_EQ(tool("submit").at("body").at("row").at("reward").at("name"), "log");
  const Json task = ask({{"what", "task"}, {"task", "level1/019_relu"}, {"size", "full"}});
  EXPECT_EQ(task.at("body").at("size"), "full");
}

TEST_F(HandedToQueue, WhatAnEarlierServerLeftIsSaidAndGoesOnUnlessItsRowCounts) {
  keep("first", 1);
  keep("second", 2);
  judge_.inner.put(ScriptedJudge::id_of(whole("first")), false);  // by a fault of the machine's
  judge_.inner.hold();
  ASSERT_TRUE(
      spool_.keep({.id = std::string(64, 'f'), .order = whole("foreign"), .sequence = 3}).ok());
  folder_.write("spool/" + std::string(64, 'd') + ".json", "{");
  start();
  ASSERT_TRUE(judge_.inner.await_held());
  EXPECT_TRUE(test::await([this] { return oldest_wait() > 0; }, "the wait of one of before"));
  EXPECT_THAT(notes_, Contains(HasSubstr("1 files of the queue are damaged")));
  EXPECT_THAT(notes_, Contains(HasSubstr("1 orders were for another task file")));
  EXPECT_THAT(notes_, Contains(HasSubstr("2 orders of before go on")));
  judge_.inner.release();
  await_event("done", ScriptedJudge::id_of(whole("second")));
  ASSERT_THAT(judge_.orders(), SizeIs(2));
  EXPECT_EQ(judge_.orders()[0], whole("first"));
}

TEST_F(HandedToQueue, AtTheEndEveryGateIsToldAndSoIsWhoeverWaits) {
  judge_.inner.hold();
  start();
  const std::string first = id_in(order("1"));
  ASSERT_TRUE(judge_.inner.await_held());
  const std::string second = id_in(order("2"));
  ask_to_end();
  await_event("put_off", second);
  EXPECT_TRUE(gates_.back().send(Json::array()).ok());  // such a gate is replaced
  ASSERT_TRUE(await([this] { return opened_ == 2; }, "another gate"));
  EXPECT_EQ(next().at("say"), "hello");
  EXPECT_EQ(next().at("say"), "draining");
  EXPECT_EQ(abandoned_, 0);
  ask_to_end();
  EXPECT_TRUE(await([this] { return abandoned_ == 1; }, "the end at once"));
  judge_.inner.release();
  await_event("done", first);
  Json last;
  bool put_off = false;
  for (Json one = next(); !one.is_null(); one = next()) {
    put_off = put_off || one.value("event", "") == "put_off";
    last = one;
    if (one.value("say", "") == "bye") break;
  }
  EXPECT_TRUE(put_off) << "the new gate knows whom it kept waiting";
  EXPECT_EQ(last.value("say", ""), "bye");
}

TEST_F(HandedToQueue, FilesAreCountedByTheirBytes) {
  judge_.inner.hold();
  start({.most_bytes_of_one = 100});
  EXPECT_EQ(order(std::string(60, 'x')).at("status"), 202);
  const Json refused = order(std::string(50, 'y'));
  EXPECT_EQ(refused.at("status"), 429);
  EXPECT_GE(refused.at("body").at("error").at("retry_after_s"), 1);
  EXPECT_EQ(order("z").at("status"), 202);
  EXPECT_TRUE(test::await([this] { return oldest_wait() > 0; }, "the wait of the last one"));
}

// An order that was in hand at the end and not begun had no try: a third one would be its last.
TEST_F(HandedToQueue, AnOrderThatTheEndCutOffWasNotTried) {
  keep("first", 1);
  keep("second", 2);
  settings_.batch = 4;
  judge_.inner.hold();
  start();
  ASSERT_TRUE(judge_.inner.await_held());
  EXPECT_THAT(judge_.orders(), SizeIs(2)) << "one run of both";
  ask_to_end();
  while (next().value("say", "") != "draining") {
  }
  judge_.inner.release();
  EXPECT_TRUE(test::await([this] { return over_.load(); }, "the end"));
  ASSERT_TRUE(ended_ && ended_->ok());
  EXPECT_EQ((*ended_)->judged, 1U);
  EXPECT_EQ((*ended_)->left, 1U);
  std::map<std::string, int> tries;
  ASSERT_TRUE(spool_.each([&](const QueuedOrder& one) { tries[one.id] = one.tries; }).ok());
  EXPECT_EQ(tries, (std::map<std::string, int>{{ScriptedJudge::id_of(whole("second")), 0}}));
}

TEST_F(HandedToQueue, APlaceComesAsFastAsTheLastOneDid) {
  start({.most_of_one = 1});
  await_event("done", id_in(order("1")));
  judge_.inner.hold();
  order("2");
  constexpr int kGuess = 10;  // seconds, before any
  EXPECT_LT(order("3").at("body").at("error").at("retry_after_s"), kGuess);
  order("1", "bob");
  EXPECT_GE(order("2", "bob").at("body").at("error").at("retry_after_s"), kGuess)
      << "nothing of bob's has left yet";
}

TEST_F(HandedToQueue, WhatFailedOnceHasItsRowOnceItHasOne) {
  start();
  judge_.inner.fail(2);
  const std::string id = id_in(order("x"));
  await_event("failed", id);
  EXPECT_EQ(row(id).at("body").at("error").at("fault"), "infrastructure");
  const Json numbers = ask({{"what", "metrics"}}).at("body");
  EXPECT_EQ(numbers.at("failed"), 1);
  EXPECT_EQ(numbers.at("done"), 0);
  EXPECT_EQ(order("x").at("status"), 202);
  await_event("done", id);
  EXPECT_EQ(row(id).at("status"), 200);
  const Json after = ask({{"what", "metrics"}}).at("body");
  EXPECT_EQ(after.at("done"), 1);
  EXPECT_EQ(after.at("rows"), 1);
  EXPECT_GT(after.at("busy_s"), 0.0);
  EXPECT_EQ(after.at("queued"), 0);
  const auto busy = [this] { return ask({{"what", "metrics"}}).at("body").at("busy") == true; };
  EXPECT_TRUE(test::await([&] { return !busy(); }, "the judge's rest"));
}

TEST_F(HandedToQueue, AWaitThatChangesHasBegunWhenItBegan) {
  const DeviceWait third{{"1", "run a", "2026-11-21T13:00:00Z", ""}, 3, 60.0};
  DeviceWait next = third;
  next.place = 1;
  std::promise<void> change, go_on;
  judge_.while_judging = [&](const Judge::Listener& listener) {
    listener.waits(third);
    change.get_future().wait();
    listener.waits(next);
    go_on.get_future().wait();
  };
  start();
  const std::string id = id_in(order("x"));
  const Json first = await_event("waiting", id).at("waiting");
  EXPECT_EQ(first.at("place"), 3);
  // Times are told in seconds: the next one must be another.
  EXPECT_TRUE(test::await([&] { return utc_now() > first.at("since").get<std::string>(); },
                          "the next second"));
  events_.clear();
  change.set_value();
  const Json second = await_event("waiting", id).at("waiting");
  go_on.set_value();
  EXPECT_EQ(second.at("place"), 1);
  EXPECT_EQ(second.at("since"), first.at("since"));
  await_event("done", id);
  // Nobody said that it was over: with its orders it is.
  judge_.inner.hold();
  const std::string after = id_in(order("y"));
  ASSERT_TRUE(judge_.inner.await_held());
  EXPECT_EQ(row(after).at("body").at("state"), "running");
}

}  // namespace
}  // namespace kbench::test
