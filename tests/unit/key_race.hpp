// Processes that claim the same keys at the same moment.
#pragma once

#include <pthread.h>
#include <sys/mman.h>

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runner/core/sha256.hpp"
#include "runner/exchange/key_links.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench::test {

inline std::string run_number(int number) { return fmt::format("{:032x}", number); }

// Memory that the processes share: who each of them says has won a round.
class RaceBoard {
 public:
  RaceBoard(int processes, int rounds)
      : processes_(processes),
        bytes_(sizeof(pthread_barrier_t) + sizeof(int) * static_cast<std::size_t>(processes) *
                                               static_cast<std::size_t>(rounds)),
        memory_(
            ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    pthread_barrierattr_t shared;
    ::pthread_barrierattr_init(&shared);
    ::pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    ::pthread_barrier_init(barrier(), &shared, static_cast<unsigned>(processes));
  }
  RaceBoard(const RaceBoard&) = delete;
  RaceBoard& operator=(const RaceBoard&) = delete;
  ~RaceBoard() { ::munmap(memory_, bytes_); }

  void wait_for_all() { ::pthread_barrier_wait(barrier()); }
  int& winner(int process, int round) {
    return reinterpret_cast<int*>(barrier() + 1)[round * processes_ + process];
  }

 private:
  pthread_barrier_t* barrier() { return static_cast<pthread_barrier_t*>(memory_); }

  int processes_;
  std::size_t bytes_;
  void* memory_;
};

// Each process claims the key of each round for its own run. All must name one winner, which is the
// one that the key names afterwards.
inline void expect_one_winner(const std::filesystem::path& folder, int processes, int rounds) {
  const KeyLinks keys(folder, "group", pool_key_of(std::string(32, 'p')));
  RaceBoard board(processes, rounds);
  const auto key_of = [](int round) { return sha256(std::to_string(round)); };
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    children.push_back(start_child([&] {
      for (int round = 0; round < rounds; ++round) {
        board.wait_for_all();
        const auto winner = keys.claim(key_of(round), run_number(process));
        board.winner(process, round) = winner ? std::stoi(*winner, nullptr, 16) : -1;
      }
      return 0;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  std::set<int> runs;
  for (int round = 0; round < rounds; ++round) {
    const int first = board.winner(0, round);
    ASSERT_GE(first, 0) << round;
    for (int process = 1; process < processes; ++process)
      ASSERT_EQ(board.winner(process, round), first) << "round " << round << ", " << process;
    ASSERT_EQ(keys.find(key_of(round)), run_number(first)) << round;
    runs.insert(first);
  }
  std::size_t left = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    left += entry.is_regular_file() ? 1U : 0U;
  EXPECT_EQ(left, static_cast<std::size_t>(rounds)) << "a key each, and no draft";
}

}  // namespace kbench::test
