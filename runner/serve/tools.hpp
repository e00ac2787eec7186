// The tools of an agent, as one table: what MCP lists, what OpenAI calls functions, JSON Schema and
// help are made of it, and arguments are held against it, in the gate and once more where a tool is
// used.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"

namespace kbench {

struct ToolArgument {
  std::string_view name;
  enum class Type { kText, kInteger } type = Type::kText;
  bool required = false;
  std::string_view about;
};

struct Tool {
  std::string_view name;
  std::string_view title;
  std::string_view about;  // for a model: what it does, what comes back
  std::span<const ToolArgument> arguments;
  bool read_only = false;  // changes no file, stores nothing and runs no foreign code
};

[[nodiscard]] std::span<const Tool> tools();
// Null where there is none.
[[nodiscard]] const Tool* find_tool(std::string_view name);

// Errors: kUsage, with the name of the argument and what it should be.
[[nodiscard]] Status check_arguments(const Tool& tool, const Json& arguments);

// JSON Schema (2020-12) of its arguments.
[[nodiscard]] Json schema_of(const Tool& tool);
// A tool as MCP's tools/list has it: {name, title, description, inputSchema, annotations}.
[[nodiscard]] Json mcp_tool(const Tool& tool);
// A tool as OpenAI's chat completions take it: {type: "function", function: {name, description,
// parameters}}.
[[nodiscard]] Json openai_function(const Tool& tool);
// One line of help for each.
[[nodiscard]] std::string tools_help();

}  // namespace kbench
