#include "runner/study/study_plan.hpp"

#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/study/make_plan.hpp"
#include "runner/study/study_cost.hpp"

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

StudyPlan plan() {
  StudyPlan plan;
  plan.components = {*find_component("error"), *find_component("tool=/bin/true")};
  plan.outcomes = {"correct", "built"};
  plan.primary = "correct";
  plan.injection = "1-aa";
  plan.model = "m";
  plan.device = "cpu";
  plan.size = "small";
  plan.states = {{"n1", "level1/019_relu", "wrong", {"error", "tool"}},
                 {"n2", "level1/023_softmax", "wrong", {"error", "tool"}}};
  return plan;
}

TEST(StudyPlan, IsReadAsItWasWritten) {
  StudyPlan all = plan();
  all.arms = {"sham", "P+RF"};
  all.temperature = 0.25;
  all.max_tokens = 9;
  all.checks_only = true;
  const auto back = read_study_plan(study_plan_text(all));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, all);
}

TEST(StudyPlan, EachFieldMakesAnotherStudy) {
  const std::vector<std::function<void(StudyPlan&)>> changes = {
      [](StudyPlan& p) { p.mode = "plan"; },
      [](StudyPlan& p) { p.arms = {"sham"}; },
      [](StudyPlan& p) { p.components[1] = *find_component("tool=/bin/false"); },
      [](StudyPlan& p) { p.components[0].version = "2"; },
      [](StudyPlan& p) { p.outcomes.emplace_back("better"); },
      [](StudyPlan& p) { p.primary = "built"; },
      [](StudyPlan& p) { p.replicates = 2; },
      [](StudyPlan& p) { p.injection = "1-bb"; },
      [](StudyPlan& p) { p.model = "other"; },
      [](StudyPlan& p) { p.strong = "large"; },
      [](StudyPlan& p) { p.temperature = 0; },
      [](StudyPlan& p) { p.max_tokens = 100; },
      [](StudyPlan& p) { p.window = 1000; },
      [](StudyPlan& p) { p.seed = 1; },
      [](StudyPlan& p) { p.device = "cuda"; },
      [](StudyPlan& p) { p.size = "full"; },
      [](StudyPlan& p) { p.quick = true; },
      [](StudyPlan& p) { p.checks_only = true; },
      [](StudyPlan& p) { p.states.pop_back(); },
      [](StudyPlan& p) { p.states[0].node = "n3"; },
      [](StudyPlan& p) { p.states[0].stratum = "correct"; },
      [](StudyPlan& p) { p.states[0].task = "level1/001_x"; },
      [](StudyPlan& p) { p.states[0].available = {"error"}; },
  };
  std::set<std::string> ids = {study_id(study_plan_text(plan()))};
  for (const auto& change : changes) {
    StudyPlan changed = plan();
    change(changed);
    EXPECT_TRUE(ids.insert(study_id(study_plan_text(changed))).second) << study_plan_text(changed);
  }
}

TEST(StudyPlan, OneOfBeforeTimesItsKernels) {
  EXPECT_THAT(study_plan_text(plan()), Not(HasSubstr("checks_only"))) << "else its id changes";
  const auto back = read_study_plan(study_plan_text(plan()));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_FALSE(back->checks_only);
  EXPECT_TRUE(times_anything(*back));
}

TEST(StudyPlan, TimesKernelsWhereAnOutcomeOrAComponentTakesATime) {
  const auto made = [](std::vector<std::string> outcomes) {
    PlanRequest request;
    request.plan.outcomes = std::move(outcomes);
    return with_parts(std::move(request), {{"error", "profiler"}, {}})->plan;
  };
  for (const char* timed : {"better", "fast:0.5"}) {
    EXPECT_FALSE(made({"correct", timed}).checks_only) << timed;
    EXPECT_TRUE(times_anything(made({"correct", timed}))) << timed;
  }
  EXPECT_FALSE(made({}).checks_only) << "all outcomes";
  StudyPlan checked = made({"correct", "built", "tokens"});
  EXPECT_TRUE(checked.checks_only);
  checked.states = {{"n1", "t", "not built", {"error"}}};
  EXPECT_FALSE(times_anything(checked));
  checked.states.push_back({"n2", "t", "wrong", {"error", "profiler"}});
  EXPECT_TRUE(times_anything(checked)) << "the profiler tells a time";
}

TEST(StudyPlan, AStrongModelLendsItsPlansInArmsOfTheirOwn) {
  StudyPlan lent = plan();
  lent.strong = "large";
  lent.arms.assign(kTransferArms.begin(), kTransferArms.end());
  const auto back = read_study_plan(study_plan_text(lent));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, lent);
  const auto asked = [&](const char* arm) {
    return planner_of(lent, arm) + " " + coder_of(lent, arm);
  };
  EXPECT_EQ(asked("transfer:own"), "m m");
  EXPECT_EQ(asked("transfer:plan"), "large m");
  EXPECT_EQ(asked("transfer:strong"), "large large");
  EXPECT_EQ(asked("plan"), "m m");
  EXPECT_EQ(requests_of(lent, "transfer:plan"), 2);
  StudyPlan without = lent;
  without.strong.clear();
  EXPECT_FALSE(read_study_plan(study_plan_text(without)).ok());
  without = lent;
  without.arms.pop_back();
  EXPECT_FALSE(read_study_plan(study_plan_text(without)).ok());
  lent.strong = lent.model;
  EXPECT_FALSE(read_study_plan(study_plan_text(lent)).ok());
}

TEST(StudyPlan, WhatIsNoneIsRefused) {
  const std::map<std::string, std::function<void(StudyPlan&)>> changes = {
      {"no mode", [](StudyPlan& p) { p.mode = "sham"; }},
      {"no arm", [](StudyPlan& p) { p.arms = {"DP"}; }},
      {"an arm twice",
       [](StudyPlan& p) {
         p.arms = {"sham", "sham"};
       }},
      {"no component", [](StudyPlan& p) { p.components[0].name = "oracle"; }},
      {"in a version", [](StudyPlan& p) { p.components[0].version = "0"; }},
      {"a component twice", [](StudyPlan& p) { p.components.push_back(p.components[0]); }},
      {"not 1 to 8 components", [](StudyPlan& p) { p.components.clear(); }},
      {"no outcome", [](StudyPlan& p) { p.outcomes.emplace_back("fast"); }},
      {"takes a time",
       [](StudyPlan& p) {
         p.checks_only = true;
         p.outcomes.emplace_back("fast:2");
       }},
      {"primary outcome", [](StudyPlan& p) { p.primary = "better"; }},
      {"replicates", [](StudyPlan& p) { p.replicates = 0; }},
      {"states", [](StudyPlan& p) { p.states.clear(); }},
      {"a state twice", [](StudyPlan& p) { p.states[1].node = "n1"; }},
      {"another order",
       [](StudyPlan& p) {
         p.states[0].available = {"tool", "error"};
       }},
      {"does not name", [](StudyPlan& p) { p.states[0].available = {"profiler"}; }},
      {"another task's state", [](StudyPlan& p) {
         p.arms = {"P+RF"};
         p.states.pop_back();
       }}};
  for (const auto& [what, change] : changes) {
    StudyPlan changed = plan();
    change(changed);
    const auto read = read_study_plan(study_plan_text(changed));
    ASSERT_FALSE(read.ok()) << what;
    EXPECT_THAT(read.error().message, HasSubstr(what));
  }
  for (const char* text : {"", "[]", "{}", R"({"schema":"kbench-study/1"})"})
    EXPECT_FALSE(read_study_plan(text).ok()) << text;
  EXPECT_FALSE(read_study_plan(study_plan_text(plan()) + " ").ok()) << "another text, another id";
}

TEST(StudyCells, AreAllCoalitionsInAnOrderThatIsTheSameEachTime) {
  StudyPlan all = plan();
  all.arms = {"sham", "NP+F"};
  const auto cells = cells_of(all, all.states[0], 3);
  std::set<std::string> seen;
  for (const CellPlace& cell : cells) {
    EXPECT_EQ(cell.replicate, 3);
    seen.insert(cell.arm + ":" + coalition_text(cell.coalition));
  }
  EXPECT_THAT(seen, ElementsAre("NP+F:error,tool", "direct:", "direct:error", "direct:error,tool",
                                "direct:tool", "sham:"));
  EXPECT_THAT(cells, SizeIs(6));
  const auto again = cells_of(all, all.states[0], 3);
  for (std::size_t i = 0; i < cells.size(); ++i)
    EXPECT_EQ(again[i].coalition, cells[i].coalition) << i;
  // Over many replicates each coalition is first about equally often.
  std::map<std::string, int> first;
  for (int replicate = 0; replicate < 600; ++replicate)
    ++first[coalition_text(cells_of(plan(), all.states[0], replicate).front().coalition)];
  ASSERT_THAT(first, SizeIs(4));
  for (const auto& [coalition, count] : first) EXPECT_NEAR(count, 150, 60) << coalition;
}

StoredNode node(int number, const std::string& task, const std::string& kind, int generation) {
  StoredNode stored;
  stored.id = fmt::format("{}", number);
  stored.node = {.state = fmt::format("s{}", number),
                 .parents = {},
                 .trajectory = fmt::format("t{}", number % 3),
                 .generation = generation,
                 .origin = "episode",
                 .outcome = R"({"stratum":")" + kind + "\"}"};
  stored.state.task = task;
  stored.state.device = "cpu";
  stored.state.size = "small";
  return stored;
}

TEST(StudyStates, AreBalancedOverStrataTasksAndGenerations) {
  std::vector<StoredNode> nodes;
  int number = 0;
  for (int i = 0; i < 40; ++i) nodes.push_back(node(number++, "a", "wrong", i % 4));
  for (int i = 0; i < 8; ++i) nodes.push_back(node(number++, "b", "wrong", 0));
  for (int i = 0; i < 8; ++i) nodes.push_back(node(number++, "a", "correct", i % 2));
  const std::vector<Component> components = {*find_component("error"), *find_component("profiler")};
  const ChosenStates chosen = choose_states(nodes, components, {.states = 16}, 0);
  std::map<std::string, int> counts;
  for (const PlannedState& state : chosen.states) {
    ++counts[state.stratum];
    if (state.stratum == "wrong") ++counts[state.task];
    EXPECT_THAT(state.available, SizeIs(state.stratum == "wrong" ? 2 : 1));
  }
  EXPECT_EQ(counts, (std::map<std::string, int>{{"wrong", 8}, {"correct", 8}, {"a", 4}, {"b", 4}}));
  EXPECT_THAT(chosen.left_out, IsEmpty());
  EXPECT_EQ(choose_states(nodes, components, {.states = 16}, 0).states, chosen.states);
  EXPECT_NE(choose_states(nodes, components, {.states = 16}, 1).states, chosen.states);
}

TEST(StudyStates, WhatNoStudyTakesIsLeftOutAndCounted) {
  std::vector<StoredNode> nodes = {node(0, "a", "wrong", 0), node(1, "a", "wrong", 1),
                                   node(2, "a", "guess", 0), node(3, "a", "wrong", 0),
                                   node(4, "a", "wrong", 0)};
  nodes[1].node.outcome = R"({"stratum":"wrong","leaks":1})";
  nodes[3].node.state = nodes[0].node.state;
  nodes[4].state.device = "cuda";
  const ChosenStates chosen = choose_states(nodes, {*find_component("error")}, {}, 0);
  EXPECT_THAT(chosen.states, SizeIs(1));
  EXPECT_THAT(chosen.left_out,
              ElementsAre("1 node are of a state that is there already",
                          "1 node are of another device or size", "1 node are of no known stratum",
                          "1 node tell already what a report would"));
}

// The design's table: half-widths for three components, a rate of 0.3, effects that differ by 0.08.
TEST(StudyCost, HalfWidthsAreThoseOfTheDesign) {
  struct Row {
    std::size_t states;
    int replicates;
    double effect, pair, three;
  };
  for (const Row& row : {Row{40, 1, .105, .21, .41}, Row{80, 1, .074, .14, .28},
                         Row{20, 10, .061, .10, .19}, Row{200, 1, .046, .09, .18}}) {
    const auto samples = static_cast<std::int64_t>(row.states * 8) * row.replicates;
    EXPECT_NEAR(precision_of(1, row.states, samples)->half_width, row.effect, .1 * row.effect);
    EXPECT_NEAR(precision_of(2, row.states, samples)->half_width, row.pair, .1 * row.pair);
    EXPECT_NEAR(precision_of(3, row.states, samples)->half_width, row.three, .1 * row.three);
  }
  EXPECT_NEAR(precision_of(1, 80, 640)->seen, .106, .002);
  EXPECT_TRUE(precision_of(1, 6, 48));
  EXPECT_FALSE(precision_of(1, 5, 40)) << "the report gives no interval either";
}

TEST(StudyCost, ABudgetTakesReplicatesThenStatesAndBelowOneStateNothing) {
  const std::vector<Cost> states(4, Cost{4, 4, 4e6, 1e6});  // US$ 4 in, 2 out; probes on top
  const Price price{1, 2};
  const double one = total_cost({states[0]}, 1).usd(price);
  EXPECT_NEAR(one, 6 + 6 * 3. / 4, 1e-9);
  EXPECT_EQ(afford(states, 3, price, 1000)->replicates, 3);
  const auto fewer = afford(states, 3, price, total_cost(states, 2).usd(price) + .01);
  EXPECT_EQ(fewer->replicates, 2);
  EXPECT_EQ(fewer->states, 4u);
  const auto least = afford(states, 3, price, one);
  EXPECT_EQ(least->replicates, 1);
  EXPECT_EQ(least->states, 1u);
  const auto none = afford(states, 3, price, one - .01);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kUsage);
  EXPECT_THAT(none.error().message, HasSubstr("that takes US$ 10.5"));
}

TEST(StudyCost, APlannerIsASecondRequest) {
  StudyPlan with_planner = plan();
  with_planner.mode = "both";
  const InjectionTemplate words{.version = 1,
                                .id = "1",
                                .heading = "h",
                                .report = "{component}{fence}{report}{fence}",
                                .plan = "{fence}{plan}{fence}",
                                .ask_for_plan = "q",
                                .filler = "f"};
  const StateToPrice known{{{"user", "x", "y"}}, {{"error", "e"}, {"tool", "t"}}};
  const auto direct = cost_of(plan(), plan().states[0], known, words, {});
  const auto both = cost_of(with_planner, plan().states[0], known, words, {});
  ASSERT_TRUE(direct.ok() && both.ok());
  EXPECT_EQ(direct->cells, 4);
  EXPECT_EQ(direct->requests, 4);
  EXPECT_EQ(both->requests, 8);
  EXPECT_EQ(direct->tokens_out, 4 * 2500);
  EXPECT_EQ(both->tokens_out, 4 * 2900);
}

TEST(StudyCost, APriceIsTwoNumbers) {
  EXPECT_EQ(parse_price("3,15")->out, 15);
  for (const char* text : {"", "3", "3,", ",3", "3,x", "-1,2", "3,4,5"})
    EXPECT_FALSE(parse_price(text).ok()) << text;
}

}  // namespace
}  // namespace kbench
