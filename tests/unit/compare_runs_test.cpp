#include <cmath>
#include <map>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/facts/sanitize.hpp"
#include "reports/over_time/compare.hpp"
#include "reports/over_time/compare_report.hpp"
#include "reports/over_time/fail_on.hpp"
#include "runner/analysis/speedup.hpp"
#include "tests/fakes/stored_runs.hpp"

namespace kbench {
namespace {

using test::failed_evaluation;
using test::RunSpec;
using test::stored_run;
using test::timed_evaluation;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kRelu = "level1/019_relu";

ReportData data_of(const RunSpec& spec, std::vector<Evaluation> evaluations) {
  ReportData data;
  data.run = stored_run(spec);
  data.evaluations = std::move(evaluations);
  return data;
}

// One submission for the task, of so many nanoseconds a call, before and after.
Comparison compare_times(std::int64_t before, std::int64_t after, Side baseline = Side::kEager) {
  return compare(data_of({.id = "aa"}, {timed_evaluation("aa", kRelu, "alice", before)}),
                 data_of({.id = "bb"}, {timed_evaluation("bb", kRelu, "alice", after)}), baseline);
}

Change change_of(std::int64_t before, std::int64_t after) {
  return compare_times(before, after).rows.at(0).change;
}

// Half the interval of a ratio without any noise of its own, by both runs' deviation.
const double kHalf = kNormal95 * test::kBetweenRuns * std::sqrt(2.0);

TEST(CompareRuns, TheIntervalIsBothRunsDeviationInQuadrature) {
  const Comparison comparison = compare_times(1'000'000, 1'100'000);
  const ComparedRow& row = comparison.rows.at(0);
  ASSERT_TRUE(row.ratio);
  EXPECT_NEAR(row.ratio->estimate, -std::log(1.1), 1e-9);
  EXPECT_NEAR(row.ratio->low, -std::log(1.1) - kHalf, 1e-9);
  EXPECT_NEAR(row.ratio->high, -std::log(1.1) + kHalf, 1e-9);
  EXPECT_NEAR(row.longer_by().value(), 0.1, 1e-9);
  EXPECT_NEAR(row.ratio->p,
              std::erfc(std::log(1.1) / (test::kBetweenRuns * std::sqrt(2.0)) / std::sqrt(2.0)),
              1e-9);
}

// A run with the choices that it was told.
ReportData told(const char* id, const Json& choices, std::vector<Evaluation> evaluations) {
  return data_of({.id = id, .choices = choices}, std::move(evaluations));
}

constexpr const char* kSoftmax = "level1/023_softmax";

ReportData both_tasks(const Json& choices = Json::object()) {
  return told("aa", choices,
              {timed_evaluation("aa", kRelu, "alice", 1'000'000),
               timed_evaluation("aa", kSoftmax, "alice", 1'000'000),
               timed_evaluation("aa", kRelu, "bob", 1'000'000)});
}

// Was: GONE, and `--fail-on fails` called that a regression.
TEST(CompareRuns, WhatARunWasNotAskedForIsNotGone) {
  for (const Json& choices : {Json{{"tasks", {"relu"}}}, Json{{"levels", {1}}}}) {
    const ReportData after = told("bb", choices,
                                  {timed_evaluation("bb", kRelu, "alice", 800'000),
                                   timed_evaluation("bb", kRelu, "bob", 1'000'000)});
    const Comparison comparison = compare(both_tasks(), after, Side::kEager);
    EXPECT_EQ(comparison.count(Change::kGone), 0) << choices;
    EXPECT_EQ(comparison.rows.size(), 2u) << choices;
    EXPECT_EQ(comparison.left_out_before, 1) << choices;
    EXPECT_THAT(offenders(comparison, {.fails = true}), IsEmpty()) << choices;
    EXPECT_THAT(render_compare(comparison, false, {}),
                HasSubstr("left out: 1 submission of the run before, which the run after was not "
                          "asked for"));
    EXPECT_EQ(compare_json(comparison)["left_out"]["before"], 1);
    const Comparison back = compare(after, both_tasks(), Side::kEager);
    EXPECT_EQ(back.count(Change::kNew), 0) << choices;
    EXPECT_EQ(back.left_out_after, 1) << choices;
  }
}

TEST(CompareRuns, OnlyTheAgentThatWasAskedForCanBeGone) {
  const ReportData after =
      told("bb", {{"agent", "alice"}}, {timed_evaluation("bb", kRelu, "alice", 1'000'000)});
  const Comparison comparison = compare(both_tasks(), after, Side::kEager);
  EXPECT_EQ(comparison.count(Change::kGone), 1) << "alice's softmax";
  EXPECT_EQ(comparison.left_out_before, 1) << "bob's relu";
}

// A run of what was submitted takes whatever there is: what is not there any more is gone.
TEST(CompareRuns, ASubmissionThatIsNotHandedInAgainIsGone) {
  for (const Json& choices :
       {Json::object(), Json{{"only_submitted", true}}, Json{{"tasks", {"relu", "softmax"}}}}) {
    Evaluation alone = timed_evaluation("bb", kSoftmax, "alice", 1'000'000);
    alone.submission.reset();
    std::vector<Evaluation> rows{timed_evaluation("bb", kRelu, "alice", 1'000'000),
                                 timed_evaluation("bb", kRelu, "bob", 1'000'000)};
    if (choices.contains("tasks")) rows.push_back(alone);
    const Comparison comparison = compare(both_tasks(), told("bb", choices, rows), Side::kEager);
    EXPECT_EQ(comparison.count(Change::kGone), 1) << choices;
    EXPECT_EQ(offenders(comparison, {.fails = true}).size(), 1u) << choices;
  }
}

TEST(CompareRuns, OfARunThatIsNotFinishedNobodyKnowsWhatItWasToTake) {
  ReportData after = told("bb", {{"tasks", {"relu"}}}, {});
  after.run.finished_at.clear();
  EXPECT_EQ(compare(both_tasks(), after, Side::kEager).count(Change::kGone), 3);
}

TEST(CompareRuns, ARunOfOneFileTookThatFileAlone) {
  const Json file = {{"file", "/v2.cpp"}, {"tasks", {"relu"}}};
  const ReportData after = told("bb", file, {timed_evaluation("bb", kRelu, "alice", 800'000)});
  const Comparison comparison = compare(both_tasks(), after, Side::kEager);
  ASSERT_EQ(comparison.rows.size(), 1u);
  EXPECT_EQ(comparison.rows[0].change, Change::kFaster);
  EXPECT_EQ(comparison.left_out_before, 2);
}

// Was: GONE, and a regression, when a folder of others was run after a file of one's own.
TEST(CompareRuns, AFileIsNotGoneFromAFolderThatHasNothingOfItsAuthor) {
  const Json file = {{"file", "/v2.cpp"}, {"tasks", {"relu"}}};
  const ReportData before = told("00", file, {timed_evaluation("00", kRelu, "me", 800'000)});
  const Comparison comparison = compare(before, both_tasks(), Side::kEager);
  EXPECT_EQ(comparison.count(Change::kGone), 0);
  EXPECT_EQ(comparison.left_out_before, 1);
  // A task of an author who is in the folder is missed.
  const ReportData bobs = told("00", file, {timed_evaluation("00", kSoftmax, "bob", 800'000)});
  EXPECT_EQ(compare(bobs, both_tasks(), Side::kEager).count(Change::kGone), 1);
}

// Pairs were measured side by side, so they overrule whatever the two runs said.
TEST(CompareRuns, PairsThatWereMeasuredAgainReplaceTheRuns) {
  Comparison comparison = compare_times(1'000'000, 1'100'000);
  ASSERT_EQ(comparison.rows.at(0).pairs, 0);
  Evidence evidence{.slowdowns = {0.2, 0.21, 0.19, 0.2, 0.2}, .between_runs = 0.02};
  judge_by_pairs(comparison, {evidence});
  const ComparedRow& row = comparison.rows.at(0);
  EXPECT_EQ(row.change, Change::kSlower);
  EXPECT_EQ(row.pairs, 5);
  EXPECT_NEAR(row.ratio->estimate, -0.2, 1e-9);
  EXPECT_LT(row.ratio->high, 0);
  EXPECT_THAT(render_compare(comparison, false, {}), HasSubstr("measured again, 5 pairs"));
  EXPECT_EQ(compare_json(comparison)["rows"][0]["pairs"], 5);

  evidence.slowdowns = {0.2, -0.2, 0.2, -0.2};
  judge_by_pairs(comparison, {evidence});
  EXPECT_EQ(comparison.rows.at(0).change, Change::kUndecided);
  const std::string table = render_compare(comparison, false, {});
  EXPECT_THAT(table, HasSubstr("Speed after/before"));
  EXPECT_THAT(table, HasSubstr("Stored: vs eager before"));
  EXPECT_THAT(table, HasSubstr("Undecided because\n  4 pairs scatter too much"));
  EXPECT_THAT(compare_json(comparison)["rows"][0]["reason"].get<std::string>(),
              HasSubstr("(--pairs 8)"));
  const auto reason_after = [&](int pairs) {
    evidence.slowdowns.clear();
    for (int i = 0; i < pairs; ++i) evidence.slowdowns.push_back(i % 2 == 0 ? 0.9 : -0.9);
    judge_by_pairs(comparison, {evidence});
    return compare_json(comparison)["rows"][0]["reason"].get<std::string>();
  };
  EXPECT_THAT(reason_after(60), HasSubstr("more pairs (--pairs 99)")) << "it takes no more";
  EXPECT_THAT(reason_after(99), Not(HasSubstr("more pairs")));
}

// They stood under "New pairs", with the advice to measure them again.
TEST(CompareReport, WhatWasNotMeasuredAgainIsMarked) {
  std::vector<Evaluation> before;
  std::vector<Evaluation> after;
  for (const char* agent : {"again", "same", "lost"}) {
    before.push_back(timed_evaluation("aa", kRelu, agent, 1'000'000));
    after.push_back(timed_evaluation("bb", kRelu, agent, 1'030'000));
    if (std::string_view(agent) != "same") after.back().submission->source_hash = "another";
  }
  Comparison comparison = compare(data_of({.id = "aa"}, std::move(before)),
                                  data_of({.id = "bb"}, std::move(after)), Side::kEager);
  EXPECT_THAT(render_compare(comparison, true, {}), Not(HasSubstr("stored 0.97")));
  std::vector<Evidence> by_row(3);
  for (std::size_t i = 0; i < by_row.size(); ++i)
    if (comparison.rows[i].agent == "again")
      by_row[i] = {.slowdowns = {0.2, 0.21, 0.19, 0.2, 0.2}, .between_runs = 0.02};
  const auto reasons = [&] {
    std::map<std::string, std::string> found;
    const Json report = compare_json(comparison);
    for (const Json& row : report["rows"])
      found[row["agent"]] = row["reason"].is_null() ? "" : row["reason"];
    return found;
  };
  EXPECT_THAT(reasons()["same"],
              HasSubstr("its source is unchanged, so that --remeasure does not"));
  EXPECT_THAT(reasons()["lost"], HasSubstr("`kbench compare --remeasure`"));
  judge_by_pairs(comparison, by_row);
  const std::string table = render_compare(comparison, true, {});
  EXPECT_THAT(table, HasSubstr("Speed after/before"));
  EXPECT_THAT(table, ContainsRegex("same +stored 0.97"));
  EXPECT_THAT(table, ContainsRegex("lost +stored 0.97"));
  EXPECT_THAT(table, ContainsRegex("again +0.81"));
  EXPECT_THAT(table, Not(HasSubstr("--remeasure")));
  EXPECT_EQ(reasons()["again"], "");
  EXPECT_THAT(reasons()["same"], EndsWith("its source is unchanged, and was not measured again"));
  EXPECT_THAT(reasons()["lost"], EndsWith("; it was not measured again"));
}

// `kbench compare --help` names the number.
TEST(CompareRuns, SevenEqualPairsOnACpuAreSameAndSixAreNot) {
  Comparison comparison = compare_times(1'000'000, 1'000'000);
  comparison.rows.at(0).after->device = "cpu";
  Evidence evidence{.slowdowns = std::vector<double>(6, 0.0),
                    .between_runs = least_spread("cpu").between_runs};
  judge_by_pairs(comparison, {evidence});
  EXPECT_EQ(comparison.rows.at(0).change, Change::kUndecided);
  evidence.slowdowns.push_back(0);
  judge_by_pairs(comparison, {evidence});
  EXPECT_EQ(comparison.rows.at(0).change, Change::kSame);
}

TEST(CompareRuns, OnePairAloneHasNoScatter) {
  Comparison comparison = compare_times(1'000'000, 1'000'000);
  judge_by_pairs(comparison, {Evidence{.slowdowns = {0.3}}});
  EXPECT_EQ(comparison.rows.at(0).pairs, 0);
  EXPECT_NEAR(comparison.rows.at(0).ratio->estimate, 0, 1e-9);
}

TEST(CompareRuns, VerdictsOnTimes) {
  EXPECT_EQ(change_of(1'000'000, 1'100'000), Change::kSlower);
  EXPECT_EQ(change_of(1'100'000, 1'000'000), Change::kFaster);
  EXPECT_EQ(change_of(1'000'000, 1'030'000), Change::kUndecided);
  EXPECT_EQ(change_of(1'000'000, 1'000'000), Change::kUndecided)
      << "an interval of 5.5 % does not lie within 3 %";
}

// A row of a device whose runs hardly differ.
Evaluation steady(const std::string& run, std::int64_t time_ns) {
  Evaluation evaluation = timed_evaluation(run, kRelu, "alice", time_ns);
  evaluation.device = "cuda";
  evaluation.calibration = Calibration{0, 0.001, "2026-11-19T10:00:00Z"};
  return evaluation;
}

TEST(CompareRuns, WithinTheMarginIsTheSameEvenWhereItSurelyDiffers) {
  const auto comparison = compare(data_of({.id = "aa"}, {steady("aa", 1'000'000)}),
                                  data_of({.id = "bb"}, {steady("bb", 1'006'000)}), Side::kEager);
  const ComparedRow& row = comparison.rows.at(0);
  EXPECT_LT(row.corrected_p.value(), 0.001);
  EXPECT_EQ(row.change, Change::kSame);
  EXPECT_EQ(comparison.count(Change::kSame), 1);
  EXPECT_EQ(comparison.fails_in_both(), 0);
}

TEST(CompareRuns, TheScaleIsTheBaselineThatWasAskedFor) {
  ReportData before = data_of({.id = "aa"}, {timed_evaluation("aa", kRelu, "alice", 1'000'000)});
  ReportData after = before;
  // The compiled baseline became twice as fast, eager and the submission did not change.
  for (Sample& sample : after.evaluations[0].samples)
    if (sample.side == Side::kCompiled) sample.time_ns /= 2;
  EXPECT_NEAR(compare(before, after, Side::kEager).rows[0].ratio->estimate, 0, 1e-9);
  EXPECT_NEAR(compare(before, after, Side::kCompiled).rows[0].ratio->estimate, -std::log(2), 1e-9);
}

TEST(CompareRuns, ASlowerMachineCancels) {
  ReportData before = data_of({.id = "aa"}, {timed_evaluation("aa", kRelu, "alice", 1'000'000)});
  ReportData after = before;
  for (Sample& sample : after.evaluations[0].samples) sample.time_ns *= 3;
  EXPECT_NEAR(compare(before, after, Side::kEager).rows[0].ratio->estimate, 0, 1e-9);
}

TEST(CompareRuns, TheCorrectionIsOverAllRows) {
  // 8 % slower: p = 0.0065. With ten more rows, which did not change, it is eleven times that.
  std::string reason;
  const auto runs_with = [&](int more) {
    std::vector<Evaluation> before{timed_evaluation("aa", kRelu, "alice", 1'000'000)};
    std::vector<Evaluation> after{timed_evaluation("bb", kRelu, "alice", 1'080'000)};
    for (int i = 0; i < more; ++i) {
      const std::string task = "level1/1" + std::to_string(10 + i) + "_other";
      before.push_back(timed_evaluation("aa", task, "alice", 1'000'000));
      after.push_back(timed_evaluation("bb", task, "alice", 1'000'000));
    }
    const auto comparison = compare(data_of({.id = "aa"}, std::move(before)),
                                    data_of({.id = "bb"}, std::move(after)), Side::kEager);
    const Json report = compare_json(comparison);
    for (const Json& row : report["rows"])
      if (row["task"] == kRelu && row["reason"].is_string()) reason = row["reason"];
    for (const ComparedRow& row : comparison.rows)
      if (row.task == kRelu) return row;
    return ComparedRow{};
  };
  const ComparedRow alone = runs_with(0);
  EXPECT_EQ(alone.change, Change::kSlower);
  EXPECT_DOUBLE_EQ(alone.corrected_p.value(), alone.ratio->p);
  const ComparedRow among = runs_with(10);
  EXPECT_EQ(among.change, Change::kUndecided);
  EXPECT_NEAR(among.corrected_p.value(), 11 * alone.ratio->p, 1e-12);
  EXPECT_EQ(reason, "not significant among 11 rows (Holm's correction), although it would be alone")
      << "the interval of 8 % is not what keeps it undecided";
}

TEST(CompareRuns, VerdictsOnStates) {
  const auto before = data_of(
      {.id = "aa"},
      {timed_evaluation("aa", kRelu, "breaks", 1'000'000), failed_evaluation("aa", kRelu, "mends"),
       failed_evaluation("aa", kRelu, "stays"), timed_evaluation("aa", kRelu, "leaves", 1'000'000),
       timed_evaluation("aa", kRelu, "unlucky", 1'000'000)});
  const auto after = data_of(
      {.id = "bb"},
      {failed_evaluation("bb", kRelu, "breaks", State::kCrash),
       timed_evaluation("bb", kRelu, "mends", 1'000'000), failed_evaluation("bb", kRelu, "stays"),
       timed_evaluation("bb", kRelu, "comes", 1'000'000),
       failed_evaluation("bb", kRelu, "unlucky", State::kInfrastructureError)});
  const Comparison comparison = compare(before, after, Side::kEager);
  std::vector<std::string> found;
  for (const ComparedRow& row : comparison.rows)
    found.push_back(row.agent + ": " + std::string(to_string(row.change)) + " " + row.reason);
  EXPECT_THAT(found, ElementsAre("breaks: NOW FAILS crash", "leaves: GONE ",
                                 "unlucky: UNDECIDED infrastructure error", "comes: NEW ",
                                 "mends: NOW PASSES before: wrong result",
                                 "stays: SAME fails in both: wrong result"));
  EXPECT_EQ(comparison.fails_in_both(), 1);
}

TEST(CompareRuns, ASubmissionForAnotherDeviceIsNone) {
  auto other = failed_evaluation("bb", kRelu, "alice", State::kSkipped);
  const auto comparison =
      compare(data_of({.id = "aa"}, {}), data_of({.id = "bb"}, {other}), Side::kEager);
  EXPECT_THAT(comparison.rows, IsEmpty());
}

TEST(CompareRuns, TheLastEvaluationThatCouldBeReadStandsForASubmission) {
  Evaluation first = timed_evaluation("bb", kRelu, "alice", 3'000'000);
  Evaluation last = timed_evaluation("bb", kRelu, "alice", 1'000'000);
  // A folder of hers that nobody could read tells no variant.
  Evaluation unreadable = failed_evaluation("bb", kRelu, "alice", State::kCompileError);
  unreadable.submission->source_hash.clear();
  const auto comparison =
      compare(data_of({.id = "aa"}, {timed_evaluation("aa", kRelu, "alice", 1'000'000)}),
              data_of({.id = "bb"}, {first, last, unreadable}), Side::kEager);
  ASSERT_EQ(comparison.rows.size(), 1u);
  EXPECT_NEAR(comparison.rows[0].ratio->estimate, 0, 1e-9);
}

TEST(CompareRuns, VariantsAreRowsOfTheirOwn) {
  const auto comparison = compare(
      data_of({.id = "aa"}, {timed_evaluation("aa", kRelu, "alice", 1'000'000),
                             timed_evaluation("aa", kRelu, "alice", 2'000'000, "v2")}),
      data_of({.id = "bb"}, {timed_evaluation("bb", kRelu, "alice", 1'000'000)}), Side::kEager);
  ASSERT_EQ(comparison.rows.size(), 2u);
  EXPECT_EQ(comparison.rows[0].change, Change::kGone);
  EXPECT_EQ(comparison.rows[0].contestant(), "alice@v2");
}

TEST(CompareRuns, WithoutACalibrationThereIsNoVerdict) {
  Evaluation uncalibrated = timed_evaluation("bb", kRelu, "alice", 4'000'000);
  uncalibrated.calibration.reset();
  const auto comparison =
      compare(data_of({.id = "aa"}, {timed_evaluation("aa", kRelu, "alice", 1'000'000)}),
              data_of({.id = "bb"}, {uncalibrated}), Side::kEager);
  const ComparedRow& row = comparison.rows.at(0);
  EXPECT_EQ(row.change, Change::kUndecided);
  EXPECT_THAT(row.reason, HasSubstr("after: the timing is not calibrated on this device"));
  EXPECT_TRUE(row.ratio) << "what was measured is shown";
  EXPECT_FALSE(row.corrected_p);
}

TEST(CompareRuns, WithoutABaselineThereIsNoRatio) {
  Evaluation without = timed_evaluation("bb", kRelu, "alice", 1'000'000);
  std::erase_if(without.samples, [](const Sample& s) { return s.side == Side::kCompiled; });
  without.compiled_reason = "no Python with torch";
  const auto comparison =
      compare(data_of({.id = "aa"}, {timed_evaluation("aa", kRelu, "alice", 1'000'000)}),
              data_of({.id = "bb"}, {without}), Side::kCompiled);
  EXPECT_EQ(comparison.rows.at(0).change, Change::kUndecided);
  EXPECT_FALSE(comparison.rows[0].ratio);
  EXPECT_EQ(comparison.rows[0].reason, "after: compiled: no Python with torch");
}

// --- what may be compared ---

std::vector<std::string> names(const std::vector<Difference>& differences) {
  std::vector<std::string> found;
  for (const Difference& one : differences) found.push_back(one.what);
  return found;
}

TEST(CompareRuns, WhatMeasuresInAnotherWayIsRefused) {
  const Evaluation row = timed_evaluation("aa", kRelu, "alice", 1'000'000);
  const auto plain = data_of({.id = "aa"}, {row});
  EXPECT_THAT(incomparable(plain, plain), IsEmpty());
  const auto against = [&](const RunSpec& spec, auto change) {
    ReportData other = data_of(spec, {row});
    change(other.evaluations[0]);
    return names(incomparable(plain, other));
  };
  const auto nothing = [](Evaluation&) {};
  EXPECT_THAT(against({.id = "b", .device = "Another CPU"}, nothing), ElementsAre("device"));
  EXPECT_THAT(against({.id = "b", .threads = 64}, nothing), ElementsAre("device"));
  EXPECT_THAT(against({.id = "b", .quick = true}, nothing), ElementsAre("timing"));
  EXPECT_THAT(against({.id = "b"}, [](auto& e) { e.size = "full"; }), ElementsAre("size"));
  EXPECT_THAT(against({.id = "b"}, [](auto& e) { e.precision = "tf32"; }),
              ElementsAre("precision class"));
  EXPECT_THAT(against({.id = "b"}, [](auto& e) { e.profile = "kernelbench"; }),
              ElementsAre("profile"));
  EXPECT_THAT(against({.id = "b"}, [](auto& e) { e.protocol = 1; }), ElementsAre("protocol"));
  EXPECT_THAT(against({.id = "b", .device = "Another CPU", .quick = true},
                      [](auto& e) { e.size = "full"; }),
              ElementsAre("device", "size", "timing"));
}

// The policy on torch decides whether a submission is ranked, and with whom.
TEST(CompareRuns, AnotherTorchPolicyIsRefusedWhereBothHavePython) {
  const auto with = [](const std::string& policy) {
    Evaluation row = timed_evaluation("aa", kRelu, "alice", 1'000'000);
    row.allow_torch = policy;
    return data_of({.id = "aa"}, {row});
  };
  EXPECT_THAT(names(incomparable(with("data"), with("all"))), ElementsAre("torch policy"));
  EXPECT_THAT(incomparable(with("all"), with("all")), IsEmpty());
  EXPECT_THAT(incomparable(with(""), with("all")), IsEmpty()) << "native submissions alone";
  ReportData skipped = with("data");
  skipped.evaluations[0].state = State::kSkipped;
  EXPECT_THAT(incomparable(skipped, with("all")), IsEmpty());
}

TEST(CompareRuns, TheKindOfDeviceOfAnOldRunIsThatOfItsRows) {
  ReportData cpu = data_of({.id = "aa"}, {timed_evaluation("aa", kRelu, "alice", 1'000'000)});
  cpu.run.environment = cpu.run.configuration = "{}";
  ReportData cuda = cpu;
  cuda.evaluations[0].device = "cuda";
  EXPECT_THAT(incomparable(cpu, cpu), IsEmpty());
  EXPECT_THAT(names(incomparable(cpu, cuda)), ElementsAre("device"));
}

TEST(CompareRuns, WhatSurroundedTheKernelsIsNamed) {
  ReportData before = data_of({.id = "aa"}, {timed_evaluation("aa", kRelu, "alice", 1'000'000)});
  ReportData after =
      data_of({.id = "bb", .torch = "2.12.0"}, {timed_evaluation("bb", kRelu, "alice", 1'000'000)});
  after.evaluations[0].task_hash = "9999";
  after.evaluations[0].submission->source_hash = "8888";
  Json environment = Json::parse(after.run.environment);
  environment["gpu"] = {{"driver", "580.1"}};
  environment["kbench"] = "kbench 0.2.0";
  environment["host_compiler"] = "g++ 13";
  environment["calibration"] = {
      {"between_runs", 0.02}, {"between_sessions", 0.01}, {"measured_at", "2026-11-20T10:00:00Z"}};
  after.run.environment = environment.dump();
  const Comparison comparison = compare(before, after, Side::kEager);
  EXPECT_THAT(names(comparison.environment), ElementsAre("driver", "torch", "host compiler",
                                                         "kbench", "calibration", "task files"));
  EXPECT_EQ(comparison.environment[1].before, "2.11.0");
  EXPECT_EQ(comparison.environment[1].after, "2.12.0");
  EXPECT_EQ(comparison.environment[4].after,
            "2026-11-20 10:00, 2.00 % between runs, 1.00 % between sessions");
  EXPECT_EQ(comparison.environment[5].after, "level1/019_relu changed");
  EXPECT_FALSE(comparison.rows[0].same_task);
  EXPECT_FALSE(comparison.rows[0].same_source);
}

TEST(CompareRuns, AnUnfinishedOrChangedRunIsACaution) {
  ReportData before = data_of({.id = "aa"}, {timed_evaluation("aa", kRelu, "alice", 1'000'000)});
  before.chain = {ChainFinding::State::kHolds, "as they were stored"};
  ReportData after = before;
  EXPECT_THAT(compare(before, after, Side::kEager).cautions, IsEmpty());
  after.run.finished_at.clear();
  before.chain = {ChainFinding::State::kChanged, "row 1 is another"};
  EXPECT_THAT(compare(before, after, Side::kEager).cautions,
              ElementsAre(HasSubstr("row 1 is another"), HasSubstr("after is not finished")));
  // Was: no word about rows that nobody vouches for.
  for (const auto state : {ChainFinding::State::kUnchained, ChainFinding::State::kUnchecked}) {
    before.chain = {state, "who knows"};
    EXPECT_THAT(compare(before, after, Side::kEager).cautions,
                ElementsAre(HasSubstr("who knows"), HasSubstr("after is not finished")));
  }
}

TEST(CompareRuns, ARerunIsACaution) {
  const ReportData before =
      data_of({.id = "aa"}, {timed_evaluation("aa", kRelu, "alice", 1'000'000)});
  const auto cautions_of = [&](const std::string& rerun) {
    ReportData after = before;
    after.run.configuration = "{\"rerun\": " + rerun + "}";
    after.chain = {ChainFinding::State::kHolds, "as they were stored"};
    ReportData held = before;
    held.chain = after.chain;
    return compare(held, after, Side::kEager).cautions;
  };
  EXPECT_THAT(
      cautions_of(R"({"run": "0123456789abcdef", "states": ["failed"]})"),
      ElementsAre("the run after is a part of another: Only what failed in run 0123456789ab "
                  "was run again"));
  EXPECT_THAT(cautions_of(R"({"run": 7, "states": ["timeout", "crash"]})"),
              ElementsAre(HasSubstr("ended as timeout or crash in another run")));
  for (const char* foreign : {"null", "[]", "3", "{}"})
    EXPECT_THAT(cautions_of(foreign), IsEmpty());
}

// A file of somebody else may hold anything.
TEST(CompareRuns, FactsOfAnyTypeAreTakenOrLeft) {
  for (const char* json : {"", "[]", "7", "{", R"({"device":7,"torch":[],"gpu":null})",
                           R"({"device":{"name":{},"threads":-1e99,"kind":"cpu"}})",
                           R"({"calibration":{"between_runs":"x"},"submissions":{"dirty":3}})"}) {
    kbench::Run run;
    run.environment = run.configuration = json;
    const RunFacts facts = facts_of(run);
    EXPECT_EQ(facts.threads, 0);
    EXPECT_EQ(facts.commit, "");
    EXPECT_FALSE(facts.quick);
  }
}

// --- what fails ---

TEST(FailOn, IsParsedOrExplained) {
  EXPECT_DOUBLE_EQ(parse_fail_on("slower:5%")->slower.value(), 0.05);
  EXPECT_FALSE(parse_fail_on("slower:5%")->fails);
  EXPECT_DOUBLE_EQ(parse_fail_on("slower:2.5%,fails")->slower.value(), 0.025);
  EXPECT_TRUE(parse_fail_on("fails,slower:0%")->fails);
  EXPECT_FALSE(parse_fail_on("fails")->slower);
  for (const char* wrong : {"", "slower", "slower:", "slower:5", "slower:-5%", "slower:x%",
                            "slower:5%,", ",fails", "Fails", "slower:nan%", "slower:1e1%"}) {
    const auto parsed = parse_fail_on(wrong);
    ASSERT_FALSE(parsed.ok()) << wrong;
    EXPECT_EQ(parsed.error().code, ErrorCode::kUsage);
    EXPECT_THAT(parsed.error().hint, HasSubstr("slower:5%"));
  }
}

TEST(FailOn, SlowerIsSurelyAndByMoreThanThat) {
  const Comparison surely = compare_times(1'000'000, 1'100'000);
  EXPECT_EQ(offenders(surely, *parse_fail_on("slower:9%")).size(), 1u);
  EXPECT_EQ(offenders(surely, *parse_fail_on("slower:11%")).size(), 0u);
  EXPECT_EQ(offenders(surely, *parse_fail_on("fails")).size(), 0u);
  const Comparison unsure = compare_times(1'000'000, 1'030'000);
  EXPECT_EQ(offenders(unsure, *parse_fail_on("slower:1%")).size(), 0u) << "not SLOWER";
  EXPECT_EQ(offenders(compare_times(1'100'000, 1'000'000), *parse_fail_on("slower:0%")).size(), 0u);
}

// Was: "compared …" and exit code 0, on a machine where no row can ever be judged.
TEST(FailOn, RowsThatCouldNotBeJudgedAreCounted) {
  const Comparison unsure = compare_times(1'000'000, 1'030'000);
  EXPECT_EQ(not_judged_words(unsure, *parse_fail_on("slower:5%,fails")),
            "1 of 1 rows are UNDECIDED, on which slower:5% does not fail");
  EXPECT_EQ(not_judged_words(unsure, *parse_fail_on("fails")), "");
  EXPECT_EQ(not_judged_words(compare_times(1'000'000, 1'100'000), *parse_fail_on("slower:5%")), "");
}

TEST(FailOn, FailsIsWhatFailsNowOrIsGone) {
  const auto comparison =
      compare(data_of({.id = "aa"}, {timed_evaluation("aa", kRelu, "breaks", 1'000'000),
                                     timed_evaluation("aa", kRelu, "leaves", 1'000'000),
                                     failed_evaluation("aa", kRelu, "stays")}),
              data_of({.id = "bb"}, {failed_evaluation("bb", kRelu, "breaks"),
                                     failed_evaluation("bb", kRelu, "stays"),
                                     failed_evaluation("bb", kRelu, "comes")}),
              Side::kEager);
  const auto found = offenders(comparison, *parse_fail_on("fails"));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(offence_words(*found[0]), "level1/019_relu of breaks now fails");
  EXPECT_EQ(offence_words(*found[1]), "level1/019_relu of leaves is gone");
  EXPECT_TRUE(offenders(comparison, *parse_fail_on("slower:5%")).empty());
}

// --- what is written ---

// Two rows, one of them the same; names and facts that try to steer a terminal.
Comparison hostile_comparison() {
  const std::string agent = "a\x1b[31mlice\n\xe2\x80\xae<b>" + std::string(200, 'x');
  ReportData before =
      data_of({.id = "aa\x1b", .torch = "2\x1b]0;owned\x07"},
              {timed_evaluation("aa", kRelu, agent, 1'000'000), steady("aa", 1'000'000)});
  ReportData after =
      data_of({.id = "bb", .torch = "\xe2\x80\xae"},
              {timed_evaluation("bb", kRelu, agent, 1'200'000), steady("bb", 1'000'000)});
  before.tags = {"good"};
  return compare(before, after, Side::kEager);
}

// Was: 180 UNDECIDED rows of unchanged sources behind 8 that were SLOWER.
TEST(CompareReport, ManyRowsOfAnUnchangedSourceAreCountedAndNotListed) {
  const auto unchanged = [](int rows) {
    std::vector<Evaluation> before;
    std::vector<Evaluation> after;
    for (int i = 0; i < rows; ++i) {
      const std::string agent = fmt::format("agent{:02}", i);
      before.push_back(timed_evaluation("aa", kRelu, agent, 1'000'000));
      after.push_back(timed_evaluation("bb", kRelu, agent, 1'010'000));
    }
    return compare(data_of({.id = "aa"}, std::move(before)),
                   data_of({.id = "bb"}, std::move(after)), Side::kEager);
  };
  const std::string few = render_compare(unchanged(20), false, {});
  EXPECT_THAT(few, HasSubstr("agent07"));
  EXPECT_THAT(few, Not(HasSubstr("--all lists these")));
  EXPECT_THAT(few, HasSubstr("geometric mean 0.990× over 20 rows"));
  const std::string many = render_compare(unchanged(21), false, {});
  EXPECT_THAT(many, Not(HasSubstr("agent07")));
  EXPECT_THAT(many,
              HasSubstr("21 UNDECIDED (21 of them of an unchanged source: --all lists these)"));
  EXPECT_THAT(render_compare(unchanged(21), true, {}), HasSubstr("agent07"));
}

TEST(CompareReport, ListsWhatChangedAndCountsTheRest) {
  const std::string text = render_compare(hostile_comparison(), false, {});
  EXPECT_THAT(text, HasSubstr("▼ SLOWER"));
  EXPECT_THAT(text, HasSubstr("0.833× [0.788–0.881]"));
  EXPECT_THAT(text, Not(HasSubstr("= SAME")));
  EXPECT_THAT(
      text, HasSubstr("2 submissions: 1 SLOWER · 1 SAME (--all lists them) · geometric mean 0.913× "
                      "over 2 rows\n"));
  EXPECT_LT(text.find("Changed around the kernels"), text.find("SLOWER"));
  EXPECT_THAT(text, HasSubstr("good"));
  EXPECT_THAT(render_compare(hostile_comparison(), true, {}), HasSubstr("= SAME"));
}

TEST(CompareReport, FitsTheTerminalAndKeepsWhatMatters) {
  for (const std::size_t columns : {60u, 80u, 120u}) {
    std::istringstream lines(render_compare(hostile_comparison(), true, {.columns = columns}));
    bool in_table = false;
    for (std::string line; std::getline(lines, line);) {
      in_table = in_table || line.starts_with("Change ");
      if (line.empty()) in_table = false;
      if (!in_table) continue;
      EXPECT_LE(display_width(line), columns) << line;
      if (line.find("SLOWER ") != std::string::npos) {
        EXPECT_THAT(line, HasSubstr("0.833×"));
      }
    }
  }
}

TEST(CompareReport, ForeignTextSteersNobody) {
  const std::string text = render_compare(hostile_comparison(), true, {});
  for (const char* steering : {"\x1b", "\x07", "\xe2\x80\xae"})
    EXPECT_THAT(text, Not(HasSubstr(steering)));
  const std::string json =
      compare_json(hostile_comparison()).dump(-1, ' ', true, Json::error_handler_t::replace);
  EXPECT_THAT(json, Not(HasSubstr("\x1b")));
}

TEST(CompareReport, WhatWasForcedIsSaidFirst) {
  ReportData before = data_of({.id = "aa"}, {timed_evaluation("aa", kRelu, "alice", 1'000'000)});
  ReportData after = data_of({.id = "bb", .quick = true}, before.evaluations);
  const std::string text = render_compare(compare(before, after, Side::kEager), false, {});
  EXPECT_THAT(
      text,
      HasSubstr("Compared although these differ (--force)\n  timing: without --quick → --quick"));
}

TEST(CompareReport, JsonHasEveryRowWithItsNumbers) {
  const Json json = compare_json(compare_times(1'000'000, 1'100'000));
  EXPECT_EQ(json["counts"]["SLOWER"], 1);
  EXPECT_EQ(json["counts"]["SAME"], 0);
  EXPECT_EQ(json["baseline"], "eager");
  EXPECT_EQ(json["before"]["id"], "aa");
  const Json& row = json["rows"].at(0);
  EXPECT_EQ(row["change"], "SLOWER");
  EXPECT_NEAR(row["ratio"]["estimate"].get<double>(), 1 / 1.1, 1e-6);
  EXPECT_LE(row["ratio"]["p_holm"].get<double>(), 0.05);
  EXPECT_EQ(row["source_changed"], false);
  EXPECT_NEAR(row["before"]["speedup"]["estimate"].get<double>(), 2, 1e-6);
  EXPECT_EQ(row["after"]["state"], "ok");
}

}  // namespace
}  // namespace kbench
