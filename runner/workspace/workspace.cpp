#include "runner/workspace/workspace.hpp"

#include <array>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"
#include "runner/submission/manifest.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecord = "workspace.json";

Error usage(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

std::string shown(const fs::path& path) { return clean_name(path.string(), 300); }

Status write_below(const fs::path& file, const std::string& bytes) {
  std::error_code ignored;  // a folder that cannot be made fails the write below
  fs::create_directories(file.parent_path(), ignored);
  return write_new_file(file, bytes);
}

}  // namespace

Status make_workspace(const fs::path& folder, const WorkspaceTask& task,
                      const WorkspaceTexts& texts) {
  std::error_code failed;
  // A foreign folder may hold a link to where its owner may not write.
  for (const fs::path& place : {folder, folder / "kernels"})
    if (fs::is_symlink(place, failed))
      return usage(fmt::format("{} is a link", shown(place)), "open the workspace in a new folder");
  fs::create_directories(folder / "kernels", failed);
  if (failed)
    return usage(fmt::format("cannot make {}: {}", shown(folder / "kernels"), failed.message()),
                 "name a folder that can be written to");
  const std::array<std::pair<const char*, std::string>, 6> files{{{"TASK.md", texts.task_md},
                                                                  {"SKILL.md", texts.skill_md},
                                                                  {"reference.py", texts.reference},
                                                                  {"task.h", texts.task_header},
                                                                  {"kbench.h", texts.abi},
                                                                  {kRecord, workspace_text(task)}}};
  // A file is never written over existing work.
  for (const auto& [name, text] : files)
    if (fs::exists(fs::symlink_status(folder / name, failed)))
      return usage(fmt::format("{} is there already", shown(folder / name)),
                   "open the workspace in a new folder");
  for (const auto& [name, text] : files)
    if (auto written = write_new_file(folder / name, text); !written) return written;
  return Done{};
}

Result<WorkspaceTask> read_workspace(const fs::path& folder) {
  constexpr std::size_t kMostBytes = 64u << 10;
  const auto text = read_foreign_file(folder / kRecord, kMostBytes);
  if (!text)
    return usage(fmt::format("{} is no workspace: it has no {}", shown(folder), kRecord),
                 "`kbench workspace open TASK DIR` makes one");
  return parse_workspace_text(*text, kRecord);
}

Result<WorkspaceTask> read_workspace(const fs::path& folder, const WorkspaceRecords& records) {
  const auto record = records.find(folder);
  if (!record) return record.error();
  auto told = read_workspace(folder);
  if (!*record && !told) return told;
  if (!*record)
    return usage(fmt::format("{} was not opened here: there is no record of it", shown(folder)),
                 "a workspace stays where `kbench workspace open` made it, and is used by whoever "
                 "opened it: open it again, in another folder");
  // A workspace.json that differs from the record is refused, so that it misleads no reader.
  if (!told || *told != **record)
    return usage(fmt::format("{} in {} is not what kbench wrote", kRecord, shown(folder)),
                 "open the workspace again, in another folder");
  return told;
}

Status add_submission(const fs::path& folder, const KernelTree& tree, const std::string& task,
                      const std::string& agent, const std::string& variant) {
  const fs::path place = folder / agent / (variant.empty() ? task : task + "@" + variant);
  for (const SourceFile& file : tree.files) {
    const fs::path below = fs::path(file.name).lexically_relative("src");
    if (auto written = write_below(place / below, file.bytes); !written) return written;
  }
  return Done{};
}

Result<StagedKernels> stage_tree(const KernelTree& tree, const WorkspaceTask& task,
                                 const std::string& agent) {
  auto scratch = ScratchFolder::make("kbench-workspace");
  if (!scratch) return scratch.error();
  if (auto added = add_submission(scratch->path(), tree, task.task, agent, ""); !added)
    return added.error();
  return StagedKernels{std::move(*scratch), tree.hash};
}

Result<StagedKernels> stage_kernels(const fs::path& folder, const WorkspaceTask& task,
                                    const std::string& agent) {
  if (agent.size() > 64 || !is_plain_relative_path(agent) || agent.find('/') != agent.npos)
    return usage(fmt::format("\"{}\" is no name of an agent", clean_name(agent, 64)),
                 "use at most 64 letters, digits and . _ + - only: --agent NAME");
  const auto tree = copy_kernels(folder);
  if (!tree) return tree.error();
  return stage_tree(*tree, task, agent);
}

}  // namespace kbench
