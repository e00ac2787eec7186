#include "runner/measure/watch/libraries.hpp"

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
    "7f60-7f70 r-xs 00000000 00:01 5     /memfd:a\\012b (deleted)\n"
    "7ffc-7ffd r-xp 00000000 00:00 0     [vdso]\n"
    "7ffd-7ffe rwxp 00000000 00:00 0     [stack]\n"
    "7ffe-7fff rwxp 00000000 00:00 0 \n"
    "ffff-ffff --xp 00000000 00:00 0     [vsyscall]\n";

Names forbidden(const std::string& path, CodeOrigin origin, bool vendor_libraries = false) {
  const MappedCode code{path, origin};
  return forbidden_code({&code, 1}, {.vendor_libraries = vendor_libraries});
}

TEST(ExecutableMappings, TellsFilesApartAndMemoryFromFiles) {
  EXPECT_EQ(executable_mappings(kMaps),
            (std::vector<CodeMapping>{{{"fe:00", 1311}, "/opt/kbench/kbench-worker"},
                                      {{"fe:00", 99}, "/builds/with a space/0123.so (deleted)"},
                                      {{"fe:00", 77}, "/usr/lib/libc.so.6"},
                                      {{"00:01", 5}, "/memfd:a\\012b (deleted)"},
                                      {{"00:00", 0}, ""}}));
}

TEST(ForbiddenCode, WhatAWorkerAlwaysHasIsFine) {
  EXPECT_EQ(forbidden("/anywhere/anything", CodeOrigin::kWorker), Names{});
  EXPECT_EQ(forbidden("/builds/0123.so (deleted)", CodeOrigin::kSubmission), Names{});
  EXPECT_EQ(forbidden("/usr/lib/libmvec.so.1", CodeOrigin::kInstalled), Names{});
  EXPECT_EQ(forbidden("/usr/lib/libnvidia-ptxjitcompiler.so.580", CodeOrigin::kInstalled), Names{});
  EXPECT_EQ(forbidden("/usr/lib/x86_64-linux-gnu/gconv/UTF-16.so", CodeOrigin::kInstalled),
            Names{});
}

TEST(ForbiddenCode, AGoodNameIsNoOrigin) {
  EXPECT_EQ(forbidden("/tmp/libm.so.6", CodeOrigin::kUnknown),
            Names{"libm.so.6 of unknown origin"});
  EXPECT_EQ(forbidden("/usr/lib/libc.so.6 (deleted)", CodeOrigin::kUnknown).size(), 1u);
  EXPECT_EQ(forbidden("/memfd:libm.so.6 (deleted)", CodeOrigin::kUnknown, true).size(), 1u);
}

TEST(ForbiddenCode, MemoryWithoutAFile) {
  EXPECT_EQ(forbidden("", CodeOrigin::kMemory), Names{"code in memory that belongs to no file"});
}

TEST(ForbiddenCode, LibTorchIsForbiddenEvenIfVendorLibrariesAreDeclared) {
  for (const char* name : {"/usr/lib/libtorch_cuda.so", "/usr/lib/libc10.so", "/usr/lib/libz.so.1"})
    EXPECT_EQ(forbidden(name, CodeOrigin::kInstalled, true).size(), 1u) << name;
}

TEST(ForbiddenCode, VendorLibrariesMustBeDeclaredAndInstalled) {
  for (const char* path : {"/usr/local/cuda/libcublasLt.so.13", "/usr/lib/libcudnn_ops.so.9",
                           "/usr/lib/libopenblas.so.0"}) {
    EXPECT_EQ(forbidden(path, CodeOrigin::kInstalled, false).size(), 1u);
    EXPECT_EQ(forbidden(path, CodeOrigin::kInstalled, true).size(), 0u);
    EXPECT_EQ(forbidden(path, CodeOrigin::kUnknown, true).size(), 1u);
  }
}

TEST(Libraries, WhatPythonConsistsOfIsForPythonAlone) {
  const MappedCode torch{"/opt/venv/lib/torch/lib/libtorch_cpu.so", CodeOrigin::kRuntime};
  const MappedCode memory{"", CodeOrigin::kMemory};
  const MappedCode own{"/tmp/kernels.so", CodeOrigin::kUnknown};
  const CodeRules python{.runtime_allowed = true, .memory_allowed = true};
  EXPECT_TRUE(forbidden_code({&torch, 1}, python).empty());
  EXPECT_TRUE(forbidden_code({&memory, 1}, python).empty());
  EXPECT_EQ(forbidden_code({&own, 1}, python).size(), 1u);
  EXPECT_EQ(forbidden_code({&torch, 1}, {}).size(), 1u);
  const MappedCode needed{"/usr/lib/libsqlite3.so.0", CodeOrigin::kInstalled};
  const MappedCode blas{"/usr/lib/libopenblas.so.0", CodeOrigin::kInstalled};
  EXPECT_TRUE(forbidden_code({&needed, 1}, python).empty());
  EXPECT_EQ(forbidden_code({&needed, 1}, {}).size(), 1u);
  EXPECT_EQ(forbidden_code({&blas, 1}, python).size(), 1u);
}

}  // namespace
}  // namespace kbench
