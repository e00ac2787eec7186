// Which core launches kernels. On a machine whose cores are hyper-threads, or are shared with other
// virtual machines, a launch takes 25-40 % longer while somebody works on the other half of the
// core: 3.5 us against 4.4 on an H200's host, in episodes of seconds, each core for itself. What is
// bound by launching (a GRU of 6,000) then varies by as much. So a short piece of work tells how
// fast a core is just now, and before each timed call the oracle and the worker, one as the other,
// are put on one that is at its best.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace kbench {

// Nanoseconds of a fixed piece of work on that core, about 50 us; moves the calling thread there
// and back. On the H200's host it took 1.0-1.1 times its best alone, 1.3-1.5 times beside somebody.
[[nodiscard]] std::int64_t probe_core_ns(int core);

class QuietCore {
 public:
  // The cores to choose from, and what tells how fast one is.
  QuietCore(std::vector<int> cores, std::function<std::int64_t(int core)> probe)
      : cores_(std::move(cores)), probe_(std::move(probe)) {}

  // The core of last time while it is as fast as any was; else the first such one, and where there
  // is none, the fastest of those tried. Nothing where there are too few cores for a choice.
  [[nodiscard]] std::optional<int> choose();

 private:
  [[nodiscard]] std::int64_t probe(std::size_t index);
  [[nodiscard]] bool is_quiet(std::int64_t nanoseconds) const;

  std::vector<int> cores_;
  std::function<std::int64_t(int core)> probe_;
  std::size_t current_ = 0;
  std::int64_t quickest_ns_ = 0;  // that any core showed so far; 0: none was asked
};

}  // namespace kbench
