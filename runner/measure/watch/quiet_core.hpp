// Which core launches kernels. On a machine whose cores are hyper-threads, or are shared with other
// virtual machines, a launch takes 25-40 % longer while the other half of the core is at work: 3.5
// us against 4.4 on an H200's host, in episodes of some 100 ms to seconds, and each core for
// itself. What is bound by launching (a GRU of 6,000) then varies by as much. So a short piece of
// work tells how fast each core is just now, and before a timed call the oracle and the worker, one
// as the other, are put on the fastest. There, 5,000 launches took 33-37 ms (quartiles) on the
// fastest of 16, 35-46 ms on a random core and 36-48 ms on a fixed one; launches as the probe told
// less (33-38 ms), and what a core had shown seconds ago nothing at all. Under the present
// protocol, four runs of a GRU each way lay 8 % apart with it and 12 % without, and one of those
// without accused the submission of slowing eager; relu, LeNet and a ResNet block were the same
// either way.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace kbench {

// Nanoseconds of a fixed piece of work on that core, about 50 us; moves the calling thread there
// and back. On the H200's host it took 1.0-1.1 times its best alone, 1.3-1.5 times beside a load.
[[nodiscard]] std::int64_t probe_core_ns(int core);

class QuietCore {
 public:
  using Probe = std::function<std::int64_t(int core)>;

  // The cores to choose from, and what tells how fast one is.
  QuietCore(std::vector<int> cores, Probe probe);

  // The fastest just now, of the first sixteen; nothing where there are too few for a choice. Takes
  // about 0.2 ms a core.
  [[nodiscard]] std::optional<int> choose() const;

 private:
  std::vector<int> cores_;
  Probe probe_;
};

}  // namespace kbench
