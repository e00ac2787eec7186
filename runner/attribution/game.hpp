// Values of all coalitions of n players, and the Möbius transform: v(S) = Σ_{T⊆S} m_T. Components
// of feedback are the players, the mean outcome under a coalition is its value. Pure.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kbench {

// Bit i set: player i is in it.
using Coalition = std::uint32_t;

// Most players: beyond, 2^n values are no longer to be had.
inline constexpr int kMostPlayers = 16;

[[nodiscard]] inline int size_of(Coalition coalition) { return std::popcount(coalition); }

// Indexed by coalition: 2^n numbers, n from 0 to kMostPlayers.
using CoalitionValues = std::vector<double>;

// Number of players of 2^n values.
[[nodiscard]] inline int players_of(const CoalitionValues& values) {
  return static_cast<int>(std::bit_width(values.size())) - 1;
}

// m_T = Σ_{U⊆T} (−1)^{|T|−|U|} v(U).
[[nodiscard]] CoalitionValues moebius(CoalitionValues values);

// The values whose transform it is.
[[nodiscard]] CoalitionValues values_of_moebius(CoalitionValues transform);

}  // namespace kbench
