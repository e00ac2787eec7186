#include "runner/measure/players/torch_use.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

// Names of schemas without their namespace, sorted. Views are not listed: they are recognised by
// their schema where operators are counted.
constexpr std::array<std::string_view, 58> kData{"_copy_from",
                                                 "_local_scalar_dense",
                                                 "_pin_memory",
                                                 "_reshape_copy",
                                                 "_resize_output_",
                                                 "_to_copy",
                                                 "_unsafe_view",
                                                 "arange",
                                                 "bernoulli",
                                                 "bernoulli_",
                                                 "cat",
                                                 "clone",
                                                 "complex",
                                                 "concat",
                                                 "contiguous",
                                                 "copy",
                                                 "copy_",
                                                 "detach_",
                                                 "empty",
                                                 "empty_like",
                                                 "empty_permuted",
                                                 "empty_strided",
                                                 "eye",
                                                 "fill",
                                                 "fill_",
                                                 "flatten",
                                                 "full",
                                                 "full_like",
                                                 "is_pinned",
                                                 "is_same_size",
                                                 "item",
                                                 "lift_fresh",
                                                 "new_empty",
                                                 "new_empty_strided",
                                                 "new_full",
                                                 "new_ones",
                                                 "new_zeros",
                                                 "normal_",
                                                 "ones",
                                                 "ones_like",
                                                 "pin_memory",
                                                 "rand",
                                                 "rand_like",
                                                 "randint",
                                                 "randn",
                                                 "randn_like",
                                                 "randperm",
                                                 "repeat",
                                                 "reshape",
                                                 "resize_",
                                                 "scalar_tensor",
                                                 "set_",
                                                 "stack",
                                                 "to",
                                                 "uniform_",
                                                 "zero_",
                                                 "zeros",
                                                 "zeros_like"};

// The numbers of an object by cleaned names, none above `most`; of anything else, none.
std::map<std::string, std::int64_t> read_numbers(const Json& said, const char* field,
                                                 std::uint64_t most) {
  constexpr std::size_t kMostNames = 200;
  constexpr std::size_t kLongestName = 100;
  std::map<std::string, std::int64_t> numbers;
  const auto found = said.find(field);
  if (found == said.end() || !found->is_object()) return numbers;
  for (const auto& [name, number] : found->items()) {
    if (numbers.size() == kMostNames) break;
    if (!number.is_number_unsigned()) continue;
    numbers[clean_name(name, kLongestName)] =
        static_cast<std::int64_t>(std::min(number.get<std::uint64_t>(), most));
  }
  return numbers;
}

// "aten::relu 2 (7 %)".
std::string describe_operator(const TorchUse& use, const std::string& name, std::int64_t calls) {
  std::string words = fmt::format("{} {}", name, calls);
  const auto timed = use.ns.find(name);
  if (timed == use.ns.end() || use.all_ns <= 0) return words;
  const double share = static_cast<double>(timed->second) / static_cast<double>(use.all_ns);
  const double percent = std::min(100.0, 100 * share);
  return words + (percent < 0.5 ? " (under 1 %)" : fmt::format(" ({:.0f} %)", percent));
}

}  // namespace

TorchUse read_torch_use(const Json& said) {
  constexpr std::uint64_t kMostCalls = 1u << 30;
  constexpr std::uint64_t kMostNs = 1'000'000'000'000;  // no call lasts so long
  if (!said.is_object()) return {.hooks_stand = false};
  const auto operators = said.find("operators");
  if (operators == said.end() || !operators->is_object()) return {.hooks_stand = false};
  TorchUse use;
  use.hooks_stand = said.value("hooks", Json()) == Json(true);
  use.operators = read_numbers(said, "operators", kMostCalls);
  use.ns = read_numbers(said, "ns", kMostNs);
  const Json all = said.value("all_ns", Json());
  if (all.is_number_unsigned())
    use.all_ns = static_cast<std::int64_t>(std::min(all.get<std::uint64_t>(), kMostNs));
  return use;
}

bool is_data_operator(std::string_view name) {
  constexpr std::string_view kNamespace = "aten::";
  if (!name.starts_with(kNamespace)) return false;
  return std::binary_search(kData.begin(), kData.end(), name.substr(kNamespace.size()));
}

double share_of_data_operators(const TorchUse& use) {
  if (use.all_ns <= 0) return 0;
  std::int64_t data_ns = 0;
  for (const auto& [name, ns] : use.ns)
    if (is_data_operator(name)) data_ns += ns;
  return std::min(1.0, static_cast<double>(data_ns) / static_cast<double>(use.all_ns));
}

std::string computing_operators(const TorchUse& use) {
  constexpr std::size_t kMost = 20;
  std::vector<std::tuple<std::int64_t, std::int64_t, std::string>> found;
  for (const auto& [name, calls] : use.operators) {
    if (is_data_operator(name)) continue;
    const auto timed = use.ns.find(name);
    found.emplace_back(timed == use.ns.end() ? 0 : -timed->second, -calls, name);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> words;
  for (std::size_t i = 0; i < found.size() && i < kMost; ++i) {
    const auto& [ns, calls, name] = found[i];
    words.push_back(describe_operator(use, name, -calls));
  }
  if (found.size() > kMost) words.push_back(fmt::format("and {} more", found.size() - kMost));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string_view to_string(AllowTorch policy) {
  switch (policy) {
    case AllowTorch::kData: return "data";
    case AllowTorch::kAll: return "all";
    case AllowTorch::kNone: return "none";
  }
  return "data";
}

std::optional<AllowTorch> allow_torch_from_string(std::string_view text) {
  for (const AllowTorch policy : {AllowTorch::kData, AllowTorch::kAll, AllowTorch::kNone})
    if (text == to_string(policy)) return policy;
  return std::nullopt;
}

}  // namespace kbench
