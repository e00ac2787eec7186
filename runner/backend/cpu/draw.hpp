// Fills host memory with the values of a tensor, on all threads.
#pragma once

#include <cstddef>

#include "runner/backend/draw_plan.hpp"

namespace kbench::cpu {

void draw(const DrawPlan& plan, int threads, std::byte* destination);

}  // namespace kbench::cpu
