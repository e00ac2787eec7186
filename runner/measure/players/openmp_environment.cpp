#include "runner/measure/players/openmp_environment.hpp"

#include "runner/core/usable_cores.hpp"

namespace kbench {
namespace {

// "{0},{1}": one place for each core that this process may use.
std::string places() {
  std::string list;
  for (const int core : usable_cores())
    list += (list.empty() ? "{" : ",{") + std::to_string(core) + "}";
  return list.empty() ? "threads" : list;
}

}  // namespace

std::map<std::string, std::string> openmp_environment(std::string_view device, int threads) {
  std::map<std::string, std::string> variables{{"OMP_NUM_THREADS", std::to_string(threads)},
                                               {"MKL_NUM_THREADS", std::to_string(threads)},
                                               {"MKL_DYNAMIC", "FALSE"}};
  if (device == "cpu") {
    variables["OMP_PROC_BIND"] = "close";
    variables["OMP_PLACES"] = places();
    variables["GOMP_SPINCOUNT"] = "30000";
  }
  return variables;
}

}  // namespace kbench
