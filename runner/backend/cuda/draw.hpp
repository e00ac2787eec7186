// Fills device memory with the values of a tensor, on the default stream.
#pragma once

#include "runner/backend/draw_plan.hpp"

namespace kbench::cuda {

// `blocks`: thread blocks to start at most. Errors: kInfrastructure.
[[nodiscard]] Status draw(const DrawPlan& plan, unsigned blocks, void* destination);

}  // namespace kbench::cuda
