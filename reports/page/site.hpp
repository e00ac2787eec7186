// A run as many files for stores whose page would be too large for one: an index with the ranking
// and the table of tasks, a page for each task with its samples, sources and profiles, and style
// and script beside them. It opens from disk; links are relative; the index leads an address of the
// one-file page ("#level1/019_relu") on to the task's file.
#pragma once

#include <string>
#include <vector>

#include "reports/facts/model.hpp"
#include "reports/page/environment_table.hpp"
#include "runner/store/rows/stored_profiles.hpp"

namespace kbench {

inline constexpr const char* kSiteManifest = "kbench-site.json";

struct SiteFile {
  std::string path;  // path below the site's folder; letters, digits and ._-/ alone
  std::string text;
};

// The index last, so that a reader of a site that is being written sees the old one until then. A
// task's page shows the stored profiles that belong to its rows; the index shows those that a
// single page would show (profile_choice.hpp). The index alone says where it comes from: the page
// of a task whose rows are the same is the same file.
[[nodiscard]] std::vector<SiteFile> render_site(const ReportData& data,
                                                const ProfileRows& profiles = {},
                                                const PageOrigin& origin = {});

// "tasks/level1/019_relu.html". Names are foreign text: characters that no file name should have
// are replaced, and a hash keeps two of those apart.
[[nodiscard]] std::string site_path(const std::string& task);

// The mark of a site that may be written again: the list of its files.
[[nodiscard]] std::string site_manifest(const std::vector<SiteFile>& files);
// The files that a manifest lists; only such as site_path() makes, even if it lists others. Empty
// optional where the text is no manifest.
[[nodiscard]] std::optional<std::vector<std::string>> task_files_of(const std::string& manifest);

}  // namespace kbench
