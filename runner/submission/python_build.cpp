#include "runner/submission/python_build.hpp"

namespace kbench {

std::map<std::string, std::string> triton_environment() {
  return {{"TRITON_CACHE_AUTOTUNING", "1"}, {"TRITON_STORE_BINARY_ONLY", "1"}};
}

}  // namespace kbench
