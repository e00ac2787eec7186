// The orders that are not judged yet, as a file each, so that they survive a kill: an order is
// answered for only once it lies here, and leaves when its row is stored. One server at a time has
// a spool.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/serve/order.hpp"

namespace kbench {

class Spool {
 public:
  // Makes the folder (mode 0700) where it is missing. Errors: kUsage where another server has it;
  // kInfrastructure.
  [[nodiscard]] static Result<Spool> open(const std::filesystem::path& folder);

  // Orders that an earlier server left, by arrival. A file that is none of ours, or damaged, stays
  // where it is and is counted.
  struct Kept {
    std::vector<QueuedOrder> orders;
    std::size_t damaged = 0;
  };
  [[nodiscard]] Result<Kept> load() const;

  // Errors: kInfrastructure, a full disk say.
  [[nodiscard]] Status keep(const QueuedOrder& order) const;
  void forget(const std::string& id) const;

 private:
  Spool(std::filesystem::path folder, UniqueFd lock)
      : folder_(std::move(folder)), lock_(std::move(lock)) {}
  [[nodiscard]] std::filesystem::path file_of(const std::string& id) const;

  std::filesystem::path folder_;
  UniqueFd lock_;
};

}  // namespace kbench
