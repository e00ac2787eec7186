#include "runner/backend/cuda/check.hpp"
#include "runner/backend/cuda/gate.hpp"

namespace kbench::cuda {

namespace {

__global__ void set(volatile std::uint32_t* gate, std::uint32_t value) {
  *gate = value;
  __threadfence_system();
}

}  // namespace

Status open_gate(std::uint32_t* gate, std::uint32_t value) {
  return launch("opening a gate", set, 1, 1, static_cast<volatile std::uint32_t*>(gate), value);
}

}  // namespace kbench::cuda
