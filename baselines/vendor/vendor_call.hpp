// One call of a library, made once and then run on new tensors each time. Everything throws Failed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "baselines/vendor/libraries.hpp"
#include "baselines/vendor/plan.hpp"

namespace kbench::vendor {

// The tensors of one call: the structs of task.h as they lie in memory, a word of size and version
// and then a pointer for each tensor.
struct CallTensors {
  const std::uint64_t* inputs = nullptr;
  const std::uint64_t* parameters = nullptr;
  const std::uint64_t* outputs = nullptr;

  [[nodiscard]] CUdeviceptr at(const VendorOperand& operand) const {
    return (operand.is_parameter ? parameters : inputs)[1 + operand.index];
  }
  [[nodiscard]] CUdeviceptr output() const { return outputs[1]; }
};

class VendorCall {
 public:
  virtual ~VendorCall() = default;
  // Puts the call on the driver's stream and does not wait for it.
  virtual void run(const CallTensors& tensors) = 0;
  // The algorithm, in words of the library.
  [[nodiscard]] virtual std::string algorithm() const = 0;
};

// Most algorithms that the two calls below choose the fastest from. The library's heuristics name
// them, on the tensors of the first call. `file`: of the library. The driver outlives the call.
inline constexpr int kMostAlgorithms = 8;
[[nodiscard]] std::unique_ptr<VendorCall> make_product_call(const Driver& driver,
                                                            const std::string& file,
                                                            const VendorPlan& plan,
                                                            const CallTensors& first);
[[nodiscard]] std::unique_ptr<VendorCall> make_convolution_call(const Driver& driver,
                                                                const std::string& file,
                                                                const VendorPlan& plan,
                                                                const CallTensors& first);

// A call of one function for one operator: nothing is chosen.
[[nodiscard]] std::unique_ptr<VendorCall> make_operator_call(const Driver& driver,
                                                             const std::string& file,
                                                             const VendorPlan& plan);

// An engine of cuDNN for a plan, and why it cannot be prepared; empty where it can, and where
// nobody tried.
struct PlannedEngine {
  std::int64_t number = -1;
  std::string failure;
};

// The engines for a convolution's plan on a device that is only described (cudnn_graph.hpp), of
// which the first `prepared` are prepared to be run. None: throws Failed, with cuDNN's own words.
[[nodiscard]] std::vector<PlannedEngine> plan_engines(const std::string& file,
                                                      const VendorPlan& plan,
                                                      const std::string& device_json,
                                                      std::size_t prepared);

}  // namespace kbench::vendor
