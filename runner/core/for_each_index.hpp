// The same work for each of many things, by several threads: for what takes a core's time, such as
// compiling submissions or reading task files. The work must not throw.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace kbench {

// Calls work(0) ... work(count - 1), each once, by at most `threads` threads, and waits for all.
template <class Work>
void for_each_index(std::size_t count, int threads, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto take_turns = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  const std::size_t wanted = std::min(count, static_cast<std::size_t>(std::max(threads, 1)));
  std::vector<std::jthread> started;
  for (std::size_t i = 0; i < wanted; ++i) started.emplace_back(take_turns);
}

}  // namespace kbench
