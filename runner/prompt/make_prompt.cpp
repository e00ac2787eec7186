#include "runner/prompt/make_prompt.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "runner/core/strict_json.hpp"
#include "runner/machine/cuda_probe.hpp"
#include "runner/machine/host_facts.hpp"
#include "runner/prompt/task_prompt.hpp"
#include "runner/task/task_sizes.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSourceBytes = 1u << 20;
// Examples that are short and typical; the first that is there and is not the task itself is shown.
constexpr std::array kExamples = {"level2/076_gemm_add_relu", "level1/019_relu",
                                  "level1/023_softmax"};

std::string gib_text(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / static_cast<double>(1u << 30));
}

PromptDevice describe_cpu() {
  PromptDevice device{.kind = "cpu", .name = cpu::model_name()};
  device.facts = {{"vector instructions", cpu::vector_features()},
                  {"threads", fmt::format("{}", cpu::usable_processors())},
                  {"last-level cache", fmt::format("{} KiB", cpu::cache_bytes() >> 10)},
                  {"memory", gib_text(cpu::memory_bytes())}};
  return device;
}

PromptDevice describe_gpu(const GpuInfo& gpu) {
  PromptDevice device{.kind = "cuda", .name = gpu.name};
  device.compute_capability = gpu.compute_capability;
  device.facts = {{"compute capability",
                   fmt::format("{}.{}", gpu.compute_capability / 10, gpu.compute_capability % 10)},
                  {"memory", gib_text(gpu.memory_bytes)},
                  {"driver", gpu.driver}};
  return device;
}

// The device asked for; without a wish, the GPU where there is one. GPUs are asked for once a
// prompt: NVML takes 0.1 s to start.
Target choose_device(const std::optional<std::string>& wish) {
  Target target{.device = "cpu"};
  if (wish == "cpu") return target;
  const auto gpus = probe_gpus();
  if (!wish && gpus.empty()) return target;
  target.device = "cuda";
  target.device_index = wish && wish->size() > 5 ? std::stoi(wish->substr(5)) : 0;
  const auto gpu = std::find_if(gpus.begin(), gpus.end(), [&](const GpuInfo& info) {
    return info.index == target.device_index;
  });
  if (gpu != gpus.end()) target.gpu = *gpu;
  return target;
}

PromptDevice describe(const Target& target) {
  if (target.device == "cpu") return describe_cpu();
  return target.gpu ? describe_gpu(*target.gpu) : PromptDevice{.kind = "cuda"};
}

// The text with the headers of its author, which the reader does not have, where they are included.
std::string with_own_headers(const std::string& text, const fs::path& folder) {
  constexpr std::string_view kInclude = "#include \"";
  constexpr std::string_view kOnce = "#pragma once\n";
  std::istringstream lines(text);
  std::string whole;
  for (std::string line; std::getline(lines, line);) {
    const bool includes = line.starts_with(kInclude) && line.ends_with('"');
    const auto header =
        includes ? read_bounded_file(
                       folder / line.substr(kInclude.size(), line.size() - kInclude.size() - 1),
                       kMaxSourceBytes)
                 : Result<std::string>(Error{});
    if (!header) {
      whole += line + "\n";
      continue;
    }
    std::string inlined = with_own_headers(*header, folder);
    if (const auto once = inlined.find(kOnce); once != std::string::npos)
      inlined.erase(once, kOnce.size());
    whole += inlined + "\n";
  }
  return whole;
}

// Folder and ending of a language's examples. Native ones are an agent's submissions, of which only
// those that need no parameter are short.
struct ExamplePlace {
  fs::path folder;
  std::string ending;
};

ExamplePlace examples_of(const PromptFolders& folders, PromptLanguage language,
                         const std::string& device) {
  const fs::path agent = folders.examples / "example";
  switch (language) {
    case PromptLanguage::kCpp: return {agent, ".cpp"};
    case PromptLanguage::kCuda: return {agent, ".cu"};
    case PromptLanguage::kPython: return {folders.prompts / ("python-" + device), ".py"};
    case PromptLanguage::kTriton: return {folders.prompts / "triton", ".py"};
  }
  return {};
}

std::optional<PromptExample> choose_example(const ExamplePlace& place, const Task& task) {
  const bool native = place.ending != ".py";
  for (const std::string id : kExamples) {
    if (id == task.id || (native && !id.starts_with("level1/"))) continue;
    const auto text = read_bounded_file(place.folder / (id + place.ending), kMaxSourceBytes);
    if (!text) continue;
    return PromptExample{id, native ? with_own_headers(*text, place.folder / "include") : *text};
  }
  return std::nullopt;
}

}  // namespace

Result<TaskPrompt> make_task_prompt(Task task, const PromptRequest& request,
                                    const PromptFolders& folders) {
  const auto wish = device_for(request.language, request.device);
  if (!wish) return wish.error();
  const Target target = choose_device(*wish);
  PromptDevice device = describe(target);
  const PromptLanguage language = request.language.value_or(usual_language(device.kind));
  const auto size = choose_size(task, request.size, device.kind == "cuda" ? "full" : "small");
  if (!size) return size.error();
  const auto source = read_bounded_file(task.source, kMaxSourceBytes);
  if (!source) return source.error();
  const auto example = choose_example(examples_of(folders, language, device.kind), task);
  const auto abi = read_bounded_file(folders.abi / "kbench.h", kMaxSourceBytes);
  if (!abi) return abi.error();
  if (request.more_facts)
    for (auto& fact : request.more_facts(**size, target)) device.facts.push_back(std::move(fact));
  const std::string kind = device.kind;
  const std::string name = (*size)->name;
  std::string text =
      task_prompt({task, **size, *source, *abi, language, std::move(device), example});
  return TaskPrompt{std::move(task), name, kind, request.precision, language, std::move(text)};
}

}  // namespace kbench
