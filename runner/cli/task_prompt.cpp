#include "runner/cli/task_prompt.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/os/clean_text.hpp"
#include "runner/submission/compiler.hpp"
#include "runner/task/hard_draws.hpp"
#include "runner/task/task_header.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMaxText = 1u << 20;

bool on_cuda(const PromptParts& parts) { return parts.device.kind == "cuda"; }

// A fence of more backticks than the text has in a row.
std::string code_block(std::string_view language, const std::string& text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  return fmt::format("{0}{1}\n{2}{3}{0}\n", fence, language, text,
                     text.ends_with('\n') ? "" : "\n");
}

std::string file_name(const PromptParts& parts) {
  const std::string& id = parts.task.id;
  return id.substr(id.find('/') + 1) + (on_cuda(parts) ? ".cu" : ".cpp");
}

std::string opening(const PromptParts& parts) {
  return fmt::format(
      "# {}\n\n{}\n\n"
      "Write a kernel in {} that computes what `Model.forward` below computes, for exactly the "
      "shapes\nbelow (size `{}`), as fast as possible on the device below. It is compared with "
      "PyTorch eager and\nwith the compiled (AOTInductor) baseline. Your answer is one file, "
      "`{}`.\n",
      parts.task.id, clean_name(parts.task.title, 500), on_cuda(parts) ? "CUDA C++" : "C++",
      parts.size.name, file_name(parts));
}

// So that nobody works for a score that does not count.
std::string worth(const Task& task) {
  const std::string why = why_unranked(task.lint_accepts);
  return why.empty() ? ""
                     : fmt::format("\nThis task counts in no score: {}.\n", clean_name(why, 4000));
}

std::string mode_text(const Task& task) {
  if (task.mode == "eval")
    return "The module is in eval mode: batch norm uses its running statistics, dropout is off.";
  return "The module is in train mode without side effects: batch norm uses the statistics of the "
         "batch,\nrunning statistics are neither read nor kept, dropout is off.";
}

std::string reference(const PromptParts& parts) {
  std::string text = "\n## Reference\n\n" + mode_text(parts.task) + "\n";
  if (parts.size.name == "small")
    text += "A dictionary `SMALL` in it overrides the constants for this size.\n";
  if (!parts.task.note.empty())
    text += fmt::format("Other than in the file: {}.\n", clean_name(parts.task.note, 4000));
  return text + "\n" + code_block("python", clean_text(parts.source, kMaxText));
}

std::string interface(const PromptParts& parts) {
  return "\n## Interface\n\n`task.h`, generated for this task and size:\n\n" +
         code_block("cpp", clean_text(task_header(parts.task, parts.size), kMaxText)) +
         "\n`kbench.h`, which it includes:\n\n" + code_block("c", clean_text(parts.abi, kMaxText));
}

std::string building(const PromptParts& parts) {
  if (!on_cuda(parts)) {
    return "- Compiled by `g++ -std=c++20 -O3 -march=native -fopenmp`. Use at most "
           "`context->threads` threads.\n"
           "- Standard C++ and OpenMP are there; PyTorch is not.\n";
  }
  const int cc = parts.device.compute_capability;
  return fmt::format(
      "- Compiled by `nvcc -std=c++17 -O3 {}`.\n"
      "  Launch on `context->stream`, and do not wait: the inputs show when what is queued there "
      "has\n"
      "  ended, so work on another stream waits for it by an event.\n"
      "- The CUDA runtime is there; cuBLAS and cuDNN only where a `submission.json` asks for them, "
      "and\n  the result is labelled so. PyTorch is not there.\n",
      cuda_target_flag(cc > 0 ? cuda_architecture(cc) : "NN"));
}

std::string rules(const PromptParts& parts) {
  std::string text = "\n## Rules\n\n";
  text +=
      "- Define `kbench_forward` with C linkage. It reads `inputs` and `params`, writes every "
      "element of\n  every output, and returns 0.\n"
      "- `kbench_prepare`, optional, sees the parameters once before any input exists: pack "
      "weights there.\n  It is timed apart.\n"
      "- Allocate nothing in `kbench_forward`: ask for memory by `kbench_workspace_bytes`.\n";
  return text + building(parts);
}

constexpr std::string_view kChecks =
    "\n## What is checked\n\n"
    "- Each call, timed ones too, gets inputs of its own that nobody has seen before, and its "
    "outputs are\n  verified in full. Outputs hold garbage before the call.\n"
    "- The reference is the same graph in double precision. With E, the largest error that eager "
    "PyTorch\n  makes in an output in single precision, each element may be off by 4 E + 64 ulp, "
    "and the whole\n  tensor's relative error may be four times eager's, plus rounding. Integer "
    "outputs are exact.\n  Infinities and NaNs must be where the reference has them.\n";

// Besides the task's own distribution.
std::string hard_draws(const TaskSize& size) {
  std::string text;
  for (const HardDrawRule& rule : size.hard_draws)
    if (rule.applies()) text += fmt::format("{}{}", text.empty() ? "" : ", ", describe(rule.draw));
  if (text.empty()) return "";
  return fmt::format(
      "- Before it is timed it is also called on inputs with: {}.\n  The same rule holds for "
      "these.\n",
      text);
}

std::string precision(const PromptParts& parts) {
  return std::string("- Precision class `torch-default`: ") +
         (on_cuda(parts) ? "what PyTorch does when nobody asks. Convolutions and recurrent layers "
                           "may use\n  TF32, matrix products may not. "
                         : "single precision throughout. ") +
         "Lower precision than that does not pass.\n";
}

std::string timing(const PromptParts& parts) {
  const std::string clock =
      on_cuda(parts) ? "Time is between two events on `context->stream` around the call, bounded "
                       "from below by\n  a clock outside your process."
                     : "Time is wall time of the call, taken outside your process.";
  return "\n## How time is taken\n\n- " + clock +
         "\n- Eager, compiled and yours take turns in short blocks of random order, on fresh "
         "inputs, over several\n  placements of the buffers, with caches flushed before each "
         "call. Inputs and\n  outputs lie in pages that are chosen alike for all sides.\n"
         "- The result is the median ratio of baseline to yours, with its 95 % interval.\n";
}

constexpr std::string_view kCheating =
    "\n## What counts as cheating\n\n"
    "It is looked for, and disqualifies:\n\n"
    "- keeping results, or anything computed from inputs, from one call to the next;\n"
    "- work that goes on after the call returned, in other threads or on other streams;\n"
    "- leaving out elements, operators or parameters, or computing in lower precision;\n"
    "- reading or writing outside the tensors and the workspace, or changing inputs;\n"
    "- looking for the reference, the clock or the verdict. Your code runs in a sandbox without "
    "network,\n  files or other processes, and none of these is in it.\n\n"
    "Nor is it of use to bind threads: they are given their cores, and are stopped between calls. "
    "What your\ncode prints is shown to you if it fails, and discarded if it works.\n";

std::string device(const PromptParts& parts) {
  const PromptDevice& device = parts.device;
  std::string text = "\n## Device\n\n";
  if (device.name.empty()) {
    return text +
           "An NVIDIA GPU, which is not in the machine that wrote this: `context` tells "
           "`kbench_forward` about it.\n";
  }
  text += fmt::format("{}\n\n", device.name);
  for (const auto& [label, value] : device.facts) text += fmt::format("- {}: {}\n", label, value);
  return text;
}

std::string tensor_comment(std::string_view group, const TensorSpec& tensor) {
  return fmt::format("  // {}->{}: {} [{}]\n", group, tensor.name, to_string(tensor.dtype),
                     fmt::join(tensor.shape, ", "));
}

std::string skeleton(const PromptParts& parts) {
  std::string code = on_cuda(parts) ? "#include <cuda_runtime.h>\n\n" : "";
  code +=
      "#include \"task.h\"\n\n"
      "extern \"C\" int kbench_forward(const kb_inputs* in, const kb_params* params,\n"
      "                              const kb_outputs* out, kb_context* context) {\n";
  constexpr std::size_t kMost = 12;  // more than that is read in task.h
  const auto add = [&](std::string_view group, const std::vector<TensorSpec>& tensors) {
    for (std::size_t i = 0; i < std::min(tensors.size(), kMost); ++i)
      code += tensor_comment(group, tensors[i]);
    if (tensors.size() > kMost)
      code += fmt::format("  // … and {} more in {}\n", tensors.size() - kMost, group);
  };
  add("in", parts.size.inputs);
  add("params", parts.size.parameters);
  add("out", parts.size.outputs);
  code += on_cuda(parts) ? "  return cudaGetLastError();\n}\n" : "  return 0;\n}\n";
  return "\n## Skeleton\n\n" + code_block("cpp", code);
}

std::string example(const PromptParts& parts) {
  if (!parts.example) return "";
  return fmt::format(
             "\n## Example\n\nA submission for another task, {}, that is correct and fast.\n\n",
             parts.example->task) +
         code_block("cpp", clean_text(parts.example->text, kMaxText));
}

}  // namespace

std::string task_prompt(const PromptParts& parts) {
  return opening(parts) + worth(parts.task) + reference(parts) + interface(parts) + rules(parts) +
         std::string(kChecks) + hard_draws(parts.size) + precision(parts) + timing(parts) +
         std::string(kCheating) + device(parts) + skeleton(parts) + example(parts);
}

}  // namespace kbench
