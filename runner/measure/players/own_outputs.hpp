// The outputs of a Python worker on a CPU: they stay where its own memory has them, and are read
// from there once it stands still. So no side's time holds a copy of them, and nothing of the
// worker runs while they are read. The worker says where they lie; placed_output.hpp bounds what it
// may say.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/measure/players/arenas.hpp"
#include "runner/measure/players/output_looks.hpp"
#include "runner/measure/players/placed_output.hpp"
#include "runner/measure/watch/foreign_memory.hpp"
#include "runner/measure/watch/libraries.hpp"
#include "runner/oracle/protocol.hpp"
#include "runner/worker/output_place.hpp"

namespace kbench {

using ToldPlaces = std::array<OutputPlace, kMaxPlaces>;

// The places of the task's outputs, by the worker's word and held against the rules; nothing for an
// output in the arena. Errors: kSubmission, also where two of them overlap.
[[nodiscard]] Result<std::vector<std::optional<PlacedOutput>>> held_against(const ToldPlaces& told,
                                                                            const TaskSize& size);

class OwnOutputs {
 public:
  // Outputs of a worker that maps these arenas. Errors: kInfrastructure.
  static Result<OwnOutputs> of(const SeatArenas& arenas, const PlaceReply& geometry,
                               const TaskSize& size);
  OwnOutputs(OwnOutputs&& other) noexcept;
  OwnOutputs& operator=(OwnOutputs&&) = delete;
  OwnOutputs(const OwnOutputs&) = delete;
  OwnOutputs& operator=(const OwnOutputs&) = delete;
  ~OwnOutputs();

  // Takes, as soon as a call is done, the told places and the current values of some bytes there.
  void note(const ToldPlaces& told, const ForeignMemory& memory);
  // Whether these bytes hold other values now that the worker stands still.
  [[nodiscard]] bool changed(const ForeignMemory& memory) const;
  // Reads all outputs into their arena, from `output_base` on, except those that the player was
  // told to copy there. Errors: kSubmission for a place that cannot be; kInfrastructure.
  Result<OutputPlaces> take(pid_t process, const ForeignMemory& memory, std::uint64_t output_base,
                            bool may_be_copied);
  // True if an output, by the worker's notes, was copied to the arena within the call.
  [[nodiscard]] bool copied() const;

 private:
  OwnOutputs(std::byte* arena, std::uint64_t bytes, const TaskSize& size)
      : arena_(arena), arena_bytes_(bytes), size_(size), looks_(size.outputs) {}
  // Checks that no output lies in memory of the oracle's in which eager's does not lie, or has a
  // page twice.
  [[nodiscard]] Status check_sharing(pid_t process) const;
  Status read(const ForeignMemory& memory, std::size_t output, std::byte* to);

  std::byte* arena_;
  std::uint64_t arena_bytes_;
  const TaskSize& size_;
  OutputLooks looks_;
  std::vector<FileIdentity> arena_files_;  // files of inputs, parameters, outputs
  Result<std::vector<std::optional<PlacedOutput>>> places_ =
      std::vector<std::optional<PlacedOutput>>();
  std::vector<MemoryPiece> looked_at_;
  std::vector<std::byte> seen_;
  std::vector<std::byte> scattered_;  // an output with gaps, as it lies
};

}  // namespace kbench
