// Common parts of all compilations of foreign code: where compilers lie, what their sandbox shows
// them, and how their words are told.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/submission/compiler.hpp"

namespace kbench {

// A library stays in the cache, so it is no larger than honest ones (a few MiB) need; what a
// compiler writes on the way, such as assembly, may be.
inline constexpr std::size_t kMaxLibraryBytes = 64u << 20;
inline constexpr std::size_t kMaxCompilerFileBytes = 256u << 20;

// The processor that `-march=native` means here: a cache that moved to another processor is not
// reused.
[[nodiscard]] std::string processor_fingerprint();

// The folder above nvcc's bin/, with headers and libraries.
[[nodiscard]] std::filesystem::path toolkit_folder(const Toolchain& toolchain);

// The sources as the compiler is told them in src/ of a staging folder. A single source has its
// bare name there; several keep their places in the submission's folder. The "./" says that each is
// a file, even if its name looks like an option.
[[nodiscard]] std::vector<std::string> source_arguments(const Submission& submission);

// nvcc's arguments that link against the toolkit's libraries. Where the manifest asks for some, the
// loader finds them where the linker did.
[[nodiscard]] std::vector<std::string> toolkit_arguments(const Toolchain& toolchain,
                                                         const Submission& submission);

// The compilers' folders, as far as the sandbox does not show them anyhow.
[[nodiscard]] std::vector<std::filesystem::path> compiler_folders(const Toolchain& toolchain,
                                                                  bool cuda);

// Sets PATH and all else that compilers read, and TMPDIR: `scratch`. Variables that are there
// already go.
void set_compiler_environment(const Toolchain& toolchain, bool cuda,
                              const std::filesystem::path& scratch, SandboxCommand& command);

// The library that a compiler made, once it is content. Errors: kSubmission, `what` and why there
// is none.
[[nodiscard]] Result<std::string> read_library(const std::filesystem::path& file,
                                               const std::string& what);

// Whether a path lies below a folder, or is it, by their names alone.
[[nodiscard]] bool lies_within(const std::filesystem::path& path,
                               const std::filesystem::path& folder);

// The compiler's own words, from the first error on: at most 20 lines, safe to show.
[[nodiscard]] std::string first_errors(const std::string& text);

// Whether there would be room for a library in `folder`, in which something is compiled, even if
// the submission had written nothing there. Errors: kInfrastructure.
[[nodiscard]] Status check_room(const std::filesystem::path& folder);

}  // namespace kbench
