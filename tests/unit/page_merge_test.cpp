#include "reports/page/page_merge.hpp"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

// A page of a run with two rows: one board, whose task names the first row, the best, the one with
// the baselines; and an episode that ends in a row.
RunPage page(const std::string& run) {
  Json data = Json::parse(R"({
      "boards": [{"tasks": [{"rows": [0, 2], "best": [1, null], "baselines": 0},
                            {"rows": [1, 1], "best": [null, null], "baselines": null}],
                  "trend": ""}],
      "episodes": [{"row": 1, "turns": [{"calls": [{"row": 0}, {"row": null}]}]}],
      "only_task": "level1/019_relu",
      "contents": {"both": "the same"}})");
  data["run"]["id"] = run;
  data["run"]["started_at"] = "start of " + run;
  data["trend"] = "runs before " + run;
  data["boards"][0]["trend"] = "series of " + run;
  data["contents"][run] = "text";
  for (const char* list : {"rows", "details"})
    for (const char* row : {" 0", " 1"}) data[list].push_back(run + row);
  return {std::move(data), "tab of " + run};
}

class PageMerge : public testing::Test {
 protected:
  const Json merged_ = merge_pages({page("aa"), page("bb"), page("cc")});
  const Json& last_ = merged_.at("boards").at(2);
};

TEST_F(PageMerge, RowsStandBehindEachOther) {
  EXPECT_EQ(merged_.at("rows"), Json::parse(R"(["aa 0", "aa 1", "bb 0", "bb 1", "cc 0", "cc 1"])"));
  EXPECT_EQ(merged_.at("details"), merged_.at("rows"));
}

TEST_F(PageMerge, WhateverNamesARowOfItsRunNamesItStill) {
  const Json& task = last_.at("tasks").at(0);
  EXPECT_EQ(task.at("rows"), Json::parse("[4, 2]")) << "the first, and how many";
  EXPECT_EQ(task.at("best"), Json::parse("[5, null]"));
  EXPECT_EQ(task.at("baselines"), 4);
  EXPECT_EQ(last_.at("tasks").at(1).at("baselines"), Json());
  const Json& episode = merged_.at("episodes").at(2);
  EXPECT_EQ(episode.at("row"), 5);
  EXPECT_EQ(episode.at("turns").at(0).at("calls"), Json::parse(R"([{"row": 4}, {"row": null}])"));
}

TEST_F(PageMerge, ABoardAndAnEpisodeKeepToTheirRun) {
  EXPECT_EQ(last_.at("run"), "cc");
  EXPECT_EQ(last_.at("run_name"), "tab of cc");
  EXPECT_EQ(last_.at("started_at"), "start of cc");
  EXPECT_EQ(merged_.at("episodes").at(1).at("run"), "bb");
}

TEST_F(PageMerge, ABoardBringsTheTrendOfItsRun) {
  for (const char* name : {"trend", "only_task"}) EXPECT_EQ(merged_.at(name), Json()) << name;
  EXPECT_EQ(last_.at("trend"), "series of cc");
  EXPECT_EQ(last_.at("trend_of"), "runs before cc");
}

TEST_F(PageMerge, ARunWithoutEarlierOnesHasNoTrend) {
  RunPage alone = page("aa");
  alone.data["trend"] = Json();
  const Json merged = merge_pages({std::move(alone), page("bb")});
  EXPECT_FALSE(merged.at("boards").at(0).contains("trend_of"));
  EXPECT_TRUE(merged.at("boards").at(1).contains("trend_of"));
}

TEST_F(PageMerge, ATextThatSeveralHaveIsThereOnce) { EXPECT_EQ(merged_.at("contents").size(), 4u); }

}  // namespace
}  // namespace kbench
