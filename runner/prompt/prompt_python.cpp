#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/os/clean_text.hpp"
#include "runner/prompt/prompt_text.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMaxName = 400;

bool is_triton(const PromptParts& parts) { return parts.language == PromptLanguage::kTriton; }

std::string table(std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  return fmt::format("\n{}:\n\n{}\n", title, fmt::join(lines, "\n"));
}

std::vector<std::string> tensor_lines(const std::vector<TensorSpec>& tensors) {
  std::vector<std::string> lines;
  for (const TensorSpec& tensor : tensors)
    lines.push_back(fmt::format("- `{}`: {}", tensor.name, tensor_text(tensor)));
  return lines;
}

// Parameters that the module keeps; a constant that forward makes itself has no such place.
std::vector<const TensorSpec*> kept_parameters(const PromptParts& parts) {
  std::vector<const TensorSpec*> kept;
  for (const TensorSpec& tensor : parts.size.parameters)
    if (!tensor.fqn.empty()) kept.push_back(&tensor);
  return kept;
}

std::string interface(const PromptParts& parts) {
  std::vector<std::string> parameters;
  for (const TensorSpec* tensor : kept_parameters(parts))
    parameters.push_back(
        fmt::format("- `{}`: {}", clean_name(tensor->fqn, kMaxName), tensor_text(*tensor)));
  return "\n## Interface\n\nA class `ModelNew(nn.Module)`, which is made as `Model` is, by "
         "`ModelNew(*get_init_inputs())`, and called\nwith the inputs in this order. All tensors "
         "are contiguous and on the device.\n" +
         table("Inputs of `forward`", tensor_lines(parts.size.inputs)) +
         table("What it returns, one tensor or a tuple", tensor_lines(parts.size.outputs)) +
         table("Parameters and buffers that it is given, by their names in `state_dict()`",
               parameters);
}

// Words on the build step for authors who have something compiled: where that happens, and on what
// it may depend.
constexpr const char* kBuildStep =
    "- `load_inline` and `load` of `torch.utils.cpp_extension` may be used: what they are asked "
    "for is compiled\n  in a build step of its own, before anything is timed, and the result "
    "shows how long that took. The step\n  imports your file and makes a `ModelNew`, so call them "
    "there. Each later process gets the very library\n  that was built for the same sources and "
    "flags, whatever its name; it has no compiler, and whatever is\n  asked for in other words is "
    "an "
    "error, caught or not. Where an extension does not compile and your file\n  catches that, what "
    "it "
    "does then is judged, and the result says so (label `fallback`).";

std::string building(const PromptParts& parts) {
  if (is_triton(parts)) {
    return "- Triton runs on CUDA only. Kernels are compiled, and tuned where there is "
           "`@triton.autotune`, in a build\n  step of its own, before anything is timed: it makes "
           "a `ModelNew` and calls `forward` once, with tensors\n  of the shapes and types above. "
           "Later processes have the kernels that were compiled then, and no compiler:\n  let "
           "what is launched depend on nothing but shapes and types. Launch on the current "
           "stream, and do\n  not wait.\n";
  }
  if (is_for_cuda(parts)) {
    return std::string(kBuildStep) +
           " The GPU's architecture is\n  chosen for you. Launch on the current stream, and do not "
           "wait.\n";
  }
  return std::string(kBuildStep) +
         "\n- numpy is there. What imports Triton, or asks for `torch.compile`, is `skipped`: "
         "neither is offered on\n  a CPU. Use no more threads than `torch.get_num_threads()`. No "
         "process can be started.\n";
}

std::string rules(const PromptParts& parts) {
  return "\n## Rules\n\n"
         "- Values of parameters are set after `ModelNew` was made: equal seeds give nothing, and "
         "what `__init__`\n  packs is stale. Names and shapes must be those of `Model`'s "
         "`state_dict()`, or the shapes alone, in its\n  order. What is missing or left over is an "
         "error, `parameters_differ`. Register fused or packed weights\n  as no parameter.\n"
         "- `kbench_prepare(self)`, optional, is called once for each set of parameters, before "
         "any input\n  exists: pack or fuse weights there. It is timed apart. Without it the first "
         "call of a session, which\n  is not timed, may do so, and the result says that it did.\n"
         "- `forward` returns tensors of the shapes and types above, not views of its inputs, and "
         "leaves its\n  inputs as they are. Gradients are off.\n"
         "- PyTorch may hold and move data: allocation, views, reshapes, copies, casts, random "
         "access. A call\n  of one of its operators that computes (`relu`, `matmul`, `add`, `sum` "
         "…) falls back to what you are\n  compared with. By default (`--allow-torch data`) the "
         "result is then labelled `uses_torch`, with the\n  operators, and is ranked apart; with "
         "`--allow-torch all` it is ranked with the others, and with\n  `--allow-torch none` it "
         "is rejected. `x + y` and `x * 2` on tensors are such calls, too.\n"
         "- `Model` is not there to be imported, nor is any other file than yours. What you write "
         "goes below the\n  working directory or `TMPDIR`, and is gone afterwards; nothing of it "
         "can "
         "be loaded as code.\n" +
         building(parts);
}

constexpr std::string_view kCheating =
    "- replacing functions of PyTorch, of Python or of the clock, hooks, `atexit`, tricks with the "
    "garbage\n  collector: nothing of the verdict is in your process;\n"
    "- tensors that compute when they are looked at, subclasses of tensors, CUDA graphs over "
    "pointers of an\n  earlier call;\n";

std::string skeleton(const PromptParts& parts) {
  std::vector<std::string> arguments{"self"};
  for (const TensorSpec& tensor : parts.size.inputs) arguments.push_back(tensor.name);
  std::string code = is_triton(parts)
                         ? "import torch\nimport triton\nimport triton.language as tl\n"
                           "from torch import nn\n\n\n@triton.jit\ndef kernel(x, y, elements, "
                           "BLOCK: tl.constexpr):\n    pass\n"
                         : "import torch\nfrom torch import nn\n";
  code +=
      "\n\nclass ModelNew(nn.Module):\n"
      "    def __init__(self, *args, **kwargs):  # as Model's\n"
      "        super().__init__()\n";
  constexpr std::size_t kMost = 12;  // more than that is read above
  const auto parameters = kept_parameters(parts);
  for (std::size_t i = 0; i < std::min(parameters.size(), kMost); ++i)
    code += fmt::format("        # {}: {}\n", clean_name(parameters[i]->fqn, kMaxName),
                        tensor_text(*parameters[i]));
  if (parameters.size() > kMost)
    code += fmt::format("        # … and {} more\n", parameters.size() - kMost);
  if (!parameters.empty())
    code += "\n    def kbench_prepare(self):\n        pass  # optional: pack weights\n";
  code += fmt::format("\n    def forward({}):\n", fmt::join(arguments, ", "));
  for (const TensorSpec& tensor : parts.size.inputs)
    code += fmt::format("        # {}: {}\n", tensor.name, tensor_text(tensor));
  std::vector<std::string> names;
  for (const TensorSpec& tensor : parts.size.outputs) {
    code += fmt::format(
        "        {} = torch.empty({}, dtype=torch.{}, device=\"{}\")\n", tensor.name,
        fmt::format("({}{})", fmt::join(tensor.shape, ", "), tensor.shape.size() == 1 ? "," : ""),
        to_string(tensor.dtype), parts.device.kind);
    names.push_back(tensor.name);
  }
  code += fmt::format("        return {}\n", fmt::join(names, ", "));
  return "\n## Skeleton\n\n" + code_block("python", code);
}

}  // namespace

LanguageText python_text(const PromptParts& parts) {
  return {
      .name = is_triton(parts) ? "Triton" : "Python",
      .file_name = answer_name(parts, ".py"),
      .interface = interface(parts),
      .rules = rules(parts),
      .timing = fmt::format(
          "Time is {} around the call, from a clock outside your process. What is\n  returned is "
          "read where it lies once the call is over: no copy of it is in the time, and what\n  "
          "Python takes is.",
          is_for_cuda(parts) ? "that of the device and its stream" : "wall time"),
      .cheating = std::string(kCheating),
      .skeleton = skeleton(parts)};
}

}  // namespace kbench
