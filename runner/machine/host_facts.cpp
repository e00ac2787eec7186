#include "runner/machine/host_facts.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/core/usable_cores.hpp"

namespace kbench::cpu {

namespace {

// The text after "key<blanks>:" in a /proc file of such lines; empty when there is none.
std::string field(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || line.compare(0, key.size(), key) != 0) continue;
    if (line.find_first_not_of(" \t", key.size()) != colon) continue;
    const auto value = line.find_first_not_of(" \t", colon + 1);
    return value == std::string::npos ? std::string() : line.substr(value);
  }
  return {};
}

std::uint64_t positive(long value) { return value > 0 ? static_cast<std::uint64_t>(value) : 0; }

}  // namespace

std::string model_name() {
  const std::string name = field("/proc/cpuinfo", "model name");
  return name.empty() ? "unknown processor" : name;
}

std::string vector_features() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")) {
    return "avx512";
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "avx2";
#endif
  return "default";
}

std::uint64_t memory_bytes() {
  return positive(::sysconf(_SC_PHYS_PAGES)) * positive(::sysconf(_SC_PAGESIZE));
}

std::optional<std::uint64_t> available_bytes() {
  std::istringstream text(field("/proc/meminfo", "MemAvailable"));
  std::uint64_t kibibytes = 0;
  if (!(text >> kibibytes)) return std::nullopt;
  return kibibytes * 1024;
}

std::uint64_t last_level_bytes(const std::filesystem::path& caches) {
  std::pair<int, std::uint64_t> last{0, 0};
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(caches, failed)) {
    int level = 0;
    std::uint64_t kibibytes = 0;
    char unit = 0;
    std::ifstream(entry.path() / "level") >> level;
    if (std::ifstream(entry.path() / "size") >> kibibytes >> unit && unit == 'K')
      last = std::max(last, {level, kibibytes << 10});
  }
  return last.second;
}

std::uint64_t cache_bytes() {
  const std::vector<int> cores = usable_cores();
  const std::string core = fmt::format("cpu{}", cores.empty() ? 0 : cores.front());
  const std::filesystem::path caches =
      std::filesystem::path("/sys/devices/system/cpu") / core / "cache";
  if (const std::uint64_t last = last_level_bytes(caches); last != 0) return last;
  const std::uint64_t third = positive(::sysconf(_SC_LEVEL3_CACHE_SIZE));
  return third != 0 ? third : positive(::sysconf(_SC_LEVEL2_CACHE_SIZE));
}

int usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) {
    return std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
  }
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace kbench::cpu
