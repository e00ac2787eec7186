#include "baselines/package.hpp"

#include <exception>
#include <utility>

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

namespace kbench {

struct CompiledPackage::Impl {
  explicit Impl(const std::string& file)
      // One thread and one stream call it. The thread-safe mode would wait on the host, in every
      // call, for the end of the call before.
      : loader(file, "model", /*run_single_threaded=*/true, /*num_runners=*/1) {}

  torch::inductor::AOTIModelPackageLoader loader;
};

CompiledPackage::CompiledPackage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CompiledPackage::CompiledPackage(CompiledPackage&&) noexcept = default;
CompiledPackage& CompiledPackage::operator=(CompiledPackage&&) noexcept = default;
CompiledPackage::~CompiledPackage() = default;

Result<CompiledPackage> CompiledPackage::load(const std::filesystem::path& file) {
  try {
    return CompiledPackage(std::make_unique<Impl>(file.string()));
  } catch (const std::exception& error) {
    return Error{ErrorCode::kInfrastructure,
                 "cannot load the compiled package " + file.string() + ": " + error.what(),
                 "delete the file; it is built again on the next run"};
  }
}

std::vector<at::Tensor> CompiledPackage::run(const std::vector<at::Tensor>& inputs,
                                             const std::vector<at::Tensor>& parameters) const {
  const c10::NoGradGuard no_grad;
  std::vector<at::Tensor> arguments;
  arguments.reserve(inputs.size() + parameters.size());
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  arguments.insert(arguments.end(), parameters.begin(), parameters.end());
  return impl_->loader.boxed_run(std::move(arguments));
}

}  // namespace kbench
