// JSON that Python wrote holds lone surrogates where a text did: half of a pair, which a tokenizer
// has cut. To them it is a character; to a parser of JSON it is an error, that loses all the rest.
#pragma once

#include <string>

namespace kbench {

// The same JSON with U+FFFD in place of each, whether it is escaped or stands there in bytes.
[[nodiscard]] std::string without_lone_surrogates(std::string json);

}  // namespace kbench
