#include "runner/worker/loader.hpp"

#include <dlfcn.h>

#include <string>
#include <utility>

#include "runner/core/library_words.hpp"

namespace kbench {

TensorStruct::TensorStruct(std::vector<std::uint64_t> offsets)
    : offsets_(std::move(offsets)), words_(offsets_.size() + 1) {
  const std::uint64_t size = words_.size() * sizeof(std::uint64_t);
  words_[0] = size | (static_cast<std::uint64_t>(KBENCH_ABI_VERSION) << 32);
}

void TensorStruct::rebase(std::byte* base) {
  for (std::size_t i = 0; i < offsets_.size(); ++i)
    words_[i + 1] = reinterpret_cast<std::uint64_t>(base + offsets_[i]);
}

Result<LoadedSubmission> LoadedSubmission::load(const UniqueFd& library, bool& missing_symbol) {
  missing_symbol = false;
  const std::string path = "/proc/self/fd/" + std::to_string(library.get());
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    std::string reason = ::dlerror();
    if (reason.starts_with(path + ": ")) reason.erase(0, path.size() + 2);  // a number of ours
    return Error{ErrorCode::kSubmission, kDoesNotLoad + reason, kDoesNotLoadHint};
  }
  LoadedSubmission loaded;
  loaded.forward_ = reinterpret_cast<Forward>(::dlsym(handle, kForwardName));
  loaded.prepare_ = reinterpret_cast<Prepare>(::dlsym(handle, "kbench_prepare"));
  loaded.workspace_bytes_ =
      reinterpret_cast<WorkspaceBytes>(::dlsym(handle, "kbench_workspace_bytes"));
  if (loaded.forward_ == nullptr) {
    missing_symbol = true;
    return Error{ErrorCode::kSubmission, kNoForward, kNoForwardHint};
  }
  return loaded;
}

std::uint64_t LoadedSubmission::workspace_bytes() const {
  return workspace_bytes_ == nullptr ? 0 : workspace_bytes_();
}

std::int32_t LoadedSubmission::prepare(TensorStruct& params, kb_context& context) const {
  return prepare_(params.get(), &context);
}

std::int32_t LoadedSubmission::forward(TensorStruct& inputs, TensorStruct& params,
                                       TensorStruct& outputs, kb_context& context) const {
  return forward_(inputs.get(), params.get(), outputs.get(), &context);
}

}  // namespace kbench
