// Which rows a run has: tasks, agents, files, shards, reruns. On a bench that measures nothing.
#include <fstream>

#include <gmock/gmock.h>

#include "runner/store/run_group.hpp"
#include "tests/unit/run_fixture.hpp"

namespace kbench::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class RunSelection : public RunTest {
 protected:
  RunSelection() {
    submit("bob/level1/019_relu.cpp");
    submit("alice/level1/019_relu.cpp");
    submit("alice/level1/023_softmax.cpp");
  }

  // "what; what to do next", of a run that selects nothing.
  std::string why_nothing() {
    const auto why = good_run().nothing_selected;
    return why ? why->message + "; " + why->hint : "";
  }
};

TEST_F(RunSelection, HasARowForEachSubmissionByTaskThenAgent) {
  good_run();
  EXPECT_THAT(told(), ElementsAre("level1/019_relu alice ok", "level1/019_relu bob ok",
                                  "level1/023_softmax alice ok"));
  EXPECT_EQ(lines_of(stored()), told());
}

TEST_F(RunSelection, LeavesOutTasksThatNobodySubmitted) {
  good_run();
  EXPECT_THAT(kept_.told.lines, HasSubstr("2 of 4 tasks have a submission; --all-tasks times"));
  request_.all_tasks = true;
  EXPECT_EQ(good_run().rows, 5);
}

TEST_F(RunSelection, ATaskThatIsNamedHasARowInAnyCase) {
  request_.tasks = {"level2/076_gemm_add_relu", "level1/023*"};
  good_run();
  EXPECT_THAT(told(), ElementsAre("level1/023_softmax alice ok",
                                  "level2/076_gemm_add_relu - no_submission"));
}

TEST_F(RunSelection, OfAgentsThatAreNotSelectedMalformedFilesAreForNoTaskEither) {
  folder_.write("subs/dora/level1/001_square_matrix_multiplication/submission.json", "{");
  request_.agent = "bob";
  good_run();
  EXPECT_THAT(told(), ElementsAre("level1/019_relu bob ok"));
  ASSERT_TRUE(kept_.census);
  EXPECT_EQ(kept_.census->not_selected, 3) << "two of alice, one of dora";
}

TEST_F(RunSelection, ALevelIsAllOfItsTasks) {
  request_.levels = {1};
  good_run();
  EXPECT_THAT(told(), ElementsAre("level1/001_square_matrix_multiplication - no_submission",
                                  "level1/019_relu alice ok", "level1/019_relu bob ok",
                                  "level1/023_softmax alice ok"));
}

TEST_F(RunSelection, ALevelThatIsNotThereSelectsNothing) {
  request_.levels = {3};
  terms_.database = folder_ / "new.sqlite";
  EXPECT_EQ(why_nothing(), "no task matches: there is no level 3; this suite has 1, 2");
  EXPECT_EQ(benches_.made, 0);
  EXPECT_FALSE(std::filesystem::exists(terms_.database));
}

TEST_F(RunSelection, AGlobWithoutATaskIsToldWithTheNearestName) {
  request_.tasks = {"level1/*", "sofmax*"};
  request_.levels = {2};
  EXPECT_EQ(why_nothing(), "no task matches \"sofmax*\"; did you mean \"softmax\"?");
  request_.tasks = {"level1/*"};
  EXPECT_EQ(
      why_nothing(),
      "no task matches all of the level 2 (1 task), the task level1/* (3 tasks); leave one of them "
      "out: a task must be in each");
  request_.tasks = {"level1/019_relu", "level1/023_softmax"};  // also those of --input-file
  EXPECT_THAT(why_nothing(), HasSubstr("the tasks level1/019_relu, level1/023_softmax (2 tasks);"));
  request_.tasks = {"level9/*"};
  EXPECT_EQ(why_nothing(), "no task matches \"level9/*\"; `kbench tasks list` shows all of them");
}

TEST_F(RunSelection, AnAgentIsAllThatItSubmitted) {
  request_.agent = "alice";
  const RunOutcome outcome = good_run();
  EXPECT_THAT(told(), ElementsAre("level1/019_relu alice ok", "level1/023_softmax alice ok"));
  EXPECT_EQ(outcome.mistaken_files, 0);
  EXPECT_EQ(kept_.census->not_selected, 1);
}

TEST_F(RunSelection, AMisspeltAgentIsNobody) {
  request_.agent = "alise";
  EXPECT_THAT(why_nothing(), HasSubstr("did you mean \"alice\"?"));
  EXPECT_EQ(benches_.made, 0);
}

// A tag names tasks as --level does: all that have it are run, with or without a submission.
TEST_F(RunSelection, ATagSelectsByOperators) {
  request_.tags = {"matmul"};
  good_run();
  EXPECT_THAT(told(), ElementsAre("level1/001_square_matrix_multiplication - no_submission",
                                  "level2/076_gemm_add_relu - no_submission"));
  request_.levels = {2};
  good_run();
  EXPECT_THAT(told(), ElementsAre("level2/076_gemm_add_relu - no_submission"));
  request_.tags = {"scan"};
  EXPECT_THAT(why_nothing(),
              HasSubstr("no task matches all of the level 2 (1 task), the family scan (0 tasks)"));
}

TEST_F(RunSelection, BaselinesTakeNoSubmission) {
  request_.baselines_only = true;
  request_.levels = {2};
  good_run();
  EXPECT_THAT(told(), ElementsAre("level2/076_gemm_add_relu - no_submission"));
  EXPECT_THAT(benches_.measured, ElementsAre("level2/076_gemm_add_relu"));
}

TEST_F(RunSelection, WhereNothingIsTimedATaskWithoutSubmissionIsNotMeasured) {
  request_.checks_only = true;
  request_.levels = {1, 2};
  const RunOutcome outcome = good_run();
  EXPECT_FALSE(outcome.timed);
  EXPECT_EQ(outcome.rows, 5);
  EXPECT_EQ(benches_.measured.size(), 3U);
  for (const Evaluation& row : stored()) EXPECT_FALSE(row.timed);
}

TEST_F(RunSelection, ASubmissionForTheOtherDeviceIsSkippedWithItsReason) {
  submit("carl/level1/019_relu.cu");
  request_.agent = "carl";
  good_run();
  ASSERT_THAT(told(), ElementsAre("level1/019_relu carl skipped"));
  EXPECT_EQ(kept_.rows[0].message, "it is for cuda, this run is on cpu");
  EXPECT_EQ(kept_.rows[0].hint, "use --device cuda");
  EXPECT_THAT(benches_.measured, IsEmpty());
}

TEST_F(RunSelection, OneForEachDeviceIsOneRow) {
  submit("bob/level1/019_relu.cu");
  request_.agent = "bob";
  good_run();
  EXPECT_THAT(told(), ElementsAre("level1/019_relu bob ok"));
  EXPECT_EQ(kept_.census->other_device, 1);
}

TEST_F(RunSelection, ATryOfAnAgentIsAVariant) {
  submit("bob/level1/019_relu@second.cpp");
  request_.agent = "bob";
  good_run();
  ASSERT_EQ(kept_.rows.size(), 2U);
  EXPECT_EQ(kept_.rows[0].submission->variant, "");
  EXPECT_EQ(kept_.rows[1].submission->variant, "second");
}

TEST_F(RunSelection, TwoTriesWithOneSourceAreTwoRows) {
  for (const char* name : {"019_relu", "019_relu@second"}) {
    const std::string folder = "subs/dora/level1/" + std::string(name);
    folder_.write(folder + "/submission.json", R"({"sources": ["main.cpp"]})");
    folder_.write(folder + "/main.cpp", "int nothing;\n");
  }
  request_.agent = "dora";
  EXPECT_EQ(good_run().rows, 2);
  EXPECT_EQ(stored().size(), 2U);
}

TEST_F(RunSelection, AManifestThatMakesNoSenseIsAFailedRow) {
  folder_.write("subs/dora/level1/019_relu/submission.json", "{");
  request_.agent = "dora";
  EXPECT_EQ(good_run().failed, 1);
  EXPECT_THAT(told(), ElementsAre("level1/019_relu dora compile_error"));
  EXPECT_THAT(benches_.measured, IsEmpty());
}

TEST_F(RunSelection, FilesThatWereMeantAsSubmissionsAreTold) {
  submit("alice/level1/020_tanh.cpp");
  submit("alice/README.md");
  const RunOutcome outcome = good_run();
  EXPECT_EQ(outcome.mistaken_files, 1);
  EXPECT_EQ(outcome.failed, 0);
  EXPECT_THAT(kept_.told.lines,
              AllOf(HasSubstr("files: evaluated 3, ignored 2"),
                    HasSubstr("ignored alice/level1/020_tanh.cpp: there is no task")));
  const Json facts = Json::parse(stored_run(outcome.run.id).environment);
  EXPECT_EQ(facts.at("files").at("evaluated"), 3);
}

// Was: "Expected NNN_name", though a single file of that name is taken for the task.
TEST_F(RunSelection, ATaskWithoutItsNumberIsSuggested) {
  submit("alice/level1/relu.cpp");
  submit("alice/level2/relu.cpp");
  EXPECT_EQ(good_run().mistaken_files, 2);
  EXPECT_THAT(kept_.told.lines,
              AllOf(HasSubstr("ignored alice/level1/relu.cpp: not a submission name (did you mean "
                              "\"019_relu.cpp\"?)"),
                    HasSubstr("ignored alice/level2/relu.cpp: not a submission name (Expected")));
}

// Was "023_sofmax.cpp", which is no task's name either.
TEST_F(RunSelection, AMistypedNameWithAShortNumberIsSuggestedAsATaskHasIt) {
  submit("alice/level1/23_sofmax.cpp");
  EXPECT_EQ(good_run().mistaken_files, 1);
  EXPECT_THAT(kept_.told.lines, HasSubstr("(did you mean \"023_softmax.cpp\"?)"));
}

TEST_F(RunSelection, AFolderWithoutAnySubmissionIsRefused) {
  terms_.database = folder_ / "new.sqlite";
  folder_.write("empty/README.md", "");
  request_.submissions = folder_ / "empty";
  EXPECT_THAT(refused_run().message, HasSubstr("can be evaluated; no file there is a submission"));
  request_.submissions = folder_ / "subs/alice";
  EXPECT_THAT(refused_run().message, HasSubstr("Give the folder above"));
  request_.submissions = folder_ / "nowhere";
  EXPECT_THAT(refused_run().message, HasSubstr("is not a folder"));
  EXPECT_FALSE(std::filesystem::exists(terms_.database));
}

TEST_F(RunSelection, ALayoutIsOfAFolder) {
  request_.submissions.reset();
  request_.layout = "kernelbench";
  EXPECT_THAT(refused_run().message, HasSubstr("--layout kernelbench is of a folder"));
}

// --- one file ---

TEST_F(RunSelection, AFileIsNamedByItsTaskAndCountsForMe) {
  request_.submissions.reset();
  request_.file = folder_.write("019_relu@mine.cpp", "int nothing;\n");
  good_run();
  ASSERT_THAT(told(), ElementsAre("level1/019_relu me ok"));
  EXPECT_EQ(kept_.rows[0].submission->variant, "mine");
  EXPECT_FALSE(kept_.census);
}

// Was: a file that does not exist was asked "which task?".
TEST_F(RunSelection, AFileThatIsNotThereIsSaidToBeMissing) {
  request_.submissions.reset();
  folder_.write("my_relu.cpp", "int nothing;\n");
  request_.file = folder_ / "my_rleu.cpp";
  const Error error = refused_run();
  EXPECT_THAT(error.message, HasSubstr("my_rleu.cpp: no such file"));
  EXPECT_THAT(error.hint, HasSubstr("did you mean \"" + (folder_ / "my_relu.cpp").string()));
  request_.file = folder_ / "quite_another_name.cpp";
  EXPECT_THAT(refused_run().hint, HasSubstr("a .cpp, .cu or .py file"));
}

TEST_F(RunSelection, AFileMayBeSomebodyElse) {
  request_.submissions.reset();
  request_.file = folder_.write("any.cpp", "int nothing;\n");
  request_.name = "ann";
  EXPECT_THAT(refused_run().message, HasSubstr("which task? Its name matches none"));
  request_.tasks = {"level1/0*"};
  EXPECT_THAT(refused_run().message,
              HasSubstr("any.cpp: a file is for one task, and these options select 3"));
  request_.tasks = {"level1/019_relu"};
  good_run();
  EXPECT_THAT(told(), ElementsAre("level1/019_relu ann ok"));
}

TEST_F(RunSelection, AFileThatCannotBeEvaluatedIsRefused) {
  request_.submissions.reset();
  request_.tasks = {"level1/019_relu"};
  request_.file = folder_ / "nowhere.cpp";
  EXPECT_THAT(refused_run().message, HasSubstr("nowhere.cpp: no such file"));
  request_.file = folder_ / "subs";
  EXPECT_THAT(refused_run().hint, HasSubstr("--submissions"));
  request_.file = folder_.write("any.cu", "int nothing;\n");
  EXPECT_EQ(refused_run().hint, "use --device cuda");
  request_.file.reset();
  request_.name = "ann";
  request_.given = {"name"};
  EXPECT_THAT(refused_run().message, HasSubstr("--name is of a single file"));
}

// --- shards ---

TEST_F(RunSelection, ShardsArePartsOfOneSelection) {
  request_.tasks = {"level1/*"};
  request_.group = "nightly-12";
  std::vector<std::string> all;
  std::set<std::string> selections;
  for (const int index : {1, 2}) {
    request_.shard = ShardChoice{index, 2};
    const RunOutcome outcome = good_run();
    for (const std::string& line : told()) all.push_back(line);
    const Json shard = Json::parse(stored_run(outcome.run.id).configuration).at("shard");
    EXPECT_EQ(shard.at("index"), index);
    EXPECT_EQ(shard.at("group"), "nightly-12");
    selections.insert(shard.at("selection"));
  }
  EXPECT_THAT(all, UnorderedElementsAre("level1/001_square_matrix_multiplication - no_submission",
                                        "level1/019_relu alice ok", "level1/019_relu bob ok",
                                        "level1/023_softmax alice ok"));
  EXPECT_EQ(selections.size(), 1U);
}

TEST_F(RunSelection, ShardsShareWhatWasSubmitted) {
  request_.group = "night";
  std::vector<std::string> all;
  for (const int index : {1, 2}) {
    request_.shard = ShardChoice{index, 2};
    good_run();
    for (const std::string& line : told()) all.push_back(line);
  }
  EXPECT_THAT(all, ElementsAre("level1/019_relu alice ok", "level1/019_relu bob ok",
                               "level1/023_softmax alice ok"));
}

// A shard that took a size by its own tasks would have rows of another size than its group's.
TEST_F(RunSelection, ShardsOfAGroupHaveOneSize) {
  std::filesystem::copy(kTinySuites, folder_ / "suite", std::filesystem::copy_options::recursive);
  const auto file = folder_ / "suite/level1/023_softmax.json";
  std::ifstream written(file);
  Json softmax = Json::parse(written);
  softmax["sizes"].erase("small");
  folder_.write("suite/level1/023_softmax.json", softmax.dump());
  request_.suite = folder_ / "suite";
  request_.group = "night";
  std::vector<std::string> all;
  for (const int index : {1, 2}) {
    request_.shard = ShardChoice{index, 2};
    good_run();
    for (const Evaluation& row : kept_.rows) all.push_back(row.task + " " + row.size);
  }
  EXPECT_THAT(all, ElementsAre("level1/019_relu small", "level1/019_relu small",
                               "level1/023_softmax small"));
}

// Between two machines, or two nights, a task may have become another one of the same name.
TEST_F(RunSelection, ShardsOfTwoStatesOfASuiteAreNoGroup) {
  std::filesystem::copy(kTinySuites, folder_ / "suite", std::filesystem::copy_options::recursive);
  request_.suite = folder_ / "suite";
  request_.group = "night";
  request_.shard = ShardChoice{1, 2};
  const std::string first = good_run().run.id;
  const auto file = folder_ / "suite/level1/023_softmax.json";
  std::ifstream written(file);
  Json softmax = Json::parse(written);
  softmax["title"] = "another softmax";
  folder_.write("suite/level1/023_softmax.json", softmax.dump());
  request_.shard = ShardChoice{2, 2};
  const std::string second = good_run().run.id;
  const auto group = group_of(stored_run(second), {stored_run(first), stored_run(second)});
  ASSERT_TRUE(group);
  EXPECT_THAT(group->missing, ElementsAre(1));
  EXPECT_THAT(group->left_out, ElementsAre(HasSubstr("it was selected from other tasks")));
}

TEST_F(RunSelection, AnAgentThatIsRefusedIsARowOfTheFirstShardOnly) {
  const int too_many = static_cast<int>(AgentLimits().entries);
  folder_.write("subs/crowd/0", "");
  for (int i = 1; i < too_many; ++i)
    std::filesystem::create_hard_link(folder_ / "subs/crowd/0",
                                      folder_ / ("subs/crowd/" + std::to_string(i)));
  request_.group = "night";
  std::vector<std::string> all;
  for (const int index : {1, 2}) {
    request_.shard = ShardChoice{index, 2};
    good_run();
    for (const std::string& line : told()) all.push_back(line);
  }
  EXPECT_THAT(all, ElementsAre("level1/001_square_matrix_multiplication crowd refused",
                               "level1/023_softmax alice ok", "level1/019_relu alice ok",
                               "level1/019_relu bob ok"));
}

TEST_F(RunSelection, MoreShardsThanTasksIsNothingSelected) {
  request_.tasks = {"level1/019_relu"};
  request_.shard = ShardChoice{2, 2};
  request_.group = "nightly-12";
  EXPECT_EQ(why_nothing(),
            "shard 2/2 has no task: 1 selected; take as many shards as there are tasks, or fewer");
}

TEST_F(RunSelection, AGroupNeedsANameThatIsOne) {
  request_.shard = ShardChoice{1, 2};
  request_.group = "aa11";
  EXPECT_THAT(refused_run().message, HasSubstr("cannot be a tag"));
  EXPECT_EQ(benches_.made, 0);
}

// --- once more ---

TEST_F(RunSelection, WhatFailedIsTriedOnceMore) {
  benches_.script.states = {{"bob", State::kTimeout}};
  const std::string first = good_run().run.id;
  request_ = RunRequest();
  request_.rerun = {kFailedRows};
  const RunOutcome again = good_run();
  EXPECT_THAT(told(), ElementsAre("level1/019_relu bob timeout"));
  EXPECT_NE(again.run.id, first);
  EXPECT_THAT(kept_.told.lines, HasSubstr("1 of 3 rows failed in run " + short_id(first)));
  EXPECT_EQ(kept_.census->not_selected, 2);
  const Json configuration = Json::parse(stored_run(again.run.id).configuration);
  EXPECT_EQ(configuration.at("rerun").at("run"), first);
}

// A fault of ours or of the machine's says nothing of a submission: its row was never judged.
TEST_F(RunSelection, WhatNobodyJudgedFailedAsWell) {
  benches_.script.states = {{"bob", State::kInfrastructureError}, {"alice", State::kDoesNotFit}};
  good_run();
  request_ = RunRequest();
  request_.rerun = {kFailedRows};
  good_run();
  EXPECT_THAT(told(), ElementsAre("level1/019_relu alice does_not_fit",
                                  "level1/019_relu bob infrastructure_error",
                                  "level1/023_softmax alice does_not_fit"));
}

// It is no submission, and has its row by its name all the same.
TEST_F(RunSelection, AManifestThatMakesNoSenseIsTriedOnceMore) {
  folder_.write("subs/dora/level1/019_relu/submission.json", "{");
  benches_.script.states = {{"bob", State::kTimeout}};
  good_run();
  request_ = RunRequest();
  request_.rerun = {kFailedRows};
  good_run();
  EXPECT_THAT(told(), UnorderedElementsAre("level1/019_relu dora compile_error",
                                           "level1/019_relu bob timeout"));
}

TEST_F(RunSelection, AStateIsTriedOnceMore) {
  benches_.script.states = {{"bob", State::kTimeout}, {"alice", State::kCrash}};
  good_run();
  request_.rerun = {"crash"};
  good_run();
  EXPECT_THAT(told(), ElementsAre("level1/019_relu alice crash", "level1/023_softmax alice crash"));
}

TEST_F(RunSelection, WhatFailedInAShardIsTriedOnceMoreInARunOfItsOwn) {
  benches_.script.states = {{"bob", State::kTimeout}};
  request_.shard = ShardChoice{1, 2};
  request_.group = "night";
  const std::string first = good_run().run.id;
  request_ = RunRequest();
  request_.rerun = {kFailedRows};
  const RunOutcome again = good_run();
  EXPECT_THAT(told(), ElementsAre("level1/019_relu bob timeout"));
  EXPECT_TRUE(Json::parse(stored_run(first).configuration).contains("shard"));
  EXPECT_FALSE(Json::parse(stored_run(again.run.id).configuration).contains("shard"));
}

TEST_F(RunSelection, NothingToTryOnceMoreIsNothingSelected) {
  good_run();
  request_.rerun = {kFailedRows};
  EXPECT_THAT(why_nothing(), AllOf(HasSubstr("nothing that these options select failed"),
                                   HasSubstr("; `kbench explain ")));
}

TEST_F(RunSelection, ARunAloneIsNothingToTryOnceMore) {
  request_.rerun_of = "latest";
  EXPECT_THAT(refused_run().message, HasSubstr("--run names the run of --last-failed"));
}

// Imported tasks come at one size only.
TEST_F(RunSelection, WhereATaskHasOneSizeThatOneIsTakenAndItIsSaid) {
  std::filesystem::copy(kTinySuites, folder_ / "suite", std::filesystem::copy_options::recursive);
  const auto file = folder_ / "suite/level1/023_softmax.json";
  std::ifstream written(file);
  Json softmax = Json::parse(written);
  softmax["sizes"].erase("small");
  folder_.write("suite/level1/023_softmax.json", softmax.dump());
  request_.suite = folder_ / "suite";
  good_run();
  EXPECT_THAT(kept_.told.lines, HasSubstr("1 of 2 tasks have no size small and are skipped"));
  request_.tasks = {"023_softmax"};
  good_run();
  ASSERT_EQ(kept_.rows.size(), 1U);
  EXPECT_EQ(kept_.rows[0].size, "full");
  EXPECT_THAT(kept_.told.lines, HasSubstr("size full: the only one that level1/023_softmax has"));
}

}  // namespace
}  // namespace kbench::test
