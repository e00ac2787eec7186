// Causal self-attention in three kernels: a linear layer to queries, keys and values; attention
// with an online softmax, which visits only the keys that the mask leaves and keeps scores in
// shared memory (Dao et al., "FlashAttention", 2022); a linear layer. (The mask is a constant of
// the task, a lower triangle, so it is not read.) All arithmetic is fp32.
#include "reduce.cuh"
#include "sgemm.cuh"
#include "task.h"

namespace {

constexpr int kBatch = kb::x_dims[0];
constexpr int kSteps = kb::x_dims[1];
constexpr int kWidth = kb::x_dims[2];
constexpr int kHeads = 8;
constexpr int kDepth = kWidth / kHeads;
constexpr int kStride = 3 * kWidth;  // from step to step in the qkv buffer
constexpr int kRows = kBatch * kSteps;

constexpr int kBlock = 64;     // queries of a block, and keys that it visits at a time
constexpr int kThreads = 128;  // 16 across keys or values, 8 down the queries
constexpr int kPitch = kBlock + 4;
constexpr int kValues = kDepth / 16;  // values of each query that a thread sums
static_assert(kDepth % 16 == 0);

struct Workspace {
  float qkv[static_cast<size_t>(kRows) * kStride];
  float mixed[static_cast<size_t>(kRows) * kWidth];  // heads' outputs, side by side
};

struct Shared {
  float queries[kDepth][kPitch];  // transposed, and scaled
  float keys[kDepth][kPitch];     // transposed
  float values[kBlock][kDepth];
  float weights[kBlock][kPitch];  // [key][query]
};

// Loads kBlock steps from `first` on, zeros beyond the sequence, transposed and multiplied.
__device__ void load_transposed(const float* source, int first, float factor,
                                float (*shared)[kPitch]) {
  for (int i = threadIdx.x; i < kBlock * kDepth / 4; i += kThreads) {
    const int step = i % kBlock;
    const int d = i / kBlock * 4;
    const bool inside = first + step < kSteps;
    const float4 v = inside
                         ? example::load4(source + static_cast<size_t>(first + step) * kStride + d)
                         : make_float4(0, 0, 0, 0);
    shared[d][step] = v.x * factor;
    shared[d + 1][step] = v.y * factor;
    shared[d + 2][step] = v.z * factor;
    shared[d + 3][step] = v.w * factor;
  }
}

__device__ void load_values(const float* source, int first, float (*shared)[kDepth]) {
  for (int i = threadIdx.x; i < kBlock * kDepth / 4; i += kThreads) {
    const int step = i / (kDepth / 4);
    const int d = i % (kDepth / 4) * 4;
    const bool inside = first + step < kSteps;
    example::store4(&shared[step][d],
                    inside
                        ? example::load4(source + static_cast<size_t>(first + step) * kStride + d)
                        : make_float4(0, 0, 0, 0));
  }
}

// scores[i][j] of queries row + i and keys column + j.
__device__ void multiply_scores(const Shared& shared, int row, int column, float (&scores)[8][4]) {
#pragma unroll 4
  for (int d = 0; d < kDepth; ++d) {
    const float4 low = example::load4(&shared.queries[d][row]);
    const float4 high = example::load4(&shared.queries[d][row + 4]);
    const float4 key = example::load4(&shared.keys[d][column]);
    const float queries[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      scores[i][0] += queries[i] * key.x;
      scores[i][1] += queries[i] * key.y;
      scores[i][2] += queries[i] * key.z;
      scores[i][3] += queries[i] * key.w;
    }
  }
}

// What a thread knows of its eight queries. The sixteen threads of a query agree on the first two.
struct Running {
  float maximum[8];
  float sum[8];
  float values[8][kValues];
};

// Turns scores into exponentials, rescales what was summed under a smaller maximum.
__device__ void online_softmax(float (&scores)[8][4], Running& running) {
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    float largest = fmaxf(fmaxf(scores[i][0], scores[i][1]), fmaxf(scores[i][2], scores[i][3]));
    largest = fmaxf(running.maximum[i], example::reduce_lanes<16>(largest, example::Max{}));
    const float rescale = expf(running.maximum[i] - largest);
    running.maximum[i] = largest;
    float sum = 0;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      scores[i][j] = expf(scores[i][j] - largest);
      sum += scores[i][j];
    }
    running.sum[i] = running.sum[i] * rescale + example::reduce_lanes<16>(sum, example::Add{});
#pragma unroll
    for (int j = 0; j < kValues; ++j) running.values[i][j] *= rescale;
  }
}

__device__ void add_values(const Shared& shared, int row, int lane, Running& running) {
#pragma unroll 4
  for (int key = 0; key < kBlock; ++key) {
    const float4 low = example::load4(&shared.weights[key][row]);
    const float4 high = example::load4(&shared.weights[key][row + 4]);
    const float weights[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
    for (int j = 0; j < kValues; ++j) {
      const float value = shared.values[key][lane + 16 * j];
#pragma unroll
      for (int i = 0; i < 8; ++i) running.values[i][j] += weights[i] * value;
    }
  }
}

// One block of queries of one head of one sequence.
__global__ __launch_bounds__(kThreads) void attention_kernel(const float* qkv, float* mixed) {
  extern __shared__ __align__(16) unsigned char buffer[];
  Shared& shared = *reinterpret_cast<Shared*>(buffer);
  const int first_query = (gridDim.x - 1 - blockIdx.x) * kBlock;  // the longest first
  const int head = blockIdx.y % kHeads;
  const int sequence = blockIdx.y / kHeads;
  const float* head_qkv = qkv + static_cast<size_t>(sequence) * kSteps * kStride + head * kDepth;
  const int lane = threadIdx.x % 16;
  const int column = lane * 4;
  const int row = threadIdx.x / 16 * 8;

  Running running;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    running.maximum[i] = -INFINITY;
    running.sum[i] = 0;
#pragma unroll
    for (int j = 0; j < kValues; ++j) running.values[i][j] = 0;
  }
  load_transposed(head_qkv, first_query, rsqrtf(static_cast<float>(kDepth)), shared.queries);

  for (int first_key = 0; first_key <= first_query; first_key += kBlock) {
    __syncthreads();  // the previous keys, values and weights have been used
    load_transposed(head_qkv + kWidth, first_key, 1, shared.keys);
    load_values(head_qkv + 2 * kWidth, first_key, shared.values);
    __syncthreads();
    float scores[8][4] = {};
    multiply_scores(shared, row, column, scores);
    if (first_key == first_query) {
#pragma unroll
      for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          if (column + j > row + i) scores[i][j] = -INFINITY;
        }
      }
    }
    online_softmax(scores, running);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      float* weights = &shared.weights[column + j][row];
      example::store4(weights, make_float4(scores[0][j], scores[1][j], scores[2][j], scores[3][j]));
      example::store4(weights + 4,
                      make_float4(scores[4][j], scores[5][j], scores[6][j], scores[7][j]));
    }
    __syncthreads();
    add_values(shared, row, lane, running);
  }

#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int query = first_query + row + i;
    if (query >= kSteps) continue;
    float* out = mixed + (static_cast<size_t>(sequence) * kSteps + query) * kWidth + head * kDepth;
#pragma unroll
    for (int j = 0; j < kValues; ++j) {
      out[lane + 16 * j] = running.values[i][j] / running.sum[i];
    }
  }
}

}  // namespace

extern "C" uint64_t kbench_workspace_bytes(void) { return sizeof(Workspace); }

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* p, const kb_outputs* out,
                              kb_context* context) {
  auto* w = static_cast<Workspace*>(context->workspace);
  cudaError_t error = example::launch_linear(
      in->x, p->qkv_weight, example::StoreRowsWithBias{w->qkv, p->qkv_bias, kStride}, kRows,
      kStride, kWidth, context->stream);
  if (error != cudaSuccess) return error;
  error = cudaFuncSetAttribute(attention_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               sizeof(Shared));
  if (error != cudaSuccess) return error;
  const dim3 grid((kSteps + kBlock - 1) / kBlock, kBatch * kHeads);
  attention_kernel<<<grid, kThreads, sizeof(Shared), static_cast<cudaStream_t>(context->stream)>>>(
      w->qkv, w->mixed);
  error = cudaGetLastError();
  if (error != cudaSuccess) return error;
  return example::launch_linear(w->mixed, p->proj_weight,
                                example::StoreRowsWithBias{out->y, p->proj_bias, kWidth}, kRows,
                                kWidth, kWidth, context->stream);
}
