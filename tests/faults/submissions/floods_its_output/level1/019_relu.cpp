// Prints terminal escapes, zero bytes and one endless line, and computes what it should.
#include <unistd.h>

#include <string>

#include "task.h"

namespace {

void flood() {
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += "\x1b[2J\x1b]0;title\x07" + std::string(1000, '\0') + "endless";
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
    if (write(fd, text.data(), text.size()) < 0) return;
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  flood();
#pragma omp parallel for num_threads(ctx->threads)
  for (long long i = 0; i < kb::x_elements; ++i) out->y[i] = in->x[i] > 0 ? in->x[i] : 0;
  return 0;
}
