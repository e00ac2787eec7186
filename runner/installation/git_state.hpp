// The commit that the submissions of a run were at, where they lie in a git repository. A fact for
// the record, never a reason to fail: without git, without a repository, or where git will not say,
// there is none.
//
// Such a folder may be foreign, and a repository's own configuration names programs that git runs
// (core.fsmonitor, filters, transports of a partial clone). Those that a command line can switch
// off are; where filters are configured in the repository, git is not asked whether files differ,
// because git would run them to find out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runner/core/result.hpp"

namespace kbench {

struct GitState {
  std::string commit;         // 40 or 64 hexadecimal digits
  std::optional<bool> dirty;  // files below differ from it, or are not in it; empty: unknown
};

// State of a folder or of one file. Empty if git tracks nothing of it.
[[nodiscard]] std::optional<GitState> git_state(const std::filesystem::path& submissions);

// Writes the submissions as they were at a commit into `into`, an empty folder. Nothing of the
// repository or its working tree changes. Errors: kNotFound where the commit is not there (a
// shallow clone) or the repository names programs of its own.
[[nodiscard]] Status check_out(const std::filesystem::path& submissions, const std::string& commit,
                               const std::filesystem::path& into);

}  // namespace kbench
