// A direct convolution, channel by channel, where libraries multiply matrices: stride 1.
#pragma once

#include <algorithm>

namespace other {

struct ConvShape {
  long batch, in_channels, height, width, out_channels, kernel, padding;

  constexpr long out_height() const { return height + 2 * padding - kernel + 1; }
  constexpr long out_width() const { return width + 2 * padding - kernel + 1; }
};

// y[n][o][.][.] = bias[o] + sum over channels, last one first; `bias` may be null.
inline void convolve(const ConvShape& s, const float* x, const float* weight, const float* bias,
                     float* y) {
  const long oh = s.out_height();
  const long ow = s.out_width();
#pragma omp parallel for collapse(2) schedule(static)
  for (long n = 0; n < s.batch; ++n) {
    for (long o = 0; o < s.out_channels; ++o) {
      float* plane = y + (n * s.out_channels + o) * oh * ow;
      std::fill(plane, plane + oh * ow, 0.0f);
      for (long c = s.in_channels - 1; c >= 0; --c) {
        const float* image = x + (n * s.in_channels + c) * s.height * s.width;
        const float* w = weight + (o * s.in_channels + c) * s.kernel * s.kernel;
        for (long ky = 0; ky < s.kernel; ++ky) {
          for (long kx = 0; kx < s.kernel; ++kx) {
            const float factor = w[ky * s.kernel + kx];
            for (long i = 0; i < oh; ++i) {
              const long row = i + ky - s.padding;
              if (row < 0 || row >= s.height) continue;
              const long first = std::max(0L, s.padding - kx);
              const long last = std::min(ow, s.width + s.padding - kx);
              const float* in = image + row * s.width + kx - s.padding;
              for (long j = first; j < last; ++j) plane[i * ow + j] += factor * in[j];
            }
          }
        }
      }
      if (bias != nullptr)
        for (long i = 0; i < oh * ow; ++i) plane[i] += bias[o];
    }
  }
}

}  // namespace other
