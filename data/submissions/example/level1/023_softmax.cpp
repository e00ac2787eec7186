// Softmax of each row in two passes over memory: the first keeps a running maximum and rescales a
// running sum block by block (Milakov and Gimelshein, "Online normalizer calculation for softmax",
// 2018), the second writes exp(x - maximum) / sum. Rows are shared out among the threads.
#include <cmath>
#include <limits>

#include "call.hpp"
#include "task.h"
#include "vector_math.hpp"

namespace {

using example::kLanes;
using example::Vec;

constexpr long kRows = kb::x_dims[0];
constexpr long kColumns = kb::x_dims[1];
constexpr long kBlock = 4096;  // fits level 1, so its second look at the values is free
constexpr float kLowest = -std::numeric_limits<float>::infinity();

float block_maximum(const float* x, long count) {
  Vec largest = example::broadcast(kLowest);
  long i = 0;
  for (; i + kLanes <= count; i += kLanes) largest = example::max(largest, example::load(x + i));
  if (i < count) {
    largest = example::max(largest, example::load_partial(x + i, count - i, kLowest));
  }
  return example::horizontal_max(largest);
}

float block_sum(const float* x, long count, float maximum) {
  Vec sum = {};
  long i = 0;
  for (; i + kLanes <= count; i += kLanes) sum += example::exp(example::load(x + i) - maximum);
  if (i < count) {
    sum += example::exp(example::load_partial(x + i, count - i, kLowest) - maximum);
  }
  return example::horizontal_sum(sum);
}

void softmax_row(const float* x, float* y) {
  float maximum = kLowest;
  float sum = 0;
  for (long begin = 0; begin < kColumns; begin += kBlock) {
    const long count = std::min(kBlock, kColumns - begin);
    const float larger = std::fmax(maximum, block_maximum(x + begin, count));
    if (larger > maximum) sum *= std::exp(maximum - larger);
    maximum = larger;
    sum += block_sum(x + begin, count, maximum);
  }
  const float scale = 1 / sum;
  long i = 0;
  for (; i + kLanes <= kColumns; i += kLanes) {
    example::store(y + i, example::exp(example::load(x + i) - maximum) * scale);
  }
  if (i < kColumns) {
    const Vec rest = example::load_partial(x + i, kColumns - i, kLowest);
    example::store_partial(y + i, example::exp(rest - maximum) * scale, kColumns - i);
  }
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
#pragma omp parallel for num_threads(example::thread_count(context)) schedule(static)
  for (long row = 0; row < kRows; ++row) {
    softmax_row(in->x + row * kColumns, out->y + row * kColumns);
  }
  return 0;
}
