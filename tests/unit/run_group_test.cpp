// Shards, as runs and as one report.
#include "runner/store/run_group.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "reports/facts/model.hpp"
#include "reports/facts/reproduce.hpp"
#include "reports/formats/console_report.hpp"
#include "reports/formats/json_report.hpp"
#include "reports/formats/markdown_report.hpp"
#include "reports/formats/run_list.hpp"
#include "runner/core/json.hpp"
#include "runner/store/care/merge.hpp"
#include "runner/store/run_name.hpp"
#include "tests/unit/database_fixture.hpp"

namespace kbench {
namespace {

using test::DatabaseTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string configuration(int index, int of = 3, const std::string& selection = "5e1ec7") {
  return Json{
      {"device", "cpu"},
      {"quick", false},
      {"shard", {{"group", "nightly-12"}, {"index", index}, {"of", of}, {"selection", selection}}}}
      .dump();
}

Run shard(const std::string& id, int index, int of = 3) {
  Run run = test::make_run(id);
  run.configuration = configuration(index, of);
  return run;
}

std::vector<std::string> ids_of(const std::vector<Run>& runs) {
  std::vector<std::string> ids;
  for (const Run& run : runs) ids.push_back(run.id);
  return ids;
}

TEST(RunGroup, AShardIsReadFromItsConfiguration) {
  const auto found = shard_of(shard("aa", 2));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->group, "nightly-12");
  EXPECT_EQ(found->index, 2);
  EXPECT_EQ(found->of, 3);
}

TEST(RunGroup, WhatMakesNoSenseIsNoShard) {
  kbench::Run run = test::make_run("aa");
  EXPECT_FALSE(shard_of(run));
  for (const char* text :
       {"", "[]", R"({"shard":7})", R"({"shard":{"group":"g","index":1}})",
        R"({"shard":{"group":"g","index":0,"of":3,"selection":"s"}})",
        R"({"shard":{"group":"g","index":4,"of":3,"selection":"s"}})",
        R"({"shard":{"group":"aa11","index":1,"of":3,"selection":"s"}})",
        R"({"shard":{"group":"g\u001b[2J","index":1,"of":3,"selection":"s"}})",
        R"({"shard":{"group":"g","index":1,"of":2000000000,"selection":"s"}})"}) {
    run.configuration = text;
    EXPECT_FALSE(shard_of(run)) << text;
  }
}

TEST(RunGroup, ShardsOnSeveralEqualGpusAreOneGroup) {
  const auto on_gpu = [](kbench::Run run, int gpu) {
    Json configuration = Json::parse(run.configuration);
    configuration["device_index"] = gpu;
    run.configuration = configuration.dump();
    return run;
  };
  const kbench::Run one = on_gpu(shard("aa", 1, 2), 0);
  const kbench::Run two = on_gpu(shard("bb", 2, 2), 1);
  const auto group = group_of(two, {two, one});
  ASSERT_TRUE(group);
  EXPECT_THAT(ids_of(group->shards), ElementsAre("aa", "bb"));
  EXPECT_THAT(group->left_out, IsEmpty());
}

TEST(RunGroup, ShardsInOrderAndWhichAreMissing) {
  const kbench::Run one = shard("aa", 1);
  const kbench::Run three = shard("cc", 3);
  const auto group = group_of(three, {three, test::make_run("other"), one});
  ASSERT_TRUE(group);
  EXPECT_EQ(group->name, "nightly-12");
  EXPECT_THAT(ids_of(group->shards), ElementsAre("aa", "cc"));
  EXPECT_THAT(group->missing, ElementsAre(2));
  EXPECT_THAT(group->left_out, IsEmpty());
}

TEST(RunGroup, WhatIsNotAlikeIsLeftOutAndSaidSo) {
  const kbench::Run one = shard("aa", 1);
  kbench::Run other_selection = shard("bb", 2);
  other_selection.configuration = configuration(2, 3, "other");
  kbench::Run quick = shard("dd", 2);
  Json changed = Json::parse(quick.configuration);
  changed["quick"] = true;
  quick.configuration = changed.dump();
  const auto group = group_of(one, {one, other_selection, shard("cc", 2, 4), quick});
  ASSERT_TRUE(group);
  EXPECT_THAT(ids_of(group->shards), ElementsAre("aa"));
  EXPECT_THAT(group->left_out,
              ElementsAre("run bb: it was selected from other tasks",
                          "run cc: it is one of 4, not of 3", "run dd: it has another quick"));
}

TEST(RunGroup, OfAShardThatWasMeasuredAgainTheNewestCounts) {
  const kbench::Run one = shard("aa", 1);
  kbench::Run old = shard("bb", 2);
  old.started_at = "2026-11-20T13:00:00Z";
  const kbench::Run young = shard("cc", 2);
  for (const auto& runs :
       {std::vector<kbench::Run>{one, old, young}, std::vector<kbench::Run>{young, old, one}}) {
    const auto group = group_of(one, runs);
    EXPECT_THAT(ids_of(group->shards), ElementsAre("aa", "cc"));
    EXPECT_THAT(group->left_out, ElementsAre("run bb: shard 2 was measured again"));
  }
  // A user who names the old shard means the old one.
  EXPECT_THAT(ids_of(group_of(old, {one, old, young})->shards), ElementsAre("aa", "bb"));
}

class ShardedRun : public DatabaseTest {
 protected:
  void add_shard(const std::filesystem::path& file, const std::string& id, int index) {
    test::add_run(file, {.id = id,
                         .started_at = "2026-11-21T13:0" + std::to_string(index) + ":00Z",
                         .rows = 2,
                         .configuration = configuration(index)});
  }

  ReportData report(const std::string& name, Shards shards = Shards::kTogether) {
    auto store = Store::open(file_, Store::Mode::kReadOnly);
    store->use(test::test_key());
    auto data = load_report(*store, name, shards);
    EXPECT_TRUE(data.ok()) << data.error().message;
    return data ? std::move(*data) : ReportData{};
  }
};

TEST_F(ShardedRun, MergedShardsAreOneRunAndEachChainHolds) {
  for (int index = 1; index <= 3; ++index)
    add_shard(folder_ / ("shard" + std::to_string(index)), "run-" + std::to_string(index), index);
  ASSERT_TRUE(merge_databases({.into = file_,
                               .from = {folder_ / "shard3", folder_ / "shard1", folder_ / "shard2"},
                               .key = {},
                               .progress = {}})
                  .ok());
  const ReportData data = report("nightly-12");
  ASSERT_TRUE(data.group);
  EXPECT_FALSE(is_in_part(*data.group));
  EXPECT_EQ(data.evaluations.size(), 6U);
  EXPECT_EQ(data.evaluations.front().run_id, "run-1");
  EXPECT_EQ(to_string(data.chain.state), "holds");
  EXPECT_EQ(data.run.started_at, "2026-11-21T13:01:00Z");
  EXPECT_EQ(data.run.finished_at, "2026-11-21T13:03:00Z");
  for (const char* id : {"run-1", "run-2", "run-3"}) EXPECT_EQ(chain_of(file_, id), "holds");
}

TEST_F(ShardedRun, AMissingShardIsSaid) {
  add_shard(file_, "run-1", 1);
  add_shard(file_, "run-3", 3);
  const ReportData data = report("run-3");
  EXPECT_EQ(data.evaluations.size(), 4U);
  EXPECT_EQ(data.run.finished_at, "");
  EXPECT_THAT(group_sentences(data),
              ElementsAre("2 of the 3 shards of nightly-12", "not here: shard 2"));
}

TEST_F(ShardedRun, EachReportSaysWhatIsHere) {
  add_shard(file_, "run-1", 1);
  add_shard(file_, "run-3", 3);
  const ReportData data = report("nightly-12");
  EXPECT_EQ(report_json(data).at("group"), (Json{{"name", "nightly-12"},
                                                 {"shards", 3},
                                                 {"runs", Json::array({"run-1", "run-3"})},
                                                 {"missing", Json::array({2})},
                                                 {"left_out", Json::array()}}));
  EXPECT_THAT(render_console(data, {}), HasSubstr("A part\n  2 of the 3 shards of nightly-12\n"));
  EXPECT_THAT(render_markdown(data), HasSubstr("not here: shard 2"));
  const auto store = Store::open(file_, Store::Mode::kReadOnly);
  const auto runs = list_runs(*store);
  EXPECT_THAT(render_runs(*runs, {}), HasSubstr("3/3 of nightly-12"));
  EXPECT_EQ(runs_json(*runs).at("runs").at(0).at("shard").at("index"), 3);
}

// Was: every row was said to be of the first shard, which does not have it.
TEST_F(ShardedRun, ARowIsOfTheShardThatStoredIt) {
  add_shard(file_, "run-1", 1);
  add_shard(file_, "run-2", 2);
  const ReportData data = report("nightly-12");
  const std::string lines = render_json_lines(data);
  for (const char* id : {"run-1", "run-2"})
    EXPECT_THAT(lines, HasSubstr(fmt::format(R"("run_id":"{}")", id)));
  for (const ResultRow& row : derive_all(data)) {
    EXPECT_EQ(run_of(data, row).id, row.run_id);
    EXPECT_THAT(RowCommands(data).write_sources(row), HasSubstr("sources " + row.run_id));
  }
}

TEST_F(ShardedRun, AChangedShardIsNamed) {
  add_shard(file_, "run-1", 1);
  add_shard(file_, "run-2", 2);
  tamper("UPDATE evaluation SET message = 'x' WHERE run_id = 'run-2'");
  const ReportData data = report("nightly-12");
  EXPECT_EQ(to_string(data.chain.state), "changed");
  EXPECT_THAT(data.chain.message, HasSubstr("run run-2: row 1"));
}

TEST_F(ShardedRun, AShardBeingRunIsReportedByItself) {
  add_shard(file_, "run-1", 1);
  add_shard(file_, "run-2", 2);
  const ReportData data = report("run-2", Shards::kApart);
  EXPECT_FALSE(data.group);
  EXPECT_EQ(data.evaluations.size(), 2U);
}

TEST_F(ShardedRun, LatestCountsAGroupOnce) {
  test::add_run(file_, {.id = "before", .started_at = "2026-11-20T13:00:00Z"});
  for (int index = 1; index <= 3; ++index) add_shard(file_, "run-" + std::to_string(index), index);
  const auto store = Store::open(file_, Store::Mode::kReadOnly);
  EXPECT_EQ(find_run_named(*store, "latest")->id, "run-3");
  EXPECT_EQ(find_run_named(*store, "latest~1")->id, "before");
  EXPECT_EQ(find_run_named(*store, "nightly-12")->id, "run-3");
}

}  // namespace
}  // namespace kbench
