// States out of stored episodes, and the run that holds them.
#include "runner/episode/kept_states.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/episodes/node_list.hpp"
#include "tests/unit/stored_episode_fixture.hpp"

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

}  // namespace
}  // namespace kbench
