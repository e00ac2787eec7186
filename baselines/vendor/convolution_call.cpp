// A convolution and the steps behind it as one graph of cuDNN.
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "baselines/vendor/cudnn_graph.hpp"
#include "baselines/vendor/vendor_call.hpp"

namespace kbench::vendor {

#ifdef KBENCH_WITH_CUDNN
namespace {

// The table of numbers lies in memory of the device, 256 bytes apart.
constexpr std::size_t kNumberBytes = 256;

// An engine that runs the graph.
struct Candidate {
  Descriptor plan;
  std::size_t workspace_bytes = 0;
  std::int64_t engine = -1;
};

class ConvolutionCall final : public VendorCall {
 public:
  ConvolutionCall(const Driver& driver, const std::string& file, const VendorPlan& plan,
                  const CallTensors& first)
      : driver_(driver), cudnn_(file), handle_(make_handle()) {
    CudnnGraph graph = make_graph(cudnn_, handle_, plan);
    bound_ = std::move(graph.bound);
    upload(graph.numbers);
    std::vector<Candidate> candidates =
        candidates_for(find_engines(cudnn_, plan, graph.graph, nullptr));
    tried_ = candidates.size();
    const std::size_t best = fastest(driver_, tried_, [&](std::size_t candidate) {
      reserve(candidates[candidate].workspace_bytes);
      launch(candidates[candidate].plan, first);
    });
    chosen_ = std::move(candidates[best]);
    // A candidate that was tried may have wanted a larger workspace.
    workspace_ = DeviceMemory();
    reserve(chosen_->workspace_bytes);
  }

  void run(const CallTensors& tensors) override { launch(chosen_->plan, tensors); }

  [[nodiscard]] std::string algorithm() const override {
    return "engine " + std::to_string(chosen_->engine) + ", fastest of " + std::to_string(tried_);
  }

 private:
  [[nodiscard]] cudnnHandle_t make_handle() const {
    cudnnHandle_t handle = nullptr;
    cudnn_.check(cudnn_.create(&handle), "cudnnCreate");
    cudnn_.check(cudnn_.set_stream(handle, driver_.stream()), "cudnnSetStream");
    return handle;
  }

  void upload(const std::vector<double>& numbers) {
    std::vector<std::byte> memory(numbers.size() * kNumberBytes);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto number = static_cast<float>(numbers[i]);
      std::memcpy(memory.data() + i * kNumberBytes, &number, sizeof number);
    }
    number_memory_ = DeviceMemory(driver_, memory.size());
    if (!number_memory_.is_there()) throw Failed("the device has no memory left for numbers");
    if (!memory.empty()) driver_.upload(number_memory_.address(), memory.data(), memory.size());
  }

  // The first of them, as many as are tried. Throws Failed where no engine takes the graph.
  [[nodiscard]] std::vector<Candidate> candidates_for(const std::vector<CudnnEngine>& engines) {
    std::vector<Candidate> candidates;
    std::string why;
    for (const CudnnEngine& engine : engines) {
      if (candidates.size() == kMostAlgorithms) break;
      try {
        candidates.push_back(candidate_for(engine));
      } catch (const Failed& failure) {
        why = failure.what();
      }
    }
    if (candidates.empty()) throw Failed(why);
    return candidates;
  }

  [[nodiscard]] Candidate candidate_for(const CudnnEngine& engine) const {
    Descriptor plan(cudnn_, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle_)
        .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, engine.configuration)
        .finalize();
    const auto bytes = plan.get<std::int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, 1);
    return {std::move(plan), static_cast<std::size_t>(bytes.empty() ? 0 : bytes[0]), engine.number};
  }

  // One workspace for all candidates, which run one after the other. An engine that turns tensors
  // to channels-last, as most do that use the tensor cores, wants as much as input and output
  // together: 4.3 GB for a transposed convolution of 1024 x 1024.
  void reserve(std::size_t bytes) {
    if (bytes <= workspace_.bytes()) return;
    workspace_ = DeviceMemory();
    workspace_ = DeviceMemory(driver_, bytes);
    if (workspace_.is_there()) return;
    workspace_ = DeviceMemory();
    throw Failed("the device has too little memory for a workspace");
  }

  [[nodiscard]] void* address_of(const Bound& bound, const CallTensors& tensors) const {
    switch (bound.what) {
      case Bound::What::kOperand: return reinterpret_cast<void*>(tensors.at(bound.operand));
      case Bound::What::kOutput: return reinterpret_cast<void*>(tensors.output());
      case Bound::What::kNumber:
        return reinterpret_cast<void*>(number_memory_.address() + bound.number * kNumberBytes);
    }
    return nullptr;
  }

  void launch(const Descriptor& plan, const CallTensors& tensors) const {
    std::vector<void*> addresses;
    std::vector<std::int64_t> uids;
    for (const Bound& one : bound_) {
      addresses.push_back(address_of(one, tensors));
      uids.push_back(one.uid);
    }
    Descriptor pack(cudnn_, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, addresses)
        .set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, uids)
        .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, workspace_.get())
        .finalize();
    cudnn_.check(cudnn_.execute(handle_, plan.get(), pack.get()), "cudnnBackendExecute");
  }

  // Objects of the library live as long as the process.
  const Driver& driver_;
  const Cudnn cudnn_;
  const cudnnHandle_t handle_;
  std::vector<Bound> bound_;
  DeviceMemory number_memory_;
  DeviceMemory workspace_;
  std::optional<Candidate> chosen_;
  std::size_t tried_ = 0;
};

}  // namespace

std::unique_ptr<VendorCall> make_convolution_call(const Driver& driver, const std::string& file,
                                                  const VendorPlan& plan,
                                                  const CallTensors& first) {
  return std::make_unique<ConvolutionCall>(driver, file, plan, first);
}

std::vector<PlannedEngine> plan_engines(const std::string& file, const VendorPlan& plan,
                                        const std::string& device_json, std::size_t prepared) {
  const Cudnn cudnn(file);
  const Descriptor device = describe_device(cudnn, device_json);
  const CudnnGraph graph = make_graph(cudnn, nullptr, plan);
  std::vector<PlannedEngine> planned;
  for (const CudnnEngine& engine : find_engines(cudnn, plan, graph.graph, &device)) {
    planned.push_back({engine.number, ""});
    if (planned.size() > prepared) continue;
    try {
      Descriptor(cudnn, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)
          .set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, device)
          .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, engine.configuration)
          .finalize();
    } catch (const Failed& failure) {
      planned.back().failure = failure.what();
    }
  }
  return planned;
}

#else

std::unique_ptr<VendorCall> make_convolution_call(const Driver&, const std::string&,
                                                  const VendorPlan&, const CallTensors&) {
  throw Failed("kbench was built without cuDNN's headers");
}

std::vector<PlannedEngine> plan_engines(const std::string&, const VendorPlan&, const std::string&,
                                        std::size_t) {
  throw Failed("kbench was built without cuDNN's headers");
}

#endif

}  // namespace kbench::vendor
