// The run that asks for a stored row once more, and what its rows say.
#include "runner/again/reproduction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using test::make_evaluation;
using test::make_run;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

StoredRow row_of(const std::string& configuration = R"({"device":"cpu","precision":"fp32"})") {
  StoredRow row;
  row.run = make_run("r1");
  row.run.configuration = configuration;
  row.evaluation = make_evaluation("r1", 1, 2);
  row.evaluation.sources = {{"src/019_relu@tiled.cpp", "", 0}};
  row.contents = {"int relu;"};
  return row;
}

TEST(Reproduction, AsksForTheRowAloneAsItsRunWasTold) {
  const TemporaryFolder folder;
  const auto request = reproducing_request(row_of(), folder.path(), folder / "scratch");
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->precision, "fp32");
  EXPECT_EQ(request->suite, folder.path());
  EXPECT_THAT(request->tasks, ElementsAre("level1/019_relu"));
  EXPECT_EQ(request->submissions, folder / "scratch");
  EXPECT_FALSE(request->baselines_only);
  EXPECT_TRUE(fs::exists(folder / "scratch/example/level1/019_relu@tiled.cpp"));
}

TEST(Reproduction, ARowThatNobodySubmittedIsItsBaselines) {
  const TemporaryFolder folder;
  StoredRow row = row_of();
  row.evaluation.submission.reset();
  const auto request = reproducing_request(row, {}, folder / "scratch");
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_TRUE(request->baselines_only);
  EXPECT_FALSE(request->submissions);
}

TEST(Reproduction, AForeignTaskOrAMissingSuiteIsRefused) {
  const TemporaryFolder folder;
  StoredRow row = row_of();
  row.evaluation.task = "../../etc";
  EXPECT_EQ(reproducing_request(row, {}, folder / "a").error().code, ErrorCode::kBadInput);
  const auto gone = reproducing_request(row_of(), folder / "gone", folder / "b");
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().code, ErrorCode::kUsage);
  EXPECT_THAT(gone.error().message, HasSubstr("which is no folder here"));
}

TEST(Reproduction, TheSameKeyIsTheSameEvaluation) {
  const StoredRow row = row_of();
  EXPECT_EQ(reproduction_words(row, row.run, {}), "");
  Evaluation now = row.evaluation;
  now.state = State::kWrongResult;
  EXPECT_EQ(reproduction_words(row, row.run, {now}),
            "the same evaluation as in run r1: key key-1; it was ok then, and is wrong_result now");
  now.key = "another";
  now.task_hash = "bb22";
  EXPECT_EQ(reproduction_words(row, row.run, {now}),
            "not the same evaluation as in run r1: the task file changed");
}

TEST(Reproduction, ARowOfALoneFileIsThatFileAgain) {
  const TemporaryFolder folder;
  StoredRow row = row_of();
  row.evaluation.submission->name = "relu.cpp";
  row.evaluation.sources = {{"src/relu.cpp", "", 0}};
  const auto request = reproducing_request(row, {}, folder / "scratch");
  ASSERT_TRUE(request.ok()) << request.error().message;
  ASSERT_TRUE(request->file);
  EXPECT_TRUE(fs::is_regular_file(*request->file));
  EXPECT_EQ(request->name, "example");
  EXPECT_FALSE(request->submissions);
}

TEST(Reproduction, AllThatChangedIsNamed) {
  const std::string then =
      R"({"device":{"kind":"cpu","name":"one"},"compilers":{"host":"g++ 12"}})";
  StoredRow row = row_of();
  row.run.environment = then;
  Evaluation now = row.evaluation;
  now.key = "another";
  EXPECT_EQ(reproduction_words(row, row.run, {now}),
            "not the same evaluation as in run r1: the versions of kbench or its configuration "
            "differ");
  now.submission->source_hash = "another";
  EXPECT_EQ(reproduction_words(row, row.run, {now}),
            "not the same evaluation as in run r1: the sources changed");
  kbench::Run run = row.run;
  run.environment = R"({"device":{"kind":"cpu","name":"two"}})";
  EXPECT_THAT(reproduction_words(row, run, {now}), HasSubstr("the sources, the device ("));
}

}  // namespace
}  // namespace kbench
