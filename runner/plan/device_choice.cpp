#include "runner/plan/device_choice.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace kbench {
namespace {

constexpr std::string_view kPrefix = "cuda:";

// Of "cuda:2".
std::optional<int> number_of(std::string_view word) {
  if (!word.starts_with(kPrefix)) return std::nullopt;
  word.remove_prefix(kPrefix.size());
  int number = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), number);
  const bool whole = failed == std::errc{} && end == word.data() + word.size() && number >= 0;
  return whole ? std::optional(number) : std::nullopt;
}

Error no_list(std::string_view words) {
  return {ErrorCode::kUsage, fmt::format("--devices {}: not a list of GPUs", words),
          "write --devices all, or --devices cuda:0,cuda:2"};
}

Result<std::vector<GpuInfo>> listed(std::string_view words, const std::vector<GpuInfo>& gpus) {
  std::vector<GpuInfo> chosen;
  std::set<int> seen;
  for (std::string_view rest = words;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    const auto number = number_of(word);
    if (!number) return no_list(words);
    if (!seen.insert(*number).second)
      return Error{ErrorCode::kUsage, fmt::format("--devices {}: {} is there twice", words, word),
                   "name each GPU once: one GPU measures one submission at a time"};
    const auto found = std::find_if(gpus.begin(), gpus.end(),
                                    [&](const GpuInfo& gpu) { return gpu.index == *number; });
    if (found == gpus.end())
      return Error{ErrorCode::kUsage,
                   fmt::format("--devices {}: there is no GPU number {} here ({} found)", words,
                               *number, gpus.size()),
                   "`kbench doctor` lists what there is"};
    chosen.push_back(*found);
    if (comma == std::string_view::npos) return chosen;
    rest.remove_prefix(comma + 1);
  }
}

bool are_alike(const GpuInfo& one, const GpuInfo& other) {
  return one.name == other.name && one.memory_bytes == other.memory_bytes &&
         one.driver == other.driver;
}

// "cuda:1 (NVIDIA H200, 139 GiB, driver 580.65.06)".
std::string describe(const GpuInfo& gpu) {
  return fmt::format("{}{} ({}, {} GiB, driver {})", kPrefix, gpu.index, gpu.name,
                     gpu.memory_bytes >> 30, gpu.driver);
}

// "cuda:0,cuda:2".
std::string list_of(const std::vector<GpuInfo>& gpus) {
  std::string list;
  for (const GpuInfo& gpu : gpus)
    list += fmt::format("{}{}{}", list.empty() ? "" : ",", kPrefix, gpu.index);
  return list;
}

Status check_alike(const std::vector<GpuInfo>& chosen) {
  std::vector<GpuInfo> like_first;
  std::string others;
  for (const GpuInfo& gpu : chosen) {
    if (are_alike(gpu, chosen.front()))
      like_first.push_back(gpu);
    else
      others += (others.empty() ? "" : ", ") + describe(gpu);
  }
  if (others.empty()) return Done{};
  return Error{ErrorCode::kUsage,
               fmt::format("devices of one run have one name, memory size and driver; unlike {}: "
                           "{}",
                           describe(chosen.front()), others),
               fmt::format("measure on those that are alike, --devices {}, and on the others in a "
                           "run of their own",
                           list_of(like_first))};
}

}  // namespace

Result<std::vector<GpuInfo>> choose_devices(const std::string& words,
                                            const std::vector<GpuInfo>& gpus) {
  auto chosen = words == "all" ? Result<std::vector<GpuInfo>>(gpus) : listed(words, gpus);
  if (!chosen) return chosen;
  if (chosen->empty()) return chosen;
  if (auto alike = check_alike(*chosen); !alike) return alike.error();
  std::stable_sort(chosen->begin(), chosen->end(),
                   [](const GpuInfo& a, const GpuInfo& b) { return a.uuid < b.uuid; });
  return chosen;
}

}  // namespace kbench
