#include "runner/core/suggest.hpp"

#include <algorithm>
#include <numeric>

namespace kbench {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(char a, char b) { return lower(a) == lower(b); }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: two rows back (for swaps), the last one, the one being filled.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitute});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::optional<std::string> best;
  const auto begins_alike = [&](const std::string& other) {
    return !word.empty() && !other.empty() && same(word.front(), other.front());
  };
  for (const auto& candidate : known) {
    const auto distance = edit_distance(word, candidate);
    // At the same distance the one that begins alike wins: few mistype the first letter.
    const bool likelier =
        best && distance == best_distance && begins_alike(candidate) && !begins_alike(*best);
    if (distance < best_distance || likelier) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace kbench
