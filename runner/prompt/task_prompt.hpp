// The text of `kbench tasks prompt`: all that an author of a kernel for one task needs to know, in
// Markdown. A pure function of its parts, so that a golden test holds its form; make_prompt gathers
// the parts.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/prompt/prompt_language.hpp"
#include "runner/task/task.hpp"

namespace kbench {

struct PromptDevice {
  std::string kind;  // "cpu" or "cuda"
  std::string name;  // "NVIDIA H200"; empty where the device is not in this machine
  std::vector<std::pair<std::string, std::string>> facts;  // {"memory", "139.8 GiB"}
  int compute_capability = 0;                              // CUDA: 10 * major + minor; 0: unknown
};

// A submission that is known to be good, for another task, and needs no file but task.h.
struct PromptExample {
  std::string task;  // "level1/019_relu"
  std::string text;
};

struct PromptParts {
  const Task& task;
  const TaskSize& size;
  std::string source;                              // the text of task.source
  std::string abi;                                 // text of kbench.h
  PromptLanguage language = PromptLanguage::kCpp;  // one that runs on the device
  PromptDevice device;
  std::optional<PromptExample> example;
};

// Foreign text in it (source, title) has no control characters left, and cannot end its code block.
[[nodiscard]] std::string task_prompt(const PromptParts& parts);

}  // namespace kbench
