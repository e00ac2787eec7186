// The supervisor of `kbench serve`, with a test for a gate and a judge that judges nothing.
#include "runner/serve/supervisor.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/utc_now.hpp"
#include "tests/fakes/await.hpp"
#include "tests/fakes/scripted_judge.hpp"
#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

using test::kPatience;
using test::ScriptedJudge;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Json order_of(const std::string& text, const std::string& agent = "ann") {
  return order_json({.task = "level1/019_relu", .agent = agent, .files = {{"main.cpp", text}}});
}

class SupervisorTest : public ::testing::Test {
 protected:
  void start(OrderQueue::Limits limits = {}) {
    spool_ = std::make_unique<Spool>(std::move(*Spool::open(folder_.path() / "spool")));
    judge_ = std::make_unique<ScriptedJudge>();
    start_with_judge(limits);
  }

  void start_with_judge(OrderQueue::Limits limits = {}) {
    end_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
    settings_ = {};
    settings_.limits = limits;
    settings_.batch = 4;
    settings_.end_fd = end_.get();
    settings_.note = [this](const std::string& text) { notes_.push_back(text); };
    settings_.hello.tokens = {{"ann", {.read = true, .evaluate = true, .workspace = true}, "hash"},
                              {"bob", {.evaluate = true}, "other"},
                              {"eve", {.read = true}, "third"}};
    settings_.open_gate = [this]() -> Result<Gate> {
      auto ends = Channel::make_pair();
      const bool is_gone = opened_ > 0 && stillborn_-- > 0;
      gates_.emplace_back(is_gone ? Channel() : Channel(std::move(ends->second)));
      ++opened_;
      return Gate{nullptr, Channel(std::move(ends->first), Channel::Descriptors::kRefused)};
    };
    ended_.reset();
    gates_.clear();
    gates_.reserve(8);
    opened_ = 0;
    over_ = false;
    thread_ = std::thread([this] {
      ended_ = serve(settings_, *judge_, *spool_);
      over_ = true;
    });
    await_gates(1);
    EXPECT_EQ(next().at("say"), "hello");
  }

  // Waits until so many gates have been opened.
  void await_gates(std::size_t count) {
    if (!test::await([&] { return opened_ >= count; }, fmt::format("gate {}", count)))
      throw std::runtime_error("without a gate nothing can be asked");
  }
  // Waits until the supervisor has ended.
  void await_end() {
    if (!test::await([this] { return over_.load(); }, "the end of the supervisor"))
      throw std::runtime_error("the supervisor goes on");
    thread_.join();
  }

  void TearDown() override {
    if (!thread_.joinable()) return;
    judge_->release();
    end();
  }

  Channel& gate() { return gates_.back(); }
  Json next() {
    auto message = gate().receive(kPatience);
    if (!message) throw std::runtime_error(message.error().message);
    return std::move(message->body);
  }
  // The answer; events that come before it are kept.
  Json ask(Json question) {
    const int number = ++asked_;
    question["ask"] = number;
    EXPECT_TRUE(gate().send(question).ok());
    for (;;) {
      Json message = next();
      if (message.contains("answer")) {
        EXPECT_EQ(message.at("answer"), number);
        return message;
      }
      events_.push_back(std::move(message));
    }
  }
  Json order(const std::string& text, const std::string& agent = "ann") {
    return ask({{"what", "order"}, {"order", order_of(text, agent)}, {"reward", "log"}});
  }
  Json row(const std::string& id) { return ask({{"what", "row"}, {"id", id}, {"reward", "log"}}); }
  // Waits for that event of that order.
  void await(const std::string& event, const std::string& id) {
    const auto is_it = [&](const Json& message) {
      return message.value("event", "") == event && message.value("id", "") == id;
    };
    for (const Json& message : events_)
      if (is_it(message)) return;
    for (;;) {
      events_.push_back(next());
      if (is_it(events_.back())) return;
    }
  }
  // Orders on the spool.
  std::size_t kept() const {
    std::size_t count = 0;
    EXPECT_TRUE(spool_->each([&](const QueuedOrder&) { ++count; }).ok());
    return count;
  }
  static std::string id_in(const Json& answer) {
    return answer.at("body").at("id").get<std::string>();
  }
  void ask_to_end() const {
    const std::uint64_t one = 1;
    ASSERT_EQ(::write(end_.get(), &one, sizeof one), 8);
  }
  ServeEnd end() {
    ask_to_end();
    await_end();
    EXPECT_TRUE(ended_ && ended_->ok()) << (ended_ && !ended_->ok() ? ended_->error().message : "");
    return **ended_;
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<Spool> spool_;
  std::unique_ptr<ScriptedJudge> judge_;
  ServeSettings settings_;
  UniqueFd end_;
  std::vector<Channel> gates_;
  std::atomic<std::size_t> opened_ = 0;
  std::atomic<bool> over_ = false;
  int stillborn_ = 0;  // so many gates after the first are gone before they hear of anything
  std::vector<std::string> notes_;
  std::vector<Json> events_;
  std::optional<Result<ServeEnd>> ended_;
  std::thread thread_;
  int asked_ = 0;
};

TEST_F(SupervisorTest, AnOrderIsJudgedOnceHoweverOftenItIsSent) {
  start();
  judge_->hold();
  const Json first = order("x");
  EXPECT_EQ(first.at("status"), 202);
  const std::string id = id_in(first);
  EXPECT_EQ(id_in(order("x")), id);
  EXPECT_EQ(row(id).at("status"), 202);
  judge_->let(1);
  await("done", id);
  const Json done = row(id);
  EXPECT_EQ(done.at("status"), 200);
  EXPECT_EQ(done.at("body").at("row").at("reward").at("name"), "log");
  EXPECT_EQ(order("x").at("status"), 200);
  EXPECT_THAT(judge_->judged(), ElementsAre(id));
  EXPECT_EQ(end().judged, 1U);
}

TEST_F(SupervisorTest, EventsTellHowFarItIs) {
  start();
  const std::string id = id_in(order("x"));
  await("done", id);
  std::vector<std::string> seen;
  for (const Json& event : events_) seen.push_back(event.at("event").get<std::string>());
  EXPECT_THAT(seen, ElementsAre("queued", "running", "done"));
  EXPECT_EQ(events_.back().at("agent"), "ann");
}

// Was: "running", for as long as another run had the device, and not a word of it.
TEST_F(SupervisorTest, WhoWaitsForTheDeviceIsToldForWhom) {
  start();
  judge_->hold();
  judge_->wait_for_device(
      {{"4711", "run 0123456789ab", "2026-11-21T13:00:00Z", utc_in(600)}, 3, 60.0});
  const std::string id = id_in(order("x"));
  await("waiting", id);
  const Json why = events_.back().at("waiting");
  EXPECT_EQ(why.at("held_by"), "run 0123456789ab");
  EXPECT_EQ(why.at("held_since"), "2026-11-21T13:00:00Z");
  EXPECT_EQ(why.at("place"), 3);
  EXPECT_TRUE(parse_utc(why.at("since").get<std::string>()));
  EXPECT_GT(why.at("until"), utc_in(600));
  EXPECT_EQ(row(id).at("body"), (Json{{"id", id}, {"state", "waiting"}, {"waiting", why}}));
  const Json numbers = ask({{"what", "metrics"}}).at("body");
  EXPECT_EQ(numbers.at("waiting"), 1);
  EXPECT_EQ(numbers.at("running"), 0);
  EXPECT_THAT(notes_.back(), HasSubstr("1 evaluation waits for the device, which run 0123456789ab "
                                       "has had since 2026-11-21T13:00:00Z: place 3 in its queue, "
                                       "probably until "));
  judge_->let(1);
  await("done", id);
  std::vector<std::string> seen;
  for (const Json& event : events_) seen.push_back(event.at("event").get<std::string>());
  EXPECT_THAT(seen, ElementsAre("queued", "running", "waiting", "running", "done"));
}

TEST_F(SupervisorTest, ARowOfBeforeIsTheAnswerWhereItCounts) {
  start();
  const Order stored{.task = "level1/019_relu", .agent = "ann", .files = {{"main.cpp", "old"}}};
  judge_->put(ScriptedJudge::id_of(stored), true);
  EXPECT_EQ(order("old").at("status"), 200);
  const Order failed{.task = "level1/019_relu", .agent = "ann", .files = {{"main.cpp", "hm"}}};
  judge_->put(ScriptedJudge::id_of(failed), false);
  EXPECT_EQ(row(ScriptedJudge::id_of(failed)).at("status"), 200);
  EXPECT_EQ(order("hm").at("status"), 202) << "a fault of the machine's is measured again";
}

TEST_F(SupervisorTest, WhatMakesNoSenseIsRefusedAndWhoseFaultItIs) {
  start();
  const auto fault = [](const Json& answer) { return answer.at("body").at("error").at("fault"); };
  Json unknown = order_of("x");
  unknown["task"] = "level1/404_none";
  const Json nowhere = ask({{"what", "order"}, {"order", unknown}});
  EXPECT_EQ(nowhere.at("status"), 422);
  EXPECT_EQ(fault(nowhere), "client");
  const Json bad =
      ask({{"what", "order"},
           {"order", order_json({.task = "t", .agent = "ann", .files = {{"bad", ""}}})}});
  EXPECT_EQ(bad.at("status"), 422);
  EXPECT_EQ(fault(bad), "submission");
  EXPECT_EQ(order("x", "eve").at("status"), 403) << "a token that may only read";
  EXPECT_EQ(order("x", "mallory").at("status"), 403) << "nobody's";
  EXPECT_EQ(ask({{"what", "order"}, {"order", 3}}).at("status"), 422);
  EXPECT_EQ(ask({{"what", "money"}}).at("status"), 400);
  EXPECT_EQ(row("../../etc").at("status"), 404);
  EXPECT_EQ(row(std::string(64, 'a')).at("status"), 404);
}

TEST_F(SupervisorTest, LimitsHoldForEachAndForAll) {
  start({.most = 3, .most_of_one = 2});
  judge_->hold();
  EXPECT_EQ(order("1").at("status"), 202);
  EXPECT_EQ(order("2").at("status"), 202);
  EXPECT_EQ(order("3").at("status"), 429);
  EXPECT_EQ(order("1").at("status"), 202) << "the same one is no further one";
  EXPECT_EQ(order("4", "bob").at("status"), 202);
}

TEST_F(SupervisorTest, WhatGetsNoRowIsTriedOnceMoreAndThenSaidSo) {
  start();
  judge_->fail(1);
  const std::string id = id_in(order("x"));
  await("done", id);
  judge_->fail(2);
  const std::string other = id_in(order("y"));
  await("failed", other);
  const Json why = row(other);
  EXPECT_EQ(why.at("status"), 500);
  EXPECT_THAT(why.at("body").at("error").at("message").get<std::string>(),
              HasSubstr("the device is lost"));
  EXPECT_EQ(order("y").at("status"), 202) << "asked again, it is tried again";
  await("done", other);
}

TEST_F(SupervisorTest, ToolsThatTakeTimeGoThroughTheQueueAndAreGivenOnce) {
  start();
  const auto tool = [&](const std::string& name, const std::string& agent = "ann") {
    return ask({{"what", "tool"},
                {"tool", name},
                {"arguments", {{"workspace", "w"}}},
                {"agent", agent},
                {"reward", ""}});
  };
  EXPECT_EQ(tool("list_tasks").at("body").at("result").at("tasks"), Json::array());
  EXPECT_EQ(tool("read").at("status"), 404);
  EXPECT_EQ(tool("list_tasks", "bob").at("status"), 403);
  const Json verify = tool("verify");
  ASSERT_EQ(verify.at("status"), 202);
  await("done", id_in(verify));
  const Json result = row(id_in(verify));
  EXPECT_EQ(result.at("body").at("result").at("what"), "verify");
  EXPECT_EQ(row(id_in(verify)).at("status"), 404);
  EXPECT_EQ(tool("verify").at("status"), 202) << "fresh inputs each time";
  await("done", id_in(tool("submit")));
  EXPECT_EQ(tool("submit").at("body").at("row").at("state"), "ok");
}

TEST_F(SupervisorTest, AtTheEndWhatIsJudgedIsFinishedAndTheRestIsKept) {
  start();
  judge_->hold();
  const std::string first = id_in(order("1"));
  await("running", first);
  ASSERT_TRUE(judge_->await_held());
  const std::string second = id_in(order("2", "bob"));
  ask_to_end();
  while (next().value("say", "") != "draining") {
  }
  EXPECT_EQ(order("3").at("status"), 503);
  EXPECT_EQ(order("1").at("status"), 202) << "what is there already may be asked for";
  judge_->let(1);
  await_end();
  ASSERT_TRUE(ended_->ok());
  EXPECT_THAT(judge_->judged(), ElementsAre(first));
  EXPECT_EQ((*ended_)->left, 1U);
  // The next server goes on with it, under the same id.
  judge_ = std::make_unique<ScriptedJudge>();
  judge_->put(first, true);
  events_.clear();
  start_with_judge();
  await("done", second);
  EXPECT_THAT(judge_->judged(), ElementsAre(second));
  EXPECT_EQ(end().left, 0U);
}

TEST_F(SupervisorTest, AfterAKillWhatWaitedGoesOnUnlessItsRowIsThere) {
  spool_ = std::make_unique<Spool>(std::move(*Spool::open(folder_.path() / "spool")));
  judge_ = std::make_unique<ScriptedJudge>();
  const auto queued = [](const std::string& text, std::uint64_t sequence) {
    const Order order{
        .task = "level1/019_relu", .size = "small", .agent = "ann", .files = {{"main.cpp", text}}};
    return QueuedOrder{ScriptedJudge::id_of(order), order, sequence};
  };
  ASSERT_TRUE(spool_->keep(queued("judged", 1)).ok());
  judge_->put(queued("judged", 1).id, true);
  ASSERT_TRUE(spool_->keep(queued("waits", 2)).ok());
  QueuedOrder foreign = queued("other compiler", 3);
  foreign.id = std::string(64, 'f');
  ASSERT_TRUE(spool_->keep(foreign).ok());
  start_with_judge();
  await("done", queued("waits", 2).id);
  EXPECT_THAT(judge_->judged(), ElementsAre(queued("waits", 2).id));
  EXPECT_EQ(kept(), 0U);
  EXPECT_EQ(end().left, 0U);
}

TEST_F(SupervisorTest, AfterAKillNewOrdersComeBehindThoseOfBefore) {
  spool_ = std::make_unique<Spool>(std::move(*Spool::open(folder_.path() / "spool")));
  judge_ = std::make_unique<ScriptedJudge>();
  judge_->hold();
  std::vector<std::string> ids;
  for (const std::uint64_t sequence : {101U, 102U, 103U, 104U, 105U}) {  // one more than a batch
    const Order old{.task = "level1/019_relu",
                    .size = "small",
                    .agent = "ann",
                    .files = {{"main.cpp", std::to_string(sequence)}}};
    ids.push_back(ScriptedJudge::id_of(old));
    ASSERT_TRUE(spool_->keep({.id = ids.back(), .order = old, .sequence = sequence}).ok());
  }
  start_with_judge();
  ASSERT_TRUE(judge_->await_held());
  ids.push_back(id_in(order("new")));
  judge_->release();
  await("done", ids.back());
  await("done", ids[4]);
  EXPECT_EQ(judge_->judged(), ids);
}

TEST_F(SupervisorTest, AnOrderThatKillsTheServerIsNotTriedForEver) {
  spool_ = std::make_unique<Spool>(std::move(*Spool::open(folder_.path() / "spool")));
  judge_ = std::make_unique<ScriptedJudge>();
  const Order order_x{
      .task = "level1/019_relu", .size = "small", .agent = "ann", .files = {{"main.cpp", "x"}}};
  const std::string id = ScriptedJudge::id_of(order_x);
  ASSERT_TRUE(spool_->keep({.id = id, .order = order_x, .sequence = 1}).ok());
  for (int death = 0; death < 3; ++death) ASSERT_TRUE(spool_->begin_try(id).ok());
  start_with_judge();
  const Json why = row(id);
  EXPECT_EQ(why.at("status"), 500);
  EXPECT_THAT(why.at("body").at("error").at("message").get<std::string>(), HasSubstr("killed"));
  EXPECT_EQ(order("x").at("status"), 500) << "nor when it is sent again";
  await("done", id_in(order("y")));
  EXPECT_EQ(judge_->judged().size(), 1U);
  EXPECT_EQ(kept(), 1U) << "the next server knows it as well";
  ASSERT_FALSE(notes_.empty());
  EXPECT_THAT(notes_.front(), HasSubstr(id));
}

TEST_F(SupervisorTest, ATryIsInTheFileWhileItRunsAndNotAfterAnOrderlyEnd) {
  start();
  judge_->hold();
  const std::string first = id_in(order("1"));
  ASSERT_TRUE(judge_->await_held());
  const auto tries = [&](const std::string& id) {
    int found = -1;
    EXPECT_TRUE(spool_
                    ->each([&](const QueuedOrder& one) {
                      if (one.id == id) found = one.tries;
                    })
                    .ok());
    return found;
  };
  EXPECT_EQ(tries(first), 1);
  const std::string second = id_in(order("2"));
  EXPECT_EQ(tries(second), 0);
  ask_to_end();
  while (next().value("say", "") != "draining") {
  }
  judge_->let(1);
  await_end();
  EXPECT_EQ(tries(first), -1);
  EXPECT_EQ(tries(second), 0);
}

TEST_F(SupervisorTest, WhatWasNotToBeStoredIsForgottenWithItsServer) {
  spool_ = std::make_unique<Spool>(std::move(*Spool::open(folder_.path() / "spool")));
  judge_ = std::make_unique<ScriptedJudge>();
  const Order verify{.what = "verify",
                     .task = "level1/019_relu",
                     .size = "small",
                     .agent = "ann",
                     .files = {{"main.cpp", "x"}}};
  ASSERT_TRUE(
      spool_->keep({.id = ScriptedJudge::id_of(verify), .order = verify, .sequence = 1}).ok());
  start_with_judge();
  EXPECT_EQ(row(ScriptedJudge::id_of(verify)).at("status"), 404);
  EXPECT_EQ(kept(), 0U);
}

TEST_F(SupervisorTest, AFloodIsToldWhenThereWillBeAPlace) {
  start({.most = 9, .most_of_one = 1});
  judge_->hold();
  order("1");
  const auto later = [&] {
    const Json refused = order("2");
    EXPECT_EQ(refused.at("status"), 429);
    return refused.at("body").at("error").at("retry_after_s").get<int>();
  };
  const int first = later();
  EXPECT_GE(first, 1);
  EXPECT_GT(later(), first) << "the next one has the next place";
}

TEST_F(SupervisorTest, AnOrderWhoseFileIsGoneIsSaidToHaveFailed) {
  start();
  judge_->hold();
  order("1");
  ASSERT_TRUE(judge_->await_held());
  const std::string id = id_in(order("2"));
  spool_->forget(id);
  judge_->release();
  await("failed", id);
  EXPECT_EQ(row(id).at("status"), 500);
}

TEST_F(SupervisorTest, AGateThatDiesIsReplacedAndOneThatLiesAsWell) {
  start();
  judge_->hold();
  const std::string id = id_in(order("x"));
  await("running", id);
  EXPECT_TRUE(gate().send({{"what", "no number"}}).ok());
  await_gates(2);
  EXPECT_EQ(next().at("say"), "hello");
  EXPECT_EQ(row(id).at("status"), 202) << "nothing of the queue was lost";
  judge_->let(1);
  await("done", id);
}

TEST_F(SupervisorTest, AGateThatIsGoneBeforeItIsSpokenToIsReplacedAsWell) {
  start();
  stillborn_ = 1;
  EXPECT_TRUE(gate().send(Json::array()).ok());
  await_gates(3);
  EXPECT_EQ(next().at("say"), "hello");
}

TEST_F(SupervisorTest, AGateThatDiesAgainAndAgainEndsIt) {
  start();
  for (std::size_t i = 1; i <= 5; ++i) {
    EXPECT_TRUE(gate().send(Json::array()).ok());
    await_gates(i + 1);
  }
  EXPECT_TRUE(gate().send(Json::array()).ok());
  await_end();
  ASSERT_FALSE(ended_->ok());
  EXPECT_EQ(ended_->error().code, ErrorCode::kInfrastructure);
}

}  // namespace
}  // namespace kbench
