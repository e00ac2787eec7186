// A stack of GRU layers. Per layer one matrix product gives the inputs' share of all gates at all
// steps; recurrence.cpp does the rest.
#include <array>

#include "call.hpp"
#include "recurrence.hpp"
#include "sgemm.hpp"
#include "task.h"

namespace {

constexpr long kInput = kb::x_dims[2];
constexpr long kLayers = kb::h0_dims[0];
constexpr long kRows = kSteps * kBatch;
static_assert(kLayers == 6);

struct Layer {
  const float* weight_ih;  // [kGates, inputs]
  const float* weight_hh;  // [kGates, kHidden]
  const float* bias_ih;
  const float* bias_hh;
};

std::array<Layer, kLayers> layers_of(const kb_params* p) {
  return {{
      {p->gru_weight_ih_l0, p->gru_weight_hh_l0, p->gru_bias_ih_l0, p->gru_bias_hh_l0},
      {p->gru_weight_ih_l1, p->gru_weight_hh_l1, p->gru_bias_ih_l1, p->gru_bias_hh_l1},
      {p->gru_weight_ih_l2, p->gru_weight_hh_l2, p->gru_bias_ih_l2, p->gru_bias_hh_l2},
      {p->gru_weight_ih_l3, p->gru_weight_hh_l3, p->gru_bias_ih_l3, p->gru_bias_hh_l3},
      {p->gru_weight_ih_l4, p->gru_weight_hh_l4, p->gru_bias_ih_l4, p->gru_bias_hh_l4},
      {p->gru_weight_ih_l5, p->gru_weight_hh_l5, p->gru_bias_ih_l5, p->gru_bias_hh_l5},
  }};
}

constexpr long inputs_of(long layer) { return layer == 0 ? kInput : kHidden; }

constexpr long kPackedInput = example::packed_elements(std::max(kInput, kHidden), kGates);

struct Workspace {
  alignas(64) float weight_ih[kLayers][kPackedInput];
  alignas(64) float weight_hh[kLayers][kHidden * kGates];  // [unit block][k][gate][kLanes]
  alignas(64) float gates[kRows * kGates];                 // inputs' share, with its bias
  alignas(64) float sequence[2][kRows * kHidden];          // between layers
  alignas(64) float scratch[example::kMaxThreads * example::kScratchElements];
};

}  // namespace

extern "C" uint64_t kbench_workspace_bytes(void) { return sizeof(Workspace); }

extern "C" int kbench_prepare(const kb_params* p, kb_context* context) {
  auto& w = *static_cast<Workspace*>(context->workspace);
  const auto layers = layers_of(p);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const long inputs = inputs_of(static_cast<long>(l));
    example::pack_b({layers[l].weight_ih, 1, inputs}, inputs, kGates, w.weight_ih[l],
                    example::thread_count(context));
    pack_recurrent(layers[l].weight_hh, w.weight_hh[l]);
  }
  return 0;
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* p, const kb_outputs* out,
                              kb_context* context) {
  auto& w = *static_cast<Workspace*>(context->workspace);
  const int threads = example::thread_count(context);
  const auto layers = layers_of(p);
  const float* input = in->x;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const auto add_bias = [bias = layers[l].bias_ih](float* y, long, long column, long count) {
#pragma omp simd
      for (long i = 0; i < count; ++i) y[i] += bias[column + i];
    };
    example::sgemm(input, {w.weight_ih[l], inputs_of(static_cast<long>(l)), kGates}, w.gates, kRows,
                   w.scratch, threads, add_bias);
    float* states = l + 1 == layers.size() ? out->y : w.sequence[l % 2];
    run_recurrence({w.weight_hh[l], layers[l].bias_hh, w.gates,
                    in->h0 + static_cast<long>(l) * kBatch * kHidden, states},
                   threads);
    input = states;
  }
  return 0;
}
