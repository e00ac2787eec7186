// One prompt and one reply, and what becomes of whatever else an agent says or does.
#include "runner/episode/agent_talk.hpp"

#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/scripted_agent.hpp"

namespace kbench::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AskOnce : public ::testing::Test {
 protected:
  Result<AskedOnce> ask(ScriptedAgents::Script script) {
    ScriptedAgents agents(std::move(script));
    return ask_once({.start_agent = [&] { return agents.start(); },
                     .endpoint = endpoint_,
                     .key = "secret",
                     .timeout = std::chrono::seconds{7},
                     .window = 4096,
                     .stop = [this] { return stopping_.load(); },
                     .note = [this](const std::string& text) { notes_.push_back(text); }},
                    {{"model", "scripted"}, {"seed", 3}}, messages_);
  }
  AskedOnce asked(ScriptedAgents::Script script) {
    auto answer = ask(std::move(script));
    EXPECT_TRUE(answer.ok()) << answer.error().message;
    return answer ? std::move(*answer) : AskedOnce();
  }

  Endpoint endpoint_{.authority = "127.0.0.1:1", .target = "/v1/chat/completions"};
  const Json messages_ = Json::array({{{"role", "user"}, {"content", "write a relu"}}});
  std::atomic<bool> stopping_ = false;
  std::vector<std::string> notes_;
};

TEST_F(AskOnce, TheReplyComesWithItsTokensAndTheAgentMayGo) {
  Json hello, farewell;
  const AskedOnce answer = asked([&](AgentSide& agent) {
    hello = agent.hello;
    farewell = agent.turn({}, "int relu;");
  });
  EXPECT_EQ(Json::parse(answer.reply).at("content"), "int relu;");
  EXPECT_EQ(answer.tokens_in, 100);
  EXPECT_EQ(answer.tokens_out, 10);
  EXPECT_FALSE(answer.stopped);
  EXPECT_FALSE(answer.too_large);
  EXPECT_EQ(farewell.at("stop"), true);
  EXPECT_EQ(hello.at("key"), "secret");
  EXPECT_EQ(hello.at("window"), 4096);
  EXPECT_EQ(hello.at("prompt"), messages_);
  EXPECT_EQ(hello.at("settings").at("seed"), 3);
}

TEST_F(AskOnce, WhereNoneComesItIsSaidWhy) {
  AskedOnce none = asked([](AgentSide& agent) { agent.end("endpoint"); });
  EXPECT_EQ(none.reply, "");
  EXPECT_EQ(none.why, "that is all");
  EXPECT_FALSE(none.too_large);
  none = asked([](AgentSide& agent) { agent.end("window"); });
  EXPECT_TRUE(none.too_large);
  EXPECT_FALSE(none.stopped);
}

TEST_F(AskOnce, WhoIsToStopWaitsForNoReply) {
  const AskedOnce none = asked([&](AgentSide& agent) {
    stopping_ = true;
    (void)agent.hear();
  });
  EXPECT_TRUE(none.stopped);
  EXPECT_EQ(none.reply, "");
}

TEST_F(AskOnce, AnAgentThatDiesIsAnError) {
  const auto answer = ask([](AgentSide&) {});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kInfrastructure);
  EXPECT_THAT(answer.error().message, HasSubstr("kbench-agent ended: "));
}

TEST_F(AskOnce, NotesArePassedOnAndNonsenseIsRefused) {
  const auto answer = ask([](AgentSide& agent) {
    agent.say({{"type", "note"}, {"text", "tried again"}});
    agent.say({{"type", "nonsense"}});
    (void)agent.hear();
  });
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.error().message, HasSubstr("makes no sense"));
  EXPECT_THAT(notes_, ElementsAre("tried again"));
}

TEST_F(AskOnce, AnEndpointThatIsAwayIsToldAndEndsNothing) {
  Json connected;
  const AskedOnce answer = asked([&](AgentSide& agent) {
    agent.say({{"type", "connect"}});
    connected = agent.hear();
    agent.turn({}, "later");
  });
  EXPECT_EQ(connected.at("ok"), false);
  EXPECT_FALSE(connected.at("error").get<std::string>().empty());
  EXPECT_THAT(answer.reply, HasSubstr("later"));
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(AskOnce, WithoutAnAgentThereIsNoReply) {
  const auto answer = ask_once({.start_agent = []() -> Result<AgentProcess> {
                                  return Error{ErrorCode::kInfrastructure, "no kbench-agent", ""};
                                },
                                .endpoint = endpoint_,
                                .key = "",
                                .stop = [] { return false; },
                                .note = [](const std::string&) {}},
                               Json::object(), messages_);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().message, "no kbench-agent");
}

}  // namespace
}  // namespace kbench::test
