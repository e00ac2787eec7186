#include "runner/synthesis/operator_range.hpp"

#include <charconv>
#include <system_error>

namespace kbench {
namespace {

std::optional<int> operator_count(std::string_view text) {
  int value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || value < 1 ||
      value > kMostOperators)
    return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::pair<int, int>> parse_operator_range(std::string_view word) {
  const std::size_t dots = word.find("..");
  const auto least = operator_count(word.substr(0, dots));
  const auto most = dots == word.npos ? least : operator_count(word.substr(dots + 2));
  if (!least || !most || *least > *most) return std::nullopt;
  return std::pair{*least, *most};
}

}  // namespace kbench
