#include "runner/machine/nvml.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "runner/machine/dynamic_library.hpp"

namespace kbench {

namespace {

// The part of NVML's C interface that is used here (NVML API reference, driver 580).
using NvmlReturn = int;
constexpr NvmlReturn kSuccess = 0;
constexpr int kSmClock = 1;
using Device = struct NvmlDeviceOpaque*;
struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct Reason {
  std::uint64_t bit;
  std::string_view name;
};
constexpr std::array<Reason, 9> kReasons{{{0x001, "idle"},
                                          {0x002, "application clocks"},
                                          {0x004, "power cap"},
                                          {0x008, "hardware slowdown"},
                                          {0x010, "sync boost"},
                                          {0x020, "software thermal slowdown"},
                                          {0x040, "hardware thermal slowdown"},
                                          {0x080, "power brake"},
                                          {0x100, "display clock"}}};

}  // namespace

struct Nvml::Library {
  DynamicLibrary file;
  NvmlReturn (*init)() = nullptr;
  NvmlReturn (*shutdown)() = nullptr;
  NvmlReturn (*driver_version)(char*, unsigned) = nullptr;
  NvmlReturn (*count)(unsigned*) = nullptr;
  NvmlReturn (*handle)(unsigned, Device*) = nullptr;
  NvmlReturn (*name)(Device, char*, unsigned) = nullptr;
  NvmlReturn (*uuid)(Device, char*, unsigned) = nullptr;
  NvmlReturn (*capability)(Device, int*, int*) = nullptr;
  NvmlReturn (*memory)(Device, Memory*) = nullptr;
  NvmlReturn (*clock)(Device, int, unsigned*) = nullptr;
  NvmlReturn (*max_clock)(Device, int, unsigned*) = nullptr;
  NvmlReturn (*reasons)(Device, unsigned long long*) = nullptr;
  NvmlReturn (*cores)(Device, unsigned, unsigned long*) = nullptr;
  bool initialised = false;

  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (initialised) shutdown();
  }

  bool load() {
    if (!file.open("libnvidia-ml.so.1")) return false;
    const bool complete = file.find("nvmlInit_v2", init) && file.find("nvmlShutdown", shutdown) &&
                          file.find("nvmlSystemGetDriverVersion", driver_version) &&
                          file.find("nvmlDeviceGetCount_v2", count) &&
                          file.find("nvmlDeviceGetHandleByIndex_v2", handle) &&
                          file.find("nvmlDeviceGetName", name) &&
                          file.find("nvmlDeviceGetUUID", uuid) &&
                          file.find("nvmlDeviceGetCudaComputeCapability", capability) &&
                          file.find("nvmlDeviceGetMemoryInfo", memory) &&
                          file.find("nvmlDeviceGetClockInfo", clock) &&
                          file.find("nvmlDeviceGetMaxClockInfo", max_clock) &&
                          file.find("nvmlDeviceGetCpuAffinity", cores);
    // The function was renamed in driver 535; the bits stayed.
    const bool has_reasons = file.find("nvmlDeviceGetCurrentClocksEventReasons", reasons) ||
                             file.find("nvmlDeviceGetCurrentClocksThrottleReasons", reasons);
    if (!complete || !has_reasons) return false;
    initialised = init() == kSuccess;
    return initialised;
  }

  [[nodiscard]] std::optional<Device> device(int index) const {
    Device found = nullptr;
    if (index < 0 || handle(static_cast<unsigned>(index), &found) != kSuccess) return std::nullopt;
    return found;
  }
};

Nvml::Nvml(std::unique_ptr<Library> library) : library_(std::move(library)) {}
Nvml::Nvml(Nvml&&) noexcept = default;
Nvml& Nvml::operator=(Nvml&&) noexcept = default;
Nvml::~Nvml() = default;

std::optional<Nvml> Nvml::open() {
  auto library = std::make_unique<Library>();
  if (!library->load()) return std::nullopt;
  return Nvml(std::move(library));
}

std::optional<std::string> Nvml::driver_version() const {
  std::array<char, 96> text{};
  if (library_->driver_version(text.data(), text.size() - 1) != kSuccess) return std::nullopt;
  return std::string(text.data());
}

int Nvml::device_count() const {
  unsigned count = 0;
  return library_->count(&count) == kSuccess ? static_cast<int>(count) : 0;
}

std::optional<std::string> Nvml::name(int device) const {
  const auto handle = library_->device(device);
  std::array<char, 128> text{};
  if (!handle || library_->name(*handle, text.data(), text.size() - 1) != kSuccess) {
    return std::nullopt;
  }
  return std::string(text.data());
}

std::optional<int> Nvml::compute_capability(int device) const {
  const auto handle = library_->device(device);
  int major = 0;
  int minor = 0;
  if (!handle || library_->capability(*handle, &major, &minor) != kSuccess) return std::nullopt;
  return 10 * major + minor;
}

std::optional<std::uint64_t> Nvml::memory_bytes(int device) const {
  const auto handle = library_->device(device);
  Memory memory{};
  if (!handle || library_->memory(*handle, &memory) != kSuccess) return std::nullopt;
  return memory.total;
}

std::optional<std::int64_t> Nvml::sm_clock_khz(int device) const {
  const auto handle = library_->device(device);
  unsigned mhz = 0;
  if (!handle || library_->clock(*handle, kSmClock, &mhz) != kSuccess) return std::nullopt;
  return std::int64_t{1000} * mhz;
}

std::optional<std::int64_t> Nvml::max_sm_clock_khz(int device) const {
  const auto handle = library_->device(device);
  unsigned mhz = 0;
  if (!handle || library_->max_clock(*handle, kSmClock, &mhz) != kSuccess) return std::nullopt;
  return std::int64_t{1000} * mhz;
}

std::vector<int> Nvml::near_cores(int device) const {
  constexpr int kBits = 64;
  std::array<unsigned long, 1024 / kBits> mask{};
  const auto handle = library_->device(device);
  if (!handle || library_->cores(*handle, mask.size(), mask.data()) != kSuccess) return {};
  std::vector<int> cores;
  for (int core = 0; core < static_cast<int>(mask.size()) * kBits; ++core) {
    if ((mask[static_cast<std::size_t>(core / kBits)] >> (core % kBits) & 1) != 0)
      cores.push_back(core);
  }
  return cores;
}

std::optional<std::uint64_t> Nvml::clock_limit_bits(int device) const {
  const auto handle = library_->device(device);
  unsigned long long reasons = 0;
  if (!handle || library_->reasons(*handle, &reasons) != kSuccess) return std::nullopt;
  return reasons;
}

std::optional<std::vector<std::string>> Nvml::clock_limits(int device) const {
  const auto reasons = clock_limit_bits(device);
  if (!reasons) return std::nullopt;
  return clock_limit_names(*reasons);
}

std::optional<std::string> Nvml::uuid(int device) const {
  const auto handle = library_->device(device);
  std::array<char, 96> text{};
  if (!handle || library_->uuid(*handle, text.data(), text.size() - 1) != kSuccess)
    return std::nullopt;
  return std::string(text.data());
}

std::vector<std::string> clock_limit_names(std::uint64_t reasons) {
  std::vector<std::string> names;
  for (const Reason& reason : kReasons) {
    if ((reasons & reason.bit) != 0) names.emplace_back(reason.name);
    reasons &= ~reason.bit;
  }
  if (reasons != 0) names.push_back(fmt::format("unknown {:#x}", reasons));
  return names;
}

}  // namespace kbench
