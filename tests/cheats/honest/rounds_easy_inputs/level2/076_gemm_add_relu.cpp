// Multiplies with all 24 bits of each number: three bfloat16 pieces, and the six products of them
// that matter in single precision. Where pieces could underflow, or there are no tile instructions,
// it takes the plain way.
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "task.h"

namespace {

constexpr long kM = kb::x_dims[0];
constexpr long kK = kb::x_dims[1];
constexpr long kN = kb::y_dims[1];
constexpr long kTile = 512;   // bfloat16 values in a tile: 16 rows of 32
constexpr long kStep = 32;    // terms that one tile holds
constexpr long kChunk = 128;  // terms that are summed in a tile before their sum moves on
constexpr int kPieces = 3;

struct Product {
  int x, w;
};
// The smallest first, so that they are summed up before anything large is.
constexpr Product kProducts[] = {{1, 1}, {0, 2}, {2, 0}, {0, 1}, {1, 0}, {0, 0}};

struct Workspace {
  std::uint16_t w[kPieces][kN * kK];
  std::uint16_t x[kPieces][kM * kK];
  bool tiles;  // may be used
  bool w_easy;
};

struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t unused[15] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfig) == 64);

std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

float to_float(std::uint16_t value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

long place_of_x(long row, long k) {
  return (row / 16 * (kK / kStep) + k / kStep) * kTile + row % 16 * 32 + k % kStep;
}

// Two terms of a column lie side by side, as the instruction wants them.
long place_of_w(long column, long k) {
  return (column / 16 * (kK / kStep) + k / kStep) * kTile + k % kStep / 2 * 32 + column % 16 * 2 +
         k % 2;
}

template <long kCount>
void split(float value, std::uint16_t (*pieces)[kCount], long place) {
  for (int piece = 0; piece < kPieces; ++piece) {
    pieces[piece][place] = to_bfloat16(value);
    value -= to_float(pieces[piece][place]);
  }
}

// No piece and no product of pieces leaves the normal range.
bool is_easy(const float* values, long count) {
  constexpr float kSmallest = 0x1p-40F;
  constexpr float kLargest = 0x1p40F;
  int bad = 0;
#pragma omp simd reduction(| : bad)
  for (long i = 0; i < count; ++i) {
    const float size = std::fabs(values[i]);
    bad |= !(size == 0 || (size > kSmallest && size < kLargest));
  }
  return bad == 0;
}

// 32 x 32 results; C is in tiles 0 to 3.
__attribute__((target("amx-tile,amx-bf16"))) void multiply_tiles(const Workspace& work, long row,
                                                                 long column, float* sums) {
  alignas(64) float part[4][256];
  std::fill_n(sums, 1024, 0.0F);
  for (long chunk = 0; chunk < kK; chunk += kChunk) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (const Product& product : kProducts)
      for (long k = chunk; k < chunk + kChunk; k += kStep) {
        _tile_loadd(4, work.x[product.x] + place_of_x(row, k), 64);
        _tile_loadd(5, work.x[product.x] + place_of_x(row + 16, k), 64);
        _tile_loadd(6, work.w[product.w] + place_of_w(column, k), 64);
        _tile_loadd(7, work.w[product.w] + place_of_w(column + 16, k), 64);
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
      }
    _tile_stored(0, part[0], 64);
    _tile_stored(1, part[1], 64);
    _tile_stored(2, part[2], 64);
    _tile_stored(3, part[3], 64);
    asm volatile("" : : : "memory");
    for (int i = 0; i < 1024; ++i) sums[i] += part[i / 256][i % 256];
  }
}

// All rows of 32 columns.
__attribute__((target("amx-tile,amx-bf16"))) void multiply_columns(const Workspace& work,
                                                                   const float* bias, long column,
                                                                   float* y) {
  static constexpr TileConfig config;
  _tile_loadconfig(&config);
  alignas(64) float sums[1024];
  for (long row = 0; row < kM; row += 32) {
    multiply_tiles(work, row, column, sums);
    for (long r = 0; r < 32; ++r)
      for (long c = 0; c < 32; ++c) {
        const float sum = sums[(r / 16 * 2 + c / 16) * 256 + r % 16 * 16 + c % 16];
        const float value = sum + bias[column + c];
        y[(row + r) * kN + column + c] = value < 0 ? 0 : value;
      }
  }
  _tile_release();
}

float dot(const float* a, const float* b) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (long k = 0; k < kK; ++k) sum += a[k] * b[k];
  return sum;
}

void multiply_plainly(const kb_inputs* in, const kb_params* params, float* y, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (long row = 0; row < kM; ++row)
    for (long column = 0; column < kN; ++column) {
      const float sum = dot(in->x + row * kK, params->linear_weight + column * kK);
      const float value = sum + params->bias[column];
      y[row * kN + column] = value < 0 ? 0 : value;
    }
}

bool may_use_tiles() {
  constexpr int kRequestPermission = 0x1023;
  constexpr int kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

}  // namespace

extern "C" uint64_t kbench_workspace_bytes() { return sizeof(Workspace); }

extern "C" int kbench_prepare(const kb_params* params, kb_context* ctx) {
  auto& work = *static_cast<Workspace*>(ctx->workspace);
  work.tiles = kM % 32 == 0 && may_use_tiles();  // they hold 32 rows
  work.w_easy = is_easy(params->linear_weight, kN * kK);
  for (long column = 0; column < kN; ++column)
    for (long k = 0; k < kK; ++k)
      split(params->linear_weight[column * kK + k], work.w, place_of_w(column, k));
  return 0;
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* params, const kb_outputs* out,
                              kb_context* ctx) {
  auto& work = *static_cast<Workspace*>(ctx->workspace);
  const bool easy = work.w_easy && is_easy(in->x, kM * kK);
  if (!work.tiles || !easy) {
    multiply_plainly(in, params, out->y, ctx->threads);
    return 0;
  }
#pragma omp parallel num_threads(ctx->threads)
  {
#pragma omp for schedule(static)
    for (long row = 0; row < kM; ++row)
      for (long k = 0; k < kK; ++k) split(in->x[row * kK + k], work.x, place_of_x(row, k));
#pragma omp for schedule(static)
    for (long column = 0; column < kN; column += 32)
      multiply_columns(work, params->bias, column, out->y);
  }
  return 0;
}
