#include "runner/feedback/probe_tables.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

namespace kbench {
namespace {

char letter_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat64: return 'd';
    case DType::kFloat32: return 'f';
    case DType::kFloat16: return 'h';
    case DType::kBFloat16: return 'b';
    case DType::kInt64: return 'l';
    case DType::kInt32: return 'i';
    case DType::kInt16: return 's';
    case DType::kInt8:
    case DType::kUInt8: return 'c';
    case DType::kBool: return 'B';
  }
  return 'f';
}

// Hard draws stand in no task file; they are drawn as real numbers of the same range.
const char* kind_of(Draw::Kind kind) {
  switch (kind) {
    case Draw::Kind::kNormal: return "kNormal";
    case Draw::Kind::kIntegers: return "kIntegers";
    case Draw::Kind::kBernoulli: return "kBernoulli";
    case Draw::Kind::kConstant: return "kConstant";
    case Draw::Kind::kTril: return "kLower";
    case Draw::Kind::kTriu: return "kUpper";
    case Draw::Kind::kData: return "kStored";
    case Draw::Kind::kUniform:
    case Draw::Kind::kWide:
    case Draw::Kind::kSignedZeros:
    case Draw::Kind::kDenormals:
    case Draw::Kind::kSpikes: return "kUniform";
  }
  return "kUniform";
}

// The text in C++ of exactly that number.
std::string number(double value) {
  if (std::isnan(value)) return "__builtin_nan(\"\")";
  if (std::isinf(value)) return value < 0 ? "-__builtin_inf()" : "__builtin_inf()";
  return fmt::format("{:a}", value);
}

std::string row(const TensorSpec& tensor, std::string& stored) {
  const auto& shape = tensor.shape;
  const bool plane = shape.size() >= 2;
  const Draw& draw = tensor.draw;
  const std::uint64_t place = stored.size() / sizeof(double);
  if (draw.kind == Draw::Kind::kData)
    stored.append(reinterpret_cast<const char*>(draw.data.data()),
                  draw.data.size() * sizeof(double));
  return fmt::format(R"(    {{"{}", {}u, '{}', probe::{}, {}, {}, {}, {}, {}, {}, {}, {}u}},)"
                     "\n",
                     tensor.name, tensor.elements(), letter_of(tensor.dtype), kind_of(draw.kind),
                     number(draw.a), number(draw.b), draw.step, static_cast<int>(draw.keep),
                     draw.diagonal, plane ? shape[shape.size() - 2] : 0, plane ? shape.back() : 0,
                     place);
}

std::string table(const char* name, const std::vector<TensorSpec>& tensors, std::string& stored) {
  std::string text = fmt::format("inline std::vector<Tensor> {}() {{\n  return {{\n", name);
  for (const TensorSpec& tensor : tensors) text += row(tensor, stored);
  return text + "  };\n}\n";
}

}  // namespace

ProbeTables probe_tables(const TaskSize& size) {
  ProbeTables tables;
  tables.header = "#pragma once\n#include \"probe.h\"\nnamespace probe {\n";
  tables.header += table("inputs", size.inputs, tables.stored);
  tables.header += table("parameters", size.parameters, tables.stored);
  tables.header += table("outputs", size.outputs, tables.stored);
  tables.header += "}  // namespace probe\n";
  return tables;
}

}  // namespace kbench
