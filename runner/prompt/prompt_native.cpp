#include <algorithm>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"
#include "runner/prompt/prompt_text.hpp"
#include "runner/submission/compiler.hpp"
#include "runner/task/task_header.hpp"

namespace kbench {
namespace {

std::string interface(const PromptParts& parts) {
  return "\n## Interface\n\n`task.h`, generated for this task and size:\n\n" +
         code_block("cpp", clean_text(task_header(parts.task, parts.size), kMaxPromptText)) +
         "\n`kbench.h`, which it includes:\n\n" +
         code_block("c", clean_text(parts.abi, kMaxPromptText));
}

std::string building(const PromptParts& parts) {
  if (!is_for_cuda(parts)) {
    return "- Compiled by `g++ -std=c++20 -O3 -march=native -fopenmp`. Use at most "
           "`context->threads` threads.\n"
           "- Standard C++ and OpenMP are there; PyTorch is not.\n";
  }
  const int cc = parts.device.compute_capability;
  return fmt::format(
      "- Compiled by `nvcc -std=c++17 -O3 {}`.\n"
      "  Launch on `context->stream`, and do not synchronise. The inputs are ready when the work "
      "is "
      "done\n"
      "  that was queued there before the call, so another stream has to wait for it by an event.\n"
      "- The CUDA runtime is there; cuBLAS and cuDNN only where a `submission.json` asks for them, "
      "and\n  the result is labelled so. PyTorch is not there.\n",
      cuda_target_flag(cc > 0 ? cuda_architecture(cc) : "NN"));
}

std::string rules(const PromptParts& parts) {
  return "\n## Rules\n\n"
         "- Define `kbench_forward` with C linkage. It reads `inputs` and `params`, writes every "
         "element of\n  every output, and returns 0.\n"
         "- `kbench_prepare`, optional, sees the parameters once before any input exists: pack "
         "weights there,\n  or compute what depends on parameters alone. It is timed apart.\n"
         "- Allocate nothing in `kbench_forward`: ask for memory by `kbench_workspace_bytes`.\n" +
         building(parts);
}

std::string skeleton(const PromptParts& parts) {
  std::string code = is_for_cuda(parts) ? "#include <cuda_runtime.h>\n\n" : "";
  code +=
      "#include \"task.h\"\n\n"
      "extern \"C\" int kbench_forward(const kb_inputs* in, const kb_params* params,\n"
      "                              const kb_outputs* out, kb_context* context) {\n";
  constexpr std::size_t kMost = 12;  // more than that is read in task.h
  const auto add = [&](std::string_view group, const std::vector<TensorSpec>& tensors) {
    for (std::size_t i = 0; i < std::min(tensors.size(), kMost); ++i)
      code += fmt::format("  // {}->{}: {}\n", group, tensors[i].name, tensor_text(tensors[i]));
    if (tensors.size() > kMost)
      code += fmt::format("  // … and {} more in {}\n", tensors.size() - kMost, group);
  };
  add("in", parts.size.inputs);
  add("params", parts.size.parameters);
  add("out", parts.size.outputs);
  code += is_for_cuda(parts) ? "  return cudaGetLastError();\n}\n" : "  return 0;\n}\n";
  return "\n## Skeleton\n\n" + code_block("cpp", code);
}

}  // namespace

LanguageText native_text(const PromptParts& parts) {
  const bool cuda = is_for_cuda(parts);
  return {.name = cuda ? "CUDA C++" : "C++",
          .file_name = answer_name(parts, cuda ? ".cu" : ".cpp"),
          .interface = interface(parts),
          .rules = rules(parts),
          .timing = cuda ? "Time is between two events on `context->stream` around the call, "
                           "bounded from below by\n  a clock outside your process."
                         : "Time is wall time of the call, taken outside your process.",
          .cheating = "",
          .skeleton = skeleton(parts)};
}

}  // namespace kbench
