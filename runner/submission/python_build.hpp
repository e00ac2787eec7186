// The products of a Python submission's build step, staged beside its files, below a name that none
// of them can have: libraries, each known by what it holds, and the kernels that Triton compiled.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runner/submission/source_files.hpp"

namespace kbench {

// Triton's environment, in the build step and in sessions alike: tuning is kept, and of a kernel
// only the binary that runs.
[[nodiscard]] std::map<std::string, std::string> triton_environment();

struct BuiltLibrary {
  std::filesystem::path file;  // absolute, where it was staged
  std::string sha256;
};

// An extension that it asked for by load_inline or load, and the outcome.
struct BuiltExtension {
  std::string key;      // extension_key of the request
  std::string name;     // name in the request, and of the module's init function
  std::string path;     // path below the folder of its files, wherever a session sees that
  std::string failure;  // why it does not compile, in the compilers' words; then there is no path
};

struct PythonBuild {
  bool compilers = false;  // it asks torch for extensions: its functions are replaced
  std::vector<BuiltExtension> extensions;      // order: as it asked
  std::map<std::string, std::string> modules;  // paths, by the name under which it imports them
  std::string triton;           // the folder of Triton's cache; empty where nothing is in it
  bool torch_compiled = false;  // kernels of that cache were made by torch.compile
  // Every library of these, Triton's too: machine code of the submission's own, and all that is.
  std::vector<BuiltLibrary> libraries;
  // The exception that the submission raised in the build step, one line; empty if none. Its word.
  std::string note;

  double seconds = 0;      // time of the step, as it took when something was compiled
  bool from_cache = true;  // no compiler was started
  std::string warnings;    // the compilers'
  bool vendor_library = false;
  std::vector<SourceFile> texts;  // texts of extensions that no file of the submission holds

  // The compilers' words about the first extension that does not compile, though the submission's
  // file goes on without it; empty if all compile. Never the word of the submission's process.
  [[nodiscard]] std::string first_failure() const;
};

}  // namespace kbench
