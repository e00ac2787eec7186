#include "runner/trajectory/export_filter.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/episode_maker.hpp"

namespace kbench {
namespace {

using test::EpisodeMaker;
using test::PlannedCall;

// Writes tree `to`, as if the kernels had been `from`; the `n`th text that gives it.
PlannedCall write(const std::string& from, const std::string& to, std::size_t n = 0) {
  return {
      .tool = "write", .arguments = Json{{"to", to}, {"n", n}}.dump(), .before = from, .after = to};
}
PlannedCall verify(const std::string& tree) { return {.tool = "verify", .before = tree}; }
PlannedCall submit(const std::string& tree) {
  return {.tool = "submit", .before = tree, .evaluation = "key"};
}

struct Planted {
  std::string name;
  std::optional<Rejection> expected;  // by the strict rule
  std::function<void(EpisodeMaker&)> make;
  std::optional<double> reward = 1;
  bool flagged = false;
  bool held_out = false;
};

void visit_trees(EpisodeMaker& maker, const std::vector<std::string>& trees) {
  for (std::size_t i = 1; i < trees.size(); ++i) maker.turn({write(trees[i - 1], trees[i], i)});
  maker.turn({submit(trees.back())}).end(StopReason::kSubmit);
}

void plain(EpisodeMaker& maker) { visit_trees(maker, {"", "a"}); }

// Makes so many equal calls on one tree, and then submits it.
std::function<void(EpisodeMaker&)> repeated(const std::vector<PlannedCall>& calls) {
  return [calls](EpisodeMaker& maker) {
    maker.turn({write("", "a")});
    for (const PlannedCall& call : calls) maker.turn({call});
    maker.turn({submit("a")}).end(StopReason::kSubmit);
  };
}

std::function<void(EpisodeMaker&)> through(const std::vector<std::string>& trees) {
  return [trees](EpisodeMaker& maker) { visit_trees(maker, trees); };
}

std::function<void(EpisodeMaker&)> ended_by(StopReason reason) {
  return [reason](EpisodeMaker& maker) {
    maker.turn({write("", "a")}).turn({submit("a")}).end(reason);
  };
}

std::function<void(EpisodeMaker&)> with_error(CallError error) {
  return [error](EpisodeMaker& maker) {
    PlannedCall wrong = verify("");
    wrong.error = error;
    maker.turn({wrong}).turn({write("", "a")}).turn({submit("a")}).end(StopReason::kSubmit);
  };
}

PlannedCall read(const std::string& arguments) {
  return {.tool = "read", .arguments = arguments, .before = "a"};
}

// Thirty; twelve of them are good.
std::vector<Planted> planted() {
  using enum Rejection;
  return {
      // Good ones.
      {"submits at once", {}, plain},
      {"is much faster", {}, plain, 3},
      {"changes its kernel four times", {}, through({"", "a", "b", "c", "d"})},
      {"goes back to what was better", {}, through({"", "a", "b", "c", "a"})},
      {"goes to and fro twice", {}, through({"", "a", "b", "a", "b", "c"})},
      {"a longer way twice", {}, through({"", "a", "b", "c", "a", "b", "c"})},
      {"verifies twice", {}, repeated({verify("a"), verify("a")})},
      {"reads three files",
       {},
       repeated({read(R"({"path":"x"})"), read(R"({"path":"y"})"), read(R"({"path":"z"})")})},
      {"verifies each of three kernels",
       {},
       [](EpisodeMaker& maker) {
         maker.turn({write("", "a"), verify("a")}).turn({write("a", "b"), verify("b")});
         maker.turn({write("b", "c"), verify("c")}).turn({submit("c")}).end(StopReason::kSubmit);
       }},
      {"is told no such file", {}, with_error(CallError::kRefused)},
      {"asks for more than is granted", {}, with_error(CallError::kOverBudget)},
      {"calls two tools in one turn",
       {},
       [](EpisodeMaker& maker) {
         maker.turn({write("", "a"), submit("a")}).end(StopReason::kSubmit);
       }},
      // Bad ones.
      {"is wrong", kLowReward, plain, -1},
      {"is worth nothing much", kLowReward, plain, 0.99},
      {"is worth nothing at all", kLowReward, plain, 0},
      {"has no reward", kNoReward, plain, std::nullopt},
      {"invents a tool", kInvalidCall, with_error(CallError::kUnknownTool)},
      {"breaks a schema", kInvalidCall, with_error(CallError::kBadArguments)},
      {"verifies three times", kRepeatedCall, repeated({verify("a"), verify("a"), verify("a")})},
      {"and not in a row", kRepeatedCall,
       repeated({verify("a"), read("{}"), verify("a"), read(R"({"path":"y"})"), verify("a")})},
      {"reads thrice, spelt otherwise", kRepeatedCall,
       repeated({read(R"({"path":"x","n":1})"), read(R"({ "n": 1, "path": "x" })"),
                 read(R"({"path": "x", "n": 1})")})},
      {"to and fro three times", kTreeCycle, through({"", "a", "b", "a", "b", "a", "b", "c"})},
      {"three trees, three times", kTreeCycle,
       through({"", "a", "b", "c", "a", "b", "c", "a", "b", "c"})},
      {"only answers", kNotSubmitted, ended_by(StopReason::kAnswered)},
      {"uses up its turns", kNotSubmitted, ended_by(StopReason::kTurns)},
      {"uses up its tokens", kNotSubmitted, ended_by(StopReason::kTokens)},
      {"is flagged", kFlagged, plain, 2, true},
      {"is of a task that is held out", kHeldOut, plain, 3, false, true},
      {"was cut off", kUnfinished, [](EpisodeMaker& maker) { maker.turn({submit("a")}); }},
      {"loses its endpoint", kNotSubmitted, ended_by(StopReason::kEndpoint)},
  };
}

std::optional<Rejection> judged(const Planted& one, FilterRule rule) {
  EpisodeMaker maker;
  one.make(maker);
  return reject({.episode = &maker.episode(),
                 .contents = &maker.contents(),
                 .reward = one.reward,
                 .reward_reason = {},
                 .flagged = one.flagged,
                 .held_out = one.held_out},
                rule);
}

TEST(ExportFilter, OfThirtyPlantedTrajectoriesExactlyTheTwelveGoodOnesAreKept) {
  FilterCounts counts;
  for (const Planted& one : planted()) {
    const auto rejection = judged(one, FilterRule::kStrict);
    EXPECT_EQ(rejection, one.expected)
        << one.name << ": " << (rejection ? to_string(*rejection) : "kept");
    counts.add(rejection);
  }
  EXPECT_EQ(counts.seen, 30);
  EXPECT_EQ(counts.kept, 12);
  EXPECT_EQ(words(counts),
            "12 of 30 episodes, 18 rejected: 1 unfinished, 1 held_out, 1 no_reward, 3 low_reward, "
            "2 invalid_call, 3 repeated_call, 2 tree_cycle, 4 not_submitted, 1 flagged");
}

TEST(ExportFilter, CudaAgentsRuleTakesWhatOursDoesAndMore) {
  using enum Rejection;
  std::map<std::string, std::optional<Rejection>> by_name;
  for (const Planted& one : planted()) {
    by_name[one.name] = judged(one, FilterRule::kCudaAgent);
    if (!one.expected) {
      EXPECT_EQ(by_name[one.name], std::nullopt) << one.name;
    }
  }
  EXPECT_EQ(by_name["is worth nothing much"], std::nullopt) << "above 0 is enough";
  EXPECT_EQ(by_name["is worth nothing at all"], kLowReward);
  EXPECT_EQ(by_name["invents a tool"], kUnknownTool);
  EXPECT_EQ(by_name["breaks a schema"], kBadArguments);
  EXPECT_EQ(by_name["verifies three times"], kRepeatedCall);
  EXPECT_EQ(by_name["to and fro three times"], kTreeCycle);
  EXPECT_EQ(by_name["uses up its turns"], std::nullopt);
  EXPECT_EQ(by_name["is flagged"], std::nullopt);
  EXPECT_EQ(by_name["is of a task that is held out"], kHeldOut);
}

TEST(ExportFilter, AllTakesWhatEndedAndIsWorthSomething) {
  FilterCounts counts;
  for (const Planted& one : planted()) counts.add(judged(one, FilterRule::kAll));
  EXPECT_EQ(words(counts), "27 of 30 episodes, 3 rejected: 1 unfinished, 1 held_out, 1 no_reward");
}

TEST(ExportFilter, ACycleIsThreeRoundsOfTheSameTreesWhereverItBegins) {
  const auto round = [](const std::vector<std::string>& trees) {
    EpisodeMaker maker;
    visit_trees(maker, trees);
    return goes_round(maker.episode());
  };
  EXPECT_FALSE(round({"", "a"}));
  EXPECT_FALSE(round({"", "a", "b", "a", "b", "a"})) << "two and a half rounds";
  EXPECT_TRUE(round({"", "x", "y", "a", "b", "a", "b", "a", "b"}));
  EXPECT_FALSE(round({"", "a", "b", "c", "a", "b", "d", "a", "b", "c"}));
}

TEST(ExportFilter, ArgumentsThatAreNoJsonAreComparedAsTheyAre) {
  EpisodeMaker maker;
  PlannedCall broken{.tool = "read", .arguments = "{\"path\": ", .before = "a"};
  maker.turn({broken}).turn({broken});
  Trajectory trajectory{.episode = &maker.episode(), .contents = &maker.contents()};
  EXPECT_FALSE(repeats_a_call(trajectory));
  maker.turn({broken});
  EXPECT_TRUE(repeats_a_call(trajectory));
  const Contents none;
  trajectory.contents = &none;
  EXPECT_TRUE(repeats_a_call(trajectory)) << "by their hashes, where nobody has the texts";
}

TEST(ExportFilter, WhatGoodKernelsDoIsNoFlag) {
  EXPECT_FALSE(is_flagged(""));
  EXPECT_FALSE(is_flagged("stream inline_assembly"));
  EXPECT_FALSE(is_flagged("busy_machine thread graph"));
  EXPECT_TRUE(is_flagged("stream dlopen"));
  EXPECT_TRUE(is_flagged("timing_inconsistent_once"));
  EXPECT_TRUE(is_flagged("eager_slowed stream"));
}

TEST(ExportFilter, EveryNameComesBack) {
  for (const FilterRule rule : filter_rules())
    EXPECT_EQ(filter_rule_from_string(to_string(rule)), rule);
  EXPECT_EQ(filter_rule_from_string("lenient"), std::nullopt);
  for (const Rejection rejection : rejections()) EXPECT_FALSE(to_string(rejection).empty());
}

}  // namespace
}  // namespace kbench
