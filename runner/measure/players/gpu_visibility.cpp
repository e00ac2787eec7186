#include "runner/measure/players/gpu_visibility.hpp"

#include <cstdlib>
#include <sstream>

namespace kbench {

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
