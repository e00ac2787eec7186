// Runs with episodes, for the tests of what is done to whole databases.
#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "runner/store/store.hpp"
#include "tests/fakes/stored_episodes.hpp"
#include "tests/unit/database_fixture.hpp"

namespace kbench::test {

// Two turns and a submission whose row is the run's first (make_evaluation). What is said is the
// episode's own, but for the prompt.
inline EpisodeMaker submitting(const std::string& id, const std::string& run_id) {
  EpisodeMaker maker(id, run_id);
  maker
      .turn({{.tool = "write",
              .arguments = Json{{"of", id}}.dump(),
              .before = "",
              .after = "tree-" + id,
              .result = "written by " + id}})
      .turn({{.tool = "submit",
              .before = "tree-" + id,
              .evaluation = "key-0",
              .result = "judged for " + id}})
      .end(StopReason::kSubmit);
  return maker;
}

// A run with rows, as add_run makes it, and an episode in it.
inline void add_run_with_episode(const std::filesystem::path& file, const StoredRunSpec& spec,
                                 const std::string& episode_id) {
  add_run(file, spec);
  Result<Store> store = Store::open(file, Store::Mode::kReadWrite);
  ASSERT_TRUE(store.ok()) << store.error().message;
  EpisodeMaker maker = submitting(episode_id, spec.id);
  const Status put = put_episode(*store, maker.episode(), maker.contents());
  ASSERT_TRUE(put.ok()) << put.error().message;
}

}  // namespace kbench::test
