// The journal of a synthesis, its records and its manifest.
#include "runner/synthesis/synthesis_journal.hpp"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/synthesis/synthesis_manifest.hpp"
#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;

CandidateRecord kept_record(std::int64_t number) {
  CandidateRecord record;
  record.candidate = number;
  record.where = "candidate " + std::to_string(number);
  record.task = "level2/00" + std::to_string(number) + "_linear_relu";
  record.drawn = {"linear", "relu"};
  record.operators = {"linear", "relu"};
  record.fingerprint = "f" + std::to_string(number);
  record.source_sha256 = "s";
  record.scale = 0.5;
  record.eager_ms = 3.25;
  record.tries = 2;
  record.similar_to = "level2/076_gemm_add_relu";
  record.similarity = 0.8;
  return record;
}

CandidateRecord rejected_record(std::int64_t number, CandidateFault fault) {
  CandidateRecord record = kept_record(number);
  record.fault = fault;
  record.message = "because";
  record.similar_to.clear();
  record.similarity = 0;
  return record;
}

class SynthesisJournalTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path out() const { return folder_.path() / "suite"; }

  [[nodiscard]] std::string text() const {
    std::ifstream file(journal_file(out()));
    std::stringstream all;
    all << file.rdbuf();
    return all.str();
  }

  test::TemporaryFolder folder_;
  Json header_ = {{"schema", "kbench-synthesis/1"}, {"seed", 7}};
};

TEST_F(SynthesisJournalTest, GoesOnWhereItWasLeft) {
  {
    auto journal = SynthesisJournal::start(out(), header_);
    ASSERT_TRUE(journal.ok()) << journal.error().message;
    ASSERT_TRUE(journal->append(kept_record(0)));
    ASSERT_TRUE(journal->append(rejected_record(1, CandidateFault::kMutant)));
  }
  auto journal = SynthesisJournal::resume(out(), header_);
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  ASSERT_EQ(journal->records().size(), 2);
  EXPECT_EQ(to_json_line(journal->records()[0]), to_json_line(kept_record(0)));
  EXPECT_EQ(to_json_line(journal->records()[1]),
            to_json_line(rejected_record(1, CandidateFault::kMutant)));
  ASSERT_TRUE(journal->append(kept_record(2)));
  EXPECT_EQ(journal->records().size(), 3);
}

// Killed at any byte: what was whole is there, what was not is cut off, and the next line is whole.
TEST_F(SynthesisJournalTest, AHalfWrittenLineIsCutOff) {
  {
    auto journal = SynthesisJournal::start(out(), header_);
    ASSERT_TRUE(journal.ok());
    ASSERT_TRUE(journal->append(kept_record(0)));
    ASSERT_TRUE(journal->append(kept_record(1)));
  }
  const std::string whole = text();
  for (std::size_t length = 0; length < whole.size(); length += 37) {
    std::ofstream(journal_file(out()), std::ios::trunc) << whole.substr(0, length);
    auto journal = SynthesisJournal::resume(out(), header_);
    ASSERT_TRUE(journal.ok()) << length << journal.error().message;
    const std::size_t before = journal->records().size();
    ASSERT_TRUE(journal->append(kept_record(5)));
    auto again = SynthesisJournal::resume(out(), header_);
    ASSERT_TRUE(again.ok()) << length << again.error().message;
    EXPECT_EQ(again->records().size(), before + 1);
  }
}

TEST_F(SynthesisJournalTest, IsNotBegunTwice) {
  ASSERT_TRUE(SynthesisJournal::start(out(), header_).ok());
  const auto again = SynthesisJournal::start(out(), header_);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::kUsage);
  EXPECT_THAT(again.error().hint, HasSubstr("--resume"));
}

TEST_F(SynthesisJournalTest, OtherOptionsAreNoResume) {
  EXPECT_FALSE(SynthesisJournal::resume(out(), header_).ok());  // nothing there
  ASSERT_TRUE(SynthesisJournal::start(out(), header_).ok());
  header_["seed"] = 8;
  const auto other = SynthesisJournal::resume(out(), header_);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kUsage);
  EXPECT_THAT(other.error().message, HasSubstr("seed is 7 there, 8 here"));
}

TEST_F(SynthesisJournalTest, AStrangersLineIsAnError) {
  ASSERT_TRUE(SynthesisJournal::start(out(), header_).ok());
  std::ofstream(journal_file(out()), std::ios::app) << R"({"candidate": "x"})"
                                                    << "\n";
  const auto journal = SynthesisJournal::resume(out(), header_);
  ASSERT_FALSE(journal.ok());
  EXPECT_EQ(journal.error().code, ErrorCode::kBadInput);
}

TEST(CandidateRecord, EveryFaultComesBack) {
  for (const CandidateFault fault : all_candidate_faults()) {
    const auto record = record_from_json(to_json_line(rejected_record(3, fault)));
    ASSERT_TRUE(record.ok());
    EXPECT_EQ(record->fault, fault);
    EXPECT_FALSE(describe(fault).empty());
  }
}

TEST(SynthesisManifest, CountsFaultsAndListsWhatWasKept) {
  const std::vector<CandidateRecord> records = {
      rejected_record(3, CandidateFault::kTime), kept_record(2),
      rejected_record(1, CandidateFault::kTime), kept_record(0)};
  const Json manifest = manifest_of({{"seed", 7}}, records);
  EXPECT_EQ(manifest["seed"], 7);
  EXPECT_EQ(manifest["candidates"], 4);
  EXPECT_EQ(manifest["kept"], 2);
  EXPECT_EQ(manifest["rejected"]["time"], 2);
  EXPECT_EQ(manifest["rejected"]["mutant"], 0);
  ASSERT_EQ(manifest["tasks"].size(), 2);
  EXPECT_EQ(manifest["tasks"][0]["candidate"], 0);
  EXPECT_EQ(manifest["tasks"][1]["task"], "level2/002_linear_relu");
  EXPECT_EQ(manifest["tasks"][1]["contamination"]["task"], "level2/076_gemm_add_relu");
}

}  // namespace
}  // namespace kbench
