// Which GPUs a CUDA process is shown. Oracle and worker see the one they are for, as number 0: CUDA
// starts sooner with no others to look at, and a submission cannot work on another one.
#pragma once

#include <map>
#include <string>

namespace kbench {

// The value of CUDA_VISIBLE_DEVICES that shows one device only, as number 0: the one that is number
// `index` under `variable`, our own setting (null: none).
[[nodiscard]] std::string visible_device(const char* variable, int index);

// The variables that say so of our own GPU number `index`, whatever order we have them in.
[[nodiscard]] std::map<std::string, std::string> one_gpu_environment(int index);

}  // namespace kbench
