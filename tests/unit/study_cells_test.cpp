// Foreign lines: what is taken, what is refused, and in which words.
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/attribution/cells.hpp"
#include "tests/unit/paths.hpp"
#include "tests/unit/study_fixture.hpp"

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

const std::string kGood =
    R"({"task": "level1/019_relu", "trajectory": "t1", "state": "s1", "generation": 2, )"
    R"("stratum": "wrong", "available": ["error", "debugger"], "coalition": ["error"], )"
    R"("arm": "direct", "replicate": 0, "outcomes": {"fast:1": 0, "correct": true}, )"
    R"("undecided": ["fast:1"], "reply": "ab12", "labels": {"model": "m"}})";

std::string changed(std::string line, const std::string& from, const std::string& to) {
  line.replace(line.find(from), from.size(), to);
  return line;
}

TEST(StudyCells, ALineIsTaken) {
  const auto file = parse_cells(kGood + "\r\n\n", "x.jsonl");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_THAT(file->components, ElementsAre("debugger", "error"));
  EXPECT_THAT(file->outcomes, ElementsAre("correct", "fast:1"));
  ASSERT_EQ(file->cells.size(), 1u);
  const StudyCell& cell = file->cells.front();
  EXPECT_EQ(cell.line, 1u);
  EXPECT_EQ(cell.task, "level1/019_relu");
  EXPECT_EQ(cell.trajectory, "t1");
  EXPECT_EQ(cell.state, "s1");
  EXPECT_EQ(cell.generation, 2);
  EXPECT_EQ(cell.stratum, "wrong");
  EXPECT_EQ(cell.available, 0b11u);
  EXPECT_EQ(cell.coalition, 0b10u) << "by the place in the alphabet, not in the file";
  EXPECT_EQ(cell.arm, "direct");
  EXPECT_EQ(cell.replicate, 0);
  EXPECT_FALSE(cell.fault);
  EXPECT_THAT(cell.outcomes, ElementsAre(Pair(0, 1.0), Pair(1, 0.0)));
  EXPECT_EQ(cell.undecided, 0b10u);
  EXPECT_EQ(cell.reply, "ab12");
  EXPECT_THAT(cell.labels, ElementsAre(Pair("model", "m")));
}

TEST(StudyCells, WhatIsNotKnownMayBeLeftOut) {
  const auto file = parse_cells(
      R"({"state": "s", "available": [], "coalition": [], "arm": "direct", "outcomes": null})",
      "x");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(file->cells.front().fault);
  EXPECT_FALSE(file->cells.front().replicate);
  EXPECT_FALSE(file->cells.front().generation);
}

std::vector<std::string> golden_lines(const std::string& name) {
  std::ifstream stream(std::string(kbench::test::kGolden) + "/attribution/" + name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  EXPECT_GT(lines.size(), 3u) << name;
  return lines;
}

// golden.schema holds the schema to the same lines.
TEST(StudyCells, TheSchemaAndTheProgramTakeTheSameLines) {
  for (const std::string& line : golden_lines("accepted.jsonl")) {
    const auto file = parse_cells(line, "x");
    EXPECT_TRUE(file) << line << ": " << file.error().message;
  }
  for (const std::string& line : golden_lines("refused.jsonl"))
    EXPECT_FALSE(parse_cells(line, "x")) << line;
}

struct Refusal {
  const char* from;
  const char* to;
  const char* words;
  const char* hint;
};

TEST(StudyCells, WhatIsNotListedIsRefusedWithItsLine) {
  const Refusal refusals[] = {
      {"{\"task\"", "[\"task\"", "this is no JSON", "cell.schema.json"},
      {"\"stratum\"", "\"statum\"", "\"statum\" is no member", "did you mean \"stratum\"?"},
      {"\"stratum\"", "\"task\"", "a key stands there twice: task", ""},
      {"\"s1\"", "\"\"", "\"state\" is no text", ""},
      {"\"s1\"", "null", "there is no member \"state\"", ""},
      {"\"s1\"", "\"a\\u001bb\"", "\"state\" is no text", "write a text"},
      {"2,", "-2,", "\"generation\" is no whole number", ""},
      {"2,", "2.5,", "\"generation\" is no whole number", ""},
      {"2,", "1e99,", "\"generation\" is no whole number", ""},
      {"[\"error\", \"debugger\"]", "\"error\"", "\"available\" is no list", ""},
      {"\"debugger\"", "\"error\"", "\"available\" names error twice", ""},
      {"\"debugger\"", "\"a b\"", "something that is no name", "letters, digits"},
      {"[\"error\"],", "[\"profiler\"],", "profiler is in \"coalition\" and not in \"available\"",
       ""},
      {"\"direct\"", "\"dirct\"", "\"dirct\" is no arm", "did you mean \"direct\"?"},
      {"\"direct\"", "\"everything\"", "\"everything\" is no arm", "arms are direct, plan"},
      {"{\"fast:1\": 0, \"correct\": true}", "{}", "\"outcomes\" names none", ""},
      {"true", "\"yes\"", "the outcome correct is no number", "write 1 for a success"},
      {"true", "1e300", "the outcome correct is no number", ""},
      {"true", "1e999", "this is no JSON", ""},
      {"true", "{}", "the outcome correct is no number", ""},
      {"[\"fast:1\"]", "[\"built\"]", "built is in \"undecided\" and not in \"outcomes\"", ""},
      {"{\"model\": \"m\"}", "{\"model\": [[1]]}", "nested too deeply", ""},
      {"{\"model\": \"m\"}", "{\"model\": 1}", "a label is no name with a text", ""},
  };
  for (const Refusal& one : refusals) {
    const auto file = parse_cells("\n" + changed(kGood, one.from, one.to), "x.jsonl");
    ASSERT_FALSE(file) << one.to;
    EXPECT_EQ(file.error().code, ErrorCode::kBadInput);
    EXPECT_THAT(file.error().message, HasSubstr("x.jsonl:2: ")) << one.to;
    EXPECT_THAT(file.error().message, HasSubstr(one.words)) << one.to;
    EXPECT_THAT(file.error().hint, HasSubstr(one.hint)) << one.to;
  }
}

TEST(StudyCells, LinesThatContradictEachOtherAreRefused) {
  const auto message = [](const std::string& second) {
    const auto file = parse_cells(kGood + "\n" + second, "x");
    return file ? std::string() : file.error().message;
  };
  EXPECT_THAT(message(kGood),
              HasSubstr("x:2: line 1 has the same state, arm, coalition and replicate"));
  const std::string next = changed(kGood, "\"replicate\": 0", "\"replicate\": 1");
  EXPECT_EQ(message(next), "");
  EXPECT_THAT(message(changed(next, "\"wrong\"", "\"correct\"")),
              HasSubstr("state s1 is another one in line 1"));
  EXPECT_THAT(message(changed(next, "\"m\"", "\"n\"")), HasSubstr("state s1 is another one"));
  EXPECT_THAT(message(changed(next, ", \"debugger\"]", "]")), HasSubstr("state s1 is another one"));
  EXPECT_EQ(message(changed(changed(next, ", \"debugger\"]", "]"), "direct", "plan")), "")
      << "another arm";
  EXPECT_THAT(message(changed(next, "\"correct\": true", "\"built\": 1")),
              HasSubstr("it has other outcomes than line 1"));
}

TEST(StudyCells, SizesAreBounded) {
  EXPECT_THAT(parse_cells(std::string(kLongestCellLine + 1, '['), "x").error().message,
              HasSubstr("x:1: the line has 65537 bytes"));
  std::vector<std::string> names;
  for (int at = 0; at < 17; ++at) names.push_back(fmt::format("c{}", at));
  EXPECT_THAT(
      parse_cells(test::cell_line({"s", "t", "t"}, names, 0, "direct", 0, "{\"x\": 1}"), "x")
          .error()
          .message,
      HasSubstr("is one component more than a file may have"));
  std::string outcomes;
  for (int at = 0; at < 33; ++at) outcomes += fmt::format("{}\"o{}\": 1", at == 0 ? "" : ", ", at);
  EXPECT_THAT(
      parse_cells(test::cell_line({"s", "t", "t"}, {"a"}, 0, "direct", 0, "{" + outcomes + "}"),
                  "x")
          .error()
          .message,
      HasSubstr("is one outcome more than a file may have"));
}

}  // namespace
}  // namespace kbench
