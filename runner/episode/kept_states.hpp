// States that agents were in, taken into a database: out of what another agent or an evolution
// left, or out of stored episodes. A run of its own holds them, so that they outlive what they came
// from. Prints nothing, and knows no exit code.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/judge/workspace_requests.hpp"
#include "runner/store/store.hpp"
#include "runner/trajectory/frozen_state.hpp"

namespace kbench {

struct StateImport {
  std::string kind;                          // "openevolve" or "jsonl": what left the files
  std::vector<std::filesystem::path> paths;  // files, and folders to search
  SuiteFolder suite;
  std::string task;  // task of the kernels; must select exactly one
  std::optional<std::string> size;
  std::optional<std::string> device;
  std::string trajectory;  // a name for it; empty: the importer's own
};

// Errors: kUsage, paths that cannot be read, nothing in a folder, a name that is none; kBadInput,
// files that are no trajectory; those of prompt_of_task.
[[nodiscard]] Result<FrozenTexts> import_states(const StateImport& request,
                                                const Installation& installation);

struct EpisodesToFreeze {
  std::vector<std::string> episodes;  // starts of ids; none: those of `run`, or all
  std::optional<std::string> run;     // a name of store/run_name.hpp
};

// A state that several episodes reached is among them once. Errors: kNotFound; those of the store
// and of freeze_episode.
[[nodiscard]] Result<FrozenTexts> freeze_episodes(const Store& store,
                                                  const EpisodesToFreeze& request);

// The id of the new run that holds them. Errors: those of the store.
[[nodiscard]] Result<std::string> keep_states(Store& store, const FrozenTexts& frozen,
                                              const std::string& command_line);

// "12 nodes of 3 states, 2 with a fresh context", and how many tell what a report would.
[[nodiscard]] std::string words(const FrozenTexts& frozen);

}  // namespace kbench
