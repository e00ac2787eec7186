// Online softmax in sixteen lanes.
#include <cmath>
#include <limits>

#include "task.h"

namespace {

constexpr long kRows = kb::x_dims[0];
constexpr long kColumns = kb::x_dims[1];

struct Online {
  float maximum = -std::numeric_limits<float>::infinity();
  float sum = 0;
};

// Maximum and sum of exponentials in one pass: a sum is rescaled whenever its maximum grows
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018). Sixteen of them
// share the row, as threads would: one running sum of thousands of like terms loses two digits.
constexpr int kLanes = 16;

Online normalizer(const float* x) {
  Online lanes[kLanes];
  for (long j = 0; j < kColumns; ++j) {
    Online& lane = lanes[j % kLanes];
    if (x[j] > lane.maximum) {
      lane.sum *= std::exp(lane.maximum - x[j]);
      lane.maximum = x[j];
    }
    lane.sum += std::exp(x[j] - lane.maximum);
  }
  Online all = lanes[0];
  for (int i = 1; i < kLanes; ++i) {
    const float larger = std::fmax(all.maximum, lanes[i].maximum);
    all.sum = all.sum * std::exp(all.maximum - larger) +
              lanes[i].sum * std::exp(lanes[i].maximum - larger);
    all.maximum = larger;
  }
  return all;
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < kRows; ++i) {
    const float* x = in->x + i * kColumns;
    const Online online = normalizer(x);
    for (long j = 0; j < kColumns; ++j)
      out->y[i * kColumns + j] = std::exp(x[j] - online.maximum) / online.sum;
  }
  return 0;
}
