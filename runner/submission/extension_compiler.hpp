// Compiles what Python submissions ask torch or Triton to compile: by torch's own recipe
// (runner/player/compile_extension.py), in the sandbox of compilers, in which nothing of the
// submission's runs. So a library is what a compiler made of checked sources and flags; the process
// that asked for it cannot change it. Libraries are kept by all that decides them, apart for each
// agent; only the supervisor writes there.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/sandbox/python_command.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/submission/compiler.hpp"
#include "runner/submission/extension_request.hpp"

namespace kbench {

// The compilers and headers of extensions. All paths are absolute.
struct ExtensionTools {
  PythonSetup python;
  std::filesystem::path scripts;  // runner/player
  std::filesystem::path headers;  // folder with Python.h
  Toolchain toolchain;
};

// PyTorch's headers alone take a compiler half a minute.
inline constexpr CompileLimits kExtensionLimits{.time = std::chrono::seconds{600},
                                                .memory_bytes = 6ull << 30};

struct CompiledExtension {
  std::string library;  // its bytes
  bool from_cache = false;
  double seconds = 0;    // time of the compilation, when it was compiled
  std::string warnings;  // the compilers', cleaned
};

// The owner of an extension, and the headers that its sources may include.
struct ExtensionOwner {
  std::string agent;             // a plain name
  std::string submission;        // name in messages
  std::filesystem::path folder;  // folder of its files, where a sandbox can show them
  std::string tree;              // a hash of them all
};

class ExtensionCompiler {
 public:
  ExtensionCompiler(Sandbox& sandbox, ExtensionTools tools, std::filesystem::path cache,
                    CompileLimits limits = kExtensionLimits);

  // Whether it is compiled here at all. Errors: kSubmission, where it includes from elsewhere;
  // kNotFound, where it takes CUDA and this run has none.
  [[nodiscard]] Status check(const ExtensionOwner& owner, const ExtensionRequest& request) const;
  // Compiles a request that has been checked. Errors: kSubmission with the compilers' words;
  // kInfrastructure, where lines of our own do not compile either. Safe to call from several
  // threads at once.
  [[nodiscard]] Result<CompiledExtension> compile(const ExtensionOwner& owner,
                                                  const ExtensionRequest& request) const;
  [[nodiscard]] const ExtensionTools& tools() const { return tools_; }
  // The folder of what is kept of an agent.
  [[nodiscard]] std::filesystem::path folder_of(const std::string& agent) const;
  // Hash of everything that decides how an extension is compiled here.
  [[nodiscard]] const std::string& recipe() const { return recipe_; }

 private:
  [[nodiscard]] std::string key_of(const ExtensionOwner& owner,
                                   const ExtensionRequest& request) const;
  [[nodiscard]] Result<std::string> build(const ExtensionOwner& owner,
                                          const ExtensionRequest& request,
                                          std::string& warnings) const;
  [[nodiscard]] Status check_includes(const ExtensionOwner& owner,
                                      const ExtensionRequest& request) const;
  [[nodiscard]] Error blame(const ExtensionRequest& request, Error theirs) const;

  Sandbox& sandbox_;
  ExtensionTools tools_;
  std::filesystem::path cache_;
  CompileLimits limits_;
  std::string recipe_;

  // When our own lines were last seen to compile, by whether they were CUDA's.
  struct Trials;
  std::shared_ptr<Trials> trials_;
};

}  // namespace kbench
