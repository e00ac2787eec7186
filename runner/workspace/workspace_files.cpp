#include "runner/workspace/workspace_files.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/core/lines.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/submission/manifest.hpp"
#include "runner/workspace/kernel_tree.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFileBytes = 2u << 20;
constexpr std::size_t kMostLines = 100;
constexpr std::size_t kMostLineBytes = 300;
constexpr const char* kKernels = "kernels/";

Error usage(std::string message, std::string hint = "") {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

Error is_a_link(const std::string& path) {
  return usage(fmt::format("a folder of {} is a link", clean_name(path, 200)),
               "a workspace holds files and folders of its own");
}

// Files by path, with their sizes.
std::map<std::string, std::uintmax_t> files_below(const fs::path& folder) {
  std::map<std::string, std::uintmax_t> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    std::error_code unknown;
    if (!fs::is_regular_file(entry->symlink_status(unknown)) || unknown) continue;
    files[entry->path().lexically_relative(folder).string()] = entry->file_size(unknown);
  }
  return files;
}

// Tools make no links, but other programs that reach the folder may: a link in a folder's place
// leads out.
bool leads_through_a_link(const fs::path& folder, const fs::path& path) {
  fs::path at = folder;
  for (const fs::path& part : path.parent_path()) {
    at /= part;
    std::error_code unknown;
    if (fs::is_symlink(at, unknown)) return true;
  }
  return false;
}

}  // namespace

Result<std::string> WorkspaceFiles::text_of(const std::string& path) const {
  if (!is_plain_relative_path(path))
    return usage(fmt::format("{} is no path in the workspace", clean_name(path, 200)), kPlainPaths);
  if (leads_through_a_link(folder_, path)) return is_a_link(path);
  auto text = read_foreign_file(folder_ / path, kMostFileBytes);
  if (text) return text;
  return usage(fmt::format("there is no file {}", clean_name(path, 200)),
               "glob lists what there is");
}

Result<Json> WorkspaceFiles::read(const std::string& path, std::size_t first_line,
                                  std::optional<std::size_t> most) const {
  const auto text = text_of(path);
  if (!text) return text.error();
  const auto lines = lines_of(*text);
  const std::size_t first = std::max<std::size_t>(first_line, 1);
  std::string part;
  for (std::size_t i = first - 1; i < lines.size() && (!most || i - (first - 1) < *most); ++i)
    part.append(lines[i]).append("\n");
  return Json{{"path", path}, {"first_line", first}, {"lines", lines.size()}, {"text", part}};
}

Result<Json> WorkspaceFiles::put(const std::string& path, const std::string& text) const {
  if (!path.starts_with(kKernels) || !is_plain_relative_path(path))
    return usage(fmt::format("{} is no place to write to", clean_name(path, 200)),
                 "what counts lies below kernels/, as kernels/relu.cu");
  if (leads_through_a_link(folder_, path)) return is_a_link(path);
  auto files = files_below(folder_ / "kernels");
  files[path.substr(std::string_view(kKernels).size())] = text.size();
  std::uintmax_t bytes = 0;
  for (const auto& [name, size] : files) bytes += size;
  if (files.size() > kMostKernelFiles || bytes > kMostKernelBytes)
    return usage(
        fmt::format("with it there would be {} files of {} bytes below kernels/", files.size(),
                    bytes),
        fmt::format("at most {} files and {} KiB", kMostKernelFiles, kMostKernelBytes >> 10));
  std::error_code failed;
  fs::create_directories((folder_ / path).parent_path(), failed);
  if (failed || fs::is_directory(folder_ / path, failed))
    return usage(fmt::format("{} cannot lie there", clean_name(path, 200)),
                 "a folder of that name, or a file where a folder should be, is in the way");
  if (auto written = write_atomically(folder_ / path, text, 0644); !written) return written.error();
  return Json{{"path", path}, {"bytes", text.size()}};
}

Result<Json> WorkspaceFiles::write(const std::string& path, const std::string& text) const {
  return put(path, text);
}

Result<Json> WorkspaceFiles::edit(const std::string& path, const std::string& old,
                                  const std::string& text) const {
  auto whole = text_of(path);
  if (!whole) return whole.error();
  if (old.empty()) return usage("the old text is empty", "write replaces a file as a whole");
  const std::size_t at = whole->find(old);
  if (at == std::string::npos)
    return usage(fmt::format("the old text does not stand in {}", clean_name(path, 200)),
                 "read shows what does; blanks and line breaks count");
  if (whole->find(old, at + 1) != std::string::npos)
    return usage(fmt::format("the old text stands in {} more than once", clean_name(path, 200)),
                 "take more of what is around it");
  return put(path, whole->replace(at, old.size(), text));
}

Result<Json> WorkspaceFiles::glob(const std::string& pattern) const {
  Json list = Json::array();
  for (const auto& [path, bytes] : files_below(folder_))
    if (pattern.empty() || ::fnmatch(pattern.c_str(), path.c_str(), 0) == 0)
      list.push_back({{"path", path}, {"bytes", bytes}});
  return Json{{"files", std::move(list)}};
}

Result<Json> WorkspaceFiles::grep(const std::string& text) const {
  if (text.empty()) return usage("nothing is looked for");
  Json found = Json::array();
  bool more = false;
  for (const auto& [path, bytes] : files_below(folder_)) {
    if (more) break;
    const auto whole = read_foreign_file(folder_ / path, kMostFileBytes);
    if (!whole) continue;
    std::size_t number = 0;
    for (const std::string_view line : lines_of(*whole)) {
      ++number;
      if (line.find(text) == std::string_view::npos) continue;
      more = more || found.size() == kMostLines;
      if (more) break;
      found.push_back({{"path", path},
                       {"line", number},
                       {"text", std::string(line.substr(0, kMostLineBytes))}});
    }
  }
  return Json{{"lines", std::move(found)}, {"more", more}};
}

}  // namespace kbench
