#include "reports/write/outputs.hpp"

#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/formats/github_report.hpp"
#include "reports/write/reporter.hpp"
#include "runner/os/files.hpp"
#include "tests/unit/formats_fixture.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const OutputStyle kPlain;

class Outputs : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = ScratchFolder::make("outputs");
    ASSERT_TRUE(made.ok());
    scratch_ = std::move(*made);
    database_ = folder() / "kbench.sqlite";
    std::ofstream(database_) << "rows";
  }
  [[nodiscard]] const fs::path& folder() const { return scratch_.path(); }

  void expect_refused(const fs::path& file, const std::string& what) const {
    const Status checked = check_outputs({{find_reporter("csv"), file}}, database_, input_);
    ASSERT_FALSE(checked.ok()) << file;
    EXPECT_EQ(checked.error().code, ErrorCode::kUsage);
    EXPECT_THAT(checked.error().message, HasSubstr(what));
    EXPECT_FALSE(checked.error().hint.empty());
  }
  [[nodiscard]] bool accepted(const fs::path& file) const {
    return check_outputs({{find_reporter("csv"), file}}, database_, input_).ok();
  }

  ScratchFolder scratch_;
  fs::path database_;
  std::optional<fs::path> input_;
};

TEST_F(Outputs, TheDatabaseIsRefusedByWhateverName) {
  expect_refused(database_, "is the database");
  expect_refused(folder() / "." / "kbench.sqlite", "is the database");
  fs::create_symlink(database_, folder() / "link.csv");
  expect_refused(folder() / "link.csv", "is the database");
  fs::create_hard_link(database_, folder() / "hard.csv");
  expect_refused(folder() / "hard.csv", "is the database");
  for (const char* suffix : {"-wal", "-shm", "-journal"})
    expect_refused(database_.string() + suffix, "is part of the database");
  fs::remove(database_);
  expect_refused(database_, "is the database");
}

TEST_F(Outputs, AnyOtherDatabaseIsRefused) {
  const fs::path other = database_.parent_path() / "other.csv";
  std::ofstream(other) << "SQLite format 3" << '\0' << "somebody's results";
  const Status checked = check_outputs({{find_reporter("csv"), other}}, database_, input_);
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().code, ErrorCode::kUsage);
}

TEST_F(Outputs, FoldersAreRefused) {
  expect_refused(folder(), "is a folder");
  expect_refused(folder() / "new/", "is a folder");
  expect_refused(folder() / "nowhere/x.csv", "there is no folder");
}

TEST_F(Outputs, TheInputIsRefused) {
  input_ = folder() / "relu.cpp";
  std::ofstream(*input_) << "source";
  expect_refused(*input_, "is read");
}

TEST_F(Outputs, TheSameFileTwiceIsRefused) {
  const OutputRequest csv{find_reporter("csv"), folder() / "x"};
  const OutputRequest json{find_reporter("json"), folder() / "." / "x"};
  const Status checked = check_outputs({csv, json}, database_);
  ASSERT_FALSE(checked.ok());
  EXPECT_THAT(checked.error().message, HasSubstr("named twice, for the report in csv and in json"));
}

TEST_F(Outputs, OtherPlacesWillDo) {
  EXPECT_TRUE(accepted(folder() / "x.csv"));
  EXPECT_TRUE(accepted(database_.string() + ".csv"));
  EXPECT_TRUE(accepted("/dev/null"));
  const OutputRequest nowhere{find_reporter("csv"), "/dev/null"};
  EXPECT_TRUE(check_outputs({nowhere, nowhere}, database_).ok());
}

TEST_F(Outputs, AllAreWrittenEvenWhereOneCannotBe) {
  const ReportData data = test::make_formats_data();
  const Status written = write_outputs(data,
                                       {{find_reporter("csv"), folder() / "nowhere/x.csv"},
                                        {find_reporter("json"), folder() / "x.json"}},
                                       kPlain);
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message, HasSubstr("nowhere/x.csv"));
  EXPECT_EQ(read_file(folder() / "x.json"), find_reporter("json")->render(data, {}));
}

TEST_F(Outputs, ALinkStaysALink) {
  std::ofstream(folder() / "real.csv") << "old";
  fs::create_symlink("real.csv", folder() / "link.csv");
  const ReportData data = test::make_formats_data();
  ASSERT_TRUE(write_outputs(data, {{find_reporter("csv"), folder() / "link.csv"}}, kPlain).ok());
  EXPECT_TRUE(fs::is_symlink(folder() / "link.csv"));
  EXPECT_EQ(read_file(folder() / "real.csv"), find_reporter("csv")->render(data, {}));
}

TEST_F(Outputs, WithoutACheckoutAnnotationsAreRelativeToTheWorkingDirectory) {
  ::unsetenv("GITHUB_WORKSPACE");
  ReportData data = test::make_formats_data();
  data.run.configuration =
      Json{{"device", "cuda"}, {"submissions", (fs::current_path() / "k").string()}}.dump();
  const std::vector<OutputRequest> github{{find_reporter("github"), folder() / "commands"}};
  EXPECT_TRUE(write_outputs(data, github, kPlain).ok());
  EXPECT_THAT(read_file(folder() / "commands").value_or(""),
              HasSubstr("file=k/bob/level1/019_relu.cpp,"));
}

TEST_F(Outputs, TheStepSummaryIsAppendedUpToItsLimit) {
  const fs::path summary = folder() / "summary.md";
  std::ofstream(summary) << "before\n";
  ::setenv("GITHUB_STEP_SUMMARY", summary.c_str(), 1);
  const std::vector<OutputRequest> github{{find_reporter("github"), folder() / "commands"}};
  const ReportData data = test::make_formats_data();
  EXPECT_TRUE(write_outputs(data, github, kPlain).ok());
  EXPECT_EQ(read_file(summary), "before\n" + github_summary(data, kMostSummaryBytes));
  fs::resize_file(summary, kMostSummaryBytes - 10);
  EXPECT_TRUE(write_outputs(data, github, kPlain).ok());
  EXPECT_EQ(fs::file_size(summary), kMostSummaryBytes - 10) << "GitHub would refuse all of it";
  ::unsetenv("GITHUB_STEP_SUMMARY");
}

}  // namespace
}  // namespace kbench
