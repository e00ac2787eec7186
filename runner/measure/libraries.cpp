#include "runner/measure/libraries.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace kbench {
namespace {

constexpr std::array<std::string_view, 19> kHarmless{
    "kbench-worker", "ld-linux",   "ld-2.",     "libc.so",    "libc-2.",   "libm.so",    "libm-2.",
    "libmvec",       "libgomp",    "libstdc++", "libgcc_s",   "libdl",     "libpthread", "librt",
    "libutil",       "libcuda.so", "libcudart", "libnvidia-", "libnvcuvid"};

constexpr std::array<std::string_view, 6> kNever{"libtorch", "libc10",  "libcaffe2",
                                                 "libaoti",  "libaten", "libshm"};

// Kernels that somebody else wrote.
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

// Linux appends this to the path of a file that was unlinked, such as a replaced build.
std::string_view without_deleted(std::string_view path) {
  constexpr std::string_view kDeleted = " (deleted)";
  if (path.ends_with(kDeleted)) path.remove_suffix(kDeleted.size());
  return path;
}

}  // namespace

std::vector<std::string> mapped_code(std::string_view maps) {
  std::vector<std::string> paths;
  std::istringstream lines{std::string(maps)};
  for (std::string line; std::getline(lines, line);) {
    // "from-to rwxp offset device inode   path"
    std::istringstream fields(line);
    std::string range;
    std::string rights;
    std::string skipped;
    std::string path;
    fields >> range >> rights >> skipped >> skipped >> skipped >> std::ws;
    std::getline(fields, path);
    if (path.empty() || path.front() != '/' || rights.find('x') == std::string::npos) continue;
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  }
  return paths;
}

LibraryFindings judge_libraries(const std::vector<std::string>& paths, std::string_view own,
                                bool vendor_libraries) {
  LibraryFindings findings;
  for (const std::string& path : paths) {
    const std::string_view plain = without_deleted(path);
    const std::string_view name = plain.substr(plain.rfind('/') + 1);
    const std::string_view own_name = own.substr(own.rfind('/') + 1);
    if (starts_with_one_of(name, kNever)) {
      findings.forbidden.emplace_back(name);
    } else if (starts_with_one_of(name, kVendor)) {
      if (!vendor_libraries) findings.forbidden.emplace_back(name);
    } else if (name != own_name && !starts_with_one_of(name, kHarmless)) {
      findings.unlisted.emplace_back(name);
    }
  }
  return findings;
}

}  // namespace kbench
