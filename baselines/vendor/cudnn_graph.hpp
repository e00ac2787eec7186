// The graph of a VendorConvolution, and the engines of cuDNN that take it. A graph is planned for
// the device of a handle, or for one that is described in JSON (cuDNN's device properties): then no
// device is needed. Everything throws Failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "baselines/vendor/cudnn_descriptor.hpp"
#include "baselines/vendor/plan.hpp"

#ifdef KBENCH_WITH_CUDNN
namespace kbench::vendor {

// A tensor of a graph that is in memory, by its number: what lies there in a call.
struct Bound {
  enum class What { kOperand, kOutput, kNumber };
  std::int64_t uid = 0;
  What what = What::kOutput;
  VendorOperand operand;
  std::size_t number = 0;  // index in the table of numbers
};

struct CudnnGraph {
  Descriptor graph;
  std::vector<Bound> bound;
  std::vector<double> numbers;  // constants, which lie in memory of the device
};

// `handle`: null where the device is a description.
[[nodiscard]] CudnnGraph make_graph(const Cudnn& cudnn, cudnnHandle_t handle,
                                    const VendorPlan& plan);

[[nodiscard]] Descriptor describe_device(const Cudnn& cudnn, const std::string& json);

struct CudnnEngine {
  Descriptor configuration;
  std::int64_t number = -1;
};

// Engines in the order of the heuristics, those for every case last; only what the precision class
// allows. None: throws, with cuDNN's own words. `device`: null where the graph has a handle.
[[nodiscard]] std::vector<CudnnEngine> find_engines(const Cudnn& cudnn, const VendorPlan& plan,
                                                    const Descriptor& graph,
                                                    const Descriptor* device);

}  // namespace kbench::vendor
#endif
