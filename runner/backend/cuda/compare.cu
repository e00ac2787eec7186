#include <algorithm>
#include <limits>
#include <type_traits>

#include "runner/backend/compare_rules.hpp"
#include "runner/backend/cuda/check.hpp"
#include "runner/backend/cuda/compare.hpp"
#include "runner/backend/float16.hpp"

namespace kbench::cuda {

namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint64_t kNone = ~std::uint64_t{0};

// Findings of one thread, of one block, and in the end of the whole tensor. Among equal errors the
// one with the lowest index counts, as on the CPU.
struct Partial {
  std::uint64_t wrong;
  std::uint64_t first_wrong;
  std::uint64_t max_index;
  double max_error;  // negative: no pair of finite values
  double sum_squared_error;
  double sum_squared_reference;
};

__device__ Partial nothing() { return {0, kNone, kNone, -1.0, 0.0, 0.0}; }

__device__ void merge(Partial& into, const Partial& other) {
  into.wrong += other.wrong;
  into.first_wrong = other.first_wrong < into.first_wrong ? other.first_wrong : into.first_wrong;
  if (other.max_error > into.max_error ||
      (other.max_error == into.max_error && other.max_index < into.max_index)) {
    into.max_error = other.max_error;
    into.max_index = other.max_index;
  }
  into.sum_squared_error += other.sum_squared_error;
  into.sum_squared_reference += other.sum_squared_reference;
}

template <class T>
__device__ double widened(T value) {
  return static_cast<double>(value);
}
template <>
__device__ double widened(Half value) {
  return to_float(value);
}
template <>
__device__ double widened(BFloat16 value) {
  return to_float(value);
}

template <class T>
constexpr bool kFloatingType =
    std::is_floating_point_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

template <class Got, class Reference>
__device__ ElementError judge_values(const ErrorBound& bound, Got got, Reference reference) {
  const double g = widened(got);
  const double r = widened(reference);
  if constexpr (kFloatingType<Got>) {
    return judge(bound, g, r);
  } else {
    return {portable::abs(g - r), true, got != reference};
  }
}

// The bound, and the error that it allows whatever the reference is.
struct Rule {
  ErrorBound bound;
  double always_right;
};

Rule rule_of(const CompareRequest& request) {
  const ErrorBound bound{request.absolute_bound, request.ulp_factor, request.rms,
                         request.relative_bound, request.scaled_bound};
  const bool grows = bound.ulp_factor >= 0 && bound.relative >= 0 && bound.scaled >= 0;
  return {bound,
          grows ? std::min(allowed_error(bound, 0), std::numeric_limits<double>::max()) : -1};
}

__device__ void add_finite(Partial& sum, std::uint64_t index, double error, double reference) {
  // A thread meets its elements in rising order: the first of equal errors stays.
  if (error > sum.max_error) {
    sum.max_error = error;
    sum.max_index = index;
  }
  sum.sum_squared_error += error * error;
  sum.sum_squared_reference += reference * reference;
}

// Nearly every element is right by `always_right` already, and both its values are finite. This is
// found out without the rule's dozen operations in float64, for which memory would have to wait.
template <class Got, class Reference>
__device__ void add(Partial& sum, const Rule& rule, std::uint64_t index, Got got,
                    Reference reference) {
  const double r = widened(reference);
  if constexpr (kFloatingType<Got>) {
    const double error = portable::abs(widened(got) - r);
    if (error <= rule.always_right) {
      add_finite(sum, index, error, r);
      return;
    }
  }
  const ElementError element = judge_values(rule.bound, got, reference);
  if (element.wrong) {
    ++sum.wrong;
    sum.first_wrong = index < sum.first_wrong ? index : sum.first_wrong;
  }
  if (element.finite) add_finite(sum, index, element.error, r);
}

// Several neighbouring elements, loaded 16 bytes at a time (8 for the narrower of two types).
template <class T, int kCount>
struct alignas(sizeof(T) * kCount < 16 ? sizeof(T) * kCount : 16) Pack {
  T value[kCount];
};

// All threads of the block call this; thread 0 ends with the sum, in a fixed order.
__device__ void reduce_block(Partial& sum) {
  __shared__ Partial shared[kThreads];
  shared[threadIdx.x] = sum;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) merge(shared[threadIdx.x], shared[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) sum = shared[0];
}

template <class Got, class Reference>
__global__ void __launch_bounds__(kThreads)
    compare_parts(const Got* got, const Reference* reference, std::uint64_t elements, Rule rule,
                  bool aligned, Partial* parts) {
  constexpr int kPack = sizeof(Got) >= 4 ? 4 : 8;
  using Gots = Pack<Got, kPack>;
  using References = Pack<Reference, kPack>;
  Partial sum = nothing();
  const std::uint64_t stride = std::uint64_t{gridDim.x} * kThreads;
  const std::uint64_t start = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::uint64_t packs = aligned ? elements / kPack : 0;
#pragma unroll 2
  for (std::uint64_t i = start; i < packs; i += stride) {
    const Gots g = reinterpret_cast<const Gots*>(got)[i];
    const References r = reinterpret_cast<const References*>(reference)[i];
#pragma unroll
    for (int lane = 0; lane < kPack; ++lane) {
      add(sum, rule, i * kPack + static_cast<std::uint64_t>(lane), g.value[lane], r.value[lane]);
    }
  }
  for (std::uint64_t i = packs * kPack + start; i < elements; i += stride) {
    add(sum, rule, i, got[i], reference[i]);
  }
  reduce_block(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

template <class Got, class Reference>
__global__ void __launch_bounds__(kThreads)
    compare_finish(const Got* got, const Reference* reference, ErrorBound bound,
                   const Partial* parts, unsigned count, CompareResult* result) {
  Partial sum = nothing();
  for (unsigned i = threadIdx.x; i < count; i += kThreads) merge(sum, parts[i]);
  reduce_block(sum);
  if (threadIdx.x != 0) return;
  CompareResult total;
  total.wrong = sum.wrong;
  if (sum.wrong != 0) {
    total.first_wrong = sum.first_wrong;
    total.first_wrong_got = widened(got[sum.first_wrong]);
    total.first_wrong_reference = widened(reference[sum.first_wrong]);
  }
  if (sum.max_index != kNone) {
    total.max_error = sum.max_error;
    if (kFloatingType<Got>) {
      total.tolerance_at_max = allowed_error(bound, widened(reference[sum.max_index]));
    }
  }
  total.sum_squared_error = sum.sum_squared_error;
  total.sum_squared_reference = sum.sum_squared_reference;
  *result = total;
}

struct Job {
  const CompareRequest& request;
  unsigned blocks;
  Partial* parts;
  CompareResult* result;
};

template <class Got, class Reference = Got>
Status start(const Job& job) {
  const auto* got = static_cast<const Got*>(job.request.got);
  const auto* reference = static_cast<const Reference*>(job.request.reference);
  const Rule rule = rule_of(job.request);
  const std::uint64_t elements = job.request.elements;
  const std::uint64_t needed = std::max<std::uint64_t>((elements / 4 + kThreads) / kThreads, 1);
  const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(job.blocks, needed));
  const bool aligned = reinterpret_cast<std::uintptr_t>(got) % 16 == 0 &&
                       reinterpret_cast<std::uintptr_t>(reference) % 16 == 0;
  const Status parts = launch("compare kernel", compare_parts<Got, Reference>, blocks, kThreads,
                              got, reference, elements, rule, aligned, job.parts);
  if (!parts) return parts;
  return launch("compare kernel's last step", compare_finish<Got, Reference>, 1, kThreads, got,
                reference, rule.bound, static_cast<const Partial*>(job.parts), blocks, job.result);
}

template <class Got>
Status start_floating(const Job& job) {
  switch (job.request.reference_dtype) {
    case DType::kFloat64: return start<Got, double>(job);
    case DType::kFloat32: return start<Got, float>(job);
    default: return start<Got>(job);
  }
}

}  // namespace

std::size_t compare_scratch_bytes(unsigned blocks) { return blocks * sizeof(Partial); }

Status compare(const CompareRequest& request, unsigned blocks, void* scratch,
               CompareResult* result) {
  if (const auto kind = classify(request); !kind) return kind.error();
  const Job job{request, blocks, static_cast<Partial*>(scratch), result};
  switch (request.got_dtype) {
    case DType::kFloat64: return start_floating<double>(job);
    case DType::kFloat32: return start_floating<float>(job);
    case DType::kFloat16: return start_floating<Half>(job);
    case DType::kBFloat16: return start_floating<BFloat16>(job);
    case DType::kInt64: return start<std::int64_t>(job);
    case DType::kInt32: return start<std::int32_t>(job);
    case DType::kInt16: return start<std::int16_t>(job);
    case DType::kInt8: return start<std::int8_t>(job);
    case DType::kUInt8:
    case DType::kBool: return start<std::uint8_t>(job);
  }
  return Done{};
}

}  // namespace kbench::cuda
