#include "runner/import/survey.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"
#include "runner/task/suite.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kReadBytes = 64u << 10;
constexpr std::size_t kShownBytes = 200;

std::string beginning_of(const fs::path& file) {
  std::error_code failure;
  if (!fs::is_regular_file(file, failure)) return "";  // a pipe would never end
  std::ifstream stream(file, std::ios::binary);
  std::string text(kReadBytes, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  return text;
}

bool is_level(const std::string& name) {
  static const std::regex kLevel("level[0-9]{1,2}");
  return std::regex_match(name, kLevel);
}

// "level_1", "Level-1", "L1"
int level_in_words(const std::string& name) {
  static const std::regex kLevel("(?:level|lvl|l)[ _.-]?0*([0-9]{1,2})(?:[ _.-].*)?",
                                 std::regex::icase);
  std::smatch parts;
  return name.size() < 100 && std::regex_match(name, parts, kLevel) ? std::stoi(parts[1]) : 0;
}

int level_of(const fs::path& folder) {
  for (fs::path at = folder; !at.empty() && at != at.root_path(); at = at.parent_path())
    if (const int level = level_in_words(at.filename().string())) return level;
  return 0;
}

bool is_hidden(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') || name.starts_with('_');
}

void look_at(const fs::path& file, std::map<fs::path, SurveyedFolder>& found) {
  const std::string kind = file.extension().string();
  const bool table = kind == ".jsonl" || kind == ".parquet";
  if (kind != ".py" && !table) return;
  SurveyedFolder& folder = found[file.parent_path()];
  ++folder.files;
  if (table || looks_like_a_task(beginning_of(file))) ++folder.tasks;
}

}  // namespace

bool looks_like_a_task(std::string_view text) {
  return text.find("class Model") != std::string_view::npos &&
         text.find("def get_inputs") != std::string_view::npos;
}

std::vector<SurveyedFolder> survey(const fs::path& folder, std::size_t most) {
  std::map<fs::path, SurveyedFolder> found;
  std::error_code failure;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied,
                                      failure);
  std::size_t seen = 0;
  for (const fs::recursive_directory_iterator end; !failure && it != end && seen < most;
       it.increment(failure)) {
    std::error_code ignored;
    const bool hidden = is_hidden(it->path());
    if (it->is_directory(ignored)) {
      if (hidden) it.disable_recursion_pending();
    } else if (!hidden && !leads_out_of(it->path(), folder)) {
      ++seen;
      look_at(it->path(), found);
    }
  }
  const bool levels = std::any_of(found.begin(), found.end(), [](const auto& one) {
    return is_level(fs::absolute(one.first).filename().string());
  });
  std::vector<SurveyedFolder> folders;
  for (auto& [path, one] : found) {
    one.folder = path;
    one.taken = levels ? is_level(fs::absolute(path).filename().string()) : path == folder;
    one.level = level_of(fs::absolute(path));
    folders.push_back(std::move(one));
  }
  return folders;
}

std::string left_out_words(const SurveyedFolder& surveyed) {
  if (surveyed.taken || surveyed.tasks == 0) return "";
  const std::string name = clean_name(surveyed.folder.string(), kShownBytes);
  return fmt::format("{}: {} of {} files look like tasks and {} left out; kbench import {}{}", name,
                     surveyed.tasks, surveyed.files, surveyed.tasks == 1 ? "was" : "were", name,
                     surveyed.level > 0 ? fmt::format(" --level {}", surveyed.level) : "");
}

}  // namespace kbench
