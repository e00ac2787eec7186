// Nodes of a trajectory as lines of JSON (data/schema/node.schema.json), in any order: for an agent
// or evolution that has no importer of its own. Pure: takes texts, opens nothing.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "runner/core/result.hpp"
#include "runner/trajectory/imported_nodes.hpp"

namespace kbench {

class NodeLines {
 public:
  // Errors: kBadInput, "NAME:LINE: ..." with what is wrong and what to do.
  Status add(std::string_view text, const std::string& name);
  // Errors: kBadInput: a parent that is in no file, a cycle.
  [[nodiscard]] Result<FrozenTexts> nodes(const ImportSetting& setting) const;

 private:
  struct Line {
    std::string text;  // text as JSON writes it, to find one that differs
    Json json;
    std::string where;
  };
  std::map<std::string, Line> lines_;  // key: the id
};

}  // namespace kbench
