#include "runner/store/chain/chain_key.hpp"

#include <cstddef>
#include <utility>

#include "runner/core/hmac.hpp"
#include "runner/core/secret_file.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameDigits = 16;

SecretWords words() {
  return {"the key that runs are chained with",
          "Runs go on unchained. Make the folder yours alone, or remove the file: a new key is "
          "made, and runs of the old one cannot be checked any more."};
}

}  // namespace

ChainKey chain_key_of(std::string secret) {
  std::string name = hmac_sha256(secret, "kbench name of a key").substr(0, kNameDigits);
  return {std::move(secret), std::move(name)};
}

Result<ChainKey> read_chain_key(const fs::path& folder) {
  Result<std::string> secret = read_secret_file(folder / "chain.key", words());
  if (secret) return chain_key_of(std::move(*secret));
  if (secret.error().code != ErrorCode::kNotFound) return secret.error();
  return Error{ErrorCode::kNotFound, secret.error().message, "`kbench run` makes it."};
}

Result<ChainKey> keep_chain_key(const fs::path& folder) {
  Result<std::string> secret = keep_secret_file(folder / "chain.key", words());
  if (!secret) return secret.error();
  return chain_key_of(std::move(*secret));
}

}  // namespace kbench
