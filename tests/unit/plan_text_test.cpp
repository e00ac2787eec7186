#include "runner/print/plan_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PlanText : public ::testing::Test {
 protected:
  PlanText() {
    task_.id = "level1/019_relu";
    unit_.id.name = "ann/level1/019_relu.cpp";
    baselines_.id.name = "";
  }
  ForeseenRow row(const PlannedRow& unit, ForeseenRow::Fate fate,
                  std::optional<double> seconds = std::nullopt) const {
    return {.unit = &unit, .task = &task_, .fate = fate, .reason = "", .seconds = seconds};
  }

  Task task_;
  PlannedRow unit_, baselines_;
  Plan plan_;
};

TEST_F(PlanText, ARowSaysWhatBecomesOfItAndForHowLong) {
  ForeseenRow ends = row(unit_, ForeseenRow::Fate::kEnds);
  ends.reason = "no ;";
  const std::vector<ForeseenRow> rows = {row(unit_, ForeseenRow::Fate::kEvaluate, 65),
                                         row(baselines_, ForeseenRow::Fate::kBaselines), ends};
  const std::string text = foreseen_text(plan_, rows, {});
  EXPECT_THAT(text, HasSubstr("level1/019_relu  ann/level1/019_relu.cpp  evaluate"));
  EXPECT_THAT(text, HasSubstr("1 min 05 s"));
  EXPECT_THAT(text, HasSubstr("baselines"));
  EXPECT_THAT(text, HasSubstr("no ;"));
  EXPECT_THAT(text, Not(HasSubstr("files:")));
  plan_.census.emplace();
  plan_.census->ignored = {{"notes.txt", "no kernel", false}, {"relu.cp", "no ending", true}};
  const std::string with_files = foreseen_text(plan_, rows, {});
  EXPECT_THAT(with_files, HasSubstr("\nfiles: "));
  EXPECT_THAT(with_files, HasSubstr("ignored relu.cp: no ending\n"));
  EXPECT_THAT(with_files, Not(HasSubstr("notes.txt: "))) << "it was not meant as a submission";
}

TEST_F(PlanText, TheLastLineSaysHowLongAsFarAsItIsKnown) {
  using Fate = ForeseenRow::Fate;
  EXPECT_EQ(foreseen_words({row(unit_, Fate::kEvaluate, 60), row(unit_, Fate::kStored)}),
            "dry run: 1 of 2 rows would be measured (about 1 min 00 s); nothing was started or "
            "stored");
  EXPECT_THAT(
      foreseen_words({row(unit_, Fate::kEvaluate, 9), row(unit_, Fate::kEvaluate)}),
      HasSubstr("(about 9 s for 1 of them; for the rest there is no earlier row that ended ok, "
                "of the same task, size, device and kind of timing)"));
  EXPECT_THAT(foreseen_words({row(unit_, Fate::kEvaluate)}), HasSubstr("how long is not known"));
  EXPECT_THAT(foreseen_words({row(unit_, Fate::kEvaluate)}, UnitOrder::kShuffled),
              HasSubstr(", in an order that is drawn when the run starts; nothing was"));
  EXPECT_THAT(foreseen_words({row(unit_, Fate::kStored)}),
              HasSubstr("0 of 1 row would be measured (nothing to measure)"));
}

TEST(SettingsText, AValueStandsBesideItsOrigin) {
  std::vector<EffectiveSetting> settings(3);
  settings[0] = {.name = "level", .values = {"1", "2"}, .origin = "kbench.toml:3"};
  settings[1] = {.name = "quick", .values = {}, .origin = "command line"};
  settings[1].flag = settings[1].typed = true;
  settings[2].name = "jobs";
  settings[2].by_default = "by cores";
  const std::string text = settings_text(settings, {});
  EXPECT_THAT(text, HasSubstr("--level  1, 2      kbench.toml:3"));
  EXPECT_THAT(text, HasSubstr("--quick  on        command line"));
  EXPECT_THAT(text, HasSubstr("--jobs   by cores  default"));
  const Json json = settings_json(settings);
  EXPECT_EQ(json.at(0).at("values").size(), 2u);
  EXPECT_EQ(json.at(2).at("origin"), "default");
}

}  // namespace
}  // namespace kbench
