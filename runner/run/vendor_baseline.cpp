#include "runner/run/vendor_baseline.hpp"

#include <memory>
#include <system_error>
#include <utility>

#include "runner/core/vendor_words.hpp"
#include "runner/device/oracle_options.hpp"
#include "runner/measure/players/worker_process.hpp"
#include "runner/task/graph.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoOneDnn =
    "on a CPU there is no library to call: LibTorch does not let other code call its oneDNN";

}  // namespace

fs::path find_library(const std::vector<fs::path>& folders, const std::string& name) {
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
      if (entry.path().filename().string().starts_with(name + ".so")) return entry.path();
  }
  return {};
}

VendorBaseline::VendorBaseline(const Installation& installation, const Target& target,
                               Sandbox& sandbox, std::string precision)
    : worker_(installation.worker),
      library_(installation.vendor_library),
      sandbox_(sandbox),
      precision_(std::move(precision)) {
  std::error_code ignored;
  if (target.device == "cpu") {
    reason_ = kNoOneDnn;
    return;
  }
  if (!fs::is_regular_file(library_, ignored)) {
    reason_ = "this kbench was built without cuBLASLt's headers";
    return;
  }
  auto oracle = oracle_command(installation, target, {});
  if (!oracle) {
    reason_ = oracle.error().message;
    return;
  }
  folders_ = std::move(oracle->readable);
  search_path_ = oracle->env["LD_LIBRARY_PATH"];
  cublaslt_ = find_library(folders_, "libcublasLt");
  cudnn_ = find_library(folders_, "libcudnn");
  // cuDNN opens its engines, and the compiler that some of them need, by their names.
  for (const fs::path& folder : folders_)
    search_path_ += (search_path_.empty() ? "" : ":") + folder.string();
}

EvaluationRequest::Vendor VendorBaseline::of(const Task& task, const TaskSize& size) const {
  if (!reason_.empty()) return {.reason = reason_, .start = {}};
  const auto graph = load_graph(task.file, size.name);
  if (!graph) return {.reason = graph.error().message, .start = {}};
  const auto plan = make_vendor_plan(*graph, size, precision_);
  if (!plan) return {.reason = plan.error().message, .start = {}};
  const bool is_product = library_of(*plan) == "cuBLASLt";
  if ((is_product ? cublaslt_ : cudnn_).empty())
    return {.reason = "LibTorch uses no " + std::string(library_of(*plan)) + " that can be found",
            .start = {}};
  const std::shared_ptr<WorkerProgram> program =
      make_native_program(sandbox_, worker_, surroundings(*plan));
  return {.reason = "", .start = [program, library = library_](WorkerStart start) {
            start.library = library;
            return WorkerProcess::start(*program, start);
          }};
}

NativeSurroundings VendorBaseline::surroundings(const VendorPlan& plan) const {
  return {.environment = {{kPlanVariable, vendor_plan_json(plan).dump()},
                          {kCublasLtVariable, cublaslt_.string()},
                          {kCudnnVariable, cudnn_.string()},
                          {"LD_LIBRARY_PATH", search_path_}},
          .readable = folders_};
}

}  // namespace kbench
