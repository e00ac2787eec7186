#include "runner/task/graph_hash.hpp"

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/core/strict_json.hpp"

namespace kbench {
namespace {

// Name, dtype and shape of each tensor: all that a package knows of its arguments.
Json signature(const Json& tensors) {
  Json kept = Json::array();
  for (const Json& tensor : tensors)
    kept.push_back({tensor.at("name"), tensor.at("dtype"), tensor.at("shape")});
  return kept;
}

}  // namespace

Result<std::string> graph_hash(const Task& task, std::string_view size) {
  const auto json = read_strict_json(task.file);
  if (!json) return json.error();
  // load_task has checked the fields that are read here.
  const Json& sizes = json->at("sizes");
  const auto found = sizes.find(std::string(size));
  if (found == sizes.end()) {
    return Error{ErrorCode::kBadInput, fmt::format("{} has no size {}", task.id, size),
                 "`kbench tasks show` lists a task's sizes"};
  }
  const Json identity = {signature(found->at("inputs")), signature(found->at("parameters")),
                         found->at("nodes"), found->at("outputs")};
  return sha256(identity.dump());
}

}  // namespace kbench
