// Facts of a profile, by name, which rules (core/profile_rules.json) are about. A fact that is not
// known is not there. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/activity/activity.hpp"
#include "runner/core/device_limits.hpp"
#include "runner/core/profile_rules.hpp"
#include "runner/machine/device_facts.hpp"
#include "runner/oracle/protocol.hpp"
#include "runner/submission/disassembly.hpp"
#include "runner/submission/ptxas.hpp"
#include "runner/task/work.hpp"

namespace kbench {

// All that a profile is made of.
struct ProfileInput {
  DeviceFacts device;
  std::string precision;  // class of the run
  Work work;
  std::optional<DeviceLimits> limits;  // calibrated ones
  DevicePeaks peaks;                   // peaks measured beside it
  RecordedActivity recorded;
  std::vector<KernelResources> resources;  // ptxas' words; empty: not known
  std::optional<InstructionCounts> instructions;
  std::vector<std::string> missing;  // a line each: what is not there, and why
  // Share of a time in which some program waited for a core: of the calls, and of measuring the
  // peaks.
  double waited_in_calls = 0;
  double waited_in_peaks = 0;
};

// A kernel of the median call, all of its launches together.
struct KernelSummary {
  std::string name;
  std::size_t launches = 0;
  std::int64_t total_ns = 0;
  Activity longest;         // launch
  double thread_share = 0;  // share of a multiprocessor's threads that fit at a time; 0: unknown
};

// The recorded call whose time is the median (the lower one of two). Null without calls.
[[nodiscard]] const ProfiledCall* median_call(const RecordedActivity& recorded);

// Longest first.
[[nodiscard]] std::vector<KernelSummary> summarize_kernels(const ProfiledCall& call,
                                                           const DeviceFacts& device);

// Nanoseconds in which at least one activity was under way.
[[nodiscard]] std::int64_t busy_ns(const ProfiledCall& call);

// Times in microseconds (…_us) of the median call:
//   call_us; fastest_us, slowest_us (of all calls)
//   waited_percent (of the time of the calls, in which some program waited for a core)
//   limit_calibrated (0: by peaks measured in passing), limit_us, limit_share, limit_percent
//   above_limit_us, bytes_us, products_us; bandwidths that bytes_us takes: limit_read_gb_per_s,
//   limit_write_gb_per_s; measured ones: copy_gb_per_s, read_gb_per_s, write_gb_per_s
//   kernels, kernel_us, mean_kernel_us, busy_us, busy_above_limit_us, copy_us, copies, memset_us,
//   memsets, streams, host_us
//   gap_us, gap_share, gaps, mean_gap_us: idle between two activities. What lies before the first
//   activity and after the last one is around_us: launch and profiler. The clock starts when the
//   inputs show, and the host launches ahead of that. Where the profiler, or another program,
//   holds up the first launch for longer than the host is ahead, the difference is in the call's
//   time, and nothing tells it from time that the submission's host code takes there.
//   top_us, top_share, top_blocks, top_threads, top_registers, top_shared_bytes,
//   top_blocks_per_sm, top_thread_share, top_thread_percent, idle_sm_us, sms
//   spill_bytes (a thread, of the kernel with most), spill_share (of L1's sectors, those of local
//   memory; without counters by spill_bytes), fp64_share, fp64_percent, fp64_time_share (weighted
//   by the device's throughputs), tensor_instructions, tensor_percent (of the arithmetic ones)
//   of hardware counters: dram_ratio (bytes moved over those that must be) and dram_us (how
//   long that takes at the device's bandwidth) of the call;
//   and of the longest launch of the top kernel: sector_use_percent (bytes asked for, of the
//   sectors that were moved for them), conflict_share (wavefronts of shared memory that are there
//   for bank conflicts), threads_of_instruction (of 32), atomic_share (of L2's sectors),
//   l2_hit_percent, occupancy_percent, sm_percent, memory_percent, issue_percent, l1_percent,
//   waits_for_memory
//   scalar_products_us, tensor_products_us: the products that the precision class lets tensor cores
//   have, multiplied directly (Work::direct_products)
[[nodiscard]] ProfileFacts facts_of(const ProfileInput& input);

}  // namespace kbench
