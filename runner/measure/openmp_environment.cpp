#include "runner/measure/openmp_environment.hpp"

namespace kbench {

std::map<std::string, std::string> openmp_environment(std::string_view device, int threads) {
  std::map<std::string, std::string> variables{{"OMP_NUM_THREADS", std::to_string(threads)}};
  if (device == "cpu") {
    variables["OMP_PROC_BIND"] = "close";
    variables["OMP_PLACES"] = "threads";
    variables["GOMP_SPINCOUNT"] = "30000";
  }
  return variables;
}

}  // namespace kbench
