#include "runner/core/source_contents.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

namespace kbench {
namespace {

constexpr std::string_view kSources = "src/";
// No file has this name, and so no other tree has this path.
constexpr std::string_view kAnyName = "src/*";

bool is_source(const TreeFile& file) { return file.path.starts_with(kSources); }

}  // namespace

std::string hash_contents(std::span<const TreeFile> files) {
  std::vector<TreeFile> named(files.begin(), files.end());
  if (std::count_if(named.begin(), named.end(), is_source) == 1) {
    std::string& path = std::find_if(named.begin(), named.end(), is_source)->path;
    path = std::string(kAnyName) + std::filesystem::path(path).extension().string();
  }
  return hash_tree(named);
}

}  // namespace kbench
