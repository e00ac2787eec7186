// The printed report of a study, and its words for estimates that have no interval.
#include "reports/attribution/attribution_report.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/attribution/attribution_json.hpp"
#include "reports/attribution/attribution_words.hpp"
#include "reports/facts/json_text.hpp"
#include "tests/unit/example_study.hpp"
#include "tests/unit/golden.hpp"
#include "tests/unit/study_fixture.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(AttributionReport, TheConsoleMatchesItsGolden) {
  test::expect_golden("attribution/example.txt",
                      render_attribution(test::example_study({{}, {}, {"stratum"}}), {}));
}

TEST(AttributionReport, TheJsonMatchesItsGolden) {
  Json json = attribution_json(test::example_study());
  json.erase("effects");  // too many to look at
  test::expect_golden("attribution/example.json", json_text(json, 2) + "\n");
}

TEST(AttributionReport, EveryEffectIsInTheJson) {
  const Attribution found = test::example_study();
  const Json json = attribution_json(found);
  ASSERT_EQ(json.at("effects").size(), found.effects.size());
  EXPECT_EQ(json.at("effects").at(0).at("index"), "banzhaf");
  EXPECT_NEAR(json.at("effects").at(0).at("mean"), found.effects.front().estimate.mean, 1e-11);
}

TEST(AttributionReport, WordsOfNumbers) {
  EXPECT_EQ(signed_words(0.142), "+.14");
  EXPECT_EQ(signed_words(-0.021), "−.02");
  EXPECT_EQ(signed_words(0.001), "0");
  EXPECT_EQ(signed_words(1.2), "+1.20");
  EXPECT_EQ(number_words(-0.0901), "−.09");
  EXPECT_EQ(number_words(0.996), "1.00");
  EXPECT_EQ(signed_words(1900), "+1,900");
  EXPECT_EQ(thousands(1234567.4), "1,234,567");
  EXPECT_EQ(unit_words(1, UnitKind::kTrajectory), "1 trajectory");
}

TEST(AttributionReport, NoIntervalOfWidthZeroIsPrinted) {
  EXPECT_EQ(interval_words({0.06, 0.22}), "[.06, .22]");
  EXPECT_EQ(interval_words({-0.001, 0.002}), "[−.001, .002]");
  EXPECT_EQ(interval_words({0.14011, 0.14013}), "[.14011, .14013]");
  EXPECT_EQ(interval_words({1900.1, 1900.2}), "[1900.1, 1900.2]");
  EXPECT_EQ(interval_words({1900, 2100}), "[1,900, 2,100]");
}

TEST(AttributionReport, EstimatesWithoutAnIntervalSayWhy) {
  const auto words = [](const Estimate& one) { return estimate_words(one, UnitKind::kState, "φ"); };
  EXPECT_EQ(words(estimate({0.1, 0.2, 0.3, 0, 0.1, 0.2})), "+.15 [.04, .26]");
  EXPECT_EQ(words(estimate({0.1, 0.2, 0.3})), "+.20, no interval: 3 states, it takes 6");
  EXPECT_EQ(words(estimate({0.1, 0, 0, 0, 0, 0})),
            "+.02, no interval: 1 of 6 states differ, it takes 5");
  EXPECT_EQ(words(estimate({0.2, 0.2, 0.2, 0.2, 0.2, 0.2})),
            "+.20, no interval: the same in all 6 states");
  EXPECT_EQ(words(estimate(std::vector<double>(20, 0), Nothing{1})),
            "|φ| ≤ 0.17: all 20 states had the same outcome everywhere");
  EXPECT_EQ(words(estimate({0}, Nothing{1})),
            "|φ| ≤ 0.97: 1 state had the same outcome everywhere");
}

Attribution study(int states, int trajectories, double step) {
  std::string text;
  for (int number = 0; number < states; ++number)
    text += test::state_lines(
        {fmt::format("s{:02}", number), "task", fmt::format("t{}", number % trajectories)}, {"a"},
        1, [&](Coalition at, int) {
          return fmt::format("{{\"correct\": {}}}", at == 0 ? 0.5 : 0.6 + step * (number % 5));
        });
  const auto cells = parse_cells(text, "x");
  EXPECT_TRUE(cells) << cells.error().message;
  return *analyze(*cells, {});
}

TEST(AttributionReport, ThreeTrajectoriesSayNothingOnOthers) {
  const std::string text = render_attribution(study(14, 3, 0.01), {});
  EXPECT_THAT(text, StartsWith("a +.12 [.11, .13]: keep\n"));
  EXPECT_THAT(text,
              HasSubstr("Over these states, and nothing on other trajectories (they come from 3 "
                        "trajectories; it takes 6): a.\n"));
  EXPECT_THAT(text, Not(HasSubstr("for others like them")));
}

TEST(AttributionReport, SixTrajectoriesHaveBothLines) {
  const std::string text = render_attribution(study(18, 6, 0.01), {});
  EXPECT_THAT(text, HasSubstr("Over 6 trajectories, and so for others like them: a.\n"));
  EXPECT_THAT(text, HasSubstr("These states alone: a +.12 [.11, .13].\n"));
  EXPECT_THAT(text, Not(HasSubstr("nothing on other trajectories")));
}

TEST(AttributionReport, WhatFailedStandsAboveAllResults) {
  Attribution found = study(14, 3, 0.01);
  found.alarms = {"the control sham fails"};
  EXPECT_THAT(render_attribution(found, {}), StartsWith("! the control sham fails\na +.12"));
}

TEST(AttributionReport, TheShareUndecidedStandsBeside) {
  Attribution found = study(14, 3, 0.01);
  EXPECT_THAT(render_attribution(found, {}), Not(HasSubstr("Undecided")));
  found.undecided = {{"fast:1", 0.125}};
  EXPECT_THAT(render_attribution(found, {}), HasSubstr("Undecided cells: fast:1 in 12 %.\n"));
  EXPECT_EQ(attribution_json(found).at("undecided").at("fast:1"), 0.125);
}

TEST(AttributionReport, ForeignNamesDoNotSteerATerminal) {
  std::string text;
  for (int number = 0; number < 8; ++number)
    text += test::state_lines({fmt::format("s{}", number), "task", "t",
                               "\xc2\x9b"
                               "31m\xe2\x80\xae"},
                              {"a"}, 1,
                              [](Coalition at, int) { return fmt::format("{{\"x\": {}}}", at); });
  const auto cells = parse_cells(text, "x");
  ASSERT_TRUE(cells) << cells.error().message;
  const std::string shown = render_attribution(*analyze(*cells, {}), {});
  EXPECT_THAT(shown, Not(HasSubstr("\xc2\x9b")));
  EXPECT_THAT(shown, Not(HasSubstr("\xe2\x80\xae")));
}

}  // namespace
}  // namespace kbench
