// The largest error of eager in 16 bits that makes a yardstick, as a part of an element or of the
// output's root mean square, whichever is larger (EagerError::scaled_error). Up to here no element
// may be off by more than a quarter (AcceptanceRule), and beyond by twice such a part. One rounding
// to bfloat16 is 1/256.
#pragma once

namespace kbench {

inline constexpr double kLargestEagerErrorInHalf = 1.0 / 8;

}  // namespace kbench
