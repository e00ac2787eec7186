#include "runner/measure/oracle/oracle_reply.hpp"

#include <array>

#include "runner/measure/players/arenas.hpp"
#include "runner/measure/players/words_in.hpp"

namespace kbench {
namespace {

constexpr std::size_t kArenas = 3;  // inputs, parameters, outputs

ErrorCode code_in(const Json& error) {
  const std::string name = words_in(error, "code");
  for (const ErrorCode code : {ErrorCode::kDoesNotFit, ErrorCode::kNotFound, ErrorCode::kBadInput})
    if (Json(code) == Json(name)) return code;
  return ErrorCode::kInfrastructure;
}

// Whether `slots` times `stride` bytes are no more than there are.
bool fit(std::uint64_t slots, std::uint64_t stride, std::uint64_t bytes) {
  return stride > 0 && slots <= bytes / stride;
}

}  // namespace

Error not_understood(const std::string& what) {
  return {ErrorCode::kInfrastructure, "the oracle answered \"" + what + "\" with something else",
          "its task file, or what was built of it, may have taken the oracle over"};
}

std::optional<Error> error_in(const Json& body, const std::string& what) {
  if (!body.is_object()) return not_understood(what);
  const auto error = body.find("error");
  if (error == body.end()) return std::nullopt;
  if (!error->is_object()) return not_understood(what);
  return Error{code_in(*error), words_in(*error, "message"), words_in(*error, "hint")};
}

Status check_arenas(const PlaceRequest& request, const PlaceReply& geometry,
                    std::span<const UniqueFd> arenas, bool on_cpu) {
  const std::size_t seats = request.seats_baselines ? 2 : 1;
  const std::size_t heaps = geometry.heap_bytes > 0 ? 1 : 0;
  if (geometry.heap_bytes > 0 && (request.heap_bytes == 0 || on_cpu))
    return unusable_arenas("a heap was not asked for");
  if (arenas.size() != kArenas * seats + heaps || geometry.arena_bytes.size() != kArenas)
    return unusable_arenas("so many were not asked for");
  const auto slots = static_cast<std::uint64_t>(request.slots);
  if (!fit(slots, geometry.input_stride, geometry.arena_bytes[0]) ||
      !fit(slots, geometry.output_stride, geometry.arena_bytes[2]))
    return unusable_arenas("slots do not fit into them");
  if (!on_cpu) return Done{};
  for (std::size_t i = 0; i < arenas.size(); ++i)
    if (auto fine = check_arena(arenas[i], geometry.arena_bytes[i % kArenas]); !fine) return fine;
  return Done{};
}

}  // namespace kbench
