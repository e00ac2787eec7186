// Runs one task through the graph executor, or through a package, on tensors from a file, so that a
// test can compare with Python's Model.forward on the same tensors.
//
//   executor_run TASK.json SIZE DEVICE DTYPE IN.bin OUT.bin [PACKAGE.pt2]
//   executor_run -
//
// The second form reads the same arguments from lines of stdin, separated by tabs, and answers each
// line with "done" or "failed", a tab and why: loading LibTorch costs more than most tasks.
// IN.bin holds inputs, then parameters; OUT.bin the outputs: raw little-endian contiguous bytes, in
// the task's order, without padding. Floating tensors are DTYPE (a floating one) in both files,
// others are what the task says. Exits 0 when OUT.bin is complete, 2 on wrong usage, 1 otherwise.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include "baselines/executor.hpp"
#include "baselines/package.hpp"
#include "runner/task/task.hpp"

namespace kbench {
namespace {

struct Arguments {
  std::string task, size, device, dtype, in, out, package;
};

c10::ScalarType floating_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat64: return c10::ScalarType::Double;
    case DType::kFloat16: return c10::ScalarType::Half;
    case DType::kBFloat16: return c10::ScalarType::BFloat16;
    default: return c10::ScalarType::Float;
  }
}

c10::ScalarType scalar_type(DType dtype, c10::ScalarType working_type) {
  if (is_floating(dtype)) return working_type;
  switch (dtype) {
    case DType::kInt64: return c10::ScalarType::Long;
    case DType::kInt32: return c10::ScalarType::Int;
    case DType::kInt16: return c10::ScalarType::Short;
    case DType::kInt8: return c10::ScalarType::Char;
    case DType::kUInt8: return c10::ScalarType::Byte;
    case DType::kBool: return c10::ScalarType::Bool;
    default: return working_type;  // the floating ones, dealt with above
  }
}

std::vector<at::Tensor> read(std::ifstream& stream, const std::vector<TensorSpec>& specs,
                             c10::ScalarType working_type, c10::Device device) {
  std::vector<at::Tensor> tensors;
  for (const TensorSpec& spec : specs) {
    at::Tensor tensor = at::empty(spec.shape, scalar_type(spec.dtype, working_type));
    stream.read(static_cast<char*>(tensor.data_ptr()),
                static_cast<std::streamsize>(tensor.nbytes()));
    TORCH_CHECK(stream.good(), "the input file ends inside ", spec.name);
    tensors.push_back(tensor.to(device));
  }
  return tensors;
}

void write(const std::string& file, const std::vector<at::Tensor>& tensors) {
  std::ofstream stream(file, std::ios::binary);
  for (const at::Tensor& output : tensors) {
    const at::Tensor tensor = output.cpu().contiguous();
    stream.write(static_cast<const char*>(tensor.data_ptr()),
                 static_cast<std::streamsize>(tensor.nbytes()));
  }
  stream.flush();
  TORCH_CHECK(stream.good(), "cannot write ", file);
}

using Problem = std::optional<std::string>;

Problem run(const Arguments& arguments) {
  const auto task = load_task(arguments.task);
  if (!task) return task.error().message;
  const TaskSize* size = task->find_size(arguments.size);
  if (size == nullptr) return "no size " + arguments.size;
  const auto type = dtype_from_string(arguments.dtype);
  if (!type) return type.error().message;
  const auto executor =
      GraphExecutor::load(arguments.task, arguments.size, arguments.device,
                          *type == DType::kFloat64 ? DType::kFloat32 : *type);
  if (!executor) return executor.error().message;

  const c10::ScalarType working_type = floating_type(*type);
  std::ifstream stream(arguments.in, std::ios::binary);
  const c10::Device device(arguments.device);
  const auto inputs = read(stream, size->inputs, working_type, device);
  auto parameters = read(stream, size->parameters, working_type, device);
  executor->adopt_parameters(parameters);

  if (arguments.package.empty()) {
    write(arguments.out, executor->run(inputs, parameters));
    return std::nullopt;
  }
  const auto package = CompiledPackage::load(arguments.package);
  if (!package) return package.error().message;
  write(arguments.out, package->run(inputs, parameters));
  return std::nullopt;
}

Problem run_words(const std::vector<std::string>& words) {
  const Result<DType> type = dtype_from_string(words.size() > 3 ? words[3] : "");
  if (words.size() < 6 || words.size() > 7 || !type || !is_floating(*type)) {
    return "usage: executor_run TASK.json SIZE DEVICE float32|float64|float16|bfloat16 IN.bin "
           "OUT.bin [PACKAGE.pt2]";
  }
  try {
    return run({words[0], words[1], words[2], words[3], words[4], words[5],
                words.size() == 7 ? words[6] : ""});
  } catch (const std::exception& error) {
    return error.what();
  }
}

void serve() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream fields(line);
    std::vector<std::string> words;
    for (std::string word; std::getline(fields, word, '\t');) words.push_back(word);
    Problem problem = run_words(words);
    if (problem) std::replace(problem->begin(), problem->end(), '\n', ' ');
    std::cout << (problem ? "failed\t" + *problem : "done") << std::endl;
  }
}

}  // namespace
}  // namespace kbench

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words == std::vector<std::string>{"-"}) {
    kbench::serve();
    return 0;
  }
  if (const auto problem = kbench::run_words(words)) {
    std::fprintf(stderr, "executor_run: %s\n", problem->c_str());
    return words.size() < 6 ? 2 : 1;
  }
  return 0;
}
