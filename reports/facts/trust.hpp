// Rows that an operator trusts although they cannot be checked. None by default.
#pragma once

namespace kbench {

struct Trust {
  // --trust-estimates: speed-ups of a device that was not calibrated count as if they had a
  // verdict; each such row says so.
  bool estimates = false;
  // --trust-unchecked: rows count whose chain has a key that is not here, such as those of another
  // machine, or that have no chain.
  bool unchecked = false;
};

}  // namespace kbench
