// `kbench selftest timing`: measures submissions whose differences are known, by the very run that
// measures everybody's, several times; prints bias and spread of what the clock showed and whether
// intervals hold; and keeps what equal runs of this device differ by as its calibration.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

// Exit status 0 when every check passed, else 3: the machine is too restless to measure on, or the
// clock is wrong. A calibration is kept in both cases.
int selftest_timing_command(const TimingSelftestRequest& request, const Installation& installation);

// The same without a word on standard output: for a command that needs a calibration and finds
// none. Errors: those of its runs; a clock that fails a check is none.
[[nodiscard]] Status calibrate(const TimingSelftestRequest& request,
                               const Installation& installation);

}  // namespace kbench
