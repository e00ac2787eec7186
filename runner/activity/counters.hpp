// Hardware counters of kernels: their names here, and the metrics of CUPTI that they are.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>

namespace kbench {

struct CounterName {
  const char* name;    // name in facts and rules
  const char* metric;  // name in CUPTI and ncu
};

// Counters in the order in which the file of activities has them. What a device does not offer is
// not there.
inline constexpr std::array kCounters = {
    CounterName{"dram_read_bytes", "dram__bytes_read.sum"},
    CounterName{"dram_write_bytes", "dram__bytes_write.sum"},
    CounterName{"l2_hit_percent", "lts__t_sector_hit_rate.pct"},
    CounterName{"l2_sectors", "lts__t_sectors.sum"},
    CounterName{"atomic_sectors", "lts__t_sectors_op_atom.sum"},
    CounterName{"reduction_sectors", "lts__t_sectors_op_red.sum"},
    CounterName{"occupancy_percent", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    CounterName{"sm_percent", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    CounterName{"memory_percent",
                "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    CounterName{"issue_percent", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
    CounterName{"load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    CounterName{"store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    // Bytes of a sector that a thread asked for, of 32.
    CounterName{"load_bytes_of_sector",
                "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio"},
    CounterName{"store_bytes_of_sector",
                "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio"},
    CounterName{"shared_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
    CounterName{"shared_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
    CounterName{"l1_percent", "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"},
    // Threads of a warp that an instruction is executed for, of 32.
    CounterName{"threads_of_instruction", "smsp__thread_inst_executed_per_inst_executed.ratio"},
    CounterName{"local_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"},
    CounterName{"local_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"},
    CounterName{"waits_for_memory",
                "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"},
};

// One value for each of kCounters; not a number: not known.
using CounterRow = std::array<double, kCounters.size()>;

// Known values of one kernel, by name.
using KernelCounters = std::map<std::string, double>;

// A call with more kernels has no counters: each kernel is run a dozen times for them.
inline constexpr std::size_t kMostCountedKernels = 64;

}  // namespace kbench
