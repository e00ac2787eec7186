// Functions of libraries that are opened at run time, looked up by their names. A program is not
// linked with them, and runs without those that are not there.
#pragma once

#include <dlfcn.h>

#include <string>

namespace kbench {

class Symbols {
 public:
  // Sets the function, to null where the library has none of that name. `library`: of dlopen; null
  // has none.
  template <class Result, class... Arguments>
  void find(void* library, Result (*&function)(Arguments...), const char* name) {
    function = library == nullptr
                   ? nullptr
                   : reinterpret_cast<Result (*)(Arguments...)>(::dlsym(library, name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }

  // The first that was not found; empty: none.
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  std::string missing_;
};

}  // namespace kbench
