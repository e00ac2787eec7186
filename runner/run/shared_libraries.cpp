#include "runner/run/shared_libraries.hpp"

#include <filesystem>
#include <utility>
#include <vector>

#include "runner/exchange/shared_files.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

// An entry that cannot be taken is compiled.
SharedLibraries::Files taker(const CacheEntries& entries) {
  return [entries](const std::string& key, const fs::path& folder, const Names& names) {
    (void)take_shared_files(entries, key, folder, names);
  };
}

}  // namespace

void share_libraries(const Exchange& exchange, Compiler& compiler) {
  compiler.share({.take = taker(exchange.cache(kCachedSubmissions)), .give = {}});
}

void share_libraries(const Exchange& exchange, Compiler& compiler,
                     std::function<void(const Error& why)> failed) {
  const CacheEntries entries = exchange.cache(kCachedSubmissions);
  const auto give = [entries, failed = std::move(failed)](
                        const std::string& key, const fs::path& folder, const Names& names) {
    // A file that is torn or unsigned is put there anew.
    if (entries.find(key)) return;
    if (const Status given = give_shared_files(entries, key, folder, names); !given)
      failed(given.error());
  };
  compiler.share({.take = taker(entries), .give = give});
}

}  // namespace kbench
