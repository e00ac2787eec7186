#include "runner/import/naming.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace kbench {
namespace {

constexpr std::size_t kMaxName = 80;

// Each run of characters that are neither letters nor digits becomes one underscore, and none stand
// at the ends. Underscores stay as they are: KernelBench's own names hold two in a row.
std::string word_of(const std::string& text) {
  std::string word;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      word += upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!word.empty() && (c == '_' || word.back() != '_')) {
      word += '_';
    }
    if (word.size() == kMaxName) break;
  }
  while (word.ends_with('_')) word.pop_back();
  return word.empty() ? "task" : word;
}

class Namer {
 public:
  explicit Namer(const std::vector<TaskEntry>& suite) {
    for (const TaskEntry& entry : suite) {
      numbers_[entry.level].insert(entry.number);
      known_.emplace(std::pair{entry.level, entry.name}, entry.number);
    }
  }

  void reserve(int level, int number) { numbers_[level].insert(number); }

  TaskName numbered(int level, int number, const std::string& name) {
    return take({level, number, name});
  }

  TaskName unnumbered(int level, const std::string& name) {
    const auto [first, last] = known_.equal_range({level, name});
    for (auto known = first; known != last; ++known)
      if (!taken_.contains({level, known->second, name})) return take({level, known->second, name});
    std::set<int>& used = numbers_[level];
    int number = 1;
    while (used.contains(number)) ++number;
    used.insert(number);
    return take({level, number, name});
  }

 private:
  // Two sources may say that they are the same task.
  TaskName take(TaskName wish) {
    const std::string base = wish.name;
    for (int count = 2; !taken_.insert(wish).second; ++count)
      wish.name = fmt::format("{}_{}", base, count);
    return wish;
  }

  std::map<int, std::set<int>> numbers_;                   // numbers in use; key: the level
  std::multimap<std::pair<int, std::string>, int> known_;  // the suite's: level and name to number
  std::set<TaskName> taken_;                               // names that this import gave
};

}  // namespace

std::string TaskName::stem() const { return fmt::format("{:03}_{}", number, name); }
std::string TaskName::id() const { return fmt::format("level{}/{}", level, stem()); }

std::vector<TaskName> close_ranks(std::vector<TaskName> names, const std::vector<bool>& fresh,
                                  const std::vector<bool>& good) {
  std::map<int, std::vector<int>> given;  // key: the level; numbers rise
  for (std::size_t i = 0; i < names.size(); ++i)
    if (fresh[i]) given[names[i].level].push_back(names[i].number);
  std::map<int, std::size_t> used;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (fresh[i] && good[i]) names[i].number = given[names[i].level][used[names[i].level]++];
  return names;
}

std::vector<TaskName> name_tasks(const std::vector<ImportSource>& sources,
                                 const std::vector<TaskEntry>& suite, int default_level) {
  Namer namer(suite);
  const auto level_of = [&](const ImportSource& source) {
    return source.level > 0 ? source.level : default_level;
  };
  for (const ImportSource& source : sources)
    if (source.number) namer.reserve(level_of(source), *source.number);
  std::vector<TaskName> names;
  for (const ImportSource& source : sources) {
    const std::string name = word_of(source.name);
    names.push_back(source.number ? namer.numbered(level_of(source), *source.number, name)
                                  : namer.unnumbered(level_of(source), name));
  }
  return names;
}

}  // namespace kbench
