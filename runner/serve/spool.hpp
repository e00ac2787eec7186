// The orders that are not judged yet, as a file each, so that they survive a kill and take no
// memory while they wait: an order is answered for only once it lies here, and leaves when its row
// is stored. How often its judging was begun stands in its file, so that one that kills the server
// is not tried for ever. One server at a time has a spool.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/serve/order.hpp"

namespace kbench {

class Spool {
 public:
  // Makes the folder (mode 0700) where it is missing. Errors: kUsage where another server has it;
  // kInfrastructure.
  [[nodiscard]] static Result<Spool> open(const std::filesystem::path& folder);

  // Shows what an earlier server left, one after the other, in no order. Returns how many files are
  // damaged; they stay where they are, as does what is none of ours.
  [[nodiscard]] Result<std::size_t> each(const std::function<void(QueuedOrder)>& show) const;

  // Errors: kInfrastructure, a full disk say.
  [[nodiscard]] Status keep(const QueuedOrder& order) const;
  // The order with its files, of which one more try is begun: its file says so already. Errors:
  // kInfrastructure.
  [[nodiscard]] Result<QueuedOrder> begin_try(const std::string& id) const;
  // Takes back a try that was none: the server was asked to end before it.
  void undo_try(const std::string& id) const;
  void forget(const std::string& id) const;

 private:
  Spool(std::filesystem::path folder, UniqueFd lock)
      : folder_(std::move(folder)), lock_(std::move(lock)) {}
  [[nodiscard]] std::filesystem::path file_of(const std::string& id) const;

  std::filesystem::path folder_;
  UniqueFd lock_;
};

}  // namespace kbench
