#include "baselines/package.hpp"

#include <caffe2/serialize/inline_container.h>
#include <stdlib.h>

#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/inductor/aoti_runner/model_container_runner.h>

#include "runner/core/json.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kModel = "data/aotinductor/model/";

// TMPDIR/package-XXXXXX, gone with its owner.
class UnpackFolder {
 public:
  UnpackFolder() {
    std::string name = (fs::temp_directory_path() / "package-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), name);
    path_ = name;
  }
  UnpackFolder(const UnpackFolder&) = delete;
  UnpackFolder& operator=(const UnpackFolder&) = delete;
  ~UnpackFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

struct Unpacked {
  fs::path library;
  std::string device;  // "cpu" or "cuda"
};

void write(const fs::path& file, const void* bytes, std::size_t size) {
  std::ofstream out(file, std::ios::binary);
  out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  if (!out.flush()) throw std::runtime_error(file.string() + " cannot be written");
}

// Unpacks by hand: LibTorch's loader of packages unpacks to /tmp, whatever TMPDIR says, and what a
// killed process leaves there stays. Throws as LibTorch does.
Unpacked unpack(const fs::path& package, const fs::path& folder) {
  caffe2::serialize::PyTorchStreamReader reader(package.string());
  Unpacked result;
  for (const std::string& record : reader.getAllRecords()) {
    if (!record.starts_with(kModel)) continue;
    const std::string name = record.substr(kModel.size());
    if (name.find('/') != std::string::npos) throw std::runtime_error("it has a folder " + name);
    const auto [data, size] = reader.getRecord(record);
    write(folder / name, data.get(), size);
    if (name.ends_with(".so")) result.library = folder / name;
    if (name.ends_with("_metadata.json")) {
      const auto* text = static_cast<const char*>(data.get());
      result.device = Json::parse(text, text + size).at("AOTI_DEVICE_KEY").get<std::string>();
    }
  }
  if (result.library.empty()) throw std::runtime_error("it holds no library");
  return result;
}

}  // namespace

struct CompiledPackage::Impl {
  explicit Impl(const fs::path& file) {
    const Unpacked unpacked = unpack(file, folder.path());
    const auto& makers = torch::inductor::getAOTIModelRunnerRegistry();
    const auto maker = makers.find(unpacked.device);
    if (maker == makers.end()) throw std::runtime_error("it is for device " + unpacked.device);
    // One thread and one stream call it. The thread-safe mode would wait on the host, in every
    // call, for the end of the call before.
    runner = maker->second(unpacked.library.string(), /*num_models=*/1, unpacked.device,
                           folder.path().string(), /*run_single_threaded=*/true);
  }

  UnpackFolder folder;
  std::unique_ptr<torch::inductor::AOTIModelContainerRunner> runner;
};

CompiledPackage::CompiledPackage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CompiledPackage::CompiledPackage(CompiledPackage&&) noexcept = default;
CompiledPackage& CompiledPackage::operator=(CompiledPackage&&) noexcept = default;
CompiledPackage::~CompiledPackage() = default;

Result<CompiledPackage> CompiledPackage::load(const fs::path& file) {
  try {
    return CompiledPackage(std::make_unique<Impl>(file));
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
  return impl_->runner->boxed_run(std::move(arguments));
}

}  // namespace kbench
