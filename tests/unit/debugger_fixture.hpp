// The debugger on the kernels of tests/debugger, with the compilers of this machine.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "runner/feedback/debugger.hpp"
#include "runner/os/files.hpp"
#include "tests/unit/paths.hpp"

namespace kbench::test {

struct PlantedKernel {
  const char* name;
  const char* task;
  const char* kind;   // the fault; empty: none
  const char* where;  // part of the report; empty where nothing is found
};

class DebuggerCase : public ::testing::Test {
 protected:
  // A kernel in a file, for a task of tests/tiny. Compilers are slow on a busy machine.
  CommandReport run(const std::filesystem::path& file, const std::string& task,
                    std::chrono::milliseconds patience = std::chrono::minutes{10}) {
    const auto submission = single_submission(file, task);
    const auto files = submission ? read_source_files(*submission) : submission.error();
    const auto loaded = load_task(std::filesystem::path(kTinySuites) / (task + ".json"));
    if (!files || !loaded) {
      ADD_FAILURE() << (files ? loaded.error().message : files.error().message);
      return {};
    }
    const auto report = debugger_report(
        place_, {*submission, *files, *loaded, *loaded->find_size("small")}, patience);
    EXPECT_TRUE(report.ok()) << (report ? "" : report.error().message);
    return report ? *report : CommandReport{};
  }
  CommandReport run_text(const std::string& text, const std::string& task) {
    const auto folder = ScratchFolder::make("kbench-debugger");
    EXPECT_TRUE(folder.ok());
    const auto file = folder->path() / "kernel.cpp";
    EXPECT_TRUE(write_new_file(file, text).ok());
    return run(file, task);
  }
  CommandReport run_planted(const PlantedKernel& kernel) {
    return run(
        std::filesystem::path(kSource) / "tests/debugger" / (std::string(kernel.name) + ".cpp"),
        kernel.task);
  }
  static void judge(const PlantedKernel& kernel, const CommandReport& report) {
    EXPECT_EQ(report.status, "answered") << report.text;
    if (*kernel.kind == '\0') {
      EXPECT_TRUE(report.text.starts_with("Nothing was found in two calls")) << report.text;
      return;
    }
    EXPECT_TRUE(report.text.starts_with(std::string(kernel.kind) + ": ")) << report.text;
    EXPECT_NE(report.text.find(kernel.where), std::string::npos) << report.text;
    EXPECT_NE(report.text.find(std::string("at ") + kernel.name + ".cpp:"), std::string::npos)
        << report.text;
  }

  const std::unique_ptr<Sandbox> sandbox_ = make_sandbox();
  ProbePlace place_{*sandbox_, find_toolchain(), kAbi, std::filesystem::path(kData) / "probe"};
};

}  // namespace kbench::test
