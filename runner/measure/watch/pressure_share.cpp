#include "runner/measure/watch/pressure_share.hpp"

#include <algorithm>

namespace kbench {

PressureShare::PressureShare(const Surroundings& surroundings)
    : surroundings_(surroundings),
      begun_ns_(surroundings.now_ns()),
      before_(surroundings.pressure()) {}

double PressureShare::until_now() const {
  const auto time = static_cast<double>(surroundings_.now_ns() - begun_ns_);
  if (!(time > 0)) return 0;
  const auto waited = static_cast<double>(surroundings_.pressure().cpu_ns - before_.cpu_ns);
  return std::clamp(waited / time, 0.0, 1.0);
}

}  // namespace kbench
