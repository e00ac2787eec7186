#include "runner/pool/pool_examination.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/exchange/exchange.hpp"
#include "runner/pool/run_file.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// A request that a run of the pool has signed as answered.
struct Answer {
  std::string key;
  std::string run;
};

// A run that is not believed, and the answers that point to it.
struct UnsoundRun {
  std::string run;
  Error error;
  bool is_there = true;
  std::vector<Answer> answers;
};

struct SpaceContents {
  std::vector<UnsoundRun> unsound;
  std::vector<Answer> empty;  // their run is sound and has no row of theirs: an older state of it
};

std::vector<Answer> answers_of(const ExchangeSpace& space) {
  std::vector<Answer> answers;
  for (const std::string& key : space.keys().names())
    if (auto run = space.keys().find(key)) answers.push_back({key, std::move(*run)});
  return answers;
}

// Sorts the answers of one run, which is read once.
Status look_at(const Exchange& exchange, const ExchangeSpace& space, const std::string& run,
               std::vector<Answer> answers, SpaceContents& found) {
  const auto taken = take_run_file(exchange, space, run);
  if (!taken) {
    if (taken.error().code == ErrorCode::kInfrastructure) return taken.error();
    const bool is_there = taken.error().code != ErrorCode::kNotFound;
    found.unsound.push_back({run, taken.error(), is_there, std::move(answers)});
    return Done{};
  }
  std::set<std::string> keys;
  for (const Evaluation& row : taken->rows) keys.insert(row.key);
  for (Answer& answer : answers)
    if (!keys.contains(answer.key)) found.empty.push_back(std::move(answer));
  return Done{};
}

// Answers are listed before runs are read: a run is there before it claims, so what is written
// meanwhile is not taken for a fault.
Result<SpaceContents> contents_of(const Exchange& exchange, const ExchangeSpace& space) {
  std::map<std::string, std::vector<Answer>> by_run;
  for (Answer& answer : answers_of(space)) by_run[answer.run].push_back(std::move(answer));
  for (const std::string& run : space.runs()) by_run.try_emplace(run);
  SpaceContents found;
  for (auto& [run, answers] : by_run)
    if (const Status seen = look_at(exchange, space, run, std::move(answers), found); !seen)
      return seen.error();
  return found;
}

bool is_newer(const UnsoundRun& run) { return run.error.code == ErrorCode::kUsage; }

std::string answers_words(std::size_t count) {
  return fmt::format("{} answer{}", count, count == 1 ? "" : "s");
}

ExchangeFinding finding_of(const UnsoundRun& run) {
  std::string what = run.error.message;
  if (!run.answers.empty())
    what += fmt::format("; {} point{} to it", answers_words(run.answers.size()),
                        run.answers.size() == 1 ? "s" : "");
  if (is_newer(run))
    return {what, "use that kbench; where none of the pool is newer, remove the file and prune"};
  return {what,
          "db merge leaves it out, and its answers are worth nothing: find out who writes here, "
          "then `kbench exchange prune`, after which the next run answers"};
}

// A group without a run has no terms.
void look_at_terms(const ExchangeSpace& space, ExaminedExchange& examined) {
  const auto agreed = space.agreed();
  if (agreed) return;
  if (agreed.error().code != ErrorCode::kNotFound)
    examined.findings.push_back(
        {agreed.error().message,
         "no run of the group starts: find out who writes here, and remove it; the next run puts "
         "its own there"});
  else if (!space.runs().empty())
    examined.findings.push_back(
        {fmt::format("{}: the runs there have agreed on terms, which are gone",
                     agreed.error().message),
         "find out who removed it; machines of another kind may join until a run puts it back"});
}

void prune_space(const ExchangeSpace& space, const SpaceContents& found, bool dry_run,
                 PrunedExchange& pruned) {
  const auto remove = [&](const Answer& answer, const std::string& why) {
    // Another process may have pruned, and another run answered, since.
    if (space.keys().find(answer.key) != std::optional(answer.run)) return;
    if (!dry_run && !space.keys().remove(answer.key)) return;
    pruned.removed.push_back(
        fmt::format("{}: an answer, {}", space.keys().file_of(answer.key).string(), why));
  };
  for (const UnsoundRun& run : found.unsound) {
    if (is_newer(run)) continue;
    for (const Answer& answer : run.answers)
      remove(answer, fmt::format("whose run is not sound: {}", run.error.message));
    if (run.is_there && (dry_run || space.remove_run(run.run)))
      pruned.removed.push_back(
          fmt::format("{}: a run that nobody believes", space.file_of(run.run).string()));
  }
  for (const Answer& answer : found.empty)
    remove(answer, fmt::format("of which run {} has no row", answer.run));
}

}  // namespace

Result<ExaminedExchange> examine_pool(const fs::path& folder, const PoolKey& key,
                                      const FolderCalls& calls) {
  auto examined = examine_exchange(folder, key, calls);
  const auto exchange = Exchange::open(folder, key);
  if (!examined || !exchange) return examined;
  for (const std::string& name : exchange->spaces()) {
    const ExchangeSpace space = exchange->space(name);
    look_at_terms(space, *examined);
    const auto found = contents_of(*exchange, space);
    if (!found) return found.error();
    for (const UnsoundRun& run : found->unsound) examined->findings.push_back(finding_of(run));
    for (const Answer& answer : found->empty)
      examined->findings.push_back(
          {fmt::format("{}: run {} has no row of it: its file is of an earlier time",
                       space.keys().file_of(answer.key).string(), answer.run),
           "find out who writes here, then `kbench exchange prune`: the next run answers"});
  }
  return examined;
}

Result<PrunedExchange> prune_pool(const fs::path& folder, const PoolKey& key,
                                  const PruneExchange& how) {
  auto pruned = prune_exchange(folder, key, how);
  if (!pruned) return pruned;
  const auto exchange = Exchange::open(folder, key);
  if (!exchange) return exchange.error();
  for (const std::string& name : exchange->spaces()) {
    const ExchangeSpace space = exchange->space(name);
    const auto found = contents_of(*exchange, space);
    if (!found) return found.error();
    prune_space(space, *found, how.dry_run, *pruned);
  }
  return pruned;
}

}  // namespace kbench
