// The prompt of a task, made of what the machine and the installation have: the device, an example,
// kbench.h. It is the output of `kbench tasks prompt` and the TASK.md of a workspace.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/machine/target.hpp"
#include "runner/prompt/prompt_language.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// A request for a prompt. Where a value is empty, the device or the task decides.
struct PromptRequest {
  std::optional<std::string> size;
  std::optional<std::string> device;  // "cpu", "cuda" or "cuda:N"; else what there is
  std::optional<PromptLanguage> language;
  std::string precision = "torch-default";  // the class of the run
  // More facts of the prompt's device for a task of this size, {"memory bandwidth", "3200 GB/s"}.
  std::function<std::vector<std::pair<std::string, std::string>>(const TaskSize&, const Target&)>
      more_facts = {};
};

struct PromptFolders {
  std::filesystem::path abi;       // has kbench.h
  std::filesystem::path examples;  // shipped example submissions, a folder an agent
  std::filesystem::path prompts;   // examples in Python: data/prompt
};

struct TaskPrompt {
  Task task;
  std::string size;
  std::string device;  // its kind
  std::string precision;
  PromptLanguage language;
  std::string text;
};

// Errors: kUsage where the language does not run on the device, or the task has no such size; those
// of reading the task's source and kbench.h.
[[nodiscard]] Result<TaskPrompt> make_task_prompt(Task task, const PromptRequest& request,
                                                  const PromptFolders& folders);

}  // namespace kbench
