#include "runner/workspace/workspace_record.hpp"

#include <array>
#include <regex>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/core/json.hpp"
#include "runner/core/precision_class.hpp"
#include "runner/core/sha256.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/os/files.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSchema = "kbench-workspace/1";
constexpr std::size_t kMostBytes = 64u << 10;

Error usage(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

bool is_task_id(const std::string& id) {
  static const std::regex kId("level[0-9]{1,2}/[0-9]{3,6}_[A-Za-z0-9_]{1,100}");
  return id.size() <= 120 && std::regex_match(id, kId);
}

Result<std::string> member(const Json& record, const char* name, const std::string& what) {
  const auto found = record.find(name);  // end() of what is no object
  if (found == record.end() || !found->is_string())
    return usage(fmt::format("{} has no \"{}\"", what, name),
                 "open the workspace again, in another folder");
  return found->get<std::string>();
}

// The folder's path, by whatever links it was reached.
fs::path resolved(const fs::path& folder) {
  std::error_code failed;
  fs::path whole = fs::weakly_canonical(fs::absolute(folder, failed), failed);
  return whole.has_filename() ? whole : whole.parent_path();
}

}  // namespace

std::string workspace_text(const WorkspaceTask& task) {
  Json record = {
      {"schema", kSchema}, {"task", task.task}, {"size", task.size}, {"device", task.device}};
  if (task.precision != WorkspaceTask().precision) record["precision"] = task.precision;
  return record.dump(1) + "\n";
}

Result<WorkspaceTask> parse_workspace_text(const std::string& text, const std::string& what) {
  const auto record = parse_strict_json(text, what, {.max_bytes = kMostBytes, .max_depth = 4});
  if (!record) return usage(record.error().message, record.error().hint);
  std::array<std::string, 4> values;
  constexpr std::array kNames{"schema", "task", "size", "device"};
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto value = member(*record, kNames[i], what);
    if (!value) return value.error();
    values[i] = std::move(*value);
  }
  const auto& [schema, task, size, device] = values;
  WorkspaceTask read{task, size, device};
  // A precision stands in the record only where it is not the usual one.
  if (record->contains("precision")) {
    auto precision = member(*record, "precision", what);
    if (!precision) return precision.error();
    read.precision = std::move(*precision);
  }
  const bool known = is_precision_class(read.precision) && schema == kSchema && is_task_id(task) &&
                     (size == "small" || size == "full") && (device == "cpu" || device == "cuda");
  if (!known)
    return usage(fmt::format("{} is not what kbench wrote", what),
                 "open the workspace again, in another folder");
  return read;
}

WorkspaceRecords::WorkspaceRecords(const fs::path& state)
    : records_(state.empty() ? fs::path() : state / "workspaces") {}

fs::path WorkspaceRecords::file_of(const fs::path& folder) const {
  return records_ / (sha256(resolved(folder).string()) + ".json");
}

Status WorkspaceRecords::keep(const fs::path& folder, const WorkspaceTask& task) const {
  if (records_.empty())
    return Error{
        ErrorCode::kInfrastructure,
        "there is no folder for the record of a workspace: neither XDG_STATE_HOME nor HOME "
        "names an absolute path",
        "set XDG_STATE_HOME to a folder that you alone may write to"};
  std::error_code failed;
  fs::create_directories(records_, failed);
  if (failed)
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("cannot make {}: {}", records_.string(), failed.message()),
                 "make it writable, or set XDG_STATE_HOME"};
  return write_atomically(file_of(folder), workspace_text(task), 0600);
}

Result<std::optional<WorkspaceTask>> WorkspaceRecords::find(const fs::path& folder) const {
  if (records_.empty()) return std::optional<WorkspaceTask>();
  const fs::path file = file_of(folder);
  const auto text = read_file(file);
  if (!text) return std::optional<WorkspaceTask>();
  auto task = parse_workspace_text(*text, file.string());
  if (!task) return task.error();
  return std::optional(std::move(*task));
}

bool WorkspaceRecords::hold(const fs::path& folder) const {
  if (records_.empty()) return false;
  std::error_code failed;
  fs::path here = resolved(folder);
  while (!fs::exists(file_of(here), failed)) {
    if (!here.has_relative_path()) return false;
    here = here.parent_path();
  }
  return true;
}

}  // namespace kbench
