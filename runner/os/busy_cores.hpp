// Keeps cores at work as a compiler would, with arithmetic and with memory that no cache holds: the
// neighbours of what is measured on other cores. A thread a core, which gives way to everything
// else there.
#pragma once

#include <cstddef>
#include <thread>
#include <vector>

namespace kbench {

class BusyCores {
 public:
  explicit BusyCores(const std::vector<int>& cores);
  BusyCores(const BusyCores&) = delete;
  BusyCores& operator=(const BusyCores&) = delete;
  ~BusyCores() = default;  // the threads have ended then

  [[nodiscard]] std::size_t size() const { return threads_.size(); }

 private:
  std::vector<std::jthread> threads_;
};

}  // namespace kbench
