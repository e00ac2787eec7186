// load_task: from the lowered file to a Task, checking everything that later code relies on,
// because task files may come from anybody. Whether an operator exists is the executor's business.
#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/task/draw_reader.hpp"
#include "runner/task/fast_math.hpp"
#include "runner/task/graph.hpp"
#include "runner/task/hard_draws.hpp"
#include "runner/task/json_field.hpp"
#include "runner/task/plain_text.hpp"
#include "runner/task/shared_outputs.hpp"
#include "runner/task/suite.hpp"
#include "runner/task/task.hpp"
#include "runner/task/working_type.hpp"

namespace kbench {
namespace {

constexpr std::string_view kSchema = "kbench-task/1";
constexpr std::size_t kMaxFileBytes = 64u << 20;
constexpr std::size_t kMaxFqn = 400;
constexpr std::size_t kMaxName = 200;
constexpr std::size_t kMaxTitle = 500;
constexpr std::size_t kMaxNote = 4000;
constexpr std::int64_t kMaxNumber = 999'999;
constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();

// Words that cannot be members of a struct in C++ or CUDA, or are members already; a blank on
// either side of each.
constexpr std::string_view kReservedWords =
    " "
    "abi_version alignas alignof and and_eq asm auto bitand bitor bool break case catch char "
    "char8_t char16_t char32_t class co_await co_return co_yield compl concept const "
    "const_cast consteval constexpr constinit continue decltype default delete do double "
    "dynamic_cast else enum explicit export extern false float for friend goto if inline int "
    "linux long mutable namespace new noexcept not not_eq nullptr operator or or_eq private "
    "protected public register reinterpret_cast requires restrict return short signed size "
    "sizeof static static_assert static_cast struct switch template this thread_local throw "
    "true try typedef typeid typename union unix unsigned using virtual void volatile wchar_t "
    "while xor xor_eq ";

bool is_reserved(std::string_view name) {
  return kReservedWords.find(fmt::format(" {} ", name)) != std::string_view::npos;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const auto word : words) {
    if (word == text) return true;
  }
  return false;
}

// The name of an input, parameter or output: a member of a struct in task.h.
std::string read_name(const JsonField& field, std::set<std::string>& taken) {
  auto name = field.text(kMaxName);
  if (!field.healthy()) return name;
  if (!is_identifier(name)) {
    field.complain(fmt::format("\"{}\" is not a C identifier", name));
  } else if (is_reserved(name)) {
    field.complain(fmt::format("\"{}\" is reserved and cannot be a member of a struct", name));
  } else if (!taken.insert(name).second) {
    field.complain(fmt::format("\"{}\" is used twice", name));
  }
  return name;
}

std::vector<std::int64_t> read_shape(const JsonField& field) {
  std::vector<std::int64_t> shape(field.array_size(kMaxRank));
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < shape.size() && field.healthy(); ++i) {
    shape[i] = field.item(i).integer(1, kMaxElements);
    if (shape[i] > kMaxElements / elements) {
      field.complain(fmt::format("more than {} elements", kMaxElements));
      break;
    }
    elements *= shape[i];
  }
  return shape;
}

// `type` stands in the place of float32, here and below.
TensorSpec read_tensor(const JsonField& field, DType type, std::set<std::string>& taken) {
  TensorSpec tensor;
  tensor.name = read_name(field.member("name"), taken);
  const auto dtype_field = field.member("dtype");
  const auto dtype = dtype_from_string(dtype_field.text(kMaxName));
  if (dtype) {
    tensor.dtype = with_type(*dtype, type);
  } else {
    dtype_field.complain(dtype.error().message);
  }
  tensor.shape = read_shape(field.member("shape"));
  return tensor;
}

std::vector<TensorSpec> read_drawn_tensors(const JsonField& list, DType type,
                                           std::set<std::string>& taken) {
  std::vector<TensorSpec> tensors;
  const auto count = list.array_size(kMaxTensors);
  for (std::size_t i = 0; i < count && list.healthy(); ++i) {
    auto tensor = read_tensor(list.item(i), type, taken);
    if (!list.healthy()) break;
    tensor.draw = read_draw(list.item(i).member("draw"), tensor);
    if (list.item(i).json().contains("kernelbench")) {
      tensor.kernelbench = read_draw(list.item(i).member("kernelbench"), tensor);
    }
    const JsonField item = list.item(i);
    if (const Json& json = item.json(); json.contains("fqn") && !json.at("fqn").is_null())
      tensor.fqn = list.item(i).member("fqn").text(kMaxFqn);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

// Errors name the node; a graph that cannot be read is empty.
Graph read_graph(const JsonField& size) {
  auto graph = parse_size_graph(size.json());
  if (graph) return std::move(*graph);
  size.complain(graph.error().message);
  return {};
}

std::set<std::string> operators_of(const Graph& graph) {
  std::set<std::string> operators;
  for (const GraphNode& node : graph.nodes) operators.insert(node.op);
  return operators;
}

std::vector<TensorSpec> read_outputs(const JsonField& list, DType type,
                                     std::set<std::string>& taken) {
  std::vector<TensorSpec> outputs;
  const auto count = list.array_size(kMaxTensors);
  if (count == 0) list.complain("a task has at least one output");
  for (std::size_t i = 0; i < count && list.healthy(); ++i) {
    outputs.push_back(read_tensor(list.item(i), type, taken));
    (void)list.item(i).member("value");
  }
  return outputs;
}

TaskSize read_size(const JsonField& field, const std::string& name, DType type,
                   const std::map<std::string, std::string>& skips) {
  TaskSize size;
  size.name = name;
  std::set<std::string> taken;
  size.inputs = read_drawn_tensors(field.member("inputs"), type, taken);
  if (size.inputs.empty()) field.member("inputs").complain("a task has at least one input");
  size.parameters = read_drawn_tensors(field.member("parameters"), type, taken);
  (void)field.member("nodes").array_size(kMaxNodes);
  if (field.healthy()) size.outputs = read_outputs(field.member("outputs"), type, taken);
  const Graph graph = field.healthy() ? read_graph(field) : Graph{};
  size.peak_bytes_fp32 =
      static_cast<std::uint64_t>(field.member("peak_bytes_fp32").integer(0, kMaxInt64));
  size.peak_bytes_fp64 =
      static_cast<std::uint64_t>(field.member("peak_bytes_fp64").integer(0, kMaxInt64));
  const double written_products = field.member("flops").number();
  if (written_products < 0) field.member("flops").complain("negative");
  size.work = count_work(graph, size, written_products);
  size.transcendental_functions = transcendental_functions(graph);
  size.outputs_may_share = outputs_that_may_share(graph);
  if (field.healthy() && field.json().contains("longest_sum"))
    size.longest_sum = field.member("longest_sum").integer(0, kMaxInt64);
  if (field.healthy()) size.hard_draws = hard_draw_rules(size, operators_of(graph), skips);
  return size;
}

std::string read_choice(const JsonField& field, std::initializer_list<std::string_view> allowed) {
  auto text = field.text(kMaxName);
  if (field.healthy() && !is_one_of(text, allowed)) {
    field.complain(fmt::format("\"{}\" is unknown, expected {}", text, fmt::join(allowed, " or ")));
  }
  return text;
}

// The file's place must agree with what it says, or one task would go by two names.
void check_place(const JsonField& root, const Task& task) {
  const auto folder = std::filesystem::absolute(task.file).parent_path().filename().string();
  const auto place = fmt::format("{}/{}", folder, task.file.stem().string());
  if (root.healthy() && place != task.id) {
    root.complain(fmt::format("says it is {}, but lies at {}", task.id, place));
  }
}

void read_head(const JsonField& root, Task& task) {
  (void)read_choice(root.member("schema"), {kSchema});
  task.level = static_cast<int>(root.member("level").integer(1, 99));
  task.number = static_cast<int>(root.member("number").integer(0, kMaxNumber));
  task.name = root.member("name").text(kMaxName);
  if (root.healthy() && !is_word(task.name)) {
    root.member("name").complain("only letters, digits and underscores are allowed");
  }
  task.id = fmt::format("level{}/{:03}_{}", task.level, task.number, task.name);
  task.title = root.member("title").text(kMaxTitle);
  task.mode = read_choice(root.member("mode"), {"batch-stats", "train", "eval"});
  task.entry = read_choice(root.member("entry"), {"forward"});
  if (root.json().contains("note")) task.note = root.member("note").text(kMaxNote);
  if (root.json().contains("source_sha256"))
    task.source_sha256 = root.member("source_sha256").text(kMaxName);
  const auto source = root.member("source");
  const std::filesystem::path source_name = source.text(kMaxName);
  if (root.healthy() && (source_name.empty() || source_name != source_name.filename() ||
                         source_name == ".." || source_name == ".")) {
    source.complain("must be the name of a file in the same folder");
  }
  task.source = task.file.parent_path() / source_name;
  // Prompts and workspaces show the source to agents.
  if (root.healthy() && leads_out_of(task.source, task.source.parent_path().parent_path()))
    source.complain("is a link to a file outside of the suite, which may be anybody's");
}

// An optional object of the head with a reason under each name: {"zeros": "why it stays"}.
std::map<std::string, std::string> read_reasons(const JsonField& root, const char* name) {
  std::map<std::string, std::string> reasons;
  if (!root.healthy() || !root.json().contains(name)) return reasons;
  const auto object = root.member(name);
  if (!object.json().is_object()) {
    object.complain("expected an object");
    return reasons;
  }
  for (const auto& [key, unused] : object.json().items()) {
    auto reason = object.member(key).text(kMaxTitle);
    if (object.healthy() && reason.empty()) object.member(key).complain("give the reason");
    reasons.emplace(key, std::move(reason));
  }
  return reasons;
}

void read_skips(const JsonField& root, Task& task) {
  task.hard_draws_skip = read_reasons(root, "hard_draws_skip");
  for (const auto& [name, unused] : task.hard_draws_skip) {
    if (const auto draw = hard_draw_from_string(name); !draw)
      root.member("hard_draws_skip").complain(draw.error().message);
  }
}

void read_sizes(const JsonField& sizes, DType type, Task& task) {
  if (!sizes.json().is_object() || sizes.json().empty()) {
    sizes.complain("expected an object with \"small\", \"full\", or both");
    return;
  }
  for (const auto& [name, unused] : sizes.json().items()) {
    if (!is_one_of(name, {"small", "full"})) {
      sizes.complain(fmt::format("unknown size \"{}\", expected small or full", name));
    }
  }
  for (const std::string name : {"small", "full"}) {
    if (sizes.healthy() && sizes.json().contains(name)) {
      task.sizes.push_back(read_size(sizes.member(name), name, type, task.hard_draws_skip));
    }
  }
}

// True for an input whose values no key decides: every call of every run gets the same.
bool is_fixed(const TensorSpec& input) {
  const Draw::Kind kind = input.draw.kind;
  return !input.draw.times && (kind == Draw::Kind::kConstant || kind == Draw::Kind::kTril ||
                               kind == Draw::Kind::kTriu || kind == Draw::Kind::kData);
}

// Marks a task with fixed inputs: a kernel that keeps the output of the first call passes it,
// whatever lint has found.
void judge_inputs(Task& task) {
  for (const TaskSize& size : task.sizes)
    if (!size.inputs.empty() && std::all_of(size.inputs.begin(), size.inputs.end(), is_fixed))
      task.lint_accepts.emplace(kFixedInputsFlaw, kFixedInputsReason);
}

}  // namespace

Result<Task> load_task(const std::filesystem::path& json_file) {
  return load_task_in(DType::kFloat32, json_file);
}

Result<Task> load_task_in(DType type, const std::filesystem::path& json_file) {
  const auto text = read_bounded_file(json_file, kMaxFileBytes);
  if (!text) return text.error();
  const auto json = parse_strict_json(*text, json_file.string());
  if (!json) return json.error();

  Task task;
  task.file = json_file;
  task.hash = sha256(*text);
  Complaints complaints(json_file.string());
  const JsonField root(*json, "", complaints);
  read_head(root, task);
  check_place(root, task);
  task.lint_accepts = read_reasons(root, "lint_accepts");
  read_skips(root, task);
  if (root.healthy()) read_sizes(root.member("sizes"), type, task);
  if (const auto& complaint = complaints.first()) return *complaint;
  judge_inputs(task);
  return task;
}

}  // namespace kbench
