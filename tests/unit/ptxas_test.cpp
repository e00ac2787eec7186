#include "runner/submission/ptxas.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Output of nvcc 12 and 13; that this machine's does is in compiler_test.
constexpr const char* kText =
    "main.cu(3): warning #177-D: variable \"i\" was declared but never referenced\n"
    "ptxas info    : 0 bytes gmem, 4 bytes cmem[4]\n"
    "ptxas info    : Compiling entry function '_Z4reluPKfPfi' for 'sm_90a'\n"
    "ptxas info    : Function properties for _Z4reluPKfPfi\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 10 registers, used 0 barriers, 548 bytes cmem[0]\n"
    "ptxas info    : Compile time = 1.234 ms\n"
    "ptxas info    : Function properties for _Z6helperv\n"
    "    8 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n"
    "ptxas info    : Compiling entry function 'plain' for 'sm_90a'\n"
    "ptxas info    : Function properties for plain\n"
    "    1024 bytes stack frame, 512 bytes spill stores, 640 bytes spill loads\n"
    "ptxas info    : Used 255 registers, used 1 barriers, 1024 bytes cumulative stack size, "
    "4096 bytes smem, 548 bytes cmem[0]\n";

TEST(Ptxas, KernelsAreReadAndWarningsStay) {
  const AssemblerReport report = read_ptxas(kText);
  ASSERT_EQ(report.kernels.size(), 2u);
  EXPECT_EQ(report.kernels[0].name, "relu(float const*, float*, int)");
  EXPECT_EQ(report.kernels[0].registers, 10);
  EXPECT_EQ(report.kernels[0].spill_store_bytes, 0);
  EXPECT_EQ(report.kernels[0].shared_bytes, 0);
  EXPECT_EQ(report.kernels[1].name, "plain");
  EXPECT_EQ(report.kernels[1].registers, 255);
  EXPECT_EQ(report.kernels[1].stack_bytes, 1024);
  EXPECT_EQ(report.kernels[1].spill_store_bytes, 512);
  EXPECT_EQ(report.kernels[1].spill_load_bytes, 640);
  EXPECT_EQ(report.kernels[1].shared_bytes, 4096);
  EXPECT_THAT(report.rest, HasSubstr("never referenced"));
  EXPECT_THAT(report.rest, Not(HasSubstr("ptxas")));
}

// A submission chooses much of what a compiler prints.
TEST(Ptxas, HostileTextBreaksNothing) {
  EXPECT_TRUE(read_ptxas("").kernels.empty());
  const std::string entry = "ptxas info    : Compiling entry function '";
  EXPECT_TRUE(read_ptxas(entry + std::string(1'000'000, '\'') + "'\n").kernels.empty());
  EXPECT_EQ(read_ptxas(entry + "_Z" + std::string(4'000, '9') + "' for 'sm_90a'\n")
                .kernels.at(0)
                .registers,
            0);
  EXPECT_EQ(read_ptxas(entry + "a' for 'sm_90a'\nptxas info    : Used 99999999999999 registers\n")
                .kernels.at(0)
                .registers,
            0);
  EXPECT_TRUE(read_ptxas("ptxas info    : Used 5 registers\n").kernels.empty());
}

}  // namespace
}  // namespace kbench
