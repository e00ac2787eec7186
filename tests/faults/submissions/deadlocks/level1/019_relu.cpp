// Waits for itself.
#include <mutex>

#include "task.h"

namespace {

std::mutex mutex;

}  // namespace

extern "C" int kbench_forward(const kb_inputs*, const kb_params*, const kb_outputs*, kb_context*) {
  mutex.lock();
  mutex.lock();
  return 0;
}
