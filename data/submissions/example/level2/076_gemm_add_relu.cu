// Bias and relu in a product's registers; slower than eager, whose cuBLAS product is a fifth
// faster. y = relu(x * weight^T + bias): what fusing saves is a small part here, 0.86 times eager's
// speed (H200).
#include "sgemm.cuh"
#include "task.h"

namespace {

constexpr int kBatch = kb::x_dims[0];
constexpr int kIn = kb::x_dims[1];
constexpr int kOut = kb::linear_weight_dims[0];
static_assert(kIn % 4 == 0 && kOut % 4 == 0);

__device__ float relu(float value) { return value < 0 ? 0 : value; }  // keeps NaN

struct BiasRelu {
  float* y;
  const float* bias;

  __device__ void operator()(int row, int column, float4 sums, bool inside) const {
    if (!inside) return;
    const float4 v = example::add(sums, example::load4(bias + column));
    example::store4(y + static_cast<size_t>(row) * kOut + column,
                    make_float4(relu(v.x), relu(v.y), relu(v.z), relu(v.w)));
  }
};

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* p, const kb_outputs* out,
                              kb_context* context) {
  return example::launch_linear(in->x, p->linear_weight, BiasRelu{out->y, p->bias}, kBatch, kOut,
                                kIn, context->stream);
}
