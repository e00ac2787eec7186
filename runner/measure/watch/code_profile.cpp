#include "runner/measure/watch/code_profile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/os/as_owner.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Files that a submission with kernels of its own needs as well: the interpreter, the bindings of
// torch, the C, C++ and mathematics runtimes.
constexpr std::array<std::string_view, 16> kNeutralFiles{
    "kbench-",  "python",     "libpython", "libtorch_python", "libc.so", "libc-2.",
    "libm.so",  "libm-2.",    "libmvec",   "ld-linux",        "ld-2.",   "libstdc++",
    "libgcc_s", "libpthread", "libatomic", "libffi"};
// OpenMP's library: threads wait for each other in there, some of them without a system call.
constexpr std::string_view kOpenMp = "libgomp";

bool is_part_of_python(std::string_view path) {
  return path.find("/lib-dynload/") != std::string_view::npos;
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// A Python package by its name: "numpy", "torch"; else, and where one brings a library of others
// (numpy.libs), the file: "libscipy_openblas64_-32a4b2a6.so" as "libscipy_openblas64_".
std::string library_of(const std::string& path) {
  constexpr std::size_t kLongest = 60;
  constexpr std::string_view kPackages = "-packages/";
  const auto packages = path.rfind(kPackages);
  if (packages != std::string::npos) {
    const auto from = packages + kPackages.size();
    const std::string package = path.substr(from, path.find('/', from) - from);
    if (!package.ends_with(".libs")) return clean_name(package, kLongest);
  }
  const std::string name = name_of(path);
  if (!path.starts_with('/')) return "code made at run time";
  return clean_name(name.substr(0, name.find_first_of("-.", 1)), kLongest);
}

enum class Owner { kSubmission, kNeutral, kWaiting, kLibrary };

Owner owner_of(const CodeMapping& mapping, const KnownCode& known) {
  const CodeOrigin origin = known.origin(mapping);
  if (origin == CodeOrigin::kSubmission) return Owner::kSubmission;
  // oneDNN, which torch brings, makes its convolutions and products at run time.
  if (origin == CodeOrigin::kMemory) return Owner::kLibrary;
  const std::string name = name_of(mapping.path);
  if (name.starts_with(kOpenMp)) return Owner::kWaiting;
  const bool neutral =
      std::any_of(kNeutralFiles.begin(), kNeutralFiles.end(),
                  [&](std::string_view prefix) { return name.starts_with(prefix); });
  return neutral || is_part_of_python(mapping.path) ? Owner::kNeutral : Owner::kLibrary;
}

std::string first_line_of_file(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// The position of a thread by the kernel's word; empty where it does not let us know.
std::string position_of(const fs::path& thread) {
  std::string line = first_line_of_file(thread / "syscall");
  if (!line.empty()) return line;
  const AsOwner owner(thread);
  return first_line_of_file(thread / "syscall");
}

// The code range at an address. A submission has seen to it if an address lies in memory that is no
// code, or no more there.
const CodeRange* range_at(const std::vector<CodeRange>& ranges, std::uint64_t address) {
  for (const CodeRange& range : ranges)
    if (address >= range.begin && address < range.end) return &range;
  return nullptr;
}

void count(CodeProfile& profile, bool in_library, const std::string& library) {
  ++profile.looks;
  if (in_library) ++profile.libraries[library];
}

}  // namespace

void CodeProfile::add(const CodeProfile& other) {
  looks += other.looks;
  for (const auto& [library, there] : other.libraries) libraries[library] += there;
}

void CodeProfiles::add(const CodeProfiles& other) {
  all.add(other.all);
  first.add(other.first);
}

double surely_at_least(std::int64_t looks_there, std::int64_t looks) {
  if (looks <= 0) return 0;
  constexpr double kZ = 1.6449;  // quantile of the normal distribution, 95 % below
  const auto n = static_cast<double>(looks);
  const double p = static_cast<double>(looks_there) / n;
  const double middle = p + kZ * kZ / (2 * n);
  const double half = kZ * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n));
  return std::max(0.0, (middle - half) / (1 + kZ * kZ / n));
}

std::string computing_libraries(const CodeProfile& profile, double share, double torch_excused,
                                std::int64_t least) {
  if (profile.looks < least) return "";
  std::vector<std::pair<std::int64_t, std::string>> found;
  std::int64_t together = 0;
  for (const auto& [library, looks] : profile.libraries) {
    std::int64_t counted = looks;
    if (library == "torch") {
      const double excused = torch_excused * static_cast<double>(profile.looks);
      counted = std::max<std::int64_t>(0, looks - static_cast<std::int64_t>(excused));
    }
    together += counted;
    if (counted > 0) found.emplace_back(-counted, library);
  }
  if (surely_at_least(together, profile.looks) <= share) return "";
  std::sort(found.begin(), found.end());
  std::vector<std::string> words;
  for (const auto& [looks, library] : found)
    words.push_back(
        fmt::format("{} ({:.0f} % of the time)", library,
                    -100 * static_cast<double>(looks) / static_cast<double>(profile.looks)));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::optional<std::uint64_t> computing_at(std::string_view text) {
  // The line is "running", or the number of a system call, then its arguments, the stack and the
  // address; -1 and no arguments for a thread that is in none.
  std::istringstream fields{std::string(text)};
  long call = 0;
  std::uint64_t stack = 0;
  std::uint64_t address = 0;
  if (!(fields >> call) || call >= 0) return std::nullopt;
  if (!(fields >> std::hex >> stack >> address)) return std::nullopt;
  return address;
}

void CodeProfiler::look(std::span<const pid_t> processes, bool first) {
  for (const pid_t process : processes) {
    std::error_code error;
    fs::directory_iterator threads(fmt::format("/proc/{}/task", process), error);
    for (; !error && threads != fs::directory_iterator(); threads.increment(error))
      if (const auto address = computing_at(position_of(threads->path())))
        seen_[process].push_back({*address, first});
  }
}

Status CodeProfiler::resolve(std::span<const pid_t> processes, const KnownCode& known) {
  for (const pid_t process : processes) {
    const auto seen = std::exchange(seen_[process], {});
    if (seen.empty()) continue;
    const auto maps = read_maps(process);
    if (!maps) return maps.error();
    const std::vector<CodeRange> ranges = code_ranges(*maps);
    std::map<const CodeRange*, std::pair<Owner, std::string>> owners;
    for (const auto& [address, at_first_look] : seen) {
      const CodeRange* range = range_at(ranges, address);
      if (!owners.contains(range))
        owners[range] = range == nullptr ? std::pair(Owner::kSubmission, std::string())
                                         : std::pair(owner_of(range->mapping, known),
                                                     library_of(range->mapping.path));
      const auto& [owner, library] = owners[range];
      if (owner == Owner::kWaiting) continue;
      count(profiles_.all, owner == Owner::kLibrary, library);
      if (at_first_look) count(profiles_.first, owner == Owner::kLibrary, library);
    }
  }
  return Done{};
}

}  // namespace kbench
