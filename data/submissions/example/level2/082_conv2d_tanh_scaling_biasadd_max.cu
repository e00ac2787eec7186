// Convolution, tanh, scaling, bias and 4 x 4 maximum in one kernel. The columns of the matrix
// product are ordered by pooling window, sixteen pixels each, so that four neighbouring threads
// hold a whole window of a channel. tanh and a positive scale keep order: the maximum is taken
// first, tanh of it only, and the convolution never reaches memory.
#include "conv.cuh"
#include "reduce.cuh"
#include "task.h"

namespace {

constexpr int kChannels = kb::y_dims[1];
constexpr int kOutHeight = kb::y_dims[2];
constexpr int kOutWidth = kb::y_dims[3];
constexpr int kPool = 4;
constexpr int kWindows = kOutHeight * kOutWidth;  // of one channel of one image
constexpr float kScale = 2.0f;
static_assert(kScale > 0);

// As example::ConvShape, with columns [image][window][row][column] and pooled pixels only.
struct PooledShape {
  static constexpr int kIn = kb::x_dims[1];
  static constexpr int kOut = kChannels;
  static constexpr int kKernel = kb::conv_weight_dims[2];
  static constexpr int kRow = kb::x_dims[3];
  static constexpr int kPlane = kb::x_dims[2] * kb::x_dims[3];
  static constexpr int kTaps = kIn * kKernel * kKernel;
  static constexpr int kColumns = kb::x_dims[0] * kWindows * kPool * kPool;

  __device__ static size_t window(int column) {
    const int pixel = column % (kPool * kPool);
    const int image = column / (kPool * kPool) / kWindows;
    const int pooled = column / (kPool * kPool) % kWindows;
    const int y = pooled / kOutWidth * kPool + pixel / kPool;
    const int x = pooled % kOutWidth * kPool + pixel % kPool;
    return static_cast<size_t>(image) * kIn * kPlane + y * kRow + x;
  }
};

struct MaxTanhScaleBias {
  float* y;
  const float* conv_bias;
  const float* bias;

  __device__ void operator()(int channel, int column, float4 sums, bool inside) const {
    float largest = fmaxf(fmaxf(sums.x, sums.y), fmaxf(sums.z, sums.w));
    largest = example::reduce_lanes<4>(largest, example::Max{});
    if (!inside || column % (kPool * kPool) != 0) return;
    const int window = column / (kPool * kPool);
    const size_t place = (static_cast<size_t>(window / kWindows) * kChannels + channel) * kWindows +
                         window % kWindows;
    y[place] = tanhf(largest + conv_bias[channel]) * kScale + bias[channel];
  }
};

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* p, const kb_outputs* out,
                              kb_context* context) {
  return example::launch_conv<PooledShape>(
      in->x, p->conv_weight, MaxTanhScaleBias{out->y, p->conv_bias, p->bias}, context->stream);
}
