#include "reports/facts/json_text.hpp"

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

std::string valid_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    valid += point.valid ? std::string(text.substr(0, point.bytes))
                         : fmt::format("\\x{:02x}", static_cast<std::uint32_t>(point.value));
    text.remove_prefix(point.bytes);
  }
  return valid;
}

// Two names that differ in such a byte only stay two: the library's own replacement makes them one.
void mend_strings(Json& value) {
  if (value.is_string()) value = valid_utf8(value.get_ref<const std::string&>());
  if (value.is_structured())
    for (Json& part : value) mend_strings(part);
}

}  // namespace

std::string json_text(Json value, int indent) {
  mend_strings(value);
  return value.dump(indent, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

}  // namespace kbench
