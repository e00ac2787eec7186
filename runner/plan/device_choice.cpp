#include "runner/plan/device_choice.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "runner/plan/core_share.hpp"
#include "runner/plan/lane_cores.hpp"

namespace kbench {
namespace {

Result<Target> explicit_device(const std::string& text) {
  Target target;
  if (text == "cpu") {
    target.device = "cpu";
    return target;
  }
  const std::string_view rest =
      std::string_view(text).substr(std::min<std::size_t>(text.size(), 4));
  const bool numbered = rest.starts_with(':') && rest.size() > 1;
  if (text.starts_with("cuda") && (rest.empty() || numbered)) {
    target.device = "cuda";
    if (rest.empty()) return target;
    const auto [end, error] =
        std::from_chars(rest.data() + 1, rest.data() + rest.size(), target.device_index);
    if (error == std::errc() && end == rest.data() + rest.size() && target.device_index >= 0)
      return target;
  }
  return Error{ErrorCode::kUsage, "--device " + text + " is no device", "use cpu, cuda or cuda:N"};
}

constexpr std::string_view kPrefix = "cuda:";

// The number in "cuda:2".
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
          "write --devices all, --devices 2, or --devices cuda:0,cuda:2"};
}

// The number of devices in "2"; nothing for other words.
std::optional<std::size_t> count_of(std::string_view words) {
  std::size_t count = 0;
  const auto [end, failed] = std::from_chars(words.data(), words.data() + words.size(), count);
  const bool whole = failed == std::errc{} && end == words.data() + words.size() && count > 0;
  return whole ? std::optional(count) : std::nullopt;
}

Result<std::vector<GpuInfo>> first_ones(std::size_t count, const std::vector<GpuInfo>& gpus) {
  if (count > gpus.size())
    return Error{ErrorCode::kUsage,
                 fmt::format("--devices {}: {} GPU{} here", count, gpus.size(),
                             gpus.size() == 1 ? " is" : "s are"),
                 "`kbench doctor` lists what there is"};
  return std::vector<GpuInfo>(gpus.begin(), gpus.begin() + static_cast<std::ptrdiff_t>(count));
}

Error several_on_cpu(const std::string& words) {
  return {ErrorCode::kUsage,
          fmt::format("--devices {}: a run on a CPU has one device, the CPU", words),
          "rows that are measured beside each other on one CPU disturb each other: leave --devices "
          "out, or share the work among machines (--shard)"};
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

// The same target on another GPU.
Target target_on(const GpuInfo& gpu, const Target& like) {
  Target target = like;
  target.device_index = gpu.index;
  target.gpu = gpu;
  target.cores = launching_cores(gpu, usable_cores());
  return target;
}

}  // namespace

std::string usual_device(const RunRequest& request, bool has_gpu) {
  const bool is_for_cpu = request.file && request.file->extension() == ".cpp";
  return has_gpu && !is_for_cpu ? "cuda" : "cpu";
}

Result<Target> choose_target(const RunRequest& request, const Installation& installation) {
  Target target;
  const bool has_cuda_oracle = std::filesystem::exists(installation.oracle_cuda);
  const bool asked = request.device.has_value();
  if (asked) {
    auto given = explicit_device(*request.device);
    if (!given) return given.error();
    target = *given;
  }
  std::vector<GpuInfo> gpus;
  if (has_cuda_oracle && target.device != "cpu") gpus = probe_gpus();
  if (!asked) target.device = usual_device(request, !gpus.empty());
  if (target.device == "cuda") {
    if (!has_cuda_oracle) {
      return Error{ErrorCode::kUsage, "this kbench was built without CUDA",
                   installation.installed
                       ? "install one that was built with it, or use --device cpu"
                       : "install the CUDA toolkit and run third_party/setup again, or use "
                         "--device cpu"};
    }
    const auto gpu = std::find_if(gpus.begin(), gpus.end(), [&](const GpuInfo& candidate) {
      return candidate.index == target.device_index;
    });
    if (gpu == gpus.end()) {
      return Error{ErrorCode::kUsage,
                   fmt::format("there is no GPU number {} here ({} found)", target.device_index,
                               gpus.size()),
                   "`kbench doctor` lists what there is"};
    }
    target.gpu = *gpu;
    target.cores = launching_cores(*gpu, usable_cores());
  }
  target.size = request.size.value_or(target.device == "cuda" ? "full" : "small");
  return target;
}

Result<std::vector<GpuInfo>> choose_devices(const std::string& words,
                                            const std::vector<GpuInfo>& gpus) {
  const auto count = count_of(words);
  auto chosen = words == "all" ? Result<std::vector<GpuInfo>>(gpus)
                : count        ? first_ones(*count, gpus)
                               : listed(words, gpus);
  if (!chosen) return chosen;
  if (chosen->empty()) return chosen;
  if (auto alike = check_alike(*chosen); !alike) return alike.error();
  std::stable_sort(chosen->begin(), chosen->end(),
                   [](const GpuInfo& a, const GpuInfo& b) { return a.uuid < b.uuid; });
  return chosen;
}

std::optional<std::string> named_device(const std::string& words) {
  if (words == "all" || count_of(words)) return std::nullopt;
  return words.substr(0, words.find(','));
}

Status check_devices(const std::string& words) {
  if (words == "all" || words == "cpu" || count_of(words)) return Done{};
  if (words.starts_with("cpu,")) return several_on_cpu(words);
  for (std::string_view rest = words;;) {
    const std::size_t comma = rest.find(',');
    if (!number_of(rest.substr(0, comma))) return no_list(words);
    if (comma == std::string_view::npos) return Done{};
    rest.remove_prefix(comma + 1);
  }
}

Status take_devices(const std::string& words, const std::vector<GpuInfo>& gpus, Plan& plan) {
  if (auto fine = check_devices(words); !fine) return fine;
  if (plan.target.device != "cuda") {
    if (count_of(words).value_or(1) > 1) return several_on_cpu(words);
    if (words == "cpu") plan.devices = {GpuInfo()};
    return Done{};
  }
  auto chosen = choose_devices(words, gpus);
  if (!chosen) return chosen.error();
  if (chosen->size() < 2) return Done{};
  for (const GpuInfo& gpu : *chosen)
    if (gpu.uuid.empty())
      return Error{
          ErrorCode::kUsage,
          fmt::format("--devices {}: {} has no UUID that NVML tells", words, describe(gpu)),
          "give CUDA_VISIBLE_DEVICES as numbers, or measure on one device"};
  plan.target.gpu = chosen->front();
  plan.target.device_index = chosen->front().index;
  plan.devices = std::move(*chosen);
  return Done{};
}

std::vector<Target> ChosenDevices::each() const {
  if (lanes.size() < 2) return {target};
  std::vector<Target> all;
  for (const GpuInfo& gpu : lanes) all.push_back(target_on(gpu, target));
  return all;
}

std::vector<Target> ChosenDevices::with_cores(const std::vector<int>& usable,
                                              const std::filesystem::path& topology) const {
  if (lanes.size() < 2) return {target};
  std::vector<Target> all;
  for (const LaneCores& lane : lane_cores(lanes, usable, topology))
    all.push_back(target_on(lane.gpu, target));
  return all;
}

Result<ChosenDevices> choose_devices_of(const std::optional<std::string>& device,
                                        const std::optional<std::string>& devices,
                                        const Installation& installation) {
  RunRequest asked;
  asked.device = devices ? named_device(*devices) : device;
  if (devices)
    if (auto fine = check_devices(*devices); !fine) return fine.error();
  auto target = choose_target(asked, installation);
  if (!target) return target.error();
  Plan chosen{.target = std::move(*target)};
  if (devices) {
    const auto gpus = chosen.target.device == "cuda" ? probe_gpus() : std::vector<GpuInfo>();
    if (auto taken = take_devices(*devices, gpus, chosen); !taken) return taken.error();
  }
  return ChosenDevices{std::move(chosen.target), std::move(chosen.devices)};
}

}  // namespace kbench
