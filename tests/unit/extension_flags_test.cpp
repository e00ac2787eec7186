#include "runner/submission/extension_flags.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

using Words = std::vector<std::string>;

ExtensionFlags checked(const ExtensionFlags& given) {
  auto flags = check_extension_flags(given);
  if (flags) return std::move(*flags);
  ADD_FAILURE() << flags.error().message;
  return {};
}

Words cuda(const Words& given) { return checked({.cuda = given}).cuda; }

TEST(ExtensionFlags, WhatAgentsAskForIsHandedOn) {
  const Words host = {"-O3", "-march=native", "-fopenmp", "-std=c++17", "-fPIC", "-DNDEBUG"};
  EXPECT_EQ(checked({.host = host}).host, host);
  const Words device = {"-O3",
                        "--use_fast_math",
                        "-lineinfo",
                        "--expt-relaxed-constexpr",
                        "-U__CUDA_NO_HALF_OPERATORS__",
                        "-Xcompiler=-fPIC,-O3"};
  EXPECT_EQ(cuda(device), device);
}

TEST(ExtensionFlags, AnOptionAndItsValueBecomeOneWord) {
  EXPECT_EQ(cuda({"-Xptxas", "-v", "--ptxas-options=-O3,-v", "-Xcompiler", "-fopenmp",
                  "-maxrregcount", "64"}),
            (Words{"-Xptxas=-v", "-Xptxas=-O3,-v", "-Xcompiler=-fopenmp", "-maxrregcount=64"}));
}

TEST(ExtensionFlags, WhichGpuIsTheMachinesOwnBusiness) {
  EXPECT_EQ(cuda({"-arch=sm_80", "-gencode", "arch=compute_80,code=sm_80",
                  "--generate-code=arch=compute_90,code=sm_90", "--threads", "4", "-O3"}),
            Words{"-O3"});
}

TEST(ExtensionFlags, LibrariesAreThoseOfNoComputationsOrNamed) {
  const auto plain = checked({.linker = {"-lcudart", "-fopenmp", "-L/usr/local/cuda/lib64"}});
  EXPECT_EQ(plain.linker, (Words{"-lcudart", "-fopenmp"}));
  EXPECT_FALSE(plain.vendor_library);
  EXPECT_TRUE(checked({.linker = {"-lcublas"}}).vendor_library);
}

TEST(ExtensionFlags, WhatOnlyALinkerReadsIsLeftOutAmongCompilersFlags) {
  const auto flags = checked({.host = {"-O3", "-lcublas", "-L/usr/local/cuda/lib64", "-lfoo"},
                              .cuda = {"-lineinfo", "-lcublas", "-Wl,-rpath,/tmp", "-O3"}});
  EXPECT_EQ(flags.host, Words{"-O3"});
  EXPECT_EQ(flags.cuda, (Words{"-lineinfo", "-O3"}));
  EXPECT_TRUE(flags.linker.empty()) << "nothing is linked that no linker was asked for";
  EXPECT_FALSE(flags.vendor_library);
}

TEST(ExtensionFlags, WhatReachesOutIsRefusedByName) {
  const std::vector<ExtensionFlags> refused = {{.host = {"-fplugin=./evil.so"}},
                                               {.host = {"@more"}},
                                               {.host = {"-B/tmp"}},
                                               {.host = {"-wrapper", "sh"}},
                                               {.host = {"-O3;touch", "x"}},
                                               {.host = {"-specs=x"}},
                                               {.cuda = {"-Xcompiler=-fplugin=x"}},
                                               {.cuda = {"-Xcompiler"}},
                                               {.cuda = {"-Xptxas=-O3,--x"}},
                                               {.cuda = {"--pre-include=/etc/shadow"}},
                                               {.cuda = {"-ccbin=/tmp/sh"}},
                                               {.linker = {"-Wl,-rpath,/tmp"}},
                                               {.linker = {"-ltorch_evil"}},
                                               {.linker = {"/tmp/x.a"}},
                                               {.host = Words(200, "-O3")},
                                               {.host = {std::string(300, 'x')}}};
  for (const ExtensionFlags& given : refused) {
    const auto flags = check_extension_flags(given);
    ASSERT_FALSE(flags.ok());
    EXPECT_EQ(flags.error().code, ErrorCode::kSubmission);
    EXPECT_NE(flags.error().message.find("which is not allowed"), std::string::npos);
    EXPECT_NE(flags.error().hint, "");
  }
}

}  // namespace
}  // namespace kbench
