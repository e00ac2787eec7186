// States out of stored episodes, and the run that holds them.
#include "runner/episode/kept_states.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/episodes/node_list.hpp"
#include "tests/unit/paths.hpp"
#include "tests/unit/stored_episode_fixture.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench {
namespace {

using test::add_run_with_episode;
using test::DatabaseTest;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class KeptStates : public DatabaseTest {
 protected:
  KeptStates() {
    add_run_with_episode(file_, {.id = "aa", .samples = 2}, "e1");
    add_run_with_episode(file_, {.id = "bb", .started_at = "2026-11-22T13:00:00Z", .samples = 2},
                         "e2");
  }
  Store open(Store::Mode mode = Store::Mode::kReadOnly) {
    auto store = Store::open(file_, mode);
    EXPECT_TRUE(store.ok()) << store.error().message;
    return std::move(*store);
  }
};

TEST_F(KeptStates, EpisodesAreChosenByIdByRunOrAll) {
  const Store store = open();
  const auto left_out = [&](const EpisodesToFreeze& request) {
    const auto frozen = freeze_episodes(store, request);
    EXPECT_TRUE(frozen.ok()) << frozen.error().message;
    return frozen->trajectories.nodes.size() + frozen->left_out.size();
  };
  const std::size_t of_one = left_out({.episodes = {"e1"}, .run = {}});
  EXPECT_GT(of_one, 0u);
  EXPECT_EQ(left_out({.episodes = {}, .run = "aa"}), of_one);
  EXPECT_EQ(left_out({}), 2 * of_one);
  EXPECT_EQ(freeze_episodes(store, {.episodes = {"none"}, .run = {}}).error().code,
            ErrorCode::kNotFound);
  EXPECT_EQ(freeze_episodes(store, {.episodes = {}, .run = "none"}).error().code,
            ErrorCode::kNotFound);
}

TEST_F(KeptStates, ARunOfTheirOwnHoldsThemAndIsNoLatest) {
  FrozenTexts frozen;
  frozen.texts = {R"({"messages":[{"content":"Write a relu.","role":"user"}],"schema":1})",
                  "int kernel;"};
  const FrozenState state{.task = "level1/019_relu",
                          .task_hash = "aa11",
                          .size = "small",
                          .device = "cpu",
                          .files = {{"src/main.cpp", pack(frozen.texts[1]).hash, 11}},
                          .context = pack(frozen.texts[0]).hash};
  frozen.trajectories.states = {state};
  frozen.trajectories.nodes = {{.state = state_id(state),
                                .parents = {},
                                .trajectory = "t\x1b[31m",
                                .generation = 0,
                                .origin = "jsonl",
                                .outcome = R"({"stratum":"wrong","leaks":2})"}};
  Store store = open(Store::Mode::kReadWrite);
  const auto run = keep_states(store, frozen, "kbench trajectory import");
  ASSERT_TRUE(run.ok()) << run.error().message;
  const auto nodes = store.nodes(*run);
  ASSERT_THAT(*nodes, SizeIs(1));
  EXPECT_EQ(store.find_run(*run).value()->command_line, "kbench trajectory import");
  EXPECT_EQ(store.find_run(*run).value()->configuration, kStatesOnly);

  const Json json = nodes_json(*nodes);
  EXPECT_EQ(json.at("nodes").at(0).at("leaks"), 2);
  const std::string table = render_nodes(*nodes, {});
  EXPECT_THAT(table, HasSubstr(short_node(nodes->front().id)));
  EXPECT_EQ(table.find('\x1b'), table.npos) << "a trajectory's name is anybody's";
}

// Files that other agents left.
class ImportedFolder : public ::testing::Test {
 protected:
  ImportedFolder() {
    place_.root = test::kSource;
    place_.suites = test::kTinySuites;
    place_.abi = place_.root / "runner/abi";
    asked_.kind = "jsonl";
    asked_.task = "019_relu";
    asked_.device = "cpu";
    asked_.paths = {folder_.path() / "left"};
  }
  static std::string line(const std::string& id) {
    return R"({"id":")" + id + R"(","code":"int )" + id + ";\"}\n";
  }
  static std::string program(const std::string& id) {
    return Json{{"id", id},
                {"code", "int " + id + ";"},
                {"language", "cpp"},
                {"generation", 0},
                {"metrics", {{"combined_score", 0.5}}},
                {"metadata", Json::object()},
                {"parent_id", nullptr}}
        .dump();
  }
  std::size_t imported() {
    const auto found = import_states(asked_, place_);
    EXPECT_TRUE(found.ok()) << found.error().message;
    return found ? found->trajectories.nodes.size() + found->left_out.size() : 0;
  }
  Error refusal() {
    const auto found = import_states(asked_, place_);
    EXPECT_FALSE(found.ok());
    return found ? Error{} : found.error();
  }

  const test::TemporaryFolder folder_;
  Installation place_;
  StateImport asked_;
};

TEST_F(ImportedFolder, LinesAreTakenFromEachFileBelowAndFromNamedOnes) {
  folder_.write("left/b/two.jsonl", line("b") + line("c"));
  folder_.write("left/a.jsonl", line("a"));
  folder_.write("left/notes.json", "nothing of this");
  std::filesystem::create_symlink(folder_ / "left/a.jsonl", folder_ / "left/linked.jsonl");
  EXPECT_EQ(imported(), 3u);
  asked_.paths = {folder_ / "left/a.jsonl"};
  EXPECT_EQ(imported(), 1u);
  asked_.paths = {folder_ / "left/a.jsonl", folder_ / "left/b"};
  EXPECT_EQ(imported(), 3u);
}

TEST_F(ImportedFolder, NodesAreOfTheTaskThatIsNamed) {
  folder_.write("left/a.jsonl", line("a"));
  const auto found = import_states(asked_, place_);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->trajectories.states.size(), 1u);
  const FrozenState& state = found->trajectories.states[0];
  EXPECT_EQ(state.task, "level1/019_relu");
  EXPECT_EQ(state.size, "small");
  EXPECT_EQ(state.device, "cpu");
  EXPECT_FALSE(state.task_hash.empty());
}

TEST_F(ImportedFolder, OfAnEvolutionItsProgramsAndTracesAreTaken) {
  asked_.kind = "openevolve";
  folder_.write("left/checkpoint_1/programs/a.json", program("a"));
  folder_.write("left/checkpoint_1/programs/b.json", program("b"));
  folder_.write("left/checkpoint_1/metadata.json", "no program");
  folder_.write("left/log.jsonl", "no trace");
  folder_.write("left/trace_failures.jsonl", "no trace");
  EXPECT_EQ(imported(), 2u);
}

TEST_F(ImportedFolder, AFolderWithoutAnyIsRefusedWithWhatIsWanted) {
  std::filesystem::create_directories(folder_ / "left");
  EXPECT_EQ(refusal().code, ErrorCode::kUsage);
  EXPECT_THAT(refusal().message, HasSubstr("nothing to import in it"));
  EXPECT_THAT(refusal().hint, HasSubstr("*.jsonl"));
  asked_.kind = "openevolve";
  EXPECT_THAT(refusal().hint, HasSubstr("programs/ID.json"));
}

TEST_F(ImportedFolder, WhatIsNotThereOrNoNameIsRefused) {
  EXPECT_EQ(refusal().code, ErrorCode::kUsage);
  folder_.write("left/a.jsonl", line("a"));
  asked_.trajectory = "two\nlines";
  EXPECT_THAT(refusal().message, HasSubstr("--trajectory \"two"));
  EXPECT_THAT(refusal().message, HasSubstr("is no name"));
  EXPECT_THAT(refusal().hint, HasSubstr("such as evolution-3"));
  asked_.trajectory = "mine";
  EXPECT_EQ(imported(), 1u);
  EXPECT_EQ(import_states(asked_, place_)->trajectories.nodes.at(0).trajectory, "mine");
  asked_.task = "nothing_like_it";
  EXPECT_EQ(refusal().code, ErrorCode::kNotFound);
  asked_.task = "019_relu";
  folder_.write("left/a.jsonl", "nonsense");
  EXPECT_EQ(refusal().code, ErrorCode::kBadInput);
}

TEST(WordsOfStates, CountNodesStatesAndWhatTells) {
  FrozenTexts frozen;
  frozen.trajectories.nodes.resize(1);
  frozen.trajectories.states.resize(2);
  EXPECT_EQ(words(frozen), "1 node of 2 states, 0 with a fresh context");
  frozen.fresh = 1;
  frozen.leaks = 1;
  EXPECT_EQ(
      words(frozen),
      "1 node of 2 states, 1 with a fresh context; 1 node tells what a report would tell, and is "
      "left out of studies");
  frozen.leaks = 2;
  EXPECT_THAT(words(frozen), HasSubstr("2 nodes tell what a report would tell, and are left out"));
}

}  // namespace
}  // namespace kbench
