// Sources that `kbench import` finds, and the names it gives; nothing is executed here. tests/cli/
// import_test.py does the rest.
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/channel.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/import/lower_files.hpp"
#include "runner/import/naming.hpp"
#include "runner/import/sources.hpp"
#include "runner/import/survey.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

class SourcesTest : public ::testing::Test {
 protected:
  SourcesTest() {
    std::string name = (fs::temp_directory_path() / "kbench-import-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~SourcesTest() override { fs::remove_all(folder_); }
  SourcesTest(const SourcesTest&) = delete;
  SourcesTest& operator=(const SourcesTest&) = delete;

  void write(const fs::path& file, const std::string& text = "pass\n") {
    fs::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file, std::ios::binary) << text;
  }

  std::vector<ImportSource> find(const fs::path& path, const fs::path& except = "") {
    auto sources = find_sources({folder_ / path}, except.empty() ? except : folder_ / except,
                                [](const fs::path&) -> Result<std::string> {
                                  return Error{ErrorCode::kInfrastructure, "no parquet here", ""};
                                });
    EXPECT_TRUE(sources) << sources.error().message;
    return sources ? *sources : std::vector<ImportSource>{};
  }

  static std::vector<std::string> ids(const std::vector<ImportSource>& sources) {
    std::vector<std::string> ids;
    for (const TaskName& name : name_tasks(sources, {}, 1)) ids.push_back(name.id());
    return ids;
  }

  fs::path folder_;
};

TEST_F(SourcesTest, FoldersWithLevelsHideEverythingElse) {
  write("a/level2/7_Two Words.py");
  write("a/level1/19_ReLU.py");
  write("a/tool.py");
  write("a/level1/__init__.py");
  write("a/.git/level1/1_hidden.py");
  EXPECT_THAT(ids(find("a")), ElementsAre("level1/019_relu", "level2/007_two_words"));
}

TEST_F(SourcesTest, FoldersWithoutLevelsGiveWhatLiesInThem) {
  write("a/b.py");
  write("a/a.py");
  write("a/deeper/c.py");
  EXPECT_THAT(ids(find("a")), ElementsAre("level1/001_a", "level1/002_b"));
}

TEST_F(SourcesTest, TheSuiteIsNotItsOwnSource) {
  write("a/level1/1_a.py");
  write("a/out/level1/001_a.py");
  EXPECT_THAT(ids(find("a", "a/out")), ElementsAre("level1/001_a"));
}

TEST_F(SourcesTest, LinksThatLeadOutAreNotOpened) {
  write("private/mine.py", "a secret");
  write("a/own.py", "pass\n");
  write("b/level1/1_own.py", "pass\n");
  fs::create_symlink(folder_ / "private/mine.py", folder_ / "a/1_out.py");
  fs::create_symlink("own.py", folder_ / "a/2_inside.py");
  fs::create_symlink(folder_ / "private/mine.py", folder_ / "a/3_rows.jsonl");
  fs::create_symlink("../../private/mine.py", folder_ / "b/level1/2_out.py");
  const auto flat = find("a");
  ASSERT_EQ(flat.size(), 4u);
  for (const std::size_t out : {0u, 2u}) {
    ASSERT_TRUE(flat[out].error) << flat[out].where;
    EXPECT_THAT(flat[out].error->what, HasSubstr("a link to a file outside of the folder"));
    EXPECT_EQ(flat[out].text, "");
  }
  EXPECT_EQ(flat[1].text, "pass\n");
  const auto levels = find("b");
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_TRUE(levels[1].error);
  // A user who names a link means it.
  EXPECT_EQ(find("a/1_out.py").at(0).text, "a secret");
}

TEST_F(SourcesTest, RowsAreNamedByWhatTheirColumnsSay) {
  write("rows.jsonl", R"({"code": "x", "name": "3_Conv", "level": 2})"
                      "\n"
                      R"({"code": "x", "ops": ["nn.Conv2d", "torch.add", 5]})"
                      "\n"
                      R"({"code": "x", "ops": "[\"torch.relu\"]", "problem_id": 8})"
                      "\n"
                      R"({"code": "x", "level": 4000, "name": 7})"
                      "\n");
  const auto sources = find("rows.jsonl");
  EXPECT_THAT(ids(sources), ElementsAre("level2/003_conv", "level1/002_conv2d_add",
                                        "level1/008_relu", "level1/004_task"));
  EXPECT_TRUE(sources[1].where.ends_with("rows.jsonl:2"));
}

TEST_F(SourcesTest, RowsThatAreNoneSayWhy) {
  write("rows.jsonl", "[]\n{\"code\": 5}\n\xff\xfe\n");
  const auto sources = find("rows.jsonl");
  ASSERT_EQ(sources.size(), 3u);
  for (const auto& source : sources) ASSERT_TRUE(source.error);
  EXPECT_THAT(sources[0].error->what, HasSubstr("no JSON object"));
  EXPECT_THAT(sources[1].error->what, HasSubstr("no text in `code`"));
  EXPECT_THAT(sources[2].error->what, HasSubstr("no JSON object"));
}

TEST_F(SourcesTest, AColumnOfAnotherNameIsNamed) {
  write("rows.jsonl", R"({"id": 3, "ref_code": "class Model:\n pass\ndef get_inputs(): pass"})"
                      "\n"
                      R"({"text": "prose"})"
                      "\n");
  const auto sources = find("rows.jsonl");
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(sources[0].error->hint, "its column ref_code holds a module: call that column code");
  EXPECT_EQ(sources[1].error->hint, "correct the file");
}

TEST_F(SourcesTest, FoldersOfOthersAreSurveyed) {
  const std::string task = "class Model: pass\ndef get_inputs(): pass\n";
  write("level1/1_a.py", task);
  write("level1/conv/2_b.py", task);
  write("Level_3/3_c.py", task);
  write("Level_3/helper.py");
  write("groups/norm/d.py", task);
  write("scripts/run.py");
  write(".git/e.py", task);
  std::vector<std::string> said;
  std::size_t taken = 0;
  for (const SurveyedFolder& folder : survey(folder_)) {
    std::string words = left_out_words(folder);
    if (folder.taken) ++taken;
    if (!words.empty()) said.push_back(words.substr(folder_.string().size() + 1));
  }
  const std::string at = "kbench import " + folder_.string() + "/";
  EXPECT_EQ(taken, 1u);
  EXPECT_THAT(said, ElementsAre("Level_3: 1 of 2 files look like tasks and was left out; " + at +
                                    "Level_3 --level 3",
                                "groups/norm: 1 of 1 files look like tasks and was left out; " +
                                    at + "groups/norm",
                                "level1/conv: 1 of 1 files look like tasks and was left out; " +
                                    at + "level1/conv --level 1"));
}

TEST_F(SourcesTest, LargeFilesAreNotRead) {
  write("a.py", std::string((1u << 20) + 1, '#'));
  const auto sources = find("a.py");
  ASSERT_EQ(sources.size(), 1u);
  ASSERT_TRUE(sources[0].error);
  // Was: with the file in front, which the line begins with anyway.
  EXPECT_THAT(sources[0].error->what, MatchesRegex("[0-9]+ bytes, more than the limit of [0-9]+"));
}

// Was: tables of a folder but .jsonl were passed over in silence.
TEST_F(SourcesTest, ATableOfAFolderThatCannotBeReadIsOneOfItsSources) {
  write("a/b.py");
  write("a/rows.parquet", "PAR1");
  const auto sources = find("a");
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_FALSE(sources[0].error);
  EXPECT_TRUE(sources[1].where.ends_with("a/rows.parquet"));
  ASSERT_TRUE(sources[1].error);
  EXPECT_EQ(sources[1].error->what, "no parquet here");
  EXPECT_EQ(sources[1].error->fault, ImportError::Fault::kMachine);
  const auto named = find_sources({folder_ / "a/rows.parquet"}, "", [](const fs::path&) {
    return Result<std::string>(Error{ErrorCode::kInfrastructure, "no parquet here", ""});
  });
  EXPECT_FALSE(named) << "that very table was asked for";
}

// --- files that wait instead of working ---

class SilentProcess final : public SandboxedProcess {
 public:
  explicit SilentProcess(int& ended) : ended_(ended) {}
  ~SilentProcess() override { ++ended_; }
  SilentProcess(const SilentProcess&) = delete;
  SilentProcess& operator=(const SilentProcess&) = delete;

  Result<Exit> wait(std::chrono::milliseconds) override { return Exit{}; }
  void kill() override {}
  Status freeze() override { return Done{}; }
  Status thaw() override { return Done{}; }
  void move_threads() override {}
  Result<std::vector<pid_t>> processes() override { return std::vector<pid_t>(); }
  [[nodiscard]] int exit_fd() const override { return -1; }

 private:
  int& ended_;
};

// A sandbox whose programs say that they can take work, and nothing after that.
class SilentSandbox final : public Sandbox {
 public:
  SilentSandbox() { level_.bubblewrap = true; }  // so that nobody needs a scratch folder
  Result<std::unique_ptr<SandboxedProcess>> start(const SandboxCommand& command) override {
    for (const auto& [ours, theirs] : command.descriptors) {
      if (theirs != 0) continue;
      ends_.emplace_back(UniqueFd(::dup(ours)));
      if (auto said = ends_.back().send({{"ready", "warm"}}); !said) return said.error();
    }
    return std::unique_ptr<SandboxedProcess>(std::make_unique<SilentProcess>(ended_));
  }
  [[nodiscard]] const SandboxLevel& level(bool) const override { return level_; }
  [[nodiscard]] int undead() const override { return 0; }
  [[nodiscard]] int started() const { return static_cast<int>(ends_.size()); }
  [[nodiscard]] int ended() const { return ended_; }

 private:
  int ended_ = 0;
  SandboxLevel level_;
  std::vector<Channel> ends_;
};

TEST(LowerFilesTest, AFileThatWaitsIsGivenUpWithItsReason) {
  SilentSandbox sandbox;
  LoweringOptions options;
  options.wall_limit = std::chrono::seconds(1);
  std::vector<ImportError> errors;
  const auto lowered = lower_files(sandbox, {}, {{1, "001_sleeps.py", "wait()"}}, options,
                                   [&](std::size_t, const LoweringAnswer& answer) {
                                     ASSERT_TRUE(answer.error);
                                     errors.push_back(*answer.error);
                                   });
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_EQ(sandbox.started(), 1);
  EXPECT_EQ(sandbox.ended(), 1);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].what, "it was not read within 1 s");
  EXPECT_EQ(errors[0].fault, ImportError::Fault::kFile);
  EXPECT_THAT(errors[0].hint, HasSubstr("--timeout"));
}

TEST(LowerFilesTest, AFileMayWaitFourTimesItsProcessorTimeAndFifteenSeconds) {
  EXPECT_EQ(wall_limit(std::chrono::seconds(1)), std::chrono::seconds(19));
  EXPECT_EQ(wall_limit(std::chrono::seconds(10)), std::chrono::seconds(55));
  EXPECT_EQ(wall_limit(std::chrono::seconds(120)), std::chrono::seconds(495));
}

TEST(LowerFilesTest, FewFilesAreNotWorthASecondProcess) {
  EXPECT_EQ(processes_for(0, 4), 1);
  EXPECT_EQ(processes_for(16, 4), 1);
  EXPECT_EQ(processes_for(17, 4), 2);
  EXPECT_EQ(processes_for(1000, 4), 4);
  EXPECT_EQ(processes_for(1000, 0), 1);
}

TEST_F(SourcesTest, TheTableReaderSpeaksForItself) {
  write("rows.parquet", "PAR1");
  const auto sources = find_sources({folder_ / "rows.parquet"}, "", [](const fs::path&) {
    return Result<std::string>(std::string(R"({"code": "x", "name": "1_a"})"));
  });
  ASSERT_TRUE(sources);
  EXPECT_THAT(ids(*sources), ElementsAre("level1/001_a"));
}

ImportSource source(const std::string& name, std::optional<int> number = {}, int level = 0) {
  ImportSource made;
  made.name = name;
  made.number = number;
  made.level = level;
  return made;
}

TaskEntry entry(int level, int number, const std::string& name) {
  TaskEntry made;
  made.level = level;
  made.number = number;
  made.name = name;
  return made;
}

std::vector<std::string> named(const std::vector<ImportSource>& sources,
                               const std::vector<TaskEntry>& suite = {}) {
  std::vector<std::string> ids;
  for (const TaskName& name : name_tasks(sources, suite, 5)) ids.push_back(name.id());
  return ids;
}

TEST(NamingTest, HostileNamesBecomeWords) {
  for (const std::string name : {"../../etc/passwd", "\x1b[2J\xe2\x80\xae", "<script>", "' OR 1=1",
                                 "", "___", "ÄÖ", "a\nb", "CON"}) {
    EXPECT_THAT(named({source(name)}),
                ElementsAre(MatchesRegex("level5/001_[a-z0-9]+(_[a-z0-9]+)*")))
        << name;
  }
  EXPECT_LE(named({source(std::string(5000, 'a'))}).front().size(), 100u);
}

TEST(NamingTest, UnderscoresInARowAreKept) {
  EXPECT_THAT(named({source("Conv_2D__square input__", 63)}),
              ElementsAre("level5/063_conv_2d__square_input"));
}

TEST(NamingTest, NumbersAreKeptAndFreeOnesFound) {
  EXPECT_THAT(named({source("a", 2), source("b"), source("c"), source("d", 12345), source("e", 2)}),
              ElementsAre("level5/002_a", "level5/001_b", "level5/003_c", "level5/12345_d",
                          "level5/002_e"));
}

// Was: a file that failed took a number away, for good.
TEST(NamingTest, WhatFailedGivesItsNumberBack) {
  const std::vector<ImportSource> sources = {source("bad"),   source("a"), source("kept", 3),
                                             source("worse"), source("b"), source("c", {}, 2)};
  const std::vector<bool> fresh = {true, true, false, true, true, true};
  const std::vector<bool> good = {false, true, false, false, true, true};
  std::vector<std::string> ids;
  for (const TaskName& name : close_ranks(name_tasks(sources, {}, 5), fresh, good))
    ids.push_back(name.id());
  EXPECT_EQ(ids[1], "level5/001_a");
  EXPECT_EQ(ids[2], "level5/003_kept");
  EXPECT_EQ(ids[4], "level5/002_b");
  EXPECT_EQ(ids[5], "level2/001_c");
}

TEST(NamingTest, EqualNamesAreToldApart) {
  EXPECT_THAT(named({source("a", 1), source("A", 1), source("b"), source("b")}),
              ElementsAre("level5/001_a", "level5/001_a_2", "level5/002_b", "level5/003_b"));
  const std::vector<TaskEntry> suite = {entry(5, 2, "b"), entry(5, 3, "b")};
  EXPECT_THAT(named({source("b"), source("b")}, suite),
              ElementsAre("level5/002_b", "level5/003_b"));
}

TEST(NamingTest, ASuiteThatHasTheTaskKeepsItsNumber) {
  const std::vector<TaskEntry> suite = {entry(5, 1, "other"), entry(5, 7, "mine"),
                                        entry(3, 2, "mine")};
  EXPECT_THAT(named({source("mine"), source("new"), source("mine", {}, 3)}, suite),
              ElementsAre("level5/007_mine", "level5/002_new", "level3/002_mine"));
}

}  // namespace
}  // namespace kbench
