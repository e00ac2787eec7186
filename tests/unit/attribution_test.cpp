// From lines of cells to what is said of each component: planted effects, what is left out, alarms,
// units, families.
#include <algorithm>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/attribution/analysis.hpp"
#include "runner/core/statistics.hpp"
#include "tests/unit/study_fixture.hpp"

namespace kbench {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const std::vector<std::string> kThree = {"analyzer", "debugger", "profiler"};

test::FakeState state(int number, int trajectories = 1000, int tasks = 1000) {
  return {fmt::format("s{:03}", number), fmt::format("task{}", number % tasks),
          fmt::format("t{}", number % trajectories), number % 2 == 0 ? "wrong" : "correct",
          number % 3};
}

std::string correct(double value) { return fmt::format("{{\"correct\": {}}}", value); }

StudyCells cells(const std::string& text) {
  const auto file = parse_cells(text, "x");
  EXPECT_TRUE(file) << file.error().message;
  return *file;
}

Attribution analysis(const std::string& text, const AnalysisRequest& request = {}) {
  const auto found = analyze(cells(text), request);
  EXPECT_TRUE(found) << found.error().message;
  return *found;
}

const Effect& effect(const Attribution& found, Index index,
                     const std::vector<std::string>& components,
                     const std::string& outcome = "correct", const std::string& group = "") {
  const auto at = std::find_if(found.effects.begin(), found.effects.end(), [&](const Effect& one) {
    return one.index == index && one.components == components && one.outcome == outcome &&
           one.group == group;
  });
  if (at != found.effects.end()) return *at;
  static const Effect kNone;
  ADD_FAILURE() << fmt::format("no {} of {}", to_string(index), fmt::join(components, "+"));
  return kNone;
}

// v(S) = .3 + .1·analyzer + .2·profiler·debugger, plus what the state and the number of the
// coalition add.
double planted(Coalition at) {
  return 0.3 + ((at & 1u) != 0 ? 0.1 : 0) + ((at & 6u) == 6u ? 0.2 : 0);
}

std::string planted_study(int states, int trajectories = 1000, int tasks = 1000) {
  std::string text;
  for (int number = 0; number < states; ++number)
    text +=
        test::state_lines(state(number, trajectories, tasks), kThree, 1, [&](Coalition at, int) {
          return correct(planted(at) + (number % 5) * 0.01 * ((at & 1u) != 0 ? 1 : -1));
        });
  return text;
}

TEST(Attribution, PlantedEffectsAreFound) {
  const auto found = analysis(planted_study(20));
  EXPECT_EQ(found.outcome, "correct");
  EXPECT_EQ(found.arm, "direct");
  EXPECT_EQ(found.used, 160u);
  // The states add 0, .02, .04, .06, .08 to the analyzer's .1.
  EXPECT_NEAR(effect(found, Index::kBanzhaf, {"analyzer"}).estimate.mean, 0.14, 1e-12);
  EXPECT_NEAR(effect(found, Index::kBanzhaf, {"profiler"}).estimate.mean, 0.1, 1e-12);
  EXPECT_NEAR(effect(found, Index::kShapley, {"profiler"}).estimate.mean, 0.1, 1e-12);
  EXPECT_NEAR(effect(found, Index::kAddOne, {"profiler"}).estimate.mean, 0, 1e-12);
  EXPECT_NEAR(effect(found, Index::kLeaveOneOut, {"profiler"}).estimate.mean, 0.2, 1e-12);
  for (const Index index : {Index::kBanzhaf, Index::kShapley, Index::kShapleyTaylor, Index::kSigma})
    EXPECT_NEAR(effect(found, index, {"debugger", "profiler"}).estimate.mean, 0.2, 1e-12);
  EXPECT_NEAR(effect(found, Index::kBanzhaf, kThree).estimate.mean, 0, 1e-12);
  EXPECT_THAT(found.alarms, IsEmpty());
}

TEST(Attribution, OnlyWhatHasASpreadHasAWord) {
  const auto found = analysis(planted_study(20));
  ASSERT_EQ(found.answers.size(), 3u);
  EXPECT_EQ(found.answers[0].advice, Advice::kKeep);
  EXPECT_EQ(found.answers[1].advice, Advice::kCannotTell) << "the same in all states";
  EXPECT_EQ(effect(found, Index::kBanzhaf, {"profiler"}).estimate.basis, Basis::kNoSpread);
}

// Outcomes whose effect in a state is `mean` and alternates by `spread`.
std::string study_of(int states, double mean, double spread) {
  std::string text;
  for (int number = 0; number < states; ++number)
    text += test::state_lines(state(number), {"a"}, 1, [&](Coalition at, int) {
      return correct(at == 0 ? 0.5 : 0.5 + mean + (number % 2 == 0 ? spread : -spread));
    });
  return text;
}

TEST(Attribution, WordsFollowTheInterval) {
  const auto word = [](double mean, double spread) {
    return analysis(study_of(40, mean, spread)).answers.front().advice;
  };
  EXPECT_EQ(word(0.2, 0.1), Advice::kKeep);
  EXPECT_EQ(word(-0.2, 0.1), Advice::kHarms);
  EXPECT_EQ(word(0.01, 0.05), Advice::kNoUse);
  EXPECT_EQ(word(0.02, 0.3), Advice::kCannotTell);
}

TEST(Attribution, WhatCannotBeToldNamesTheStatesThatWould) {
  const auto found = analysis(study_of(40, 0.02, 0.3));
  const ComponentAnswer& answer = found.answers.front();
  ASSERT_TRUE(answer.more_units);
  EXPECT_EQ(answer.would_see, 0.05);
  const Estimate& over = found.effects[answer.effect].estimate;
  EXPECT_LE(seen_effect(over.deviation, 40 + *answer.more_units), 0.05);
  EXPECT_GT(seen_effect(over.deviation, 39 + *answer.more_units), 0.05);
}

TEST(Attribution, TheWidestUnitOfWhichThereAreSixIsTaken) {
  const auto unit = [](int trajectories, int tasks) {
    const auto found = analysis(planted_study(42, trajectories, tasks));
    const Effect& one = effect(found, Index::kBanzhaf, {"analyzer"});
    EXPECT_EQ(one.over_states.has_value(), one.unit != UnitKind::kState);
    return std::pair(one.unit, one.estimate.units);
  };
  EXPECT_EQ(unit(3, 3), std::pair(UnitKind::kState, std::size_t{42}));
  EXPECT_EQ(unit(6, 3), std::pair(UnitKind::kTrajectory, std::size_t{6}));
  EXPECT_EQ(unit(14, 7), std::pair(UnitKind::kTask, std::size_t{7}));
}

TEST(Attribution, ComponentsThatDidNotAnswerChangeNothing) {
  const std::string whole = planted_study(20);
  std::string more = whole;
  for (int number = 100; number < 110; ++number)
    more += test::state_lines(state(number), {"analyzer", "error"}, 1,
                              [](Coalition at, int) { return correct(at == 3 ? 0.9 : 0.1); });
  const auto before = analysis(whole);
  const auto after = analysis(more);
  EXPECT_EQ(effect(before, Index::kBanzhaf, {"profiler"}).estimate.mean,
            effect(after, Index::kBanzhaf, {"profiler"}).estimate.mean);
  EXPECT_EQ(effect(after, Index::kBanzhaf, {"profiler"}).states, 20u);
  EXPECT_EQ(effect(after, Index::kBanzhaf, {"analyzer"}).states, 30u);
  EXPECT_EQ(effect(after, Index::kBanzhaf, {"analyzer", "error"}).states, 10u);
  EXPECT_TRUE(std::none_of(after.effects.begin(), after.effects.end(), [](const Effect& one) {
    return one.components == std::vector<std::string>{"error", "profiler"};
  })) << "no state has both";
}

TEST(Attribution, AFaultDropsItsReplicateFromAllCoalitions) {
  std::string text;
  for (int number = 0; number < 10; ++number)
    text += test::state_lines(state(number), {"a", "b"}, 2, [&](Coalition at, int replicate) {
      return number == 3 && replicate == 1 && at == 2 ? "null" : correct(0.1 * at);
    });
  const auto found = analysis(text);
  EXPECT_EQ(found.lines, 80u);
  EXPECT_EQ(found.used, 76u);
  EXPECT_THAT(found.left_out, ElementsAre(Pair("a fault of the machine or the endpoint", 1),
                                          Pair("beside a fault: same state and replicate", 3)));
  EXPECT_THAT(found.faults_by_coalition, ElementsAre(Pair("b", 1)));
  EXPECT_EQ(found.states, 10u) << "the other replicate stands";
}

TEST(Attribution, ManyFaultsStandAtTheTopWithTheirCoalition) {
  std::string text;
  for (int number = 0; number < 10; ++number)
    text += test::state_lines(state(number), {"a", "b"}, 2, [&](Coalition at, int replicate) {
      return replicate == 1 && at == 3 ? "null" : correct(0.1 * at);
    });
  EXPECT_THAT(analysis(text).alarms,
              ElementsAre(HasSubstr("12.5 % of the cells were dropped after a fault: 10 × a+b")));
}

TEST(Attribution, AStateThatLacksACoalitionIsLeftOut) {
  std::string text = study_of(10, 0.2, 0.1);
  text += test::cell_line(state(50), {"a"}, 1, "direct", 0, correct(1));
  const auto found = analysis(text);
  EXPECT_EQ(found.incomplete_states, 1u);
  EXPECT_THAT(found.left_out, ElementsAre(Pair("its replicate lacks coalitions", 1)));
  EXPECT_THAT(found.alarms, ElementsAre("the study is incomplete: 1 of 11 states are left out"));
}

// Where replicates of different coalitions do not belong together their numbers may differ.
TEST(Attribution, WithoutReplicatesEveryCellCounts) {
  const auto line = [](int number, Coalition at, double value) {
    std::string text = test::cell_line(state(number), {"a"}, at, "direct", 0, correct(value));
    text.replace(text.find(", \"replicate\": 0"), 16, "");
    return text;
  };
  std::string text;
  for (int number = 0; number < 8; ++number)
    text += line(number, 0, 0) + line(number, 1, 1) + line(number, 1, 0) +
            line(number, 1, 0.1 * number);
  const auto found = analysis(text);
  EXPECT_EQ(found.used, 32u);
  EXPECT_NEAR(effect(found, Index::kBanzhaf, {"a"}).estimate.mean, (1 + 0.35) / 3, 1e-12);
}

TEST(Attribution, WhereNothingEverSucceededThereIsABound) {
  std::string text;
  for (int number = 0; number < 20; ++number)
    text += test::state_lines(state(number), kThree, 3, [](Coalition, int) { return correct(0); });
  const auto found = analysis(text);
  const Estimate& over = effect(found, Index::kBanzhaf, {"profiler"}).estimate;
  EXPECT_EQ(over.basis, Basis::kNothingHappened);
  EXPECT_NEAR(*over.bound, 0.1684, 1e-4);
  EXPECT_NEAR(*effect(found, Index::kBanzhaf, {"debugger", "profiler"}).estimate.bound, 2 * 0.1684,
              1e-3);
  EXPECT_EQ(found.answers.front().advice, Advice::kCannotTell);
  EXPECT_THAT(found.alarms,
              ElementsAre("nothing was ever correct: it is 0 in all 480 cells, so that "
                          "effects have a bound alone"));
}

TEST(Attribution, WhereAllSucceededTheSameBoundHolds) {
  std::string text;
  for (int number = 0; number < 20; ++number)
    text += test::state_lines(state(number), {"a"}, 1, [](Coalition, int) { return correct(1); });
  const auto found = analysis(text);
  EXPECT_EQ(found.effects.front().estimate.basis, Basis::kNothingHappened);
  EXPECT_THAT(found.alarms, IsEmpty());
}

TEST(Attribution, AboveFiveComponentsCoalitionsAreDrawn) {
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f"};
  std::string text;
  for (int number = 0; number < 30; ++number)
    for (const Coalition at : draw_coalitions(6, 8, static_cast<std::uint64_t>(number)))
      text += test::cell_line(
          state(number), names, at, "direct", 0,
          correct(0.3 + ((at & 1u) != 0 ? 0.2 : 0) + 0.01 * (number % 3) * (at & 1u)));
  // A coalition of the first state that comes without its complement.
  const auto drawn = draw_coalitions(6, 8, 0);
  Coalition single = 0;
  while (std::find(drawn.begin(), drawn.end(), single) != drawn.end()) ++single;
  text += test::cell_line(state(0), names, single, "direct", 1, correct(1));
  const auto found = analysis(text);
  EXPECT_NEAR(effect(found, Index::kBanzhaf, {"a"}).estimate.mean, 0.21, 0.02);
  EXPECT_TRUE(found.census.front().sampled);
  EXPECT_TRUE(std::none_of(found.effects.begin(), found.effects.end(),
                           [](const Effect& one) { return one.index == Index::kShapley; }));
  EXPECT_EQ(found.states, 30u);
  EXPECT_THAT(found.left_out,
              ElementsAre(Pair("the complement of its coalition was not tried", 1)));
}

TEST(Attribution, OnlyTheComponentsOfOneOutcomeAreHolms) {
  std::mt19937 random(3);
  std::string text;
  for (int number = 0; number < 20; ++number)
    text += test::state_lines(state(number), kThree, 1, [&](Coalition at, int) {
      return fmt::format(R"({{"correct": {}, "fast:1": {}, "tokens": {}}})",
                         random() % 10 < 3u + 2u * static_cast<unsigned>(size_of(at)) ? 1 : 0,
                         random() % 2, 100 + random() % 9);
    });
  const auto found = analysis(text);
  std::vector<double> raw[2];  // exploratory, primary
  std::vector<double> corrected[2];
  for (const Effect& one : found.effects) {
    const bool single =
        one.index == Index::kBanzhaf && one.components.size() == 1 && one.by.empty();
    EXPECT_EQ(one.primary, single && one.outcome == "correct");
    EXPECT_EQ(one.tested, one.index == Index::kBanzhaf && one.outcome != "tokens");
    EXPECT_EQ(one.corrected_p.has_value(), one.tested && one.estimate.p);
    if (!one.corrected_p) continue;
    raw[one.primary ? 1 : 0].push_back(*one.estimate.p);
    corrected[one.primary ? 1 : 0].push_back(*one.corrected_p);
  }
  EXPECT_EQ(raw[1].size(), 3u);
  EXPECT_EQ(corrected[1], holm(raw[1]));
  EXPECT_NE(holm(raw[1]), benjamini_hochberg(raw[1]));
  EXPECT_EQ(corrected[0], benjamini_hochberg(raw[0]));
  EXPECT_TRUE(found.answers.front().tokens);
}

TEST(Attribution, StrataAndGenerationsAreLookedAtOneByOne) {
  std::string text;
  for (int number = 0; number < 24; ++number)
    text += test::state_lines(state(number), {"a"}, 1, [&](Coalition at, int) {
      return correct(at == 0 ? 0.1 : (number % 2 == 0 ? 0.5 : 0.2) + 0.01 * (number % 5));
    });
  const auto found = analysis(text, {.outcome = {}, .arm = {}, .by = {"stratum"}});
  EXPECT_NEAR(effect(found, Index::kBanzhaf, {"a"}, "correct", "wrong").estimate.mean, 0.42, 0.01);
  EXPECT_NEAR(effect(found, Index::kBanzhaf, {"a"}, "correct", "correct").estimate.mean, 0.12,
              0.01);
  EXPECT_EQ(effect(found, Index::kBanzhaf, {"a"}, "correct", "2").states, 8u);
  ASSERT_EQ(found.differences.size(), 1u);
  const GroupDifference& one = found.differences.front();
  EXPECT_EQ(one.group, "correct");
  EXPECT_FALSE(one.paired);
  EXPECT_NEAR(one.difference.mean, -0.3, 0.01);
  EXPECT_TRUE(one.corrected_p);
}

TEST(Attribution, GroupsThatShareUnitsAreComparedWithinThem) {
  std::string text;
  for (int number = 0; number < 28; ++number)  // seven trajectories, each with both strata
    text += test::state_lines(state(number, 7, 1), {"a"}, 1, [&](Coalition at, int) {
      return correct(at == 0 ? 0.1 : (number % 2 == 0 ? 0.5 : 0.2) + 0.01 * (number % 5));
    });
  const auto found = analysis(text, {.outcome = {}, .arm = {}, .by = {"stratum"}});
  ASSERT_EQ(found.differences.size(), 1u);
  EXPECT_TRUE(found.differences.front().paired);
  EXPECT_EQ(found.differences.front().units, 7u);
}

std::string arm_lines(int states, const std::string& arm, double value) {
  std::string text;
  for (int number = 0; number < states; ++number)
    text +=
        test::cell_line(state(number), {}, 0, arm, 0, correct(value + 0.01 * ((number * 7) % 5)));
  return text;
}

TEST(Attribution, AFailingShamStandsAboveAllResults) {
  std::string text = study_of(20, 0.2, 0.1);
  EXPECT_THAT(analysis(text + arm_lines(20, "sham", 0.48)).alarms, IsEmpty());
  const auto found = analysis(text + arm_lines(20, "sham", 0.8));
  EXPECT_THAT(
      found.alarms,
      ElementsAre(HasSubstr("the control sham fails: a heading alone less nothing is +0.32")));
  EXPECT_EQ(found.of_other_arms, 20u);
}

TEST(Attribution, OneComponentUnderTwoNamesIsADuplicate) {
  const auto dup = [](double both) {
    std::string text = study_of(20, 0.2, 0.1);
    for (int number = 0; number < 20; ++number)
      text += test::state_lines(
          state(number), {"x", "x'"}, 1,
          [&](Coalition at, int) {
            return correct((at == 0   ? 0.1
                            : at == 3 ? both
                                      : 0.4) +
                           0.01 * ((number * 7 + static_cast<int>(at) * 3) % 5));
          },
          "dup");
    return analysis(text);
  };
  const auto good = dup(0.4);
  ASSERT_EQ(good.controls.size(), 2u);
  EXPECT_FALSE(good.controls[0].failed || good.controls[1].failed);
  EXPECT_THAT(dup(0.7).alarms,
              ElementsAre(HasSubstr("the control dup fails: both names less one")));
}

TEST(Attribution, ArmsAreComparedOverTheStatesOfBoth) {
  const auto found = analysis(study_of(20, 0.2, 0.1) + arm_lines(20, "P+F", 0.6) +
                              arm_lines(12, "P+RF", 0.2) + arm_lines(20, "DP", 0.3));
  ASSERT_EQ(found.arms.size(), 2u);
  EXPECT_EQ(found.arms[0].less, "P+RF");
  EXPECT_EQ(found.arms[0].states, 12u);
  EXPECT_NEAR(found.arms[0].estimate.mean, 0.4, 1e-12);
}

TEST(Attribution, TransferIsAGainAndAShareOfTheGap) {
  std::string text = study_of(20, 0.2, 0.1);
  for (int number = 0; number < 20; ++number) {
    const double own = 0.2 + 0.01 * (number % 5);
    const double gap = 0.4 + 0.01 * (number % 3);
    text += test::cell_line(state(number), {}, 0, "transfer:own", 0, correct(own));
    text += test::cell_line(state(number), {}, 0, "transfer:plan", 0,
                            correct(own + gap / 2 + 0.01 * (number % 2)));
    text += test::cell_line(state(number), {}, 0, "transfer:strong", 0, correct(own + gap));
  }
  // Without the plan of the strong model there is nothing to compare.
  text += test::cell_line(state(50), {}, 0, "transfer:own", 0, correct(0));
  text += test::cell_line(state(50), {}, 0, "transfer:strong", 0, correct(1));
  const auto found = analysis(text);
  ASSERT_EQ(found.transfers.size(), 1u);
  EXPECT_EQ(found.transfers[0].states, 20u);
  EXPECT_NEAR(found.transfers[0].gain.mean, 0.21, 0.002);
  ASSERT_TRUE(found.transfers[0].share && found.transfers[0].share->interval);
  EXPECT_NEAR(found.transfers[0].share->ratio, 0.51, 0.01);
  EXPECT_TRUE(found.transfers[0].share->interval->contains(0.512));
}

TEST(Attribution, CopiesAndUndecidedOutcomesAreAlarms) {
  std::string text;
  for (int number = 0; number < 10; ++number)
    text += test::state_lines(state(number), {"a"}, 2,
                              [&](Coalition at, int) { return correct(0.1 * number * at); });
  std::string copied;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    copied +=
        text.substr(at, end - at - 1) + R"(, "reply": "same", "undecided": ["correct"]})" + "\n";
    at = end + 1;
  }
  EXPECT_THAT(analysis(copied).undecided, ElementsAre(Pair("correct", 1.0)));
  EXPECT_THAT(analysis(copied).alarms,
              ElementsAre(HasSubstr("100 % of the further replicates are copies"),
                          HasSubstr("100 % of the cells are undecided about correct")));
}

TEST(Attribution, WhatTheFileHasNotIsRefused) {
  const auto file = cells(study_of(10, 0.2, 0.1));
  const auto message = [&](const AnalysisRequest& request) {
    const auto found = analyze(file, request);
    return found ? std::string() : found.error().message + "; " + found.error().hint;
  };
  EXPECT_EQ(message({"corect", {}, {}}),
            "the file has no outcome \"corect\"; did you mean \"correct\"?");
  EXPECT_EQ(message({{}, "plan", {}}), "the file has no arm \"plan\"; it has direct");
  EXPECT_THAT(message({{}, {}, {"model"}}), HasSubstr("the file has no label \"model\""));
  EXPECT_THAT(analyze(cells(""), {}).error().message,
              HasSubstr("no cell is of an arm with coalitions"));
  EXPECT_THAT(analyze(cells(test::cell_line(state(1), {"a"}, 1, "direct", 0, correct(1))), {})
                  .error()
                  .message,
              HasSubstr("no state of the arm direct was tried under all of its coalitions"));
}

}  // namespace
}  // namespace kbench
