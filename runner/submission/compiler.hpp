// Compiles submissions inside the sandbox, with a cache keyed by everything that decides the
// result: sources, headers, flags, compiler version, target architecture, kbench.h and task.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/submission/submission.hpp"

namespace kbench {

struct Toolchain {
  std::filesystem::path host_compiler;  // c++
  std::filesystem::path nvcc;           // empty where there is none
  std::string cuda_architecture;        // "90a"; empty without a GPU
  std::string host_version;             // first line of --version
  std::string nvcc_version;
  // Where the host compiler keeps its own headers, libraries and passes; outside /usr only.
  std::vector<std::filesystem::path> host_folders;
};

// Finds compilers: $CXX, then c++; $CUDACXX, then nvcc on PATH, then /usr/local/cuda, then the
// virtual environment's nvidia/cu13 package. Asks them for their versions; the architecture is left
// to the caller.
[[nodiscard]] Toolchain find_toolchain();

// The name of an architecture with all of its instructions: "90a". `compute_capability` as
// 10 * major + minor; empty for 0.
[[nodiscard]] std::string cuda_architecture(int compute_capability);

// The flag that has nvcc compile for that architecture, and for nothing else: CUDA 13.0's
// -arch=sm_90a makes PTX for plain compute_90 as well, which takes a quarter of nvcc's time, and
// fails for every submission that uses wgmma.
[[nodiscard]] std::string cuda_target_flag(const std::string& architecture);

struct CompiledSubmission {
  std::filesystem::path library;
  std::string key;  // SHA-256
  bool from_cache = false;
  double seconds = 0;
  std::string warnings;  // the compiler's stderr, cleaned of control characters
};

// Where one compilation ends: the submission's fault, told as such.
struct CompileLimits {
  std::chrono::seconds time{120};
  std::uint64_t memory_bytes = 6ull << 30;  // of one process of the compiler
};

class Staging;

class Compiler {
 public:
  Compiler(Sandbox& sandbox, Toolchain toolchain, std::filesystem::path cache_directory,
           std::filesystem::path abi_directory, CompileLimits limits = {});

  // `task_header` is the text of task.h. Errors with kSubmission carry the compiler's words,
  // cleaned and shortened. Safe to call from several threads at once.
  [[nodiscard]] Result<CompiledSubmission> compile(const Submission& submission,
                                                   const std::string& task_header) const;
  [[nodiscard]] const Toolchain& toolchain() const { return toolchain_; }

 private:
  [[nodiscard]] Status check_toolchain(bool cuda) const;
  [[nodiscard]] Result<CompiledSubmission> compile_staged(const Submission& submission,
                                                          const std::vector<std::string>& arguments,
                                                          const Staging& staging,
                                                          const std::string& key) const;

  Sandbox& sandbox_;
  Toolchain toolchain_;
  std::filesystem::path cache_directory_;
  std::filesystem::path abi_directory_;
  CompileLimits limits_;
};

}  // namespace kbench
