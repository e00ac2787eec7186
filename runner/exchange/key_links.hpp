// Which run answers a key: DIR/SPACE/keys/ab/KEY, signed, made by link(2), so that of any number of
// runs on any number of machines one wins, and stays. A run claims a key once its row lies in the
// exchange.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/exchange/pool_key.hpp"
#include "runner/exchange/shared_folder.hpp"

namespace kbench {

class KeyLinks {
 public:
  // `folder`: DIR/SPACE/keys.
  KeyLinks(SharedFolder folder, std::string space, PoolKey key);

  // The run that has the key from now on: `run`, or one that was faster. Errors: kBadInput where
  // what lies there was signed by no machine of the pool, or a folder is a link, which withholds
  // the key; kInfrastructure.
  [[nodiscard]] Result<std::string> claim(const std::string& key, const std::string& run) const;

  // The run that has it; nothing where none has, or where what lies there was not signed.
  [[nodiscard]] std::optional<std::string> find(const std::string& key) const;
  // Finds it, and says what lies in the place of an answer. Errors: kBadInput where no machine of
  // the pool signed it, or it is no file; kInfrastructure.
  [[nodiscard]] Result<std::optional<std::string>> look(const std::string& key) const;

  // The keys that something lies for, signed or not; and removal of it.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] Status remove(const std::string& key) const;

  [[nodiscard]] std::filesystem::path file_of(const std::string& key) const;

 private:
  [[nodiscard]] SharedFolder folder_of(const std::string& key) const;
  [[nodiscard]] Error unsigned_at(const std::string& key) const;
  [[nodiscard]] std::string purpose(const std::string& key) const;

  SharedFolder folder_;
  std::string space_;
  PoolKey key_;
};

// Whether a name can be one of a key: SHA-256 in hex. And of a run: 128 bits in hex.
[[nodiscard]] bool is_key_name(const std::string& name);
[[nodiscard]] bool is_run_name(const std::string& name);

}  // namespace kbench
