// Reads what OpenEvolve 0.4.1 leaves of an evolution: programs of its checkpoints
// (programs/ID.json) and its evolution_trace (JSON lines). Both are needed: a checkpoint has those
// programs only that the population kept, and a trace does not have the first one. Pure: takes
// texts, opens nothing.
//
// A program is in the state's kernel; the context of a state is the prompt that made a child of it
// (template full_rewrite_user), without what was said of the program itself: last execution output,
// fitness, focus. A program with several children has a node for each of these prompts; a program
// without children, and one whose child came from another template, has a fresh context. Migrants
// are copies and become one with what they are copies of.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/trajectory/imported_nodes.hpp"

namespace kbench {

class OpenEvolveFiles {
 public:
  // A file programs/ID.json. Errors: kBadInput, no such program; `name` stands for the file.
  Status add_program(std::string_view text, const std::string& name);
  // A trace, a JSON of a step a line.
  Status add_trace(std::string_view text, const std::string& name);

  // Errors: kBadInput where files contradict each other. Programs whose code is in no file, and
  // what descends from these, are left out and counted.
  [[nodiscard]] Result<FrozenTexts> nodes(const ImportSetting& setting) const;
  [[nodiscard]] std::size_t programs() const { return programs_.size(); }

 private:
  struct Program {
    std::string where;
    std::optional<std::string> code;
    bool recorded = false;  // more is known of it than that something is its child
    std::string parent;
    std::int64_t generation = 0;
    bool migrant = false;
    Json metrics;                     // an object, or null
    std::set<std::string> artifacts;  // texts
    std::string state;                // state by the judge, from the artifact of that name
    std::set<std::string> prompts;    // texts of contexts; the first is taken
  };

  class Reading;

  Status take_code(Program& program, const Json& json, const char* member);
  Status take_step(const Json& step, const std::string& where);
  Program& program(const std::string& id, const std::string& where);
  [[nodiscard]] std::map<std::string, std::string> originals() const;

  std::map<std::string, Program> programs_;  // key: the id
};

// The prompt of a full rewrite as a context; nothing where the text is another template's.
[[nodiscard]] std::optional<StateContext> openevolve_context(const std::string& system,
                                                             const std::string& user);

}  // namespace kbench
