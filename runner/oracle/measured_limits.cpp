#include "runner/oracle/measured_limits.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <c10/core/InferenceMode.h>

#include "runner/oracle/fma_peak.hpp"
#include "runner/oracle/tensors.hpp"

namespace kbench {
namespace {

constexpr int kRounds = 12;
constexpr int kWarmups = 2;  // page faults, libraries, clocks

struct Class {
  const char* name;
  at::ScalarType type;
  bool tf32;
};
constexpr std::array kCudaClasses{Class{"fp32", at::kFloat, false}, Class{"tf32", at::kFloat, true},
                                  Class{"fp16", at::kHalf, false},
                                  Class{"bf16", at::kBFloat16, false},
                                  Class{"fp64", at::kDouble, false}};
constexpr std::array kCpuClasses{Class{"fp32", at::kFloat, false},
                                 Class{"bf16", at::kBFloat16, false},
                                 Class{"fp64", at::kDouble, false}};

// The fastest round is what the device can do; the others say how steadily.
MeasuredLimit of_rounds(std::vector<double> seconds, double work) {
  std::sort(seconds.begin(), seconds.end());
  const double best = work / seconds.front();
  const double middle = work / seconds[seconds.size() / 2];
  return {best, (best - middle) / best};
}

class Measuring {
 public:
  Measuring(Backend& backend, at::Device device) : backend_(backend), device_(device) {}

  Result<DeviceLimits> run() {
    DeviceLimits limits;
    for (const auto step : {&Measuring::bandwidth, &Measuring::products, &Measuring::small_work})
      if (auto done = (this->*step)(limits); !done) return done.error();
    return limits;
  }

 private:
  [[nodiscard]] bool on_cuda() const { return device_.is_cuda(); }

  Status bandwidth(DeviceLimits& limits) {
    const std::int64_t elements = std::int64_t{1} << (on_cuda() ? 28 : 26);  // floats
    const auto options = at::TensorOptions().dtype(at::kFloat).device(device_);
    const at::Tensor from = at::ones({elements}, options);
    const at::Tensor to = at::ones({elements}, options);
    at::Tensor sum;
    const double bytes = 4.0 * static_cast<double>(elements);
    Status done = time(limits.copy, 2 * bytes, [&] { to.copy_(from); });
    if (done) done = time(limits.read, bytes, [&] { sum = from.sum(); });
    if (done) done = time(limits.write, bytes, [&] { to.fill_(2); });
    return done;
  }

  Status products(DeviceLimits& limits) {
    if (!on_cuda()) {
      for (const Class& one : kCpuClasses)
        if (Status done = product(limits, one, one.type == at::kFloat ? 2048 : 1024); !done)
          return done;
      return Done{};
    }
    auto& context = at::globalContext();
    const bool before = context.allowTF32CuBLAS();
    Status done = Done{};
    for (const Class& one : kCudaClasses) {
      context.setAllowTF32CuBLAS(one.tf32);
      if (done) done = product(limits, one, 8192);
    }
    context.setAllowTF32CuBLAS(before);
    return done;
  }

  Status product(DeviceLimits& limits, const Class& one, std::int64_t n) {
    const at::Tensor a = at::ones({n, n}, at::TensorOptions().dtype(one.type).device(device_));
    at::Tensor result;
    const auto extent = static_cast<double>(n);
    return time(limits.products[one.name], 2 * extent * extent * extent,
                [&] { result = at::matmul(a, a); });
  }

  Status small_work(DeviceLimits& limits) {
    if (on_cuda()) return launches(limits);
    for (const FmaLoop& loop : fma_loops()) {
      constexpr std::int64_t kRepeats = 4'000'000;
      const int threads = at::get_num_threads();
      const double operations = loop.operations(kRepeats) * threads;
      if (Status done =
              time(limits.vectors[loop.width], operations, [&] { loop.run(threads, kRepeats); });
          !done)
        return done;
    }
    return Done{};
  }

  Status launches(DeviceLimits& limits) {
    constexpr int kLaunches = 2000;
    const at::Tensor one = at::ones({1}, at::TensorOptions().dtype(at::kFloat).device(device_));
    MeasuredLimit rate;
    const Status done = time(rate, kLaunches, [&] {
      for (int i = 0; i < kLaunches; ++i) one.fill_(1);
    });
    if (rate.value > 0) limits.launch_ns = {1e9 / rate.value, rate.spread};
    return done;
  }

  Status time(MeasuredLimit& limit, double work, const std::function<void()>& once) {
    std::vector<double> seconds;
    for (int i = 0; i < kWarmups + kRounds; ++i) {
      if (auto started = backend_.start_timer(); !started) return started.error();
      once();
      auto nanoseconds = backend_.stop_timer();
      if (!nanoseconds) return nanoseconds.error();
      if (i >= kWarmups)
        seconds.push_back(static_cast<double>(std::max<std::int64_t>(*nanoseconds, 1)) * 1e-9);
    }
    limit = of_rounds(std::move(seconds), work);
    return Done{};
  }

  Backend& backend_;
  at::Device device_;
};

}  // namespace

Result<DeviceLimits> measure_limits(Backend& backend, const std::string& torch_device) {
  return guarded("measuring the device's limits", [&]() -> Result<DeviceLimits> {
    const c10::InferenceMode guard;
    const at::Device device(torch_device);
    return Measuring(backend, device).run();
  });
}

}  // namespace kbench
