// Linear layer, swish, vector sum and group norm in one kernel: a group of 64 channels is exactly
// what sixteen neighbouring threads of the matrix product hold of a row, so the norm's mean and
// variance are two shuffled sums.
#include "reduce.cuh"
#include "sgemm.cuh"
#include "task.h"

namespace {

constexpr int kBatch = kb::x_dims[0];
constexpr int kIn = kb::x_dims[1];
constexpr int kOut = kb::linear_weight_dims[0];
constexpr int kGroups = 64;
constexpr int kGroupSize = kOut / kGroups;
constexpr int kGroupThreads = kGroupSize / 4;
constexpr float kEpsilon = 1e-5f;
static_assert(kIn % 4 == 0 && kOut % 4 == 0);
static_assert(64 % kGroupSize == 0 && kGroupThreads >= 1, "a group lies within sixteen threads");

__device__ float swish(float value) { return value / (1 + expf(-value)); }

__device__ float sum_of_group(float a, float b, float c, float d) {
  return example::reduce_lanes<kGroupThreads>((a + b) + (c + d), example::Add{});
}

struct SwishSumGroupNorm {
  float* y;
  const float* linear_bias;
  const float* bias;
  const float* weight;
  const float* shift;

  // Groups never straddle the edge of y, so threads outside it do not disturb the shuffles.
  __device__ void operator()(int row, int column, float4 sums, bool inside) const {
    const int safe = column < kOut ? column : 0;
    const float4 x = example::add(sums, example::load4(linear_bias + safe));
    const float4 z = example::add(make_float4(swish(x.x), swish(x.y), swish(x.z), swish(x.w)),
                                  example::load4(bias + safe));
    const float mean = sum_of_group(z.x, z.y, z.z, z.w) / kGroupSize;
    const float4 d = make_float4(z.x - mean, z.y - mean, z.z - mean, z.w - mean);
    const float variance = sum_of_group(d.x * d.x, d.y * d.y, d.z * d.z, d.w * d.w) / kGroupSize;
    const float scale = 1 / sqrtf(variance + kEpsilon);
    const float4 g = example::load4(weight + safe);
    const float4 b = example::load4(shift + safe);
    if (!inside) return;
    example::store4(y + static_cast<size_t>(row) * kOut + column,
                    make_float4(d.x * scale * g.x + b.x, d.y * scale * g.y + b.y,
                                d.z * scale * g.z + b.z, d.w * scale * g.w + b.w));
  }
};

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* p, const kb_outputs* out,
                              kb_context* context) {
  const SwishSumGroupNorm epilogue{out->y, p->linear_bias, p->bias, p->norm_weight, p->norm_bias};
  return example::launch_linear(in->x, p->linear_weight, epilogue, kBatch, kOut, kIn,
                                context->stream);
}
