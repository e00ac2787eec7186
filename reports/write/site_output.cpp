#include "reports/write/site_output.hpp"

#include <set>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "reports/write/output_file.hpp"
#include "runner/os/files.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostManifestBytes = 64u << 20;

// The files of tasks of the site that lies there; nothing where none does.
std::optional<std::vector<std::string>> site_in(const fs::path& folder) {
  const auto manifest = read_foreign_file(folder / kSiteManifest, kMostManifestBytes);
  return manifest ? task_files_of(*manifest) : std::nullopt;
}

Error refused(const fs::path& folder, const std::string& why) {
  return {ErrorCode::kUsage, fmt::format("{} {}", folder.string(), why),
          "name an empty or a new folder: --site takes one that it may write over as a whole"};
}

Error failed_to(const char* what, const fs::path& path, const std::error_code& why) {
  return {ErrorCode::kInfrastructure,
          fmt::format("{} cannot be {}: {}", path.string(), what, why.message()),
          "choose another folder, or make room for it"};
}

// A link in place of a folder would lead what is written to a foreign folder.
Status make_folder(const fs::path& folder) {
  std::error_code failed;
  if (fs::is_symlink(folder, failed))
    return refused(folder, "is a link, and a site is written into folders of its own");
  fs::create_directory(folder, failed);
  if (failed) return failed_to("made", folder, failed);
  return Done{};
}

Status make_folders(const fs::path& top, const std::vector<SiteFile>& files) {
  std::set<fs::path> folders;
  for (const SiteFile& file : files)
    for (fs::path at = fs::path(file.path).parent_path(); !at.empty(); at = at.parent_path())
      folders.insert(at);
  for (const fs::path& folder : folders)  // each behind the one that it lies in
    if (auto made = make_folder(top / folder); !made) return made;
  return Done{};
}

Status write_text(const fs::path& file, const std::string& text) {
  std::error_code failed;
  if (fs::is_symlink(file, failed)) fs::remove(file, failed);
  return write_output_file(file, text);
}

// Removes files that the new site no longer has, and the folders that this empties.
void remove_old(const fs::path& folder, const std::vector<std::string>& old,
                const std::vector<SiteFile>& files) {
  std::set<std::string> kept;
  for (const SiteFile& file : files) kept.insert(file.path);
  std::error_code ignored;
  for (const std::string& path : old) {
    const fs::path file = folder / path;
    if (kept.count(path) != 0 || fs::is_symlink(file.parent_path(), ignored) ||
        fs::is_symlink(folder / "tasks", ignored))
      continue;
    fs::remove(file, ignored);
    if (fs::is_empty(file.parent_path(), ignored)) fs::remove(file.parent_path(), ignored);
  }
}

}  // namespace

Status check_site(const fs::path& folder) {
  std::error_code failed;
  const fs::path above = fs::absolute(folder / "", failed).parent_path().parent_path();
  if (!fs::exists(folder, failed)) {
    if (fs::is_directory(above, failed)) return Done{};
    return Error{
        ErrorCode::kUsage,
        fmt::format("{} cannot be made: there is no folder {}", folder.string(), above.string()),
        "make it, or name another folder"};
  }
  if (!fs::is_directory(folder, failed)) return refused(folder, "is no folder");
  const bool empty = fs::is_empty(folder, failed);
  if (failed) return failed_to("read", folder, failed);
  if (empty || site_in(folder)) return Done{};
  return refused(folder, "is neither empty nor a site that kbench made");
}

Status write_site(const fs::path& folder, const std::vector<SiteFile>& files) {
  std::error_code failed;
  fs::create_directory(folder, failed);
  if (failed) return failed_to("made", folder, failed);
  const auto old = site_in(folder);
  // The manifest is written first, so that the folder is a site whatever happens next.
  if (auto written = write_text(folder / kSiteManifest, site_manifest(files)); !written)
    return written;
  if (auto made = make_folders(folder, files); !made) return made;
  for (const SiteFile& file : files)
    if (auto written = write_text(folder / file.path, file.text); !written) return written;
  if (old) remove_old(folder, *old, files);
  return Done{};
}

}  // namespace kbench
