// HMAC-SHA256 (RFC 2104): a fingerprint that only the holder of a key can make. Chains the rows of
// a run (runner/store/chain/chain.hpp).
#pragma once

#include <string>
#include <string_view>

namespace kbench {

// HMAC-SHA-256 in lower-case hex.
[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view message);

}  // namespace kbench
