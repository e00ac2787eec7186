// One open database for several threads: each use of it is alone.
#pragma once

#include <mutex>
#include <utility>

#include "runner/store/store.hpp"

namespace kbench {

class SharedStore {
 public:
  explicit SharedStore(Store store) : store_(std::move(store)) {}
  template <class Act>
  auto with(Act&& act) {
    const std::scoped_lock lock(mutex_);
    return act(store_);
  }

 private:
  std::mutex mutex_;
  Store store_;
};

}  // namespace kbench
