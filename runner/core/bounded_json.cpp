#include "runner/core/bounded_json.hpp"

#include <exception>
#include <stdexcept>
#include <string>

namespace kbench {

Result<Json> parse_bounded_json(std::string_view text, int deepest) {
  const auto too_deep = [deepest](int depth, Json::parse_event_t, Json&) -> bool {
    if (depth > deepest) throw std::length_error("nested too deeply");
    return true;
  };
  try {
    return Json::parse(text, too_deep);
  } catch (const std::exception& error) {
    return Error{ErrorCode::kBadInput, error.what(), ""};
  }
}

}  // namespace kbench
