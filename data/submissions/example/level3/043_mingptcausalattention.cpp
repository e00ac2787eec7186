// Causal self-attention. Two linear layers, and between them, for each head, blocks of queries
// against the keys up to their last one only: scores, softmax and weighted values of a block stay
// in a thread's cache, and what the mask would remove is never computed. (The mask is a constant of
// the task, a lower triangle, so it is not read.)
#include <cmath>
#include <limits>

#include "call.hpp"
#include "sgemm.hpp"
#include "task.h"
#include "vector_math.hpp"

namespace {

using example::kLanes;
using example::Vec;

constexpr long kBatch = kb::x_dims[0];
constexpr long kSteps = kb::x_dims[1];
constexpr long kWidth = kb::x_dims[2];
constexpr long kHeads = 8;
constexpr long kDepth = kWidth / kHeads;
constexpr long kRows = kBatch * kSteps;
constexpr long kQueries = 64;  // of one block
constexpr long kScoreRow = example::round_up(kSteps, kLanes);

// One thread's buffers.
struct Scratch {
  alignas(64) float keys[example::packed_elements(kDepth, kSteps)];
  alignas(64) float values[example::packed_elements(kSteps, kDepth)];
  alignas(64) float scores[kQueries * kScoreRow];
  float scale[kQueries];  // 1 / sum of the row's exponentials
};

struct Workspace {
  alignas(64) float qkv_weight[example::packed_elements(kWidth, 3 * kWidth)];
  alignas(64) float proj_weight[example::packed_elements(kWidth, kWidth)];
  alignas(64) float qkv[kRows * 3 * kWidth];
  alignas(64) float mixed[kRows * kWidth];  // heads' outputs, side by side
  alignas(64) float product[example::kMaxThreads][example::kScratchElements];
  Scratch attention[example::kMaxThreads];
};

// Turns one row of scores into exponentials of (score - maximum) / sqrt(kDepth); keys from `valid`
// up to `width` are masked. Returns 1 / sum.
float exponentiate(float* scores, long valid, long width) {
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  const float factor = static_cast<float>(1 / std::sqrt(static_cast<double>(kDepth)));
  std::fill(scores + valid, scores + width, kLowest);
  const long end = example::round_up(width, kLanes);
  std::fill(scores + width, scores + end, kLowest);
  Vec largest = example::load(scores);
  for (long i = kLanes; i < end; i += kLanes) {
    largest = example::max(largest, example::load(scores + i));
  }
  const float maximum = example::horizontal_max(largest);
  Vec sum = {};
  for (long i = 0; i < end; i += kLanes) {
    const Vec value = example::exp((example::load(scores + i) - maximum) * factor);
    example::store(scores + i, value);
    sum += value;
  }
  return 1 / example::horizontal_sum(sum);
}

// One head of one sequence. `qkv` and `out` begin at its first query and output.
void attend(const float* qkv, float* out, Scratch& scratch, float* product) {
  constexpr long kStride = 3 * kWidth;
  for (long n = 0; n < kSteps; n += example::kTileColumns) {
    example::pack_column_panel({qkv + kWidth, 1, kStride}, kDepth, kSteps, n, scratch.keys);
  }
  for (long n = 0; n < kDepth; n += example::kTileColumns) {
    example::pack_column_panel({qkv + 2 * kWidth, kStride, 1}, kSteps, kDepth, n, scratch.values);
  }
  for (long begin = 0; begin < kSteps; begin += kQueries) {
    const long count = std::min(kQueries, kSteps - begin);
    const long keys = begin + count;
    example::multiply(qkv + begin * kStride, kStride, kDepth, {scratch.keys, kDepth, kSteps},
                      scratch.scores, kScoreRow, {0, count}, {0, keys}, product,
                      example::NoEpilogue{});
    for (long i = 0; i < count; ++i) {
      scratch.scale[i] = exponentiate(scratch.scores + i * kScoreRow, begin + i + 1, keys);
    }
    const auto normalise = [&scratch](float* y, long row, long, long width) {
#pragma omp simd
      for (long i = 0; i < width; ++i) y[i] *= scratch.scale[row];
    };
    example::multiply(scratch.scores, kScoreRow, keys, {scratch.values, kSteps, kDepth},
                      out + begin * kWidth, kWidth, {0, count}, {0, kDepth}, product, normalise);
  }
}

// y = x * packed^T + bias, on all threads.
void linear(const float* x, example::PackedMatrix weight, const float* bias, float* y, Workspace& w,
            int threads) {
  const auto add_bias = [bias](float* values, long, long column, long count) {
#pragma omp simd
    for (long i = 0; i < count; ++i) values[i] += bias[column + i];
  };
  example::sgemm(x, weight, y, kRows, w.product[0], threads, add_bias);
}

}  // namespace

extern "C" uint64_t kbench_workspace_bytes(void) { return sizeof(Workspace); }

extern "C" int kbench_prepare(const kb_params* p, kb_context* context) {
  auto& w = *static_cast<Workspace*>(context->workspace);
  const int threads = example::thread_count(context);
  example::pack_b({p->qkv_weight, 1, kWidth}, kWidth, 3 * kWidth, w.qkv_weight, threads);
  example::pack_b({p->proj_weight, 1, kWidth}, kWidth, kWidth, w.proj_weight, threads);
  return 0;
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* p, const kb_outputs* out,
                              kb_context* context) {
  auto& w = *static_cast<Workspace*>(context->workspace);
  const int threads = example::thread_count(context);
  linear(in->x, {w.qkv_weight, kWidth, 3 * kWidth}, p->qkv_bias, w.qkv, w, threads);
#pragma omp parallel for collapse(2) num_threads(threads) schedule(static)
  for (long n = 0; n < kBatch; ++n) {
    for (long head = 0; head < kHeads; ++head) {
      const int thread = omp_get_thread_num();
      attend(w.qkv + n * kSteps * 3 * kWidth + head * kDepth,
             w.mixed + n * kSteps * kWidth + head * kDepth, w.attention[thread], w.product[thread]);
    }
  }
  linear(w.mixed, {w.proj_weight, kWidth, kWidth}, p->proj_bias, out->y, w, threads);
  return 0;
}
