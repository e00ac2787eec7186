// Compiles submissions inside the sandbox, with a cache keyed by everything that decides the
// result: sources, headers, flags, compiler version, target architecture, kbench.h and task.h;
// where flags ask for the instructions of this processor, that as well.
//
// What a compiler says never decides whose fault a failure is: a submission chooses these words
// (#error) and much else of how a compiler ends. Where one fails, the free space is measured and a
// few lines of ours are compiled with the same tools, headers and libraries. If these compile, it
// is the submission's fault.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/os/cache_sweep.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/submission/source_files.hpp"
#include "runner/submission/staging.hpp"
#include "runner/submission/submission.hpp"

namespace kbench {

struct Toolchain {
  std::filesystem::path host_compiler;  // c++
  std::filesystem::path nvcc;           // empty where there is none
  std::filesystem::path ninja;          // extensions of torch's take it; empty where there is none
  std::filesystem::path cupti;          // CUPTI's library, for profiles; empty where there is none
  std::string cuda_architecture;        // "90a"; empty without a GPU
  std::string host_version;             // first line of --version
  std::string nvcc_version;
  // Folders of the host compiler's own headers, libraries and passes; outside /usr only.
  std::vector<std::filesystem::path> host_folders;
};

// Finds compilers: $CXX, then c++; $CUDACXX, then nvcc on PATH, then /usr/local/cuda, then the
// virtual environment's nvidia/cu13 package; ninja on PATH, then in a virtual environment; CUPTI
// beside nvcc, then in that package. Asks compilers for their versions; the architecture is left to
// the caller.
[[nodiscard]] Toolchain find_toolchain();

// The name of an architecture with all of its instructions: "90a". `compute_capability` as
// 10 * major + minor; empty for 0.
[[nodiscard]] std::string cuda_architecture(int compute_capability);

// The compute capability of the GPUs for which that architecture is compiled: 90 of "90a". Errors:
// kUsage for a word that cuda_architecture() never gives, as "90".
[[nodiscard]] Result<int> compute_capability_of(const std::string& architecture);

// The flag that has nvcc compile for that architecture, and for nothing else: CUDA 13.0's
// -arch=sm_90a makes PTX for plain compute_90 as well, which takes a quarter of nvcc's time, and
// fails for every submission that uses wgmma.
[[nodiscard]] std::string cuda_target_flag(const std::string& architecture);

// The same architecture as torch writes it: "9.0a" of "90a"; empty for an empty one.
[[nodiscard]] std::string torch_architecture(const std::string& architecture);

struct CompiledSubmission {
  std::filesystem::path library;
  std::string key;  // SHA-256
  bool from_cache = false;
  double seconds = 0;
  std::string warnings;  // the compiler's stderr, cleaned of control characters
};

// Limits of one compilation. Reaching one is the submission's fault, told as such.
struct CompileLimits {
  std::chrono::seconds time{120};
  std::uint64_t memory_bytes = 6ull << 30;  // memory of one process of the compiler
  CacheLimits kept = kCacheOfOneAgent;
};

// The compiler's messages: warnings, or resources as well. kResources: for CUDA, `ptxas -v` is
// among them.
enum class CompilerTells { kWarnings, kResources };

// Another cache, which several machines share, of the same keys. Both are given the key, the folder
// of this machine's cache and the names of the files that belong to the key there.
struct SharedLibraries {
  using Files = std::function<void(const std::string& key, const std::filesystem::path& folder,
                                   const std::vector<std::string>& names)>;
  Files take;  // puts the files into the folder if it has them; may be empty
  Files give;  // takes the files from there; may be empty
};

class Compiler {
 public:
  Compiler(Sandbox& sandbox, Toolchain toolchain, std::filesystem::path cache_directory,
           std::filesystem::path abi_directory, CompileLimits limits = {});

  // `files` are the submission's, as read_source_files gives them: nothing is read again.
  // `task_header` is the text of task.h. Errors: kSubmission with the compiler's words, cleaned and
  // shortened; kInfrastructure, where our own lines fail as well. Safe to call from several threads
  // at once.
  [[nodiscard]] Result<CompiledSubmission> compile(const Submission& submission,
                                                   const std::vector<SourceFile>& files,
                                                   const std::string& task_header) const;
  // The key of what compile() makes of these. Errors: kInfrastructure.
  [[nodiscard]] Result<std::string> key_of(const Submission& submission,
                                           const std::vector<SourceFile>& files,
                                           const std::string& task_header) const;
  // Libraries that are not in the cache are looked for there before they are compiled.
  void share(SharedLibraries shared) { shared_ = std::move(shared); }
  // Has compilers tell more, for callers who want to read it; the library is the same, and cached
  // apart.
  void tell(CompilerTells what) { tells_ = what; }
  [[nodiscard]] const Toolchain& toolchain() const { return toolchain_; }

 private:
  [[nodiscard]] Status check_toolchain(bool cuda) const;
  // The folder with the libraries of an agent.
  [[nodiscard]] std::filesystem::path folder_of(const std::string& agent) const;
  [[nodiscard]] Result<Staging> stage(const std::vector<SourceFile>& sources,
                                      const std::string& task_header) const;
  [[nodiscard]] Result<std::string> build(const Submission& submission, const Staging& staging,
                                          std::string& warnings) const;
  [[nodiscard]] Result<CompiledSubmission> compile_staged(const Submission& submission,
                                                          const std::string& task_header,
                                                          const Staging& staging,
                                                          const std::string& key) const;
  // The library of that key, in the cache or in the shared one.
  [[nodiscard]] std::optional<CompiledSubmission> find(const std::string& agent,
                                                       const std::string& key) const;
  // Whether a few lines of ours compile in the place of `submission`.
  [[nodiscard]] Status try_own_lines(const Submission& submission,
                                     const std::string& task_header) const;
  [[nodiscard]] Error blame(const Submission& submission, const std::string& task_header,
                            const Staging& staging, Error theirs) const;

  Sandbox& sandbox_;
  Toolchain toolchain_;
  std::filesystem::path cache_directory_;
  std::filesystem::path abi_directory_;
  CompileLimits limits_;
  CompilerTells tells_ = CompilerTells::kWarnings;
  SharedLibraries shared_;

  // When our own lines were last seen to compile, by device, libraries and task.
  struct Trials {
    std::mutex mutex;
    std::map<std::string, std::chrono::steady_clock::time_point> good;
  };
  std::unique_ptr<Trials> trials_ = std::make_unique<Trials>();
};

}  // namespace kbench
