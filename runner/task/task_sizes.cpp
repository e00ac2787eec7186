#include "runner/task/task_sizes.hpp"

#include <fmt/format.h>

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

}  // namespace kbench
