#include "runner/cli/interrupt.hpp"

#include <signal.h>

namespace kbench {
namespace {

// A signal handler can reach nothing but a variable like this.
volatile sig_atomic_t interrupted_flag = 0;

void on_interrupt(int number) {
  interrupted_flag = 1;
  ::signal(number, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted_flag = 0;
  ::signal(SIGINT, on_interrupt);
  ::signal(SIGTERM, on_interrupt);
}

InterruptGuard::~InterruptGuard() {
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::interrupted() const { return interrupted_flag != 0; }

}  // namespace kbench
