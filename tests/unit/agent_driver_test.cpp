#include <deque>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/agent/driver.hpp"
#include "tests/unit/answers_fixture.hpp"

namespace kbench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string says(const std::string& content, const std::vector<std::string>& tools = {},
                 std::int64_t tokens = 100) {
  Json message = {{"content", content}};
  for (const std::string& tool : tools)
    message["tool_calls"].push_back(
        {{"id", "c-" + tool}, {"function", {{"name", tool}, {"arguments", "{}"}}}});
  return Json{{"choices", Json::array({{{"message", message}}})},
              {"usage", {{"prompt_tokens", tokens}, {"completion_tokens", 1}}}}
      .dump();
}

// An endpoint and a supervisor that go by a script.
class AgentDriverTest : public ::testing::Test {
 protected:
  AgentDriverTest() {
    hello_.settings = {{"model", "m"}};
    hello_.tools = Json::array({Json{{"type", "function"}}});
    hello_.window = 100'000;
    hello_.prompt = Json::array({Json{{"role", "system"}, {"content", "s"}}, user_message("u")});
    hello_.opening = 2;
  }

  AgentEnd run() {
    AgentOutside outside;
    outside.post = [this](const std::string& body) -> Result<HttpAnswer> {
      asked_.push_back(Json::parse(body));
      if (answers_.empty()) return Error{ErrorCode::kInfrastructure, "nobody answers", ""};
      HttpAnswer answer = answers_.front();
      answers_.pop_front();
      return answer;
    };
    outside.hand_over = [this](const TurnReport& report) -> Result<TurnAnswer> {
      turns_.push_back(report);
      TurnAnswer answer;
      for (std::size_t i = 0; i < report.calls.size(); ++i)
        answer.results.push_back("{\"of\": \"" + report.calls[i].tool + "\"}");
      answer.stop = static_cast<int>(turns_.size()) == stop_after_;
      if (turns_.size() <= next_.size()) answer.next = next_[turns_.size() - 1];
      return answer;
    };
    outside.note = [this](const std::string& text) { notes_.push_back(text); };
    outside.wait = [this](milliseconds time) { waits_.push_back(time); };
    return AgentDriver(hello_, outside).run();
  }

  AgentHello hello_;
  std::deque<HttpAnswer> answers_;
  int stop_after_ = -1;
  std::vector<std::optional<NextMessage>> next_;  // by turn; none behind the last
  std::vector<Json> asked_;
  std::vector<TurnReport> turns_;
  std::vector<std::string> notes_;
  std::vector<milliseconds> waits_;
};

TEST_F(AgentDriverTest, EachCallIsAnsweredByARoleAndAnId) {
  answers_ = {{200, says("first", {"read", "verify"})}, {200, says("second", {"submit"})}};
  stop_after_ = 2;
  const AgentEnd end = run();
  EXPECT_EQ(end.reason, "") << "it was told to stop";
  ASSERT_EQ(asked_.size(), 2u);
  EXPECT_TRUE(asked_[0].contains("tools"));
  const Json& messages = asked_[1]["messages"];
  ASSERT_EQ(messages.size(), 5u);
  EXPECT_EQ(messages[2]["role"], "assistant");
  EXPECT_EQ(messages[3]["role"], "tool");
  EXPECT_EQ(messages[3]["tool_call_id"], "c-read");
  EXPECT_EQ(messages[4]["tool_call_id"], "c-verify");
  EXPECT_EQ(messages[4]["content"], "{\"of\": \"verify\"}");
  ASSERT_EQ(turns_.size(), 2u);
  EXPECT_FALSE(turns_[0].continues);
  EXPECT_THAT(turns_[0].messages, SizeIs(2));
  EXPECT_TRUE(turns_[1].continues);
  EXPECT_THAT(turns_[1].messages, SizeIs(2)) << "what was added: two results";
  EXPECT_EQ(turns_[0].prompt_tokens, 100);
}

TEST_F(AgentDriverTest, AReplyThatAsksForNothingIsTheEnd) {
  answers_ = {{200, says("I am done")}};
  EXPECT_EQ(run().reason, "answered");
  EXPECT_THAT(turns_, SizeIs(1)) << "it is handed over all the same";
}

TEST_F(AgentDriverTest, WhatMayPassIsTriedSixTimes) {
  answers_ = {{429, "{}", seconds(9)}, {500, R"({"error": "busy"})"}, {200, says("done")}};
  EXPECT_EQ(run().reason, "answered");
  EXPECT_THAT(waits_, ElementsAre(seconds(9), seconds(2)));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("try 2 of 6 in 9.0 s"), HasSubstr("busy")));
  EXPECT_EQ(asked_[0], asked_[2]) << "the very same request";
}

TEST_F(AgentDriverTest, AnEndpointThatStaysAwayEndsIt) {
  const AgentEnd end = run();
  EXPECT_EQ(end.reason, "endpoint");
  EXPECT_EQ(end.text, "nobody answers");
  EXPECT_THAT(asked_, SizeIs(6));
}

TEST_F(AgentDriverTest, RedirectsAndRefusalsAreNotTriedAgain) {
  answers_ = {{307, ""}};
  EXPECT_THAT(run().text, HasSubstr("redirects are not followed"));
  EXPECT_THAT(asked_, SizeIs(1));
  answers_ = {{401, R"({"error": {"message": "no key"}})"}};
  EXPECT_THAT(run().text, HasSubstr("status 401: no key"));
}

TEST_F(AgentDriverTest, NonsenseIsNoReply) {
  answers_ = {{200, "<html>"}};
  EXPECT_EQ(run().reason, "endpoint");
  EXPECT_THAT(turns_, IsEmpty());
}

TEST_F(AgentDriverTest, ItGoesOnAsIfItHadNeverBeenCutOff) {
  answers_ = {{200, says("first", {"read"})},
              {200, says("second", {"verify"})},
              {200, says("third", {"submit"})}};
  stop_after_ = 3;
  (void)run();
  const auto whole = asked_;
  const auto told = turns_;
  // Cut off after the first turn was answered.
  hello_.turns = 1;
  hello_.last = AnsweredTurn{Json::parse(told[0].reply), {"{\"of\": \"read\"}"}};
  hello_.tokens = 101;
  answers_ = {{200, says("second", {"verify"})}, {200, says("third", {"submit"})}};
  asked_.clear();
  turns_.clear();
  stop_after_ = 2;
  (void)run();
  ASSERT_EQ(asked_.size(), 2u);
  EXPECT_EQ(asked_[0], whole[1]);
  EXPECT_EQ(asked_[1], whole[2]);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(turns_[i].continues, told[i + 1].continues);
    EXPECT_EQ(turns_[i].messages, told[i + 1].messages);
  }
}

TEST_F(AgentDriverTest, AShortenedPromptIsHandedOverWhole) {
  hello_.window = 1000;
  answers_ = {{200, says("first", {"read"}, 300)},
              {200, says("second", {"verify"}, 900)},
              {200, says("done", {}, 100)}};
  // Results are a few bytes here, and not worth shortening: the first one is made longer.
  hello_.prompt.push_back({{"role", "assistant"}, {"content", ""}});
  hello_.prompt.push_back(tool_message("c0", std::string(600, 'x')));
  (void)run();
  ASSERT_EQ(turns_.size(), 3u);
  EXPECT_TRUE(turns_[1].continues);
  EXPECT_FALSE(turns_[2].continues);
  EXPECT_EQ(turns_[2].compacted, 1u);
  EXPECT_THAT(turns_[2].messages, SizeIs(8));
  EXPECT_THAT(turns_[2].messages[3], HasSubstr("[left out: 600 bytes"));
}

TEST_F(AgentDriverTest, APromptThatDoesNotFitEndsIt) {
  hello_.window = 10;
  hello_.prompt.push_back(user_message(std::string(1000, 'u')));
  EXPECT_EQ(run().reason, "window");
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(AgentDriverTest, WithoutToolsAFenceIsWrittenAndSubmitted) {
  hello_.style = AgentStyle::kRefine;
  hello_.tools = Json::array();
  hello_.kernel_path = "kernels/main.cpp";
  hello_.workspace = "w";
  answers_ = {{200, says("no kernel")}, {200, says("```cpp\nint f();\n```")}};
  stop_after_ = 2;
  (void)run();
  EXPECT_FALSE(asked_[0].contains("tools"));
  EXPECT_THAT(asked_[1]["messages"].back()["content"].get<std::string>(), HasSubstr("no code"));
  EXPECT_THAT(turns_[0].calls, IsEmpty());
  ASSERT_THAT(turns_[1].calls, SizeIs(3));
  EXPECT_EQ(turns_[1].calls[0].tool, "write");
  EXPECT_EQ(Json::parse(turns_[1].calls[0].arguments)["text"], "int f();\n");
  EXPECT_EQ(Json::parse(turns_[1].calls[1].arguments)["path"], "kernels/submission.json");
  EXPECT_EQ(turns_[1].calls[2].tool, "submit");
}

TEST_F(AgentDriverTest, AQuestionToAPlannerIsNoPartOfTheConversation) {
  hello_.style = AgentStyle::kRefine;
  hello_.tools = Json::array();
  hello_.kernel_path = "kernels/main.cpp";
  const std::string plan = "a plan with\n```cpp\nint f();\n```";
  answers_ = {{200, says("```cpp\nint one();\n```")},
              {200, says(plan)},
              {200, says("```cpp\nint two();\n```")}};
  next_ = {NextMessage{"what to do?", true}, NextMessage{"this is the plan", false}};
  stop_after_ = 3;
  (void)run();
  ASSERT_THAT(asked_, SizeIs(3));
  ASSERT_THAT(asked_[1]["messages"], SizeIs(4));
  EXPECT_EQ(asked_[1]["messages"][3]["content"], "what to do?");
  ASSERT_THAT(asked_[2]["messages"], SizeIs(4));
  EXPECT_EQ(asked_[2]["messages"][2], asked_[1]["messages"][2]) << "the first kernel";
  EXPECT_EQ(asked_[2]["messages"][3]["content"], "this is the plan");
  EXPECT_THAT(turns_[1].calls, IsEmpty()) << "a plan is no kernel";
  EXPECT_TRUE(turns_[1].continues);
  EXPECT_FALSE(turns_[2].continues) << "it has not what the planner was asked";
  EXPECT_THAT(turns_[2].messages, SizeIs(4));
  // One that was cut off behind the plan has the same prompt.
  const auto told = turns_;
  hello_.prompt = asked_[1]["messages"];
  hello_.turns = 2;
  hello_.last = AnsweredTurn{Json::parse(told[1].reply), {}, NextMessage{"this is the plan"}, true};
  answers_ = {{200, says("```cpp\nint two();\n```")}};
  turns_.clear();
  next_.clear();
  stop_after_ = 1;
  (void)run();
  EXPECT_EQ(asked_[3]["messages"], asked_[2]["messages"]);
  EXPECT_EQ(turns_.at(0).messages, told[2].messages);
}

TEST_F(AgentDriverTest, AskedOnceItDoesNothingWithTheReply) {
  hello_.style = AgentStyle::kOnce;
  hello_.tools = Json::array();
  answers_ = {{200, says("```cpp\nint f();\n```")}};
  stop_after_ = 1;
  (void)run();
  EXPECT_EQ(asked_[0]["messages"], hello_.prompt);
  EXPECT_THAT(turns_.at(0).calls, IsEmpty());
}

TEST(AgentReplies, EachAnswerOfTheTableWritesItsFiles) {
  for (const test::SampleAnswer& sample : test::sample_answers()) {
    AgentHello hello;
    hello.style = AgentStyle::kRefine;
    hello.kernel_path = sample.device == "cuda" ? "kernels/kernel.cu" : "kernels/kernel.cpp";
    std::map<std::string, std::string> written;
    for (const ReportedCall& call : reported_calls(hello, {{"content", sample.answer}})) {
      const Json arguments = Json::parse(call.arguments);
      const std::string path = arguments.value("path", "kernels/submission.json");
      if (path != "kernels/submission.json") written[path.substr(8)] = arguments.at("text");
    }
    auto expected = sample.files;
    expected.erase("submission.json");
    EXPECT_EQ(written, expected) << sample.name;
  }
}

TEST(AgentProtocol, WhatIsSentIsRead) {
  AgentHello hello;
  hello.authority = "h:1";
  hello.key = "k";
  hello.settings = {{"model", "m"}};
  hello.tools = Json::array();
  hello.style = AgentStyle::kRefine;
  hello.window = 5;
  hello.prompt = Json::array({user_message("u")});
  hello.last = AnsweredTurn{user_message("r"), {"a", "b"}, NextMessage{"n", true}, true};
  hello.tokens = 12;
  const auto back = agent_hello_from_json(to_json(hello));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(to_json(*back), to_json(hello));
  TurnReport report{.continues = true, .messages = {"m"}, .reply = "r", .calls = {{"t", "{}"}}};
  const auto turn = turn_report_from_json(to_json(report));
  ASSERT_TRUE(turn.ok()) << turn.error().message;
  EXPECT_EQ(to_json(*turn), to_json(report));
  EXPECT_FALSE(turn_report_from_json(Json{{"type", "turn"}}).ok());
  Json odd = to_json(report);
  odd["wall_ms"] = -1;
  EXPECT_FALSE(turn_report_from_json(odd).ok());
  EXPECT_FALSE(agent_hello_from_json(Json::array()).ok());
  EXPECT_FALSE(turn_answer_from_json(Json(3)).ok());
}

}  // namespace
}  // namespace kbench
