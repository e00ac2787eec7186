// JSON from Python may hold lone surrogates: halves of a pair that a tokenizer has cut. Python
// writes such a half as a character; a JSON parser stops there, and loses all the rest.
#pragma once

#include <string>

namespace kbench {

// The same JSON with U+FFFD in place of each, whether it is escaped or stands there in bytes.
[[nodiscard]] std::string without_lone_surrogates(std::string json);

}  // namespace kbench
