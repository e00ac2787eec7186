#include "runner/feedback/sanitizer_findings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kBehind = R"(
kbench-probe: 0 bytes behind the end of input x (400 bytes)
==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x617000000290 at pc 0x55 bp 0x7f
READ of size 4 at 0x617000000290 thread T0
    #0 0x5587447065cf in strip(float const*) relu.cpp:6
    #1 0x5587447065d0 in kbench_forward ./relu.cpp:12:5
    #2 0x558744706461 in main ../probe/cpu.cpp:126
    #3 0x7fae7fa45249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58

0x617000000290 is located 0 bytes to the right of 400-byte region [0x617000000100,0x617000000290)
allocated by thread T0 here:
    #0 0x7fae7fcb7ffd in other relu.cpp:99

SUMMARY: AddressSanitizer: heap-buffer-overflow relu.cpp:6 in strip
)";

TEST(SanitizerFindings, NameTheFaultTheTensorAndTheLine) {
  EXPECT_THAT(address_findings(kBehind),
              ElementsAre(SanitizerFinding{
                  "out of bounds",
                  "heap-buffer-overflow, READ of size 4, 0 bytes behind the end of input x "
                  "(400 bytes)",
                  {"relu.cpp:6 in strip(float const*)", "relu.cpp:12 in kbench_forward"}}));
}

TEST(SanitizerFindings, AreOnesOfTheKernelsFilesAndEachOnce) {
  const std::string line = "relu.cpp:7:9: runtime error: signed integer overflow: 2 * 3\n";
  const std::string probe = "../probe/probe.h:7:9: runtime error: signed integer overflow: 2\n";
  const std::string system = "/usr/include/x.h:7:9: runtime error: shift exponent 40\n";
  const auto found = address_findings(line + line + probe + system);
  EXPECT_THAT(found, ElementsAre(SanitizerFinding{
                         "overflow", "signed integer overflow: 2 * 3", {"relu.cpp:7"}}));
  EXPECT_EQ(findings_text(found), "overflow: signed integer overflow: 2 * 3\n  at relu.cpp:7\n");
}

TEST(SanitizerFindings, AreCleanedAndBounded) {
  std::string printed;
  for (int i = 0; i < 100; ++i)
    printed +=
        "a.cpp:" + std::to_string(i) + ": runtime error: \x1b[31m" + std::string(9000, 'x') + "\n";
  const auto found = address_findings(printed);
  EXPECT_THAT(found, SizeIs(kMostFindings));
  EXPECT_LT(findings_text(found).size(), kMostFindings * 500);
  EXPECT_EQ(findings_text(found).find('\x1b'), std::string::npos);
  EXPECT_THAT(address_findings("ERROR: AddressSanitizer: x"), SizeIs(1));
  EXPECT_THAT(address_findings(std::string(1 << 20, ':')), IsEmpty());
}

TEST(SanitizerFindings, OfADeviceNameTheKernel) {
  const auto found = device_findings(R"(========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at relu(const float *, float *, long)+0x70 in relu.cu:12
=========     by thread (255,0,0) in block (3,0,0)
=========     Address 0x7f01 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f00 of size 4,096 bytes
=========
========= Error: Race reported between Write access at sum(float *)+0x1f0 in sum.cu:8
=========     and Read access at sum(float *)+0x240 in sum.cu:9 [12 hazards]
=========
========= Error: Race reported between Write access at sum(float *)+0x1f0 in sum.cu:8
=========     and Read access at sum(float *)+0x240 in sum.cu:9 [8 hazards]
=========
========= Uninitialized __global__ memory read of size 4 bytes
=========     at add(float *)+0x60 in add.cu:5
=========
========= Barrier error detected. Divergent thread(s) in block
=========     at wait(float *)+0x90 in wait.cu:7
=========
========= ERROR SUMMARY: 4 errors
)");
  ASSERT_THAT(found, SizeIs(4)) << "a race of both calls is one";
  EXPECT_EQ(found[0].kind, "out of bounds");
  EXPECT_THAT(found[0].at, ElementsAre("relu.cu:12 in relu(const float *, float *, long)"));
  EXPECT_EQ(found[1].kind, "race");
  EXPECT_THAT(found[1].at, ElementsAre("sum.cu:8 in sum(float *)", "sum.cu:9 in sum(float *)"));
  EXPECT_EQ(found[2].kind, "uninitialised memory");
  EXPECT_EQ(found[3].kind, "barrier");
  EXPECT_THAT(device_findings("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"),
              IsEmpty());
}

}  // namespace
}  // namespace kbench
