#include "runner/measure/torch_use.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

// By schema name without its namespace; sorted. Views are recognised by their schema where they are
// counted, and are not listed.
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

}  // namespace

TorchUse read_torch_use(const Json& said) {
  constexpr std::size_t kMostNames = 200;
  constexpr std::size_t kLongestName = 100;
  TorchUse use;
  if (!said.is_object()) return {.hooks_stand = false};
  use.hooks_stand = said.value("hooks", Json()) == Json(true);
  const auto found = said.find("operators");
  if (found == said.end() || !found->is_object()) return {.hooks_stand = false};
  for (const auto& [name, calls] : found->items()) {
    if (use.operators.size() == kMostNames) break;
    if (!calls.is_number_unsigned()) continue;
    use.operators[clean_name(name, kLongestName)] =
        static_cast<std::int64_t>(std::min<std::uint64_t>(calls.get<std::uint64_t>(), 1u << 30));
  }
  return use;
}

bool is_data_operator(std::string_view name) {
  constexpr std::string_view kNamespace = "aten::";
  if (!name.starts_with(kNamespace)) return false;
  return std::binary_search(kData.begin(), kData.end(), name.substr(kNamespace.size()));
}

std::string computing_operators(const TorchUse& use) {
  constexpr std::size_t kMost = 20;
  std::vector<std::pair<std::int64_t, std::string>> found;
  for (const auto& [name, calls] : use.operators)
    if (!is_data_operator(name)) found.emplace_back(-calls, name);
  std::sort(found.begin(), found.end());
  std::vector<std::string> words;
  for (std::size_t i = 0; i < found.size() && i < kMost; ++i)
    words.push_back(fmt::format("{} {}", found[i].second, -found[i].first));
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
