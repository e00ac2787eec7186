// Environment variables of oracle and workers that decide how they use the device. They are the
// same on all sides; else a comparison on a CPU compares schedulers instead of kernels.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace kbench {

// "cpu": one thread to a core, and a short spin before a waiting thread sleeps. Without binding,
// two threads of a team may share a core and wait for each other. Without spinning, a virtual
// machine wakes its core for every parallel region: a GRU of many small ones took 30 ms instead
// of 7.5 ms on two cores. The side that does not run is stopped (SIGSTOP), so its spinning threads
// take no core from the other. Places are named by number: OpenMP looks "threads" up in /sys, which
// a sandbox does not show, and then binds nothing. "cuda": the thread count only, since launching
// kernels needs no particular core.
[[nodiscard]] std::map<std::string, std::string> openmp_environment(std::string_view device,
                                                                    int threads);

// Each CUDA process sees the one GPU that it is for, as number 0: CUDA starts sooner with no others
// to look at, and a submission cannot work on another one.
//
// The value of CUDA_VISIBLE_DEVICES that shows one device only, as number 0: the one that is number
// `index` under `variable`, our own setting (null: none).
[[nodiscard]] std::string visible_device(const char* variable, int index);

// The variables that show our own GPU number `index`, in any order of our GPUs.
[[nodiscard]] std::map<std::string, std::string> one_gpu_environment(int index);

}  // namespace kbench
