#include "runner/task/task_sizes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runner/core/for_each_index.hpp"
#include "runner/core/usable_cores.hpp"

namespace kbench {

Result<std::vector<const TaskSize*>> find_sizes(const Task& task,
                                                const std::optional<std::string>& name) {
  std::vector<const TaskSize*> sizes;
  for (const auto& size : task.sizes) {
    if (!name || size.name == *name) sizes.push_back(&size);
  }
  if (sizes.empty()) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} has no size \"{}\"", task.id, name.value_or("")),
                 fmt::format("it has {}", task.sizes.front().name)};
  }
  return sizes;
}

Result<const TaskSize*> choose_size(const Task& task, const std::optional<std::string>& name,
                                    const std::string& preferred) {
  if (!name) {
    const TaskSize* size = task.find_size(preferred);
    return size != nullptr ? size : &task.sizes.front();
  }
  const auto sizes = find_sizes(task, name);
  if (!sizes) return sizes.error();
  return sizes->front();
}

std::vector<std::vector<std::string>> sizes_of_each(const std::vector<TaskEntry>& entries) {
  constexpr int kMostThreads = 8;
  std::vector<std::vector<std::string>> sizes(entries.size());
  for_each_index(entries.size(), std::min(usable_threads(), kMostThreads),
                 [&](std::size_t i) { sizes[i] = sizes_of(entries[i]); });
  return sizes;
}

}  // namespace kbench
