#include "runner/trajectory/episode.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/trajectory/prompt_context.hpp"
#include "tests/fakes/episode_maker.hpp"

namespace kbench {
namespace {

using test::EpisodeMaker;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Turn turn_of(bool continues, const std::vector<std::string>& messages, const std::string& reply) {
  Turn turn;
  turn.continues = continues;
  turn.messages = messages;
  turn.reply = reply;
  return turn;
}

TEST(Episode, APromptIsWhatCameBeforeAndWhatWasAdded) {
  Episode episode;
  episode.turns = {turn_of(false, {"s", "u"}, "r0"), turn_of(true, {"x0"}, "r1"),
                   turn_of(true, {"x1", "y1"}, "r2")};
  EXPECT_THAT(prompt_of(episode, 0), ElementsAre("s", "u"));
  EXPECT_THAT(prompt_of(episode, 1), ElementsAre("s", "u", "r0", "x0"));
  EXPECT_THAT(prompt_of(episode, 2), ElementsAre("s", "u", "r0", "x0", "r1", "x1", "y1"));
  const Conversation all = conversation_of(episode);
  EXPECT_THAT(all.messages, ElementsAre("s", "u", "r0", "x0", "r1", "x1", "y1", "r2"));
  EXPECT_THAT(all.replies, ElementsAre(2, 4, 7));
}

TEST(Episode, AShortenedPromptLeavesTheConversationAsItWas) {
  Episode episode;
  episode.turns = {turn_of(false, {"s", "u"}, "r0"), turn_of(true, {"long"}, "r1"),
                   turn_of(false, {"s", "u", "r0", "short", "r1", "x1"}, "r2"),
                   turn_of(true, {"x2"}, "r3")};
  EXPECT_THAT(prompt_of(episode, 3), ElementsAre("s", "u", "r0", "short", "r1", "x1", "r2", "x2"));
  const Conversation all = conversation_of(episode);
  EXPECT_THAT(all.messages, ElementsAre("s", "u", "r0", "long", "r1", "x1", "r2", "x2", "r3"));
  EXPECT_THAT(all.replies, ElementsAre(2, 4, 6, 8));
}

TEST(Episode, APromptThatForgetsMessagesIsReadAllTheSame) {
  Episode episode;
  episode.turns = {turn_of(false, {"s", "u"}, "r0"), turn_of(false, {"s"}, "r1")};
  EXPECT_THAT(conversation_of(episode).messages, ElementsAre("s", "u", "r0", "r1"));
  EXPECT_TRUE(conversation_of(Episode{}).messages.empty());
}

TEST(Episode, ItsTextsAreAllThatItNames) {
  EpisodeMaker maker;
  maker.turn({{.arguments = "{\"a\":1}"}, {.result = "other"}}).turn({});
  const auto texts = texts_of(maker.episode());
  // Four messages, two replies, the tools, two arguments and two results.
  EXPECT_EQ(texts.size(), 4u + 2u + 1u + 2u + 2u);
  for (const std::string& hash : texts) EXPECT_TRUE(maker.contents().contains(hash));
}

TEST(Episode, ItsLastEvaluationIsTheOneThatCounts) {
  EpisodeMaker maker;
  EXPECT_EQ(last_evaluation(maker.episode()), "");
  maker.turn({{.evaluation = "one"}, {}}).turn({{.evaluation = "two"}, {}}).turn({{}});
  EXPECT_EQ(last_evaluation(maker.episode()), "two");
}

TEST(Episode, NamesOfReasonsAndErrorsComeBack) {
  for (int i = 0; i <= static_cast<int>(StopReason::kInfrastructure); ++i) {
    const auto reason = static_cast<StopReason>(i);
    EXPECT_EQ(stop_reason_from_string(to_string(reason)), reason);
  }
  for (int i = 0; i <= static_cast<int>(CallError::kInfrastructure); ++i) {
    const auto error = static_cast<CallError>(i);
    EXPECT_EQ(call_error_from_string(to_string(error)), error);
  }
  EXPECT_EQ(stop_reason_from_string("bored"), std::nullopt);
  EXPECT_EQ(call_error_from_string("bored"), std::nullopt);
}

TEST(PromptContext, WhatIsWrittenIsRead) {
  const std::string a(64, 'a');
  const std::string b(64, 'b');
  const std::string c(64, 'c');
  Turn turn = turn_of(false, {a, b}, c);
  turn.tools = c;
  const auto first = read_context(context_text(turn, {}));
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(first->tools, c);
  EXPECT_FALSE(first->before.has_value());
  EXPECT_THAT(first->messages, ElementsAre(a, b));
  turn = turn_of(true, {}, c);
  const auto second = read_context(context_text(turn, {a, b}));
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(second->tools, "");
  EXPECT_EQ(second->before->context, a);
  EXPECT_EQ(second->before->reply, b);
  EXPECT_TRUE(second->messages.empty());
}

TEST(PromptContext, WhatNoneSaysIsRefused) {
  const std::string a(64, 'a');
  for (const std::string& text :
       {std::string(), std::string("tools\n"), std::string("tools -"),
        "tools " + a.substr(1) + "\n", "tools -\n" + a, "tools -\nafter " + a + "\n",
        "tools -\n" + a + "\nafter " + a + " " + a + "\n",
        "tools -\n" + std::string(64, 'A') + "\n", std::string("tools -\n\n"),
        "tools -\nafter " + a + " " + a + " \n"}) {
    const auto read = read_context(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kBadInput);
    EXPECT_THAT(read.error().message, HasSubstr("context"));
  }
}

}  // namespace
}  // namespace kbench
