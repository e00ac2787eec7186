// A convolution and the steps behind it as one graph of cuDNN. Where no engine takes them together
// they are two graphs, which algorithm() says: the convolution, and the steps on its result.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "baselines/vendor/vendor_call.hpp"

namespace kbench::vendor {

#ifdef KBENCH_WITH_CUDNN
namespace {

constexpr std::int64_t kAlignment = 16;

cudnnDataType_t type_of(DType type) {
  if (type == DType::kFloat16) return CUDNN_DATA_HALF;
  return type == DType::kBFloat16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

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

// The one place that knows which C++ type goes with which type of an attribute.
cudnnBackendAttributeType_t attribute_type(const std::int64_t&) { return CUDNN_TYPE_INT64; }
cudnnBackendAttributeType_t attribute_type(const float&) { return CUDNN_TYPE_FLOAT; }
cudnnBackendAttributeType_t attribute_type(const double&) { return CUDNN_TYPE_DOUBLE; }
cudnnBackendAttributeType_t attribute_type(const bool&) { return CUDNN_TYPE_BOOLEAN; }
cudnnBackendAttributeType_t attribute_type(void* const&) { return CUDNN_TYPE_VOID_PTR; }
cudnnBackendAttributeType_t attribute_type(const cudnnDataType_t&) { return CUDNN_TYPE_DATA_TYPE; }
cudnnBackendAttributeType_t attribute_type(const cudnnHandle_t&) { return CUDNN_TYPE_HANDLE; }
cudnnBackendAttributeType_t attribute_type(const cudnnConvolutionMode_t&) {
  return CUDNN_TYPE_CONVOLUTION_MODE;
}
cudnnBackendAttributeType_t attribute_type(const cudnnPointwiseMode_t&) {
  return CUDNN_TYPE_POINTWISE_MODE;
}
cudnnBackendAttributeType_t attribute_type(const cudnnBackendHeurMode_t&) {
  return CUDNN_TYPE_HEUR_MODE;
}
cudnnBackendAttributeType_t attribute_type(const cudnnBackendNumericalNote_t&) {
  return CUDNN_TYPE_NUMERICAL_NOTE;
}

class Descriptor {
 public:
  Descriptor(const Cudnn& cudnn, cudnnBackendDescriptorType_t type) : cudnn_(&cudnn) {
    cudnn.check(cudnn.create_descriptor(type, &descriptor_), "cudnnBackendCreateDescriptor");
  }
  Descriptor(Descriptor&& other) noexcept
      : cudnn_(other.cudnn_), descriptor_(std::exchange(other.descriptor_, nullptr)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(cudnn_, other.cudnn_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (descriptor_ != nullptr) cudnn_->destroy_descriptor(descriptor_);
  }

  [[nodiscard]] cudnnBackendDescriptor_t get() const { return descriptor_; }

  template <class Value>
  Descriptor& set(cudnnBackendAttributeName_t name, const Value& value) {
    return set_all(name, attribute_type(value), 1, &value);
  }
  template <class Value>
  Descriptor& set(cudnnBackendAttributeName_t name, const std::vector<Value>& values) {
    return set_all(name, attribute_type(values.front()), values.size(), values.data());
  }
  Descriptor& set(cudnnBackendAttributeName_t name, const Descriptor& other) {
    return set_all(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &other.descriptor_);
  }
  Descriptor& set(cudnnBackendAttributeName_t name, const std::vector<Descriptor>& others) {
    std::vector<cudnnBackendDescriptor_t> all;
    for (const Descriptor& other : others) all.push_back(other.descriptor_);
    return set_all(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, all.size(), all.data());
  }
  Descriptor& finalize() {
    cudnn_->check(cudnn_->finalize(descriptor_), "cudnnBackendFinalize");
    return *this;
  }

  // At most `most` values.
  template <class Value>
  [[nodiscard]] std::vector<Value> get(cudnnBackendAttributeName_t name, std::size_t most) const {
    std::vector<Value> values(most);
    std::int64_t count = 0;
    cudnn_->check(cudnn_->get_attribute(descriptor_, name, attribute_type(Value{}),
                                        static_cast<std::int64_t>(most), &count, values.data()),
                  "cudnnBackendGetAttribute " + std::to_string(name));
    values.resize(std::min(most, static_cast<std::size_t>(count)));
    return values;
  }
  // Fills descriptors that were made before; how many.
  std::size_t get(cudnnBackendAttributeName_t name, std::vector<Descriptor>& into) const {
    std::vector<cudnnBackendDescriptor_t> all;
    for (const Descriptor& one : into) all.push_back(one.descriptor_);
    std::int64_t count = 0;
    cudnn_->check(cudnn_->get_attribute(descriptor_, name, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                        static_cast<std::int64_t>(all.size()), &count, all.data()),
                  "cudnnBackendGetAttribute " + std::to_string(name));
    return std::min(into.size(), static_cast<std::size_t>(count));
  }

 private:
  Descriptor& set_all(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                      std::size_t count, const void* values) {
    cudnn_->check(
        cudnn_->set_attribute(descriptor_, name, type, static_cast<std::int64_t>(count), values),
        "cudnnBackendSetAttribute " + std::to_string(name));
    return *this;
  }

  const Cudnn* cudnn_;
  cudnnBackendDescriptor_t descriptor_ = nullptr;
};

using Shape = std::vector<std::int64_t>;

// A tensor of a graph that is in memory, by its number: what lies there in a call.
struct Bound {
  enum class What { kOperand, kOutput, kNumber };
  std::int64_t uid = 0;
  What what = What::kOutput;
  VendorOperand operand;
  std::size_t number = 0;  // in the table of numbers
};

// A graph, the engine that runs it, and what it is run on.
struct Stage {
  Descriptor plan;
  std::size_t workspace_bytes = 0;
  std::vector<Bound> bound;
  std::string engine;
};

// One graph while it is put together.
class GraphBuilder {
 public:
  GraphBuilder(const Cudnn& cudnn, const VendorPlan& plan, std::vector<double>& numbers)
      : cudnn_(cudnn),
        type_(type_of(plan.type)),
        call_(std::get<VendorConvolution>(plan.call)),
        numbers_(numbers) {}

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

  // For a graph of the steps alone: what the convolution has left where the output goes.
  void begin_with_output() {
    results_.push_back(tensor(call_.y_shape, type_, false, {.what = Bound::What::kOutput}));
  }

  void add_steps() {
    for (const VendorStep& step : call_.steps) add_step(step, &step == &call_.steps.back());
  }

  [[nodiscard]] Descriptor graph(cudnnHandle_t handle) {
    Descriptor graph(cudnn_, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle)
        .set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations_)
        .finalize();
    return graph;
  }
  [[nodiscard]] std::vector<Bound> take_bound() { return std::move(bound_); }

 private:
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

  // A tensor in memory, or a virtual one between two operators.
  Descriptor tensor(const Shape& shape, cudnnDataType_t type, bool is_virtual, Bound bound) {
    Shape strides(shape.size(), 1);
    for (std::size_t i = shape.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * shape[i];
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
  std::vector<double>& numbers_;
  std::int64_t next_uid_ = 1;
  std::vector<Descriptor> operations_;
  std::vector<Descriptor> results_;
  std::vector<Bound> bound_;
};

// The tables of numbers lie in memory of the device, 256 bytes apart.
constexpr std::size_t kNumberBytes = 256;

class ConvolutionCall final : public VendorCall {
 public:
  ConvolutionCall(const Driver& driver, const std::string& file, const VendorPlan& plan,
                  const CallTensors& first)
      : driver_(driver), cudnn_(file), plan_(plan) {
    cudnn_.check(cudnn_.create(&handle_), "cudnnCreate");
    cudnn_.check(cudnn_.set_stream(handle_, driver.stream()), "cudnnSetStream");
    const bool has_steps = !std::get<VendorConvolution>(plan_.call).steps.empty();
    try {
      add_stage(first, /*convolves=*/true, has_steps);
    } catch (const Failed&) {
      if (!has_steps) throw;
      stages_.clear();
      add_stage(first, true, false);
      add_stage(first, false, true);
    }
    // What was tried may have wanted more.
    workspace_ = DeviceMemory();
    for (const Stage& stage : stages_) reserve(stage.workspace_bytes);
  }

  void run(const CallTensors& tensors) override {
    for (const Stage& stage : stages_) run(stage, tensors);
  }

  [[nodiscard]] std::string algorithm() const override {
    const std::string first = stages_.front().engine;
    return stages_.size() == 1 ? first : "two calls: " + first + "; pointwise " + stages_[1].engine;
  }

 private:
  void add_stage(const CallTensors& first, bool convolves, bool has_steps) {
    GraphBuilder builder(cudnn_, plan_, numbers_);
    if (convolves)
      builder.add_convolution(/*is_last=*/!has_steps);
    else
      builder.begin_with_output();
    if (has_steps) builder.add_steps();
    const Descriptor graph = builder.graph(handle_);
    upload_numbers();
    stages_.push_back(choose(graph, builder.take_bound(), first));
  }

  void upload_numbers() {
    std::vector<std::byte> memory(numbers_.size() * kNumberBytes);
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const auto number = static_cast<float>(numbers_[i]);
      std::memcpy(memory.data() + i * kNumberBytes, &number, sizeof number);
    }
    number_memory_ = DeviceMemory(driver_, memory.size());
    if (!number_memory_.is_there()) throw Failed("the device has no memory left for numbers");
    if (!memory.empty()) driver_.upload(number_memory_.address(), memory.data(), memory.size());
  }

  // Configurations in the order of the heuristics, those for every case last.
  [[nodiscard]] std::vector<Descriptor> configurations(const Descriptor& graph) const {
    std::vector<Descriptor> found;
    for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
      try {
        Descriptor heuristics(cudnn_, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
        heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
            .set(CUDNN_ATTR_ENGINEHEUR_MODE, mode)
            .finalize();
        std::vector<Descriptor> offered;
        for (int i = 0; i < 4 * kMostAlgorithms; ++i)
          offered.emplace_back(cudnn_, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
        const std::size_t count = heuristics.get(CUDNN_ATTR_ENGINEHEUR_RESULTS, offered);
        for (std::size_t i = 0; i < count; ++i) found.push_back(std::move(offered[i]));
      } catch (const Failed&) {
        continue;  // one of the two may have none for this graph
      }
    }
    return found;
  }

  struct Engine {
    std::int64_t number = -1;
    bool is_allowed = true;  // by the precision class of the run
  };

  // As PyTorch: without TF32, float32 keeps off the tensor cores; it is never rounded before.
  [[nodiscard]] Engine engine_of(const Descriptor& configuration) const {
    std::vector<Descriptor> engines;
    engines.emplace_back(cudnn_, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    if (configuration.get(CUDNN_ATTR_ENGINECFG_ENGINE, engines) != 1) return {};
    Engine engine;
    const auto numbers = engines[0].get<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, 1);
    if (!numbers.empty()) engine.number = numbers[0];
    if (plan_.type != DType::kFloat32) return engine;
    for (const auto note : engines[0].get<cudnnBackendNumericalNote_t>(
             CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT)) {
      const bool rounds = note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS ||
                          note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE;
      if (rounds && !plan_.may_use_tf32) engine.is_allowed = false;
    }
    return engine;
  }

  // One workspace for all stages and candidates, which run one after the other. An engine that
  // turns tensors to channels-last, as most do that use the tensor cores, wants as much as input
  // and output together: 4.3 GB for a transposed convolution of 1024 x 1024.
  void reserve(std::size_t bytes) {
    if (bytes <= workspace_.bytes()) return;
    workspace_ = DeviceMemory();
    workspace_ = DeviceMemory(driver_, bytes);
    if (workspace_.is_there()) return;
    workspace_ = DeviceMemory();
    throw Failed("the device has too little memory for a workspace");
  }

  // Throws Failed where the engine does not take the graph.
  [[nodiscard]] Stage stage_of(const Descriptor& configuration, const Engine& engine,
                               const std::vector<Bound>& bound) const {
    Descriptor plan(cudnn_, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle_)
        .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration)
        .finalize();
    const auto bytes = plan.get<std::int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, 1);
    const auto wanted = static_cast<std::size_t>(bytes.empty() ? 0 : bytes[0]);
    return {std::move(plan), wanted, bound, "engine " + std::to_string(engine.number)};
  }

  [[nodiscard]] Stage choose(const Descriptor& graph, const std::vector<Bound>& bound,
                             const CallTensors& first) {
    std::vector<Stage> stages;
    std::string why = "cuDNN has no engine for this graph in this precision";
    for (const Descriptor& configuration : configurations(graph)) {
      if (stages.size() == kMostAlgorithms) break;
      try {
        const Engine engine = engine_of(configuration);
        if (engine.is_allowed) stages.push_back(stage_of(configuration, engine, bound));
      } catch (const Failed& failure) {
        why = failure.what();
      }
    }
    if (stages.empty()) throw Failed(why);
    const std::size_t best = fastest(driver_, stages.size(), [&](std::size_t candidate) {
      reserve(stages[candidate].workspace_bytes);
      run(stages[candidate], first);
    });
    stages[best].engine += ", fastest of " + std::to_string(stages.size());
    return std::move(stages[best]);
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

  void run(const Stage& stage, const CallTensors& tensors) const {
    std::vector<void*> addresses;
    std::vector<std::int64_t> uids;
    for (const Bound& one : stage.bound) {
      addresses.push_back(address_of(one, tensors));
      uids.push_back(one.uid);
    }
    Descriptor pack(cudnn_, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, addresses)
        .set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, uids)
        .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, workspace_.get())
        .finalize();
    cudnn_.check(cudnn_.execute(handle_, stage.plan.get(), pack.get()), "cudnnBackendExecute");
  }

  // Objects of the library live as long as the process.
  const Driver& driver_;
  const Cudnn cudnn_;
  const VendorPlan plan_;
  cudnnHandle_t handle_ = nullptr;
  std::vector<double> numbers_;
  DeviceMemory number_memory_;
  DeviceMemory workspace_;
  std::vector<Stage> stages_;
};

}  // namespace

std::unique_ptr<VendorCall> make_convolution_call(const Driver& driver, const std::string& file,
                                                  const VendorPlan& plan,
                                                  const CallTensors& first) {
  return std::make_unique<ConvolutionCall>(driver, file, plan, first);
}

#else

std::unique_ptr<VendorCall> make_convolution_call(const Driver&, const std::string&,
                                                  const VendorPlan&, const CallTensors&) {
  throw Failed("kbench was built without cuDNN's headers");
}

#endif

}  // namespace kbench::vendor
