// Linear layer with swish, vector sum and group norm applied to each finished block of the product
// while it is in the level-2 cache; groups never straddle blocks, so nothing is read again later.
#include <numeric>

#include "call.hpp"
#include "sgemm.hpp"
#include "statistics.hpp"
#include "task.h"
#include "vector_math.hpp"

namespace {

using example::kLanes;
using example::Vec;

constexpr long kBatch = kb::x_dims[0];
constexpr long kIn = kb::x_dims[1];
constexpr long kOut = kb::linear_weight_dims[0];
constexpr long kGroups = 64;
constexpr long kGroupSize = kOut / kGroups;
constexpr double kEpsilon = 1e-5;
constexpr long kPacked = example::packed_elements(kIn, kOut);
// Stretches handed to the epilogue begin and end at multiples of this.
constexpr long kUnit = std::lcm(kGroupSize, example::kTileColumns);
static_assert(kGroupSize % kLanes == 0 && example::kColumnBlock % kUnit == 0);

// Normalises one group of one row in place; `column` is the group's first column.
void finish_group(float* y, long column, const kb_params* p) {
  for (long i = 0; i < kGroupSize; i += kLanes) {
    const Vec x = example::load(y + i) + example::load(p->linear_bias + column + i);
    example::store(y + i, x * example::sigmoid(x) + example::load(p->bias + column + i));
  }
  const example::Sums sums = example::sum_row(y, kGroupSize);
  const auto [scale, shift] = example::normalisation(sums, kGroupSize, kEpsilon);
  for (long i = 0; i < kGroupSize; i += kLanes) {
    const Vec normal = example::load(y + i) * scale + shift;
    example::store(y + i, normal * example::load(p->norm_weight + column + i) +
                              example::load(p->norm_bias + column + i));
  }
}

}  // namespace

extern "C" uint64_t kbench_workspace_bytes(void) {
  return sizeof(float) * (kPacked + example::kMaxThreads * example::kScratchElements);
}

extern "C" int kbench_prepare(const kb_params* p, kb_context* context) {
  example::pack_b({p->linear_weight, 1, kIn}, kIn, kOut, example::workspace(context),
                  example::thread_count(context));
  return 0;
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* p, const kb_outputs* out,
                              kb_context* context) {
  float* packed = example::workspace(context);
  const auto finish = [p](float* y, long, long column, long count) {
    for (long i = 0; i < count; i += kGroupSize) finish_group(y + i, column + i, p);
  };
  example::sgemm(in->x, {packed, kIn, kOut}, out->y, kBatch, packed + kPacked,
                 example::thread_count(context), finish, kUnit);
  return 0;
}
