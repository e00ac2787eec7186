// Which tasks are one call of a vendor's library, and which call that is: a matrix product with an
// epilogue of cuBLASLt, a convolution or a linear layer with pointwise operators, which cuDNN
// takes as one graph, or an operator that cuDNN has a function for.
// Pure: nothing here sees a device. Invariants of a plan: the call computes all outputs of the task
// from its inputs and parameters, in the type of the output; a task without a plan gets a sentence
// that says why. Whether the library has an algorithm for it, only the library can tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/task/graph.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// A tensor of the task: its number among the inputs or among the parameters.
struct VendorOperand {
  bool is_parameter = false;
  std::size_t index = 0;
};

// A row-major matrix, or a batch of them.
struct VendorMatrix {
  VendorOperand tensor;
  bool transposed = false;        // it lies so in memory, as the product takes it
  std::int64_t batch_stride = 0;  // elements; 0: one for the whole batch
};

// activation(scale · a b + Σ factor · term + shift), terms being vectors of n. With a batch, each
// of its products.
struct VendorProduct {
  enum class Activation { kNone, kRelu, kGeluTanh };
  struct Term {
    double factor = 1;
    VendorOperand vector;
  };

  VendorMatrix a;  // m × k
  VendorMatrix b;  // k × n
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;
  double scale = 1;
  std::vector<Term> terms;
  double shift = 0;
  Activation activation = Activation::kNone;
};

// One pointwise operator behind a convolution. Its left side, and its right one where it has two,
// is a result: 0 is the convolution's, i that of the step i - 1.
struct VendorStep {
  enum class Mode {
    kAdd,
    kSub,
    kMul,
    kDiv,
    kMin,
    kMax,
    kRelu,  // negative elements times `slope`
    kTanh,
    kSigmoid,
    kGelu,
    kGeluTanh,
    kSoftplus,
  };
  // A tensor of the task, as many dimensions as the output has.
  struct Tensor {
    VendorOperand tensor;
    std::vector<std::int64_t> shape;
  };

  Mode mode = Mode::kAdd;
  std::size_t left = 0;
  std::variant<std::monostate, std::size_t, double, Tensor> right;
  double slope = 0;
};

// Shapes as [batch, channels, extents…] with two or three extents: a signal has a height of 1. A
// linear layer is one of 1 × 1, whose matrices have their channels last; only so cuDNN's engines
// take more steps than a bias and a rectifier.
struct VendorConvolution {
  VendorOperand x;
  VendorOperand weight;
  std::vector<std::int64_t> x_shape;
  std::vector<std::int64_t> weight_shape;
  std::vector<std::int64_t> y_shape;
  std::vector<std::int64_t> padding;  // these three: by extent
  std::vector<std::int64_t> stride;
  std::vector<std::int64_t> dilation;
  std::int64_t groups = 1;
  bool is_transposed = false;
  bool channels_last = false;     // the layout in memory
  std::vector<VendorStep> steps;  // the last one's result is the output
};

// One operator on one tensor. Shapes have four dimensions or more, in memory as they are written;
// others are filled up with ones.
struct VendorOperator {
  enum class Kind {
    kScale,  // the factor is `number`
    kRelu,
    kSigmoid,
    kTanh,
    kElu,  // its alpha is `number`
    kSwish,
    kSoftmax,  // over the second dimension
    kLogSoftmax,
    kMaxPool,  // [batch, channels, extents…], with window, padding and stride by extent
    kAveragePool,
    kAveragePoolWithin,  // padding does not count
    kSum,                // over the dimensions that the output has one of
    kMean,
    kMax,
    kMin,
  };

  Kind kind = Kind::kScale;
  VendorOperand x;
  std::vector<std::int64_t> x_shape;
  std::vector<std::int64_t> y_shape;
  double number = 1;
  std::vector<std::int64_t> window;
  std::vector<std::int64_t> padding;
  std::vector<std::int64_t> stride;
};

struct VendorPlan {
  std::variant<VendorProduct, VendorConvolution, VendorOperator> call;
  DType type = DType::kFloat32;
  bool may_use_tf32 = false;
};

// The plan of a size of a task, `size` being in the type of the class `precision` of a run. Errors:
// kNotFound, whose message is the reason.
[[nodiscard]] Result<VendorPlan> make_vendor_plan(const Graph& graph, const TaskSize& size,
                                                  const std::string& precision);

// Whether the only thing that is added is one vector of the task, unchanged. Other sums are made
// before the first call, of parameters alone.
[[nodiscard]] bool adds_as_it_is(const VendorProduct& product);

// "cuBLASLt" or "cuDNN".
[[nodiscard]] std::string_view library_of(const VendorPlan& plan);

// How a plan travels to the process that calls the library. Throws Json::exception where it is
// none.
[[nodiscard]] Json vendor_plan_json(const VendorPlan& plan);
[[nodiscard]] VendorPlan parse_vendor_plan(const Json& json);

}  // namespace kbench
