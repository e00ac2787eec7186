#include "runner/measure/openmp_environment.hpp"

namespace kbench {

std::map<std::string, std::string> openmp_environment(int threads) {
  return {{"OMP_NUM_THREADS", std::to_string(threads)},
          {"OMP_PROC_BIND", "close"},
          {"OMP_PLACES", "threads"},
          {"GOMP_SPINCOUNT", "30000"}};
}

}  // namespace kbench
