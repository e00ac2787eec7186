// CPU: whether a submission's outputs changed after it had said that it was done. "Done" is its own
// word, and until all of its threads stand it can go on: some 0.1 ms in each call, outside of the
// clock. What it computes then it has to write then. So some bytes of the outputs, drawn anew for
// each call, are read as soon as done is seen, which takes a few microseconds, and again once it
// stands. Where a hundredth of the outputs is late, every second call shows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/measure/players/output_looks.hpp"
#include "runner/task/task.hpp"

namespace kbench {

class LateWrites {
 public:
  // `arena`: the shared memory of its outputs, of so many bytes, sealed against shrinking. Errors:
  // kInfrastructure, also where it is not.
  static Result<LateWrites> watch(int arena, std::uint64_t bytes,
                                  const std::vector<TensorSpec>& outputs);

  LateWrites(LateWrites&& other) noexcept;
  LateWrites& operator=(LateWrites&&) = delete;
  LateWrites(const LateWrites&) = delete;
  LateWrites& operator=(const LateWrites&) = delete;
  ~LateWrites();

  // Chooses the bytes before a call whose outputs start so many bytes into the arena.
  void choose(std::uint64_t output_base);
  void remember();                   // to be called as soon as the call is done
  [[nodiscard]] bool found() const;  // to be called once the player stands

 private:
  LateWrites(const std::byte* arena, std::uint64_t bytes, const std::vector<TensorSpec>& outputs)
      : arena_(arena), arena_bytes_(bytes), offsets_(pack(outputs).offsets), looks_(outputs) {}
  [[nodiscard]] std::vector<std::byte> read() const;

  const std::byte* arena_;
  std::uint64_t arena_bytes_;
  std::vector<std::uint64_t> offsets_;  // start of each output, from the start of all
  OutputLooks looks_;
  std::vector<std::uint64_t> chosen_;  // offsets into the arena
  std::vector<std::byte> seen_;
};

}  // namespace kbench
