#include "runner/installation/installation.hpp"

#include <sys/stat.h>

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

using test::TemporaryFolder;
using ::testing::HasSubstr;

class FindInstallation : public ::testing::Test {
 protected:
  FindInstallation() {
    folder_.write("checkout/suites/level1/001_x.json", "");
    folder_.write("checkout/third_party/setup", "");
    program_ = folder_.write("checkout/build/release/bin/kbench", "");
    environment_["HOME"] = (folder_.path() / "home").string();
  }

  Result<Installation> find(const std::string& python = "", const std::string& root = "") {
    return find_installation(program_,
                             [this](const std::string& name) -> std::optional<std::string> {
                               const auto found = environment_.find(name);
                               return found == environment_.end() ? std::nullopt
                                                                  : std::optional(found->second);
                             },
                             {python, root, "2.11.0"});
  }

  TemporaryFolder folder_;
  std::filesystem::path program_;
  std::map<std::string, std::string> environment_;
};

TEST_F(FindInstallation, WalksUpToTheCheckout) {
  const auto found = find();
  ASSERT_TRUE(found.ok()) << found.error().message;
  const auto root = folder_.path() / "checkout";
  EXPECT_FALSE(found->installed);
  EXPECT_EQ(found->root, root);
  EXPECT_EQ(found->suites, root / "suites");
  EXPECT_EQ(found->examples, root / "data/submissions");
  EXPECT_EQ(found->abi, root / "runner/abi");
  EXPECT_EQ(found->aot_builder, root / "baselines/aot_builder.py");
  EXPECT_EQ(found->worker, root / "build/release/bin/kbench-worker");
  EXPECT_EQ(found->oracle, root / "build/release/bin/kbench-oracle");
  EXPECT_EQ(found->oracle_cuda, root / "build/release/bin/kbench-oracle-cuda");
}

TEST_F(FindInstallation, OutsideACheckoutIsAnError) {
  program_ = folder_.write("elsewhere/kbench", "");
  const auto found = find();
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kInfrastructure);
  EXPECT_THAT(found.error().message, HasSubstr("elsewhere/kbench"));
  EXPECT_NE(found.error().hint, "");
}

TEST_F(FindInstallation, BuildFolderElsewhereFallsBackToTheCheckoutItCameFrom) {
  program_ = folder_.write("elsewhere/kbench", "");
  const auto root = folder_.path() / "checkout";
  const auto found = find("", root.string());
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->suites, root / "suites");
  EXPECT_EQ(found->worker, folder_.path() / "elsewhere/kbench-worker");
  EXPECT_FALSE(find("", (folder_.path() / "gone").string()).ok());
}

TEST_F(FindInstallation, InstalledIsWhatHasItsTasksInShare) {
  program_ = folder_.write("prefix/bin/kbench", "");
  folder_.write("prefix/share/kbench/suites/level1/001_x.json", "");
  const auto prefix = folder_.path() / "prefix";
  // Neither what it was built from nor a Python of the build counts any more.
  const auto built = folder_.write("built/python3", "");
  const auto found = find(built.string(), (folder_.path() / "checkout").string());
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_TRUE(found->installed);
  EXPECT_EQ(found->root, prefix / "share/kbench");
  EXPECT_EQ(found->suites, prefix / "share/kbench/suites");
  EXPECT_EQ(found->examples, prefix / "share/kbench/data/submissions");
  EXPECT_EQ(found->abi, prefix / "share/kbench/abi");
  EXPECT_EQ(found->aot_builder, prefix / "share/kbench/baselines/aot_builder.py");
  EXPECT_EQ(found->programs, prefix / "libexec/kbench");
  EXPECT_EQ(found->worker, prefix / "libexec/kbench/kbench-worker");
  EXPECT_EQ(found->oracle, prefix / "libexec/kbench/kbench-oracle");
  EXPECT_EQ(found->python, "");
  EXPECT_EQ(found->built_with_torch, "2.11.0");
  EXPECT_THAT(how_to_mend(*found), HasSubstr("install"));
}

TEST_F(FindInstallation, InstalledInsideACheckoutIsInstalledNevertheless) {
  program_ = folder_.write("checkout/build/stage/bin/kbench", "");
  folder_.write("checkout/build/stage/share/kbench/suites/level1/001_x.json", "");
  EXPECT_TRUE(find()->installed);
  EXPECT_EQ(find()->root, folder_.path() / "checkout/build/stage/share/kbench");
}

TEST_F(FindInstallation, AnInstalledOneWritesNothingWhereItLies) {
  program_ = folder_.write("prefix/bin/kbench", "");
  folder_.write("prefix/share/kbench/suites/level1/001_x.json", "");
  EXPECT_EQ(find()->cache, folder_.path() / "home/.cache/kbench");
  environment_.clear();
  EXPECT_EQ(find()->cache, "");
  const auto made = create_cache(*find());
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().hint, HasSubstr("KBENCH_CACHE"));
}

TEST_F(FindInstallation, PythonComesFromEnvironmentThenBuildThenVenv) {
  auto found = find();
  EXPECT_EQ(found->python, "");
  EXPECT_THAT(found->python_reason, HasSubstr("no Python with torch"));

  const auto venv = folder_.write("checkout/.venv/bin/python3", "");
  EXPECT_EQ(find()->python, venv);

  const auto built = folder_.write("built/python3", "");
  EXPECT_EQ(find(built.string())->python, built);
  EXPECT_EQ(find("/nowhere/python3")->python, venv);

  const auto named = folder_.write("named/python3", "");
  environment_["KBENCH_TORCH"] = named.string();
  EXPECT_EQ(find(built.string())->python, named);

  // An unpacked libtorch has no Python, and whoever names one wants no other.
  environment_["KBENCH_TORCH"] = (folder_.path() / "named").string();
  EXPECT_TRUE(find(built.string())->python.empty());
  EXPECT_NE(find(built.string())->python_reason.find("unpacked libtorch"), std::string::npos);
}

TEST_F(FindInstallation, CacheFollowsTheEnvironment) {
  EXPECT_EQ(find()->cache, folder_.path() / "home/.cache/kbench");
  environment_["XDG_CACHE_HOME"] = "/xdg";
  EXPECT_EQ(find()->cache, "/xdg/kbench");
  environment_["XDG_CACHE_HOME"] = "relative";  // to be ignored, says the XDG specification
  EXPECT_EQ(find()->cache, folder_.path() / "home/.cache/kbench");
  environment_["KBENCH_CACHE"] = "/own";
  EXPECT_EQ(find()->cache, "/own");
  environment_.clear();
  EXPECT_EQ(find()->cache, folder_.path() / "checkout/.cache/kbench");
}

TEST_F(FindInstallation, StateFollowsTheEnvironment) {
  EXPECT_EQ(find()->state, folder_.path() / "home/.local/state/kbench");
  environment_["XDG_STATE_HOME"] = "/xdg";
  EXPECT_EQ(find()->state, "/xdg/kbench");
  environment_["XDG_STATE_HOME"] = "relative";
  EXPECT_EQ(find()->state, folder_.path() / "home/.local/state/kbench");
  environment_.clear();
  EXPECT_EQ(find()->state, "") << "a key in the checkout would be given to every sandbox";
}

TEST_F(FindInstallation, LocksAreOfAllUsersUnlessNamed) {
  environment_["TMPDIR"] = "/own";
  EXPECT_EQ(find()->locks, "/tmp") << "another user's TMPDIR is another one";
  environment_["KBENCH_LOCKS"] = "relative";
  EXPECT_EQ(find()->locks, "/tmp");
  environment_["KBENCH_LOCKS"] = "/run/lock";
  EXPECT_EQ(find()->locks, "/run/lock");
}

TEST_F(FindInstallation, CacheIsMadeForTheOwnerOnly) {
  const auto found = find();
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(std::filesystem::exists(found->cache));
  ASSERT_TRUE(create_cache(*found).ok());
  struct stat facts {};
  ASSERT_EQ(::stat(found->cache.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0700U);
  EXPECT_TRUE(create_cache(*found).ok()) << "a second time changes nothing";
}

TEST_F(FindInstallation, CacheThatIsAFileIsAnError) {
  environment_["KBENCH_CACHE"] = folder_.write("file", "").string();
  const auto made = create_cache(*find());
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().hint, HasSubstr("KBENCH_CACHE"));
}

TEST(ThisProgram, IsTheTest) {
  const auto program = this_program();
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program->filename(), "unit_tests");
}

}  // namespace
}  // namespace kbench
