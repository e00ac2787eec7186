#include "runner/activity/activity_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace kbench {
namespace {

constexpr std::uint32_t kMagic = 0x6b62'6163;
constexpr std::size_t kLongestProblem = 400;
constexpr std::size_t kNameBytes = std::size_t{1} << 20;
constexpr std::int64_t kLongestNs = std::int64_t{3600} * 1'000'000'000;
constexpr std::uint32_t kMostThreads = 1024;  // threads of a block, in each dimension and in all
constexpr std::uint32_t kMostRegisters = 255;
constexpr std::uint32_t kMostSharedBytes = 1u << 20;
constexpr std::uint32_t kMostGrid = 0x7fff'ffff;

struct CallEntry {
  std::int64_t claimed_ns;
  std::int64_t host_ns;
  std::uint32_t activities;  // this call's count; they follow those of the call before
  std::uint32_t unused;
};

struct ActivityEntry {
  std::uint32_t kind;
  std::uint32_t name_offset;
  std::uint32_t name_bytes;
  std::uint32_t stream;
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::uint64_t bytes;
  std::array<std::uint32_t, 3> grid;
  std::array<std::uint32_t, 3> block;
  std::uint32_t registers;
  std::uint32_t static_shared_bytes;
  std::uint32_t dynamic_shared_bytes;
  std::uint32_t local_bytes;
};

struct Layout {
  std::uint32_t magic;
  std::uint32_t calls;
  std::uint32_t activities;
  std::uint32_t name_bytes;
  std::uint64_t dropped;
  std::uint32_t problem_bytes;
  std::uint32_t unused;
  std::array<char, kLongestProblem> problem;
  std::array<CallEntry, kMostProfiledCalls> call;
  std::array<ActivityEntry, kMostActivities> activity;
  std::uint32_t counted_kernels;
  std::uint32_t counter_problem_bytes;
  std::array<char, kLongestProblem> counter_problem;
  std::array<CounterRow, kMostCountedKernels> counters;
  std::array<char, kNameBytes> names;
};

Error cannot(const char* what) {
  return {ErrorCode::kInfrastructure,
          fmt::format("the file of activities: {}: {}", what, std::strerror(errno)), ""};
}

Error forged(const std::string& what) {
  return {ErrorCode::kBadInput, "what was recorded cannot be: " + what,
          "a submission may write there what it likes: this profile is dropped, and no row is"};
}

// Returns the bytes of it that there is room for.
std::uint32_t put_text(const std::string& text, std::array<char, kLongestProblem>& room) {
  const std::size_t bytes = std::min(text.size(), room.size());
  std::copy_n(text.begin(), bytes, room.begin());
  return static_cast<std::uint32_t>(bytes);
}

// Printable ASCII, since kernels of others have any name that they like.
std::string shown(std::string_view text) {
  std::string safe(text);
  for (char& letter : safe)
    if (letter < ' ' || letter > '~') letter = '?';
  return safe;
}

bool is_within(const std::array<std::uint32_t, 3>& extent, std::uint32_t most) {
  return std::all_of(extent.begin(), extent.end(),
                     [most](std::uint32_t one) { return one >= 1 && one <= most; });
}

Status check_kernel(const ActivityEntry& entry) {
  if (!is_within(entry.grid, kMostGrid)) return forged("a grid that no device takes");
  const auto threads = std::uint64_t{entry.block[0]} * entry.block[1] * entry.block[2];
  if (!is_within(entry.block, kMostThreads) || threads > kMostThreads)
    return forged("a block that no device takes");
  if (entry.registers > kMostRegisters) return forged("a thread with more than 255 registers");
  if (entry.static_shared_bytes > kMostSharedBytes || entry.dynamic_shared_bytes > kMostSharedBytes)
    return forged("a block with more shared memory than there is");
  return Done{};
}

Result<Activity> read_entry(const Layout& layout, const ActivityEntry& entry) {
  if (entry.kind < 1 || entry.kind > 3) return forged("an activity of no kind");
  if (entry.start_ns < 0 || entry.end_ns < entry.start_ns ||
      entry.end_ns - entry.start_ns > kLongestNs)
    return forged("an activity that ends before it starts");
  if (entry.name_bytes > kLongestActivityName || entry.name_offset > kNameBytes - entry.name_bytes)
    return forged("a name that lies outside of the file");
  Activity activity;
  activity.kind = static_cast<ActivityKind>(entry.kind);
  activity.name = shown({layout.names.data() + entry.name_offset, entry.name_bytes});
  activity.start_ns = entry.start_ns;
  activity.end_ns = entry.end_ns;
  activity.stream = entry.stream;
  if (activity.kind != ActivityKind::kKernel) {
    activity.bytes = entry.bytes;
    return activity;
  }
  if (auto fine = check_kernel(entry); !fine) return fine.error();
  activity.grid = entry.grid;
  activity.block = entry.block;
  activity.registers = entry.registers;
  activity.static_shared_bytes = entry.static_shared_bytes;
  activity.dynamic_shared_bytes = entry.dynamic_shared_bytes;
  activity.local_bytes = entry.local_bytes;
  return activity;
}

Result<std::vector<KernelCounters>> read_counters(const Layout& layout) {
  constexpr double kMost = 1e18;
  std::vector<KernelCounters> kernels(layout.counted_kernels);
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    for (std::size_t i = 0; i < kCounters.size(); ++i) {
      const double value = layout.counters[k][i];
      // A value that is computed from several passes over a kernel may be infinite or negative:
      // seen of cuDNN's convolutions. Then it is not known.
      if (!std::isfinite(value) || value < 0) continue;
      if (value > kMost) return forged("a counter that no device has");
      kernels[k][kCounters[i].name] = value;
    }
  }
  return kernels;
}

// A call's activities lie within an hour of one another, or a span of theirs is no time.
Status check_call(const ProfiledCall& call) {
  if (call.claimed_ns < 0 || call.claimed_ns > kLongestNs || call.host_ns < 0 ||
      call.host_ns > kLongestNs)
    return forged("a call of no length");
  if (call.activities.empty()) return Done{};
  std::int64_t end = 0;
  for (const Activity& activity : call.activities) end = std::max(end, activity.end_ns);
  if (end - call.activities.front().start_ns > kLongestNs)
    return forged("a call of more than an hour");
  return Done{};
}

}  // namespace

Result<UniqueFd> make_activity_file() {
  UniqueFd file(::memfd_create("activities", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.valid()) return cannot("memfd_create");
  if (::ftruncate(file.get(), sizeof(Layout)) != 0) return cannot("ftruncate");
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) return cannot("seals");
  return file;
}

Result<ActivityWriter> ActivityWriter::open(UniqueFd file) {
  void* mapped = ::mmap(nullptr, sizeof(Layout), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) return cannot("mmap");
  static_cast<Layout*>(mapped)->magic = kMagic;
  return ActivityWriter(std::move(file), mapped);
}

ActivityWriter::ActivityWriter(ActivityWriter&& other) noexcept
    : file_(std::move(other.file_)), mapped_(std::exchange(other.mapped_, nullptr)) {}

ActivityWriter& ActivityWriter::operator=(ActivityWriter&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

ActivityWriter::~ActivityWriter() {
  if (mapped_ != nullptr) ::munmap(mapped_, sizeof(Layout));
}

void ActivityWriter::add(const ProfiledCall& call) {
  auto& layout = *static_cast<Layout*>(mapped_);
  if (layout.calls >= kMostProfiledCalls) {
    layout.dropped += call.activities.size();
    return;
  }
  CallEntry& entry = layout.call[layout.calls];
  entry = {call.claimed_ns, call.host_ns, 0, 0};
  for (const Activity& activity : call.activities) {
    const std::string_view name = std::string_view(activity.name).substr(0, kLongestActivityName);
    if (layout.activities >= kMostActivities || layout.name_bytes > kNameBytes - name.size()) {
      ++layout.dropped;
      continue;
    }
    std::uint32_t offset = layout.name_bytes;
    // Calls repeat the same few kernels: a name that is there already is not written again.
    const std::string_view written(layout.names.data(), layout.name_bytes);
    if (const auto found = written.find(name); found != written.npos) {
      offset = static_cast<std::uint32_t>(found);
    } else {
      std::copy(name.begin(), name.end(), layout.names.data() + offset);
      layout.name_bytes += static_cast<std::uint32_t>(name.size());
    }
    layout.activity[layout.activities++] = {static_cast<std::uint32_t>(activity.kind),
                                            offset,
                                            static_cast<std::uint32_t>(name.size()),
                                            activity.stream,
                                            activity.start_ns,
                                            activity.end_ns,
                                            activity.bytes,
                                            activity.grid,
                                            activity.block,
                                            activity.registers,
                                            activity.static_shared_bytes,
                                            activity.dynamic_shared_bytes,
                                            activity.local_bytes};
    ++entry.activities;
  }
  ++layout.calls;
}

void ActivityWriter::add_dropped(std::uint64_t activities) {
  static_cast<Layout*>(mapped_)->dropped += activities;
}

void ActivityWriter::set_problem(const std::string& problem) {
  auto& layout = *static_cast<Layout*>(mapped_);
  layout.problem_bytes = put_text(problem, layout.problem);
}

void ActivityWriter::set_counters(const std::vector<CounterRow>& rows) {
  auto& layout = *static_cast<Layout*>(mapped_);
  const std::size_t count = std::min(rows.size(), kMostCountedKernels);
  std::copy_n(rows.begin(), count, layout.counters.begin());
  layout.counted_kernels = static_cast<std::uint32_t>(count);
}

void ActivityWriter::set_counter_problem(const std::string& problem) {
  auto& layout = *static_cast<Layout*>(mapped_);
  layout.counter_problem_bytes = put_text(problem, layout.counter_problem);
}

Result<RecordedActivity> read_activity_file(int file) {
  // A copy: the writing process may still be there.
  std::vector<char> bytes(sizeof(Layout));
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t count =
        ::pread(file, bytes.data() + got, bytes.size() - got, static_cast<off_t>(got));
    if (count <= 0) return cannot("read");
    got += static_cast<std::size_t>(count);
  }
  const auto& layout = *reinterpret_cast<const Layout*>(bytes.data());
  RecordedActivity recorded;
  if (layout.magic == 0) {
    recorded.problem = "nothing was recorded";
    return recorded;
  }
  if (layout.magic != kMagic || layout.calls > kMostProfiledCalls ||
      layout.activities > kMostActivities || layout.problem_bytes > kLongestProblem ||
      layout.counted_kernels > kMostCountedKernels ||
      layout.counter_problem_bytes > kLongestProblem)
    return forged("more than there is room for");
  recorded.dropped = layout.dropped;
  recorded.problem = shown({layout.problem.data(), layout.problem_bytes});
  recorded.counter_problem = shown({layout.counter_problem.data(), layout.counter_problem_bytes});
  auto counters = read_counters(layout);
  if (!counters) return counters.error();
  recorded.counters = std::move(*counters);
  std::size_t next = 0;
  for (std::size_t i = 0; i < layout.calls; ++i) {
    const CallEntry& entry = layout.call[i];
    if (entry.activities > layout.activities - next) return forged("a call of more than there is");
    ProfiledCall call{entry.claimed_ns, entry.host_ns, {}};
    for (std::uint32_t k = 0; k < entry.activities; ++k) {
      auto activity = read_entry(layout, layout.activity[next++]);
      if (!activity) return activity.error();
      call.activities.push_back(std::move(*activity));
    }
    std::stable_sort(call.activities.begin(), call.activities.end(),
                     [](const Activity& a, const Activity& b) { return a.start_ns < b.start_ns; });
    if (auto fine = check_call(call); !fine) return fine.error();
    recorded.calls.push_back(std::move(call));
  }
  return recorded;
}

}  // namespace kbench
