// How a node runs: at load, every argument that is not a tensor of the graph becomes an IValue,
// once for each working precision, and every tensor argument becomes a place to fill. A call then
// copies the prepared IValues onto the stack, fills the places and calls the operator boxed. (No
// fmt in files that see LibTorch: its include folder brings another version of it.)
#include "baselines/executor.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <ATen/Context.h>
#include <ATen/ScalarOps.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/ops/bitwise_and.h>
#include <ATen/ops/bitwise_right_shift.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include "baselines/recurrent.hpp"
#include "baselines/trusting_operators.hpp"
#include "runner/task/graph.hpp"

namespace kbench {
namespace {

using c10::IValue;
using Stack = std::vector<IValue>;

// The executor's own type, and float64.
constexpr std::size_t kWorkingTypes = 2;

// Thrown while preparing a node; load() turns it into an Error that names the node.
struct Unfit : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Values of {"dtype": "real"}, {"dtype": "float32"} and {"device": true}.
struct Setting {
  c10::ScalarType working_type;
  c10::ScalarType float32;
  c10::Device device;
};

struct TensorPlace {
  std::size_t position = 0;  // index of the argument
  GraphValue value;
};

// A Tensor[] or Tensor?[] argument; an element without a value is None.
struct ListPlace {
  std::size_t position = 0;
  bool optional_elements = false;
  std::vector<std::optional<GraphValue>> elements;
};

struct PreparedNode {
  c10::OperatorHandle op;
  std::string op_name;                         // "aten::linear"
  std::string name;                            // "node 3 (aten::linear)"
  std::array<Stack, kWorkingTypes> arguments;  // None where a place is to be filled
  std::vector<TensorPlace> tensors;
  std::vector<ListPlace> lists;
  std::vector<std::size_t> outs;
  OperandCheck check = nullptr;
};

c10::ScalarType scalar_type(const std::string& name) {
  using c10::ScalarType;
  static constexpr std::pair<std::string_view, ScalarType> kTypes[] = {
      {"float64", ScalarType::Double},
      {"float32", ScalarType::Float},
      {"float16", ScalarType::Half},
      {"bfloat16", ScalarType::BFloat16},
      {"int64", ScalarType::Long},
      {"int32", ScalarType::Int},
      {"int16", ScalarType::Short},
      {"int8", ScalarType::Char},
      {"uint8", ScalarType::Byte},
      {"bool", ScalarType::Bool},
      {"complex64", ScalarType::ComplexFloat},
      {"complex128", ScalarType::ComplexDouble}};
  for (const auto& [known, type] : kTypes)
    if (name == known) return type;
  throw Unfit("unknown dtype " + name);
}

c10::MemoryFormat memory_format(const std::string& name) {
  if (name == "contiguous") return c10::MemoryFormat::Contiguous;
  if (name == "preserve") return c10::MemoryFormat::Preserve;
  if (name == "channels_last") return c10::MemoryFormat::ChannelsLast;
  if (name == "channels_last_3d") return c10::MemoryFormat::ChannelsLast3d;
  throw Unfit("unknown memory format " + name);
}

c10::Layout layout(const std::string& name) {
  if (name == "strided") return c10::Layout::Strided;
  throw Unfit("unknown layout " + name);
}

c10::Scalar to_scalar(const GraphScalar& scalar) {
  return std::visit([](auto number) { return c10::Scalar(number); }, scalar.number);
}

bool is_none(const GraphArg& arg) { return std::holds_alternative<std::monostate>(arg.value); }

// Converts one constant to what the schema's type wants.
class Converter {
 public:
  Converter(const Setting& setting, std::optional<std::int32_t> list_length)
      : setting_(setting), list_length_(list_length) {}

  [[nodiscard]] IValue convert(const GraphArg& arg, const c10::Type& type) const;

 private:
  [[nodiscard]] IValue convert_int(const GraphArg& arg) const;
  [[nodiscard]] IValue convert_number(const GraphArg& arg) const;
  [[nodiscard]] IValue convert_tensor(const GraphArg& arg) const;
  [[nodiscard]] IValue convert_list(const GraphArg& arg, const c10::Type& element) const;
  template <class T, class Extract>
  [[nodiscard]] IValue make_list(const GraphArg& arg, const c10::Type& element,
                                 const Extract& extract) const;

  Setting setting_;
  std::optional<std::int32_t> list_length_;  // N of int[N]: one number stands for N equal ones
};

[[noreturn]] void mismatch(const char* wanted) {
  throw Unfit(c10::str("the schema wants ", wanted, " there"));
}

double to_double(const GraphArg& arg) {
  if (const auto* number = std::get_if<double>(&arg.value)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&arg.value))
    return static_cast<double>(*number);
  mismatch("a float");
}

// Dtypes, layouts and memory formats travel as integers.
IValue Converter::convert_int(const GraphArg& arg) const {
  if (const auto* number = std::get_if<std::int64_t>(&arg.value)) return *number;
  if (std::holds_alternative<GraphWorkingDType>(arg.value)) return setting_.working_type;
  if (const auto* dtype = std::get_if<GraphDType>(&arg.value))
    return dtype->name == "float32" ? setting_.float32 : scalar_type(dtype->name);
  if (const auto* named = std::get_if<GraphLayout>(&arg.value)) return layout(named->name);
  if (const auto* named = std::get_if<GraphMemoryFormat>(&arg.value))
    return memory_format(named->name);
  mismatch("an integer, dtype, layout or memory format");
}

IValue Converter::convert_number(const GraphArg& arg) const {
  if (const auto* flag = std::get_if<bool>(&arg.value)) return *flag;
  if (const auto* number = std::get_if<std::int64_t>(&arg.value)) return *number;
  if (const auto* number = std::get_if<double>(&arg.value)) return *number;
  mismatch("a number");
}

// Converts a number to a tensor as Python does: a float64 or int64 number that takes no part in
// type promotion. A float32 tensor would round it, and the float64 run with it.
IValue Converter::convert_tensor(const GraphArg& arg) const {
  if (const auto* scalar = std::get_if<GraphScalar>(&arg.value))
    return at::native::wrapped_scalar_tensor(to_scalar(*scalar));
  mismatch("a tensor");
}

template <class T, class Extract>
IValue Converter::make_list(const GraphArg& arg, const c10::Type& element,
                            const Extract& extract) const {
  c10::List<T> list;
  if (const auto* items = std::get_if<GraphList>(&arg.value)) {
    for (const GraphArg& item : *items) list.push_back(extract(convert(item, element)));
  } else {
    if (!list_length_ || *list_length_ <= 0) mismatch("a list");
    for (std::int32_t i = 0; i < *list_length_; ++i) list.push_back(extract(convert(arg, element)));
  }
  return list;
}

IValue Converter::convert_list(const GraphArg& arg, const c10::Type& element) const {
  switch (element.kind()) {
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
      return make_list<std::int64_t>(arg, element, [](const IValue& v) { return v.toInt(); });
    case c10::TypeKind::FloatType:
      return make_list<double>(arg, element, [](const IValue& v) { return v.toDouble(); });
    case c10::TypeKind::BoolType:
      return make_list<bool>(arg, element, [](const IValue& v) { return v.toBool(); });
    case c10::TypeKind::NumberType:
      return make_list<c10::Scalar>(arg, element, [](const IValue& v) { return v.toScalar(); });
    case c10::TypeKind::TensorType:
      return make_list<at::Tensor>(arg, element, [](const IValue& v) { return v.toTensor(); });
    default: throw Unfit("lists of " + element.str() + " are not supported");
  }
}

IValue Converter::convert(const GraphArg& arg, const c10::Type& type) const {
  switch (type.kind()) {
    case c10::TypeKind::OptionalType:
      if (is_none(arg)) return {};
      return convert(arg, *type.castRaw<c10::OptionalType>()->getElementType());
    case c10::TypeKind::TensorType: return convert_tensor(arg);
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
    case c10::TypeKind::ScalarTypeType:
    case c10::TypeKind::LayoutType:
    case c10::TypeKind::MemoryFormatType: return convert_int(arg);
    case c10::TypeKind::FloatType: return to_double(arg);
    case c10::TypeKind::BoolType:
      if (const auto* flag = std::get_if<bool>(&arg.value)) return *flag;
      mismatch("true or false");
    case c10::TypeKind::NumberType: return convert_number(arg);
    case c10::TypeKind::StringType:
      if (const auto* string = std::get_if<std::string>(&arg.value)) return *string;
      mismatch("a string");
    case c10::TypeKind::DeviceObjType:
      if (std::holds_alternative<GraphDevice>(arg.value)) return setting_.device;
      mismatch("a device");
    case c10::TypeKind::ListType:
      return convert_list(arg, *type.castRaw<c10::ListType>()->getElementType());
    default: throw Unfit("arguments of type " + type.str() + " are not supported");
  }
}

bool accepts_tensor(const c10::Type& type) {
  if (type.kind() == c10::TypeKind::OptionalType)
    return accepts_tensor(*type.castRaw<c10::OptionalType>()->getElementType());
  return type.kind() == c10::TypeKind::TensorType;
}

bool holds_value(const GraphList& list) {
  return std::any_of(list.begin(), list.end(), [](const GraphArg& item) {
    return std::holds_alternative<GraphValue>(item.value);
  });
}

ListPlace list_place(std::size_t position, const GraphList& list, const c10::Type& type) {
  const c10::Type* list_type = &type;
  if (list_type->kind() == c10::TypeKind::OptionalType)
    list_type = list_type->castRaw<c10::OptionalType>()->getElementType().get();
  if (list_type->kind() != c10::TypeKind::ListType) mismatch("no list");
  const auto& element = *list_type->castRaw<c10::ListType>()->getElementType();
  if (!accepts_tensor(element)) mismatch("no list of tensors");

  ListPlace place{position, element.kind() == c10::TypeKind::OptionalType, {}};
  for (const GraphArg& item : list) {
    if (const auto* value = std::get_if<GraphValue>(&item.value)) {
      place.elements.emplace_back(*value);
    } else if (is_none(item) && place.optional_elements) {
      place.elements.emplace_back(std::nullopt);
    } else {
      throw Unfit("a list mixes tensors with something else");
    }
  }
  return place;
}

void prepare_argument(PreparedNode& node, std::size_t position, const GraphArg& arg,
                      const c10::Argument& declared,
                      const std::array<Setting, kWorkingTypes>& settings) {
  const c10::Type& type = *declared.real_type();
  for (Stack& stack : node.arguments) stack.emplace_back();
  if (const auto* value = std::get_if<GraphValue>(&arg.value)) {
    if (!accepts_tensor(type)) mismatch("no tensor");
    node.tensors.push_back({position, *value});
    return;
  }
  const auto* list = std::get_if<GraphList>(&arg.value);
  if (list != nullptr && holds_value(*list)) {
    node.lists.push_back(list_place(position, *list, type));
    return;
  }
  for (std::size_t i = 0; i < kWorkingTypes; ++i)
    node.arguments[i][position] = Converter(settings[i], declared.N()).convert(arg, type);
}

// The number of tensors an operator returns, unless a list makes that unknown before it ran.
std::optional<std::size_t> tensors_returned(const c10::FunctionSchema& schema) {
  std::size_t count = 0;
  for (const c10::Argument& result : schema.returns()) {
    if (result.type()->kind() == c10::TypeKind::ListType) return std::nullopt;
    if (result.type()->kind() == c10::TypeKind::TensorType) ++count;
  }
  return count;
}

PreparedNode prepare(const GraphNode& node, std::size_t number,
                     const std::array<Setting, kWorkingTypes>& settings) {
  const auto op = c10::Dispatcher::singleton().findSchema({node.op, node.overload});
  if (!op) throw Unfit("this LibTorch has no such operator");
  const c10::FunctionSchema& schema = op->schema();
  if (schema.arguments().size() != node.args.size()) {
    throw Unfit(
        c10::str(node.args.size(), " arguments, but the schema has ", schema.arguments().size()));
  }
  const auto returned = tensors_returned(schema);
  if (returned && *returned != node.outs.size()) {
    throw Unfit(
        c10::str(node.outs.size(), " outs, but the operator returns ", *returned, " tensors"));
  }

  PreparedNode prepared{*op,
                        node.op,
                        c10::str("node ", number, " (", node.full_name(), ")"),
                        {},
                        {},
                        {},
                        node.outs,
                        operand_check_of(node.op)};
  for (std::size_t i = 0; i < node.args.size(); ++i) {
    const c10::Argument& declared = schema.arguments()[i];
    try {
      prepare_argument(prepared, i, node.args[i], declared, settings);
    } catch (const Unfit& error) {
      throw Unfit(c10::str("argument ", i, " (", declared.name(), "): ", error.what()));
    }
  }
  return prepared;
}

// The tensors of one run, by value index.
class Values {
 public:
  explicit Values(std::size_t count) : tensors_(count) {}

  void set(std::size_t index, at::Tensor tensor) { tensors_[index] = std::move(tensor); }

  // Gives the tensor away at its last use, so that its memory is free for the next operator.
  [[nodiscard]] at::Tensor take(const GraphValue& value) {
    at::Tensor& tensor = tensors_[value.index];
    return value.last_use ? std::move(tensor) : tensor;
  }

  [[nodiscard]] const at::Tensor& peek(std::size_t index) const { return tensors_[index]; }

 private:
  std::vector<at::Tensor> tensors_;
};

IValue tensor_list(const ListPlace& place, Values& values) {
  if (!place.optional_elements) {
    std::vector<at::Tensor> tensors;
    tensors.reserve(place.elements.size());
    for (const auto& element : place.elements) tensors.push_back(values.take(*element));
    return tensors;
  }
  c10::List<std::optional<at::Tensor>> tensors;
  tensors.reserve(place.elements.size());
  for (const auto& element : place.elements)
    tensors.push_back(element ? std::optional(values.take(*element)) : std::nullopt);
  return tensors;
}

void keep_results(const PreparedNode& node, Stack& stack, Values& values) {
  std::size_t kept = 0;
  const auto keep = [&](at::Tensor tensor) {
    TORCH_CHECK(kept < node.outs.size(), "more tensors returned than the graph names");
    const std::size_t index = node.outs[kept++];
    if (index != GraphNode::kUnread) values.set(index, std::move(tensor));
  };
  for (IValue& result : stack) {
    if (result.isTensor()) {
      keep(std::move(result).toTensor());
    } else if (result.isTensorList()) {
      for (at::Tensor& tensor : std::move(result).toTensorVector()) keep(std::move(tensor));
    }
  }
  TORCH_CHECK(kept == node.outs.size(), "fewer tensors returned than the graph names");
}

bool is_convolution(const PreparedNode& node) {
  return node.op_name.rfind("aten::conv", 0) == 0 || node.op_name.rfind("aten::_conv", 0) == 0;
}

class WithoutCudnn {
 public:
  WithoutCudnn() { at::globalContext().setUserEnabledCuDNN(false); }
  ~WithoutCudnn() { at::globalContext().setUserEnabledCuDNN(before_); }
  WithoutCudnn(const WithoutCudnn&) = delete;
  WithoutCudnn& operator=(const WithoutCudnn&) = delete;

 private:
  const bool before_ = at::globalContext().userEnabledCuDNN();
};

// True for a node that is faster without cuDNN. In double, cuDNN's transposed convolutions take up
// to 17 times as long as torch's own, which are products by cuBLAS (H200, `full`: level1/068 2.8 s
// and 0.24 s). Only the reference is in double.
bool is_faster_without_cudnn(const PreparedNode& node, const Stack& stack) {
  if (node.op_name.rfind("aten::conv_transpose", 0) != 0) return false;
  const at::Tensor& input = stack[0].toTensor();
  return input.is_cuda() && input.scalar_type() == c10::ScalarType::Double;
}

void call(const PreparedNode& node, Stack& stack) {
  if (is_faster_without_cudnn(node, stack)) {
    Stack attempt = stack;
    try {
      const WithoutCudnn guard;
      node.op.callBoxed(attempt);
      stack = std::move(attempt);
      return;
    } catch (const c10::OutOfMemoryError&) {
      // The products want the input's columns in memory, which cuDNN does not.
    }
  }
  node.op.callBoxed(stack);
}

// Rounds to nearest, ties to even; infinities and NaN whose upper bits say so stay what they are.
at::Tensor rounded_to_tf32(const at::Tensor& tensor) {
  TORCH_CHECK(tensor.scalar_type() == c10::ScalarType::Float, "only float32 is rounded to TF32");
  constexpr int kDropped = 13;  // dropped bits of the 23 of a float32's fraction
  const at::Tensor bits = tensor.view(c10::ScalarType::Int);
  const at::Tensor is_odd = at::bitwise_right_shift(bits, kDropped).bitwise_and_(1);
  const at::Tensor sum = is_odd.add_(bits).add_((1 << (kDropped - 1)) - 1);
  return sum.bitwise_and_(-(1 << kDropped)).view(c10::ScalarType::Float);
}

enum class Operands { kAsTheyAre, kOfConvolutionsTf32 };

void run_node(const PreparedNode& node, std::size_t working_type, Stack& stack, Values& values,
              Operands operands = Operands::kAsTheyAre) {
  const Stack& prepared = node.arguments[working_type];
  stack.assign(prepared.begin(), prepared.end());
  for (const TensorPlace& place : node.tensors) stack[place.position] = values.take(place.value);
  for (const ListPlace& place : node.lists) stack[place.position] = tensor_list(place, values);
  if (node.check != nullptr) node.check(stack);
  if (operands == Operands::kOfConvolutionsTf32 && is_convolution(node))
    for (const std::size_t operand : {std::size_t{0}, std::size_t{1}})  // input and weight
      stack[operand] = rounded_to_tf32(stack[operand].toTensor());
  call(node, stack);
  keep_results(node, stack, values);
}

// Copies move values only: a kernel that leaves one out computes the same.
bool is_mere_copy(const std::string& op) {
  static constexpr std::string_view kCopies[] = {"aten::clone", "aten::_to_copy", "aten::to",
                                                 "aten::contiguous", "aten::lift_fresh_copy"};
  return std::find(std::begin(kCopies), std::end(kCopies), op) != std::end(kCopies);
}

// The first operand that looks like the result without being it (a view of everything, say).
std::optional<at::Tensor> stand_in(const std::vector<at::Tensor>& operands,
                                   const at::Tensor& result) {
  for (const at::Tensor& operand : operands) {
    if (!operand.defined() || operand.sizes() != result.sizes() ||
        operand.scalar_type() != result.scalar_type())
      continue;
    if (operand.data_ptr() == result.data_ptr() && operand.strides() == result.strides())
      return std::nullopt;
    return operand;
  }
  return std::nullopt;
}

// Runs a node and looks for what could stand in for its result.
std::optional<at::Tensor> run_and_look(const PreparedNode& node, std::size_t working_type,
                                       Stack& stack, Values& values) {
  std::vector<at::Tensor> operands;
  for (const TensorPlace& place : node.tensors) operands.push_back(values.peek(place.value.index));
  run_node(node, working_type, stack, values);
  const bool one_result = node.outs.size() == 1 && node.outs.front() != GraphNode::kUnread;
  if (!one_result || is_mere_copy(node.op_name)) return std::nullopt;
  return stand_in(operands, values.peek(node.outs.front()));
}

// Index into kWorkingTypes: float64 as soon as any floating tensor is.
std::size_t working_type_of(const std::vector<at::Tensor>& inputs,
                            const std::vector<at::Tensor>& parameters) {
  const auto is_double = [](const at::Tensor& tensor) {
    return tensor.scalar_type() == c10::ScalarType::Double;
  };
  return std::any_of(inputs.begin(), inputs.end(), is_double) ||
                 std::any_of(parameters.begin(), parameters.end(), is_double)
             ? 1
             : 0;
}

// Runs as under torch.no_grad, without the detour through autograd's own kernels. Views are
// tracked: a view of a parameter requires grad as the parameter does, and at::matmul asks for that.
struct Unrecorded {
  c10::NoGradGuard no_grad;
  at::AutoDispatchBelowAutograd below_autograd;
};

// LibTorch's errors say which node it was.
template <class Work>
void named(const PreparedNode& node, const Work& work) {
  try {
    work();
  } catch (c10::Error& error) {
    error.add_context(node.name);
    throw;
  }
}

}  // namespace

struct GraphExecutor::Impl {
  [[nodiscard]] Values start(const std::vector<at::Tensor>& given_inputs,
                             const std::vector<at::Tensor>& given_parameters) const;
  [[nodiscard]] std::vector<at::Tensor> take_outputs(Values& run) const;
  [[nodiscard]] std::vector<at::Tensor> run(const std::vector<at::Tensor>& given_inputs,
                                            const std::vector<at::Tensor>& given_parameters,
                                            Operands operands) const;

  std::size_t inputs = 0;
  std::size_t parameters = 0;
  std::size_t values = 0;
  std::vector<PreparedNode> nodes;
  std::vector<GraphValue> outputs;
  std::vector<RecurrentWeights> recurrent;
};

GraphExecutor::GraphExecutor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GraphExecutor::GraphExecutor(GraphExecutor&&) noexcept = default;
GraphExecutor& GraphExecutor::operator=(GraphExecutor&&) noexcept = default;
GraphExecutor::~GraphExecutor() = default;

Result<GraphExecutor> GraphExecutor::load(const std::filesystem::path& task_file,
                                          const std::string& size, const std::string& device,
                                          DType type) {
  auto graph = load_graph(task_file, size);
  if (!graph) return graph.error();
  const c10::ScalarType own = scalar_type(std::string(to_string(type)));
  const c10::Device place(device);
  const std::array<Setting, kWorkingTypes> settings{
      {{own, own, place}, {c10::ScalarType::Double, c10::ScalarType::Float, place}}};
  auto impl = std::make_unique<Impl>();
  impl->inputs = graph->inputs;
  impl->parameters = graph->parameters;
  impl->values = graph->value_names.size();
  impl->outputs = graph->outputs;
  for (const GraphNode& node : graph->nodes) {
    try {
      impl->nodes.push_back(prepare(node, impl->nodes.size(), settings));
    } catch (const std::exception& error) {  // Unfit, or c10::Error
      return Error{ErrorCode::kBadInput,
                   c10::str(task_file.string(), ": size ", size, ": node ", impl->nodes.size(),
                            " (", node.full_name(), "): ", error.what()),
                   "lower the task again with the LibTorch it is to run with"};
    }
  }
  impl->recurrent = all_recurrent_weights(*graph);
  return GraphExecutor(std::move(impl));
}

Values GraphExecutor::Impl::start(const std::vector<at::Tensor>& given_inputs,
                                  const std::vector<at::Tensor>& given_parameters) const {
  TORCH_CHECK(given_inputs.size() == inputs && given_parameters.size() == parameters,
              "the graph takes ", inputs, " inputs and ", parameters, " parameters, not ",
              given_inputs.size(), " and ", given_parameters.size());
  Values started(values);
  std::size_t index = 0;
  for (const at::Tensor& tensor : given_inputs) started.set(index++, tensor);
  for (const at::Tensor& tensor : given_parameters) started.set(index++, tensor);
  return started;
}

std::vector<at::Tensor> GraphExecutor::Impl::take_outputs(Values& run) const {
  std::vector<at::Tensor> taken;
  for (const GraphValue& output : outputs) taken.push_back(run.take(output));
  return taken;
}

std::vector<at::Tensor> GraphExecutor::Impl::run(const std::vector<at::Tensor>& given_inputs,
                                                 const std::vector<at::Tensor>& given_parameters,
                                                 Operands operands) const {
  const Unrecorded unrecorded;
  const std::size_t working_type = working_type_of(given_inputs, given_parameters);
  Values running = start(given_inputs, given_parameters);
  Stack stack;
  for (const PreparedNode& node : nodes)
    named(node, [&] { run_node(node, working_type, stack, running, operands); });
  return take_outputs(running);
}

std::vector<at::Tensor> GraphExecutor::run(const std::vector<at::Tensor>& inputs,
                                           const std::vector<at::Tensor>& parameters) const {
  return impl_->run(inputs, parameters, Operands::kAsTheyAre);
}

std::vector<at::Tensor> GraphExecutor::run_with_tf32_convolutions(
    const std::vector<at::Tensor>& inputs, const std::vector<at::Tensor>& parameters) const {
  return impl_->run(inputs, parameters, Operands::kOfConvolutionsTf32);
}

bool GraphExecutor::has_convolutions() const {
  return std::any_of(impl_->nodes.begin(), impl_->nodes.end(), is_convolution);
}

std::vector<at::Tensor> GraphExecutor::run_without(
    std::size_t left_out, const std::vector<at::Tensor>& inputs,
    const std::vector<at::Tensor>& parameters) const {
  const Unrecorded unrecorded;
  const std::size_t working_type = working_type_of(inputs, parameters);
  Values values = impl_->start(inputs, parameters);
  Stack stack;
  for (std::size_t i = 0; i < impl_->nodes.size(); ++i) {
    const PreparedNode& node = impl_->nodes[i];
    named(node, [&] {
      if (i != left_out) return run_node(node, working_type, stack, values);
      auto operand = run_and_look(node, working_type, stack, values);
      TORCH_CHECK(operand, "no operand can stand in for the result");
      // A copy: a later node may write it, as it may what this node made, and no input.
      values.set(node.outs.front(), operand->clone());
    });
  }
  return impl_->take_outputs(values);
}

std::vector<std::size_t> GraphExecutor::bypassable_nodes(
    const std::vector<at::Tensor>& inputs, const std::vector<at::Tensor>& parameters) const {
  const Unrecorded unrecorded;
  const std::size_t working_type = working_type_of(inputs, parameters);
  Values values = impl_->start(inputs, parameters);
  Stack stack;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < impl_->nodes.size(); ++i) {
    const PreparedNode& node = impl_->nodes[i];
    named(node, [&] {
      if (run_and_look(node, working_type, stack, values)) found.push_back(i);
    });
  }
  return found;
}

const std::string& GraphExecutor::operator_of(std::size_t node) const {
  return impl_->nodes.at(node).op_name;
}

void GraphExecutor::adopt_parameters(std::vector<at::Tensor>& parameters) const {
  const c10::NoGradGuard no_grad;
  for (const RecurrentWeights& weights : impl_->recurrent) flatten(weights, parameters);
  for (const at::Tensor& parameter : parameters)
    if (parameter.is_floating_point()) parameter.set_requires_grad(true);
}

}  // namespace kbench
