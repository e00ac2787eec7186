// The CUDA backend against the CPU backend: the same bits drawn, the same verdicts. Skipped without
// a GPU. The bandwidths are printed, never judged.
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <cudaTypedefs.h>
#include <cuda_runtime.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runner/backend/backend.hpp"
#include "runner/machine/cuda_probe.hpp"

namespace kbench {
namespace {

using Kind = Draw::Kind;

constexpr DrawKey kKey{0xfedcba9876543210, 7};

struct FreeDevice {
  void operator()(void* memory) const { static_cast<void>(cudaFree(memory)); }
};
using DeviceMemory = std::unique_ptr<std::byte, FreeDevice>;

class CudaBackend : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      GTEST_SKIP() << "no GPU";
    }
    auto cuda = make_cuda_backend(0);
    ASSERT_TRUE(cuda.ok()) << cuda.error().message;
    cuda_ = std::move(*cuda);
    cpu_ = std::move(*make_cpu_backend(0));
  }

  static DeviceMemory allocate(std::uint64_t bytes) {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, bytes), cudaSuccess);
    return DeviceMemory(static_cast<std::byte*>(memory));
  }

  static DeviceMemory upload(const void* source, std::size_t bytes, std::size_t offset) {
    DeviceMemory memory = allocate(bytes + offset + 1);
    EXPECT_EQ(cudaMemcpy(memory.get() + offset, source, bytes, cudaMemcpyHostToDevice),
              cudaSuccess);
    return memory;
  }

  // Draws on both devices, on the GPU `offset` bytes behind an aligned address, and checks that
  // nothing next to the tensor was touched.
  void expect_same_bits(const TensorSpec& tensor, std::size_t offset) {
    const auto bytes = static_cast<std::size_t>(tensor.bytes());
    std::vector<unsigned char> expected(bytes);
    ASSERT_TRUE(cpu_->draw(tensor, kKey, expected.data()).ok());
    const std::size_t room = bytes + offset + 64;
    const DeviceMemory memory = allocate(room);
    ASSERT_TRUE(cuda_->poison(memory.get(), room).ok());
    const Status drawn = cuda_->draw(tensor, kKey, memory.get() + offset);
    ASSERT_TRUE(drawn.ok()) << drawn.error().message;
    std::vector<unsigned char> got(room);
    ASSERT_EQ(cudaMemcpy(got.data(), memory.get(), room, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(std::memcmp(got.data() + offset, expected.data(), bytes), 0);
    for (std::size_t i = 0; i < room; ++i) {
      if (i >= offset && i < offset + bytes) continue;
      ASSERT_EQ(got[i], 0xFF) << i;
    }
  }

  // Compares host tensors; `offset` puts both off the alignment of vector loads.
  void expect_same_comparison(CompareRequest request, std::size_t offset) {
    const auto on_cpu = cpu_->compare(request);
    const auto got = upload(request.got, request.elements * size_of(request.got_dtype), offset);
    const auto reference =
        upload(request.reference, request.elements * size_of(request.reference_dtype), offset);
    request.got = got.get() + offset;
    request.reference = reference.get() + offset;
    const auto on_cuda = cuda_->compare(request);
    ASSERT_TRUE(on_cpu.ok() && on_cuda.ok());
    EXPECT_EQ(on_cuda->wrong, on_cpu->wrong);
    EXPECT_EQ(on_cuda->max_error, on_cpu->max_error);
    EXPECT_EQ(on_cuda->tolerance_at_max, on_cpu->tolerance_at_max);
    EXPECT_NEAR(on_cuda->sum_squared_error, on_cpu->sum_squared_error,
                1e-12 * on_cpu->sum_squared_error);
    EXPECT_NEAR(on_cuda->sum_squared_reference, on_cpu->sum_squared_reference,
                1e-12 * on_cpu->sum_squared_reference);
    if (on_cpu->wrong == 0) return;
    EXPECT_EQ(on_cuda->first_wrong, on_cpu->first_wrong);
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    EXPECT_TRUE(same(on_cuda->first_wrong_got, on_cpu->first_wrong_got));
    EXPECT_TRUE(same(on_cuda->first_wrong_reference, on_cpu->first_wrong_reference));
  }

  std::unique_ptr<Backend> cuda_;
  std::unique_ptr<Backend> cpu_;
};

TEST_F(CudaBackend, DrawsTheSameBitsAsTheCpu) {
  const std::vector<std::vector<std::int64_t>> shapes{{1, 1},  {1, 3},      {2, 2},
                                                      {5, 13}, {301, 1003}, {3, 1025, 999}};
  const std::vector<DType> floating{DType::kFloat64, DType::kFloat32, DType::kFloat16,
                                    DType::kBFloat16};
  const std::vector<DType> whole{DType::kInt64, DType::kInt32, DType::kInt16,
                                 DType::kInt8,  DType::kUInt8, DType::kBool};
  const std::vector<Draw> fractions{
      {Kind::kUniform, -0.3, 1.7, {}},
      {Kind::kNormal, 0.5, 0.02, {}},
      {Kind::kUniform, -1, 1, {}, 1, Draw::Keep::kUpper, 1},
      {Kind::kNormal, 0, 1, {}, 1, Draw::Keep::kLower, -1},
      {.kind = Kind::kUniform, .a = 1, .b = 2, .times = Draw::Factor{Kind::kNormal, 0, 1}},
      {.kind = Kind::kNormal, .a = 1, .b = 2, .times = Draw::Factor{Kind::kUniform, -1, 1}},
      {Kind::kConstant, 0.1, 0, {}},
      {Kind::kWide, 0, 0, {}},
      {Kind::kWide, 1, 0, {}},
      {Kind::kSignedZeros, 0, 0, {}},
      {Kind::kDenormals, 0, 0, {}},
      {Kind::kDenormals, 1, 0, {}},
      {Kind::kSpikes, 0, 0, {}}};
  const std::vector<Draw> counts{
      {Kind::kIntegers, 0, 2, {}},    {Kind::kBernoulli, 0.5, 0, {}, 1, Draw::Keep::kLower, 0},
      {Kind::kBernoulli, 0.3, 0, {}}, {Kind::kConstant, 1, 0, {}},
      {Kind::kTril, 1, 0, {}},        {Kind::kTriu, -1, 0, {}}};
  const auto draw_all = [&](const std::vector<DType>& dtypes, const std::vector<Draw>& draws) {
    for (const DType dtype : dtypes) {
      for (const Draw& draw : draws) {
        for (const auto& shape : shapes) {
          SCOPED_TRACE(fmt::format("{}, draw {}, rows {}", to_string(dtype),
                                   static_cast<int>(draw.kind), shape[0]));
          expect_same_bits({"x", dtype, shape, draw}, 0);
          expect_same_bits({"x", dtype, shape, draw}, size_of(dtype));
        }
      }
    }
  };
  draw_all(floating, fractions);
  draw_all(floating, counts);
  draw_all(whole, counts);
  expect_same_bits({"x", DType::kInt64, {100'003}, {Kind::kIntegers, -5, 0x1p31, {}}}, 0);
  expect_same_bits({"x", DType::kFloat32, {100'003}, {Kind::kIntegers, -1, 2, {}, 2}}, 0);
}

TEST_F(CudaBackend, CopiesStoredValues) {
  TensorSpec tensor{"x", DType::kBFloat16, {5}, {Kind::kData, 0, 0, {1, 2, -3, 0.5, 1e9}}};
  expect_same_bits(tensor, 0);
  tensor.draw.data.pop_back();
  const DeviceMemory room = allocate(64);
  EXPECT_EQ(cuda_->draw(tensor, kKey, room.get()).error().code, ErrorCode::kBadInput);
}

TEST_F(CudaBackend, ComparesAsTheCpuDoes) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const std::int64_t n : {1, 5, 1023, 300'007}) {
    for (const DType got : {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
      for (const DType reference : {DType::kFloat64, DType::kFloat32, got}) {
        const Draw draw{Kind::kNormal, 0, 3, {}};
        const TensorSpec a{"a", got, {n}, draw};
        const TensorSpec b{"b", reference, {n}, draw};
        std::vector<std::byte> x(a.bytes());
        std::vector<std::byte> y(b.bytes());
        ASSERT_TRUE(cpu_->draw(a, kKey, x.data()).ok());
        ASSERT_TRUE(cpu_->draw(b, kKey, y.data()).ok());
        // All bits set is a NaN in every floating type: one in the middle.
        const std::size_t size = size_of(got);
        std::memset(x.data() + static_cast<std::size_t>(n / 2) * size, 0xFF, size);
        for (const double absolute : {0.0, 1e-3, kInf}) {
          for (const std::size_t offset : {std::size_t{0}, std::size_t{8}}) {
            SCOPED_TRACE(fmt::format("{} elements, {} with {}, {}", n, to_string(got),
                                     to_string(reference), absolute));
            expect_same_comparison(
                {x.data(), got, y.data(), reference, static_cast<std::uint64_t>(n), absolute, 4,
                 1.5, absolute == 1e-3 ? 1e-4 : 0, absolute == kInf ? 0 : absolute / 2},
                offset);
          }
        }
      }
    }
  }
}

TEST_F(CudaBackend, ComparesIntegersExactly) {
  const std::size_t n = 100'001;
  for (const DType dtype :
       {DType::kInt64, DType::kInt32, DType::kInt16, DType::kInt8, DType::kUInt8, DType::kBool}) {
    const TensorSpec tensor{
        "x", dtype, {static_cast<std::int64_t>(n)}, {Kind::kIntegers, 0, 2, {}}};
    std::vector<unsigned char> x(tensor.bytes());
    ASSERT_TRUE(cpu_->draw(tensor, kKey, x.data()).ok());
    std::vector<unsigned char> y = x;
    expect_same_comparison({x.data(), dtype, y.data(), dtype, n, 0, 0, 0}, 0);
    y[(n - 1) * size_of(dtype)] ^= 1;
    expect_same_comparison({x.data(), dtype, y.data(), dtype, n, 9, 9, 9}, 0);
  }
}

TEST_F(CudaBackend, ComparesTheEmptyTensor) {
  const auto result =
      cuda_->compare({nullptr, DType::kFloat32, nullptr, DType::kFloat64, 0, 0, 0, 0});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->wrong, 0u);
  EXPECT_EQ(result->max_error, 0);
}

template <class Function>
Function driver_function(const char* name) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  EXPECT_EQ(cudaGetDriverEntryPointByVersion(name, &address, 10020, cudaEnableDefault, &found),
            cudaSuccess);
  return reinterpret_cast<Function>(address);
}

TEST_F(CudaBackend, SharesAnArenaThroughItsDescriptor) {
  const auto arena = cuda_->create_arena(3 << 20);
  ASSERT_TRUE(arena.ok()) << arena.error().message;
  const SharedArena& memory = **arena;
  EXPECT_GE(memory.bytes(), 3u << 20);
  const TensorSpec tensor{"x", DType::kFloat32, {1000}, {Kind::kUniform, 0, 1, {}}};
  ASSERT_TRUE(cuda_->draw(tensor, kKey, memory.data()).ok());
  ASSERT_TRUE(cuda_->synchronize().ok());

  const auto import =
      driver_function<PFN_cuMemImportFromShareableHandle_v10020>("cuMemImportFromShareableHandle");
  const auto reserve = driver_function<PFN_cuMemAddressReserve_v10020>("cuMemAddressReserve");
  const auto map = driver_function<PFN_cuMemMap_v10020>("cuMemMap");
  const auto access = driver_function<PFN_cuMemSetAccess_v10020>("cuMemSetAccess");
  const auto unmap = driver_function<PFN_cuMemUnmap_v10020>("cuMemUnmap");
  const auto release = driver_function<PFN_cuMemRelease_v10020>("cuMemRelease");
  const auto free = driver_function<PFN_cuMemAddressFree_v10020>("cuMemAddressFree");
  CUmemGenericAllocationHandle handle = 0;
  const auto descriptor = reinterpret_cast<void*>(static_cast<std::intptr_t>(memory.fd()));
  ASSERT_EQ(import(&handle, descriptor, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR), CUDA_SUCCESS);
  CUdeviceptr address = 0;
  ASSERT_EQ(reserve(&address, memory.bytes(), 0, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(map(address, memory.bytes(), 0, handle, 0), CUDA_SUCCESS);
  CUmemAccessDesc rights{};
  rights.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  rights.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
  ASSERT_EQ(access(address, memory.bytes(), &rights, 1), CUDA_SUCCESS);

  const auto* elsewhere = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(address));
  EXPECT_NE(elsewhere, memory.data());
  const auto same =
      cuda_->compare({elsewhere, DType::kFloat32, memory.data(), DType::kFloat32, 1000, 0, 0, 0});
  ASSERT_TRUE(same.ok()) << same.error().message;
  EXPECT_EQ(same->wrong, 0u);
  EXPECT_GT(same->sum_squared_reference, 0);
  EXPECT_EQ(unmap(address, memory.bytes()), CUDA_SUCCESS);
  EXPECT_EQ(free(address, memory.bytes()), CUDA_SUCCESS);
  EXPECT_EQ(release(handle), CUDA_SUCCESS);
}

TEST_F(CudaBackend, SaysThatAnArenaDoesNotFitAndGoesOn) {
  for (const std::uint64_t bytes :
       {std::uint64_t{1} << 45, std::numeric_limits<std::uint64_t>::max()}) {
    const auto arena = cuda_->create_arena(bytes);
    ASSERT_FALSE(arena.ok());
    EXPECT_EQ(arena.error().code, ErrorCode::kDoesNotFit) << arena.error().message;
  }
  EXPECT_TRUE(cuda_->synchronize().ok());
  EXPECT_TRUE(cuda_->create_arena(1).ok());
}

TEST_F(CudaBackend, KnowsItsDevice) {
  const DeviceFacts& facts = cuda_->facts();
  const std::vector<GpuInfo> gpus = probe_gpus();
  ASSERT_FALSE(gpus.empty());
  EXPECT_EQ(facts.name, gpus[0].name);
  EXPECT_EQ(facts.compute_capability, gpus[0].compute_capability);
  EXPECT_GT(facts.sm_count, 0);
  EXPECT_GT(facts.cache_bytes, 0u);
  EXPECT_GE(facts.shared_bytes_per_block, 48u << 10);
  const auto free = cuda_->free_bytes();
  ASSERT_TRUE(free.ok());
  EXPECT_LE(*free, facts.memory_bytes);
  EXPECT_FALSE(make_cuda_backend(99).ok());
  EXPECT_TRUE(cuda_->synchronize().ok());  // the failure above is not remembered
}

TEST_F(CudaBackend, TimesWithTheDevicesClock) {
  ASSERT_TRUE(cuda_->flush_cache().ok());
  ASSERT_TRUE(cuda_->start_timer().ok());
  const auto khz = cuda_->sm_clock_khz();  // spins for at least 80 us
  const auto elapsed = cuda_->stop_timer();
  ASSERT_TRUE(khz.ok() && elapsed.ok());
  EXPECT_GT(*khz, 100'000);
  EXPECT_LT(*khz, 5'000'000);
  EXPECT_GE(*elapsed, 75'000);
  EXPECT_LT(*elapsed, 1'000'000'000);
  fmt::print("SM clock {} MHz\n", *khz / 1000);
}

TEST_F(CudaBackend, ReportsItsBandwidths) {
  const std::int64_t n = std::int64_t{1} << 29;  // 2 GiB of float32
  const auto bytes = static_cast<std::uint64_t>(4 * n);
  const DeviceMemory a = allocate(bytes);
  const DeviceMemory b = allocate(bytes);
  const auto report = [&](const char* what, double moved, auto work) {
    ASSERT_TRUE(work());  // warm
    ASSERT_TRUE(cuda_->start_timer().ok());
    ASSERT_TRUE(work());
    const auto elapsed = cuda_->stop_timer();
    ASSERT_TRUE(elapsed.ok());
    fmt::print("{:<28}{:8.0f} GB/s\n", what, moved / static_cast<double>(*elapsed));
  };
  const auto draw = [&](Kind kind, std::byte* to) {
    return cuda_->draw({"x", DType::kFloat32, {n}, {kind, 0, 1, {}}}, kKey, to).ok();
  };
  const auto moved = static_cast<double>(bytes);
  report("draw uniform float32", moved, [&] { return draw(Kind::kUniform, a.get()); });
  report("draw normal float32", moved, [&] { return draw(Kind::kNormal, a.get()); });
  report("poison", moved, [&] { return cuda_->poison(b.get(), bytes).ok(); });
  report("copy", 2 * moved, [&] { return cuda_->copy(b.get(), a.get(), bytes).ok(); });
  report("compare float32, float32", 2 * moved, [&] {
    const auto result = cuda_->compare({a.get(), DType::kFloat32, b.get(), DType::kFloat32,
                                        static_cast<std::uint64_t>(n), 0, 0, 1});
    return result.ok() && result->wrong == 0;
  });
}

}  // namespace
}  // namespace kbench
