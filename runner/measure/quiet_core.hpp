// Which core launches kernels. On a machine whose cores are hyper-threads, or are shared with other
// virtual machines, a launch takes 25-40 % longer while somebody works on the other half of the
// core: 3.5 us against 4.4 on an H200's host, in episodes of seconds, each core for itself, and
// some for the whole time. What is bound by launching (a GRU of 6,000) then varies by as much. So a
// short piece of work tells how fast a core is just now, and before each timed call the oracle and
// the worker, one as the other, are put on the core that was at its best most of the time.
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
  using Probe = std::function<std::int64_t(int core)>;

  // The cores to choose from, and what tells how fast one is.
  QuietCore(const std::vector<int>& cores, Probe probe);

  // The core that was usually at its best, if it is now, else the next such one; where none is, the
  // fastest just now. Nothing where there are too few for a choice. Asks two cores as a rule: one
  // in turn, so that none is forgotten, and the one it is about to choose.
  [[nodiscard]] std::optional<int> choose();

 private:
  struct Core {
    int number = 0;
    double usual_ns = 0;  // a moving average; 0: not asked yet
  };

  std::int64_t ask(Core& core);
  [[nodiscard]] bool is_quiet(std::int64_t nanoseconds) const;

  std::vector<Core> cores_;
  Probe probe_;
  std::size_t turn_ = 0;
  std::int64_t quickest_ns_ = 0;  // that any core showed so far
};

}  // namespace kbench
