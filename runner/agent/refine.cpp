#include "runner/agent/refine.hpp"

#include <cstddef>
#include <utility>

#include "runner/answer/answer_code.hpp"
#include "runner/core/json.hpp"

namespace kbench {
namespace {

constexpr const char* kFolder = "kernels/";
constexpr const char* kManifest = "submission.json";
constexpr std::size_t kMostFiles = 24;  // each is a call of the turn

bool is_native(const std::string& path) { return path.ends_with(".cu") || path.ends_with(".cpp"); }

std::string manifest_of(const std::map<std::string, std::string>& files) {
  Json manifest = {{"schema", "kbench-submission/1"}};
  for (const auto& [path, text] : files)
    if (is_native(path)) manifest["sources"].push_back(path);
  if (!manifest.contains("sources") && !files.empty()) {
    manifest["kind"] = "python";
    manifest["entry"] = files.begin()->first;
  }
  return manifest.dump(1) + "\n";
}

}  // namespace

std::map<std::string, std::string> refined_files(std::string_view reply,
                                                 const std::string& kernel_path) {
  auto files = files_in_answer(reply, kernel_path.ends_with(".cu") ? "cuda" : "cpu");
  if (files.empty() || files.size() > kMostFiles) return {};
  // A kernel without a name has the one that the prompt gives it.
  for (const char* unnamed : {"kernel.cu", "kernel.cpp"}) {
    auto kernel = files.extract(unnamed);
    if (kernel.empty()) continue;
    kernel.key() = kernel_path.substr(kernel_path.rfind('/') + 1);
    files.insert(std::move(kernel));
  }
  if (!files.contains(kManifest)) files[kManifest] = manifest_of(files);
  std::map<std::string, std::string> placed;
  for (auto& [path, text] : files) placed[kFolder + path] = std::move(text);
  return placed;
}

RefineWords refine_words() {
  return {
      "Your kernel was judged:\n\n",
      "\n\nMake it right where it is wrong, and faster where it is right. Answer with the whole "
      "kernel in one fence again."};
}

std::string refine_feedback(const std::string& judged) {
  if (judged.empty())
    return "Your reply has no code, so there was nothing to judge. Answer with the whole kernel in "
           "one fence (```).";
  const RefineWords words = refine_words();
  return words.before + judged + words.after;
}

}  // namespace kbench
