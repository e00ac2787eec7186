#include "runner/sandbox/library_folders.hpp"

#include <chrono>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "runner/os/run_trusted.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{60};  // a cold disk takes long

// The sandbox shows these anyhow.
bool is_system(const fs::path& folder) {
  const std::string text = folder.string() + "/";
  return text.starts_with("/usr/") || text.starts_with("/lib");
}

// Links above a library are resolved for "..", and those below are not: both names may be asked
// for.
std::set<fs::path> names_of(const fs::path& folder) {
  std::set<fs::path> names;
  std::error_code error;
  for (const fs::path& name : {folder.lexically_normal(), fs::canonical(folder, error)})
    if (!name.empty() && fs::is_directory(name, error)) names.insert(name);
  return names;
}

}  // namespace

std::vector<fs::path> library_folders_in(const std::string& list) {
  std::set<fs::path> folders;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t arrow = line.find(" => /");
    const std::size_t end = line.rfind(" (0x");
    if (arrow == std::string::npos || end == std::string::npos || end < arrow) continue;
    const std::size_t path = arrow + 4;
    for (const fs::path& folder : names_of(fs::path(line.substr(path, end - path)).parent_path()))
      if (!is_system(folder) && folder != "/") folders.insert(folder);
  }
  return {folders.begin(), folders.end()};
}

Result<std::vector<fs::path>> library_folders(const fs::path& program,
                                              std::vector<std::string> environment) {
  environment.emplace_back("LD_TRACE_LOADED_OBJECTS=1");
  const auto list = run_trusted(
      {.argv = {program.string()}, .environment = std::move(environment), .working_directory = "/"},
      kPatience, Errors::kDropped);
  if (!list) return list.error();
  return library_folders_in(*list);
}

}  // namespace kbench
