// The client of a request, by its token. It comes as "Authorization: Bearer TOKEN", or, from
// clients that can give an address and nothing else
// (http://kbench:TOKEN@127.0.0.1:8377/get_reward), as the password of "Authorization: Basic". Never
// in a path: those are written down everywhere.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runner/serve/token.hpp"

namespace kbench {

// The token of an Authorization header; nothing if it has none.
[[nodiscard]] std::optional<std::string> presented_token(std::string_view authorization);

// The one with that token; null where there is none. Takes the same time for each token that is
// wrong, however much of it is right: hashes are compared, all of them, to their ends.
[[nodiscard]] const KnownToken* find_token(std::span<const KnownToken> tokens,
                                           std::string_view presented);

// Compares two texts to the end, wherever they differ. Texts of different length differ.
[[nodiscard]] bool equal_in_constant_time(std::string_view a, std::string_view b);

// Decodes standard base64; nothing where it is none.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

}  // namespace kbench
