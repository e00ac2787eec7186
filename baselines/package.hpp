// An AOTInductor package in this process: the compiled baseline. LibTorch stays out of this header.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "runner/core/result.hpp"

namespace at {
class Tensor;
}

namespace kbench {

class CompiledPackage {
 public:
  // Unpacks a .pt2 below TMPDIR, and gives its library to its device's runner of AOTInductor.
  static Result<CompiledPackage> load(const std::filesystem::path& file);

  CompiledPackage(CompiledPackage&&) noexcept;
  CompiledPackage& operator=(CompiledPackage&&) noexcept;
  CompiledPackage(const CompiledPackage&) = delete;
  CompiledPackage& operator=(const CompiledPackage&) = delete;
  ~CompiledPackage();

  // Runs the package. It takes inputs, then parameters, in the task's order. Outputs lie as the
  // package leaves them. On CUDA it runs on the current stream. Throws c10::Error: callers are
  // adapters.
  [[nodiscard]] std::vector<at::Tensor> run(const std::vector<at::Tensor>& inputs,
                                            const std::vector<at::Tensor>& parameters) const;

 private:
  struct Impl;
  explicit CompiledPackage(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kbench
