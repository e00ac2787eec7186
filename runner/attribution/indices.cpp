#include "runner/attribution/indices.hpp"

#include <bit>
#include <cmath>

namespace kbench {
namespace {

double binomial(int n, int k) {
  double product = 1;
  for (int i = 1; i <= k; ++i) product = product * (n - k + i) / i;
  return product;
}

// The share of m_U, U ⊇ T, that the index gives to T.
double weight(Index index, int of_union, int of_group) {
  switch (index) {
    case Index::kBanzhaf: return std::ldexp(1.0, of_group - of_union);
    case Index::kShapley: return 1.0 / (of_union - of_group + 1);
    case Index::kShapleyTaylor: return 1.0 / binomial(of_union, of_group);
    case Index::kSigma:
    case Index::kAddOne: return of_union == of_group ? 1 : 0;
    case Index::kLeaveOneOut: return 1;
  }
  return 0;
}

// v(T) − v(∅), v(N) − v(N∖T): sums over what meets T, which need not hold all of it.
double touching(Index index, const CoalitionValues& transform, Coalition group) {
  double sum = 0;
  for (Coalition at = 1; at < transform.size(); ++at) {
    const bool counts = index == Index::kAddOne ? (at & ~group) == 0 : (at & group) != 0;
    if (counts) sum += transform[at];
  }
  return sum;
}

}  // namespace

std::string_view to_string(Index index) {
  switch (index) {
    case Index::kBanzhaf: return "banzhaf";
    case Index::kShapley: return "shapley";
    case Index::kShapleyTaylor: return "shapley_taylor";
    case Index::kSigma: return "sigma";
    case Index::kAddOne: return "add_one";
    case Index::kLeaveOneOut: return "leave_one_out";
  }
  return "";
}

double index_of(Index index, const CoalitionValues& transform, Coalition group) {
  if (index == Index::kAddOne || index == Index::kLeaveOneOut)
    return touching(index, transform, group);
  double sum = 0;
  for (Coalition at = group; at < transform.size(); at = (at + 1) | group)
    sum += weight(index, size_of(at), size_of(group)) * transform[at];
  return sum;
}

double released_sigma(const CoalitionValues& transform, Coalition pair) {
  return transform[pair] - transform[transform.size() - 1] / 3;
}

double largest_interaction(Coalition group) { return std::ldexp(1.0, size_of(group) - 1); }

}  // namespace kbench
