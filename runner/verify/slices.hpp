// Parts of an output whose error is judged as one number, in 16 bits, beside that of each element.
// A part has the number of its dimension, or one of these.
#pragma once

#include <cstdint>

namespace kbench {

// All elements with one index in each of the first two dimensions, such as a channel of a sample.
inline constexpr std::int64_t kFirstTwoDimensions = 100;
// All elements of the output. Their error is not a mean but the part of the reference that is in
// it: by so much the output is too large, as a whole, in units of its root mean square.
inline constexpr std::int64_t kWholeOutput = 101;

}  // namespace kbench
