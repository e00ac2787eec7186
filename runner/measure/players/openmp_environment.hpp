// How OpenMP behaves in the oracle and in the worker: the same on both sides, or a comparison on
// CPU compares schedulers instead of kernels.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace kbench {

// "cpu": one thread to a core, and a short spin before a waiting thread sleeps. Without binding,
// two threads of a team may share a core and wait for each other. Without spinning, a virtual
// machine wakes its core for every parallel region: a GRU of many small ones took 30 ms instead
// of 7.5 ms on two cores. Whoever does not run is stopped (SIGSTOP), so no spinning thread takes a
// core from the other side. Places are named by number: OpenMP looks "threads" up in /sys, which a
// sandbox does not show, and then binds nothing. "cuda": the thread count only, since launching
// kernels needs no particular core.
[[nodiscard]] std::map<std::string, std::string> openmp_environment(std::string_view device,
                                                                    int threads);

}  // namespace kbench
