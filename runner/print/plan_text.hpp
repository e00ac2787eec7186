// The rows of a run to come, and the settings of a command line, before anything is started: as
// text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "reports/formats/text_table.hpp"
#include "reports/write/outputs.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/options/settings.hpp"
#include "runner/run/foreseen_run.hpp"
#include "runner/run/unit_order.hpp"

namespace kbench {

// The rows that a plan would bring, and the files that its folder of submissions has besides.
[[nodiscard]] std::string foreseen_text(const Plan& plan, const std::vector<ForeseenRow>& rows,
                                        const TableStyle& style);

// Whether these outputs ask for the plan as JSON. Files are a matter of the run. Errors: kUsage, a
// format that shows rows only.
[[nodiscard]] Result<bool> plan_as_json(const std::vector<OutputRequest>& outputs);

// "dry run: 2 of 3 rows would be measured (about 4 min 00 s); ...".
[[nodiscard]] std::string foreseen_words(const std::vector<ForeseenRow>& rows,
                                         UnitOrder order = UnitOrder::kTask);

// The values of a command's options, and where each comes from.
[[nodiscard]] std::string settings_text(const std::vector<EffectiveSetting>& settings,
                                        const TableStyle& style);
// [{option, values[], origin, default}].
[[nodiscard]] Json settings_json(const std::vector<EffectiveSetting>& settings);

}  // namespace kbench
