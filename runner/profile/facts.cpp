#include "runner/profile/facts.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "runner/measure/task_limit.hpp"

namespace kbench {
namespace {

constexpr double kUs = 1e-3;
constexpr std::int64_t kShortestGapNs = 500;
constexpr double kRegistersOfAnSm = 65536;

// Threads of a multiprocessor by the CUDA programming guide's table of compute capabilities.
double threads_of_an_sm(int capability) {
  if (capability == 75) return 1024;
  const bool small = capability == 86 || capability == 87 || capability == 89 || capability >= 120;
  return small ? 1536 : 2048;
}

// How much longer a multiprocessor takes for an arithmetic instruction in double precision, by the
// CUDA programming guide's table of throughputs.
double fp64_slowdown(int capability) {
  const bool for_computing_centres = capability % 10 == 0 && capability < 110;
  return for_computing_centres ? 2 : 64;
}

double blocks_of_an_sm(int capability) {
  if (capability == 75 || capability == 86 || capability == 87) return 16;
  return capability == 89 ? 24 : 32;
}

double threads_in(const Activity& kernel) {
  return static_cast<double>(kernel.block[0]) * kernel.block[1] * kernel.block[2];
}

double blocks_in(const Activity& kernel) {
  return static_cast<double>(kernel.grid[0]) * kernel.grid[1] * kernel.grid[2];
}

double shared_bytes_in(const Activity& kernel) {
  return static_cast<double>(kernel.static_shared_bytes) + kernel.dynamic_shared_bytes;
}

// Share of a multiprocessor's threads that can be there at a time, as a kernel's threads, blocks,
// registers and shared memory allow (a block's limit of shared memory stands for the
// multiprocessor's).
double thread_share_of(const Activity& kernel, const DeviceFacts& device) {
  const double threads = threads_in(kernel);
  const double most = threads_of_an_sm(device.compute_capability);
  if (!(threads > 0) || device.compute_capability == 0) return 0;
  double blocks = std::min(most / threads, blocks_of_an_sm(device.compute_capability));
  if (kernel.registers > 0)
    blocks = std::min(blocks, kRegistersOfAnSm / (threads * kernel.registers));
  const double shared = shared_bytes_in(kernel);
  if (shared > 0 && device.shared_bytes_per_block > 0)
    blocks = std::min(blocks, static_cast<double>(device.shared_bytes_per_block) / shared);
  const double there = std::max(1.0, static_cast<double>(static_cast<int>(blocks)));
  const double given = device.sm_count > 0 ? blocks_in(kernel) / device.sm_count : there;
  return std::min(1.0, std::min(there, std::max(given, 0.0)) * threads / most);
}

bool is_kernel(const Activity& activity) { return activity.kind == ActivityKind::kKernel; }

std::optional<double> value_of(const KernelCounters& kernel, const std::string& counter) {
  const auto found = kernel.find(counter);
  return found == kernel.end() ? std::nullopt : std::optional(found->second);
}

class Collecting {
 public:
  explicit Collecting(const ProfileInput& input) : input_(input) {}

  ProfileFacts run() {
    const ProfiledCall* call = median_call(input_.recorded);
    if (call == nullptr) return facts_;
    kernels_ = summarize_kernels(*call, input_.device);
    call_us_ = static_cast<double>(call->claimed_ns) * kUs;
    set("call_us", call_us_);
    add_spread();
    add_limit();
    if (!call->activities.empty()) add_activities(*call);
    add_spills();
    add_instructions();
    add_counters(*call);
    add_products();
    return std::move(facts_);
  }

 private:
  void set(const std::string& name, double value) { facts_.numbers[name] = value; }
  [[nodiscard]] std::optional<double> get(const std::string& name) const {
    const auto found = facts_.numbers.find(name);
    return found == facts_.numbers.end() ? std::nullopt : std::optional(found->second);
  }

  void add_spread() {
    const auto [fastest, slowest] = std::minmax_element(
        input_.recorded.calls.begin(), input_.recorded.calls.end(),
        [](const auto& a, const auto& b) { return a.claimed_ns < b.claimed_ns; });
    set("fastest_us", static_cast<double>(fastest->claimed_ns) * kUs);
    set("slowest_us", static_cast<double>(slowest->claimed_ns) * kUs);
    set("waited_percent", 100 * input_.waited_in_calls);
  }

  void add_limit() {
    const TaskLimit limit = limit_of(input_.work, input_.precision, input_.peaks, input_.limits,
                                     input_.device.cache_bytes);
    facts_.words["limit_basis"] = limit.basis;
    if (!limit.ns) return;
    set("limit_calibrated", limit.calibrated ? 1 : 0);
    set("limit_us", *limit.ns * kUs);
    add_bandwidths(limit);
    set("bytes_us", limit.bytes_ns * kUs);
    set("products_us", limit.products_ns * kUs);
    if (limit.unfused_ns) set("unfused_limit_us", *limit.unfused_ns * kUs);
    if (!(call_us_ > 0)) return;
    set("limit_share", *limit.ns * kUs / call_us_);
    set("limit_percent", 100 * *limit.ns * kUs / call_us_);
    set("above_limit_us", std::max(0.0, call_us_ - *limit.ns * kUs));
  }

  void add_bandwidths(const TaskLimit& limit) {
    const auto add = [&](const char* name, double bytes_per_s) {
      if (bytes_per_s > 0) set(name, bytes_per_s / 1e9);
    };
    const bool calibrated = limit.calibrated && input_.limits;
    add("limit_read_gb_per_s", limit.read_bytes_per_s);
    add("limit_write_gb_per_s", limit.written_bytes_per_s);
    add("copy_gb_per_s", calibrated ? input_.limits->copy.value : limit.read_bytes_per_s);
    if (!calibrated) return;
    add("read_gb_per_s", input_.limits->read.value);
    add("write_gb_per_s", input_.limits->write.value);
  }

  void add_activities(const ProfiledCall& call) {
    double kernel_ns = 0, copy_ns = 0, memset_ns = 0;
    int kernels = 0, copies = 0, memsets = 0;
    std::set<std::uint32_t> streams;
    for (const Activity& activity : call.activities) {
      const auto duration = static_cast<double>(activity.duration_ns());
      streams.insert(activity.stream);
      if (activity.kind == ActivityKind::kKernel) {
        kernel_ns += duration;
        ++kernels;
      } else if (activity.kind == ActivityKind::kCopy) {
        copy_ns += duration;
        ++copies;
      } else {
        memset_ns += duration;
        ++memsets;
      }
    }
    set("kernels", kernels);
    set("kernel_us", kernel_ns * kUs);
    if (kernels > 0) set("mean_kernel_us", kernel_ns * kUs / kernels);
    set("copies", copies);
    set("copy_us", copy_ns * kUs);
    set("memsets", memsets);
    set("memset_us", memset_ns * kUs);
    set("streams", static_cast<double>(streams.size()));
    set("host_us", static_cast<double>(call.host_ns) * kUs);
    add_gaps(call);
    add_top();
  }

  void add_gaps(const ProfiledCall& call) {
    const double busy_us = static_cast<double>(busy_ns(call)) * kUs;
    int gaps = 0;
    const std::int64_t start = call.activities.front().start_ns;
    std::int64_t end = call.activities.front().end_ns;
    for (const Activity& activity : call.activities) {
      if (activity.start_ns > end + kShortestGapNs) ++gaps;
      end = std::max(end, activity.end_ns);
    }
    const double device_us = static_cast<double>(end - start) * kUs;
    const double gap_us = std::max(0.0, device_us - busy_us);
    set("busy_us", busy_us);
    set("around_us", std::max(0.0, call_us_ - device_us));
    set("gap_us", gap_us);
    set("gaps", gaps);
    if (gaps > 0) set("mean_gap_us", gap_us / gaps);
    if (call_us_ > 0) set("gap_share", gap_us / call_us_);
    if (const auto limit = get("limit_us"))
      set("busy_above_limit_us", std::max(0.0, busy_us - *limit));
  }

  void add_top() {
    if (kernels_.empty()) return;
    const KernelSummary& top = kernels_.front();
    facts_.words["top_kernel"] = top.name;
    const double top_us = static_cast<double>(top.total_ns) * kUs;
    set("top_us", top_us);
    if (call_us_ > 0) set("top_share", top_us / call_us_);
    set("top_blocks", blocks_in(top.longest));
    set("top_threads", threads_in(top.longest));
    set("top_registers", top.longest.registers);
    set("top_shared_bytes", shared_bytes_in(top.longest));
    if (top.thread_share > 0) {
      set("top_thread_share", top.thread_share);
      set("top_thread_percent", 100 * top.thread_share);
    }
    if (input_.device.sm_count <= 0) return;
    const double per_sm = blocks_in(top.longest) / input_.device.sm_count;
    set("sms", input_.device.sm_count);
    set("top_blocks_per_sm", per_sm);
    set("idle_sm_us", top_us * std::max(0.0, 1 - per_sm));
  }

  void add_spills() {
    if (input_.resources.empty()) return;
    int most = 0;
    for (const KernelResources& kernel : input_.resources) {
      const int bytes = kernel.spill_load_bytes + kernel.spill_store_bytes;
      if (bytes <= most) continue;
      most = bytes;
      facts_.words["spill_kernel"] = kernel.name;
    }
    set("spill_bytes", most);
    // Without counters this is a guess: a kernel that spills half a kilobyte a thread waits for it.
    constexpr double kManyBytes = 512;
    set("spill_share", std::min(1.0, most / kManyBytes));
  }

  void add_instructions() {
    if (!input_.instructions) return;
    const InstructionCounts& counts = *input_.instructions;
    const auto all = static_cast<double>(counts.fp64 + counts.fp32 + counts.tensor);
    const double share = all > 0 ? static_cast<double>(counts.fp64) / all : 0;
    set("fp64_share", share);
    set("fp64_percent", 100 * share);
    const double slower = fp64_slowdown(input_.device.compute_capability);
    set("fp64_time_share", slower * share / (slower * share + 1 - share));
    set("tensor_instructions", static_cast<double>(counts.tensor));
    if (all > 0) set("tensor_percent", 100 * static_cast<double>(counts.tensor) / all);
    set("atomic_instructions", static_cast<double>(counts.atomics));
  }

  // Counters are of another call: they count where that call had as many kernels.
  void add_counters(const ProfiledCall& call) {
    const auto& counters = input_.recorded.counters;
    const auto kernels = std::count_if(call.activities.begin(), call.activities.end(), is_kernel);
    if (counters.empty() || counters.size() != static_cast<std::size_t>(kernels)) return;
    add_dram(counters);
    const auto top = kernels_.front().longest.start_ns;
    std::size_t index = 0;
    for (const Activity& activity : call.activities) {
      if (is_kernel(activity) && activity.start_ns == top) break;
      if (is_kernel(activity)) ++index;
    }
    add_counters_of_top(counters.at(index));
  }

  void add_dram(const std::vector<KernelCounters>& counters) {
    double bytes = 0;
    for (const KernelCounters& kernel : counters) {
      const auto read = value_of(kernel, "dram_read_bytes");
      const auto written = value_of(kernel, "dram_write_bytes");
      if (!read || !written) return;
      bytes += *read + *written;
    }
    set("dram_bytes", bytes);
    if (!input_.work.is_counted() || !(input_.work.least_bytes() > 0)) return;
    const double ratio = bytes / input_.work.least_bytes();
    set("dram_ratio", ratio);
    if (const auto least_us = get("bytes_us")) set("dram_us", ratio * *least_us);
  }

  void add_counters_of_top(const KernelCounters& kernel) {
    for (const char* name :
         {"l2_hit_percent", "occupancy_percent", "sm_percent", "memory_percent", "issue_percent",
          "l1_percent", "threads_of_instruction", "waits_for_memory"})
      if (const auto value = value_of(kernel, name)) set(name, *value);
    set_share("conflict_share", value_of(kernel, "shared_conflicts"),
              value_of(kernel, "shared_wavefronts"));
    const auto atomics = value_of(kernel, "atomic_sectors");
    const auto reductions = value_of(kernel, "reduction_sectors");
    if (atomics && reductions)
      set_share("atomic_share", *atomics + *reductions, value_of(kernel, "l2_sectors"));
    add_sector_use(kernel);
    add_local_share(kernel);
  }

  // Local memory is where spilled registers are.
  void add_local_share(const KernelCounters& kernel) {
    if (!get("spill_share")) return;
    double local = 0, all = 0;
    for (const char* name :
         {"local_load_sectors", "local_store_sectors", "load_sectors", "store_sectors"}) {
      const auto sectors = value_of(kernel, name);
      if (!sectors) return;
      all += *sectors;
      if (std::string_view(name).starts_with("local")) local += *sectors;
    }
    set_share("spill_share", local, all);
  }

  void add_sector_use(const KernelCounters& kernel) {
    constexpr double kSectorBytes = 32;
    double used = 0, moved = 0;
    for (const std::string access : {"load", "store"}) {
      const auto sectors = value_of(kernel, access + "_sectors");
      if (!sectors || *sectors == 0) continue;
      const auto bytes = value_of(kernel, access + "_bytes_of_sector");
      if (!bytes) return;
      used += *sectors * *bytes;
      moved += *sectors * kSectorBytes;
    }
    // Threads ask for a byte of a sector at least, unless by instructions that are not counted:
    // asynchronous copies, the tensor memory accelerator.
    if (moved > 0 && used >= moved / kSectorBytes) set("sector_use_percent", 100 * used / moved);
  }

  void set_share(const std::string& name, std::optional<double> part, std::optional<double> all) {
    if (part && all) set(name, *all > 0 ? *part / *all : 0);
  }

  // Times of those products that the class lets run on tensor cores: there, and on scalar units.
  void add_products() {
    if (!input_.limits || !input_.work.is_counted()) return;
    const auto peak = [&](const std::string& name) {
      const auto found = input_.limits->products.find(name);
      return found == input_.limits->products.end() ? 0.0 : found->second.value;
    };
    const bool by_default = input_.precision == "torch-default";
    const std::string tensor = by_default ? "tf32" : input_.precision;
    if (tensor == "fp32" || !(peak("fp32") > 0) || !(peak(tensor) > 0)) return;
    const double products =
        by_default ? input_.work.direct_tf32_products : input_.work.direct_products;
    set("scalar_products_us", products / peak("fp32") * 1e6);
    set("tensor_products_us", products / peak(tensor) * 1e6);
  }

  const ProfileInput& input_;
  ProfileFacts facts_;
  std::vector<KernelSummary> kernels_;  // kernels of the median call
  double call_us_ = 0;
};

}  // namespace

const ProfiledCall* median_call(const RecordedActivity& recorded) {
  std::vector<const ProfiledCall*> calls;
  for (const ProfiledCall& call : recorded.calls) calls.push_back(&call);
  if (calls.empty()) return nullptr;
  std::stable_sort(calls.begin(), calls.end(),
                   [](const auto* a, const auto* b) { return a->claimed_ns < b->claimed_ns; });
  return calls[(calls.size() - 1) / 2];
}

std::vector<KernelSummary> summarize_kernels(const ProfiledCall& call, const DeviceFacts& device) {
  std::map<std::string, KernelSummary> by_name;
  for (const Activity& activity : call.activities) {
    if (activity.kind != ActivityKind::kKernel) continue;
    KernelSummary& kernel = by_name[activity.name];
    if (kernel.launches == 0 || activity.duration_ns() > kernel.longest.duration_ns())
      kernel.longest = activity;
    ++kernel.launches;
    kernel.total_ns += activity.duration_ns();
  }
  std::vector<KernelSummary> kernels;
  for (auto& [name, kernel] : by_name) {
    kernel.name = name;
    kernel.thread_share = thread_share_of(kernel.longest, device);
    kernels.push_back(std::move(kernel));
  }
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; });
  return kernels;
}

std::int64_t busy_ns(const ProfiledCall& call) {
  std::int64_t busy = 0;
  std::int64_t end = 0;
  for (const Activity& activity : call.activities) {
    const std::int64_t start = std::max(activity.start_ns, end);
    busy += std::max<std::int64_t>(0, activity.end_ns - start);
    end = std::max(end, activity.end_ns);
  }
  return busy;
}

ProfileFacts facts_of(const ProfileInput& input) { return Collecting(input).run(); }

}  // namespace kbench
