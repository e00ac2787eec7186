// What the build step of a Python submission made, staged beside its files, below a name that none
// of them can have: libraries, each known by what it holds, and the kernels that Triton compiled.
// Made by python_builder.cpp, handed to the sessions by measure/python_program.cpp.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runner/submission/source_files.hpp"

namespace kbench {

// What Triton reads, in the build step and in sessions alike: tuning is kept, and of a kernel no
// more than what runs.
[[nodiscard]] std::map<std::string, std::string> triton_environment();

struct BuiltLibrary {
  std::filesystem::path file;  // absolute, where it was staged
  std::string sha256;
};

struct PythonBuild {
  bool compilers = false;  // it asks torch for extensions: its functions are replaced
  // Names below the folder of its files, wherever a session sees that.
  std::map<std::string, std::string> extensions;  // by extension_key of what was asked for
  std::map<std::string, std::string> modules;     // by the name under which it imports them
  std::string triton;  // the folder of Triton's cache; empty where nothing is in it
  // Every library of these, Triton's too: machine code of the submission's own, and all that is.
  std::vector<BuiltLibrary> libraries;
  // What raised while the submission was run in the build step, one line; empty where nothing did.
  // Its word.
  std::string note;

  double seconds = 0;    // of the step, as it took when something was compiled
  std::string warnings;  // the compilers'
  bool vendor_library = false;
  std::vector<SourceFile> texts;  // of extensions, as far as no file of the submission holds them
};

}  // namespace kbench
