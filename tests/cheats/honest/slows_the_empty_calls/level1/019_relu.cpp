// Keeps threads of its own, as many as it was given less one, that sleep whenever no kernel runs.
#include <atomic>
#include <thread>

#include "task.h"

namespace {

struct Job {
  const float* x;
  float* y;
  int parts;
};

Job job;
std::atomic<unsigned> started{0};
std::atomic<int> unfinished{0};

void do_part(int part) {
  const long long begin = kb::x_elements * part / job.parts;
  const long long end = kb::x_elements * (part + 1) / job.parts;
  const float* x = job.x;
  float* y = job.y;
#pragma omp simd
  for (long long i = begin; i < end; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

[[noreturn]] void serve(int part) {
  for (unsigned seen = 0;;) {
    started.wait(seen);
    ++seen;
    do_part(part);
    --unfinished;
    unfinished.notify_one();
  }
}

bool start_helpers(int parts) {
  for (int part = 1; part < parts; ++part) std::thread(serve, part).detach();
  return true;
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  static const bool helped = start_helpers(ctx->threads);
  (void)helped;
  job = {in->x, out->y, ctx->threads};
  unfinished = ctx->threads - 1;
  ++started;
  started.notify_all();
  do_part(0);
  for (int left = unfinished; left > 0; left = unfinished) unfinished.wait(left);
  return 0;
}
