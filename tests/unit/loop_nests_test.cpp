#include "runner/feedback/loop_nests.hpp"

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/feedback/analyzer.hpp"
#include "runner/os/files.hpp"
#include "tests/unit/paths.hpp"

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kProduct = R"(#include "task.h"
/* for (;;) of a comment */
#define TWICE(x) for (int t = 0; t < 2; ++t) { x; }
static const char* kText = "for (;;) {";
template <int kTile>
__global__ void __launch_bounds__(256) product(const float* a, const float* b,
                                               float* y, int n) {
  __shared__ float tile[kTile][kTile];
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    tile[threadIdx.y][threadIdx.x] = a[k + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i)
      sum += tile[threadIdx.y][i] * b[(k + i) * n];
    __syncthreads();
  }
  y[blockIdx.x] = sum;
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  int left = 3;
  do {
    while (left > 1) --left;
  } while (left-- > 0);
  auto each = [&](int i) {
    for (float x : {1.0f, 2.0f}) out->y[i] = x;
  };
  for (int i = 0; i < 4; ++i) {
    if (i > 2) {
      each(i);
    } else {
      for (;;) break;
    }
  }
  return 0;
}
)";

std::string outline(const LoopReading& reading) {
  std::string text;
  for (const Loop& loop : reading.loops)
    text += std::string(static_cast<std::size_t>(loop.depth), ' ') + std::to_string(loop.line) +
            loop.kind + " " + loop.function + "\n";
  return text;
}

constexpr const char* kOutline =
    " 10for product\n"
    "  14for product\n"
    " 24do kbench_forward\n"
    "  25while kbench_forward\n"
    " 28for kbench_forward\n"
    " 30for kbench_forward\n"
    "  34for kbench_forward\n";

TEST(LoopNests, AreThoseOfTheSource) {
  const LoopReading reading = read_loops(kProduct);
  EXPECT_EQ(outline(reading), kOutline);
  EXPECT_THAT(reading.left_out, IsEmpty());
  const Loop& outer = reading.loops.front();
  EXPECT_EQ(outer.head, "int k = 0; k < n; k += kTile");
  EXPECT_EQ(outer.last_line, 17);
  EXPECT_THAT(outer.calls, ElementsAre("__syncthreads"));
  EXPECT_THAT(outer.subscripts,
              ElementsAre("tile[threadIdx.y][threadIdx.x]", "a[k + threadIdx.x]"));
  EXPECT_THAT(reading.loops[1].subscripts, ElementsAre("tile[threadIdx.y][i]", "b[(k + i) * n]"));
}

// The source without the first sign of a line that stands behind `behind`.
std::string without(char sign, std::string_view behind) {
  std::string text(kProduct);
  text.erase(text.find(sign, text.find(behind)), 1);
  return text;
}

TEST(LoopNests, SurviveASignThatWasLeftOut) {
  struct Case {
    char sign;
    const char* behind;
    int line;
  };
  for (const Case& one :
       {Case{'{', "k += kTile)", 10}, Case{'}', "* n];\n    __syncthreads();", 17},
        Case{'(', "for (int i = 0; i < kTile", 14}, Case{')', "++i)\n      sum", 14},
        Case{';', "++left) --left", 25}, Case{';', "threadIdx.x]", 11}, Case{';', "int k = 0", 10},
        Case{')', "kb_context* context", 22}, Case{'{', "kb_context* context)", 22},
        Case{'}', "each(i);", 33}, Case{';', "* n]", 15}, Case{')', "(left > 1", 25},
        Case{'(', "while (left >", 25}, Case{';', "sum = 0", 9}, Case{'{', "} else ", 33}}) {
    const std::string text = one.behind == std::string_view("++left) --left")
                                 ? without(';', "--left;\n  } while")
                                 : without(one.sign, one.behind);
    SCOPED_TRACE(std::string(1, one.sign) + " behind " + one.behind);
    const LoopReading reading = read_loops(text);
    EXPECT_EQ(outline(reading), kOutline);
    ASSERT_THAT(reading.left_out, SizeIs(1));
    EXPECT_EQ(reading.left_out.front(), (Omission{one.line, one.sign}));
  }
}

// "57<55" for each loop: its line, and that of the loop around it.
std::set<std::string> nests_of(const LoopReading& reading) {
  std::set<std::string> nests;
  for (const Loop& loop : reading.loops) {
    std::string nest = std::to_string(loop.line);
    if (loop.parent >= 0)
      nest += "<" + std::to_string(reading.loops[static_cast<std::size_t>(loop.parent)].line);
    nests.insert(nest);
  }
  return nests;
}

struct ListedKernel {
  std::string name;
  std::string source;
  std::set<std::string> nests;
};

std::vector<ListedKernel> listed_kernels() {
  std::vector<ListedKernel> kernels;
  const std::filesystem::path golden = test::kGolden;
  std::istringstream list(read_file(golden / "loop_nests.txt").value_or(""));
  for (std::string line; std::getline(list, line);) {
    if (line.starts_with('#')) continue;
    ListedKernel kernel{line.substr(0, line.find(':')), "", {}};
    const auto file = std::filesystem::path(test::kData) / "submissions/example" / kernel.name;
    kernel.source = read_file(file).value_or("");
    std::istringstream nests(line.substr(line.find(':') + 1));
    for (std::string nest; nests >> nest;) kernel.nests.insert(nest);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

TEST(LoopNests, OfShippedKernelsAreTheListedOnes) {
  const auto kernels = listed_kernels();
  EXPECT_GE(kernels.size(), 20u);
  for (const ListedKernel& kernel : kernels) {
    const LoopReading reading = read_loops(kernel.source);
    EXPECT_EQ(nests_of(reading), kernel.nests) << kernel.name;
    EXPECT_THAT(reading.left_out, IsEmpty()) << kernel.name;
  }
}

// 99.9 % are kept and the line named in 85 %, in 90 % with its neighbours, of 2,600.
TEST(LoopNests, OfShippedKernelsSurviveAnySignLeftOut) {
  std::mt19937 random(44);
  double kept = 0;
  double all = 0;
  double named = 0;
  double tries = 0;
  for (const ListedKernel& kernel : listed_kernels()) {
    std::vector<std::size_t> signs;
    for (const Token& token : tokens_of(kernel.source))
      if (std::string_view(";{}()").find(token.text) != std::string_view::npos)
        signs.push_back(static_cast<std::size_t>(token.text.data() - kernel.source.data()));
    for (int i = 0; i < 40; ++i, ++tries) {
      const std::size_t at = signs[random() % signs.size()];
      const auto line =
          1 + std::count(kernel.source.begin(),
                         kernel.source.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      std::string text = kernel.source;
      text.erase(at, 1);
      const LoopReading reading = read_loops(text);
      const auto nests = nests_of(reading);
      all += static_cast<double>(kernel.nests.size());
      for (const std::string& nest : kernel.nests) kept += nests.contains(nest) ? 1 : 0;
      named += std::any_of(reading.left_out.begin(), reading.left_out.end(),
                           [&](const Omission& one) { return std::abs(one.line - line) <= 1; });
    }
  }
  RecordProperty("kept", std::to_string(kept / all));
  RecordProperty("named", std::to_string(named / tries));
  EXPECT_GE(kept / all, 0.98);
  EXPECT_GE(named / tries, 0.85);
}

TEST(LoopNests, OfAnyTextAreBounded) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "for(;;){";
  EXPECT_LE(read_loops(deep).loops.size(), 500u);
  EXPECT_LE(read_loops(deep).left_out.size(), 20u);
  for (const char* text : {"", "for", "for (", "do", "do {", "while", "}}}}", "((((", ")))", "{{{{",
                           "\"", "R\"x(", "/*", "#", "'", "for(;;", "if (", "x = {", "#if\n#else"})
    EXPECT_THAT(read_loops(text).loops.size(), testing::Le(1u)) << text;
  std::string braces;
  for (int i = 0; i < 50'000; ++i) braces += "a{}";
  (void)read_loops(braces);
  std::string bytes;
  for (int i = 0; i < 65536; ++i) bytes += static_cast<char>(i * 7919 % 256);
  (void)read_loops(bytes);
}

TEST(Analyzer, TellsTheNestsOfEachFile) {
  const std::string text =
      nests_text({{"src/a.cpp", "void f(float* y) {\n  for (int i = 0; i < 3; ++i) y[i] = 0\n}\n"},
                  {"src/submission.json", "{}"},
                  {"src/b.cpp", "int x;\n"}});
  EXPECT_EQ(text,
            "a.cpp: f\n  line 2: for (int i = 0; i < 3; ++i); reads or writes y[i]\n"
            "a.cpp:2: a ';' seems to be missing\n");
  EXPECT_EQ(nests_text({{"src/b.cpp", "int x;\n"}}), "No loops were found.\n");
  const std::string many(200'000, 'x');
  std::string loops;
  for (int i = 0; i < 400; ++i)
    loops += "for (;;) y" + std::to_string(i) + "[" + std::string(70, '\x1b') + "] = 0;\n";
  EXPECT_LT(nests_text({{"src/a.cpp", loops}}).size(), 25u << 10);
}

TEST(Analyzer, KeepsFindingsOfTheKernelsFilesOnly) {
  const std::string printed =
      "/tmp/k/src/relu.cpp:12:5: warning: a division by zero [clang-analyzer-core.DivideZero]\n"
      "/tmp/k/src/relu.cpp:12:5: warning: a division by zero [clang-analyzer-core.DivideZero]\n"
      "  float x = 1 / 0;\n"
      "/usr/local/cuda/include/cuda.h:7:1: warning: reserved [bugprone-x]\n"
      "/usr/local/cuda/include/cuda.h:9:1: error: unknown type [clang-diagnostic-error]\n"
      "/tmp/k/src/relu.cpp:3:1: error: 'omp.h' file not found [clang-diagnostic-error]\n"
      "./tile/t.cuh:4:9: warning: \x1b[0m words [performance-y]\n";
  EXPECT_THAT(tidy_findings(printed),
              ElementsAre("relu.cpp:12: a division by zero [clang-analyzer-core.DivideZero]",
                          HasSubstr("tile/t.cuh:4: ")));
  EXPECT_EQ(tidy_findings(printed)[1].find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace kbench
