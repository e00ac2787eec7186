// Why a file could not be imported: one line for a person.
#pragma once

#include <string>

namespace kbench {

struct ImportError {
  enum class Fault {
    kFile,    // it fails for every user
    kLimit,   // it works in PyTorch, but a task cannot hold it
    kMachine  // something is missing or too small here
  };

  int line = 0;  // line in the file; 0: the error is in no line
  std::string what;
  Fault fault = Fault::kFile;
  std::string hint;
};

}  // namespace kbench
