// Starts one program under a keeper. Theory of operation:
//
//   supervisor ── keeper ── [bwrap ──] kbench-enter ── program ── whatever that starts
//
// The keeper is a fork of the supervisor that never executes anything: it holds the reading end of
// a "lifeline" pipe, is the subreaper of everything below it, and ends only after all of that is
// dead and reaped. When the lifeline breaks, because kill() closed it or because the supervisor was
// killed itself, the keeper stops every process below it (what is stopped cannot fork away), kills
// them and reaps them. Its own end shows as end-of-file on the status pipe. So nothing outlives the
// supervisor, no matter which of its threads started the program (PR_SET_PDEATHSIG alone follows
// the thread, and covers no grandchildren).
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"

namespace kbench {

struct LaunchPlan {
  std::vector<std::string> argv;         // argv[0] is an absolute path
  std::vector<std::string> environment;  // "NAME=value"; nothing is inherited
  std::string working_directory = "/";
  std::vector<std::pair<int, int>> descriptors;         // {ours, number in the child}
  std::vector<std::pair<int, rlim_t>> resource_limits;  // {RLIMIT_..., value}
  int memory_handicap = 1000;                           // oom_score_adj
  unsigned namespaces = 0;                              // CLONE_NEW… of what is executed
  std::vector<int> cgroups;                             // open cgroup.procs files to join
  // The control file of a group that may be frozen, and what thaws it: some kernels let no frozen
  // process die. -1: none.
  int freezer = -1;
  std::string thaw_word;
};

// The keeper's messages: the program's number first, and before the keeper ends, how the program
// ended.
struct KeeperReport {
  int value = 0;  // a pid, then what waitpid reported
};

struct Launched {
  pid_t keeper = -1;   // a child of ours, to be reaped
  pid_t program = -1;  // the executed program, as numbered here
  UniqueFd lifeline;   // closing it kills everything
  UniqueFd status;     // one KeeperReport, then end-of-file once everything below is gone
};

// Returns once the program was executed. Errors: kInfrastructure, naming the step that failed.
[[nodiscard]] Result<Launched> launch(const LaunchPlan& plan);

}  // namespace kbench
