// A stack of GRU layers. Per layer one matrix product gives the inputs' share of all gates at all
// steps, then one kernel runs the recurrence: a cluster of eight blocks per sequence, each block
// keeping the recurrent weights of an eighth of the units in registers. After a step every block
// writes its units' new state into the shared memory of all eight. Sequences never wait for each
// other, and no step costs a launch.
#include <cooperative_groups.h>

#include "reduce.cuh"
#include "sgemm.cuh"
#include "task.h"

namespace {

namespace cg = cooperative_groups;

constexpr int kSteps = kb::x_dims[0];
constexpr int kBatch = kb::x_dims[1];
constexpr int kInput = kb::x_dims[2];
constexpr int kLayers = kb::h0_dims[0];
constexpr int kHidden = kb::h0_dims[2];
constexpr int kGates = 3 * kHidden;  // reset, update, new
constexpr int kRows = kSteps * kBatch;
static_assert(kLayers == 6 && kInput % 4 == 0);

constexpr int kCluster = 8;
constexpr int kUnits = kHidden / kCluster;    // of one block
constexpr int kParts = 4;                     // threads that share one gate's sum
constexpr int kQuads = kHidden / 4 / kParts;  // float4 of weights that a thread keeps
constexpr int kThreads = 3 * kUnits * kParts;
static_assert(kUnits == 32, "a warp updates the states of one block");
static_assert(kThreads >= kUnits * kCluster);

struct Layer {
  const float* weight_ih;  // [kGates, inputs]
  const float* weight_hh;  // [kGates, kHidden]
  const float* bias_ih;
  const float* bias_hh;
};

struct Workspace {
  float gates[kRows * kGates];         // inputs' share, with its bias
  float sequence[2][kRows * kHidden];  // between layers
};

__device__ float sigmoid(float value) { return 1 / (1 + expf(-value)); }

__device__ float dot(float4 a, float4 b, float sum) {
  sum += a.x * b.x;
  sum += a.y * b.y;
  sum += a.z * b.z;
  return sum + a.w * b.w;
}

// gates [kSteps, kBatch, kGates], initial [kBatch, kHidden], states [kSteps, kBatch, kHidden].
__global__ __cluster_dims__(kCluster, 1, 1)
    __launch_bounds__(kThreads) void recurrence_kernel(const float* gates, const float* weight,
                                                       const float* bias, const float* initial,
                                                       float* states) {
  __shared__ __align__(16) float state[2][kHidden];  // of all units: this step's and the next
  __shared__ float sums[3][kUnits];
  const cg::cluster_group cluster = cg::this_cluster();
  const int sequence = blockIdx.x / kCluster;
  const int first_unit = blockIdx.x % kCluster * kUnits;

  // As a summing thread: part of one gate of one unit.
  const int part = threadIdx.x % kParts;
  const int gate = threadIdx.x / kParts / kUnits;
  const int gate_unit = threadIdx.x / kParts % kUnits;
  const float* row = weight + (gate * kHidden + first_unit + gate_unit) * kHidden;
  float4 weights[kQuads];
#pragma unroll
  for (int i = 0; i < kQuads; ++i) weights[i] = example::load4(row + (i * kParts + part) * 4);

  // As an updating thread: one unit, for one block of the cluster.
  const bool updates = threadIdx.x < kUnits * kCluster;
  const int target = threadIdx.x / kUnits;
  const int unit = first_unit + threadIdx.x % kUnits;
  const float bias_reset = bias[unit];
  const float bias_update = bias[kHidden + unit];
  const float bias_new = bias[2 * kHidden + unit];

  for (int i = threadIdx.x; i < kHidden; i += kThreads) {
    state[0][i] = initial[sequence * kHidden + i];
  }
  cluster.sync();  // all blocks are running, and their states are set

  for (int step = 0; step < kSteps; ++step) {
    const float* own = state[step % 2];
    const float* input = gates + (static_cast<size_t>(step) * kBatch + sequence) * kGates + unit;
    float input_reset = 0;
    float input_update = 0;
    float input_new = 0;
    if (updates) {
      input_reset = input[0];
      input_update = input[kHidden];
      input_new = input[2 * kHidden];
    }

    float partial[2] = {};
#pragma unroll
    for (int i = 0; i < kQuads; ++i) {
      partial[i % 2] =
          dot(weights[i], example::load4(own + (i * kParts + part) * 4), partial[i % 2]);
    }
    const float sum = example::reduce_lanes<kParts>(partial[0] + partial[1], example::Add{});
    if (part == 0) sums[gate][gate_unit] = sum;
    __syncthreads();

    if (updates) {
      const int u = threadIdx.x % kUnits;
      const float reset = sigmoid(input_reset + (sums[0][u] + bias_reset));
      const float update = sigmoid(input_update + (sums[1][u] + bias_update));
      const float fresh = tanhf(input_new + reset * (sums[2][u] + bias_new));
      const float next = fresh + update * (own[unit] - fresh);
      *cluster.map_shared_rank(&state[(step + 1) % 2][unit], target) = next;
      if (target == 0) {
        states[(static_cast<size_t>(step) * kBatch + sequence) * kHidden + unit] = next;
      }
    }
    // The next state is complete everywhere, and nobody needs this one or `sums` any more.
    cluster.sync();
  }
}

cudaError_t run_layer(const float* input, int inputs, const Layer& layer, const float* initial,
                      float* gates, float* states, void* stream) {
  const example::StoreRowsWithBias epilogue{gates, layer.bias_ih, kGates};
  const cudaError_t error =
      example::launch_linear(input, layer.weight_ih, epilogue, kRows, kGates, inputs, stream);
  if (error != cudaSuccess) return error;
  recurrence_kernel<<<kBatch * kCluster, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      gates, layer.weight_hh, layer.bias_hh, initial, states);
  return cudaGetLastError();
}

}  // namespace

extern "C" uint64_t kbench_workspace_bytes(void) { return sizeof(Workspace); }

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* p, const kb_outputs* out,
                              kb_context* context) {
  const Layer layers[kLayers] = {
      {p->gru_weight_ih_l0, p->gru_weight_hh_l0, p->gru_bias_ih_l0, p->gru_bias_hh_l0},
      {p->gru_weight_ih_l1, p->gru_weight_hh_l1, p->gru_bias_ih_l1, p->gru_bias_hh_l1},
      {p->gru_weight_ih_l2, p->gru_weight_hh_l2, p->gru_bias_ih_l2, p->gru_bias_hh_l2},
      {p->gru_weight_ih_l3, p->gru_weight_hh_l3, p->gru_bias_ih_l3, p->gru_bias_hh_l3},
      {p->gru_weight_ih_l4, p->gru_weight_hh_l4, p->gru_bias_ih_l4, p->gru_bias_hh_l4},
      {p->gru_weight_ih_l5, p->gru_weight_hh_l5, p->gru_bias_ih_l5, p->gru_bias_hh_l5},
  };
  auto* w = static_cast<Workspace*>(context->workspace);
  const float* input = in->x;
  for (int l = 0; l < kLayers; ++l) {
    float* states = l + 1 == kLayers ? out->y : w->sequence[l % 2];
    const cudaError_t error =
        run_layer(input, l == 0 ? kInput : kHidden, layers[l], in->h0 + l * kBatch * kHidden,
                  w->gates, states, context->stream);
    if (error != cudaSuccess) return error;
    input = states;
  }
  return cudaSuccess;
}
