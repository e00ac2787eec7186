// The findings of a night, above all else on its page: suspicions that were confirmed, cleared or
// left open, each with its sentence and a link to its task. Names and sentences are foreign text.
#pragma once

#include <string>

#include "reports/facts/model.hpp"

namespace kbench {

// Empty where no night is being reported.
[[nodiscard]] std::string night_html(const ReportData& data);

}  // namespace kbench
