// The key that a user's runs are chained with. It lies outside of every database, readable by its
// owner alone, so that a forger of a results file cannot make up its chain. Rules of the chain:
// chain.hpp.
#pragma once

#include <filesystem>
#include <string>

#include "runner/core/result.hpp"

namespace kbench {

struct ChainKey {
  std::string secret;  // 32 bytes
  std::string name;    // tells keys apart and says nothing about the secret; stored with a run
};

[[nodiscard]] ChainKey chain_key_of(std::string secret);

// `folder`/chain.key. Errors: kNotFound where there is none; kInfrastructure where it is not 32
// bytes in a regular file of ours that no other user can read.
[[nodiscard]] Result<ChainKey> read_chain_key(const std::filesystem::path& folder);

// Reads the key, and makes folder and key where they are missing: once, also when two processes try
// at the same moment. Errors: kInfrastructure where it cannot be kept; nothing is chained then.
[[nodiscard]] Result<ChainKey> keep_chain_key(const std::filesystem::path& folder);

}  // namespace kbench
