#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "runner/backend/backend.hpp"
#include "runner/backend/draw_plan.hpp"
#include "runner/backend/draw_values.hpp"
#include "runner/backend/float16.hpp"

namespace kbench {
namespace {

using Kind = Draw::Kind;

constexpr DrawKey kKey{0x0123456789abcdef, 5};

TensorSpec tensor(DType dtype, std::vector<std::int64_t> shape, Kind kind, double a, double b = 0) {
  return {"x", dtype, std::move(shape), {kind, a, b, {}}};
}

class CpuBackend : public testing::Test {
 protected:
  CpuBackend() : backend_(std::move(*make_cpu_backend(2))) {}

  template <class T>
  std::vector<T> drawn(const TensorSpec& spec, DrawKey key = kKey) {
    std::vector<T> values(static_cast<std::size_t>(spec.elements()));
    const Status status = backend_->draw(spec, key, values.data());
    EXPECT_TRUE(status.ok()) << status.error().message;
    return values;
  }

  ErrorCode refusal(const TensorSpec& spec) {
    std::vector<double> room(64);
    const Status status = backend_->draw(spec, kKey, room.data());
    EXPECT_FALSE(status.ok());
    return status.ok() ? ErrorCode::kInfrastructure : status.error().code;
  }

  std::unique_ptr<Backend> backend_;
};

std::uint32_t word(std::size_t i, DrawKey key = kKey) {
  return PhiloxStream::of(key.key, key.tensor).block(i / 4).lane[i % 4];
}

// The vectorised kernels against the scalar definition, compiled here for the plainest processor.
TEST_F(CpuBackend, DrawsUniformValuesToTheBit) {
  for (const std::int64_t n : {1, 2, 3, 4, 5, 1023, 1025, 65'537, 200'003}) {
    const auto values = drawn<float>(tensor(DType::kFloat32, {n}, Kind::kUniform, -0.3, 1.7));
    const float a = -0.3f;
    const float b = 1.7f;
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(values[i], uniform_value(word(i), a, b - a, std::nextafter(b, a))) << i;
    }
  }
}

TEST_F(CpuBackend, DrawsNormalValuesToTheBit) {
  const auto values = drawn<float>(tensor(DType::kFloat32, {400, 503}, Kind::kNormal, 0.5, 0.02));
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(values[i], portable::fma(normal_value(word(i)), 0.02f, 0.5f)) << i;
  }
}

TEST_F(CpuBackend, DrawsHardValuesToTheBit) {
  using Value = float (*)(std::uint32_t, bool);
  const std::pair<Kind, Value> kinds[] = {{Kind::kWide, wide_value},
                                          {Kind::kSignedZeros, signed_zeros_value},
                                          {Kind::kDenormals, denormals_value},
                                          {Kind::kSpikes, spikes_value}};
  for (const auto& [kind, value] : kinds) {
    for (const double non_negative : {0.0, 1.0}) {
      const auto values = drawn<float>(tensor(DType::kFloat32, {70'001}, kind, non_negative));
      for (std::size_t i = 0; i < values.size(); ++i) {
        const float expected = value(word(i), non_negative == 1);
        ASSERT_EQ(std::memcmp(&values[i], &expected, sizeof expected), 0) << i;
      }
    }
  }
}

TEST_F(CpuBackend, RoundsAndWidensTheSameValueForEveryFloatingType) {
  const auto spec = [](DType dtype) { return tensor(dtype, {3001}, Kind::kNormal, 0, 3); };
  const auto floats = drawn<float>(spec(DType::kFloat32));
  const auto doubles = drawn<double>(spec(DType::kFloat64));
  const auto halves = drawn<Half>(spec(DType::kFloat16));
  const auto brains = drawn<BFloat16>(spec(DType::kBFloat16));
  for (std::size_t i = 0; i < floats.size(); ++i) {
    ASSERT_EQ(doubles[i], static_cast<double>(floats[i]));
    ASSERT_EQ(halves[i].bits, to_half(floats[i]).bits);
    ASSERT_EQ(brains[i].bits, to_bfloat16(floats[i]).bits);
  }
}

template <class T>
void expect_integers(const std::vector<T>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(static_cast<std::int64_t>(values[i]), integer_value(word(i), 3, 97)) << i;
  }
}

TEST_F(CpuBackend, DrawsTheSameIntegersInEveryType) {
  const auto spec = [](DType dtype) { return tensor(dtype, {5003}, Kind::kIntegers, 3, 100); };
  expect_integers(drawn<std::int64_t>(spec(DType::kInt64)));
  expect_integers(drawn<std::int32_t>(spec(DType::kInt32)));
  expect_integers(drawn<std::int16_t>(spec(DType::kInt16)));
  expect_integers(drawn<std::int8_t>(spec(DType::kInt8)));
  expect_integers(drawn<std::uint8_t>(spec(DType::kUInt8)));
  expect_integers(drawn<float>(spec(DType::kFloat32)));
  expect_integers(drawn<double>(spec(DType::kFloat64)));
}

TEST_F(CpuBackend, DrawsBooleansWithTheirProbability) {
  const auto values = drawn<std::uint8_t>(tensor(DType::kBool, {100'000}, Kind::kBernoulli, 0.25));
  const auto ones = std::count(values.begin(), values.end(), 1);
  EXPECT_EQ(ones + std::count(values.begin(), values.end(), 0), 100'000);
  EXPECT_NEAR(static_cast<double>(ones), 25'000, 5 * std::sqrt(100'000 * 0.25 * 0.75));
}

TEST_F(CpuBackend, DrawsConstantsAndTriangles) {
  EXPECT_EQ(drawn<float>(tensor(DType::kFloat32, {2}, Kind::kConstant, 0.1)),
            (std::vector<float>{0.1f, 0.1f}));
  EXPECT_EQ(drawn<std::int64_t>(tensor(DType::kInt64, {2}, Kind::kConstant, -7)),
            (std::vector<std::int64_t>{-7, -7}));
  EXPECT_EQ(drawn<std::uint8_t>(tensor(DType::kBool, {2, 2, 3}, Kind::kTril, 0)),
            (std::vector<std::uint8_t>{1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0}));
  EXPECT_EQ(drawn<float>(tensor(DType::kFloat32, {3, 3}, Kind::kTriu, 1)),
            (std::vector<float>{0, 1, 1, 0, 0, 1, 0, 0, 0}));
}

TEST_F(CpuBackend, FollowsTheRowsOfATriangleAcrossBatches) {
  const std::int64_t n = 301;
  const auto values = drawn<float>(tensor(DType::kFloat32, {2, n, n}, Kind::kTril, -2));
  for (std::int64_t i = 0; i < 2 * n * n; ++i) {
    const std::int64_t row = i / n % n;
    const std::int64_t column = i % n;
    ASSERT_EQ(values[static_cast<std::size_t>(i)], column <= row - 2 ? 1.0f : 0.0f) << i;
  }
}

TEST_F(CpuBackend, DrawsIntegersInSteps) {
  TensorSpec spec = tensor(DType::kFloat32, {5003}, Kind::kIntegers, -1, 2);
  spec.draw.step = 2;
  const auto values = drawn<float>(spec);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(values[i], static_cast<float>(integer_value(word(i), -1, 2, 2))) << i;
    ASSERT_EQ(std::abs(values[i]), 1.0f);
  }
  spec.draw.step = 0;
  EXPECT_EQ(refusal(spec), ErrorCode::kBadInput);
}

TEST_F(CpuBackend, MultipliesATensorByOneNumberThatIsDrawnForIt) {
  TensorSpec plain = tensor(DType::kFloat32, {5003}, Kind::kUniform, 1, 2);
  TensorSpec scaled = plain;
  for (const Draw::Factor times :
       {Draw::Factor{Kind::kUniform, 2, 4}, Draw::Factor{Kind::kNormal, 0, 1}}) {
    scaled.draw.times = times;
    std::vector<double> factors;
    for (std::uint64_t key = 0; key < 400; ++key) {
      const auto before = drawn<float>(plain, {key, 3});
      const auto after = drawn<float>(scaled, {key, 3});
      double low = HUGE_VAL;
      double high = -HUGE_VAL;
      for (const float value : after) {
        low = std::min<double>(low, value);
        high = std::max<double>(high, value);
      }
      // 5003 values reach to within a hundredth of either end of [factor, 2 factor).
      const double factor = std::abs(low) < std::abs(high) ? low : high;
      ASSERT_NEAR(std::max(std::abs(low), std::abs(high)), 2 * std::abs(factor),
                  0.02 * std::abs(factor));
      ASSERT_NE(before, after);
      factors.push_back(factor);
    }
    const auto count = static_cast<double>(factors.size());
    const double mean = std::accumulate(factors.begin(), factors.end(), 0.0) / count;
    double squares = 0;
    for (const double factor : factors) squares += (factor - mean) * (factor - mean);
    const bool normal = times.kind == Kind::kNormal;
    EXPECT_NEAR(mean, normal ? 0 : 3, normal ? 0.2 : 0.12);
    EXPECT_NEAR(std::sqrt(squares / count), normal ? 1 : 1 / std::sqrt(3.0), 0.15);
  }
}

TEST_F(CpuBackend, ScalesNormalAndConstantTensorsToo) {
  const DrawKey key{17, 2};
  TensorSpec spec = tensor(DType::kFloat32, {4}, Kind::kConstant, 3);
  spec.draw.times = Draw::Factor{Kind::kNormal, 0, 1};
  const std::uint32_t first =
      PhiloxStream::of(17, 2, PhiloxStream::kTensorFactors).block(0).lane[0];
  const float factor = normal_value(first);
  EXPECT_EQ(drawn<float>(spec, key), std::vector<float>(4, static_cast<float>(3.0 * factor)));

  spec.draw.kind = Kind::kNormal;
  spec.draw.b = 0.5;
  const auto mean = static_cast<float>(3.0 * factor);
  const auto deviation = static_cast<float>(0.5 * std::abs(factor));
  const auto values = drawn<float>(spec, key);
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(values[i], portable::fma(normal_value(word(i, key)), deviation, mean));

  spec = tensor(DType::kInt32, {4}, Kind::kIntegers, 0, 9);
  spec.draw.times = Draw::Factor{Kind::kUniform, 0, 1};
  EXPECT_EQ(refusal(spec), ErrorCode::kBadInput);
  spec = tensor(DType::kInt32, {4}, Kind::kConstant, 1);
  spec.draw.times = Draw::Factor{Kind::kUniform, 0, 1};
  EXPECT_EQ(refusal(spec), ErrorCode::kBadInput);
  spec = tensor(DType::kFloat32, {4}, Kind::kUniform, 0, 1);
  spec.draw.times = Draw::Factor{Kind::kUniform, 1, 0};
  EXPECT_EQ(refusal(spec), ErrorCode::kBadInput);
}

TEST_F(CpuBackend, KeepsOneSideOfADiagonal) {
  const std::int64_t n = 301;
  TensorSpec spec = tensor(DType::kFloat32, {2, n, n}, Kind::kUniform, 1, 2);
  const auto all = drawn<float>(spec);
  spec.draw.diagonal = 3;
  spec.draw.keep = Draw::Keep::kUpper;
  const auto upper = drawn<float>(spec);
  spec.draw.keep = Draw::Keep::kLower;
  const auto lower = drawn<float>(spec);
  for (std::int64_t i = 0; i < 2 * n * n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const std::int64_t distance = i % n - i / n % n;
    ASSERT_EQ(upper[k], distance >= 3 ? all[k] : 0.0f) << i;
    ASSERT_EQ(lower[k], distance <= 3 ? all[k] : 0.0f) << i;
  }
  spec.shape = {2 * n};
  EXPECT_EQ(refusal(spec), ErrorCode::kBadInput);
}

TEST_F(CpuBackend, CopiesStoredValues) {
  TensorSpec spec = tensor(DType::kFloat16, {3}, Kind::kData, 0);
  spec.draw.data = {1, -2, 0.5};
  const auto values = drawn<Half>(spec);
  EXPECT_EQ(values[0].bits, 0x3C00);
  EXPECT_EQ(values[1].bits, 0xC000);
  EXPECT_EQ(values[2].bits, 0x3800);
  spec.draw.data.pop_back();
  EXPECT_EQ(refusal(spec), ErrorCode::kBadInput);
}

TEST_F(CpuBackend, DrawsOtherValuesForAnotherKeyOrTensor) {
  const auto spec = tensor(DType::kFloat32, {64}, Kind::kUniform, 0, 1);
  const auto values = drawn<float>(spec);
  EXPECT_NE(drawn<float>(spec, {kKey.key + 1, kKey.tensor}), values);
  EXPECT_NE(drawn<float>(spec, {kKey.key, kKey.tensor + 1}), values);
  EXPECT_EQ(drawn<float>(spec), values);
}

TEST_F(CpuBackend, RefusesDrawsThatTheDtypeCannotHold) {
  for (const TensorSpec& spec : {tensor(DType::kInt32, {4}, Kind::kUniform, 0, 1),
                                 tensor(DType::kFloat32, {4}, Kind::kUniform, 1, 0),
                                 tensor(DType::kFloat32, {4}, Kind::kNormal, 0, -1),
                                 tensor(DType::kUInt8, {4}, Kind::kIntegers, 0, 257),
                                 tensor(DType::kInt64, {4}, Kind::kIntegers, 5, 5),
                                 tensor(DType::kBool, {4}, Kind::kBernoulli, 1.5),
                                 tensor(DType::kInt8, {4}, Kind::kConstant, 0.5),
                                 tensor(DType::kFloat32, {4}, Kind::kTril, 0)}) {
    EXPECT_EQ(refusal(spec), ErrorCode::kBadInput) << static_cast<int>(spec.draw.kind);
  }
}

TEST_F(CpuBackend, PoisonsAndCopiesEveryByteAndNoMore) {
  const std::size_t bytes = (3u << 20) + 5;
  std::vector<unsigned char> source(bytes + 1, 0xAB);
  std::vector<unsigned char> destination(bytes + 1, 0);
  ASSERT_TRUE(backend_->copy(destination.data(), source.data(), bytes).ok());
  EXPECT_EQ(std::count(destination.begin(), destination.end() - 1, 0xAB),
            static_cast<std::ptrdiff_t>(bytes));
  EXPECT_EQ(destination.back(), 0);
  ASSERT_TRUE(backend_->poison(destination.data(), bytes).ok());
  EXPECT_EQ(std::count(destination.begin(), destination.end() - 1, 0xFF),
            static_cast<std::ptrdiff_t>(bytes));
  EXPECT_EQ(destination.back(), 0);
}

TEST_F(CpuBackend, SharesAnArenaThatNobodyElseCanWriteOnceSealed) {
  const auto arena = backend_->create_arena(100'000);
  ASSERT_TRUE(arena.ok()) << arena.error().message;
  SharedArena& memory = **arena;
  EXPECT_GE(memory.bytes(), 100'000u);
  EXPECT_NE(::fcntl(memory.fd(), F_GETFD) & FD_CLOEXEC, 0);
  ASSERT_TRUE(memory.seal().ok());
  ASSERT_TRUE(memory.seal().ok());  // a second time changes nothing

  void* writable =
      ::mmap(nullptr, memory.bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, memory.fd(), 0);
  EXPECT_EQ(writable, MAP_FAILED);
  EXPECT_EQ(errno, EPERM);
  EXPECT_NE(::ftruncate(memory.fd(), 10), 0);
  EXPECT_LT(::pwrite(memory.fd(), "x", 1, 0), 0);

  void* mapped = ::mmap(nullptr, memory.bytes(), PROT_READ, MAP_SHARED, memory.fd(), 0);
  ASSERT_NE(mapped, MAP_FAILED);
  EXPECT_NE(::mprotect(mapped, memory.bytes(), PROT_READ | PROT_WRITE), 0);
  memory.data()[99'999] = std::byte{42};  // the owner still writes
  EXPECT_EQ(static_cast<std::byte*>(mapped)[99'999], std::byte{42});
  ::munmap(mapped, memory.bytes());
}

TEST_F(CpuBackend, NobodyCutsOffAnArenaThatIsStillWritten) {
  const auto arena = backend_->create_arena(100'000);
  ASSERT_TRUE(arena.ok()) << arena.error().message;
  SharedArena& memory = **arena;
  EXPECT_NE(::ftruncate(memory.fd(), 0), 0);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(::pwrite(memory.fd(), "x", 1, 99'999), 1);
  EXPECT_EQ(memory.data()[99'999], std::byte{'x'});
}

TEST_F(CpuBackend, SaysThatAnArenaDoesNotFit) {
  for (const std::uint64_t bytes :
       {std::uint64_t{1} << 50, std::numeric_limits<std::uint64_t>::max()}) {
    const auto arena = backend_->create_arena(bytes);
    ASSERT_FALSE(arena.ok());
    EXPECT_EQ(arena.error().code, ErrorCode::kDoesNotFit);
  }
}

TEST_F(CpuBackend, WhatIsMadeColdHoldsWhatWasWritten) {
  constexpr std::uint64_t kBytes = (std::uint64_t{3} << 20) + 64 + 5;  // several pieces and a rest
  std::vector<std::byte> source(kBytes);
  for (std::uint64_t i = 0; i < kBytes; ++i) source[i] = static_cast<std::byte>(i * 31 >> 3);
  const auto arena = std::move(*backend_->create_arena(kBytes + 1));
  ASSERT_TRUE(backend_->poison(arena->data(), kBytes).ok());
  ASSERT_TRUE(backend_->evict(arena->data(), kBytes).ok());
  const MemoryRegion all{arena->data(), kBytes};
  EXPECT_EQ(*backend_->count_unpoisoned({&all, 1}), 0u);
  EXPECT_EQ(arena->data()[kBytes], std::byte{0}) << "nothing is written behind the end";
  ASSERT_TRUE(backend_->copy_uncached(arena->data(), source.data(), kBytes).ok());
  ASSERT_TRUE(backend_->evict(arena->data() + 3, kBytes - 7).ok());
  EXPECT_EQ(std::memcmp(arena->data(), source.data(), kBytes), 0);
  EXPECT_TRUE(backend_->evict(arena->data(), 0).ok());
}

TEST_F(CpuBackend, KnowsItsHost) {
  const DeviceFacts& facts = backend_->facts();
  EXPECT_EQ(facts.kind, DeviceKind::kCpu);
  EXPECT_FALSE(facts.name.empty());
  EXPECT_EQ(facts.threads, 2);
  EXPECT_GT(facts.memory_bytes, 0u);
  const auto free = backend_->free_bytes();
  ASSERT_TRUE(free.ok());
  EXPECT_GT(*free, 0u);
  EXPECT_LE(*free, facts.memory_bytes);
  EXPECT_GE((*make_cpu_backend(0))->facts().threads, 1);
  EXPECT_EQ(make_cpu_backend(-1).error().code, ErrorCode::kUsage);
}

TEST_F(CpuBackend, TimesWhatHappensBetweenStartAndStop) {
  ASSERT_TRUE(backend_->flush_cache().ok());
  ASSERT_TRUE(backend_->prologue().ok());
  ASSERT_TRUE(backend_->start_timer().ok());
  ::usleep(2000);
  const auto elapsed = backend_->stop_timer();
  ASSERT_TRUE(elapsed.ok());
  EXPECT_GE(*elapsed, 2'000'000);
  EXPECT_EQ(*backend_->sm_clock_khz(), 0);
}

}  // namespace
}  // namespace kbench
