// clang-tidy on CUDA: what is planted in a kernel is named, and the toolkit's headers are read.
// Skipped where there is no toolkit, or no clang-tidy that reads its headers
// (third_party/requirements.txt brings one).
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/feedback/analyzer.hpp"
#include "runner/feedback/probe_tools.hpp"
#include "runner/os/files.hpp"
#include "tests/unit/paths.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;

struct PlantedLines {
  const char* name;
  const char* lines;  // lines of a kernel that has x, y, n and i
  const char* finding;
};

constexpr PlantedLines kReadKernels[] = {
    {"garbage", "float sums[4];\n  if (i < n) y[i] = x[i] + sums[2];", "garbage value"},
    {"divides", "const int none = 0;\n  if (i < n) y[i] = static_cast<float>(i / none);",
     "Division by zero"},
    {"nowhere", "const float* row = nullptr;\n  if (n < 0) row = x;\n  if (i < n) y[i] = row[i];",
     "null pointer dereference"},
    {"endless", "int k = 0;\n  while (k < n) y[i] += x[i];", "this loop is infinite"},
    {"clean", "if (i < n) y[i] = x[i];", "clang-tidy: nothing was found."},
};

class ClangTidy : public ::testing::Test {
 protected:
  void SetUp() override {
    if (place_.toolchain.nvcc.empty()) GTEST_SKIP() << "there is no CUDA toolkit";
    if (find_clang_tidy().filename() != "clang-tidy" ||
        find_clang_tidy().string().find("clang_tidy/data") == std::string::npos)
      GTEST_SKIP() << "there is no clang-tidy of third_party/requirements.txt";
  }

  std::string say(const PlantedLines& planted) {
    const auto folder = ScratchFolder::make("kbench-tidy");
    EXPECT_TRUE(folder.ok());
    const auto file = folder->path() / (std::string(planted.name) + ".cu");
    // Headers that these headers include are read as well.
    EXPECT_TRUE(
        write_new_file(file, std::string("#include <cooperative_groups.h>\n"
                                         "#include <cuda_fp16.h>\n#include \"task.h\"\n"
                                         "__global__ void planted(const float* x, float* y,"
                                         " int n) {\n  const int i = static_cast<int>("
                                         "blockIdx.x * 256 + threadIdx.x);\n  ") +
                                 planted.lines +
                                 "\n}\nvoid launch(float* y) { planted<<<1, 256>>>(y, y, 9); }\n")
            .ok());
    const std::string task = "level1/019_relu";
    const auto submission = single_submission(file, task);
    const auto files = submission ? read_source_files(*submission) : submission.error();
    const auto loaded = load_task(std::filesystem::path(test::kTinySuites) / (task + ".json"));
    if (!files || !loaded) {
      ADD_FAILURE() << (files ? loaded.error().message : files.error().message);
      return "";
    }
    const auto report =
        analyzer_report(place_, {*submission, *files, *loaded, *loaded->find_size("small")},
                        std::chrono::minutes{10});
    EXPECT_TRUE(report.ok()) << (report ? "" : report.error().message);
    return report ? report->text : "";
  }

  const std::unique_ptr<Sandbox> sandbox_ = make_sandbox();
  const ProbePlace place_{*sandbox_, find_toolchain(), test::kAbi,
                          std::filesystem::path(test::kData) / "probe"};
};

TEST_F(ClangTidy, NamesWhatIsPlantedAndNothingOfAHeader) {
  for (const PlantedLines& planted : kReadKernels) {
    const std::string text = say(planted);
    EXPECT_THAT(text, HasSubstr(planted.finding));
    const std::string tidy = text.substr(std::min(text.find("clang-tidy:"), text.size()));
    EXPECT_EQ(tidy.find(".h:"), std::string::npos) << tidy;
    if (std::string(planted.name) != "clean") {
      EXPECT_THAT(tidy, HasSubstr(std::string(planted.name) + ".cu:"));
    }
  }
}

}  // namespace
}  // namespace kbench
