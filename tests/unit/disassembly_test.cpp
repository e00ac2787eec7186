#include "runner/submission/disassembly.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "temporary_folder.hpp"

namespace kbench {
namespace {

constexpr const char* kSass = R"sass(
	.headerflags	@"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
		Function : _Z6kernelPfS_i
        /*0000*/                   LDC R1, c[0x0][0x28] ;               /* 0x00000a00ff017b82 */
                                                                        /* 0x000fe20000000800 */
        /*0010*/                   DFMA R2, R4, R6, R8 ;                /* 0x1 */
        /*0020*/              @!P0 DADD.RN R2, R4, R6 ;                 /* 0x2 */
        /*0030*/              @P1  FFMA.FTZ R2, R4, R6, R8 ;            /* 0x3 */
        /*0040*/                   FMUL R2, R4, R6 ;                    /* 0x4 */
        /*0050*/                   HMMA.1688.F32.TF32 R4, R8, R10, R4 ; /* 0x5 */
        /*0060*/                   HGMMA.64x64x8.F32.TF32 R24, gdesc[UR4], R24 ; /* 0x6 */
        /*0070*/                   RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R2.64], R5 ; /* 0x7 */
        /*0080*/                   ATOMS.ADD RZ, [R2], R3 ;             /* 0x8 */
        /*0090*/                   DMMA.884 R4, R8, R10, R4 ;           /* 0x9 */
        /*00a0*/                   EXIT ;                               /* 0xa */
)sass";

TEST(Disassembly, CountsInstructionsByTheirPipes) {
  const InstructionCounts counts = count_instructions(kSass);
  EXPECT_EQ(counts.fp64, 3u);
  EXPECT_EQ(counts.fp32, 2u);
  EXPECT_EQ(counts.tensor, 2u);
  EXPECT_EQ(counts.atomics, 2u);
}

TEST(Disassembly, WhatIsNoInstructionCountsForNothing) {
  for (const char* text : {"", "/*", "/**/", "DFMA", "/*0010*/", "   /*0010*/ @", "/*0*/ @P0 "}) {
    const InstructionCounts counts = count_instructions(text);
    EXPECT_EQ(counts.fp64 + counts.fp32 + counts.tensor + counts.atomics, 0u) << text;
  }
}

// Was "says nothing of this library" wherever a sandbox has no /tmp of its own: cuobjdump writes
// the kernels there, and nvdisasm reads them.
TEST(Disassembly, TheDisassemblerHasAFolderToWriteTo) {
  const test::TemporaryFolder folder;
  const auto cuobjdump = folder.path() / "cuobjdump";
  std::ofstream(cuobjdump)
      << "#!/bin/sh\n"
         "file=${TMPDIR:-/tmp}/kernel-of-disassembly-test\n"
         "echo '        /*0000*/   DFMA R2, R4, R6, R8 ;' > \"$file\" && cat \"$file\"\n";
  std::filesystem::permissions(cuobjdump, std::filesystem::perms(0755));
  std::ofstream(folder.path() / "library.so") << "kernels";
  for (const bool bubblewrap : {true, false}) {
    const auto sandbox = make_sandbox({.use_bubblewrap = bubblewrap, .use_namespaces = bubblewrap});
    if (!bubblewrap && sandbox->level(false).landlock == 0) continue;
    const auto counts = disassemble(*sandbox, cuobjdump, folder.path() / "library.so");
    ASSERT_TRUE(counts) << counts.error().message;
    EXPECT_EQ(counts->fp64, 1u);
  }
}

}  // namespace
}  // namespace kbench
