// Makes states and nodes of what a foreign agent left, from any kind of file. Pure.
//
// What is imported is foreign text: names and sizes are bounded here, and ids are made of contents,
// so that they do not depend on the order of the files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/trajectory/frozen_state.hpp"
#include "runner/trajectory/state_context.hpp"

namespace kbench {

inline constexpr std::size_t kMostImportedNodes = 100'000;
inline constexpr std::size_t kMostImportedBytes = 512u << 20;      // size of all files
inline constexpr std::size_t kMostImportedKernelBytes = 1u << 20;  // size of all files of a kernel
inline constexpr std::size_t kMostImportedKernelFiles = 64;

// The task that imported kernels are for.
struct ImportSetting {
  std::string task;
  std::string task_hash;
  std::string size;
  std::string device;
  std::string prompt;      // prompt of the task, for fresh contexts
  std::string trajectory;  // a name for it; empty: the importer's own
};

struct ImportedNode {
  std::string where;                 // "file:3", for messages
  std::vector<std::string> parents;  // names, as they are keys
  std::string trajectory;
  std::int64_t generation = 0;
  std::map<std::string, std::string> files;  // text by path: "src/main.cu"
  std::optional<StateContext> context;       // nothing: a fresh one
  std::vector<std::string> reports;          // texts said of the kernel
  Json outcome = Json::object();
};

// Errors: kBadInput, with `where`: a parent that is not among them, a cycle, a kernel that is too
// large or names a path that none may have.
[[nodiscard]] Result<FrozenTexts> make_nodes(const std::map<std::string, ImportedNode>& nodes,
                                             const ImportSetting& setting,
                                             const std::string& origin);

// 1 to 200 bytes of UTF-8 without control characters: an id or a name that may be shown.
[[nodiscard]] bool is_foreign_name(std::string_view text);
// The path of a kernel's one file: "src/main.cu" or "src/main.cpp".
[[nodiscard]] std::string kernel_file(const std::string& device);

}  // namespace kbench
