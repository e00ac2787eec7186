// The text of profile_rules.json, compiled in.
#pragma once

#include <string_view>

namespace kbench {

extern const std::string_view kProfileRuleList;

}  // namespace kbench
