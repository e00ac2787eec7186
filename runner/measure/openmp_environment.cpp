#include "runner/measure/openmp_environment.hpp"

#include <sched.h>

#include <cstddef>

namespace kbench {
namespace {

// "{0},{1}": one place for each core that this process may use.
std::string places() {
  cpu_set_t usable;
  if (::sched_getaffinity(0, sizeof usable, &usable) != 0) return "threads";
  std::string list;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &usable)) list += (list.empty() ? "{" : ",{") + std::to_string(core) + "}";
  return list;
}

}  // namespace

std::map<std::string, std::string> openmp_environment(std::string_view device, int threads) {
  std::map<std::string, std::string> variables{{"OMP_NUM_THREADS", std::to_string(threads)}};
  if (device == "cpu") {
    variables["OMP_PROC_BIND"] = "close";
    variables["OMP_PLACES"] = places();
    variables["GOMP_SPINCOUNT"] = "30000";
  }
  return variables;
}

}  // namespace kbench
