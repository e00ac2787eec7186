#include "runner/prompt/task_prompt.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/os/clean_text.hpp"
#include "runner/prompt/prompt_text.hpp"
#include "runner/task/hard_draws.hpp"
#include "runner/task/working_type.hpp"

namespace kbench {
namespace {

bool is_python(const PromptParts& parts) {
  return parts.language == PromptLanguage::kPython || parts.language == PromptLanguage::kTriton;
}

std::string opening(const PromptParts& parts, const LanguageText& language) {
  return fmt::format(
      "# {}\n\n{}\n\n"
      "Write a kernel in {} that computes what `Model.forward` below computes, for exactly the "
      "shapes\nbelow (size `{}`), as fast as possible on the device below. It is compared with "
      "PyTorch eager and\nwith the compiled (AOTInductor) baseline. Your answer is one file, "
      "`{}`.\n",
      parts.task.id, clean_name(parts.task.title, 500), language.name, parts.size.name,
      language.file_name);
}

// Says whether the task counts, so that no author works for a score that does not.
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

// "bfloat16" or "float16" in a class of 16 bits; else empty.
std::string half_type(const PromptParts& parts) {
  const std::string_view half = half_class_of(parts.size);
  return half.empty() ? "" : std::string(to_string(working_type(half)));
}

std::string reference(const PromptParts& parts) {
  std::string text = "\n## Reference\n\n" + mode_text(parts.task) + "\n";
  if (parts.size.name == "small")
    text += "A dictionary `SMALL` in it overrides the constants for this size.\n";
  if (!parts.task.note.empty())
    text += fmt::format("Other than in the file: {}.\n", clean_name(parts.task.note, 4000));
  if (const std::string type = half_type(parts); !type.empty())
    text += fmt::format("All its floating tensors are {0}, as after `.to(torch.{0})`.\n", type);
  return text + "\n" + code_block("python", clean_text(parts.source, kMaxPromptText));
}

std::string checks(const PromptParts& parts) {
  const std::string type = half_type(parts);
  return fmt::format(
      "\n## What is checked\n\n"
      "- Each call, timed ones too, gets inputs of its own that nobody has seen before, and its "
      "outputs are\n  verified in full. Outputs hold garbage before the call.\n"
      "- The reference is the same graph in double precision. With E, the largest error that eager "
      "PyTorch\n  makes in an output in {}, each element may be off by 4 E + {}, "
      "and the whole\n  tensor's relative error may be four times eager's, plus rounding. Integer "
      "outputs are exact.\n  Infinities and NaNs must be where the reference has them.\n",
      type.empty() ? "single precision" : type, type.empty() ? "64 ulp" : "1 ulp of that type");
}

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
  if (const std::string type = half_type(parts); !type.empty())
    return fmt::format(
        "- Precision class `{}`: inputs, parameters and outputs are {}, yours and eager's. Sums "
        "in single\n  precision that are rounded at the end pass. A type of 8 bits does not, nor "
        "does a missing bias: means\n  over each channel and each row are checked as well, and "
        "biases "
        "are once drawn from [-1, 1).\n",
        half_class_of(parts.size), type);
  return std::string("- Precision class `torch-default`: ") +
         (is_for_cuda(parts)
              ? "what PyTorch does when nobody asks. Convolutions and recurrent layers "
                "may use\n  TF32, matrix products may not. "
              : "single precision throughout. ") +
         "Lower precision than that does not pass.\n";
}

std::string timing(const LanguageText& language) {
  return "\n## How time is taken\n\n- " + language.timing +
         "\n- Eager, compiled and yours take turns in short blocks of random order, on fresh "
         "inputs, over several\n  placements of the buffers. No call finds its inputs or outputs "
         "in a cache. They\n  lie in pages that are chosen alike for all sides.\n"
         "- The result is the median ratio of baseline to yours, with its 95 % interval.\n";
}

std::string cheating(const LanguageText& language) {
  return "\n## What counts as cheating\n\n"
         "It is looked for, and disqualifies:\n\n"
         "- keeping results, or anything computed from inputs, from one call to the next;\n"
         "- work that goes on after the call returned, in other threads or on other streams;\n"
         "- leaving out elements, operators or parameters (algebra that is right for all inputs "
         "and "
         "parameters is\n  allowed), or computing in lower precision;\n" +
         language.cheating +
         "- writing outside the tensors and the workspace, or changing inputs;\n"
         "- looking for the reference, the clock or the verdict. Your code runs in a sandbox "
         "without network,\n  files or other processes, and none of these is in it.\n\n"
         "Reading outside the tensors is a bug too, but a run may not notice it.\n\n"
         "Nor is it of use to bind threads: they are given their cores, and are stopped between "
         "calls. What your\ncode prints is shown to you if it fails, and discarded if it works.\n";
}

std::string device(const PromptParts& parts) {
  const PromptDevice& device = parts.device;
  std::string text = "\n## Device\n\n";
  if (device.name.empty()) {
    return text +
           fmt::format("An NVIDIA GPU, which is not in the machine that wrote this: {} about it.\n",
                       is_python(parts) ? "`torch.cuda.get_device_properties(0)` tells"
                                        : "`context` tells `kbench_forward`");
  }
  text += fmt::format("{}\n\n", device.name);
  for (const auto& [label, value] : device.facts) text += fmt::format("- {}: {}\n", label, value);
  return text;
}

std::string example(const PromptParts& parts) {
  if (!parts.example) return "";
  return fmt::format(
             "\n## Example\n\nA submission for another task, {}, that is correct and fast.\n\n",
             parts.example->task) +
         code_block(is_python(parts) ? "python" : "cpp",
                    clean_text(parts.example->text, kMaxPromptText));
}

}  // namespace

bool is_for_cuda(const PromptParts& parts) { return parts.device.kind == "cuda"; }

std::string answer_name(const PromptParts& parts, std::string_view ending) {
  const std::string& id = parts.task.id;
  return fmt::format("{}{}", id.substr(id.find('/') + 1), ending);
}

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

std::string tensor_text(const TensorSpec& tensor) {
  return fmt::format("{} [{}]", to_string(tensor.dtype), fmt::join(tensor.shape, ", "));
}

std::string task_prompt(const PromptParts& parts) {
  const LanguageText language = is_python(parts) ? python_text(parts) : native_text(parts);
  return opening(parts, language) + worth(parts.task) + reference(parts) + language.interface +
         language.rules + checks(parts) + hard_draws(parts.size) + precision(parts) +
         timing(language) + cheating(language) + device(parts) + language.skeleton + example(parts);
}

}  // namespace kbench
