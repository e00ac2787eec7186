#include "runner/again/run_sources.hpp"

#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/run_facts.hpp"
#include "runner/again/stored_row.hpp"
#include "runner/core/json.hpp"
#include "runner/installation/git_state.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& json, const char* table, const char* name) {
  Json root = recorded(json);
  if (table != nullptr) root = root.is_object() ? root.value(table, Json()) : Json();
  if (!root.is_object() || !root.contains(name) || !root.at(name).is_string()) return "";
  return root.at(name).get<std::string>();
}

// One file without any folders: whatever task it was for.
Result<SubmissionSet> one_file(const fs::path& file) {
  auto submission = single_submission(file, "");
  if (!submission) return submission.error();
  SubmissionSet set;
  set.submissions.push_back(std::move(*submission));
  return set;
}

}  // namespace

RunSources::RunSources(const Run& run, const std::optional<fs::path>& given,
                       const fs::path& database, const fs::path& examples) {
  if (given) {
    add_folder(*given);
    return;
  }
  add_stored(run, database);
  const std::string file = text_of(run.configuration, nullptr, "file");
  const std::string folder = text_of(run.configuration, nullptr, "submissions");
  const std::string commit = text_of(run.environment, "submissions", "commit");
  if (!file.empty()) {
    places_.push_back({clean_name(file), [file] { return one_file(file); }, {}});
    return;
  }
  add_folder(folder.empty() ? fs::path("submissions") : fs::path(folder));
  if (folder.empty()) add_folder(examples);
  if (!commit.empty()) add_commit(folder.empty() ? "submissions" : folder, commit);
}

// Adds the stored sources, each row's in a folder of its own: two rows of an agent may share names
// and differ in what the files hold.
void RunSources::add_stored(const Run& run, const fs::path& database) {
  const auto open = [this, run, database]() -> Result<SubmissionSet> {
    auto scratch = ScratchFolder::make("kbench-stored");
    if (!scratch) return scratch.error();
    stored_ = std::move(*scratch);
    const auto rows = stored_rows_with_sources(database, run);
    if (!rows) return rows.error();
    SubmissionSet set;
    for (std::size_t i = 0; i < rows->size(); ++i) {
      const StoredRow& row = (*rows)[i];
      const fs::path folder = stored_.path() / std::to_string(i);
      const auto written = write_stored_sources(row, folder);
      if (!written) continue;  // a row without kept sources, or with unfit names
      auto found = is_lone_file(row) ? one_file(*written) : find_submissions(folder);
      if (!found) continue;
      std::move(found->submissions.begin(), found->submissions.end(),
                std::back_inserter(set.submissions));
    }
    return set;
  };
  places_.push_back({clean_name(database.string()), open, {}});
}

void RunSources::add_folder(const fs::path& folder) {
  places_.push_back(
      {clean_name(folder.string()), [folder] { return find_submissions(folder); }, {}});
}

void RunSources::add_commit(const fs::path& folder, const std::string& commit) {
  const auto open = [this, folder, commit]() -> Result<SubmissionSet> {
    auto scratch = ScratchFolder::make("kbench-sources");
    if (!scratch) return scratch.error();
    checkout_ = std::move(*scratch);
    if (auto done = check_out(folder, commit, checkout_.path()); !done) return done.error();
    return find_submissions(checkout_.path());
  };
  places_.push_back({fmt::format("git commit {}", commit.substr(0, 12)), open, {}});
}

Result<Submission> RunSources::find(const std::string& task, const SubmissionId& id) {
  std::vector<std::string> seen;
  for (Place& place : places_) {
    if (!place.opened) place.opened = place.open();
    if (!*place.opened) {
      seen.push_back(fmt::format("{} ({})", place.name, place.opened->error().message));
      continue;
    }
    for (const Submission& submission : (*place.opened)->submissions) {
      const bool named =
          submission.task.empty() || (submission.task == task && submission.id.agent == id.agent &&
                                      submission.id.variant == id.variant);
      if (!named || submission.id.source_hash != id.source_hash) continue;
      Submission found = submission;
      found.task = task;
      return found;
    }
    seen.push_back(place.name);
  }
  return Error{ErrorCode::kNotFound,
               fmt::format("the source of {} for {} is not to be had any more; looked in {}",
                           clean_name(id.agent, 64), clean_name(task, 64), fmt::join(seen, ", ")),
               "keep the submissions in git and commit them before a run, or name their folder"};
}

}  // namespace kbench
