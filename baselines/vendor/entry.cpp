// kbench-vendor.so: a library that a worker plays like any submission's, and that calls cuBLASLt or
// cuDNN. What it is to call, and where these lie, stands in the environment of its process
// (vendor_words.hpp). The first call chooses the algorithm and prints it; what goes wrong is
// printed as well, and the call returns non-zero.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>

#include "baselines/vendor/vendor_call.hpp"
#include "runner/abi/kbench.h"
#include "runner/core/vendor_words.hpp"

namespace kbench::vendor {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) throw Failed(std::string("the environment has no ") + name);
  return value;
}

std::unique_ptr<VendorCall> make_call(const Driver& driver, const VendorPlan& plan,
                                      const CallTensors& first) {
  if (std::holds_alternative<VendorProduct>(plan.call))
    return make_product_call(driver, variable(kCublasLtVariable), plan, first);
  const std::string cudnn = variable(kCudnnVariable);
  if (std::holds_alternative<VendorOperator>(plan.call))
    return make_operator_call(driver, cudnn, plan);
  return make_convolution_call(driver, cudnn, plan, first);
}

struct Player {
  VendorPlan plan;
  Driver driver;
  std::unique_ptr<VendorCall> call;

  explicit Player(CUstream stream, const CallTensors& first)
      : plan(parse_vendor_plan(Json::parse(variable(kPlanVariable)))), driver(stream) {
    call = make_call(driver, plan, first);
    std::printf("%s%s %s\n", kAlgorithmWord, std::string(library_of(plan)).c_str(),
                call->algorithm().c_str());
    std::fflush(stdout);
  }
};

int forward(const CallTensors& tensors, CUstream stream) {
  // The worker has no object of ours to keep it in, and its stream stays the same.
  static std::unique_ptr<Player> player;
  try {
    if (!player) player = std::make_unique<Player>(stream, tensors);
    player->call->run(tensors);
    return 0;
  } catch (const std::exception& failure) {
    std::printf("%s%s\n", kFailureWord, failure.what());
    std::fflush(stdout);
    return 1;
  }
}

}  // namespace
}  // namespace kbench::vendor

// The engines that cuDNN has for a plan on a device that is described in JSON, printed: a line for
// each, or the failure. For tests, which have no such device; `prepared`: as plan_engines has it.
extern "C" __attribute__((visibility("default"))) int kbench_vendor_engines(const char* cudnn,
                                                                            const char* plan,
                                                                            const char* device,
                                                                            int prepared) {
  using namespace kbench;
  int engines = 0;
  try {
    for (const vendor::PlannedEngine& engine :
         vendor::plan_engines(cudnn, parse_vendor_plan(Json::parse(plan)), device,
                              static_cast<std::size_t>(prepared))) {
      std::printf("engine %ld %s\n", static_cast<long>(engine.number), engine.failure.c_str());
      ++engines;
    }
  } catch (const std::exception& failure) {
    std::printf("%s%s\n", kFailureWord, failure.what());
  }
  std::fflush(stdout);
  return engines;
}

extern "C" __attribute__((visibility("default"))) int kbench_forward(const void* inputs,
                                                                     const void* parameters,
                                                                     const void* outputs,
                                                                     kb_context* context) {
  const auto words = [](const void* tensors) { return static_cast<const std::uint64_t*>(tensors); };
  return kbench::vendor::forward({words(inputs), words(parameters), words(outputs)},
                                 static_cast<CUstream>(context->stream));
}
