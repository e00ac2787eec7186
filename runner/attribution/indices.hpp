// Indices of players and of groups of players, from the Möbius transform (game.hpp). Sources:
// Grabisch & Roubens, An axiomatic approach to the concept of interaction among players, 1999;
// Sundararajan, Dhamdhere & Agarwal, The Shapley Taylor interaction index, 2020.
#pragma once

#include <string_view>

#include "runner/attribution/game.hpp"

namespace kbench {

enum class Index {
  kBanzhaf,        // one player: its value; several: their interaction
  kShapley,        // the same
  kShapleyTaylor,  // the top order is the group's size
  kSigma,          // m_T: what CUDAnalyst's paper calls σ
  kAddOne,         // v(T) − v(∅)
  kLeaveOneOut,    // v(N) − v(N∖T)
};

// "banzhaf", "shapley", ...
[[nodiscard]] std::string_view to_string(Index index);

// `group` is not empty, and within the players of `transform`.
[[nodiscard]] double index_of(Index index, const CoalitionValues& transform, Coalition group);

// m_ij − m_ijk/3 of three players: what CUDAnalyst's released code computes for σ_ij. It is no
// interaction index, and lies within ±10/3 for outcomes from 0 to 1. `pair` has two players,
// `transform` three.
[[nodiscard]] double released_sigma(const CoalitionValues& transform, Coalition pair);

// The largest |I_T| for outcomes from 0 to 1: 2^{|T|−1}. Only of kBanzhaf, kAddOne and kLeaveOneOut
// of one player.
[[nodiscard]] double largest_interaction(Coalition group);

}  // namespace kbench
