// Loads one compiled submission and calls its entry points. The tensor structs of task.h are built
// here at run time: a uint32 size, a uint32 ABI version, then one pointer for each tensor.
#pragma once

#include <cstdint>
#include <vector>

#include "runner/abi/kbench.h"
#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"

namespace kbench {

// The memory image of kb_inputs, kb_params or kb_outputs.
class TensorStruct {
 public:
  explicit TensorStruct(std::vector<std::uint64_t> offsets);
  // Points every tensor at base + its offset.
  void rebase(std::byte* base);
  [[nodiscard]] void* get() { return words_.data(); }

 private:
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint64_t> words_;  // word 0 holds size and version
};

class LoadedSubmission {
 public:
  // Errors: kSubmission; `missing_symbol` tells the two kinds apart.
  // The library comes as a descriptor, so the worker needs no path into any folder.
  static Result<LoadedSubmission> load(const UniqueFd& library, bool& missing_symbol);

  [[nodiscard]] std::uint64_t workspace_bytes() const;
  [[nodiscard]] bool has_prepare() const { return prepare_ != nullptr; }
  std::int32_t prepare(TensorStruct& params, kb_context& context) const;
  std::int32_t forward(TensorStruct& inputs, TensorStruct& params, TensorStruct& outputs,
                       kb_context& context) const;

 private:
  using Forward = int (*)(const void*, const void*, const void*, kb_context*);
  using Prepare = int (*)(const void*, kb_context*);
  using WorkspaceBytes = std::uint64_t (*)();
  Forward forward_ = nullptr;
  Prepare prepare_ = nullptr;
  WorkspaceBytes workspace_bytes_ = nullptr;
};

}  // namespace kbench
