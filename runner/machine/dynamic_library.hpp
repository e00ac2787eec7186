// A shared library opened at run time: how kbench reaches NVML and libcuda without linking them.
// The library is closed with its owner.
#pragma once

#include <dlfcn.h>

#include <memory>

namespace kbench {

class DynamicLibrary {
 public:
  bool open(const char* name) {
    handle_.reset(::dlopen(name, RTLD_NOW | RTLD_LOCAL));
    return handle_ != nullptr;
  }

  // Stores the function in `function`; false, and null, when the library does not have it.
  template <class Function>
  bool find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(::dlsym(handle_.get(), name));
    return function != nullptr;
  }

 private:
  struct Close {
    void operator()(void* handle) const { ::dlclose(handle); }
  };
  std::unique_ptr<void, Close> handle_;
};

}  // namespace kbench
