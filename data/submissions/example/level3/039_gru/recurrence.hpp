// The sequential part of a GRU layer: from the inputs' share of all gates to the states of all
// steps. Called by gru.cpp, once for each layer. Sequences of the batch do not depend on each
// other, so each thread takes some of them through all steps, and nobody ever waits.
#pragma once

#include "task.h"

inline constexpr long kSteps = kb::x_dims[0];
inline constexpr long kBatch = kb::x_dims[1];
inline constexpr long kHidden = kb::h0_dims[2];
inline constexpr long kGates = 3 * kHidden;  // reset, update, new

struct Recurrence {
  const float* weights;  // packed
  const float* bias;
  const float* gates;    // [kSteps, kBatch, kGates]
  const float* initial;  // [kBatch, kHidden]
  float* states;         // [kSteps, kBatch, kHidden]
};

// Packs recurrent weights [kGates, kHidden] so that one register tile holds the three gates of the
// same units: [block of units][k][gate][lane], kHidden * kGates floats.
void pack_recurrent(const float* weight, float* packed);

// Reads gates, bias and initial states; writes all states.
void run_recurrence(const Recurrence& recurrence, int threads);
