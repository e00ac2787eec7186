#include "runner/trajectory/render_episode.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/episode_maker.hpp"

namespace kbench {
namespace {

using test::EpisodeMaker;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

EpisodeMaker two_turns() {
  EpisodeMaker maker;
  maker.turn({{.tool = "write", .arguments = R"({"path":"a.cpp"})", .before = "", .after = "a"}})
      .turn({{.tool = "submit", .before = "a", .evaluation = "key", .result = "ok: \x1b[31m"}})
      .end(StopReason::kSubmit);
  return maker;
}

EpisodeLine line_of(EpisodeMaker& maker, std::optional<double> reward = 2.5) {
  return {
      .trajectory = {.episode = &maker.episode(), .contents = &maker.contents(), .reward = reward},
      .reward_name = "milestone_sure",
      .state = "ok",
      .values = {}};
}

Json rendered(const EpisodeLine& line, ExportKind kind) {
  const auto text = render_episode(line, kind);
  if (!text) return text.error().message;
  EXPECT_EQ(text->find('\n'), std::string::npos);
  EXPECT_TRUE(std::all_of(text->begin(), text->end(), [](char c) { return c >= ' ' && c < 127; }));
  return Json::parse(*text);
}

std::vector<std::string> roles(const Json& messages) {
  std::vector<std::string> roles;
  for (const Json& message : messages) roles.push_back(message.at("role").get<std::string>());
  return roles;
}

TEST(RenderEpisode, IsTheWholeConversationWithTheLastResult) {
  EpisodeMaker maker = two_turns();
  const Json line = rendered(line_of(maker), ExportKind::kSft);
  EXPECT_THAT(roles(line.at("messages")),
              ElementsAre("system", "user", "assistant", "tool", "assistant", "tool"));
  const Json& last = line["messages"].back();
  EXPECT_EQ(last["content"], "ok: \x1b[31m");
  EXPECT_EQ(last["tool_call_id"], line["messages"][4]["tool_calls"][0]["id"]);
  EXPECT_EQ(line["tools"][0]["function"]["name"], "verify");
  EXPECT_EQ(line["task"], "level1/019_relu");
  EXPECT_EQ(line["reward"], 2.5);
  const Json& meta = line["meta"];
  EXPECT_EQ(meta["kind"], "sft");
  EXPECT_EQ(meta["episode"], "e1");
  EXPECT_EQ(meta["seed"], 7);
  EXPECT_EQ(meta["sampling"]["temperature"], 0.5);
  EXPECT_EQ(meta["stop_reason"], "submit");
  EXPECT_EQ(meta["state"], "ok");
  ASSERT_EQ(meta["turns"].size(), 2u);
  EXPECT_EQ(meta["turns"][1]["reply"], 4);
  EXPECT_EQ(meta["turns"][1]["prompt_tokens"], 200);
  EXPECT_FALSE(meta["turns"][0].contains("target")) << "only where a critic learns from it";
}

TEST(RenderEpisode, ForACriticEachTurnHasItsTarget) {
  EpisodeMaker maker = two_turns();
  EpisodeLine line = line_of(maker);
  const Json without = rendered(line, ExportKind::kPpo)["meta"]["turns"];
  EXPECT_EQ(without[0]["reward"], 0);
  EXPECT_EQ(without[1]["reward"], 2.5);
  EXPECT_EQ(without[0]["target"], 2.5);
  EXPECT_TRUE(without[0]["value"].is_null());
  EXPECT_TRUE(without[0]["advantage"].is_null());
  line.values = std::vector<double>{1, 2};
  const Json with = rendered(line, ExportKind::kPpo)["meta"]["turns"];
  EXPECT_EQ(with[1]["advantage"], 0.5);
  EXPECT_DOUBLE_EQ(with[0]["advantage"].get<double>(), 1 + 0.95 * 0.5);
  EXPECT_DOUBLE_EQ(with[0]["target"].get<double>(), 1 + 1 + 0.95 * 0.5);
  line.values = std::vector<double>{1};
  EXPECT_THAT(rendered(line, ExportKind::kPpo).get<std::string>(), HasSubstr("1 values for 2"));
}

TEST(RenderEpisode, AShortenedPromptStandsBesideWhatWasSaid) {
  EpisodeMaker maker = two_turns();
  maker.turn({}).end(StopReason::kAnswered);
  // The first result, which the second prompt had in full.
  Turn& third = maker.episode().turns[2];
  auto prompt = prompt_of(maker.episode(), 2);
  const std::string full = prompt[3];
  prompt[3] = maker.keep_message("tool", "(shortened)");
  third.continues = false;
  third.compacted = 1;
  third.messages = prompt;
  const Json line = rendered(line_of(maker), ExportKind::kRft);
  EXPECT_EQ(line["messages"][3], Json::parse(maker.contents().at(full)));
  EXPECT_EQ(line["messages"].size(), 7u);
  EXPECT_EQ(line["meta"]["turns"][2]["prompt"][3]["content"], "(shortened)");
  EXPECT_FALSE(line["meta"]["turns"][1].contains("prompt"));
}

TEST(RenderEpisode, ATextThatIsNotThereIsNamed) {
  EpisodeMaker maker = two_turns();
  EpisodeLine line = line_of(maker);
  const Contents none;
  line.trajectory.contents = &none;
  EXPECT_THAT(rendered(line, ExportKind::kSft).get<std::string>(), HasSubstr("is missing"));
  Contents damaged = maker.contents();
  damaged[maker.episode().turns[0].reply] = std::string(100, '[');
  line.trajectory.contents = &damaged;
  EXPECT_THAT(rendered(line, ExportKind::kSft).get<std::string>(), HasSubstr("no JSON"));
}

TEST(RenderEpisode, OneWithoutTurnsIsEmpty) {
  EpisodeMaker maker;
  maker.end(StopReason::kSeconds);
  const Json line = rendered(line_of(maker, -1), ExportKind::kPpo);
  EXPECT_TRUE(line["messages"].empty());
  EXPECT_TRUE(line["meta"]["turns"].empty());
  EXPECT_EQ(line["reward"], -1);
}

TEST(RenderEpisode, EachKindHasItsRule) {
  EXPECT_EQ(default_rule(ExportKind::kSft), FilterRule::kCudaAgent);
  EXPECT_EQ(default_rule(ExportKind::kRft), FilterRule::kStrict);
  EXPECT_EQ(default_rule(ExportKind::kPpo), FilterRule::kAll);
}

}  // namespace
}  // namespace kbench
