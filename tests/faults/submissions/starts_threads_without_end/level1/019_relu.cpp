// A thread bomb.
#include <pthread.h>
#include <unistd.h>

#include "task.h"

namespace {

void* sleep_for_ever(void*) {
  while (true) pause();
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs*, const kb_params*, const kb_outputs*, kb_context*) {
  for (int i = 0; i < 1000000; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, sleep_for_ever, nullptr) != 0) return 5;
  }
  return 1;
}
