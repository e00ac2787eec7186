// Softmax with every value read once and written once: a cluster of eight blocks keeps a whole row
// in its shared memories, and exchanges the blocks' maxima and sums through them.
#include <cooperative_groups.h>

#include "reduce.cuh"
#include "task.h"

namespace {

namespace cg = cooperative_groups;

constexpr long long kRows = kb::x_dims[0];
constexpr int kColumns = kb::x_dims[1];
constexpr int kCluster = 8;
constexpr int kThreads = 1024;
constexpr int kQuads = kColumns / 4;                             // of a row
constexpr int kBlockQuads = (kQuads + kCluster - 1) / kCluster;  // of a block's part
constexpr int kSharedBytes = kBlockQuads * static_cast<int>(sizeof(float4));
static_assert(kColumns % 4 == 0 && kSharedBytes <= 224 * 1024, "a row must fit the cluster");

// Combines one value of each block of the cluster; `slot` is this block's.
template <class Operation>
__device__ float reduce_cluster(float value, float* slot, Operation operation) {
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) *slot = value;
  cluster.sync();
  value = *cluster.map_shared_rank(slot, 0);
  for (int rank = 1; rank < kCluster; ++rank) {
    value = operation(value, *cluster.map_shared_rank(slot, rank));
  }
  return value;
}

__global__ __cluster_dims__(kCluster, 1, 1)
    __launch_bounds__(kThreads) void softmax_kernel(const float* x, float* y) {
  extern __shared__ float4 part[];
  __shared__ float maximum_slot;
  __shared__ float sum_slot;
  const int rank = blockIdx.x % kCluster;
  const long long row = blockIdx.x / kCluster;
  const int begin = rank * kBlockQuads;
  const int count = max(0, min(kBlockQuads, kQuads - begin));
  const float4* source = reinterpret_cast<const float4*>(x + row * kColumns) + begin;
  float4* destination = reinterpret_cast<float4*>(y + row * kColumns) + begin;

  float maximum = -INFINITY;
#pragma unroll 4
  for (int i = threadIdx.x; i < count; i += kThreads) {
    const float4 v = __ldcs(source + i);
    part[i] = v;
    maximum = fmaxf(maximum, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  }
  maximum = example::reduce_block<kThreads>(maximum, example::Max{});
  maximum = reduce_cluster(maximum, &maximum_slot, example::Max{});

  // Each thread meets only values that it stored itself.
  float sum = 0;
  for (int i = threadIdx.x; i < count; i += kThreads) {
    float4 v = part[i];
    v = make_float4(expf(v.x - maximum), expf(v.y - maximum), expf(v.z - maximum),
                    expf(v.w - maximum));
    part[i] = v;
    sum += (v.x + v.y) + (v.z + v.w);
  }
  sum = example::reduce_block<kThreads>(sum, example::Add{});
  sum = reduce_cluster(sum, &sum_slot, example::Add{});

  const float scale = 1 / sum;
  for (int i = threadIdx.x; i < count; i += kThreads) {
    const float4 v = part[i];
    __stcs(destination + i, make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale));
  }
  cg::this_cluster().sync();  // no block leaves while another may still read its slots
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  const cudaError_t error = cudaFuncSetAttribute(
      softmax_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  if (error != cudaSuccess) return error;
  softmax_kernel<<<kRows * kCluster, kThreads, kSharedBytes,
                   static_cast<cudaStream_t>(context->stream)>>>(in->x, out->y);
  return cudaGetLastError();
}
