// Twelve kernels: the eight with a fault are named, and none is accused.
#include "tests/unit/debugger_fixture.hpp"

namespace kbench {
namespace {

using test::PlantedKernel;

constexpr const char* kRelu = "level1/019_relu";
constexpr const char* kSoftmax = "level1/023_softmax";
constexpr const char* kProduct = "level1/001_square_matrix_multiplication";

constexpr std::array<PlantedKernel, 12> kKernels = {{
    {"bounds_read_behind_input", kRelu, "out of bounds", "behind the end of input x"},
    {"bounds_write_behind_output", kProduct, "out of bounds", "behind the end of output y"},
    {"bounds_local_array", kSoftmax, "out of bounds", "sums"},
    {"bounds_before_input", kRelu, "out of bounds", "before the begin of input x"},
    {"freed_scratch", kSoftmax, "use after free", "heap-use-after-free"},
    {"freed_earlier_call", kRelu, "use after free", "within input x"},
    {"overflow_product", kRelu, "overflow", "signed integer overflow"},
    {"overflow_sum", kProduct, "overflow", "signed integer overflow"},
    {"clean_rectifier", kRelu, "", ""},
    {"clean_workspace", kSoftmax, "", ""},
    {"clean_threads", kProduct, "", ""},
    {"clean_wrapping", kRelu, "", ""},
}};

class PlantedFaults : public test::DebuggerCase {};

TEST_F(PlantedFaults, AreNamedAndNobodyElseIsAccused) {
  for (const PlantedKernel& kernel : kKernels) {
    SCOPED_TRACE(kernel.name);
    judge(kernel, run_planted(kernel));
  }
}

}  // namespace
}  // namespace kbench
