// A second thread does half of each call's work. The two wake each other by a futex of their own.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "task.h"

namespace {

class Helper {
 public:
  Helper() : thread_([this] { serve(); }) {}

  void start(const float* x, float* y) {
    x_ = x;
    y_ = y;
    set(asked_, asked_ + 1);
  }
  void join() { await(answered_, asked_); }

 private:
  [[noreturn]] void serve() {
    for (std::uint32_t call = 1; true; ++call) {
      await(asked_, call);
      for (long long i = kb::x_elements / 2; i < kb::x_elements; ++i) y_[i] = x_[i] < 0 ? 0 : x_[i];
      set(answered_, call);
    }
  }

  static void set(std::atomic<std::uint32_t>& word, std::uint32_t value) {
    word.store(value);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
  static void await(std::atomic<std::uint32_t>& word, std::uint32_t value) {
    for (std::uint32_t now = word.load(); now != value; now = word.load())
      syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, now, nullptr, nullptr, 0);
  }

  std::atomic<std::uint32_t> asked_{0};
  std::atomic<std::uint32_t> answered_{0};
  const float* x_ = nullptr;
  float* y_ = nullptr;
  std::thread thread_;
};

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  (void)ctx;
  static Helper& helper = *new Helper;  // outlives every call
  helper.start(in->x, out->y);
  for (long long i = 0; i < kb::x_elements / 2; ++i) out->y[i] = in->x[i] < 0 ? 0 : in->x[i];
  helper.join();
  return 0;
}
