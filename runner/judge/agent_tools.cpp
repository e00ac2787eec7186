#include "runner/judge/agent_tools.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/core/random_id.hpp"
#include "runner/core/text_in.hpp"
#include "runner/judge/file_tools.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/serve/client_limits.hpp"
#include "runner/serve/token.hpp"
#include "runner/serve/tools.hpp"
#include "runner/workspace/kernel_tree.hpp"
#include "runner/workspace/tool_result.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using Used = Result<std::variant<Json, Order>>;

constexpr std::size_t kHandleDigits = 32;

Json list_tasks(std::span<const TaskEntry> entries, const std::string& pattern) {
  Json list = Json::array();
  for (const TaskEntry& entry : entries)
    if (pattern.empty() || ::fnmatch(pattern.c_str(), entry.id.c_str(), 0) == 0)
      list.push_back({{"task", entry.id}, {"title", clean_text(entry.title, 200)}});
  return {{"tasks", std::move(list)}};
}

// The order that hands in kernels/ as it is at this moment.
Result<Order> order_of(const fs::path& folder, const std::string& what, const std::string& agent) {
  const auto task = read_workspace(folder);
  if (!task) return task.error();
  auto tree = copy_kernels(folder);
  if (!tree) return tree.error();
  Order order{.what = what == "submit" ? "" : what,
              .task = task->task,
              .size = task->size,
              .device = task->device,
              .agent = agent};
  for (SourceFile& file : tree->files)
    order.files.emplace(fs::path(file.name).lexically_relative("src").string(),
                        std::move(file.bytes));
  return order;
}

// The answer, cut to what a model reads.
Used answer(Result<Json> result) {
  if (!result) return result.error();
  return std::variant<Json, Order>(std::in_place_index<0>, Json::parse(fit(std::move(*result))));
}

}  // namespace

Used AgentTools::use(const std::string& tool, const Json& arguments, const std::string& agent,
                     const Surroundings& around) const {
  const Tool* known = find_tool(tool);
  if (known == nullptr)
    return Error{ErrorCode::kNotFound, fmt::format("there is no tool {}", clean_name(tool, 64)),
                 "tools/list names those there are"};
  if (auto right = check_arguments(*known, arguments); !right) return right.error();
  if (!is_token_name(agent))
    return Error{ErrorCode::kUsage, "nobody is called so",
                 "an agent's name has letters, digits and . _ - only"};
  if (tool == "list_tasks")
    return answer(list_tasks(around.entries, text_in(arguments, "pattern")));
  if (tool == "open_workspace") return answer(open(arguments, agent, around));
  const auto folder = folder_of(arguments, agent);
  if (!folder) return folder.error();
  if (auto used = use_file_tool(WorkspaceFiles(*folder), tool, arguments))
    return answer(std::move(*used));
  auto order = order_of(*folder, tool, agent);
  if (!order) return order.error();
  std::variant<Json, Order> used;
  used.emplace<Order>(std::move(*order));
  return used;
}

Result<fs::path> AgentTools::folder_of(const Json& arguments, const std::string& agent) const {
  const std::string handle = text_in(arguments, "workspace");
  const bool is_handle = handle.size() == kHandleDigits &&
                         handle.find_first_not_of("0123456789abcdef") == std::string::npos;
  const fs::path folder = folder_ / (agent + "-" + handle);
  std::error_code unknown;
  if (is_handle && fs::is_directory(folder, unknown)) return folder;
  return Error{ErrorCode::kNotFound, "no workspace of yours has this handle",
               "open_workspace makes one and returns it"};
}

Result<Json> AgentTools::open(const Json& arguments, const std::string& agent,
                              const Surroundings& around) const {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed)
    return Error{
        ErrorCode::kInfrastructure,
        fmt::format("cannot make {}: {}", clean_name(folder_.string(), 300), failed.message()),
        "check that you may write there, and that the disk has room"};
  fs::permissions(folder_, fs::perms::owner_all, failed);
  remove_oldest();
  const std::string handle = random_id();
  const auto opened = around.open(folder_ / (agent + "-" + handle), text_in(arguments, "task"),
                                  text_in(arguments, "size"));
  if (!opened) return opened.error();
  return Json{{"workspace", handle},
              {"task", opened->task},
              {"size", opened->size},
              {"device", opened->device},
              {"files", {"TASK.md", "SKILL.md", "reference.py", "task.h", "kbench.h"}},
              {"writable", "kernels/"}};
}

// Removes the oldest workspaces; so many stay, of any agent.
void AgentTools::remove_oldest() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> folders;
  std::error_code failed;
  for (fs::directory_iterator entry(folder_, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    std::error_code unknown;
    const auto when = fs::last_write_time(entry->path() / "kernels", unknown);
    folders.emplace_back(unknown ? fs::file_time_type::min() : when, entry->path());
  }
  if (folders.size() < limits::kMostWorkspaces) return;
  std::sort(folders.begin(), folders.end());
  folders.resize(folders.size() - limits::kMostWorkspaces + 1);
  for (const auto& [when, folder] : folders) fs::remove_all(folder, failed);
}

}  // namespace kbench
