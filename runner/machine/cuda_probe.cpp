#include "runner/machine/cuda_probe.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "runner/machine/dynamic_library.hpp"
#include "runner/machine/nvml.hpp"

namespace kbench {

namespace {

// The part of the CUDA driver interface that is used here (CUDA Driver API reference).
constexpr int kSuccess = 0;
constexpr int kCapabilityMajor = 75;
constexpr int kCapabilityMinor = 76;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<GpuInfo> ask_nvml(const Nvml& nvml) {
  std::vector<GpuInfo> gpus;
  for (int i = 0; i < nvml.device_count(); ++i) {
    GpuInfo gpu;
    gpu.index = i;
    gpu.name = nvml.name(i).value_or("unknown GPU");
    gpu.compute_capability = nvml.compute_capability(i).value_or(0);
    gpu.memory_bytes = nvml.memory_bytes(i).value_or(0);
    gpu.driver = nvml.driver_version().value_or("");
    gpu.nvml_index = i;
    gpu.uuid = nvml.uuid(i).value_or("");
    gpu.near_cores = nvml.near_cores(i);
    gpu.max_sm_clock_khz = nvml.max_sm_clock_khz(i);
    gpu.clock_limits = nvml.clock_limits(i);
    gpus.push_back(std::move(gpu));
  }
  for (GpuInfo& gpu : gpus) {
    const auto shares = [&](const GpuInfo& other) { return other.near_cores == gpu.near_cores; };
    const auto before = gpus.begin() + gpu.index;
    gpu.sharing = static_cast<std::size_t>(std::count_if(gpus.begin(), gpus.end(), shares));
    gpu.place = static_cast<std::size_t>(std::count_if(gpus.begin(), before, shares));
  }
  return gpus;
}

std::vector<GpuInfo> ask_driver() {
  DynamicLibrary file;
  int (*init)(unsigned) = nullptr;
  int (*version)(int*) = nullptr;
  int (*count)(int*) = nullptr;
  int (*get)(int*, int) = nullptr;
  int (*name)(char*, int, int) = nullptr;
  int (*attribute)(int*, int, int) = nullptr;
  int (*memory)(std::size_t*, int) = nullptr;
  const bool complete =
      file.open("libcuda.so.1") && file.find("cuInit", init) &&
      file.find("cuDriverGetVersion", version) && file.find("cuDeviceGetCount", count) &&
      file.find("cuDeviceGet", get) && file.find("cuDeviceGetName", name) &&
      file.find("cuDeviceGetAttribute", attribute) && file.find("cuDeviceTotalMem_v2", memory);
  int devices = 0;
  int number = 0;
  if (!complete || init(0) != kSuccess || count(&devices) != kSuccess ||
      version(&number) != kSuccess) {
    return {};
  }
  std::vector<GpuInfo> gpus;
  for (int i = 0; i < devices; ++i) {
    int device = 0;
    int major = 0;
    int minor = 0;
    std::size_t bytes = 0;
    std::array<char, 128> text{};
    if (get(&device, i) != kSuccess || name(text.data(), text.size() - 1, device) != kSuccess ||
        attribute(&major, kCapabilityMajor, device) != kSuccess ||
        attribute(&minor, kCapabilityMinor, device) != kSuccess ||
        memory(&bytes, device) != kSuccess) {
      break;
    }
    gpus.push_back({i, text.data(), 10 * major + minor, bytes,
                    fmt::format("{}.{}", number / 1000, number % 1000 / 10)});
  }
  return gpus;
}

// Whether CUDA's order (fastest first, by default) can differ from NVML's (by PCI address).
bool all_alike(const std::vector<GpuInfo>& gpus) {
  return std::all_of(gpus.begin(), gpus.end(), [&](const GpuInfo& gpu) {
    return gpu.name == gpus.front().name && gpu.memory_bytes == gpus.front().memory_bytes;
  });
}

}  // namespace

std::optional<std::vector<int>> visible_devices(std::string_view variable, int count) {
  std::vector<int> devices;
  while (!variable.empty()) {
    const auto comma = variable.find(',');
    const std::string_view entry = trimmed(variable.substr(0, comma));
    int device = -1;
    const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), device);
    if (entry.empty()) break;
    if (error != std::errc{} || end != entry.data() + entry.size()) return std::nullopt;
    if (device < 0 || device >= count) break;
    devices.push_back(device);
    if (comma == std::string_view::npos) break;
    variable.remove_prefix(comma + 1);
  }
  return devices;
}

std::vector<GpuInfo> probe_gpus() {
  const auto nvml = Nvml::open();
  if (!nvml) return ask_driver();
  const std::vector<GpuInfo> all = ask_nvml(*nvml);
  if (!all_alike(all)) return ask_driver();
  const char* variable = std::getenv("CUDA_VISIBLE_DEVICES");
  if (variable == nullptr) return all;
  const auto visible = visible_devices(variable, static_cast<int>(all.size()));
  if (!visible) return ask_driver();
  std::vector<GpuInfo> gpus;
  for (const int device : *visible) {
    gpus.push_back(all[static_cast<std::size_t>(device)]);
    gpus.back().index = static_cast<int>(gpus.size()) - 1;
  }
  return gpus;
}

}  // namespace kbench
