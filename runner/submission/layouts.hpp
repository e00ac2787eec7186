// Folders of submissions as other benchmarks have them; ours is submission.hpp.
//
//   KernelBench   runs/NAME/level_1_problem_19_sample_0_kernel.py: the task by its level and
//   number,
//                 each sample a variant, NAME the agent
//   CUDA Agent    the folder in which its agent works: model_new.py, kernels/ and binding.cpp, for
//                 one task
//
// What is found is called as in a folder of ours, so that what is stored of it can be evaluated
// again from there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/submission/submission.hpp"

namespace kbench {

enum class FolderLayout { kKbench, kKernelBench, kCudaAgent };
[[nodiscard]] std::string_view to_string(
    FolderLayout layout);  // "kbench", "kernelbench", "cuda-agent"
[[nodiscard]] std::optional<FolderLayout> layout_from_string(std::string_view text);

// `tasks`: the ids of the suite, by which a level and a number are told. One agent's limits hold
// for the folder. Errors: kUsage.
[[nodiscard]] Result<SubmissionSet> find_kernelbench_run(const std::filesystem::path& directory,
                                                         const std::vector<std::string>& tasks,
                                                         const AgentLimits& limits = {});

// The folder itself is the submission, for `task`. Errors: kUsage, kBadInput.
[[nodiscard]] Result<SubmissionSet> find_cuda_agent_folder(const std::filesystem::path& directory,
                                                           const std::string& task);

// True for a folder with model_new.py and kernels/, and no submission.json, which would say
// otherwise.
[[nodiscard]] bool is_cuda_agent_folder(const std::filesystem::path& folder);
// Whether a file is called as in a run of KernelBench's.
[[nodiscard]] bool is_kernelbench_name(const std::string& file_name);

// Fills in a submission of CUDA Agent's folder: kind, entry, device.
void describe_cuda_agent(const std::filesystem::path& folder, Submission& submission);

}  // namespace kbench
