#include "runner/trajectory/freeze_episode.hpp"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/json.hpp"
#include "runner/core/sha256.hpp"
#include "runner/trajectory/state_context.hpp"
#include "tests/fakes/episode_maker.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// An episode in style refine: each reply is judged, and the next prompt tells what became of it.
class Refined {
 public:
  explicit Refined(const std::string& style = "refine") {
    episode_.id = "e1";
    episode_.run_id = "aa";
    episode_.task = "level1/019_relu";
    episode_.size = "small";
    episode_.device = "cpu";
    episode_.sampling = Json{{"style", style}}.dump();
    pending_ = {message("system", "You write kernels."), message("user", "# The task")};
  }

  static std::string words(const std::string& judged) {
    return "It was judged:\n\n" + judged + "\n\nAgain.";
  }

  void reply(State state, const std::string& said) {
    const std::string key = "key-" + std::to_string(rows_.size());
    const std::string code = "int kernel_" + key + ";";
    Turn turn;
    turn.continues = !episode_.turns.empty() && !std::exchange(anew_, false);
    turn.messages = pending_;
    turn.reply = message("assistant", "```\n" + code + "\n```");
    Evaluation row;
    row.key = key;
    row.task_hash = "aa11";
    row.state = state;
    row.correct = state == State::kOk;
    row.message = said;
    row.sources = {{"src/main.cpp", keep(code), static_cast<std::int64_t>(code.size())}};
    rows_.emplace(key, row);
    const std::string result = Json{{"row", {{"message", said}}}}.dump();
    ToolCall call;
    call.tool = "submit";
    call.arguments = keep("{}");
    call.result = keep(result);
    call.evaluation = key;
    turn.calls.push_back(call);
    pending_ = {message("user", words(result))};
    episode_.turns.push_back(std::move(turn));
  }

  // From now on the prompts hold feedback that was chosen, and not what the judge said.
  void choose_feedback() { episode_.sampling = R"({"style":"refine","feedback":["error"]})"; }
  void told(const std::string& text) { pending_ = {message("user", text)}; }
  // A planner's turn: its question and its reply are no part of the conversation.
  void plan(const std::string& question, const std::string& then) {
    const std::size_t last = episode_.turns.size() - 1;
    pending_ = prompt_of(episode_, last);
    pending_.push_back(episode_.turns[last].reply);
    Turn turn;
    turn.messages = pending_;
    turn.messages.push_back(message("user", question));
    turn.reply = message("assistant", "Change the loop.");
    episode_.turns.push_back(std::move(turn));
    pending_.push_back(message("user", then));
    anew_ = true;
  }

  Result<FrozenTexts> freeze() { return freeze_episode({episode_, contents_, rows_, words}); }

  std::map<std::string, Evaluation>& rows() { return rows_; }

 private:
  std::string keep(const std::string& text) {
    contents_[sha256(text)] = text;
    return sha256(text);
  }
  std::string message(const std::string& role, const std::string& text) {
    return keep(Json{{"role", role}, {"content", text}}.dump());
  }

  Episode episode_;
  Contents contents_;
  std::map<std::string, Evaluation> rows_;
  std::vector<std::string> pending_;
  bool anew_ = false;
};

TEST(FreezeEpisode, EachJudgedReplyIsAStateWithTheAnchorInPlaceOfTheJudgesWords) {
  Refined episode;
  episode.reply(State::kCompileError, "expected ';' before the brace in line 3");
  episode.reply(State::kWrongResult, "output 0 is wrong at element [7] by 0.5");
  episode.reply(State::kOk, "");
  const auto found = episode.freeze();
  ASSERT_TRUE(found.ok()) << found.error().message;
  const auto& nodes = found->trajectories.nodes;
  ASSERT_THAT(nodes, SizeIs(3));
  EXPECT_EQ(found->leaks, 0u);
  EXPECT_EQ(found->fresh, 0u);
  EXPECT_EQ(stratum_of(nodes[0]), stratum::kNotBuilt);
  EXPECT_EQ(stratum_of(nodes[1]), stratum::kWrong);
  EXPECT_EQ(stratum_of(nodes[2]), stratum::kCorrect);
  EXPECT_EQ(nodes[2].parents, std::vector<std::string>{node_id(nodes[1])});
  EXPECT_EQ(nodes[2].generation, 2);
  const auto second = read_state_context(found->texts[1]);
  ASSERT_TRUE(second.ok());
  // Words on the kernel before are history; there are none on this one.
  EXPECT_THAT(all_text(*second), HasSubstr("before the brace in line 3"));
  EXPECT_THAT(all_text(*second), Not(HasSubstr("element [7]")));
  EXPECT_EQ(second->back().content, "It was judged:\n\n");
  EXPECT_EQ(second->back().after, "\n\nAgain.");
}

TEST(FreezeEpisode, WhereTheJudgeSaysTheSameAgainTheContextLeaksIt) {
  Refined episode;
  episode.reply(State::kWrongResult, "output 0 is wrong at element [7] by 0.5");
  episode.reply(State::kWrongResult, "output 0 is wrong at element [7] by 0.5");
  const auto found = episode.freeze();
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->leaks, 1u);
  EXPECT_EQ(leaks_of(found->trajectories.nodes[0]), 0);
  EXPECT_EQ(leaks_of(found->trajectories.nodes[1]), 1);
}

TEST(FreezeEpisode, WhereFeedbackWasChosenTheAnchorIsWhereThatStood) {
  Refined episode;
  episode.choose_feedback();
  episode.reply(State::kWrongResult, "output 0 is wrong at element [7] by 0.5");
  episode.told("It was judged:\n\nerror:\nsomething is wrong\n\nAgain.");
  episode.reply(State::kWrongResult, "output 0 is wrong at element [9] by 0.25");
  episode.plan("It was judged:\n\nerror:\nelement [9]\n\nPlan.",
               "It was judged:\n\nplan:\nChange the loop.\n\nAgain.");
  episode.reply(State::kOk, "");
  const auto found = episode.freeze();
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_THAT(found->texts, SizeIs(3));
  EXPECT_EQ(found->leaks, 0u);
  for (const std::string& text : found->texts) {
    const auto context = read_state_context(text);
    ASSERT_TRUE(context.ok());
    EXPECT_EQ(context->back().content, "It was judged:\n\n");
    EXPECT_EQ(context->back().after, "\n\nAgain.");
  }
  const auto second = read_state_context(found->texts[1]);
  EXPECT_THAT(*second, SizeIs(6)) << "system, task, reply, what was told, reply, what is asked";
  EXPECT_THAT(all_text(*second), HasSubstr("something is wrong"));
  EXPECT_THAT(all_text(*second), Not(HasSubstr("element [9]")));
  const auto third = read_state_context(found->texts[2]);
  EXPECT_THAT(*third, SizeIs(8));
  EXPECT_THAT(all_text(*third), HasSubstr("Change the loop."));
}

TEST(FreezeEpisode, InStyleReactTheContextIsFresh) {
  Refined episode("react");
  episode.reply(State::kWrongResult, "output 0 is wrong at element [7] by 0.5");
  const auto found = episode.freeze();
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->fresh, 1u);
  const auto context = read_state_context(found->texts[0]);
  ASSERT_TRUE(context.ok());
  EXPECT_EQ(context->front().content, "# The task");
  EXPECT_THAT(all_text(*context), HasSubstr("int kernel_key-0;"));
  EXPECT_THAT(all_text(*context), Not(HasSubstr("element [7]")));
}

TEST(FreezeEpisode, AFaultOfTheMachineIsNoState) {
  Refined episode;
  episode.reply(State::kInfrastructureError, "the oracle is gone");
  const auto found = episode.freeze();
  ASSERT_TRUE(found.ok());
  EXPECT_THAT(found->trajectories.nodes, SizeIs(0));
  EXPECT_THAT(found->left_out, SizeIs(1));
}

}  // namespace
}  // namespace kbench
