#include "runner/measure/watch/libraries.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace kbench {
namespace {

// The C, C++ and OpenMP runtimes, what they load by themselves, and the driver. The worker's own
// programs are known by their files where it was looked at before it loaded anything.
constexpr std::array<std::string_view, 31> kHarmless{
    "kbench-worker", "kbench-enter", "bwrap",      "ld-linux",   "ld-2.",        "libc.so",
    "libc-2.",       "libm.so",      "libm-2.",    "libmvec",    "libgomp",      "libstdc++",
    "libgcc_s",      "libdl",        "libpthread", "librt",      "libutil",      "libnss_",
    "libresolv",     "libnsl",       "libanl",     "libcrypt.",  "libatomic",    "libquadmath",
    "libomp",        "libcuda.so",   "libcudart",  "libnvidia-", "libcudadebug", "libnvcuvid",
    "libthread_db"};

// Kernels that others wrote.
constexpr std::array<std::string_view, 19> kVendor{
    "libcublas",   "libcudnn",    "libcufft", "libcurand",    "libcusolver",
    "libcusparse", "libcutensor", "libnpp",   "libnvrtc",     "libnvJitLink",
    "libnvblas",   "libmkl",      "libdnnl",  "libonednn",    "libopenblas",
    "libblas",     "liblapack",   "libcblas", "libcusparseLt"};

template <std::size_t N>
bool starts_with_one_of(std::string_view name, const std::array<std::string_view, N>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// Character sets that the C library converts by modules.
bool converts_characters(std::string_view path) {
  return path.find("/gconv/") != std::string_view::npos;
}

bool is_allowed(const MappedCode& code, const CodeRules& rules) {
  switch (code.origin) {
    case CodeOrigin::kWorker:
    case CodeOrigin::kSubmission: return true;
    case CodeOrigin::kRuntime:
    case CodeOrigin::kExposed: return rules.runtime_allowed;
    case CodeOrigin::kMemory: return rules.memory_allowed;
    case CodeOrigin::kUnknown: return false;
    case CodeOrigin::kInstalled: break;
  }
  const std::string_view path = code.path;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (starts_with_one_of(name, kVendor)) return rules.vendor_libraries;
  // Modules of Python's need a lot: databases, compression, cryptography.
  if (rules.runtime_allowed) return true;
  return starts_with_one_of(name, kHarmless) || converts_characters(path);
}

std::string shown(const MappedCode& code) {
  if (code.origin == CodeOrigin::kMemory) return "code in memory that belongs to no file";
  const std::string name = code.path.substr(code.path.rfind('/') + 1);
  return code.origin == CodeOrigin::kUnknown ? name + " of unknown origin" : name;
}

// "from-to rwxp offset device inode   path"; empty where it is not executable.
std::vector<CodeRange> read_line(const std::string& line) {
  std::istringstream fields(line);
  CodeRange range;
  char dash = 0;
  std::string rights;
  std::string offset;
  CodeMapping& mapping = range.mapping;
  fields >> std::hex >> range.begin >> dash >> range.end >> std::dec >> rights >> offset >>
      mapping.file.device >> mapping.file.inode >> std::ws;
  std::getline(fields, mapping.path);
  if (rights.find('x') == std::string::npos) return {};
  // A stack or heap that became executable is memory like any other.
  if (mapping.path.starts_with('[')) {
    if (mapping.path.starts_with("[v") || mapping.path == "[uprobes]") return {};
    mapping.path.clear();
  }
  return {range};
}

}  // namespace

std::vector<CodeRange> code_ranges(std::string_view maps) {
  std::vector<CodeRange> found;
  std::istringstream lines{std::string(maps)};
  for (std::string line; std::getline(lines, line);)
    for (CodeRange& range : read_line(line)) found.push_back(std::move(range));
  return found;
}

std::vector<CodeMapping> executable_mappings(std::string_view maps) {
  std::vector<CodeMapping> found;
  for (CodeRange& range : code_ranges(maps))
    if (std::find(found.begin(), found.end(), range.mapping) == found.end())
      found.push_back(std::move(range.mapping));
  return found;
}

std::vector<std::string> forbidden_code(std::span<const MappedCode> code, const CodeRules& rules) {
  std::vector<std::string> names;
  for (const MappedCode& mapped : code) {
    if (is_allowed(mapped, rules)) continue;
    std::string name = shown(mapped);
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  return names;
}

}  // namespace kbench
