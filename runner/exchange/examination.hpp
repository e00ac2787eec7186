// Faults of an exchange, each with a way out; and removal of what is never read. Both write into
// the folder: the examination tries links and locks with a file of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/exchange/pool_key.hpp"

namespace kbench {

struct ExchangeFinding {
  std::string what;  // a sentence that names the file or folder
  std::string then;  // the thing to do
};

struct ExaminedExchange {
  std::vector<ExchangeFinding> findings;
  std::size_t spaces = 0;
  std::size_t runs = 0;
  std::size_t keys = 0;
  std::size_t entries = 0;  // sound entries of the cache
};

// Calls of the system, so that a test can refuse them.
struct FolderCalls {
  std::function<int(const char*, const char*)> link;  // link(2), or a stand-in
  std::function<int(int, int)> lock;                  // flock(2), or a stand-in
  std::function<std::chrono::system_clock::time_point()> now;
};
[[nodiscard]] FolderCalls system_calls();

// Errors: kUsage where `folder` is none; kInfrastructure where nothing can be written to it.
[[nodiscard]] Result<ExaminedExchange> examine_exchange(const std::filesystem::path& folder,
                                                        const PoolKey& key,
                                                        const FolderCalls& calls = system_calls());

struct PruneExchange {
  // Spaces to which nothing was added for so long go as a whole, and so do submissions that were
  // compiled before; 0: none goes.
  int keep_days = 0;
  bool dry_run = false;
};

struct PrunedExchange {
  std::vector<std::string> removed;  // a sentence each
  std::size_t bytes = 0;
};

// Removes drafts older than an hour, keys and cache entries that no machine of the pool signed, and
// spaces and compiled submissions by their age. Errors: those of Exchange::open.
[[nodiscard]] Result<PrunedExchange> prune_exchange(const std::filesystem::path& folder,
                                                    const PoolKey& key, const PruneExchange& how);

}  // namespace kbench
