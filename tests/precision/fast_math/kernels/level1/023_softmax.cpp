// Softmax in three passes, a row at a time.
#include "mathematics.hpp"
#include "parallel.hpp"

struct Row {
  const float* in;
  float* out;

  ANYWHERE void operator()(long i) const {
    constexpr long kColumns = kb::x_1;
    const float* x = in + i * kColumns;
    float* y = out + i * kColumns;
    float maximum = x[0];
    for (long j = 1; j < kColumns; ++j) maximum = x[j] > maximum ? x[j] : maximum;
    float sum = 0;
    for (long j = 0; j < kColumns; ++j) sum += y[j] = exponential(x[j] - maximum);
    for (long j = 0; j < kColumns; ++j) y[j] = divided(y[j], sum);
  }
};

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  return for_each(kb::x_0, Row{in->x, out->y}, context);
}
