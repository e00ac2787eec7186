// An agent's tools on the files of its workspace.
#include "runner/workspace/workspace_files.hpp"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;

class WorkspaceFilesTest : public ::testing::Test {
 protected:
  WorkspaceFilesTest() {
    folder_.write("secret", "the judge's key");
    folder_.write("work/TASK.md", "one\ntwo\nthree\n");
    folder_.write("work/kernels/a.cpp", "int a;\nint b;\n");
  }
  void expect_refused(const Result<Json>& result, const std::string& why) {
    ASSERT_FALSE(result.ok()) << *result;
    EXPECT_EQ(result.error().code, ErrorCode::kUsage) << result.error().message;
    EXPECT_THAT(result.error().message, HasSubstr(why));
  }

  test::TemporaryFolder folder_;
  WorkspaceFiles files_{folder_.path() / "work"};
};

TEST_F(WorkspaceFilesTest, ReadsAllOfItOrSomeLines) {
  EXPECT_EQ(
      files_.read("TASK.md", 1, {}).value(),
      (Json{{"path", "TASK.md"}, {"first_line", 1}, {"lines", 3}, {"text", "one\ntwo\nthree\n"}}));
  EXPECT_EQ(files_.read("TASK.md", 2, 1).value().at("text"), "two\n");
  EXPECT_EQ(files_.read("TASK.md", 0, {}).value().at("first_line"), 1);
  EXPECT_EQ(files_.read("TASK.md", 9, {}).value().at("text"), "");
}

TEST_F(WorkspaceFilesTest, NothingOutsideIsRead) {
  for (const char* path : {"../secret", "/etc/passwd", "kernels/../../secret", "", ".", "..",
                           "kernels//a.cpp", "-x", "a\nb"})
    expect_refused(files_.read(path, 1, {}), "is no path in the workspace");
  expect_refused(files_.read("none.md", 1, {}), "there is no file");
  std::filesystem::create_symlink(folder_.path() / "secret", folder_.path() / "work/kernels/link");
  expect_refused(files_.read("kernels/link", 1, {}), "there is no file");
  EXPECT_TRUE(files_.grep("judge").value().at("lines").empty());
}

TEST_F(WorkspaceFilesTest, AFolderThatIsALinkLeadsNowhere) {
  folder_.write("elsewhere/b.cpp", "int theirs;\n");
  std::filesystem::create_directory_symlink(folder_.path() / "elsewhere",
                                            folder_.path() / "work/kernels/linked");
  const WorkspaceFiles files(folder_.path() / "work");
  expect_refused(files.read("kernels/linked/b.cpp", 1, std::nullopt), "is a link");
  expect_refused(files.write("kernels/linked/new.cpp", "x"), "is a link");
  expect_refused(files.edit("kernels/linked/b.cpp", "int", "float"), "is a link");
  EXPECT_EQ(files.glob("*b.cpp")->at("files").size(), 0u);
  EXPECT_EQ(files.grep("theirs")->at("lines").size(), 0u);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "elsewhere/new.cpp"));
}

TEST_F(WorkspaceFilesTest, WritesBelowKernelsAlone) {
  EXPECT_EQ(files_.write("kernels/tiles/t.hpp", "x").value().at("bytes"), 1);
  EXPECT_EQ(files_.read("kernels/tiles/t.hpp", 1, {}).value().at("text"), "x\n");
  for (const char* path : {"TASK.md", "workspace.json", "../secret", "kernels", "kernels/",
                           "kernels/../TASK.md", "kernels/.hidden", "kernelsx/a"})
    expect_refused(files_.write(path, "x"), "is no place to write to");
  expect_refused(files_.write("kernels/tiles", "x"), "cannot lie there");
  expect_refused(files_.write("kernels/a.cpp/b", "x"), "cannot lie there");
}

TEST_F(WorkspaceFilesTest, NoMoreThanAJudgeTakes) {
  expect_refused(files_.write("kernels/big.hpp", std::string((1u << 20) - 5, ' ')), "bytes below");
  for (int i = 1; i < 64; ++i) ASSERT_TRUE(files_.write("kernels/f" + std::to_string(i), "").ok());
  expect_refused(files_.write("kernels/one_more", ""), "65 files");
  EXPECT_TRUE(files_.write("kernels/f1", "again").ok()) << "a file that is there is no further one";
}

TEST_F(WorkspaceFilesTest, EditsWhatStandsThereOnce) {
  EXPECT_TRUE(files_.edit("kernels/a.cpp", "int b", "long b").ok());
  EXPECT_EQ(files_.read("kernels/a.cpp", 1, {}).value().at("text"), "int a;\nlong b;\n");
  expect_refused(files_.edit("kernels/a.cpp", ";", "x"), "more than once");
  expect_refused(files_.edit("kernels/a.cpp", "c", "x"), "does not stand");
  expect_refused(files_.edit("kernels/a.cpp", "", "x"), "is empty");
  expect_refused(files_.edit("TASK.md", "one", "x"), "is no place to write to");
}

TEST_F(WorkspaceFilesTest, ListsAndSearches) {
  EXPECT_EQ(files_.glob("").value().at("files").size(), 2U);
  EXPECT_EQ(files_.glob("kernels/*.cpp").value().at("files"),
            (Json::array({{{"path", "kernels/a.cpp"}, {"bytes", 14}}})));
  EXPECT_EQ(files_.grep("int").value().at("lines"),
            (Json::array({{{"path", "kernels/a.cpp"}, {"line", 1}, {"text", "int a;"}},
                          {{"path", "kernels/a.cpp"}, {"line", 2}, {"text", "int b;"}}})));
  expect_refused(files_.grep(""), "nothing is looked for");
  std::string many;
  for (int i = 0; i < 200; ++i) many += "needle\n";
  ASSERT_TRUE(files_.write("kernels/many.hpp", many).ok());
  EXPECT_EQ(files_.grep("needle").value().at("lines").size(), 100U);
  EXPECT_EQ(files_.grep("needle").value().at("more"), true);
}

}  // namespace
}  // namespace kbench
