// The key of a pool: machines that have it believe each other what lies in their exchange. It signs
// all that is put there, and takes the part of the chain key for the runs. Text that it did not
// sign is ignored, so a writer without it can only withhold.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "runner/core/result.hpp"

namespace kbench {

struct PoolKey {
  std::string secret;  // 32 bytes
  std::string name;    // tells pools apart and says nothing about the secret
};

[[nodiscard]] PoolKey pool_key_of(std::string secret);

// The file in which a user's supervisors keep the key: `state`/pool.key, mode 0600.
[[nodiscard]] std::filesystem::path pool_key_file(const std::filesystem::path& state);

// Errors: kInfrastructure without one, or where it is no file of ours alone.
[[nodiscard]] Result<PoolKey> read_pool_key(const std::filesystem::path& state);
// Reads the key, and draws it where there is none.
[[nodiscard]] Result<PoolKey> keep_pool_key(const std::filesystem::path& state);

// A text with its signature before it. `purpose` says what it is, of which thing and where, so that
// no text that was signed for one place is taken at another.
[[nodiscard]] std::string sign(const PoolKey& key, std::string_view purpose, std::string_view text);
// The text of such a whole; nothing where it has no signature, or that of another key or purpose.
[[nodiscard]] std::optional<std::string_view> signed_text(const PoolKey& key,
                                                          std::string_view purpose,
                                                          std::string_view whole);

}  // namespace kbench
