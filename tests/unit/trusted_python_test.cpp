// Files of the working directory are never imported by a Python that runs outside of the sandbox.
#include "runner/os/trusted_python.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/os/environment.hpp"
#include "tests/unit/paths.hpp"
#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A variable of this process, as it was afterwards.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_)
      ::setenv(name_, before_->c_str(), 1);
    else
      ::unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class TrustedPythonTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string plant = "open(" + quoted("owned") + ", 'w').close()\n";
    for (const char* name :
         {"json", "os", "sitecustomize", "usercustomize", "importlib", "encodings"})
      folder_.write("here/" + std::string(name) + ".py", plant);
    folder_.write("here/torch/__init__.py", plant);
    folder_.write("elsewhere/torch/__init__.py", "");
    before_ = fs::current_path();
    fs::current_path(folder_.path() / "here");
  }
  void TearDown() override { fs::current_path(before_); }

  [[nodiscard]] std::string quoted(const char* name) const {
    return "'" + (folder_.path() / name).string() + "'";
  }
  [[nodiscard]] bool owned() const { return fs::exists(folder_.path() / "owned"); }

  test::TemporaryFolder folder_;
  fs::path before_;
};

TEST_F(TrustedPythonTest, NothingOfTheWorkingDirectoryIsImported) {
  for (const char* path : {"", ".", ":", "../here", ":/nowhere:", "torch"}) {
    const Variable modules("PYTHONPATH", path);
    const auto python = TrustedPython::find(kbench::test::kPython);
    EXPECT_FALSE(owned()) << path;
    if (!python) {
      EXPECT_THAT(python.error().message, HasSubstr("has no torch"));
      continue;
    }
    EXPECT_NE(python->torch_folder().parent_path(), folder_.path() / "here") << path;
    EXPECT_TRUE(python->run("import json, os", std::chrono::seconds(60)));
    EXPECT_FALSE(owned()) << path;
  }
}

// A cluster's modules, and `pip install --user`.
TEST_F(TrustedPythonTest, TorchThatOnlyPythonPathHasIsFound) {
  const std::string elsewhere = (folder_.path() / "elsewhere").string();
  const Variable modules("PYTHONPATH", ":" + elsewhere + ":.");
  const auto python = TrustedPython::find(kbench::test::kPython);
  ASSERT_TRUE(python) << python.error().message;
  // A Python with a torch of its own takes that.
  if (!python->isolated()) {
    EXPECT_EQ(python->torch_folder(), fs::path(elsewhere) / "torch");
  }
  const auto path = python->run("import sys; print(sys.path)", std::chrono::seconds(60));
  ASSERT_TRUE(path);
  EXPECT_EQ(path->find((folder_.path() / "here").string()), std::string::npos) << *path;
  EXPECT_FALSE(owned());
}

TEST_F(TrustedPythonTest, ARelativePythonIsTheOneThatIsNamed) {
  fs::create_symlink(kbench::test::kPython, "python");
  const Variable modules("PYTHONPATH", (folder_.path() / "elsewhere").string());
  const auto python = TrustedPython::find("./python");
  ASSERT_TRUE(python) << python.error().message;
  EXPECT_EQ(python->python(), folder_.path() / "here/python");
}

TEST_F(TrustedPythonTest, WhatIsNoPythonIsAnError) {
  const auto python = TrustedPython::find("/nowhere/python3");
  ASSERT_FALSE(python);
  EXPECT_EQ(python.error().code, ErrorCode::kInfrastructure);
}

TEST(InheritedEnvironment, SearchPathsHaveNoRelativeEntries) {
  EXPECT_THAT(without_relative_paths(
                  {"PATH=.:/usr/bin::bin:/bin:", "LD_LIBRARY_PATH=:", "LD_LIBRARY_PATH=/a:./b:/c",
                   "PYTHONPATH=", "PYTHONPATH=/m:x",
                   "LD_PRELOAD=libjemalloc.so ./evil.so:/lib/good.so", "HOME=.", "PATHS=.:x"}),
              ElementsAre("PATH=/usr/bin:/bin", "LD_LIBRARY_PATH=/a:/c", "PYTHONPATH=/m",
                          "LD_PRELOAD=libjemalloc.so:/lib/good.so", "HOME=.", "PATHS=.:x"));
}

}  // namespace
}  // namespace kbench
