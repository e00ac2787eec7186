// A file in memory, of a fixed size, that takes the activities of profiled calls from the process
// that makes them to the supervisor. The process may be a submission's: all that it writes there is
// data, and the reader takes nothing that it did not hold against what is allowed.
#pragma once

#include <cstdint>

#include "runner/activity/activity.hpp"
#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"

namespace kbench {

// Limits of one file.
constexpr std::size_t kMostProfiledCalls = 16;
constexpr std::size_t kMostActivities = std::size_t{1} << 16;
constexpr std::size_t kLongestActivityName = 400;  // bytes

// An empty file, of a length that cannot be changed. Errors: kInfrastructure.
[[nodiscard]] Result<UniqueFd> make_activity_file();

// Writes calls into the file, in the process that makes them. What there is no room for is counted.
class ActivityWriter {
 public:
  // Errors: kInfrastructure.
  static Result<ActivityWriter> open(UniqueFd file);
  ActivityWriter(ActivityWriter&& other) noexcept;
  ActivityWriter& operator=(ActivityWriter&& other) noexcept;
  ~ActivityWriter();

  void add(const ProfiledCall& call);
  void add_dropped(std::uint64_t activities);
  void set_problem(const std::string& problem);
  // The counted call: a row for each of its kernels, at most kMostCountedKernels.
  void set_counters(const std::vector<CounterRow>& rows);
  void set_counter_problem(const std::string& problem);

 private:
  ActivityWriter(UniqueFd file, void* mapped) : file_(std::move(file)), mapped_(mapped) {}
  UniqueFd file_;
  void* mapped_;
};

// All that such a file says and may say. Names and the problem come out safe to show. Errors:
// kBadInput, naming what cannot be: a forged record, a time that runs backwards, a count above the
// limits.
[[nodiscard]] Result<RecordedActivity> read_activity_file(int file);

}  // namespace kbench
