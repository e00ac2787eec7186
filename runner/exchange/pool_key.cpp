#include "runner/exchange/pool_key.hpp"

#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "runner/core/hmac.hpp"
#include "runner/core/secret_file.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameDigits = 16;
constexpr std::size_t kSignatureDigits = 64;

SecretWords words() {
  return {"the key of the pool",
          "Copy the file from the machine that has made the exchange, as yours alone (mode 0600)."};
}

// Parts of known length, so that no two of different meaning are equal.
std::string signature(const PoolKey& key, std::string_view purpose, std::string_view text) {
  return hmac_sha256(key.secret,
                     fmt::format("kbench exchange\n{}:{}\n{}", purpose.size(), purpose, text));
}

}  // namespace

PoolKey pool_key_of(std::string secret) {
  std::string name = hmac_sha256(secret, "kbench name of a pool").substr(0, kNameDigits);
  return {std::move(secret), std::move(name)};
}

fs::path pool_key_file(const fs::path& state) { return state / "pool.key"; }

Result<PoolKey> read_pool_key(const fs::path& state) {
  Result<std::string> secret = read_secret_file(pool_key_file(state), words());
  if (secret) return pool_key_of(std::move(*secret));
  if (secret.error().code != ErrorCode::kNotFound) return secret.error();
  return Error{ErrorCode::kInfrastructure,
               fmt::format("{}: no key of a pool yet", pool_key_file(state).string()),
               "`kbench exchange init DIR` makes it on the first machine; on each other one, copy "
               "that file to this place, with mode 0600."};
}

Result<PoolKey> keep_pool_key(const fs::path& state) {
  Result<std::string> secret = keep_secret_file(pool_key_file(state), words());
  if (!secret) return secret.error();
  return pool_key_of(std::move(*secret));
}

std::string sign(const PoolKey& key, std::string_view purpose, std::string_view text) {
  return fmt::format("{}\n{}", signature(key, purpose, text), text);
}

std::optional<std::string_view> signed_text(const PoolKey& key, std::string_view purpose,
                                            std::string_view whole) {
  if (whole.size() <= kSignatureDigits || whole[kSignatureDigits] != '\n') return std::nullopt;
  const std::string_view text = whole.substr(kSignatureDigits + 1);
  if (whole.substr(0, kSignatureDigits) != signature(key, purpose, text)) return std::nullopt;
  return text;
}

}  // namespace kbench
