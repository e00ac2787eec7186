// The JSON type used everywhere. Include this rather than the library, so that there is one
// spelling.
#pragma once

#include <nlohmann/json.hpp>

namespace kbench {
using Json = nlohmann::json;
}
