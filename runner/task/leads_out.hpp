// Folders of tasks come from others, and a link in one may name any file of whoever reads it.
#pragma once

#include <filesystem>

namespace kbench {

// Whether `file` is a link to something outside of `folder`, which itself may be reached by links.
// Also where nobody can tell. Not looked at: folders between the two, which no reader of ours
// follows by a link.
[[nodiscard]] bool leads_out_of(const std::filesystem::path& file,
                                const std::filesystem::path& folder);

}  // namespace kbench
