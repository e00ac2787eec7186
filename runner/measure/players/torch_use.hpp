// Which operators of torch a Python submission was seen to call, and which of them compute. Seen by
// two hooks inside its own process (runner/player/operator_watch.hpp): an observation that labels a
// row, never a proof that torch was not used.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "runner/core/json.hpp"

namespace kbench {

struct TorchUse {
  std::map<std::string, std::int64_t> operators;  // calls by name; plain views are left out
  // Time of all timed calls of an operator: on CUDA the device's time.
  std::map<std::string, std::int64_t> ns = {};
  std::int64_t all_ns = 0;  // time of the model in that call; 0: unknown
  bool hooks_stand = true;  // a probe was seen by both hooks afterwards
};

// Reads a worker's report, which may be anything: names are cleaned, and only so many are kept.
[[nodiscard]] TorchUse read_torch_use(const Json& said);

// Moves, makes or describes data and computes nothing: views, allocation, copies, casts, reshapes,
// random numbers.
[[nodiscard]] bool is_data_operator(std::string_view name);

// Share of the model's time in that call that operators which compute nothing took; 0 if unknown.
[[nodiscard]] double share_of_data_operators(const TorchUse& use);

// "aten::linear 1 (92 %), aten::relu 2 (7 %)": those that compute, with their share of the model's
// time where it is known; those that take longest first, then the most frequent ones, then by name.
// Empty without any.
[[nodiscard]] std::string computing_operators(const TorchUse& use);

// The use of torch that is allowed to a submission ranked with the others.
enum class AllowTorch {
  kData,  // operators that compute nothing; a row with others is ranked apart
  kAll,   // everything, as in KernelBench
  kNone,  // a submission that calls an operator that computes is rejected
};
[[nodiscard]] std::string_view to_string(AllowTorch policy);
[[nodiscard]] std::optional<AllowTorch> allow_torch_from_string(std::string_view text);

}  // namespace kbench
