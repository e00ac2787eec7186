#include "runner/agent/chat.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/agent/compaction.hpp"
#include "runner/agent/refine.hpp"
#include "runner/agent/retry.hpp"
#include "runner/core/sha256.hpp"

namespace kbench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Json answer_with(const Json& message) {
  return {{"choices", Json::array({{{"message", message}, {"finish_reason", "stop"}}})},
          {"usage", {{"prompt_tokens", 12}, {"completion_tokens", 3}}}};
}

Json call(const Json& id, const std::string& name, const Json& arguments) {
  return {
      {"id", id}, {"type", "function"}, {"function", {{"name", name}, {"arguments", arguments}}}};
}

TEST(Chat, ARequestHasWhatIsSaidAndOffered) {
  const Json settings = {{"model", "m"}, {"seed", 7}};
  const Json messages = Json::array({user_message("hello")});
  const Json bare = chat_request(settings, messages, Json::array());
  EXPECT_EQ(bare["seed"], 7);
  EXPECT_EQ(bare["messages"][0]["content"], "hello");
  EXPECT_FALSE(bare.contains("tools"));
  EXPECT_EQ(chat_request(settings, messages, Json::array({1}))["tools"].size(), 1u);
}

TEST(Chat, AReplyIsMadeAnewOfWhatIsKnown) {
  const Json message = {{"role", "system"},
                        {"content", "look"},
                        {"surprise", true},
                        {"tool_calls", Json::array({call("c1", "read", "{\"path\": \"x\"}"),
                                                    call("c1", "verify", Json{{"a", 1}}),
                                                    call(Json(), "submit", Json())})}};
  const auto reply = read_chat_reply(answer_with(message).dump(), 4);
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  EXPECT_EQ(reply->message["role"], "assistant");
  EXPECT_EQ(reply->message["content"], "look");
  EXPECT_FALSE(reply->message.contains("surprise"));
  EXPECT_EQ(reply->prompt_tokens, 12);
  EXPECT_EQ(reply->completion_tokens, 3);
  EXPECT_EQ(reply->finish_reason, "stop");
  ASSERT_EQ(reply->calls.size(), 3u);
  EXPECT_EQ(reply->calls[0].id, "c1");
  EXPECT_EQ(reply->calls[1].id, "call_4_1") << "each has an id of its own";
  EXPECT_EQ(reply->calls[1].arguments, "{\"a\":1}") << "some send an object";
  EXPECT_EQ(reply->calls[2].id, "call_4_2");
  EXPECT_EQ(reply->calls[2].arguments, "");
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(reply->message["tool_calls"][i]["id"], reply->calls[i].id);
}

TEST(Chat, WhatIsNoReplyIsRefused) {
  for (const std::string& body :
       {std::string("nonsense"), std::string("[]"), std::string("{}"),
        std::string(R"({"choices": []})"), std::string(R"({"choices": [{"message": 3}]})"),
        std::string(500, '[')}) {
    const auto reply = read_chat_reply(body, 1);
    ASSERT_FALSE(reply.ok()) << body;
    EXPECT_EQ(reply.error().code, ErrorCode::kBadInput);
  }
  const Json huge = {{"content", std::string(kMostReplyBytes + 1, 'x')}};
  EXPECT_FALSE(read_chat_reply(answer_with(huge).dump(), 1).ok());
  Json many = Json::array();
  for (int i = 0; i < 100; ++i) many.push_back(call(Json(), "read", "{}"));
  EXPECT_EQ(read_chat_reply(answer_with({{"content", nullptr}, {"tool_calls", many}}).dump(), 1)
                ->calls.size(),
            kMostCallsOfATurn);
}

TEST(Chat, ContentAndCallsOfAnotherFormAreTheEndpointsFault) {
  for (const Json& message :
       {Json{{"content", 3}}, Json{{"content", Json::object()}}, Json{{"content", {1, 2}}},
        Json{{"content", Json::array({Json{{"type", "text"}}})}},
        Json{{"content", "a"}, {"tool_calls", "read"}},
        Json{{"content", "a"}, {"tool_calls", call("c", "read", "{}")}},
        Json{{"content", "a"}, {"tool_calls", {1}}}}) {
    const auto reply = read_chat_reply(answer_with(message).dump(), 1);
    ASSERT_FALSE(reply.ok()) << message;
    EXPECT_EQ(reply.error().code, ErrorCode::kBadInput);
  }
  const Json parts = Json::array({Json{{"type", "thinking"}, {"thinking", "hm"}},
                                  Json{{"type", "text"}, {"text", "a"}}, Json{{"text", "b"}}});
  const auto reply =
      read_chat_reply(answer_with({{"content", parts}, {"tool_calls", nullptr}}).dump(), 1);
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  EXPECT_EQ(reply->message["content"], "ab");
  EXPECT_TRUE(read_chat_reply(answer_with(Json::object()).dump(), 1).ok()) << "none at all";
}

TEST(Chat, AnErrorsWordsAreSafeToPrint) {
  EXPECT_EQ(error_words(R"({"error": {"message": "no such model"}})"), "no such model");
  EXPECT_EQ(error_words(R"({"error": "busy"})"), "busy");
  EXPECT_EQ(error_words("<html>"), "");
  EXPECT_EQ(error_words("{\"message\": \"\\u001b[2J\"}").find('\x1b'), std::string::npos);
}

TEST(Retry, SixTriesOfWhatMayPass) {
  for (const int status : {0, 408, 429, 500, 502, 503}) {
    EXPECT_EQ(wait_before_retry(1, status, {}), seconds(1)) << status;
    EXPECT_EQ(wait_before_retry(5, status, {}), seconds(16));
    EXPECT_EQ(wait_before_retry(6, status, {}), std::nullopt) << "that was the sixth";
  }
  for (const int status : {301, 400, 401, 404, 422})
    EXPECT_EQ(wait_before_retry(1, status, {}), std::nullopt) << status;
  EXPECT_EQ(wait_before_retry(1, 429, seconds(7)), seconds(7));
  EXPECT_EQ(wait_before_retry(1, 429, seconds(0)), milliseconds(0));
  EXPECT_EQ(wait_before_retry(1, 503, seconds(100'000)), seconds(300)) << "no longer";
}

TEST(Chat, ALoneSurrogateOfAReplyIsACharacter) {
  const auto reply = read_chat_reply(R"({"choices": [{"message": {"content": "\ud83d```"}}]})", 1);
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  EXPECT_EQ(reply->message["content"], "\ufffd```");
}

TEST(Refine, AManifestNamesWhatTheReplyHolds) {
  const auto native = refined_files("```cpp\nint f();\n```", "kernels/main.cpp");
  ASSERT_EQ(native.size(), 2u);
  EXPECT_EQ(native.at("kernels/main.cpp"), "int f();\n");
  EXPECT_EQ(Json::parse(native.at("kernels/submission.json"))["sources"], Json{"main.cpp"});
  const auto python = refined_files("```python\nclass ModelNew(M): pass\n```", "kernels/main.cpp");
  ASSERT_EQ(python.size(), 2u);
  EXPECT_EQ(Json::parse(python.at("kernels/submission.json"))["entry"], "kernel.py");
  EXPECT_TRUE(refined_files("none", "kernels/main.cpp").empty());
}

TEST(Refine, WhatBecameOfItIsSaid) {
  EXPECT_THAT(refine_feedback("{}"), HasSubstr("{}"));
  EXPECT_THAT(refine_feedback(""), HasSubstr("fence"));
}

// An opening of two, then three times a reply and its result.
Json long_conversation(std::size_t bytes) {
  Json messages = Json::array({Json{{"role", "system"}, {"content", "s"}}, user_message("u")});
  for (int i = 0; i < 3; ++i) {
    messages.push_back({{"role", "assistant"}, {"content", std::string(bytes, 'r')}});
    messages.push_back(tool_message("c" + std::to_string(i), "{" + std::string(bytes, 'x') + "}"));
  }
  return messages;
}

TEST(Compaction, BelowThreeQuartersNothingChanges) {
  Json messages = long_conversation(1000);
  const Json before = messages;
  const Compacted done = compact(messages, 2, 7, {.window = 100'000}, true);
  EXPECT_FALSE(done.changed);
  EXPECT_TRUE(done.fits);
  EXPECT_EQ(done.shortened, 0u);
  EXPECT_EQ(messages, before);
}

TEST(Compaction, AboveTheOldestResultsShrinkToALineWithTheirHash) {
  Json messages = long_conversation(3000);
  const std::string oldest = messages[3]["content"];
  // Six texts of 1,000 tokens.
  const Compacted done = compact(messages, 2, 7, {.window = 7000}, true);
  EXPECT_TRUE(done.changed);
  EXPECT_TRUE(done.fits);
  EXPECT_THAT(messages[3]["content"].get<std::string>(), StartsWith("[left out: 3002 bytes"));
  EXPECT_THAT(messages[3]["content"].get<std::string>(), HasSubstr(sha256(oldest)));
  EXPECT_EQ(messages[3]["tool_call_id"], "c0");
  EXPECT_EQ(messages[2]["content"].get<std::string>().size(), 3000u) << "what it said stays";
  EXPECT_EQ(messages[7]["content"].get<std::string>().size(), 3002u) << "it has not seen it yet";
  EXPECT_GE(done.shortened, 1u);
  // Once more: nothing further happens to what is short already.
  Json again = messages;
  const Compacted second = compact(again, 2, 7, {.window = 9000}, true);
  EXPECT_FALSE(second.changed);
  EXPECT_EQ(second.shortened, done.shortened);
}

TEST(Compaction, WhatTheEndpointCountedGoesBeforeAnEstimate) {
  Json messages = long_conversation(3000);
  const Compacted few = compact(messages, 2, 7, {.window = 7000, .tokens = 10, .counted = 7}, true);
  EXPECT_FALSE(few.changed);
  EXPECT_NEAR(static_cast<double>(few.tokens), 10 + 1000, 30);
  const Compacted many =
      compact(messages, 2, 7, {.window = 7000, .tokens = 6500, .counted = 7}, true);
  EXPECT_TRUE(many.changed);
}

TEST(Compaction, WhatCannotBeMadeToFitSaysSo) {
  Json messages = long_conversation(3000);
  EXPECT_FALSE(compact(messages, 2, 7, {.window = 1000}, false).fits);
  EXPECT_THAT(messages[3]["content"].get<std::string>(), testing::Not(HasSubstr("recall")));
}

}  // namespace
}  // namespace kbench
