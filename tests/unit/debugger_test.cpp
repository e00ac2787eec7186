#include "runner/feedback/debugger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/feedback/probe_tables.hpp"
#include "tests/unit/debugger_fixture.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kRelu = "level1/019_relu";
constexpr const char* kHead =
    "#include <cstdio>\n#include <cstdlib>\n#include <csignal>\n#include <unistd.h>\n"
    "#include \"task.h\"\n"
    "extern \"C\" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* "
    "out, kb_context*) {\n";

class Debugger : public test::DebuggerCase {
 protected:
  CommandReport say(const std::string& body) { return run_text(kHead + body + "}\n", kRelu); }
};

// All of them are a slow test (planted_faults_test.cpp).
TEST_F(Debugger, NamesAFaultAndAccusesNobodyElse) {
  for (const test::PlantedKernel& kernel :
       {test::PlantedKernel{"bounds_read_behind_input", kRelu, "out of bounds",
                            "0 bytes behind the end of input x"},
        test::PlantedKernel{"overflow_product", kRelu, "overflow", "signed integer overflow"},
        test::PlantedKernel{"clean_wrapping", kRelu, "", ""}}) {
    SCOPED_TRACE(kernel.name);
    judge(kernel, run_planted(kernel));
  }
}

TEST_F(Debugger, WhateverAKernelDoesCostsItsReportOnly) {
  // One that prints a GiB is cut, and its fault is not seen behind that.
  const CommandReport flood =
      say("  static char block[1 << 16];\n  for (char& c : block) c = 'x';\n"
          "  for (int i = 0; i < 1 << 14; ++i) ::write(2, block, sizeof block);\n  return 0;\n");
  EXPECT_THAT(flood.text, StartsWith("It prints more than is read"));
  const CommandReport died = say("  ::raise(SIGKILL);\n  return 0;\n");
  EXPECT_EQ(died.status, "signal 9");
  EXPECT_THAT(died.text, HasSubstr("signal 9"));
  const CommandReport left = say("  std::fputs(\"gone\\n\", stderr);\n  ::_exit(5);\n");
  EXPECT_EQ(left.status, "exit 5");
  EXPECT_THAT(left.text, HasSubstr("before its calls had returned: gone"));
  const CommandReport forks = say("  while (::fork() >= 0) {\n  }\n  return 0;\n");
  EXPECT_THAT(forks.text, StartsWith("It starts processes of its own"));
}

TEST_F(Debugger, SaysWhatCannotBeRun) {
  const CommandReport report = run_text("#include \"task.h\"\nthis is no C++\n", kRelu);
  EXPECT_EQ(report.status, "not built");
  EXPECT_THAT(report.text, HasSubstr("does not compile"));
}

// A folder as the toolkit's is. Its nvcc makes a program that is never run; its compute-sanitizer
// is this script, whose second argument is the tool.
void make_toolkit(const std::filesystem::path& folder, const std::string& sanitizer) {
  const std::vector<std::pair<const char*, std::string>> programs = {
      {"bin/nvcc",
       "#!/bin/sh\nwhile [ $# -gt 1 ]; do [ \"$1\" = -o ] && out=$2; shift; done\n"
       "printf '#!/bin/sh\\n' > \"$out\" && chmod 755 \"$out\"\n"},
      {"compute-sanitizer/compute-sanitizer",
       "#!/bin/sh\n" + sanitizer + "echo 'kbench-probe: ended with status 0' >&2\n"}};
  for (const auto& [name, text] : programs) {
    std::filesystem::create_directories((folder / name).parent_path());
    ASSERT_TRUE(write_new_file(folder / name, text).ok());
    std::filesystem::permissions(folder / name, std::filesystem::perms{0755});
  }
  std::filesystem::permissions(folder, std::filesystem::perms{0755});
}

class GpuDebugger : public Debugger {
 protected:
  CommandReport run_with(const std::string& sanitizer) {
    const auto toolkit = ScratchFolder::make("kbench-toolkit");
    EXPECT_TRUE(toolkit.ok());
    make_toolkit(toolkit->path(), sanitizer);
    place_.toolchain.nvcc = toolkit->path() / "bin/nvcc";
    place_.toolchain.cuda_architecture = "90a";
    return run(std::filesystem::path(test::kSource) / "tests/debugger/cuda/clean_rectifier.cu",
               kRelu);
  }
  static constexpr const char* kClean =
      "Nothing was found by memcheck, racecheck, initcheck, synccheck.\n";
};

TEST_F(GpuDebugger, EachToolWritesToAFolderOfItsOwn) {
  const CommandReport report =
      run_with("touch \"$TMPDIR/$2\" && [ \"$(ls \"$TMPDIR\")\" = \"$2\" ] || exit 13\n");
  EXPECT_EQ(report.status, "answered");
  EXPECT_EQ(report.text, kClean);
}

TEST_F(GpuDebugger, AToolThatLacksMemoryBesideTheOthersRunsAlone) {
  const CommandReport report = run_with(
      "if [ $2 = racecheck ] && [ ! -e \"$TMPDIR/tried\" ]; then\n  touch \"$TMPDIR/tried\"\n"
      "  echo 'kbench-probe: no memory for a tensor: out of memory' >&2\n  exit 3\nfi\n");
  EXPECT_EQ(report.status, "answered");
  EXPECT_EQ(report.text, kClean);
}

TEST(ProbeTables, HoldWhatTheTaskStores) {
  TaskSize size;
  size.inputs = {{.name = "x", .dtype = DType::kFloat32, .shape = {2, 3}, .draw = {}},
                 {.name = "mask", .dtype = DType::kInt64, .shape = {2}, .draw = {}}};
  size.inputs[1].draw.kind = Draw::Kind::kData;
  size.inputs[1].draw.data = {4, -1};
  const ProbeTables tables = probe_tables(size);
  EXPECT_THAT(tables.header, HasSubstr(R"({"x", 6u, 'f', probe::kUniform, 0x0p+0, 0x1p+0, 1, 0, )"
                                       R"(0, 2, 3, 0u},)"));
  EXPECT_EQ(tables.stored.size(), 2 * sizeof(double));
}

}  // namespace
}  // namespace kbench
