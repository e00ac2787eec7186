// Names that a shell offers while a line is typed. It is told nothing where there is nothing.
#include "runner/again/known_names.hpp"

#include <gmock/gmock.h>

#include "runner/store/store.hpp"
#include "tests/fakes/stored_runs.hpp"
#include "tests/unit/paths.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class KnownNames : public ::testing::Test {
 protected:
  KnownNames() { place_.suites = kTinySuites; }
  std::vector<std::string> names(const std::string& kind) {
    search_.kind = kind;
    search_.database = folder_ / "kbench.sqlite";
    search_.submissions = folder_ / "submissions";
    return known_names(search_, place_);
  }
  void store_run() const {
    auto store = Store::open(folder_ / "kbench.sqlite", Store::Mode::kReadWrite);
    ASSERT_TRUE(store.ok()) << store.error().message;
    const kbench::Run run = stored_run({.id = "0123456789abcdef"});
    ASSERT_TRUE(store->begin_run(run).ok());
    ASSERT_TRUE(store->add(failed_evaluation(run.id, "level1/019_relu", "bert")).ok());
    ASSERT_TRUE(store->put(Tag{.name = "best", .run_id = run.id}).ok());
  }

  const TemporaryFolder folder_;
  Installation place_;
  NameSearch search_;
};

TEST_F(KnownNames, OfTasksAreTheirIds) {
  EXPECT_THAT(names("tasks"), Contains("level1/019_relu"));
  search_.suite = folder_ / "nowhere";
  EXPECT_THAT(names("tasks"), IsEmpty());
}

TEST_F(KnownNames, OfFamiliesAreAll) { EXPECT_FALSE(names("families").empty()); }

TEST_F(KnownNames, OfLevelsAreThoseOfTheSuite) {
  EXPECT_THAT(names("levels"), ElementsAre("1", "2"));
}

TEST_F(KnownNames, OfStatesAreThoseThatARunTakesAgain) {
  EXPECT_THAT(names("states"), ::testing::IsSupersetOf({"failed", "timeout", "wrong_result"}));
}

TEST_F(KnownNames, OfRunsAreTagsAndShortIds) {
  store_run();
  EXPECT_THAT(names("runs"), ElementsAre("best", "latest", "0123456789ab"));
  EXPECT_THAT(names("tags"), ElementsAre("best")) << "a tag is given to runs, not to tags";
}

TEST_F(KnownNames, OfAgentsComeFromTheDatabaseAndTheFolderEachOnce) {
  folder_.write("submissions/bert/level1/019_relu.cpp", "");
  folder_.write("submissions/anna/level1/019_relu.cpp", "");
  folder_.write("submissions/README.md", "");
  EXPECT_THAT(names("agents"), ElementsAre("anna", "bert"));
  store_run();
  EXPECT_THAT(names("agents"), ElementsAre("anna", "bert"));
}

TEST_F(KnownNames, AreNoneWhereThereIsNothing) {
  for (const char* kind : {"runs", "tags", "agents"}) EXPECT_THAT(names(kind), IsEmpty()) << kind;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "kbench.sqlite")) << "looking makes no database";
  folder_.write("kbench.sqlite", "no database");
  for (const char* kind : {"runs", "tags", "agents"}) EXPECT_THAT(names(kind), IsEmpty()) << kind;
}

}  // namespace
}  // namespace kbench::test
