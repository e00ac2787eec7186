#include "runner/run/unit_order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "runner/measure/secret.hpp"

namespace kbench {
namespace {

void shuffle(const std::string& seed, std::vector<std::size_t>& units) {
  const KeySchedule keys(seed);
  for (std::size_t i = units.size(); i > 1; --i)
    std::swap(units[i - 1], units[keys.key("order", i) % i]);
}

void longest_first(const std::vector<double>& seconds, std::vector<std::size_t>& units) {
  std::vector<std::size_t> places(units.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return seconds[a] > seconds[b]; });
  std::vector<std::size_t> sorted;
  for (const std::size_t place : places) sorted.push_back(units[place]);
  units = std::move(sorted);
}

}  // namespace

void order_units(UnitOrder order, const std::vector<double>& seconds, const std::string& seed,
                 std::vector<std::size_t>& units) {
  switch (order) {
    case UnitOrder::kTask: return;
    case UnitOrder::kShuffled: return shuffle(seed, units);
    case UnitOrder::kLongest: return longest_first(seconds, units);
  }
}

}  // namespace kbench
