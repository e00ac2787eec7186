// Parameters as a Model's own __init__ draws them right after torch.manual_seed: KernelBench's way,
// where ModelNew is made after the same seed and keeps what it drew.
#pragma once

#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/measure/players/python_program.hpp"
#include "runner/measure/players/zygote_pool.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// The seed of KernelBench's runs (eval_kernel_against_ref, seed_num).
inline constexpr int kKernelBenchSeed = 42;

// Plays the task's Model once. `request`: the files of its Python; `model`: how it is made, with a
// seed; `type` stands in the place of float32. Returns memory with the parameters of that size as
// pack() places them; those that are no part of a Model are zero. The file may be shorter than
// that, if the task's code cut it. Errors: kInfrastructure, with the reason.
[[nodiscard]] Result<UniqueFd> draw_initial_parameters(ZygotePool& pool,
                                                       const ZygoteRequest& request,
                                                       const PythonModel& model,
                                                       const TaskSize& size, DType type);

}  // namespace kbench
