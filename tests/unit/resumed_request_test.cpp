#include "runner/run/resumed_request.hpp"

#include <gtest/gtest.h>

#include "runner/store/store.hpp"
#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

Run started_with(const std::string& configuration) {
  Run run;
  run.configuration = configuration;
  return run;
}

TEST(ResumedRequest, WhatIsNotSaidAgainIsTakenFromTheRun) {
  const RunRequest options = with_choices_of({}, started_with(R"({
    "device": "cuda", "device_index": 1, "size": "full", "precision": "tf32", "profile": "kernelbench",
    "levels": [1, 2], "tasks": ["level1/0*"], "suite": "/suite", "submissions": "/subs", "agent": "a",
    "baselines_only": false, "quick": true, "budget_seconds": 60, "allow_torch": "all"})"));
  EXPECT_EQ(options.device, "cuda:1");
  EXPECT_EQ(options.size, "full");
  EXPECT_EQ(options.precision, "tf32");
  EXPECT_EQ(options.profile, "kernelbench");
  EXPECT_EQ(options.allow_torch, "all");
  EXPECT_EQ(options.levels, (std::vector<int>{1, 2}));
  EXPECT_EQ(options.tasks, std::vector<std::string>{"level1/0*"});
  EXPECT_EQ(options.suite, "/suite");
  EXPECT_EQ(options.submissions, "/subs");
  EXPECT_EQ(options.agent, "a");
  EXPECT_TRUE(options.quick);
  EXPECT_EQ(options.budget_seconds, 60);
}

TEST(ResumedRequest, OptionsThatTheRunDoesNotKeepAreNamed) {
  const std::string began = "kbench run --output-of x --out junit=r.xml --out=r.csv --fail-fast";
  EXPECT_EQ(options_left_behind(began, "kbench run --resume"), "--out, --fail-fast");
  EXPECT_EQ(options_left_behind(began, "kbench run --resume --fail-fast --out r.csv"), "");
  EXPECT_EQ(options_left_behind("kbench run --output-of x --quick", "kbench run --resume"), "");
}

TEST(ResumedRequest, ARunThatIsNotThereIsSaidInOneSentence) {
  const test::TemporaryFolder folder;
  const RunTerms terms{.database = folder / "a.sqlite", .resume = "nosuch"};
  auto store = Store::open(terms.database, Store::Mode::kReadWrite);
  ASSERT_TRUE(store);
  const auto none = find_resumed_run(*store, terms);
  ASSERT_FALSE(none);
  EXPECT_EQ(
      none.error().hint,
      "`kbench runs` lists them; \"latest\" is the newest; without --resume a new one is started");
  const auto newest = find_resumed_run(*store, {.database = terms.database, .resume = "latest"});
  ASSERT_FALSE(newest);
  EXPECT_EQ(newest.error().hint, "Start one: `kbench run`; without --resume a new one is started");
}

TEST(ResumedRequest, AFileStaysItsAgents) {
  const auto run = started_with(R"({"file": "/f.cpp", "name": "ann"})");
  EXPECT_EQ(with_choices_of({}, run).name, "ann");
  RunRequest given;
  given.name = "bob";
  EXPECT_EQ(with_choices_of(given, run).name, "bob");
  EXPECT_FALSE(with_choices_of({}, started_with(R"({"file": "/f.cpp"})")).name);
}

// Runs from before kbench left any task out had all of them.
TEST(ResumedRequest, ARunOfWhatWasSubmittedStaysOne) {
  EXPECT_FALSE(with_choices_of({}, started_with(R"({"only_submitted": true})")).all_tasks);
  EXPECT_TRUE(with_choices_of({}, started_with("{}")).all_tasks);
}

TEST(ResumedRequest, AShardStaysTheShardThatItIs) {
  const RunRequest options = as_part_of(
      {}, started_with(
              R"({"shard": {"group": "nightly-12", "index": 2, "of": 4, "selection": "5e1ec7"}})"));
  ASSERT_TRUE(options.shard);
  EXPECT_EQ(options.shard->index, 2);
  EXPECT_EQ(options.shard->of, 4);
  EXPECT_EQ(options.group, "nightly-12");
}

TEST(ResumedRequest, WhatIsSaidStaysForTheRunToRefuse) {
  RunRequest given;
  given.device = "cpu";
  given.agent = "b";
  given.submissions = "mine";
  const RunRequest options = with_choices_of(
      given,
      started_with(R"({"device": "cuda", "agent": "a", "submissions": "/subs", "file": "/f"})"));
  EXPECT_EQ(options.device, "cpu");
  EXPECT_EQ(options.agent, "b");
  EXPECT_EQ(options.submissions, "mine");
  EXPECT_FALSE(options.file);
}

TEST(ResumedRequest, WhatIsSaidAtItsDefaultStaysAsWell) {
  RunRequest given;
  given.given = {"precision", "profile", "allow-torch", "layout", "budget"};
  const RunRequest options = with_choices_of(
      given, started_with(R"({"precision": "tf32", "profile": "kernelbench", "allow_torch": "all",
                              "layout": "kernelbench", "budget_seconds": 60, "quick": true})"));
  EXPECT_EQ(options.precision, "torch-default");
  EXPECT_EQ(options.profile, "kbench");
  EXPECT_EQ(options.allow_torch, "data");
  EXPECT_EQ(options.layout, "kbench");
  EXPECT_EQ(options.budget_seconds, 180);
  EXPECT_TRUE(options.quick) << "nobody said anything of it";
}

TEST(ResumedRequest, AConfigurationThatIsNoneChangesNothing) {
  for (const char* text : {"", "[]", "null", R"({"levels": "all", "quick": 3, "size": {}})"}) {
    const RunRequest options = with_choices_of({}, started_with(text));
    EXPECT_TRUE(options.levels.empty()) << text;
    EXPECT_FALSE(options.quick) << text;
    EXPECT_FALSE(options.size) << text;
    EXPECT_EQ(options.allow_torch, "data") << text;
  }
}

}  // namespace
}  // namespace kbench
