// A text out of untrusted JSON.
#pragma once

#include <string>

#include "runner/core/json.hpp"

namespace kbench {

// The member of that name. Empty where there is none, where it is no text, and where the JSON is no
// object.
[[nodiscard]] inline std::string text_in(const Json& object, const char* name) {
  if (!object.is_object()) return "";
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace kbench
