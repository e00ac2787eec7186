// Takes memory until there is none. It limits itself, for the sake of the machine that tests this.
#include <sys/resource.h>

#include <cstring>
#include <vector>

#include "task.h"

extern "C" int kbench_forward(const kb_inputs*, const kb_params*, const kb_outputs*, kb_context*) {
  const rlimit limit{512ull << 20, 512ull << 20};
  setrlimit(RLIMIT_AS, &limit);
  std::vector<char*> taken;
  while (true) {
    taken.push_back(new char[16 << 20]);
    std::memset(taken.back(), 1, 16 << 20);
  }
}
