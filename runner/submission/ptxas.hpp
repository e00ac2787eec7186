// Resources of kernels, as `ptxas -v` tells them: registers and spills.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kbench {

struct KernelResources {
  std::string name;  // its author's name for it
  int registers = 0;
  // Bytes a thread.
  int stack_bytes = 0;
  int spill_store_bytes = 0;
  int spill_load_bytes = 0;
  int shared_bytes = 0;  // a block, static
};

struct AssemblerReport {
  std::vector<KernelResources> kernels;  // order: as they were assembled
  std::string rest;                      // everything else that the compiler said
};

// Reads the standard error of nvcc -Xptxas=-v. Other lines of the assembler are left out.
[[nodiscard]] AssemblerReport read_ptxas(std::string_view text);

}  // namespace kbench
