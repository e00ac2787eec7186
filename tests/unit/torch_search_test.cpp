#include "runner/installation/torch_search.hpp"

#include <sys/stat.h>

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using ::testing::HasSubstr;

class WithTorch : public ::testing::Test {
 protected:
  WithTorch() {
    installation_.installed = true;
    installation_.root = folder_.path() / "share/kbench";
    installation_.built_with_torch = "2.11.0";
    environment_["PATH"] = (folder_.path() / "bin").string();
  }

  // A program named PLACE/python3 whose torch has this version; none where it is empty.
  fs::path make_python(const std::string& place, const std::string& version) {
    const auto python = folder_.write(place + "/python3", "");
    ::chmod(python.c_str(), 0755);
    if (!version.empty()) torch_of_[python] = make_torch(place + "/torch", version);
    return python;
  }

  // The folder of a Python's module.
  fs::path make_torch(const std::string& place, const std::string& version) {
    folder_.write(place + "/version.py",
                  "from typing import Optional\n\n__version__ = '" + version + "+cu130'\n");
    return folder_.write(place + "/lib/libtorch_cpu.so", "").parent_path().parent_path();
  }

  Result<Installation> find() {
    return with_torch(
        installation_,
        [this](const std::string& name) -> std::optional<std::string> {
          const auto found = environment_.find(name);
          return found == environment_.end() ? std::nullopt : std::optional(found->second);
        },
        [this](const fs::path& python) -> Result<fs::path> {
          const auto found = torch_of_.find(python);
          if (found != torch_of_.end()) return found->second;
          return Error{ErrorCode::kInfrastructure, python.string() + " has no torch", ""};
        });
  }

  TemporaryFolder folder_;
  Installation installation_;
  std::map<std::string, std::string> environment_;
  std::map<fs::path, fs::path> torch_of_;
};

TEST_F(WithTorch, ACheckoutComesBackAsItIs) {
  installation_.installed = false;
  installation_.python = "/its/own";
  const auto found = find();
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->python, "/its/own");
  EXPECT_EQ(found->torch_libraries, "");
}

TEST_F(WithTorch, TakesThePythonOnThePath) {
  const auto python = make_python("bin", "2.11.0");
  const auto found = find();
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->python, python);
  EXPECT_EQ(found->torch_libraries, folder_.path() / "bin/torch/lib");
  EXPECT_THAT(found->python_reason, HasSubstr("PATH"));
}

TEST_F(WithTorch, TheFirstThatFitsWins) {
  make_python("share/kbench/torch/bin", "2.11.0");
  EXPECT_EQ(find()->python, folder_.path() / "share/kbench/torch/bin/python3");

  make_python("bin", "2.10.0");
  EXPECT_EQ(find()->python, folder_.path() / "share/kbench/torch/bin/python3")
      << "another version is no LibTorch of ours";

  make_python("bin", "2.11.0");
  EXPECT_EQ(find()->python, folder_.path() / "bin/python3");

  environment_["KBENCH_WHEEL_PYTHON"] = make_python("wheel", "2.11.0").string();
  EXPECT_EQ(find()->python, folder_.path() / "wheel/python3");

  environment_["KBENCH_TORCH"] = make_python("named", "2.11.0").string();
  EXPECT_EQ(find()->python, folder_.path() / "named/python3");
}

TEST_F(WithTorch, AnyPatchReleaseFits) {
  make_python("bin", "2.11.3");
  EXPECT_TRUE(find().ok());
}

TEST_F(WithTorch, WhoNamesOneWantsNoOther) {
  make_python("bin", "2.11.0");
  environment_["KBENCH_TORCH"] = make_python("named", "2.10.1").string();
  const auto found = find();
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kInfrastructure);
  EXPECT_THAT(found.error().message, HasSubstr("torch 2.10.1"));
  EXPECT_THAT(found.error().message, HasSubstr("2.11.0"));
  EXPECT_THAT(found.error().message, HasSubstr("KBENCH_TORCH"));
  EXPECT_THAT(found.error().hint, HasSubstr("torch==2.11.*"));
}

TEST_F(WithTorch, NamesEachPlaceThatWasLookedAt) {
  EXPECT_THAT(find().error().message, HasSubstr("no python3 on the PATH"));
  make_python("bin", "");
  make_torch("share/kbench/torch", "2.9.1");
  const auto found = find();
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.error().message, HasSubstr("bin/python3 has no torch (from the PATH)"));
  EXPECT_THAT(found.error().message, HasSubstr("share/kbench/torch is torch 2.9.1"));
}

TEST_F(WithTorch, AnUnpackedLibtorchHasNoPython) {
  const auto libtorch =
      folder_.write("libtorch/lib/libtorch_cpu.so", "").parent_path().parent_path();
  environment_["KBENCH_TORCH"] = libtorch.string();
  EXPECT_THAT(find().error().message, HasSubstr("of an unknown version"));
  folder_.write("libtorch/build-version", "2.11.0+cpu\n");
  const auto found = find();
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->python, "");
  EXPECT_EQ(found->torch_libraries, libtorch / "lib");
  EXPECT_THAT(found->python_reason, HasSubstr("unpacked libtorch"));
}

TEST_F(WithTorch, KbenchTorchMayBeAProgramOnThePath) {
  make_python("bin", "2.11.0");
  environment_["KBENCH_TORCH"] = "python3";
  EXPECT_EQ(find()->python, folder_.path() / "bin/python3");
  environment_["KBENCH_TORCH"] = "python4";
  EXPECT_THAT(find().error().message, HasSubstr("python4"));
  environment_["KBENCH_TORCH"] = (folder_.path() / "gone/python3").string();
  EXPECT_THAT(find().error().message, HasSubstr("neither a program nor a folder"));
}

TEST_F(WithTorch, APathThatTheLoaderWouldCutIsRefused) {
  environment_["KBENCH_TORCH"] = make_torch("lib:torch", "2.11.0").string();
  EXPECT_THAT(find().error().message, HasSubstr("in its path"));
}

TEST_F(WithTorch, WithoutAnOracleNothingIsLookedFor) {
  installation_.built_with_torch.clear();
  EXPECT_TRUE(find().ok());
}

TEST(MinorVersion, CutsWhatFollowsTheSecondNumber) {
  EXPECT_EQ(minor_version("2.11.0"), "2.11");
  EXPECT_EQ(minor_version("2.11.1+cu130"), "2.11");
  EXPECT_EQ(minor_version("2.11"), "2.11");
  EXPECT_EQ(minor_version("2.1.0"), "2.1");
  EXPECT_EQ(minor_version(""), "");
}

TEST(AskForTorch, SaysWhereItIsOrThatThereIsNone) {
  TemporaryFolder folder;
  const auto python = folder.write("python3", "#!/bin/sh\necho /there/torch\n");
  ::chmod(python.c_str(), 0755);
  EXPECT_EQ(*ask_for_torch(python), "/there/torch");
  folder.write("python3", "#!/bin/sh\necho\n");
  EXPECT_THAT(ask_for_torch(python).error().message, HasSubstr("has no torch"));
}

}  // namespace
}  // namespace kbench
