#include "runner/again/stored_row.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/sanitize.hpp"
#include "runner/again/stored_tasks.hpp"
#include "runner/core/suggest.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/store/chain/chain_key.hpp"
#include "runner/store/run_group.hpp"
#include "runner/store/run_name.hpp"
#include "runner/store/store.hpp"
#include "runner/submission/manifest.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

std::string shown(const std::string& name) { return clean_name(name, 80); }

Error none(const Run& run, const std::string& what, const std::string& wanted,
           std::vector<std::string> known) {
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  const auto guess = nearest(wanted, known);
  constexpr std::size_t kMost = 10;
  const std::size_t more = known.size() > kMost ? known.size() - kMost : 0;
  if (more > 0) known.resize(kMost);
  for (std::string& name : known) name = name.empty() ? "(no name)" : shown(name);
  return {ErrorCode::kNotFound,
          fmt::format("run {} has no {} \"{}\"", short_id(run), what, shown(wanted)),
          guess ? fmt::format("did you mean \"{}\"?", shown(*guess))
                : fmt::format("It has {}{}.",
                              known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")),
                              more > 0 ? fmt::format(" and {} more", more) : "")};
}

using Rows = std::vector<const Evaluation*>;

template <class Text>
Result<Rows> narrow(const Run& run, const Rows& rows, const std::string& what,
                    const std::string& wanted, Text text) {
  Rows left;
  std::vector<std::string> known;
  for (const Evaluation* row : rows) {
    known.push_back(text(*row));
    if (known.back() == wanted) left.push_back(row);
  }
  if (left.empty()) return none(run, what, wanted, known);
  return left;
}

std::string variant_of(const Evaluation& row) { return row.submission->variant; }
std::string name_of(const Evaluation& row) { return row.submission->name; }

// The only row that fits. If several do and no variant is named, the row without a variant's name
// is meant.
Result<const Evaluation*> the_only(const Run& run, Rows rows) {
  if (rows.size() > 1) {
    Rows plain;
    for (const Evaluation* row : rows)
      if (row->submission && row->submission->variant.empty()) plain.push_back(row);
    if (plain.size() == 1) rows = plain;
  }
  if (rows.size() == 1) return rows.front();
  std::vector<std::string> names;
  for (const Evaluation* row : rows)
    if (row->submission) names.push_back(shown(row->submission->name));
  return Error{
      ErrorCode::kUsage, fmt::format("{} rows of run {} fit", rows.size(), short_id(run)),
      fmt::format("Say which with --variant or --submission: {}.", fmt::join(names, ", "))};
}

// The agent of all these rows; nothing where they are of several agents or one has no submission.
std::optional<std::string> only_agent(const Rows& rows) {
  std::set<std::string> agents;
  for (const Evaluation* row : rows) {
    if (!row->submission) return std::nullopt;
    agents.insert(row->submission->agent);
  }
  return agents.size() == 1 ? std::optional(*agents.begin()) : std::nullopt;
}

Error which_task(const Run& run, const std::vector<std::string>& known) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> names;
  for (const std::string& id : known)
    if (names.size() < kMost) names.push_back(shown(id));
  if (known.size() > kMost) names.emplace_back("…");
  return {ErrorCode::kUsage, fmt::format("{} tasks of run {} fit", known.size(), short_id(run)),
          fmt::format("Say which with --task: {}.", fmt::join(names, ", "))};
}

// The task that a word of the command line means among those of the run; without a word, the only
// one. A word that means none is left as it is, for the message about it.
Result<std::string> task_meant(const Run& run, const std::vector<Evaluation>& rows,
                               const std::string& word) {
  if (word.empty() && rows.empty())
    return Error{ErrorCode::kNotFound, fmt::format("run {} has no rows", short_id(run)),
                 "`kbench runs` shows the others."};
  const bool is_id = std::any_of(rows.begin(), rows.end(),
                                 [&](const Evaluation& row) { return row.task == word; });
  if (is_id) return word;
  const auto meant = stored_tasks_meant(
      rows, word.empty() ? std::vector<std::string>{} : std::vector<std::string>{word});
  if (!meant || meant->empty()) return word;
  if (meant->size() > 1) return which_task(run, {meant->begin(), meant->end()});
  return *meant->begin();
}

Result<const Evaluation*> choose(RowChoice choice, const Run& run,
                                 const std::vector<Evaluation>& evaluations) {
  auto task = task_meant(run, evaluations, choice.task);
  if (!task) return task.error();
  choice.task = std::move(*task);
  Rows all;
  for (const Evaluation& evaluation : evaluations) all.push_back(&evaluation);
  auto rows = narrow(run, all, "task", choice.task, [](const Evaluation& row) { return row.task; });
  if (!rows) return rows.error();
  if (!choice.agent) choice.agent = only_agent(*rows);
  Rows fitting;
  for (const Evaluation* row : *rows)
    if (row->submission.has_value() == choice.agent.has_value()) fitting.push_back(row);
  if (fitting.empty()) {
    const char* what = choice.agent ? "submission" : "row without a submission";
    return Error{ErrorCode::kNotFound,
                 fmt::format("run {} has no {} for {}", short_id(run), what, choice.task),
                 choice.agent ? "Leave --agent out: only the baselines were timed."
                              : "Name its agent with --agent."};
  }
  if (!choice.agent) return the_only(run, fitting);
  rows = narrow(run, fitting, "agent", *choice.agent,
                [](const Evaluation& row) { return row.submission->agent; });
  if (rows && choice.variant) rows = narrow(run, *rows, "variant", *choice.variant, variant_of);
  if (rows && choice.submission)
    rows = narrow(run, *rows, "submission", *choice.submission, name_of);
  if (!rows) return rows.error();
  return the_only(run, *rows);
}

Status read_contents(const Store& store, StoredRow& row) {
  std::vector<std::string> hashes;
  for (const TreeFile& file : row.evaluation.sources) hashes.push_back(file.hash);
  const auto contents = store.contents(hashes, kMaxSourceBytes);
  if (!contents) return contents.error();
  for (const std::string& hash : hashes) {
    const auto found = contents->find(hash);
    if (found == contents->end()) {
      return Error{ErrorCode::kBadInput,
                   fmt::format("{}: its sources of {} have more than {} MiB", store.file().string(),
                               shown(row.evaluation.task), kMaxSourceBytes >> 20),
                   "No submission may have that many: ask for the file as kbench wrote it."};
    }
    row.contents.push_back(found->second);
  }
  return Done{};
}

// The run alone; all shards where the name is not of it but of their group.
Result<std::vector<Run>> runs_named(const Store& store, const std::string& name, Run run) {
  const auto shard = shard_of(run);
  if (!shard || run.id.starts_with(name)) return std::vector{std::move(run)};
  const auto runs = store.runs();
  if (!runs) return runs.error();
  auto group = group_of(run, *runs);
  if (!group || group->shards.empty()) return std::vector{std::move(run)};
  return std::move(group->shards);
}

Result<StoredRow> row_of_run(const Store& store, const Run& run, const RowChoice& choice) {
  auto stored = store.read(run.id);
  if (!stored) return stored.error();
  const auto chosen = choose(choice, run, stored->evaluations);
  if (!chosen) return chosen.error();
  StoredRow row{run, **chosen, std::move(stored->chain), {}};
  if (auto read = read_contents(store, row); !read) return read.error();
  return row;
}

bool has_file(const Evaluation& evaluation, const std::string& path) {
  const auto& files = evaluation.sources;
  return std::any_of(files.begin(), files.end(),
                     [&](const TreeFile& file) { return file.path == path; });
}

Error unsound(const StoredRow& row, const std::string& name) {
  return {ErrorCode::kBadInput,
          fmt::format("run {} names a file \"{}\", which no submission has", short_id(row.run),
                      shown(name)),
          "Nothing was written. Ask for the database as kbench wrote it."};
}

// The path of a staged file in a folder of submissions.
Result<fs::path> place_of(const StoredRow& row, const std::string& staged) {
  const SubmissionId& id = *row.evaluation.submission;
  const fs::path name = id.name;
  const bool lone = is_lone_file(row);
  // AGENT/levelN/NNN_name, where a folder of submissions has them.
  const fs::path level = name.parent_path();
  const bool sound = lone || level == fs::path(id.agent) / level.filename();
  if (!sound || !is_plain_relative_path(id.name)) return unsound(row, id.name);
  if (!is_plain_relative_path(staged)) return unsound(row, staged);
  constexpr std::string_view kOwn = "src/";
  constexpr std::string_view kShared = "include/";
  if (staged.starts_with(kShared) && !lone)
    return fs::path(id.agent) / "include" / staged.substr(kShared.size());
  if (!staged.starts_with(kOwn)) return unsound(row, staged);
  const std::string leaf = name.filename().string();
  const bool single = has_file(row.evaluation, fmt::format("src/{}", leaf)) &&
                      !has_file(row.evaluation, "src/submission.json");
  if (!single) return name / staged.substr(kOwn.size());
  if (staged.substr(kOwn.size()) != leaf) return unsound(row, staged);
  return name;
}

}  // namespace

bool is_lone_file(const StoredRow& row) {
  return row.evaluation.submission &&
         row.evaluation.submission->name.find('/') == std::string::npos;
}

Result<StoredRow> find_stored_row(const RowChoice& choice, const Installation& installation) {
  auto store = Store::open(choice.database, Store::Mode::kReadOnly);
  if (!store) {
    Error error = store.error();
    std::error_code ignored;
    if (!fs::exists(choice.database, ignored))
      error.hint =
          "A page names its database without the folder. Ask whoever published it for the file, "
          "and name yours with --db.";
    return error;
  }
  if (auto key = read_chain_key(installation.state)) store->use(std::move(*key));
  auto run = find_run_named(*store, choice.run);
  if (!run) return run.error();
  const auto shards = runs_named(*store, choice.run, std::move(*run));
  if (!shards) return shards.error();
  std::optional<Error> first;
  for (const Run& shard : *shards) {
    auto row = row_of_run(*store, shard, choice);
    if (row || row.error().code != ErrorCode::kNotFound) return row;
    if (!first) first = row.error();
  }
  return *first;
}

Result<std::vector<StoredRow>> stored_rows_with_sources(const fs::path& database, const Run& run) {
  const auto store = Store::open(database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  auto evaluations = store->evaluations(run.id);
  if (!evaluations) return evaluations.error();
  std::vector<StoredRow> rows;
  std::set<std::string> seen;
  for (Evaluation& evaluation : *evaluations) {
    if (!evaluation.submission || evaluation.sources.empty()) continue;
    const SubmissionId& id = *evaluation.submission;
    if (!seen.insert(fmt::format("{}\n{}\n{}", evaluation.task, id.name, id.source_hash)).second)
      continue;
    StoredRow row{run, std::move(evaluation), {}, {}};
    if (!read_contents(*store, row)) continue;  // damaged: perhaps it lies elsewhere
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<fs::path> write_stored_sources(const StoredRow& row, const fs::path& folder) {
  const Evaluation& evaluation = row.evaluation;
  if (!evaluation.submission || evaluation.sources.empty()) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("run {} keeps no sources of this row", short_id(row.run)),
                 evaluation.submission
                     ? "Either kbench did not keep any then, or it could not read the submission: "
                       "find the files where they were handed in."
                     : "Nobody submitted anything: only the baselines were timed."};
  }
  std::vector<fs::path> places;
  for (const TreeFile& file : evaluation.sources) {
    const auto place = place_of(row, file.path);
    if (!place) return place.error();
    places.push_back(folder / *place);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::error_code error;
    fs::create_directories(places[i].parent_path(), error);
    if (auto written = write_new_file(places[i], row.contents[i]); !written) return written.error();
  }
  return folder / evaluation.submission->name;
}

std::string evaluating_command(const StoredRow& row, const fs::path& folder,
                               const fs::path& submission) {
  const std::string task = fmt::format("--task {}", shell_word(row.evaluation.task));
  if (is_lone_file(row))
    return fmt::format("kbench run {} {} --name {}", shell_word(submission.string()), task,
                       shell_word(row.evaluation.submission->agent));
  return fmt::format("kbench run {} --submissions {}", task, shell_word(folder.string()));
}

}  // namespace kbench
