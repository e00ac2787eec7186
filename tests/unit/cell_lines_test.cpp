#include "runner/study/cell_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/attribution/cells.hpp"
#include "runner/core/json.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;

Evaluation row(const std::string& key, State state, bool correct = false) {
  Evaluation row;
  row.key = key;
  row.state = state;
  row.correct = correct;
  return row;
}

class CellLinesTest : public ::testing::Test {
 protected:
  CellLinesTest() {
    plan_.components = {*find_component("error")};
    plan_.outcomes = {"correct", "built", "better", "tokens"};
    plan_.primary = "correct";
    plan_.model = "m";
    plan_.states = {{"n", "level1/019_relu", "not built", {"error"}}};
    nodes_["n"].node.trajectory = "t";
    nodes_["n"].node.origin = "episode";
    nodes_["n"].state.task = "level1/019_relu";
    rows_["before"] = row("before", State::kCompileError);
    rows_["wrong"] = row("wrong", State::kWrongResult);
    rows_["bad"] = row("bad", State::kCompileError);
  }
  StateCell cell(const std::string& coalition, std::string_view status, const std::string& key) {
    StateCell cell{.node = "n", .arm = "direct", .coalition = coalition};
    cell.reply = "r";
    cell.status = status;
    cell.evaluation = key;
    cell.tokens_in = 10;
    cell.tokens_out = 5;
    return cell;
  }
  Result<CellLines> lines() { return cell_lines({plan_, cells_, nodes_, rows_, before_}); }
  // Outcomes of the one cell.
  Json outcomes() { return Json::parse(lines()->text).at("outcomes"); }

  StudyPlan plan_;
  std::vector<StateCell> cells_;
  std::map<std::string, StoredNode> nodes_;
  std::map<std::string, Evaluation> rows_;
  std::map<std::string, std::string> before_ = {{"n", "before"}};
};

TEST_F(CellLinesTest, TheAnalysisReadsThem) {
  cells_ = {cell("", cell_status::kJudged, "bad"), cell("error", cell_status::kJudged, "wrong")};
  const auto text = lines();
  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_EQ(text->cells, 2u);
  const auto read = parse_cells(text->text, "study");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->cells.at(1).coalition, 1u);
  EXPECT_EQ(read->cells.at(1).labels.at("model"), "m");
}

TEST_F(CellLinesTest, AKernelThatBuildsIsBetterThanOneThatDoesNot) {
  cells_ = {cell("", cell_status::kJudged, "wrong")};
  EXPECT_EQ(outcomes(),
            (Json{{"built", 1.0}, {"correct", 0.0}, {"better", 1.0}, {"tokens", 15.0}}));
  cells_ = {cell("", cell_status::kJudged, "bad")};
  EXPECT_EQ(outcomes(),
            (Json{{"built", 0.0}, {"correct", 0.0}, {"better", 0.0}, {"tokens", 15.0}}));
}

TEST_F(CellLinesTest, AReplyWithoutAKernelIsAFailureAndAFaultIsNone) {
  for (const auto status : {cell_status::kNoCode, cell_status::kRefused, cell_status::kWindow}) {
    cells_ = {cell("", status, "")};
    EXPECT_EQ(outcomes().at("built"), 0.0) << status;
  }
  for (const auto status : {cell_status::kEndpoint, cell_status::kInfrastructure}) {
    cells_ = {cell("", status, "")};
    EXPECT_TRUE(outcomes().is_null()) << status;
  }
}

TEST_F(CellLinesTest, WhatIsNotCompleteIsCounted) {
  cells_ = {cell("", "", ""), cell("error", cell_status::kJudged, "bad")};
  EXPECT_EQ(lines()->cells, 1u);
  EXPECT_EQ(lines()->incomplete, 1u);
}

TEST_F(CellLinesTest, ARowThatIsNotThereIsDamage) {
  cells_ = {cell("", cell_status::kJudged, "gone")};
  ASSERT_FALSE(lines().ok());
  EXPECT_THAT(lines().error().message, HasSubstr("a row that its run does not have"));
}

TEST(StudyOutcomes, AreKnownByName) {
  EXPECT_EQ(find_outcome("fast:1.12")->threshold, 1.12);
  for (const char* name :
       {"fast", "fast:", "fast:x", "fast:0", "fast:-1", "fast:1e9", "Correct", ""})
    EXPECT_FALSE(find_outcome(name).ok()) << name;
}

}  // namespace
}  // namespace kbench
