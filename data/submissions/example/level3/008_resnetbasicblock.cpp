// relu(norm(conv3x3(relu(norm(conv3x3(x))))) + norm(conv1x1(x))), batch statistics, no biases.
//
// Each convolution gathers the sums for its norm while its rows are in the cache. The 1 x 1
// shortcut is never stored: its mean and variance follow from the mean and covariance of the few
// input channels, and the last sweep recomputes it, its norm folded into its weights.
#include "call.hpp"
#include "conv.hpp"
#include "statistics.hpp"
#include "task.h"

namespace {

using example::Affine;
using example::Sums;

constexpr long kBatch = kb::x_dims[0];
constexpr long kIn = kb::x_dims[1];
constexpr long kHeight = kb::x_dims[2];
constexpr long kWidth = kb::x_dims[3];
constexpr long kPixels = kHeight * kWidth;
constexpr long kChannels = kb::conv1_weight_dims[0];
constexpr long kKernel = 3;
constexpr double kCount = static_cast<double>(kBatch) * kPixels;
constexpr double kEpsilon = 1e-5;
static_assert(kb::y_elements == kBatch * kChannels * kPixels, "stride 1");
static_assert(kChannels % example::kTileRows == 0);

// Planes with a border of one zero pixel.
constexpr long kPaddedWidth = kWidth + 2;
constexpr long kPaddedPlane = (kHeight + 2) * kPaddedWidth;
constexpr long kFirstTaps = kIn * kKernel * kKernel;
constexpr long kSecondTaps = kChannels * kKernel * kKernel;

// A unit of work: a band of rows of one image.
constexpr long kBandRows = 14;
constexpr long kBands = (kHeight + kBandRows - 1) / kBandRows;
constexpr long kUnits = kBatch * kBands;

struct Workspace {
  Sums first_sums[kUnits][kChannels];
  Sums second_sums[kUnits][kChannels];
  Affine first_norm[kChannels];
  Affine second_norm[kChannels];
  alignas(64) float first_weights[kChannels * kFirstTaps];
  alignas(64) float second_weights[kChannels * kSecondTaps];
  float shortcut_weights[kChannels][kIn];  // with the shortcut's norm
  float shortcut_shift[kChannels];
  alignas(64) float input[kBatch * kIn * kPaddedPlane];
  alignas(64) float hidden[kBatch * kChannels * kPaddedPlane];
};

Workspace& workspace(const kb_context* context) {
  return *static_cast<Workspace*>(context->workspace);
}

void zero_border(float* plane) {
  std::fill_n(plane, kPaddedWidth, 0.0f);
  std::fill_n(plane + (kHeight + 1) * kPaddedWidth, kPaddedWidth, 0.0f);
  for (long y = 1; y <= kHeight; ++y) {
    plane[y * kPaddedWidth] = 0;
    plane[y * kPaddedWidth + kWidth + 1] = 0;
  }
}

void pad_input(const float* x, Workspace& w, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (long plane = 0; plane < kBatch * kIn; ++plane) {
    float* padded = w.input + plane * kPaddedPlane;
    zero_border(padded);
    for (long y = 0; y < kHeight; ++y) {
      std::copy_n(x + plane * kPixels + y * kWidth, kWidth, padded + (y + 1) * kPaddedWidth + 1);
    }
  }
}

// Norm of each channel from the sums of all units.
void finish_statistics(const Sums (&sums)[kUnits][kChannels], const float* gamma, const float* beta,
                       Affine (&norm)[kChannels]) {
  for (long c = 0; c < kChannels; ++c) {
    Sums total;
    for (long unit = 0; unit < kUnits; ++unit) total.add(sums[unit][c]);
    norm[c] = example::normalisation(total, kCount, kEpsilon, static_cast<double>(gamma[c]),
                                     static_cast<double>(beta[c]));
  }
}

// Convolves one band into `out`, whose first pixel is pixel (0, 0) of channel 0 of the image.
template <long kInputs>
void convolve_band(const float* padded_image, const float* weights, long band, example::Planes out,
                   Sums (&sums)[kChannels]) {
  std::fill_n(sums, kChannels, Sums{});
  const long end = std::min(kHeight, (band + 1) * kBandRows);
  for (long y = band * kBandRows; y < end; ++y) {
    const example::Planes row{out.data + y * out.row, out.row, out.plane};
    example::conv_row<kInputs, kKernel>(
        {padded_image + y * kPaddedWidth, kPaddedWidth, kPaddedPlane}, weights, nullptr, kChannels,
        row, kWidth);
    for (long c = 0; c < kChannels; ++c) {
      sums[c].add(example::sum_row(row.data + c * row.plane, kWidth));
    }
  }
}

void first_convolution(Workspace& w, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (long unit = 0; unit < kUnits; ++unit) {
    const long n = unit / kBands;
    float* image = w.hidden + n * kChannels * kPaddedPlane;
    convolve_band<kIn>(w.input + n * kIn * kPaddedPlane, w.first_weights, unit % kBands,
                       {image + kPaddedWidth + 1, kPaddedWidth, kPaddedPlane}, w.first_sums[unit]);
  }
}

// In place: each plane's pixels become relu(norm(pixel)), its border zero.
void normalise_hidden(Workspace& w, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (long plane = 0; plane < kBatch * kChannels; ++plane) {
    float* pixels = w.hidden + plane * kPaddedPlane;
    const auto [scale, shift] = w.first_norm[plane % kChannels];
#pragma omp simd
    for (long i = kPaddedWidth; i < kPaddedPlane - kPaddedWidth; ++i) {
      const float value = pixels[i] * scale + shift;
      pixels[i] = value < 0 ? 0 : value;
    }
    zero_border(pixels);
  }
}

void second_convolution(Workspace& w, float* out, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (long unit = 0; unit < kUnits; ++unit) {
    const long n = unit / kBands;
    convolve_band<kChannels>(w.hidden + n * kChannels * kPaddedPlane, w.second_weights,
                             unit % kBands, {out + n * kChannels * kPixels, kWidth, kPixels},
                             w.second_sums[unit]);
  }
}

// Mean and covariance of the input channels, in double precision.
struct Moments {
  double mean[kIn] = {};
  double covariance[kIn][kIn] = {};
};

Moments input_moments(const float* x, int threads) {
  Moments moments;
  double sums[kIn] = {};
  double products[kIn * kIn] = {};
#pragma omp parallel for num_threads(threads) schedule(static) \
    reduction(+ : sums[ : kIn], products[ : kIn * kIn])
  for (long n = 0; n < kBatch; ++n) {
    const float* image = x + n * kIn * kPixels;
    for (long c = 0; c < kIn; ++c) {
      sums[c] += example::sum_row(image + c * kPixels, kPixels).sum;
      for (long d = 0; d <= c; ++d) {
        double product = 0;
#pragma omp simd reduction(+ : product)
        for (long i = 0; i < kPixels; ++i) {
          product += static_cast<double>(image[c * kPixels + i]) *
                     static_cast<double>(image[d * kPixels + i]);
        }
        products[c * kIn + d] += product;
      }
    }
  }
  for (long c = 0; c < kIn; ++c) moments.mean[c] = sums[c] / kCount;
  for (long c = 0; c < kIn; ++c) {
    for (long d = 0; d <= c; ++d) {
      const double value = products[c * kIn + d] / kCount - moments.mean[c] * moments.mean[d];
      moments.covariance[c][d] = moments.covariance[d][c] = value;
    }
  }
  return moments;
}

void fold_shortcut(const Moments& moments, const kb_params* p, Workspace& w) {
  for (long c = 0; c < kChannels; ++c) {
    const float* weight = p->shortcut_0_weight + c * kIn;
    double mean = 0;
    double variance = 0;
    for (long i = 0; i < kIn; ++i) {
      const double wi = static_cast<double>(weight[i]);
      mean += wi * moments.mean[i];
      for (long j = 0; j < kIn; ++j) {
        variance += wi * static_cast<double>(weight[j]) * moments.covariance[i][j];
      }
    }
    const double scale = static_cast<double>(p->shortcut_1_weight[c]) /
                         std::sqrt(std::fmax(variance, 0.0) + kEpsilon);
    for (long i = 0; i < kIn; ++i) {
      w.shortcut_weights[c][i] = static_cast<float>(static_cast<double>(weight[i]) * scale);
    }
    w.shortcut_shift[c] =
        static_cast<float>(static_cast<double>(p->shortcut_1_bias[c]) - mean * scale);
  }
}

void add_shortcut(const float* x, const Workspace& w, float* out, int threads) {
#pragma omp parallel for collapse(2) num_threads(threads) schedule(static)
  for (long n = 0; n < kBatch; ++n) {
    for (long c = 0; c < kChannels; ++c) {
      const float* image = x + n * kIn * kPixels;
      const float* weight = w.shortcut_weights[c];
      float* pixels = out + (n * kChannels + c) * kPixels;
      const auto [scale, shift] = w.second_norm[c];
      const float shortcut_shift = w.shortcut_shift[c];
#pragma omp simd
      for (long i = 0; i < kPixels; ++i) {
        float shortcut = shortcut_shift;
        for (long k = 0; k < kIn; ++k) shortcut += weight[k] * image[k * kPixels + i];
        const float value = pixels[i] * scale + shift + shortcut;
        pixels[i] = value < 0 ? 0 : value;
      }
    }
  }
}

}  // namespace

extern "C" uint64_t kbench_workspace_bytes(void) { return sizeof(Workspace); }

extern "C" int kbench_prepare(const kb_params* p, kb_context* context) {
  Workspace& w = workspace(context);
  example::pack_a(p->conv1_weight, kFirstTaps, kChannels, kFirstTaps, w.first_weights);
  example::pack_a(p->conv2_weight, kSecondTaps, kChannels, kSecondTaps, w.second_weights);
  return 0;
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* p, const kb_outputs* out,
                              kb_context* context) {
  Workspace& w = workspace(context);
  const int threads = example::thread_count(context);
  pad_input(in->x, w, threads);
  fold_shortcut(input_moments(in->x, threads), p, w);
  first_convolution(w, threads);
  finish_statistics(w.first_sums, p->norm1_weight, p->norm1_bias, w.first_norm);
  normalise_hidden(w, threads);
  second_convolution(w, out->y, threads);
  finish_statistics(w.second_sums, p->norm2_weight, p->norm2_bias, w.second_norm);
  add_shortcut(in->x, w, out->y, threads);
  return 0;
}
