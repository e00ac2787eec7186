#include "runner/installation/git_state.hpp"

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runner/os/run_trusted.hpp"
#include "tests/fakes/await.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

using test::TemporaryFolder;

class GitStateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!git({"init", "-q", folder_.path().string()})) GTEST_SKIP() << "there is no git";
    write("subs/alice/level1/019_relu.cpp", "// first");
  }

  // Runs git as somebody who has a name and nothing configured.
  static bool git(const std::vector<std::string>& words) {
    std::vector<std::string> argv{"/usr/bin/env",
                                  "GIT_CONFIG_GLOBAL=/dev/null",
                                  "GIT_AUTHOR_NAME=a",
                                  "GIT_AUTHOR_EMAIL=a@b",
                                  "GIT_COMMITTER_NAME=a",
                                  "GIT_COMMITTER_EMAIL=a@b",
                                  "git"};
    argv.insert(argv.end(), words.begin(), words.end());
    return run_trusted(argv, test::kPatience).ok();
  }

  bool here(std::vector<std::string> words) {
    words.insert(words.begin(), {"-C", folder_.path().string()});
    return git(words);
  }

  void commit() {
    ASSERT_TRUE(here({"add", "-A"}));
    ASSERT_TRUE(here({"commit", "-q", "-m", "x"}));
  }

  void write(const std::string& name, const std::string& text) {
    const auto file = folder_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  TemporaryFolder folder_;
};

TEST_F(GitStateTest, TellsTheCommitAndWhetherFilesDiffer) {
  EXPECT_FALSE(git_state(folder_ / "subs")) << "nothing is tracked yet";
  commit();
  const auto clean = git_state(folder_ / "subs");
  ASSERT_TRUE(clean);
  EXPECT_EQ(clean->commit.size(), 40u);
  EXPECT_EQ(clean->dirty, false);
  write("elsewhere.txt", "not a submission");
  EXPECT_EQ(git_state(folder_ / "subs")->dirty, false);
  write("subs/bob/level1/019_relu.cpp", "// new");
  EXPECT_EQ(git_state(folder_ / "subs")->dirty, true);
  EXPECT_EQ(git_state(folder_ / "subs/alice/level1/019_relu.cpp")->dirty, false) << "one file";
  write("subs/alice/level1/019_relu.cpp", "// second");
  EXPECT_EQ(git_state(folder_ / "subs/alice/level1/019_relu.cpp")->dirty, true);
}

TEST_F(GitStateTest, AFolderThatIsIgnoredIsAtNoCommit) {
  write("tracked.txt", "x");
  write(".gitignore", "subs/\n");
  commit();
  EXPECT_FALSE(git_state(folder_ / "subs"));
}

TEST_F(GitStateTest, OutsideOfARepositoryThereIsNone) {
  const TemporaryFolder other;
  std::ofstream(other / "019_relu.cpp") << "x";
  EXPECT_FALSE(git_state(other.path()));
  EXPECT_FALSE(git_state(other / "nowhere"));
}

// Such a folder may come from somebody else, and git would run what its configuration names.
TEST_F(GitStateTest, NothingThatTheRepositoryNamesIsRun) {
  commit();
  const auto witness = folder_ / "it-ran";
  const std::string program = "touch '" + witness.string() + "'; cat";
  write(".git/hooks/post-index-change", "#!/bin/sh\n" + program + "\n");
  std::filesystem::permissions(folder_ / ".git/hooks/post-index-change",
                               std::filesystem::perms::owner_all);
  ASSERT_TRUE(here({"config", "core.fsmonitor", program}));
  write("subs/alice/level1/019_relu.cpp", "// third");
  EXPECT_EQ(git_state(folder_ / "subs")->dirty, true);
  EXPECT_FALSE(std::filesystem::exists(witness));

  write("subs/.gitattributes", "*.cpp filter=evil\n");
  ASSERT_TRUE(here({"config", "filter.evil.clean", program}));
  const auto state = git_state(folder_ / "subs");
  ASSERT_TRUE(state);
  EXPECT_FALSE(state->dirty) << "nobody asked";
  EXPECT_FALSE(std::filesystem::exists(witness));
  // Without the precaution the filter runs: this test can see it.
  ASSERT_TRUE(here({"-c", "core.fsmonitor=false", "status"}));
  EXPECT_TRUE(std::filesystem::exists(witness));
}

}  // namespace
}  // namespace kbench
