// A thread that sleeps between calls, on a semaphore, and does the work when it is posted.
#include <semaphore.h>

#include <thread>

#include "task.h"

namespace {

struct Helper {
  sem_t asked;
  sem_t done;
  const float* x = nullptr;
  float* y = nullptr;
  Helper() {
    sem_init(&asked, 0, 0);
    sem_init(&done, 0, 0);
    std::thread([this] {
      while (true) {
        while (sem_wait(&asked) != 0) {
        }
        for (long long i = 0; i < kb::x_elements / 2; ++i) y[i] = x[i] < 0 ? 0 : x[i];
        sem_post(&done);
      }
    }).detach();
  }
};

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  static Helper* const helper = new Helper;
  helper->x = in->x;
  helper->y = out->y;
  sem_post(&helper->asked);
  for (long long i = kb::x_elements / 2; i < kb::x_elements; ++i)
    out->y[i] = in->x[i] < 0 ? 0 : in->x[i];
  while (sem_wait(&helper->done) != 0) {
  }
  return 0;
}
