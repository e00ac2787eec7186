// Writes a site of many files into a folder: one that is empty, new, or a site already. What a site
// no longer has is removed; nothing else in the folder is.
#pragma once

#include <filesystem>
#include <vector>

#include "reports/page/site.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// Checks the folder before anything is read. Errors: kUsage where something else lies there, or the
// folder above it is missing.
[[nodiscard]] Status check_site(const std::filesystem::path& folder);

// Errors: kInfrastructure with the system's reason. A site that was written half is one still, and
// can be written again.
[[nodiscard]] Status write_site(const std::filesystem::path& folder,
                                const std::vector<SiteFile>& files);

}  // namespace kbench
