// States that somebody else's evolution left: what is taken, what is refused, and that ids do not
// depend on the order of files.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/sha256.hpp"
#include "runner/trajectory/leak_check.hpp"
#include "runner/trajectory/node_lines.hpp"
#include "runner/trajectory/openevolve.hpp"

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const ImportSetting kSetting = {.task = "level1/019_relu",
                                .task_hash = "aa11",
                                .size = "small",
                                .device = "cpu",
                                .prompt = "Write a relu.",
                                .trajectory = ""};

// The user's part of the template full_rewrite_user, filled in as OpenEvolve fills it.
std::string full_rewrite(const std::string& code, const std::string& artifacts) {
  return "# Current Program Information\n- Fitness: 0.4321\n- Feature coordinates: none\n"
         "- Focus areas: - Fitness declined: 0.5000 → 0.4321. Consider revising recent "
         "changes.\n\n" +
         artifacts +
         "\n\n# Program Evolution History\n## Previous Attempts\n\n### Attempt 1\n- Metrics: x\n\n"
         "# Current Program\n```cpp\n" +
         code +
         "\n```\n\n# Task\nRewrite the program to improve its FITNESS SCORE.\n"
         "Provide the complete new program code.\n";
}

std::string artifacts_section(const std::string& text) {
  return "## Last Execution Output\n\n### message\n```\n" + text + "\n```";
}

Json program(const std::string& id, const std::string& code, const std::string& parent = "",
             int generation = 0) {
  Json json = {{"id", id},
               {"code", code},
               {"language", "cpp"},
               {"generation", generation},
               {"metrics", {{"combined_score", 0.5}}},
               {"metadata", Json::object()}};
  json["parent_id"] = parent.empty() ? Json() : Json(parent);
  return json;
}

Json prompted(Json child, const std::string& user) {
  child["prompts"] = {{"full_rewrite_user", {{"system", "You are an expert."}, {"user", user}}}};
  return child;
}

FrozenTexts import(const std::vector<Json>& programs) {
  OpenEvolveFiles files;
  for (const Json& one : programs) {
    const Status added = files.add_program(one.dump(), one.at("id").get<std::string>() + ".json");
    EXPECT_TRUE(added.ok()) << added.error().message;
  }
  auto found = files.nodes(kSetting);
  EXPECT_TRUE(found.ok()) << found.error().message;
  return found ? std::move(*found) : FrozenTexts{};
}

std::set<std::string> ids_of(const FrozenTexts& found) {
  std::set<std::string> ids;
  for (const TrajectoryNode& node : found.trajectories.nodes) ids.insert(node_id(node));
  return ids;
}

StateContext context_of(const FrozenTexts& found, const FrozenState& state) {
  for (const std::string& text : found.texts)
    if (sha256(text) == state.context) return *read_state_context(text);
  ADD_FAILURE() << "no context";
  return {};
}

// --- OpenEvolve ---

TEST(OpenEvolve, WhatWasSaidOfTheProgramItselfIsCutOutOfItsPrompt) {
  const auto context = openevolve_context(
      "You are an expert.", full_rewrite("int k;", artifacts_section("out of bounds at [7]")));
  ASSERT_TRUE(context.has_value());
  const std::string text = all_text(*context);
  for (const char* gone : {"Last Execution Output", "out of bounds", "0.4321", "Focus areas"})
    EXPECT_THAT(text, Not(HasSubstr(gone)));
  for (const char* kept : {"- Feature coordinates: none", "### Attempt 1", "int k;", "expert"})
    EXPECT_THAT(text, HasSubstr(kept));
  EXPECT_TRUE(context->back().after.has_value());
  EXPECT_FALSE(openevolve_context("", "Suggest improvements <<<<<<< SEARCH").has_value());
}

TEST(OpenEvolve, AProgramHasANodeForEachPromptThatMadeAChildAndElseAFreshOne) {
  const auto found = import(
      {program("p0", "int a;"),
       prompted(program("p1", "int b;", "p0", 1), full_rewrite("int a;", "")),
       prompted(program("p2", "int c;", "p0", 1), full_rewrite("int a;", "") + "and once more"),
       program("p3", "int d;", "p1", 2)});
  // p0 twice, p1 fresh by p3, p2 and p3 without children.
  EXPECT_EQ(found.trajectories.nodes.size(), 5u);
  EXPECT_EQ(found.trajectories.states.size(), 5u);
  EXPECT_EQ(found.fresh, 3u);
  std::map<std::string, int> nodes;
  for (const TrajectoryNode& node : found.trajectories.nodes)
    ++nodes[Json::parse(node.outcome).at("program").get<std::string>()];
  EXPECT_EQ(nodes, (std::map<std::string, int>{{"p0", 2}, {"p1", 1}, {"p2", 1}, {"p3", 1}}));
}

TEST(OpenEvolve, IdsAreEqualInAnyOrderOfFiles) {
  std::vector<Json> programs = {program("p0", "int a;")};
  for (int i = 1; i < 7; ++i)
    programs.push_back(
        prompted(program("p" + std::to_string(i), "int k" + std::to_string(i) + ";",
                         "p" + std::to_string(i / 2), i),
                 full_rewrite("x", artifacts_section("the report on " + std::to_string(i)))));
  const auto first = ids_of(import(programs));
  EXPECT_EQ(first.size(), 7u) << "prompts that differ by what is cut out are one";
  for (unsigned turn = 0; turn < 20; ++turn) {
    std::shuffle(programs.begin(), programs.end(), std::mt19937(turn));
    EXPECT_EQ(ids_of(import(programs)), first);
  }
}

TEST(OpenEvolve, TheTraceHasWhatCheckpointsForgot) {
  OpenEvolveFiles files;
  ASSERT_TRUE(files.add_program(program("p0", "int a;").dump(), "p0.json").ok());
  const Json step = {{"parent_id", "p0"},
                     {"child_id", "p1"},
                     {"child_code", "int b;"},
                     {"parent_code", "int a;"},
                     {"child_metrics", {{"combined_score", 1}}},
                     {"generation", 1},
                     {"artifacts", {{"state", "wrong_result"}}}};
  ASSERT_TRUE(files.add_trace(step.dump() + "\n", "trace.jsonl").ok());
  // Python writes what JSON does not have.
  ASSERT_TRUE(files
                  .add_trace(R"({"parent_id":"p1","child_id":"p2","child_code":"NaN",)"
                             R"("child_metrics":{"a":NaN,"b":-Infinity,"c":2}})",
                             "trace.jsonl")
                  .ok());
  const auto found = files.nodes(kSetting);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->trajectories.nodes.size(), 3u);
  EXPECT_THAT(found->trajectories.nodes[2].outcome, HasSubstr(R"("metrics":{"c":2})"));
  EXPECT_EQ(stratum_of(found->trajectories.nodes[1]), stratum::kWrong)
      << "by the judge's word, if it is one";
  EXPECT_THAT(found->texts, ::testing::Contains("NaN"));
}

TEST(OpenEvolve, MigrantsAreCopiesAndBecomeOneWithTheirOriginal) {
  Json copy = program("m1", "int a;", "p0");
  copy["metadata"]["migrant"] = true;
  const auto found = import({program("p0", "int a;"), copy, program("p1", "int b;", "m1", 1)});
  ASSERT_EQ(found.trajectories.nodes.size(), 2u);
  EXPECT_EQ(found.trajectories.nodes[1].parents.size(), 1u);
}

TEST(OpenEvolve, WhatDescendsFromAForgottenProgramIsLeftOutAndCounted) {
  const auto found = import({program("p0", "int a;"), program("p2", "int c;", "p1", 2),
                             program("p3", "int d;", "p2", 3)});
  EXPECT_EQ(found.trajectories.nodes.size(), 1u);
  EXPECT_THAT(found.left_out, ElementsAre(HasSubstr("2 programs whose code, or an ancestor's")));
}

TEST(OpenEvolve, ForeignFilesAreHeldAgainstWhatIsAllowed) {
  OpenEvolveFiles files;
  for (const char* text :
       {"", "[]", "{", R"({"id":"a\nb","code":"x"})", R"({"id":"a"})", R"({"id":7,"code":"x"})"})
    EXPECT_EQ(files.add_program(text, "x.json").error().code, ErrorCode::kBadInput) << text;
  EXPECT_FALSE(files.add_trace(R"({"child_id":"a"})", "t").ok());
  ASSERT_TRUE(files.add_program(program("a", "1").dump(), "1.json").ok());
  EXPECT_THAT(files.add_program(program("a", "2").dump(), "2.json").error().message,
              HasSubstr("different code for one program"));
  OpenEvolveFiles large;
  ASSERT_TRUE(
      large.add_program(program("a", std::string(kMostImportedKernelBytes + 1, 'x')).dump(), "l")
          .ok());
  EXPECT_THAT(large.nodes(kSetting).error().message, HasSubstr("the kernel has 1 files"));
}

// Was: each program's ancestors were walked anew, which takes for ever where a stranger's chain is
// long.
TEST(OpenEvolve, ALongChainTakesNoLongerThanItsPrograms) {
  OpenEvolveFiles files;
  constexpr int kPrograms = 5'000;
  for (int i = 0; i < kPrograms; ++i)
    ASSERT_TRUE(files
                    .add_program(program(fmt::format("{:06}", i), "x",
                                         i > 0 ? fmt::format("{:06}", i - 1) : "", i)
                                     .dump(),
                                 "p")
                    .ok());
  const auto found = files.nodes(kSetting);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->trajectories.nodes.size(), static_cast<std::size_t>(kPrograms));
  EXPECT_EQ(found->trajectories.states.size(), 1u);
}

TEST(OpenEvolve, AnAncestorOfItselfIsRefused) {
  OpenEvolveFiles files;
  ASSERT_TRUE(files.add_program(program("a", "1", "b").dump(), "a").ok());
  ASSERT_TRUE(files.add_program(program("b", "2", "a").dump(), "b").ok());
  const auto found = files.nodes(kSetting);
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.error().message, HasSubstr("among its own ancestors"));
}

// --- leaks ---

TEST(Leaks, PlantedInThreeOfTwentyStatesExactlyTheseAreOut) {
  const std::string report = "error: array subscript 7 is above the bounds of the row";
  std::vector<Json> programs = {program("p00", "int kernel_0;")};
  for (int i = 1; i <= 20; ++i) {
    const std::string code = "int kernel_" + std::to_string(i) + ";  // of a line to be quoted";
    const std::string before = programs.back().at("code").get<std::string>();
    // Said in the history, where nothing is cut out: of this very kernel in 3, else of others.
    const bool planted = i == 4 || i == 9 || i == 15;
    Json one = prompted(program(fmt::format("p{:02}", i), code, fmt::format("p{:02}", i - 1), i),
                        full_rewrite(before, artifacts_section("x")) +
                            (planted ? "\nYou saw: " + report + " " + std::to_string(i - 1) : ""));
    // A report may quote the kernel, and the task: that tells nothing.
    one["artifacts_json"] =
        Json{{"message", report + " " + std::to_string(i) + "\n" + code + "\nWrite a relu."}}
            .dump();
    programs.push_back(one);
  }
  programs[0]["artifacts_json"] = Json{{"message", report + " 0"}}.dump();
  const FrozenTexts found = import(programs);
  EXPECT_EQ(found.leaks, 3u);
  std::set<std::int64_t> out;
  for (const TrajectoryNode& node : found.trajectories.nodes)
    if (leaks_of(node) > 0) out.insert(node.generation);
  EXPECT_EQ(out, (std::set<std::int64_t>{3, 8, 14}));
}

TEST(Leaks, ShortLinesAndQuotedOnesTellNothingAndEscapedOnesDo) {
  const std::vector<std::string> reports = {"  line 12: \"x\" is not declared here  \nshort one\n"};
  EXPECT_EQ(count_leaks(reports, "short one", "", ""), 0u);
  EXPECT_EQ(count_leaks(reports, "so: line 12: \"x\" is not declared here", "", ""), 1u);
  EXPECT_EQ(count_leaks(reports, R"({"m":"line 12: \"x\" is not declared here"})", "", ""), 1u);
  EXPECT_EQ(count_leaks(reports, "line 12: \"x\" is not declared here",
                        "// line 12: \"x\" is not declared here", ""),
            0u);
}

// --- lines of JSON ---

Result<FrozenTexts> import_lines(const std::string& text) {
  NodeLines lines;
  if (Status added = lines.add(text, "nodes.jsonl"); !added) return added.error();
  return lines.nodes(kSetting);
}

TEST(NodeLines, ComeInAnyOrderAndKeepTheirPrompt) {
  const std::string child =
      R"({"id":"b","parents":["a"],"trajectory":"t","generation":1,"files":{"src/k.cpp":"int b;"},)"
      R"("messages":[{"role":"user","content":"better: ","after":" please"}],)"
      R"("outcome":{"stratum":"correct","speedup":1.5}})"
      "\n";
  const std::string parent = R"({"id":"a","trajectory":"t","code":"int a;"})"
                             "\n";
  const auto found = import_lines(child + parent);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(ids_of(*found), ids_of(*import_lines(parent + child)));
  ASSERT_EQ(found->trajectories.nodes.size(), 2u);
  EXPECT_EQ(stratum_of(found->trajectories.nodes[1]), stratum::kCorrect);
  EXPECT_EQ(found->fresh, 1u);
  const StateContext context = context_of(*found, found->trajectories.states[1]);
  EXPECT_EQ(context, (StateContext{{"user", "better: ", " please"}}));
  EXPECT_EQ(found->trajectories.states[1].files[0].path, "src/k.cpp");
}

TEST(NodeLines, AreHeldAgainstWhatIsAllowed) {
  for (const auto& [line, what] : std::vector<std::pair<std::string, std::string>>{
           {R"({"id":"b","parents":["a"],"code":"x"})",
            "nodes.jsonl:1: its parent \"a\" is not there"},
           {R"({"id":"a","parents":["a"],"code":"x"})", "among its own ancestors"},
           {R"({"id":"a"})", "either \"code\" or \"files\""},
           {R"({"code":"x"})", "no \"id\""},
           {R"({"id":"a","code":"x","parnets":[]})", "is no member of a node"},
           {R"({"id":"a","files":{"../x.cpp":"x"}})", "a path that none may have"},
           {R"({"id":"a","files":{"src/../../x.cpp":"x"}})", "a path that none may have"},
           {R"({"id":"a","code":"x","generation":-1})", "no count"},
           {R"({"id":"a","code":"x","outcome":{"leaks":0}})", "\"outcome\" has"},
           {R"({"id":"a","code":"x","outcome":{"stratum":"good"}})", "stratum is unknown"},
           {R"({"id":"a","code":"x","messages":[{"role":"user","content":"x"}]})", "0 anchors"},
           {R"({"id":"a","code":"x","messages":[{"role":"judge","content":"x","after":""}]})",
            "a message of nobody"},
           {R"({"id":"a","code":"x","trajectory":"a\nb"})", "\"trajectory\" is no name"},
           {"{\"id\":\"a\",\"code\":\"x\"}\n{\"id\":\"a\",\"code\":\"y\"}",
            "nodes.jsonl:2: a is another"},
           {"nonsense", "nodes.jsonl:1: no JSON"}}) {
    const auto found = import_lines(line);
    ASSERT_FALSE(found.ok()) << line;
    EXPECT_EQ(found.error().code, ErrorCode::kBadInput);
    EXPECT_THAT(found.error().message, HasSubstr(what)) << line;
  }
}

}  // namespace
}  // namespace kbench
