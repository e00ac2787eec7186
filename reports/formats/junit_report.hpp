// A run as JUnit's XML, which every CI server reads: one suite, in it one test case for each task
// and submission. A failure of the submission is a <failure>, one of the benchmark or its machine
// an <error>, a submission for another device <skipped>. Well-formed even where a message holds
// invalid bytes.
#pragma once

#include <string>

#include "reports/facts/model.hpp"

namespace kbench {

[[nodiscard]] std::string render_junit(const ReportData& data);

}  // namespace kbench
