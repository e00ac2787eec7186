// Which row a command line means, and its sources as files: from databases of any origin.
#include "runner/again/stored_row.hpp"

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/store/store.hpp"
#include "runner/submission/submission.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

using test::make_evaluation;
using test::make_run;
using test::TemporaryFolder;
using ::testing::HasSubstr;

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

StoredRow row_of(const std::string& name,
                 const std::vector<std::pair<std::string, std::string>>& files) {
  StoredRow row;
  row.run = make_run("r1");
  row.evaluation = make_evaluation("r1", 1, 6);
  row.evaluation.submission->agent = "ann";
  row.evaluation.submission->name = name;
  for (const auto& [path, text] : files) {
    row.evaluation.sources.push_back({path, "", 0});
    row.contents.push_back(text);
  }
  return row;
}

class StoredRowTest : public ::testing::Test {
 protected:
  Result<std::filesystem::path> write(const StoredRow& row) {
    return write_stored_sources(row, folder_.path());
  }
  void expect_refused(const StoredRow& row, const std::string& what) {
    const auto written = write(row);
    ASSERT_FALSE(written.ok()) << what;
    EXPECT_THAT(written.error().message, HasSubstr(what));
    EXPECT_FALSE(written.error().hint.empty());
  }
  TemporaryFolder folder_;
};

TEST_F(StoredRowTest, AFileIsFoundAgainWithItsHeaders) {
  const auto written =
      write(row_of("ann/level1/019_relu@v2.cpp",
                   {{"include/a/tile.hpp", "tile"}, {"src/019_relu@v2.cpp", "relu"}}));
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(text_of(folder_ / "ann/include/a/tile.hpp"), "tile");
  EXPECT_EQ(text_of(folder_ / "ann/level1/019_relu@v2.cpp"), "relu");
  const auto found = find_submissions(folder_.path());
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->submissions.size(), 1u);
  EXPECT_EQ(found->submissions[0].id.name, "ann/level1/019_relu@v2.cpp");
  EXPECT_EQ(found->submissions[0].id.variant, "v2");
}

TEST_F(StoredRowTest, AFolderIsFoundAgainWithItsManifest) {
  const std::string manifest =
      R"({"schema":"kbench-submission/1","sources":["main.cpp"],"flags":["-ffast-math"]})";
  // Its name has the ending of a file, and one of its files has that name.
  const std::string name = "ann/level1/019_relu@a.cpp";
  const auto written = write(row_of(name, {{"src/019_relu@a.cpp", ""},
                                           {"src/main.cpp", "main"},
                                           {"src/submission.json", manifest},
                                           {"src/sub/more.hpp", "more"}}));
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(text_of(folder_ / (name + "/sub/more.hpp")), "more");
  const StoredRow row = row_of(name, {});
  EXPECT_EQ(evaluating_command(row, "subs", *written),
            "kbench run --task " + row.evaluation.task + " --submissions subs");
  const auto found = find_submissions(folder_.path());
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->submissions.size(), 1u) << found->problems.size();
  EXPECT_EQ(found->submissions[0].id.name, name);
}

TEST_F(StoredRowTest, AFileOfNoFolderIsThatFile) {
  const StoredRow row = row_of("relu.cpp", {{"src/relu.cpp", "relu"}});
  EXPECT_TRUE(is_lone_file(row));
  ASSERT_TRUE(write(row).ok());
  EXPECT_EQ(evaluating_command(row, "a b", "a b/relu.cpp"),
            "kbench run 'a b/relu.cpp' --task " + row.evaluation.task + " --name ann");
  EXPECT_EQ(text_of(folder_ / "relu.cpp"), "relu");
}

TEST_F(StoredRowTest, NamesThatLeaveTheFolderAreRefused) {
  for (const char* name : {"/ann/level1/019_relu.cpp", "../level1/019_relu.cpp",
                           "ann/../019_relu.cpp", "ann/level1/../../x.cpp",
                           "bob/level1/019_relu.cpp", "ann/019_relu.cpp", "ann/level1/-x.cpp",
                           "ann/level1/a b.cpp", "ann/a/level1/019_relu.cpp", "", "..", ".bashrc"})
    expect_refused(row_of(name, {{"src/019_relu.cpp", "x"}}), "which no submission has");
  for (const char* path :
       {"src/../../x.cpp", "/src/019_relu.cpp", "src//x", "src/", "src", "other/x.cpp",
        "019_relu.cpp", "include/../../x", "src/.bashrc", "src/another.cpp", "src/a\nb"})
    expect_refused(row_of("ann/level1/019_relu.cpp", {{"src/019_relu.cpp", "x"}, {path, "y"}}),
                   "which no submission has");
  expect_refused(row_of("relu.cpp", {{"include/a.hpp", "x"}, {"src/relu.cpp", "y"}}),
                 "which no submission has");
}

TEST_F(StoredRowTest, NothingIsWrittenOver) {
  const StoredRow row = row_of("relu.cpp", {{"src/relu.cpp", "relu"}});
  std::ofstream(folder_ / "relu.cpp") << "mine";
  EXPECT_FALSE(write(row).ok());
  EXPECT_EQ(text_of(folder_ / "relu.cpp"), "mine");
}

TEST_F(StoredRowTest, ARowWithoutSourcesSaysSo) {
  expect_refused(row_of("ann/level1/019_relu.cpp", {}), "keeps no sources of this row");
  StoredRow alone = row_of("x", {});
  alone.evaluation.submission.reset();
  expect_refused(alone, "keeps no sources of this row");
}

// --- which row ---

class RowChoiceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store = Store::open(file_, Store::Mode::kReadWrite);
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE(store->begin_run(make_run("aa11")).ok());
    add(*store, "level1/019_relu", "ann", "", "ann/level1/019_relu.cpp");
    add(*store, "level1/019_relu", "ann", "v2", "ann/level1/019_relu@v2.cpp");
    add(*store, "level1/019_relu", "bob", "v3", "bob/level1/019_relu@v3.cpp");
    add(*store, "level1/023_softmax", "ann", "", "ann/level1/023_softmax.cpp");
    add(*store, "level1/023_softmax", "ann", "", "ann/level1/023_softmax");
    Evaluation alone = make_evaluation("aa11", ++rows_, 6);
    alone.task = "level3/004_lenet5";
    alone.submission.reset();
    ASSERT_TRUE(store->add(alone).ok());
  }

  void add(Store& store, const std::string& task, const std::string& agent,
           const std::string& variant, const std::string& name) {
    Evaluation row = make_evaluation("aa11", ++rows_, 6);
    row.task = task;
    row.submission->agent = agent;
    row.submission->variant = variant;
    row.submission->name = name;
    ASSERT_TRUE(store.add(row).ok());
  }

  Result<StoredRow> find(RowChoice choice) {
    choice.database = file_;
    choice.run = "latest";
    return find_stored_row(choice, {});
  }
  std::string name_of(const RowChoice& choice) {
    const auto row = find(choice);
    if (!row) return row.error().message + " " + row.error().hint;
    return row->evaluation.submission ? row->evaluation.submission->name : "alone";
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "kbench.sqlite";
  int rows_ = 0;
};

TEST_F(RowChoiceTest, TaskAgentAndVariantNameARow) {
  EXPECT_EQ(name_of({.task = "level1/019_relu", .agent = "ann"}), "ann/level1/019_relu.cpp");
  EXPECT_EQ(name_of({.task = "level1/019_relu", .agent = "ann", .variant = "v2"}),
            "ann/level1/019_relu@v2.cpp");
  EXPECT_EQ(name_of({.task = "level1/019_relu", .agent = "bob"}), "bob/level1/019_relu@v3.cpp");
  EXPECT_EQ(name_of({.task = "level3/004_lenet5"}), "alone");
}

// `kbench run relu.cpp`, and then `kbench reproduce latest --task level1/019_relu`.
TEST_F(RowChoiceTest, TheOnlyAgentNeedNoName) {
  EXPECT_EQ(name_of({.task = "level1/023_softmax", .submission = "ann/level1/023_softmax"}),
            "ann/level1/023_softmax");
}

TEST_F(RowChoiceTest, ATaskIsNamedAsEverywhere) {
  EXPECT_EQ(name_of({.task = "relu", .agent = "ann"}), "ann/level1/019_relu.cpp");
  EXPECT_EQ(name_of({.task = "level3/*"}), "alone");
  EXPECT_THAT(name_of({.task = "level1/*", .agent = "ann"}),
              HasSubstr("2 tasks of run aa11 fit Say which with --task: level1/019_relu, "
                        "level1/023_softmax."));
}

// `kbench run relu.cpp`, and then `kbench reproduce`.
TEST_F(RowChoiceTest, TheOnlyTaskOfARunNeedsNoName) {
  EXPECT_THAT(name_of({}), HasSubstr("3 tasks of run aa11 fit Say which with --task"));
  auto store = Store::open(file_, Store::Mode::kReadWrite);
  ASSERT_TRUE(store.ok());
  auto newer = make_run("bb22");
  newer.started_at = "2030-01-01T00:00:00Z";
  ASSERT_TRUE(store->begin_run(newer).ok());
  EXPECT_THAT(name_of({}), HasSubstr("run bb22 has no rows"));
  Evaluation row = make_evaluation("bb22", ++rows_, 6);
  row.task = "level1/019_relu";
  row.submission->name = "relu.cpp";
  ASSERT_TRUE(store->add(row).ok());
  EXPECT_EQ(name_of({}), "relu.cpp");
}

TEST_F(RowChoiceTest, WhereTheyDoNotTheSubmissionDoes) {
  EXPECT_THAT(name_of({.task = "level1/023_softmax", .agent = "ann"}),
              HasSubstr("2 rows of run aa11 fit Say which with --variant or --submission"));
  EXPECT_EQ(
      name_of(
          {.task = "level1/023_softmax", .agent = "ann", .submission = "ann/level1/023_softmax"}),
      "ann/level1/023_softmax");
}

TEST_F(RowChoiceTest, WhatIsMisspeltGetsASuggestion) {
  EXPECT_THAT(name_of({.task = "level1/019_rely", .agent = "ann"}),
              HasSubstr("no task \"level1/019_rely\" did you mean \"level1/019_relu\"?"));
  EXPECT_THAT(name_of({.task = "level1/019_relu", .agent = "anna"}),
              HasSubstr("no agent \"anna\" did you mean \"ann\"?"));
  EXPECT_THAT(name_of({.task = "level1/019_relu", .agent = "ann", .variant = "fast"}),
              HasSubstr("no variant \"fast\""));
  EXPECT_THAT(name_of({.task = "level3/004_lenet5", .agent = "ann"}),
              HasSubstr("Leave --agent out"));
  EXPECT_THAT(name_of({.task = "level1/019_relu"}), HasSubstr("Name its agent with --agent"));
}

TEST_F(RowChoiceTest, AMissingDatabaseSaysWhatToDo) {
  const auto row =
      find_stored_row({.database = folder_ / "gone.sqlite", .run = "latest", .task = "t"}, {});
  ASSERT_FALSE(row.ok());
  EXPECT_THAT(row.error().hint, HasSubstr("name yours with --db"));
}

}  // namespace
}  // namespace kbench
