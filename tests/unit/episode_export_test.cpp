// Stored episodes as lines: which are chosen, what is left out, and inputs beside the database.
#include "runner/episode/episode_export.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/json.hpp"
#include "tests/unit/stored_episode_fixture.hpp"

namespace kbench {
namespace {

using test::add_run_with_episode;
using test::DatabaseTest;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class EpisodeExportTest : public DatabaseTest {
 protected:
  EpisodeExportTest() {
    // A row that failed is worth -1, whatever was timed.
    const test::StoredRunSpec wrong{
        .id = "aa", .rows = 1, .samples = 2, .state = State::kWrongResult};
    add_run_with_episode(file_, wrong, "e1");
    test::StoredRunSpec later = wrong;
    later.id = "bb";
    later.started_at = "2026-11-22T13:00:00Z";
    add_run_with_episode(file_, later, "e2");
    request_.filter = FilterRule::kAll;
    request_.reward = find_reward("log").value();
  }
  // The error, or "" with `lines_` and `counts_` of the export.
  std::string error_of_export() {
    lines_.clear();
    auto store = Store::open(file_, Store::Mode::kReadOnly);
    store->use(test::test_key());  // else nobody can tell whether its rows were changed
    auto exporter = EpisodeExporter::prepare(*store, request_, [](const std::string&) {});
    if (!exporter) return exporter.error().message;
    const auto written = exporter->write([&](const std::string& line) -> Status {
      lines_.push_back(line);
      return refusal_ ? Status(*refusal_) : Status(Done{});
    });
    counts_ = exporter->counts();
    return written ? "" : written.error().message;
  }

  EpisodeExport request_;
  std::optional<Error> refusal_;
  std::vector<std::string> lines_;
  FilterCounts counts_;
};

TEST_F(EpisodeExportTest, RunsAreChosenByName) {
  EXPECT_EQ(error_of_export(), "");
  EXPECT_EQ(counts_.seen, 2);
  EXPECT_THAT(lines_, SizeIs(2));
  request_.runs = {"latest"};
  EXPECT_EQ(error_of_export(), "");
  EXPECT_EQ(counts_.seen, 1);
  request_.runs = {"none"};
  EXPECT_THAT(error_of_export(), HasSubstr("none"));
}

TEST_F(EpisodeExportTest, TasksThatAreHeldOutAreRejected) {
  request_.held_out = folder_.write("held_out.txt", "# nobody\nlevel1/0*\n");
  EXPECT_EQ(error_of_export(), "");
  EXPECT_THAT(lines_, SizeIs(0));
  EXPECT_EQ(counts_.rejected[Rejection::kHeldOut], 2);
  request_.held_out = folder_.write("held_out.txt", "two words\n");
  EXPECT_THAT(error_of_export(), HasSubstr("held_out.txt:1: this is no task"));
}

TEST_F(EpisodeExportTest, ValuesHaveToFitEachEpisode) {
  request_.kind = ExportKind::kPpo;
  request_.values = folder_.write("values.jsonl", "{\"episode\": \"e1\", \"values\": [0.5]}\n");
  EXPECT_THAT(error_of_export(), HasSubstr("has 1 values of episode e1, which has 2 turns"));
  request_.values = folder_.write("values.jsonl", "{\"episode\": \"e1\", \"values\": [\"x\"]}\n");
  EXPECT_THAT(error_of_export(), HasSubstr("values.jsonl:1: a value is no number"));
}

TEST_F(EpisodeExportTest, AReaderThatIsGoneEndsIt) {
  refusal_ = Error{ErrorCode::kInfrastructure, "the disk is full", ""};
  EXPECT_EQ(error_of_export(), "the disk is full");
  EXPECT_THAT(lines_, SizeIs(1)) << "nothing follows the first line";
}

}  // namespace
}  // namespace kbench
