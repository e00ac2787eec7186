#include "runner/workspace/workspace.hpp"

#include <atomic>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/submission/submission.hpp"
#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class WorkspaceTest : public ::testing::Test {
 protected:
  Status make() {
    return make_workspace(work_, kTask,
                          {"# task", "# skill", "class Model", "// task.h", "// abi"});
  }
  void expect_unreadable(const std::string& record) {
    folder_.write("work/workspace.json", record);
    const auto read = read_workspace(work_);
    ASSERT_FALSE(read) << record;
    EXPECT_EQ(read.error().code, ErrorCode::kUsage) << record;
  }

  const WorkspaceTask kTask{"level1/019_relu", "small", "cpu"};
  test::TemporaryFolder folder_;
  fs::path work_ = folder_.path() / "work";
};

TEST_F(WorkspaceTest, IsMadeAndReadAgain) {
  ASSERT_TRUE(make());
  for (const char* name : {"TASK.md", "SKILL.md", "reference.py", "task.h", "kbench.h"})
    EXPECT_TRUE(fs::is_regular_file(work_ / name)) << name;
  EXPECT_TRUE(fs::is_empty(work_ / "kernels"));
  const auto read = read_workspace(work_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->task, kTask.task);
  EXPECT_EQ(read->size, kTask.size);
  EXPECT_EQ(read->device, kTask.device);
}

TEST_F(WorkspaceTest, NothingOfSomebodysWorkIsWrittenOver) {
  folder_.write("work/TASK.md", "my notes");
  const Status made = make();
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("TASK.md is there already"));
  EXPECT_FALSE(fs::exists(work_ / "workspace.json"));
}

TEST_F(WorkspaceTest, IsNotMadeBehindALink) {
  for (const char* link : {"", "kernels"}) {
    folder_.write("elsewhere/file", "of somebody's");
    fs::remove_all(work_);
    if (*link != '\0') fs::create_directory(work_);
    fs::create_directory_symlink(folder_.path() / "elsewhere", *link ? work_ / link : work_);
    const Status made = make();
    ASSERT_FALSE(made) << link;
    EXPECT_THAT(made.error().message, HasSubstr(" is a link"));
    EXPECT_FALSE(fs::exists(folder_.path() / "elsewhere/TASK.md"));
  }
}

// An agent that works there may write anything into it.
TEST_F(WorkspaceTest, ARecordThatIsNotOursIsRefused) {
  EXPECT_FALSE(read_workspace(work_));
  expect_unreadable("");
  expect_unreadable("[]");
  expect_unreadable("{}");
  expect_unreadable(std::string(100'000, ' ') + "{}");
  expect_unreadable(R"({"schema":"kbench-workspace/1","task":7,"size":"small","device":"cpu"})");
  for (const char* task : {"../../etc/x", "level1/../019_relu", "level1/*", "level1/019_relu\n"})
    expect_unreadable(Json{
        {"schema", "kbench-workspace/1"},
        {"task", task},
        {"size", "small"},
        {"device", "cpu"}}.dump());
  expect_unreadable(
      R"({"schema":"kbench-workspace/1","task":"level1/019_relu","size":"huge","device":"cpu"})");
  expect_unreadable(
      R"({"schema":"kbench-workspace/2","task":"level1/019_relu","size":"small","device":"cpu"})");
  fs::remove(work_ / "workspace.json");
  fs::create_symlink("/dev/zero", work_ / "workspace.json");
  EXPECT_FALSE(read_workspace(work_));
}

// An agent's text in workspace.json has no say: the judge goes by its own record.
TEST_F(WorkspaceTest, TheRecordOfWhoOpenedItDecides) {
  const WorkspaceRecords records(folder_.path() / "state");
  ASSERT_TRUE(make());
  const auto unknown = read_workspace(work_, records);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("was not opened here"));

  ASSERT_TRUE(records.keep(work_, kTask));
  EXPECT_EQ(read_workspace(work_, records).value(), kTask);
  fs::create_symlink(work_, folder_.path() / "link");
  EXPECT_EQ(read_workspace(folder_.path() / "link", records).value(), kTask);

  folder_.write("work/workspace.json", workspace_text({"level1/001_easier", "small", "cpu"}));
  const auto edited = read_workspace(work_, records);
  ASSERT_FALSE(edited);
  EXPECT_THAT(edited.error().message, HasSubstr("is not what kbench wrote"));
  fs::remove(work_ / "workspace.json");
  EXPECT_FALSE(read_workspace(work_, records));
}

// A class that nobody typed is not written, so that records of before stay what they are.
TEST_F(WorkspaceTest, ARecordNamesAClassThatIsNotTheUsualOne) {
  WorkspaceTask task = kTask;
  EXPECT_THAT(workspace_text(task), ::testing::Not(HasSubstr("precision")));
  task.precision = "bf16";
  EXPECT_EQ(parse_workspace_text(workspace_text(task), "it").value(), task);
  task.precision = "fp8";
  EXPECT_FALSE(parse_workspace_text(workspace_text(task), "it"));
}

TEST_F(WorkspaceTest, FoldersBelowAWorkspaceAreKnown) {
  const WorkspaceRecords records(folder_.path() / "state");
  ASSERT_TRUE(make());
  ASSERT_TRUE(records.keep(work_, kTask));
  EXPECT_TRUE(records.hold(work_));
  EXPECT_TRUE(records.hold(work_ / "kernels"));
  EXPECT_FALSE(records.hold(folder_.path()));
  EXPECT_FALSE(WorkspaceRecords("").hold(work_));
}

TEST_F(WorkspaceTest, TheCopyIsASubmissionsFolderOfOne) {
  ASSERT_TRUE(make());
  folder_.write("work/kernels/main.cpp", "int x;");
  folder_.write("work/kernels/tile.hpp", "int y;");
  const auto staged = stage_kernels(work_, kTask, "me");
  ASSERT_TRUE(staged) << staged.error().message;
  const auto found = find_submissions(staged->folder.path());
  ASSERT_TRUE(found);
  ASSERT_EQ(found->submissions.size(), 1u);
  EXPECT_TRUE(found->problems.empty());
  EXPECT_EQ(found->submissions[0].task, kTask.task);
  EXPECT_EQ(found->submissions[0].id.agent, "me");
  EXPECT_EQ(found->submissions[0].device, "cpu");
  EXPECT_EQ(staged->tree, copy_kernels(work_).value().hash);
}

// The hash is of what the compiler gets, whatever is written meanwhile.
TEST_F(WorkspaceTest, TheHashIsOfTheCopyWhoeverGoesOnWriting) {
  ASSERT_TRUE(make());
  folder_.write("work/kernels/main.cpp", "");
  std::atomic<bool> over = false;
  std::thread writing([&] {
    for (int i = 0; !over; ++i)
      folder_.write("work/kernels/main.cpp", std::string(200'000, static_cast<char>('a' + i % 26)));
  });
  std::set<std::string> hashes;
  for (int i = 0; i < 5'000 && hashes.size() < 10; ++i) {
    const auto staged = stage_kernels(work_, kTask, "me");
    if (!staged) continue;
    std::vector<SourceFile> files;
    for (const char* name : {"main.cpp", "submission.json"})
      files.push_back({std::string("src/") + name,
                       read_file(staged->folder.path() / "me/level1/019_relu" / name).value()});
    EXPECT_EQ(tree_hash(files), staged->tree);
    hashes.insert(staged->tree);
  }
  over = true;
  writing.join();
  EXPECT_GT(hashes.size(), 1u) << "nothing was written meanwhile: this tried nothing";
}

TEST_F(WorkspaceTest, AManifestThatLeavesTheFolderIsNoSubmission) {
  ASSERT_TRUE(make());
  folder_.write("secret.cpp", "int secret;");
  folder_.write("work/kernels/main.cpp", "int x;");
  for (const char* escape : {"../../secret.cpp", "/etc/passwd", "./../../secret.cpp"}) {
    folder_.write("work/kernels/submission.json",
                  Json{{"schema", "kbench-submission/1"}, {"sources", {escape}}}.dump());
    const auto staged = stage_kernels(work_, kTask, "me");
    ASSERT_TRUE(staged);
    const auto found = find_submissions(staged->folder.path());
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->submissions.empty()) << escape;
    EXPECT_EQ(found->problems.size(), 1u) << escape;
  }
}

TEST_F(WorkspaceTest, NamesOfAgentsArePlain) {
  ASSERT_TRUE(make());
  folder_.write("work/kernels/main.cpp", "int x;");
  for (const char* name : {"", "a/b", "..", "-x", "a b"}) {
    const auto staged = stage_kernels(work_, kTask, name);
    ASSERT_FALSE(staged) << name;
    EXPECT_EQ(staged.error().code, ErrorCode::kUsage);
  }
}

}  // namespace
}  // namespace kbench
