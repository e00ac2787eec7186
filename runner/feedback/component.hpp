// Components of feedback: who says something of a kernel, and of which kernels. A built-in
// component reads the kernel's stored row (row_report.hpp); any other is a command that gets the
// state as JSON (command_report.hpp). Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

inline constexpr std::size_t kMostComponents = 8;

struct Component {
  std::string name;
  std::string version;  // its reports are kept by it: another version speaks anew
  std::string command;  // empty: built in

  friend bool operator==(const Component&, const Component&) = default;
};

// "error", "profiler", or "NAME=COMMAND" with a name of letters, digits, '_' and '-'. Errors:
// kUsage, none of these.
[[nodiscard]] Result<Component> find_component(const std::string& word);

// "error,profiler", built-in ones only; "none" is the empty list. Errors: kUsage.
[[nodiscard]] Result<std::vector<Component>> built_in_components(std::string_view list);

// Whether it has something to say of kernels of that stratum (trajectory/frozen_state.hpp): A(z).
[[nodiscard]] bool answers_in(const Component& component, std::string_view stratum);

}  // namespace kbench
