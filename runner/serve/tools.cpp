#include "runner/serve/tools.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "runner/core/suggest.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

using Type = ToolArgument::Type;

constexpr ToolArgument kWorkspace{"workspace", Type::kText, true,
                                  "The handle that open_workspace gave."};
constexpr ToolArgument kPath{"path", Type::kText, true,
                             "A file of the workspace, as kernels/relu.cu."};

constexpr std::array kListTasks{
    ToolArgument{"pattern", Type::kText, false,
                 "A shell glob over ids, as level1/*; all without it."},
};
constexpr std::array kOpen{
    ToolArgument{"task", Type::kText, true, "The id of a task, as level1/019_relu."},
    ToolArgument{"size", Type::kText, false, "small or full; without it as the device has it."},
};
constexpr std::array kRead{
    kWorkspace,
    kPath,
    ToolArgument{"first_line", Type::kInteger, false, "From this line on; 1 without it."},
    ToolArgument{"lines", Type::kInteger, false, "As many lines at most."},
};
constexpr std::array kWrite{
    kWorkspace,
    ToolArgument{"path", Type::kText, true, "A file below kernels/; it is replaced."},
    ToolArgument{"text", Type::kText, true, "All of the file."},
};
constexpr std::array kEdit{
    kWorkspace,
    ToolArgument{"path", Type::kText, true, "A file below kernels/."},
    ToolArgument{"old", Type::kText, true, "What stands there exactly once."},
    ToolArgument{"new", Type::kText, true, "What is to stand in its place."},
};
constexpr std::array kGlob{
    kWorkspace,
    ToolArgument{"pattern", Type::kText, false, "A shell glob over paths, as kernels/*.cu."},
};
constexpr std::array kGrep{
    kWorkspace,
    ToolArgument{"text", Type::kText, true, "What is looked for, letter by letter."},
};
constexpr std::array kOfWorkspace{kWorkspace};
constexpr std::array kSubmit{
    kWorkspace,
    ToolArgument{"reward", Type::kText, false, "The name of a reward; milestone_sure without it."},
};

constexpr std::array kTools{
    Tool{"list_tasks", "List tasks", "Lists the tasks that there are, by id and title.", kListTasks,
         true},
    Tool{"open_workspace", "Open a workspace",
         "Makes a workspace for one task and returns its handle. TASK.md in it says what is to be "
         "computed and how it is judged, SKILL.md how to go about it; read both first. The kernel "
         "goes into kernels/, as .cu files on CUDA and .cpp files on a CPU.",
         kOpen},
    Tool{"read", "Read a file", "Returns the text of a file of the workspace.", kRead, true},
    Tool{"write", "Write a file", "Writes a file below kernels/, all of it.", kWrite},
    Tool{"edit", "Edit a file", "Replaces a text in a file below kernels/ that stands there once.",
         kEdit},
    Tool{"glob", "List files", "Lists the files of the workspace with their sizes.", kGlob, true},
    Tool{"grep", "Search files", "Lists the lines of the workspace's files that hold a text.",
         kGrep, true},
    Tool{"compile", "Compile",
         "Compiles what lies in kernels/. Returns state, the compiler's messages and, on CUDA, "
         "registers and spills of each kernel.",
         kOfWorkspace},
    Tool{"verify", "Verify",
         "Checks what lies in kernels/ on fresh inputs, without timing it. Returns state and the "
         "checks; nothing is stored.",
         kOfWorkspace},
    Tool{"profile", "Profile",
         "Runs what lies in kernels/ a few times beside a profiler. Returns at most 4 KiB: what "
         "bounds it, the number that says so, one thing to do, and its kernels. Nothing is judged "
         "or stored; a profile that fails says why, and costs nothing else.",
         kOfWorkspace},
    Tool{"debug", "Debug",
         "Runs what lies in kernels/ twice under sanitizers. Returns a report that names accesses "
         "out of bounds, uses after free, overflows and, on CUDA, races, uninitialised memory and "
         "divergent barriers, with tensor, line and function. Nothing is judged or stored: a "
         "kernel in which nothing is found may be wrong.",
         kOfWorkspace},
    Tool{"analyze", "Analyze",
         "Reads what lies in kernels/ without running it. Returns a report of its loop nests, of a "
         "sign that seems to be missing, and of what clang-tidy finds where there is one.",
         kOfWorkspace},
    Tool{"submit", "Submit",
         "Checks and times what lies in kernels/ in full, against PyTorch eager and compiled. The "
         "row is stored and rewarded: this alone counts. The same files are measured once.",
         kSubmit},
};

Error bad(std::string message, std::string hint = "") {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

bool fits(const Json& value, Type type) {
  switch (type) {
    case Type::kText: return value.is_string();
    case Type::kInteger:
      return value.is_number_integer() && value >= 0 && value <= std::int64_t{1} << 31;
  }
  return false;
}

const char* words(Type type) {
  switch (type) {
    case Type::kText: return "a text";
    case Type::kInteger: return "a whole number";
  }
  return "a text";
}

const ToolArgument* find_argument(const Tool& tool, std::string_view name) {
  const auto found = std::find_if(tool.arguments.begin(), tool.arguments.end(),
                                  [&](const ToolArgument& one) { return one.name == name; });
  return found == tool.arguments.end() ? nullptr : &*found;
}

}  // namespace

std::span<const Tool> tools() { return kTools; }

const Tool* find_tool(std::string_view name) {
  const auto found =
      std::find_if(kTools.begin(), kTools.end(), [&](const Tool& one) { return one.name == name; });
  return found == kTools.end() ? nullptr : &*found;
}

Status check_arguments(const Tool& tool, const Json& arguments) {
  if (!arguments.is_object()) return bad("the arguments are no object");
  std::vector<std::string> known;
  for (const ToolArgument& one : tool.arguments) known.emplace_back(one.name);
  for (const auto& [name, value] : arguments.items()) {
    const ToolArgument* one = find_argument(tool, name);
    if (one == nullptr) {
      const auto guess = nearest(name, known);
      return bad(fmt::format("{} has no argument \"{}\"", tool.name, clean_name(name, 64)),
                 guess ? fmt::format("did you mean \"{}\"?", *guess) : "");
    }
    if (!fits(value, one->type))
      return bad(fmt::format("the argument \"{}\" is not {}", one->name, words(one->type)),
                 std::string(one->about));
  }
  for (const ToolArgument& one : tool.arguments)
    if (one.required && !arguments.contains(std::string(one.name)))
      return bad(fmt::format("the argument \"{}\" is missing", one.name), std::string(one.about));
  return Done{};
}

Json schema_of(const Tool& tool) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const ToolArgument& one : tool.arguments) {
    Json property = {{"type", one.type == Type::kText ? "string" : "integer"},
                     {"description", std::string(one.about)}};
    if (one.type == Type::kInteger) property["minimum"] = 0;
    properties[std::string(one.name)] = std::move(property);
    if (one.required) required.push_back(std::string(one.name));
  }
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

Json mcp_tool(const Tool& tool) {
  return {{"name", std::string(tool.name)},
          {"title", std::string(tool.title)},
          {"description", std::string(tool.about)},
          {"inputSchema", schema_of(tool)},
          {"annotations", {{"readOnlyHint", tool.read_only}, {"openWorldHint", false}}}};
}

Json openai_function(const Tool& tool) {
  return {{"type", "function"},
          {"function",
           {{"name", std::string(tool.name)},
            {"description", std::string(tool.about)},
            {"parameters", schema_of(tool)}}}};
}

std::string tools_help() {
  std::string text;
  for (const Tool& tool : kTools) {
    std::string arguments;
    for (const ToolArgument& one : tool.arguments)
      arguments +=
          fmt::format("{}{}{}", arguments.empty() ? "" : ", ", one.name, one.required ? "" : "?");
    text += fmt::format("  {:<15} {}\n", tool.name, arguments);
  }
  return text;
}

}  // namespace kbench
