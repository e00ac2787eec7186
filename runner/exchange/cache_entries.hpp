// Builds that all machines of a pool share: DIR/cache/KIND/KEY, whole by rename and signed. A
// package is code in the oracle, and a swapped library a swapped verdict: an entry that was not
// signed for this kind and this key, or was torn, is none.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/exchange/pool_key.hpp"
#include "runner/exchange/shared_folder.hpp"

namespace kbench {

struct CachedFile {
  std::string name;  // name within the entry, without a folder
  std::string bytes;
};

class CacheEntries {
 public:
  // `folder`: DIR/cache; `kind`: "submissions" or "packages".
  CacheEntries(const SharedFolder& folder, std::string kind, PoolKey key);

  // Replaces an entry of that key. Errors: those of put_whole().
  [[nodiscard]] Status put(const std::string& key, const std::vector<CachedFile>& files) const;

  // The files of that key; nothing where there are none, or none of this pool.
  [[nodiscard]] std::optional<std::vector<CachedFile>> find(const std::string& key) const;

  [[nodiscard]] std::filesystem::path file_of(const std::string& key) const;

 private:
  [[nodiscard]] std::string purpose(const std::string& key) const;

  SharedFolder folder_;
  std::string kind_;
  PoolKey key_;
};

}  // namespace kbench
