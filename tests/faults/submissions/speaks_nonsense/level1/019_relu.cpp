// Its constructor answers the load request with JSON of the wrong types.
#include <unistd.h>

#include <cstdint>
#include <string>

#include "task.h"

namespace {

__attribute__((constructor)) void answer() {
  const std::string text = R"({"type":5,"has_prepare":"yes","state":[],"message":{}})";
  const auto length = static_cast<std::uint32_t>(text.size());
  std::string frame(reinterpret_cast<const char*>(&length), sizeof length);
  frame += text;
  if (write(3, frame.data(), frame.size()) < 0) return;
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
#pragma omp parallel for num_threads(ctx->threads)
  for (long long i = 0; i < kb::x_elements; ++i) out->y[i] = in->x[i] > 0 ? in->x[i] : 0;
  return 0;
}
