#include "runner/submission/python_build.hpp"

namespace kbench {

std::map<std::string, std::string> triton_environment() {
  return {{"TRITON_CACHE_AUTOTUNING", "1"},
          {"TRITON_STORE_BINARY_ONLY", "1"},
          // torch.compile: in this process, which may start no other, and with Triton's launchers.
          {"TORCHINDUCTOR_COMPILE_THREADS", "1"},
          {"TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER", "0"}};
}

std::string PythonBuild::first_failure() const {
  for (const BuiltExtension& extension : extensions)
    if (!extension.failure.empty()) return extension.failure;
  return "";
}

}  // namespace kbench
