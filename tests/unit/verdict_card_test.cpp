#include "reports/formats/verdict_card.hpp"

#include <set>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/formats/console_report.hpp"
#include "reports/page/html_report.hpp"
#include "tests/fakes/stored_runs.hpp"

namespace kbench {
namespace {

using test::failed_evaluation;
using test::stored_run;
using test::timed_evaluation;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kAnsweredTask = "level1/019_relu";

// Eager takes 2 ms, compiled 1.5 ms.
Evaluation one_ms_row() {
  Evaluation evaluation = timed_evaluation("aa", kAnsweredTask, "me", 1'000'000);
  evaluation.submission->name = "v1.cpp";
  evaluation.floor_ns = 250'000;
  return evaluation;
}

ReportData card_run(Evaluation evaluation) {
  ReportData data;
  data.run = stored_run({.id = "aa"});
  data.device_name = "Example CPU";
  data.chain = {ChainFinding::State::kHolds, ""};
  data.evaluations.push_back(std::move(evaluation));
  return data;
}

std::vector<std::string> badge_texts(const std::vector<CardBadge>& badges) {
  std::vector<std::string> found;
  for (const CardBadge& badge : badges) found.push_back(badge.text);
  return found;
}

const CardFact& fact(const VerdictCard& card, const std::string& name) {
  for (const CardFact& one : card.facts)
    if (one.name == name) return one;
  throw std::out_of_range(name);
}

TEST(VerdictCard, TellsTheWholeAnswerOfACalibratedRun) {
  const auto card = verdict_card(card_run(one_ms_row()));
  ASSERT_TRUE(card);
  EXPECT_EQ(card_title(*card), "✓ correct · 1.000 ms · 2.00× eager · 1.50× compiled");
  EXPECT_EQ(card->task, kAnsweredTask);
  EXPECT_EQ(card->submission, "v1.cpp");
  EXPECT_EQ(card->place, "small · cpu · Example CPU");
  EXPECT_THAT(badge_texts(card->badges), ElementsAre("▲ FASTER than eager and compiled"));
  EXPECT_EQ(fact(*card, "Correct").value, "yes");
  EXPECT_EQ(fact(*card, "Time").remark, "eager 2.000 ms, compiled 1.500 ms");
  EXPECT_THAT(fact(*card, "Over eager").value, HasSubstr("2.00× ["));
  EXPECT_EQ(fact(*card, "Over eager").remark, "▲ FASTER");
  EXPECT_THAT(fact(*card, "Over compiled").value, HasSubstr("1.50× ["));
  EXPECT_THAT(fact(*card, "Share of the limit").value, StartsWith("25.0 % ["));
  EXPECT_THAT(card->doubts, IsEmpty());
}

// Was "FASTER" in the first line, of a kernel that loses to the compiled baseline.
TEST(VerdictCard, TheFirstLineSaysOverWhat) {
  Evaluation evaluation = one_ms_row();
  for (Sample& sample : evaluation.samples)
    if (sample.side == Side::kCompiled) sample.time_ns = 500'000;
  const auto card = verdict_card(card_run(evaluation));
  ASSERT_TRUE(card);
  EXPECT_EQ(card_title(*card), "✓ correct · 1.000 ms · 2.00× eager · 0.500× compiled");
  EXPECT_THAT(badge_texts(card->badges),
              ElementsAre("▲ FASTER than eager", "▼ SLOWER than compiled"));
}

// The interval of a speed-up need not hold the ratio of the medians.
TEST(VerdictCard, TheIntervalOfTheShareHoldsTheShare) {
  Evaluation evaluation = one_ms_row();
  evaluation.floor_ns = 2'000'000;
  for (Sample& sample : evaluation.samples) {  // as in the test of restless times below
    const int phase = sample.block % 5;
    if (sample.side == Side::kEager) sample.time_ns = phase < 3 ? 2'000'000 : 10'000'000;
    if (sample.side == Side::kSubmission) sample.time_ns = phase == 0 ? 4'000'000 : 5'000'000;
    if (sample.wall_ns) sample.wall_ns = sample.time_ns;
  }
  const auto card = verdict_card(card_run(evaluation));
  ASSERT_TRUE(card);
  int share = 0;
  int low = 0;
  int high = 0;
  const std::string value = fact(*card, "Share of the limit").value;
  ASSERT_EQ(std::sscanf(value.c_str(), "%d %% [%d–%d]", &share, &low, &high), 3) << value;
  EXPECT_EQ(share, 40);
  EXPECT_LE(low, share);
  EXPECT_GE(high, share);
}

// Was: "60 % [41–112] of the limit", and the limit is called the least time.
TEST(VerdictCard, AShareAboveTheLimitIsExplained) {
  Evaluation evaluation = one_ms_row();
  for (const auto& [limit, above] : {std::pair{500'000.0, false}, std::pair{1'050'000.0, true}}) {
    evaluation.limit_ns = limit;
    evaluation.limit_basis = "bytes, calibrated 2026-11-28T12:00:00Z";
    const auto card = verdict_card(card_run(evaluation));
    ASSERT_TRUE(card);
    const std::string remark = fact(*card, "Share of the limit").remark;
    EXPECT_EQ(remark.find("above 100 % since time and limit are both measured") != remark.npos,
              above)
        << remark;
  }
}

// Was: 474 %, "since time and limit are both measured".
TEST(VerdictCard, AShareFarAboveTheLimitIsExplainedByWhatWasReadBefore) {
  Evaluation evaluation = one_ms_row();
  evaluation.limit_ns = 4'700'000.0;
  evaluation.limit_basis = "bytes, calibrated 2026-11-28T12:00:00Z";
  evaluation.prepare_ns = 557'695;
  const auto card = verdict_card(card_run(evaluation));
  ASSERT_TRUE(card);
  const std::string remark = fact(*card, "Share of the limit").remark;
  EXPECT_NE(remark.find("parameters that kbench_prepare has read before"), remark.npos) << remark;
  EXPECT_EQ(remark.find("both measured"), remark.npos) << remark;
}

TEST(VerdictCard, WithoutASpeedupTheShareHasNoInterval) {
  Evaluation evaluation = one_ms_row();
  std::erase_if(evaluation.samples, [](const Sample& one) { return one.side == Side::kEager; });
  const auto card = verdict_card(card_run(evaluation));
  ASSERT_TRUE(card);
  EXPECT_EQ(fact(*card, "Share of the limit").value, "25 %");
}

TEST(VerdictCard, WithoutACalibrationItLeadsWithTheEstimateAndNamesTheCommand) {
  Evaluation evaluation = one_ms_row();
  evaluation.calibration.reset();
  const auto card = verdict_card(card_run(evaluation));
  ASSERT_TRUE(card);
  EXPECT_EQ(card_title(*card), "✓ correct · 1.000 ms · 2.00× eager · 1.50× compiled");
  EXPECT_THAT(badge_texts(card->badges), ElementsAre("– timing not calibrated"));
  ASSERT_EQ(card->doubts.size(), 1u);
  EXPECT_THAT(card->doubts[0].sentence, HasSubstr("counts in no score"));
  EXPECT_EQ(card->doubts[0].command, "kbench calibrate");
  EXPECT_THAT(card->doubts[0].remark, HasSubstr("about ten minutes, once"));
}

// Was: "not calibrated" of the timing beside "calibrated" of the limits, and neither was named.
TEST(VerdictCard, TheHalvesOfACalibrationAreNamed) {
  Evaluation evaluation = one_ms_row();
  evaluation.calibration.reset();
  evaluation.limit_ns = 250'000;
  evaluation.limit_basis = "bytes, calibrated 2026-11-28T12:00:00Z";
  const auto card = verdict_card(card_run(evaluation));
  ASSERT_TRUE(card);
  EXPECT_THAT(fact(*card, "Share of the limit").remark,
              HasSubstr("(bytes, limits calibrated 2026-11-28T12:00:00Z)"));
  EXPECT_THAT(badge_texts(card->badges), ElementsAre("– timing not calibrated"));
  EXPECT_THAT(card->doubts.at(0).sentence,
              HasSubstr("the timing is not calibrated on this device"));
  EXPECT_EQ(card->doubts.at(0).command, "kbench calibrate --only timing");
}

// Was: the card of a busy machine said "run again without them", and named no command.
TEST(VerdictCard, ABusyMachineLeavesACommandToType) {
  Evaluation evaluation = one_ms_row();
  evaluation.device = "cuda";
  evaluation.labels = "busy_machine";
  const auto card = verdict_card(card_run(evaluation));
  ASSERT_TRUE(card);
  EXPECT_THAT(badge_texts(card->badges), ElementsAre("– busy machine"));
  EXPECT_THAT(card->doubts.at(0).sentence, HasSubstr("run again without them"));
  EXPECT_EQ(card->doubts.at(0).command, "kbench compare --remeasure");
  EXPECT_EQ(card->doubts.at(0).remark, "still compares two tries on a busy machine");
}

// Was: "busy in more than half of the blocks", of a GPU too, where no block says so.
TEST(VerdictCard, ABusyMachineIsToldBySignsThatWereSeen) {
  Evaluation evaluation = one_ms_row();
  evaluation.device = "cuda";
  evaluation.labels = "busy_machine";
  EXPECT_THAT(verdict_card(card_run(evaluation))->doubts.at(0).sentence,
              HasSubstr("the clocks contradict each other, and empty calls were late too"));
  evaluation.device = "cpu";
  std::set<std::pair<int, int>> blocks;
  for (const Sample& sample : evaluation.samples) blocks.insert({sample.attempt, sample.block});
  for (const auto& [attempt, block] : blocks)
    evaluation.blocks.push_back(
        {.attempt = attempt, .block = block, .strangers = block < 7 ? 100 : 0});
  EXPECT_THAT(verdict_card(card_run(evaluation))->doubts.at(0).sentence,
              HasSubstr(fmt::format("busy in 7 of {} blocks (they ran beside the calls of 7, and "
                                    "kbench's own fixed work was slow in 0)",
                                    blocks.size())));
}

// Ratios by block are 2, 0.4, 0.4, 2, 2, …; the medians of both sides are 2 ms and 5 ms.
TEST(VerdictCard, TimesWhoseRatioIsAnotherNumberAreExplained) {
  Evaluation evaluation = one_ms_row();
  for (Sample& sample : evaluation.samples) {
    const int phase = sample.block % 5;
    if (sample.side == Side::kEager) sample.time_ns = phase < 3 ? 2'000'000 : 10'000'000;
    if (sample.side != Side::kSubmission) continue;
    sample.time_ns = phase == 0 ? 1'000'000 : 5'000'000;
    if (sample.wall_ns) sample.wall_ns = sample.time_ns;
  }
  const auto card = verdict_card(card_run(evaluation));
  ASSERT_TRUE(card);
  EXPECT_EQ(fact(*card, "Time").value, "5.000 ms");
  EXPECT_THAT(fact(*card, "Time").remark, Not(HasSubstr("would give"))) << "said once, below";
  EXPECT_THAT(fact(*card, "Over eager").value, Not(HasSubstr("0.400×")));
  ASSERT_FALSE(card->doubts.empty());
  EXPECT_THAT(card->doubts.back().sentence, HasSubstr("and would give 0.400× eager"));
}

TEST(VerdictCard, AFailureHasNoNumbersAndSaysWhatToDo) {
  Evaluation evaluation = one_ms_row();
  evaluation.state = State::kWrongResult;
  evaluation.correct = false;
  Check worst;
  worst.max_error = 0.25;
  worst.tolerance = 0.1;
  evaluation.checks.push_back(worst);
  evaluation.message = "output 0 is wrong";
  evaluation.hint = "Is every element written?";
  const auto card = verdict_card(card_run(evaluation));
  ASSERT_TRUE(card);
  EXPECT_EQ(card_title(*card), "✗ wrong result");
  EXPECT_THAT(card->badges, IsEmpty());
  EXPECT_EQ(card->facts.size(), 1u);
  EXPECT_EQ(fact(*card, "Correct").value, "no");
  EXPECT_THAT(
      fact(*card, "Correct").remark,
      HasSubstr("; the worst element of all draws is off by 0.25, and 0.1 is allowed there"));
  const std::string text = render_console(card_run(evaluation));
  EXPECT_THAT(text, HasSubstr("output 0 is wrong"));
  EXPECT_THAT(text, HasSubstr("→ Is every element written?"));
  EXPECT_THAT(text, Not(HasSubstr("FASTER")));
}

TEST(VerdictCard, TheShareIsOfTheLimitAndSaysByWhat) {
  Evaluation evaluation = one_ms_row();
  evaluation.floor_ns = 100'000;
  evaluation.limit_ns = 250'000;
  evaluation.limit_basis = "bytes, calibrated 2026-11-28T12:00:00Z";
  auto card = verdict_card(card_run(evaluation));
  ASSERT_TRUE(card);
  EXPECT_THAT(fact(*card, "Share of the limit").value, StartsWith("25.0 % ["));
  // Was: "a call takes 0.2500 ms at least", though the limit is an estimate that a call may beat.
  EXPECT_EQ(fact(*card, "Share of the limit").remark,
            "the limit is 0.2500 ms a call (bytes, limits calibrated 2026-11-28T12:00:00Z)");
  evaluation.limit_ns.reset();
  evaluation.limit_basis = "nobody counts the work of aten::linalg_inv";
  card = verdict_card(card_run(evaluation));
  EXPECT_EQ(fact(*card, "Share of the limit").remark, "nobody counts the work of aten::linalg_inv");
}

// A busy machine measured a limit of 9.7 ms in passing, where eager took 3.2 ms, and the page said
// "329 % of the limit".
TEST(VerdictCard, ALimitMeasuredInPassingThatABaselineBeatsIsNone) {
  Evaluation evaluation = one_ms_row();
  evaluation.limit_ns = 12e6;
  evaluation.limit_basis = "bytes, measured beside it";
  auto card = verdict_card(card_run(evaluation));
  ASSERT_TRUE(card);
  EXPECT_THAT(fact(*card, "Share of the limit").value, Not(HasSubstr("%")));
  EXPECT_THAT(fact(*card, "Share of the limit").remark, HasSubstr("calibrate --only limits"));
  evaluation.limit_basis = "bytes, calibrated 2026-11-28T12:00:00Z";
  card = verdict_card(card_run(evaluation));
  EXPECT_THAT(fact(*card, "Share of the limit").value, HasSubstr("%")) << "a calibration stands";
}

TEST(VerdictCard, WhatIsFasterThanTheDeviceHasNoSpeedup) {
  Evaluation evaluation = one_ms_row();
  evaluation.floor_ns = 2'000'000;
  const auto card = verdict_card(card_run(evaluation));
  ASSERT_TRUE(card);
  EXPECT_EQ(card_title(*card), "✓ correct");
  EXPECT_THAT(badge_texts(card->badges), ElementsAre("⚑ below the floor"));
  ASSERT_EQ(card->doubts.size(), 1u);
  EXPECT_THAT(card->doubts[0].sentence, HasSubstr("faster than the device can be"));
}

TEST(VerdictCard, WhatNobodyCanCheckIsNotRanked) {
  ReportData data = card_run(one_ms_row());
  data.chain = {ChainFinding::State::kUnchained, ""};
  const auto card = verdict_card(data);
  ASSERT_TRUE(card);
  EXPECT_THAT(badge_texts(card->badges),
              ElementsAre("▲ FASTER than eager and compiled", "not ranked"));
  EXPECT_THAT(card->doubts.at(0).sentence, HasSubstr("its run has no chain"));
}

TEST(VerdictCard, WhatWasOnlyCheckedSaysSo) {
  Evaluation evaluation = one_ms_row();
  evaluation.timed = false;
  evaluation.samples.clear();
  evaluation.submission_reason = kNotTimed;
  const auto card = verdict_card(card_run(evaluation));
  ASSERT_TRUE(card);
  EXPECT_EQ(card_title(*card), "✓ correct");
  EXPECT_EQ(fact(*card, "Time").remark, kNotTimed);
}

TEST(VerdictCard, SeveralRowsAndBaselinesAloneHaveNone) {
  ReportData data = card_run(one_ms_row());
  data.evaluations.push_back(timed_evaluation("aa", kAnsweredTask, "bob", 1'500'000));
  EXPECT_FALSE(verdict_card(data));
  EXPECT_THAT(render_console(data), HasSubstr("1 task · 2 ok"));
  data = card_run(one_ms_row());
  data.evaluations[0].submission.reset();
  EXPECT_FALSE(verdict_card(data));
  EXPECT_FALSE(verdict_card({}));
}

// The terminal and the page say the same, and neither ranks.
TEST(VerdictCard, TerminalAndPageShowTheSameNumbers) {
  Evaluation evaluation = one_ms_row();
  evaluation.calibration.reset();
  const ReportData data = card_run(evaluation);
  const auto card = verdict_card(data);
  ASSERT_TRUE(card);
  const std::string text = render_console(data);
  std::string page = render_html(data);
  page = page.substr(page.find("<body>"), page.find("<script") - page.find("<body>"));
  const std::string head = page.substr(0, page.rfind("</header>"));
  for (const std::string& shown : {text, head}) {
    for (const CardFact& one : card->facts) EXPECT_THAT(shown, HasSubstr(one.value));
    EXPECT_THAT(shown, HasSubstr("– timing not calibrated"));
    EXPECT_THAT(shown, HasSubstr("kbench calibrate"));
    EXPECT_THAT(shown, Not(HasSubstr("ranks first")));
    EXPECT_THAT(shown, Not(HasSubstr("geometric mean")));
    EXPECT_THAT(shown, Not(ContainsRegex("[^.0-9]0 %")));
  }
  EXPECT_THAT(page, Not(HasSubstr("#ranking")));
  EXPECT_THAT(page, Not(HasSubstr("Ranking of agents")));
}

TEST(VerdictCard, ANarrowTerminalPutsRemarksBelow) {
  const std::string text = render_console(card_run(one_ms_row()), {.columns = 40});
  EXPECT_THAT(text, HasSubstr("1.000 ms\n"));
  EXPECT_THAT(text, HasSubstr("\n                      eager 2.000 ms, compiled 1.500 ms\n"));
}

}  // namespace
}  // namespace kbench
