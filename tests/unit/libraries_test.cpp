#include "runner/measure/libraries.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kMaps =
    "55d0-55d4 r--p 00000000 fe:00 1311  /opt/kbench/kbench-worker\n"
    "55d4-55d8 r-xp 00004000 fe:00 1311  /opt/kbench/kbench-worker\n"
    "7f00-7f10 r-xp 00000000 fe:00 99    /builds/with a space/0123.so (deleted)\n"
    "7f20-7f30 r-xp 00000000 fe:00 77    /usr/lib/libc.so.6\n"
    "7f30-7f40 r-xp 00001000 fe:00 77    /usr/lib/libc.so.6\n"
    "7f50-7f60 r--p 00000000 fe:00 78    /usr/share/data.bin\n"
    "7f60-7f70 rw-s 00000000 00:01 5     /memfd:kbench-arena (deleted)\n"
    "7ffc-7ffd r-xp 00000000 00:00 0     [vdso]\n"
    "7ffe-7fff rwxp 00000000 00:00 0 \n";

TEST(MappedCode, NamesEachExecutableFileOnce) {
  EXPECT_EQ(mapped_code(kMaps),
            (Names{"/opt/kbench/kbench-worker", "/builds/with a space/0123.so (deleted)",
                   "/usr/lib/libc.so.6"}));
}

TEST(JudgeLibraries, WhatAWorkerAlwaysHasIsFine) {
  const auto findings = judge_libraries(mapped_code(kMaps), "/builds/with a space/0123.so", false);
  EXPECT_EQ(findings.forbidden, Names{});
  EXPECT_EQ(findings.unlisted, Names{});
}

TEST(JudgeLibraries, LibTorchIsForbiddenEvenIfVendorLibrariesAreDeclared) {
  const auto findings = judge_libraries({"/venv/libtorch_cuda.so", "/venv/libc10.so"}, "", true);
  EXPECT_EQ(findings.forbidden, (Names{"libtorch_cuda.so", "libc10.so"}));
}

TEST(JudgeLibraries, VendorLibrariesMustBeDeclared) {
  const Names paths{"/cuda/libcublasLt.so.13", "/cuda/libcudnn_ops.so.9",
                    "/usr/lib/libopenblas.so.0"};
  EXPECT_EQ(judge_libraries(paths, "", false).forbidden.size(), 3u);
  EXPECT_EQ(judge_libraries(paths, "", true).forbidden.size(), 0u);
}

TEST(JudgeLibraries, OthersAreListed) {
  const auto findings =
      judge_libraries({"/usr/lib/libz.so.1", "/memfd:x (deleted)"}, "/b/a.so", true);
  EXPECT_EQ(findings.unlisted, (Names{"libz.so.1", "memfd:x"}));
}

}  // namespace
}  // namespace kbench
