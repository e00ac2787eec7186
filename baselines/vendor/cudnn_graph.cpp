#include "baselines/vendor/cudnn_graph.hpp"

#include <string_view>
#include <utility>

#include "baselines/vendor/cudnn_words.hpp"

#ifdef KBENCH_WITH_CUDNN
namespace kbench::vendor {
namespace {

using Shape = std::vector<std::int64_t>;

// Most configurations of a heuristic that are looked at.
constexpr int kMostOffered = 32;

constexpr std::int64_t kAlignment = 16;

cudnnPointwiseMode_t mode_of(VendorStep::Mode mode) {
  switch (mode) {
    case VendorStep::Mode::kAdd: return CUDNN_POINTWISE_ADD;
    case VendorStep::Mode::kSub: return CUDNN_POINTWISE_SUB;
    case VendorStep::Mode::kMul: return CUDNN_POINTWISE_MUL;
    case VendorStep::Mode::kDiv: return CUDNN_POINTWISE_DIV;
    case VendorStep::Mode::kMin: return CUDNN_POINTWISE_MIN;
    case VendorStep::Mode::kMax: return CUDNN_POINTWISE_MAX;
    case VendorStep::Mode::kRelu: return CUDNN_POINTWISE_RELU_FWD;
    case VendorStep::Mode::kTanh: return CUDNN_POINTWISE_TANH_FWD;
    case VendorStep::Mode::kSigmoid: return CUDNN_POINTWISE_SIGMOID_FWD;
    case VendorStep::Mode::kGelu: return CUDNN_POINTWISE_GELU_FWD;
    case VendorStep::Mode::kGeluTanh: return CUDNN_POINTWISE_GELU_APPROX_TANH_FWD;
    case VendorStep::Mode::kSoftplus: return CUDNN_POINTWISE_SOFTPLUS_FWD;
  }
  throw Failed("a step that is not known here");
}

// One graph while it is put together.
class GraphBuilder {
 public:
  GraphBuilder(const Cudnn& cudnn, const VendorPlan& plan)
      : cudnn_(cudnn),
        type_(cudnn_type(plan.type)),
        call_(std::get<VendorConvolution>(plan.call)) {}

  [[nodiscard]] CudnnGraph build(cudnnHandle_t handle) {
    add_convolution(/*is_last=*/call_.steps.empty());
    for (const VendorStep& step : call_.steps) add_step(step, &step == &call_.steps.back());
    Descriptor graph(cudnn_, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    if (handle != nullptr) graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations_).finalize();
    return {std::move(graph), std::move(bound_), std::move(numbers_)};
  }

 private:
  // `is_last`: its result is the output.
  void add_convolution(bool is_last) {
    const Descriptor x = operand(call_.x, call_.x_shape);
    const Descriptor weight = operand(call_.weight, call_.weight_shape);
    Descriptor y = result(is_last);
    Descriptor how(cudnn_, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    how.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT)
        .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION)
        .set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, static_cast<std::int64_t>(call_.stride.size()))
        .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, call_.padding)
        .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, call_.padding)
        .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, call_.dilation)
        .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, call_.stride)
        .finalize();
    operations_.push_back(call_.is_transposed ? backward(x, weight, y, how)
                                              : forward(x, weight, y, how));
    results_.push_back(std::move(y));
  }

  Descriptor forward(const Descriptor& x, const Descriptor& weight, const Descriptor& y,
                     const Descriptor& how) {
    Descriptor made(cudnn_, CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
    made.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, weight)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, y)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, how)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1.0F)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0.0F)
        .finalize();
    return made;
  }

  // A transposed convolution is the gradient of one by its input.
  Descriptor backward(const Descriptor& x, const Descriptor& weight, const Descriptor& y,
                      const Descriptor& how) {
    Descriptor made(cudnn_, CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR);
    made.set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, x)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, weight)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, y)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, how)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, 1.0F)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, 0.0F)
        .finalize();
    return made;
  }

  void add_step(const VendorStep& step, bool is_last) {
    Descriptor how(cudnn_, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    how.set(CUDNN_ATTR_POINTWISE_MODE, mode_of(step.mode))
        .set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT);
    if (step.slope != 0) how.set(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, step.slope);
    how.finalize();
    Descriptor y = result(is_last);
    Descriptor made(cudnn_, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    made.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how)
        .set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, results_.at(step.left))
        .set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
    if (const auto* before = std::get_if<std::size_t>(&step.right)) {
      made.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, results_.at(*before));
    } else if (const auto* number = std::get_if<double>(&step.right)) {
      made.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, constant(*number));
    } else if (const auto* given = std::get_if<VendorStep::Tensor>(&step.right)) {
      made.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, operand(given->tensor, given->shape));
    }
    made.finalize();
    operations_.push_back(std::move(made));
    results_.push_back(std::move(y));
  }

  [[nodiscard]] Shape strides_of(const Shape& shape) const {
    Shape strides(shape.size(), 1);
    for (std::size_t i = shape.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * shape[i];
    if (!call_.channels_last) return strides;
    for (std::size_t i = 2; i < shape.size(); ++i) strides[i] *= shape[1];
    strides[1] = 1;
    return strides;
  }

  // A tensor in memory, or a virtual one between two operators.
  Descriptor tensor(const Shape& shape, cudnnDataType_t type, bool is_virtual, Bound bound) {
    const Shape strides = strides_of(shape);
    bound.uid = next_uid_++;
    Descriptor made(cudnn_, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    made.set(CUDNN_ATTR_TENSOR_DATA_TYPE, type)
        .set(CUDNN_ATTR_TENSOR_DIMENSIONS, shape)
        .set(CUDNN_ATTR_TENSOR_STRIDES, strides)
        .set(CUDNN_ATTR_TENSOR_UNIQUE_ID, bound.uid)
        .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kAlignment)
        .set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, is_virtual)
        .finalize();
    if (!is_virtual) bound_.push_back(bound);
    return made;
  }

  Descriptor operand(const VendorOperand& given, const Shape& shape) {
    return tensor(shape, type_, false, {.what = Bound::What::kOperand, .operand = given});
  }
  Descriptor result(bool is_last) {
    return tensor(call_.y_shape, is_last ? type_ : CUDNN_DATA_FLOAT, !is_last,
                  {.what = Bound::What::kOutput});
  }
  Descriptor constant(double number) {
    numbers_.push_back(number);
    return tensor(Shape(call_.y_shape.size(), 1), CUDNN_DATA_FLOAT, false,
                  {.what = Bound::What::kNumber, .number = numbers_.size() - 1});
  }

  const Cudnn& cudnn_;
  const cudnnDataType_t type_;
  const VendorConvolution& call_;
  std::int64_t next_uid_ = 1;
  std::vector<Descriptor> operations_;
  std::vector<Descriptor> results_;
  std::vector<Bound> bound_;
  std::vector<double> numbers_;
};

std::vector<Descriptor> offered_by(const Cudnn& cudnn, const Descriptor& graph,
                                   const Descriptor* device, cudnnBackendHeurMode_t mode) {
  Descriptor heuristics(cudnn, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
      .set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
  if (device != nullptr) heuristics.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *device);
  heuristics.finalize();
  std::vector<Descriptor> offered;
  for (int i = 0; i < kMostOffered; ++i)
    offered.emplace_back(cudnn, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  const std::size_t count = heuristics.get(CUDNN_ATTR_ENGINEHEUR_RESULTS, offered);
  offered.erase(offered.begin() + static_cast<std::ptrdiff_t>(count), offered.end());
  return offered;
}

// True for an engine that PyTorch would use, too: without TF32, float32 keeps off the tensor cores;
// it is never rounded before.
bool is_allowed(const VendorPlan& plan, const Descriptor& engine) {
  if (plan.type != DType::kFloat32 || plan.may_use_tf32) return true;
  for (const auto note : engine.get<cudnnBackendNumericalNote_t>(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                                                 CUDNN_NUMERICAL_NOTE_TYPE_COUNT))
    if (note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS ||
        note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE)
      return false;
  return true;
}

std::string why_none(bool was_refused, const std::string& said) {
  if (was_refused)
    return "cuDNN's engines for this graph round to TF32, which the precision class does not allow";
  return "cuDNN has no engine for this graph in this precision" + (said.empty() ? "" : ": " + said);
}

}  // namespace

CudnnGraph make_graph(const Cudnn& cudnn, cudnnHandle_t handle, const VendorPlan& plan) {
  return GraphBuilder(cudnn, plan).build(handle);
}

Descriptor describe_device(const Cudnn& cudnn, const std::string& json) {
  Descriptor device(cudnn, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  // The text goes with the zero at its end.
  device.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
             std::vector<char>(json.c_str(), json.c_str() + json.size() + 1));
  device.finalize();
  return device;
}

std::vector<CudnnEngine> find_engines(const Cudnn& cudnn, const VendorPlan& plan,
                                      const Descriptor& graph, const Descriptor* device) {
  std::vector<CudnnEngine> found;
  bool was_refused = false;
  std::string said;
  for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    (void)cudnn.last_words();  // words about other calls are dropped
    try {
      for (Descriptor& configuration : offered_by(cudnn, graph, device, mode)) {
        std::vector<Descriptor> engines;
        engines.emplace_back(cudnn, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
        if (configuration.get(CUDNN_ATTR_ENGINECFG_ENGINE, engines) != 1) continue;
        if (!is_allowed(plan, engines[0])) {
          was_refused = true;
          continue;
        }
        const auto number = engines[0].get<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, 1);
        found.push_back({std::move(configuration), number.empty() ? -1 : number[0]});
      }
    } catch (const Failed& failure) {
      said += failure.what();  // one of the two may have none for this graph
    }
    said += cudnn.last_words();
  }
  if (found.empty()) throw Failed(why_none(was_refused, telling_line(said)));
  return found;
}

}  // namespace kbench::vendor
#endif
