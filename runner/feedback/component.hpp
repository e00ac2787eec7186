// Components of feedback: their names, and the kernels that each can say something about. "error"
// and "profiler" read the kernel's stored row (row_report.hpp), "debugger" and "analyzer" the
// kernel itself (debugger.hpp, analyzer.hpp); any other is a command that gets the state as JSON
// (command_report.hpp). Pure.
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

// A name of those that are built in, or "NAME=COMMAND" with a name of letters, digits, '_' and '-'.
// Errors: kUsage, none of these.
[[nodiscard]] Result<Component> find_component(const std::string& word);

// "error,debugger", of those that are built in; "none" is the empty list. Errors: kUsage.
[[nodiscard]] Result<std::vector<Component>> built_in_components(std::string_view list);

// Whether the stored row is enough for it.
[[nodiscard]] bool reads_row(const Component& component);
// Whether that row must have been timed.
[[nodiscard]] bool reads_times(const Component& component);
// Whether it takes the kernel's sources, and compilers or tools.
[[nodiscard]] bool reads_kernel(const Component& component);

// Whether it has something to say of kernels of that stratum (trajectory/frozen_state.hpp): A(z).
[[nodiscard]] bool answers_in(const Component& component, std::string_view stratum);

}  // namespace kbench
