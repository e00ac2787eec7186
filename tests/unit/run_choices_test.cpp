// The one table of a run's choices: what a configuration says and takes back.
#include "runner/plan/run_choices.hpp"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/run_choices.hpp"

namespace kbench {
namespace {

using ::testing::Contains;
using ::testing::Not;

// A request in which no choice has its default.
RunRequest unusual_request() {
  RunRequest request;
  request.suite = "/suite";
  request.levels = {1, 2};
  request.tags = {"matmul", "scan"};
  request.tasks = {"level1/0*"};
  request.size = "full";
  request.device = "cuda:1";
  request.precision = "tf32";
  request.profile = "kernelbench";
  request.allow_torch = "all";
  request.submissions = "/subs";
  request.layout = "kernelbench";
  request.agent = "ann";
  request.all_tasks = true;
  request.baselines_only = true;
  request.quick = true;
  request.checks_only = true;
  request.vendor = true;
  request.seed = 7;
  request.budget_seconds = 60;
  request.call_limit_seconds = 0.5;
  return request;
}

Plan plan_of(const RunRequest& request) {
  Plan plan;
  plan.target.device = request.device ? "cuda" : "cpu";
  plan.target.device_index = request.device ? 1 : 0;
  plan.target.size = request.size.value_or("small");
  plan.only_submitted = !request.all_tasks;
  return plan;
}

Json configuration_of(const RunRequest& request) {
  return describe_configuration(request, plan_of(request), DeviceFacts(), "2.11.0");
}

TEST(RunChoices, AConfigurationGivesBackTheRequest) {
  const RunRequest request = unusual_request();
  RunRequest again;
  take_choices(configuration_of(request), again);
  EXPECT_EQ(configuration_of(again), configuration_of(request));
  EXPECT_EQ(again.device, "cuda:1");
  EXPECT_EQ(again.call_limit_seconds, 0.5);
  EXPECT_EQ(again.seed, 7);
  EXPECT_EQ(again.tags, request.tags);
}

// A choice that had its default there would be seen by no test above or below.
TEST(RunChoices, AnUnusualRequestHasNoDefault) {
  const std::set<std::string> of_a_test_of_their_own = {"file", "name", "rerun", "shard"};
  const Json unusual = configuration_of(unusual_request());
  const Json usual = configuration_of(RunRequest());
  for (const RunChoice& choice : kRunChoices) {
    const std::string name(choice.name);
    if (choice.option.empty() || of_a_test_of_their_own.contains(name)) continue;
    EXPECT_NE(unusual.value(name, Json()), usual.value(name, Json())) << name;
  }
}

TEST(RunChoices, AFileIsGivenBackWithItsAgent) {
  RunRequest request;
  request.file = "/subs/relu.cpp";
  request.name = "ann";
  RunRequest again;
  take_choices(configuration_of(request), again);
  EXPECT_EQ(again.file, "/subs/relu.cpp");
  EXPECT_EQ(again.name, "ann");
  EXPECT_FALSE(again.submissions);
}

// Each choice of the table, typed at its default, is kept from what the run was configured with.
TEST(RunChoices, EachChoiceThatIsTypedStays) {
  const Json unusual = configuration_of(unusual_request());
  for (const RunChoice& choice : kRunChoices) {
    if (choice.option.empty()) continue;
    RunRequest typed;
    typed.given = {std::string(choice.option)};
    take_choices(unusual, typed);
    typed.given.clear();
    const Json kept = configuration_of(typed);
    const std::string name(choice.name);
    const Json usual = configuration_of(RunRequest());
    EXPECT_EQ(kept.value(name, Json()), usual.value(name, Json())) << choice.option;
  }
}

// A choice that is left out at its default is the same for runs from before there was one.
TEST(RunChoices, LaterChoicesAreLeftOutAtTheirDefault) {
  std::set<std::string> names;
  const Json usual = configuration_of(RunRequest());
  for (const auto& [name, value] : usual.items()) names.insert(name);
  for (const char* later : {"file", "name", "allow_torch", "layout", "checks_only", "rerun",
                            "call_limit_seconds", "shard", "seed", "tags", "vendor"})
    EXPECT_THAT(names, Not(Contains(later)));
  for (const char* always : {"device", "device_index", "size", "precision", "profile", "levels",
                             "tasks", "suite", "submissions", "agent", "baselines_only", "quick",
                             "budget_seconds", "torch", "kbench", "threads", "device_name"})
    EXPECT_THAT(names, Contains(always));
}

TEST(RunChoices, ALimitOutOfBoundsIsNotTaken) {
  for (const double limit : {0.0, -1.0, 1e9}) {
    RunRequest request;
    take_choices({{"call_limit_seconds", limit}}, request);
    EXPECT_FALSE(request.call_limit_seconds) << limit;
  }
  for (const int budget : {0, -1, 1'000'000}) {
    RunRequest request;
    take_choices({{"budget_seconds", budget}}, request);
    EXPECT_EQ(request.budget_seconds, RunRequest().budget_seconds) << budget;
  }
}

TEST(RunChoices, AnotherRerunIsOfItsRunAlone) {
  RunRequest request;
  request.rerun = {"timeout", "crash"};
  request.rerun_of = "3f9a";
  const Json configuration = configuration_of(request);
  RunRequest like;
  take_choices(configuration, like);
  EXPECT_TRUE(like.rerun.empty());
  take_rerun(configuration, like);
  EXPECT_EQ(like.rerun, request.rerun);
  EXPECT_EQ(like.rerun_of, "3f9a");
  for (const char* text :
       {R"({"rerun": 3})", R"({"rerun": {"run": 1, "states": []}})", "[]", "3"}) {
    RunRequest nothing;
    take_rerun(Json::parse(text), nothing);
    EXPECT_FALSE(nothing.rerun_of) << text;
  }
}

TEST(RunChoices, ADifferenceIsNamedWhicheverSideHasIt) {
  EXPECT_EQ(first_difference({{"a", 1}}, {{"a", 1}}), std::nullopt);
  EXPECT_EQ(first_difference({{"a", 1}}, {{"a", 2}}), "a");
  EXPECT_EQ(first_difference({{"a", 1}}, {{"a", 1}, {"b", 1}}), "b");
  EXPECT_EQ(first_difference({{"a", 1}, {"b", 1}}, {{"a", 1}}), "b");
}

TEST(RunChoices, AnOptionIsAChoiceByEitherWord) {
  for (const char* option : {"all-tasks", "name", "shard", "group", "rerun", "run", "level"})
    EXPECT_TRUE(is_choice_of_run(option)) << option;
  for (const char* option : {"", "jobs", "db", "format", "max-fail"})
    EXPECT_FALSE(is_choice_of_run(option)) << option;
}

}  // namespace
}  // namespace kbench
