// One operator of cuDNN by its older function, which needs no engine.
#include <limits>
#include <vector>

#include "baselines/vendor/vendor_call.hpp"

namespace kbench::vendor {

#ifdef KBENCH_WITH_CUDNN
namespace {

using Kind = VendorOperator::Kind;

std::vector<int> as_ints(const std::vector<std::int64_t>& numbers) {
  std::vector<int> ints;
  for (const std::int64_t number : numbers) {
    if (number > std::numeric_limits<int>::max())
      throw Failed("cuDNN counts a tensor's dimensions in 32 bits");
    ints.push_back(static_cast<int>(number));
  }
  return ints;
}

class CudnnOperatorCall final : public VendorCall {
 public:
  CudnnOperatorCall(const Driver& driver, const std::string& file, const VendorPlan& plan)
      : cudnn_(file), call_(std::get<VendorOperator>(plan.call)), factor_(factor_of(call_)) {
    cudnn_.check(cudnn_.create(&handle_), "cudnnCreate");
    cudnn_.check(cudnn_.set_stream(handle_, driver.stream()), "cudnnSetStream");
    x_ = describe(call_.x_shape, plan.type);
    y_ = describe(call_.y_shape, plan.type);
    switch (call_.kind) {
      case Kind::kRelu:
      case Kind::kSigmoid:
      case Kind::kTanh:
      case Kind::kElu:
      case Kind::kSwish: describe_activation(); break;
      case Kind::kMaxPool:
      case Kind::kAveragePool:
      case Kind::kAveragePoolWithin: describe_pooling(); break;
      case Kind::kSum:
      case Kind::kMean:
      case Kind::kMax:
      case Kind::kMin: describe_reduction(driver); break;
      case Kind::kScale:
      case Kind::kSoftmax:
      case Kind::kLogSoftmax: break;
    }
  }

  void run(const CallTensors& tensors) override {
    const void* x = reinterpret_cast<const void*>(tensors.at(call_.x));
    void* y = reinterpret_cast<void*>(tensors.output());
    cudnn_.check(launch(x, y), algorithm());
  }

  [[nodiscard]] std::string algorithm() const override {
    if (activation_ != nullptr) return "cudnnActivationForward";
    if (pooling_ != nullptr) return "cudnnPoolingForward";
    if (reduction_ != nullptr) return "cudnnReduceTensor";
    return call_.kind == Kind::kScale ? "cudnnTransformTensor" : "cudnnSoftmaxForward";
  }

 private:
  static float factor_of(const VendorOperator& call) {
    return call.kind == Kind::kScale ? static_cast<float>(call.number) : 1.0F;
  }

  [[nodiscard]] cudnnTensorDescriptor_t describe(const std::vector<std::int64_t>& shape,
                                                 DType type) const {
    const std::vector<int> extents = as_ints(shape);
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * shape[i];
    cudnnTensorDescriptor_t made = nullptr;
    cudnn_.check(cudnn_.create_tensor(&made), "cudnnCreateTensorDescriptor");
    cudnn_.check(cudnn_.set_tensor(made, cudnn_type(type), static_cast<int>(extents.size()),
                                   extents.data(), as_ints(strides).data()),
                 "cudnnSetTensorNdDescriptor");
    return made;
  }

  [[nodiscard]] cudnnActivationMode_t activation_mode() const {
    switch (call_.kind) {
      case Kind::kRelu: return CUDNN_ACTIVATION_RELU;
      case Kind::kSigmoid: return CUDNN_ACTIVATION_SIGMOID;
      case Kind::kTanh: return CUDNN_ACTIVATION_TANH;
      case Kind::kElu: return CUDNN_ACTIVATION_ELU;
      default: return CUDNN_ACTIVATION_SWISH;
    }
  }

  void describe_activation() {
    cudnn_.check(cudnn_.create_activation(&activation_), "cudnnCreateActivationDescriptor");
    // The number is an elu's alpha; others have none.
    cudnn_.check(
        cudnn_.set_activation(activation_, activation_mode(), CUDNN_PROPAGATE_NAN, call_.number),
        "cudnnSetActivationDescriptor");
    if (call_.kind == Kind::kSwish)
      cudnn_.check(cudnn_.set_swish(activation_, 1.0), "cudnnSetActivationDescriptorSwishBeta");
  }

  void describe_pooling() {
    const cudnnPoolingMode_t mode = call_.kind == Kind::kMaxPool ? CUDNN_POOLING_MAX
                                    : call_.kind == Kind::kAveragePool
                                        ? CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING
                                        : CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING;
    cudnn_.check(cudnn_.create_pooling(&pooling_), "cudnnCreatePoolingDescriptor");
    cudnn_.check(
        cudnn_.set_pooling(pooling_, mode, CUDNN_PROPAGATE_NAN,
                           static_cast<int>(call_.window.size()), as_ints(call_.window).data(),
                           as_ints(call_.padding).data(), as_ints(call_.stride).data()),
        "cudnnSetPoolingNdDescriptor");
  }

  [[nodiscard]] cudnnReduceTensorOp_t reduction_mode() const {
    switch (call_.kind) {
      case Kind::kSum: return CUDNN_REDUCE_TENSOR_ADD;
      case Kind::kMean: return CUDNN_REDUCE_TENSOR_AVG;
      case Kind::kMax: return CUDNN_REDUCE_TENSOR_MAX;
      default: return CUDNN_REDUCE_TENSOR_MIN;
    }
  }

  void describe_reduction(const Driver& driver) {
    cudnn_.check(cudnn_.create_reduction(&reduction_), "cudnnCreateReduceTensorDescriptor");
    cudnn_.check(
        cudnn_.set_reduction(reduction_, reduction_mode(), CUDNN_DATA_FLOAT, CUDNN_PROPAGATE_NAN,
                             CUDNN_REDUCE_TENSOR_NO_INDICES, CUDNN_32BIT_INDICES),
        "cudnnSetReduceTensorDescriptor");
    std::size_t bytes = 0;
    cudnn_.check(cudnn_.reduction_bytes(handle_, reduction_, x_, y_, &bytes),
                 "cudnnGetReductionWorkspaceSize");
    workspace_ = DeviceMemory(driver, bytes);
    if (!workspace_.is_there()) throw Failed("the device has too little memory for a workspace");
  }

  [[nodiscard]] cudnnStatus_t launch(const void* x, void* y) const {
    constexpr float kNothing = 0;
    if (activation_ != nullptr)
      return cudnn_.activate(handle_, activation_, &factor_, x_, x, &kNothing, y_, y);
    if (pooling_ != nullptr)
      return cudnn_.pool(handle_, pooling_, &factor_, x_, x, &kNothing, y_, y);
    if (reduction_ != nullptr)
      return cudnn_.reduce(handle_, reduction_, nullptr, 0, workspace_.get(), workspace_.bytes(),
                           &factor_, x_, x, &kNothing, y_, y);
    if (call_.kind == Kind::kScale)
      return cudnn_.transform(handle_, &factor_, x_, x, &kNothing, y_, y);
    const cudnnSoftmaxAlgorithm_t algorithm =
        call_.kind == Kind::kLogSoftmax ? CUDNN_SOFTMAX_LOG : CUDNN_SOFTMAX_ACCURATE;
    // Rows that lie in memory as they are added up have a kernel of their own.
    const cudnnSoftmaxMode_t mode =
        call_.x_shape.at(2) == 1 ? CUDNN_SOFTMAX_MODE_INSTANCE : CUDNN_SOFTMAX_MODE_CHANNEL;
    return cudnn_.softmax(handle_, algorithm, mode, &factor_, x_, x, &kNothing, y_, y);
  }

  // Objects of the library live as long as the process.
  const Cudnn cudnn_;
  const VendorOperator call_;
  const float factor_;
  cudnnHandle_t handle_ = nullptr;
  cudnnTensorDescriptor_t x_ = nullptr;
  cudnnTensorDescriptor_t y_ = nullptr;
  cudnnActivationDescriptor_t activation_ = nullptr;
  cudnnPoolingDescriptor_t pooling_ = nullptr;
  cudnnReduceTensorDescriptor_t reduction_ = nullptr;
  DeviceMemory workspace_;
};

}  // namespace

std::unique_ptr<VendorCall> make_operator_call(const Driver& driver, const std::string& file,
                                               const VendorPlan& plan) {
  return std::make_unique<CudnnOperatorCall>(driver, file, plan);
}

#else

std::unique_ptr<VendorCall> make_operator_call(const Driver&, const std::string&,
                                               const VendorPlan&) {
  throw Failed("kbench was built without cuDNN's headers");
}

#endif

}  // namespace kbench::vendor
