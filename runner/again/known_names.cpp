#include "runner/again/known_names.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "runner/plan/task_choice.hpp"
#include "runner/run/rerun.hpp"
#include "runner/store/store.hpp"
#include "runner/task/family.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> task_ids(const NameSearch& search, const Installation& installation) {
  std::vector<std::string> ids;
  if (const auto entries = tasks_of_suite(search.suite, installation))
    for (const TaskEntry& entry : *entries) ids.push_back(entry.id);
  return ids;
}

std::vector<std::string> level_numbers(const NameSearch& search, const Installation& installation) {
  std::set<int> there;
  if (const auto entries = tasks_of_suite(search.suite, installation))
    for (const TaskEntry& entry : *entries) there.insert(entry.level);
  std::vector<std::string> names;
  for (const int level : there) names.push_back(std::to_string(level));
  return names;
}

std::vector<std::string> runs_and_tags(const fs::path& database, bool with_runs) {
  std::vector<std::string> names;
  const auto store = Store::open(database, Store::Mode::kReadOnly);
  if (!store) return names;
  if (const auto tags = store->tags())
    for (const Tag& tag : *tags) names.push_back(tag.name);
  if (!with_runs) return names;
  names.emplace_back("latest");
  if (const auto runs = store->runs())
    for (const Run& run : *runs) names.push_back(short_id(run));
  return names;
}

std::vector<std::string> agents(const NameSearch& search) {
  std::vector<std::string> names;
  std::error_code failed;
  if (fs::exists(search.database, failed))
    if (const auto store = Store::open(search.database, Store::Mode::kReadOnly))
      if (auto stored = store->agents()) names = std::move(*stored);
  for (fs::directory_iterator it(search.submissions, failed), end; !failed && it != end;
       it.increment(failed))
    if (it->is_directory(failed)) names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

std::vector<std::string> known_names(const NameSearch& search, const Installation& installation) {
  if (search.kind == "tasks") return task_ids(search, installation);
  if (search.kind == "families") return {all_families().begin(), all_families().end()};
  if (search.kind == "levels") return level_numbers(search, installation);
  if (search.kind == "states") return rerun_words();
  if (search.kind == "agents") return agents(search);
  std::error_code failed;
  if (!fs::exists(search.database, failed)) return {};
  return runs_and_tags(search.database, search.kind == "runs");
}

}  // namespace kbench
