#include "runner/judge/file_tools.hpp"

#include <cstddef>
#include <cstdint>

#include "runner/core/text_in.hpp"

namespace kbench {
namespace {

std::optional<std::size_t> number_in(const Json& arguments, const char* name) {
  const auto found = arguments.find(name);
  if (found == arguments.end()) return std::nullopt;
  return static_cast<std::size_t>(found->get<std::uint64_t>());
}

}  // namespace

std::optional<Result<Json>> use_file_tool(const WorkspaceFiles& files, const std::string& tool,
                                          const Json& arguments) {
  const std::string path = text_in(arguments, "path");
  if (tool == "read")
    return files.read(path, number_in(arguments, "first_line").value_or(1),
                      number_in(arguments, "lines"));
  if (tool == "write") return files.write(path, text_in(arguments, "text"));
  if (tool == "edit") return files.edit(path, text_in(arguments, "old"), text_in(arguments, "new"));
  if (tool == "glob") return files.glob(text_in(arguments, "pattern"));
  if (tool == "grep") return files.grep(text_in(arguments, "text"));
  return std::nullopt;
}

}  // namespace kbench
