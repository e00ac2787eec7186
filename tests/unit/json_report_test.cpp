#include "reports/formats/json_report.hpp"

#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reports/facts/fields.hpp"
#include "tests/unit/golden.hpp"
#include "tests/unit/paths.hpp"
#include "tests/unit/report_fixture.hpp"
#include "tests/unit/score_fixture.hpp"

namespace kbench {
namespace {

using test::make_report_data;

TEST(JsonReport, MatchesItsGolden) {
  test::expect_golden("reports/report.json", render_json(make_report_data()));
}

TEST(JsonReport, HasThePromisedFields) {
  const Json report = Json::parse(render_json(make_report_data()));
  EXPECT_EQ(report.at("schema_version"), kReportSchemaVersion);
  EXPECT_EQ(report.at("run_id"), "0123456789abcdef0123456789abcdef");
  EXPECT_EQ(report.at("device"), "cpu");
  EXPECT_EQ(report.at("environment").at("threads"), 2);
  ASSERT_EQ(report.at("results").size(), 6u);
  const Json& relu = report.at("results").at(1);
  EXPECT_EQ(relu.at("task"), "level1/019_relu");
  EXPECT_EQ(relu.at("level"), 1);
  EXPECT_EQ(relu.at("size"), "small");
  EXPECT_EQ(relu.at("agent"), "example");
  EXPECT_EQ(relu.at("submission"), "example/level1/019_relu.cpp");
  EXPECT_EQ(relu.at("state"), "ok");
  EXPECT_EQ(relu.at("fault"), "none");
  EXPECT_EQ(relu.at("correct"), true);
  for (const char* side : {"eager", "compiled", "submission"})
    EXPECT_TRUE(relu.at("time_ns").at(side).is_number());
  EXPECT_EQ(relu.at("time_ns").at("reason"), Json::object());
  for (const char* side : {"eager", "compiled"}) {
    for (const char* part : {"estimate", "low", "high"})
      EXPECT_TRUE(relu.at("speedup").at(side).at(part).is_number());
  }
  EXPECT_EQ(relu.at("speedup").at("eager").at("verdict"), "FASTER");
  EXPECT_TRUE(relu.at("max_error").is_number());
  EXPECT_TRUE(relu.at("tolerance").is_number());
  EXPECT_EQ(relu.at("message"), "");
}

TEST(JsonReport, WhatIsMissingIsNullWithAReason) {
  const Json report = report_json(make_report_data());
  const Json& wrong = report.at("results").at(4);
  ASSERT_EQ(wrong.at("state"), "wrong_result");
  EXPECT_EQ(wrong.at("fault"), "submission");
  EXPECT_EQ(wrong.at("correct"), false);
  EXPECT_TRUE(wrong.at("time_ns").at("compiled").is_null());
  EXPECT_EQ(wrong.at("time_ns").at("reason").at("compiled"),
            "no Python with torch: set KBENCH_TORCH");
  EXPECT_FALSE(wrong.at("time_ns").at("reason").contains("eager"));
  EXPECT_TRUE(wrong.at("speedup").at("compiled").is_null());
  EXPECT_TRUE(wrong.at("max_error").is_null()) << "NaN";
  const Json& alone = report.at("results").at(5);
  EXPECT_EQ(alone.at("state"), "no_submission");
  EXPECT_TRUE(alone.at("agent").is_null());
  EXPECT_TRUE(alone.at("correct").is_null());
}

TEST(JsonReport, InfinityAndBytesThatAreNotUtf8AreRefused) {
  ReportData data = make_report_data();
  data.evaluations.resize(1);
  data.evaluations[0].checks[0].max_error = std::numeric_limits<double>::infinity();
  data.evaluations[0].message = "\xff\xfe";
  const Json report = Json::parse(render_json(data));
  EXPECT_TRUE(report.at("results").at(0).at("max_error").is_null());
}

TEST(JsonReport, IsPureAscii) {
  for (const char c : render_json(make_report_data()))
    ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << static_cast<int>(c);
}

TEST(JsonReport, AnEmptyRunIsAValidReport) {
  const Json report = Json::parse(render_json({{.id = "r"}, {}}));
  EXPECT_TRUE(report.at("device").is_null());
  EXPECT_TRUE(report.at("finished_at").is_null());
  EXPECT_EQ(report.at("environment"), Json::object());
  EXPECT_EQ(report.at("results"), Json::array());
}

TEST(JsonReport, TheSeedOfTheRunAndThatOfEachRow) {
  ReportData data = make_report_data();
  data.evaluations.resize(1);
  data.evaluations[0].seed = "00ff";
  EXPECT_TRUE(report_json(data).at("seed").is_null()) << "nobody named one";
  EXPECT_EQ(report_json(data).at("results").at(0).at("seed"), "00ff");
  data.run.configuration = R"({"seed": 7})";
  EXPECT_EQ(report_json(data).at("seed"), 7);
  data.evaluations[0].seed.clear();
  EXPECT_TRUE(report_json(data).at("results").at(0).at("seed").is_null());
}

TEST(JsonReport, AFailureIsPaidAsOneAndWhatIsNotRankedByNothing) {
  ReportData data = make_report_data();
  data.evaluations.resize(1);
  const auto pay = [&](State state, const char* labels) {
    data.evaluations[0].state = state;
    data.evaluations[0].labels = labels;
    return report_json(data).at("results").at(0).at("pay");
  };
  EXPECT_EQ(pay(State::kOk, ""), "speedup");
  EXPECT_EQ(pay(State::kCrash, ""), "failure");
  EXPECT_EQ(pay(State::kWrongResult, ""), "failure");
  EXPECT_TRUE(pay(State::kInfrastructureError, "").is_null());
  EXPECT_TRUE(pay(State::kOk, "known_inputs").is_null());
}

// Was paid for its speed-up, while its reward had no value.
TEST(JsonReport, PayIsNullExactlyWhereARowHasNoReward) {
  const RewardRule rule = find_reward(kDefaultReward).value();
  for (const State state :
       {State::kOk, State::kNoSubmission, State::kSkipped, State::kRefused, State::kWrongResult,
        State::kDoesNotFit, State::kSuspect, State::kInfrastructureError}) {
    for (const std::optional<bool> correct : {std::optional<bool>(), {true}, {false}}) {
      for (const char* unranked : {"", "zeros pass"}) {
        ResultRow row = test::solved("a", 1, 2, 2);
        row.state = state;
        row.correct = correct;
        row.credit.unranked = unranked;
        const Json json = result_json(row, rule);
        EXPECT_EQ(json.at("pay").is_null(), json.at("reward").at("value").is_null())
            << to_string(state) << " " << correct.has_value() << unranked;
      }
    }
  }
}

TEST(JsonReport, AnUnreadableEnvironmentIsKeptAsText) {
  EXPECT_EQ(report_json({{.environment = "{torn"}, {}}).at("environment").at("unreadable"),
            "{torn");
}

Json schema(const std::string& name) {
  std::ifstream file(std::string(kbench::test::kSchemas) + "/" + name);
  return Json::parse(file);
}

std::set<std::string> names_of(const Json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

// tests/golden/schema_test.py holds the texts against the schemas; this holds the schemas against
// the one table, so that a new field cannot be forgotten there.
TEST(JsonReport, ItsSchemasHaveEveryField) {
  const Json report = schema("report.schema.json");
  const Json line = schema("row.schema.json");
  const Json& result = report.at("$defs").at("result");
  EXPECT_EQ(names_of(report.at("properties")), names_of(report_json(make_report_data())));
  EXPECT_EQ(names_of(result.at("properties")),
            names_of(result_json({}, find_reward(kDefaultReward).value())));
  EXPECT_EQ(report.at("properties").at("schema_version").at("const"), kReportSchemaVersion);
  for (const Field& field : result_fields()) {
    std::string path = fmt::format("/properties/{}", field.name);
    if (const auto dot = path.find('.'); dot != path.npos) path.replace(dot, 1, "/properties/");
    const Json::json_pointer place(path);
    ASSERT_TRUE(result.contains(place)) << field.name;
    EXPECT_EQ(result.at(place).at("description"), field.help) << field.name;
    EXPECT_EQ(line.at(place), result.at(place)) << field.name;
  }
}

TEST(JsonReport, EachLineNamesItsRun) {
  ReportData data = make_report_data();
  data.reward = find_reward(kDefaultReward).value();  // the one field that has to be asked for
  std::istringstream lines(render_json_lines(data));
  int rows = 0;
  for (std::string line; std::getline(lines, line); ++rows) {
    const Json row = Json::parse(line);
    EXPECT_EQ(row.at("run_id"), "0123456789abcdef0123456789abcdef");
    EXPECT_EQ(row.at("schema_version"), kReportSchemaVersion);
    EXPECT_EQ(names_of(row), names_of(schema("row.schema.json").at("properties")));
  }
  EXPECT_EQ(rows, 6);
}

TEST(Fields, NamesAreUniqueAndEachIsExplained) {
  std::set<std::string_view> names;
  for (const Field& field : result_fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_FALSE(field.heading.empty()) << field.name;
    EXPECT_GT(field.help.size(), 10u) << field.name;
  }
}

TEST(Fields, NumbersAreRoundedToWhatMatters) {
  EXPECT_EQ(show_ms(0), "0");
  EXPECT_EQ(show_ms(0.25), "0.000000250");
  EXPECT_EQ(show_ms(41), "0.00004100") << "a floor of 41 ns is not nothing";
  EXPECT_EQ(show_ms(999), "0.0009990");
  EXPECT_EQ(show_ms(2'100), "0.002100");
  EXPECT_EQ(show_ms(1'234'567), "1.235");
  EXPECT_EQ(show_ms(123'456'789), "123.5");
  EXPECT_EQ(show_ratio(1.916), "1.92×");
  EXPECT_EQ(show_ratio(0.0342), "0.034×");
  EXPECT_EQ(show_ratio(124.4), "124×");
  EXPECT_EQ(show_error(0), "0");
  EXPECT_EQ(show_error(3.14e-7), "3.1e-07");
}

TEST(Fields, EveryStateHasAGlyphAndAnExplanation) {
  for (int i = 0; i <= static_cast<int>(State::kInfrastructureError); ++i) {
    EXPECT_FALSE(glyph(static_cast<State>(i)).empty());
    EXPECT_FALSE(help(static_cast<State>(i)).empty());
  }
  EXPECT_EQ(words(State::kWrongResult), "wrong result");
}

}  // namespace
}  // namespace kbench
