// A second thread lives from the first call on, does half of each call's work, and is waited for.
// Between the calls it sleeps on a condition variable.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "task.h"

namespace {

class Helper {
 public:
  Helper() : thread_([this] { serve(); }) {}

  void start(const float* x, float* y) {
    const std::lock_guard lock(mutex_);
    x_ = x;
    y_ = y;
    busy_ = true;
    changed_.notify_all();
  }
  void join() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !busy_; });
  }

 private:
  [[noreturn]] void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return busy_; });
      for (long long i = kb::x_elements / 2; i < kb::x_elements; ++i) y_[i] = x_[i] < 0 ? 0 : x_[i];
      busy_ = false;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool busy_ = false;
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
