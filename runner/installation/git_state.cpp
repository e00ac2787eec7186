#include "runner/installation/git_state.hpp"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/core/lines.hpp"
#include "runner/os/run_trusted.hpp"

namespace kbench {
namespace {

// Time for one question; a folder with many files on a cold disk takes a second.
constexpr std::chrono::milliseconds kPatience{5'000};
// Longest answer that is used, below what run_trusted keeps: an answer that may have been cut is
// none.
constexpr std::size_t kLongestList = 60'000;

class Git {
 public:
  explicit Git(const std::filesystem::path& submissions) {
    const bool folder = std::filesystem::is_directory(submissions);
    folder_ = folder ? submissions : submissions.parent_path();
    if (folder_.empty()) folder_ = ".";
    path_ = folder ? "." : submissions.filename().string();
  }

  [[nodiscard]] Result<std::string> ask(std::initializer_list<std::string> words) const {
    // env finds git on the PATH. GIT_DIR and its like, as a hook of git has them, name another
    // repository; no transport is allowed, so that a missing object is not fetched.
    std::vector<std::string> argv{"/usr/bin/env",
                                  "-u",
                                  "GIT_DIR",
                                  "-u",
                                  "GIT_WORK_TREE",
                                  "-u",
                                  "GIT_INDEX_FILE",
                                  "GIT_ALLOW_PROTOCOL=none",
                                  "GIT_TERMINAL_PROMPT=0",
                                  "LC_ALL=C",
                                  "git",
                                  "-C",
                                  folder_.string(),
                                  "--no-pager",
                                  "--no-optional-locks",
                                  "--literal-pathspecs",
                                  "-c",
                                  "core.fsmonitor=false",
                                  "-c",
                                  "core.hooksPath=/dev/null"};
    argv.insert(argv.end(), words);
    return run_trusted(argv, kPatience, Errors::kDropped);
  }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::filesystem::path folder_;
  std::string path_;
};

bool is_commit(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Lines are "SCOPE\tNAME"; those of the user's own configuration are the user's.
bool configures_filters(const std::string& list) {
  for (const std::string_view scope : {"local\tfilter.", "worktree\tfilter."}) {
    const auto at = list.find(scope);
    if (at == 0 || (at != std::string::npos && list[at - 1] == '\n')) return true;
  }
  return false;
}

std::optional<bool> is_dirty(const Git& git) {
  const auto names = git.ask({"config", "--list", "--show-scope", "--name-only"});
  if (!names || names->size() > kLongestList || configures_filters(*names)) return std::nullopt;
  const auto changed = git.ask({"status", "--porcelain", "--ignore-submodules=all",
                                "--untracked-files=normal", "--", git.path()});
  if (!changed) return std::nullopt;
  return !changed->empty();
}

}  // namespace

std::optional<GitState> git_state(const std::filesystem::path& submissions) {
  const Git git(submissions);
  // A folder that the repository around it ignores is at none of its commits.
  const auto tracked = git.ask({"ls-files", "--error-unmatch", "--", git.path()});
  if (!tracked || tracked->empty()) return std::nullopt;
  const auto head = git.ask({"rev-parse", "--verify", "HEAD^{commit}"});
  if (!head || !is_commit(first_line(*head))) return std::nullopt;
  return GitState{first_line(*head), is_dirty(git)};
}

Status check_out(const std::filesystem::path& submissions, const std::string& commit,
                 const std::filesystem::path& into) {
  const Git git(submissions);
  const auto not_there = [&](const std::string& why) {
    return Error{ErrorCode::kNotFound, fmt::format("commit {}: {}", commit.substr(0, 12), why), ""};
  };
  if (!is_commit(commit)) return not_there("that is none");
  // Filters are run on what leaves the repository as well.
  const auto names = git.ask({"config", "--list", "--show-scope", "--name-only"});
  if (!names || names->size() > kLongestList || configures_filters(*names))
    return not_there("the repository cannot be asked, or names filters of its own");
  const std::filesystem::path archive = std::filesystem::absolute(into) / ".archive.tar";
  // From a folder of the repository, git archives that folder.
  const auto archived = git.ask({"archive", "--format=tar", "-o", archive.string(), commit});
  if (!archived) return not_there("not in this clone");
  const auto unpacked = run_trusted(
      {"/usr/bin/env", "tar", "-C", into.string(), "--no-same-owner", "-xf", archive.string()},
      kPatience);
  std::error_code ignored;
  std::filesystem::remove(archive, ignored);
  return unpacked ? Status(Done{}) : unpacked.error();
}

}  // namespace kbench
