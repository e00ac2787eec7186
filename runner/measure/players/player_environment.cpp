#include "runner/measure/players/player_environment.hpp"

#include <cstdlib>
#include <sstream>

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

std::string visible_device(const char* variable, int index) {
  std::istringstream entries(variable == nullptr ? "" : variable);
  std::string entry;
  for (int i = 0; i <= index; ++i)
    if (!std::getline(entries >> std::ws, entry, ',')) return std::to_string(index);
  return entry;
}

std::map<std::string, std::string> one_gpu_environment(int index) {
  std::map<std::string, std::string> result{
      {"CUDA_VISIBLE_DEVICES", visible_device(std::getenv("CUDA_VISIBLE_DEVICES"), index)}};
  if (const char* order = std::getenv("CUDA_DEVICE_ORDER")) result["CUDA_DEVICE_ORDER"] = order;
  return result;
}

}  // namespace kbench
