#include "recurrence.hpp"

#include <algorithm>

#include "microkernel.hpp"
#include "sgemm.hpp"
#include "vector_math.hpp"

namespace {

using example::kLanes;
using example::Vec;

static_assert(kHidden % kLanes == 0);

// State of the kLanes units from `unit` on, from the recurrent sums of their three gates.
Vec next_state(const Vec (&sums)[3], const float* gates, const float* bias, long unit, Vec state) {
  const auto gate = [&](const float* values, long g) {
    return example::load(values + g * kHidden + unit);
  };
  const Vec reset = example::sigmoid(gate(gates, 0) + (sums[0] + gate(bias, 0)));
  const Vec update = example::sigmoid(gate(gates, 1) + (sums[1] + gate(bias, 1)));
  const Vec fresh = example::tanh(gate(gates, 2) + reset * (sums[2] + gate(bias, 2)));
  return fresh + update * (state - fresh);
}

// All steps of kCount sequences, from sequence `first` on.
template <std::size_t kCount>
void run_sequences(const Recurrence& r, long first) {
  const float* previous = r.initial + first * kHidden;
  for (long step = 0; step < kSteps; ++step) {
    float* states = r.states + (step * kBatch + first) * kHidden;
    const float* gates = r.gates + (step * kBatch + first) * kGates;
    const float* weights = r.weights;
    for (long unit = 0; unit < kHidden; unit += kLanes) {
      Vec sums[kCount][3] = {};
      for (long k = 0; k < kHidden; ++k, weights += 3 * kLanes) {
        example::multiply_step(previous + k, kHidden, weights, sums);
      }
      for (std::size_t i = 0; i < kCount; ++i) {
        const Vec state = example::load(previous + i * kHidden + unit);
        example::store(states + i * kHidden + unit,
                       next_state(sums[i], gates + i * kGates, r.bias, unit, state));
      }
    }
    previous = states;
  }
}

void run_sequences(const Recurrence& r, long first, long count) {
  for (; count >= 8; first += 8, count -= 8) run_sequences<8>(r, first);
  switch (count) {
    case 1: return run_sequences<1>(r, first);
    case 2: return run_sequences<2>(r, first);
    case 3: return run_sequences<3>(r, first);
    case 4: return run_sequences<4>(r, first);
    case 5: return run_sequences<5>(r, first);
    case 6: return run_sequences<6>(r, first);
    case 7: return run_sequences<7>(r, first);
    default: return;
  }
}

}  // namespace

void pack_recurrent(const float* weight, float* packed) {
  for (long unit = 0; unit < kHidden; unit += kLanes) {
    for (long k = 0; k < kHidden; ++k) {
      for (long gate = 0; gate < 3; ++gate) {
        for (long i = 0; i < kLanes; ++i) {
          *packed++ = weight[(gate * kHidden + unit + i) * kHidden + k];
        }
      }
    }
  }
}

void run_recurrence(const Recurrence& recurrence, int threads) {
  const int parts = static_cast<int>(std::min<long>(threads, kBatch));
#pragma omp parallel for num_threads(parts) schedule(static)
  for (int part = 0; part < parts; ++part) {
    const example::Range share = example::share(kBatch, 1, part, parts);
    run_sequences(recurrence, share.begin, share.end - share.begin);
  }
}
