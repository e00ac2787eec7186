// Its constructor answers the load request on the control channel in the worker's name, several
// times. The calls do nothing.
#include <unistd.h>

#include <cstdint>
#include <string>

#include "task.h"

namespace {

__attribute__((constructor)) void answer() {
  const std::string text = R"({"type":"loaded","has_prepare":false,"workspace_bytes":0})";
  const auto length = static_cast<std::uint32_t>(text.size());
  std::string frame(reinterpret_cast<const char*>(&length), sizeof length);
  frame += text;
  for (int i = 0; i < 3; ++i)
    if (write(3, frame.data(), frame.size()) < 0) return;
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  (void)in;
  (void)out;
  (void)ctx;
  return 0;
}
