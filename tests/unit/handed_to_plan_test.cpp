// Each field that stored rows and runs hand on: a row to the request that asks for it once
// more, a request to its plan, episodes to the store.
#include <gmock/gmock.h>

#include "runner/again/reproduction.hpp"
#include "runner/again/run_sources.hpp"
#include "runner/plan/run_plan.hpp"
#include "tests/unit/run_fixture.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A run of a folder in another one's layout, of one agent, and of more than this row.
constexpr const char* kConfiguration =
    R"({"device":"cpu","size":"full","precision":"bf16","profile":"kernelbench","quick":true,
        "allow_torch":"all","levels":[2],"tasks":["level2/*"],"layout":"kernelbench",
        "agent":"bert","submissions":"/gone","budget_seconds":77,"call_limit_seconds":3.5,
        "baselines_only":true,"suite":"/suites/then","vendor":true})";

StoredRow row_of_a_folder() {
  StoredRow row;
  row.run = make_run("r1");
  row.run.configuration = kConfiguration;
  row.evaluation = make_evaluation("r1", 1, 2);
  row.evaluation.sources = {{"src/019_relu@tiled.cpp", "", 0}};
  row.contents = {"int relu;"};
  return row;
}

TEST(HandedToReproduction, TheRunsChoicesAreKeptAndItsSelectionIsNot) {
  const TemporaryFolder folder;
  const auto request = reproducing_request(row_of_a_folder(), folder.path(), folder / "scratch");
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->suite, folder.path()) << "that is said";
  EXPECT_EQ(request->device, "cpu");
  EXPECT_EQ(request->size, "full");
  EXPECT_EQ(request->precision, "bf16");
  EXPECT_EQ(request->profile, "kernelbench");
  EXPECT_EQ(request->allow_torch, "all");
  EXPECT_EQ(request->budget_seconds, 77);
  EXPECT_EQ(request->call_limit_seconds, 3.5);
  EXPECT_TRUE(request->quick);
  EXPECT_TRUE(request->vendor);
  EXPECT_THAT(request->levels, IsEmpty());
  EXPECT_THAT(request->tasks, ElementsAre("level1/019_relu"));
  EXPECT_EQ(request->submissions, folder / "scratch");
  EXPECT_EQ(request->layout, "kbench");
  EXPECT_EQ(request->agent, std::nullopt);
  EXPECT_EQ(request->file, std::nullopt);
  EXPECT_FALSE(request->baselines_only);
}

TEST(HandedToReproduction, OfARunOfAFileThatFileIsNotAskedForAgain) {
  const TemporaryFolder folder;
  StoredRow row = row_of_a_folder();
  row.run.configuration = R"({"device":"cpu","file":"/gone/relu.cpp","name":"carl"})";
  const auto request = reproducing_request(row, folder.path(), folder / "scratch");
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->file, std::nullopt);
  EXPECT_EQ(request->submissions, folder / "scratch");
}

TEST(HandedToSources, OfSeveralTriesTheVariantAndTheSourceDecide) {
  const TemporaryFolder folder;
  folder.write("then/anna/level1/019_relu@one.cpp", "int one;\n");
  folder.write("then/anna/level1/019_relu@two.cpp", "int one;\n");
  folder.write("then/anna/level1/019_relu@three.cpp", "int three;\n");
  const auto all = find_submissions(folder / "then").value().submissions;
  ASSERT_THAT(all, SizeIs(3));
  RunSources sources(make_run("r1"), folder / "then", folder / "none.sqlite", folder / "examples");
  for (const Submission& one : all) {
    const auto found = sources.find("level1/019_relu", one.id);
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->id.variant, one.id.variant);
    EXPECT_EQ(found->task, "level1/019_relu");
  }
  SubmissionId changed = all[0].id;
  changed.source_hash = "another";
  EXPECT_FALSE(sources.find("level1/019_relu", changed).ok());
}

class HandedToPlan : public RunTest {};

TEST_F(HandedToPlan, APlanIsOfThePrecisionSizeTagsAndFolderThatAreAskedFor) {
  submit("anna/level1/019_relu.cpp");
  request_.precision = "bf16";
  request_.size = "full";
  const auto plan = make_plan(request_, benches_.place);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->target.size, "full");
  ASSERT_THAT(plan->tasks, SizeIs(1));
  EXPECT_TRUE(plan->only_submitted);
  EXPECT_EQ(plan->tasks[0].sizes.front().inputs.front().dtype, DType::kBFloat16);
  EXPECT_EQ(plan->submissions, request_.submissions);
  ASSERT_TRUE(plan->census);
  EXPECT_EQ(plan->census->evaluated, 1);
  request_.all_tasks = true;
  EXPECT_THAT(make_plan(request_, benches_.place)->tasks, SizeIs(4));
}

// Was: "shard 2/2 has no task: 1 selected".
TEST_F(HandedToPlan, ARowOfAShardIsAskedForOnItsOwn) {
  submit("anna/level1/019_relu.cpp");
  submit("anna/level1/023_softmax.cpp");
  request_.group = "night";
  request_.shard = ShardChoice{2, 2};
  const std::string id = good_run().run.id;
  const auto row = find_stored_row({.database = terms_.database, .run = id}, benches_.place);
  ASSERT_TRUE(row.ok()) << row.error().message;
  EXPECT_EQ(row->evaluation.task, "level1/023_softmax");
  const auto again = reproducing_request(*row, std::nullopt, folder_ / "scratch");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_FALSE(again->shard);
  EXPECT_EQ(again->group, "") << "it is no part of that run";
  const auto plan = make_plan(*again, benches_.place);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_FALSE(plan->nothing_selected);
  ASSERT_THAT(plan->units, SizeIs(1));
  EXPECT_EQ(plan->units[0].id.source_hash, row->evaluation.submission->source_hash);
}

TEST_F(HandedToPlan, OfTheShippedExamplesItHasTheirTasks) {
  folder_.write("examples/example/level1/019_relu.cpp", "int nothing;\n");
  request_.submissions.reset();
  const auto plan = make_plan(request_, benches_.place);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  ASSERT_THAT(plan->tasks, SizeIs(1));
  EXPECT_EQ(plan->tasks[0].id, "level1/019_relu");
  EXPECT_TRUE(plan->only_submitted);
  EXPECT_THAT(plan->units, SizeIs(1));
  EXPECT_FALSE(plan->submissions) << "they are nobody's";
  const auto tasks_of = [&](const RunRequest& request) {
    return make_plan(request, benches_.place)->tasks.size();
  };
  RunRequest asked = request_;
  asked.all_tasks = true;
  EXPECT_EQ(tasks_of(asked), 4U);
  asked = request_;
  asked.levels = {1};
  EXPECT_EQ(tasks_of(asked), 3U) << "a level is all of its tasks";
  asked = request_;
  asked.suite = benches_.place.suites;
  EXPECT_EQ(tasks_of(asked), 4U) << "another suite was named";
  asked = request_;
  asked.precision = "bf16";
  EXPECT_EQ(tasks_of(asked), 4U) << "none of them is in that type";
}

TEST_F(HandedToPlan, AFileIsWhatItsRunWasOf) {
  request_.submissions.reset();
  request_.file = folder_.write("019_relu.cpp", "int nothing;\n");
  request_.name = "carl";
  const auto plan = make_plan(request_, benches_.place);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->submissions, request_.file);
  ASSERT_THAT(plan->units, SizeIs(1));
  EXPECT_EQ(plan->units[0].id.agent, "carl");
}

TEST_F(HandedToPlan, ASizeThatIsSaidIsKeptEvenWhereNoTaskHasIt) {
  request_.size = "huge";
  request_.baselines_only = true;
  EXPECT_EQ(make_plan(request_, benches_.place)->target.size, "huge");
}

// Each of two episodes has its own end, calls and run.
TEST(HandedToStore, WhatIsSaidOfOneEpisodeIsNotSaidOfTheOther) {
  const TemporaryFolder folder;
  auto store = Store::open(folder / "kbench.sqlite", Store::Mode::kReadWrite);
  ASSERT_TRUE(store.ok());
  for (const std::string id : {"one", "two"}) {
    ASSERT_TRUE(store->begin_run(make_run("run " + id)).ok());
    Episode episode;
    episode.id = id;
    episode.run_id = "run " + id;
    episode.task = "level1/019_relu";
    episode.size = "small";
    episode.device = "cpu";
    episode.model = "m";
    episode.sampling = episode.budget = "{}";
    episode.started_at = "2026-11-21T13:00:00Z";
    ASSERT_TRUE(store->begin_episode(episode).ok());
  }
  const Blob text = pack("{}");
  Turn turn;
  turn.reply = text.hash;
  ASSERT_TRUE(store->add_turn("one", 0, turn, {&text, 1}).ok());
  for (const int position : {0, 1}) {
    ToolCall call;
    call.tool = position == 0 ? "write" : "submit";
    call.arguments = call.result = text.hash;
    const Status added = store->add_call("one", 0, position, call, {&text, 1});
    ASSERT_TRUE(added.ok()) << added.error().message;
  }
  ASSERT_TRUE(store->finish_episode("one", "2026-11-21T14:00:00Z", StopReason::kSubmit).ok());
  const Episode one = store->read_episode("one").value();
  ASSERT_THAT(one.turns, SizeIs(1));
  ASSERT_THAT(one.turns[0].calls, SizeIs(2));
  EXPECT_EQ(one.turns[0].calls[0].tool, "write");
  EXPECT_EQ(one.turns[0].calls[1].tool, "submit");
  EXPECT_EQ(one.stop_reason, StopReason::kSubmit);
  EXPECT_EQ(one.finished_at, "2026-11-21T14:00:00Z");
  EXPECT_EQ(store->read_episode("two").value().stop_reason, std::nullopt);
  const auto of_two = store->episodes("run two");
  ASSERT_TRUE(of_two.ok());
  ASSERT_THAT(*of_two, SizeIs(1));
  EXPECT_EQ(of_two->front().head.id, "two");
  EXPECT_THAT(store->episodes(std::nullopt).value(), SizeIs(2));
}

TEST_F(HandedToPlan, AStoreThatIsOpenedWithTheKeyKnowsItsChains) {
  submit("anna/level1/019_relu.cpp");
  const std::string id = good_run().run.id;
  const auto store = open_with_key(terms_.database, Store::Mode::kReadOnly, benches_.place.state);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(store->read(id).value().chain.state, ChainFinding::State::kHolds);
}

}  // namespace
}  // namespace kbench::test
