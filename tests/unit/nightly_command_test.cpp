// A night by its verb, from the options to the exit code. Nothing that is handed in compiles, so
// nothing is measured, and the good runs before it are written into the database.
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "runner/cli/verbs.hpp"
#include "runner/store/chain/chain_key.hpp"
#include "tests/unit/scripted_oracle_fixture.hpp"

namespace kbench::test {
namespace {

class NightlyCommand : public ScriptedOracleTest {
 protected:
  NightlyCommand() {
    folder_.write("subs/anna/level1/019_relu.cpp", "#error not today\n");
    options_.device = "cpu";
    options_.submissions = request_.submissions;
    options_.database = terms_.database;
    options_.common.verbosity = -1;
    options_.common.color = ColorMode::kNever;
    begin_with_tables();
  }
  ExitCode night() {
    const auto end = call(options_, benches_.place);
    EXPECT_TRUE(end.ok()) << end.error().message;
    return end ? end->code : ExitCode::kUsage;
  }
  Store open(Store::Mode mode) const {
    auto store = Store::open(terms_.database, mode);
    EXPECT_TRUE(store.ok()) << store.error().message;
    return std::move(*store);
  }
  // Two runs like the one there is, in which the submission was right.
  void add_good_runs() const {
    Store store = open(Store::Mode::kReadWrite);
    store.use(read_chain_key(benches_.place.state).value());
    kbench::Run run = store.runs().value().at(0);
    std::vector<Evaluation> rows = store.evaluations(run.id).value();
    const std::string finished_at = run.finished_at;
    run.finished_at.clear();
    for (const char* id :
         {"600d0000000000000000000000000001", "600d0000000000000000000000000002"}) {
      run.id = id;
      ASSERT_TRUE(store.begin_run(run).ok());
      for (Evaluation& row : rows) {
        row.run_id = id;
        row.state = State::kOk;
        row.correct = true;
        const Status added = store.add(row, {});
        ASSERT_TRUE(added.ok()) << added.error().message;
      }
      ASSERT_TRUE(store.finish_run(id, finished_at).ok());
    }
  }
  [[nodiscard]] std::size_t finished() const {
    std::size_t count = 0;
    const auto runs = open(Store::Mode::kReadOnly).runs().value();
    for (const kbench::Run& run : runs)
      if (!run.finished_at.empty()) ++count;
    return count;
  }

  NightlyOptions options_;
};

TEST_F(NightlyCommand, WhatFailsAsBeforeIsNoRegression) {
  EXPECT_EQ(night(), ExitCode::kGood);
  EXPECT_EQ(finished(), 1U);
}

TEST_F(NightlyCommand, WhatWasRightAndFailsTwiceIsARegression) {
  night();
  ASSERT_NO_FATAL_FAILURE(add_good_runs());
  EXPECT_EQ(night(), ExitCode::kRegression);
}

TEST_F(NightlyCommand, CtrlCAfterItsRunIsAnInterruption) {
  night();
  ASSERT_NO_FATAL_FAILURE(add_good_runs());
  options_.stop = [this] { return finished() == 4; };
  EXPECT_EQ(night(), ExitCode::kInterrupted);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "kbench-remeasured.sqlite"));
}

}  // namespace
}  // namespace kbench::test
