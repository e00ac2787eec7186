// A census of the files below a submissions folder: each of them is accounted for. Made by the plan
// of a run, kept with the run, shown by every report that has room for more than rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/core/json.hpp"

namespace kbench {

struct Census {
  // A file that is not evaluated.
  struct Ignored {
    std::string path;
    std::string why;
    bool mistaken = false;  // the file seems to be meant as a submission
  };
  int evaluated = 0;
  int other_device = 0;
  int not_selected = 0;
  std::vector<Ignored> ignored;

  [[nodiscard]] int mistaken() const;
  [[nodiscard]] int submissions() const { return evaluated + other_device + not_selected; }
  // "evaluated 3, not selected 1, ignored 2".
  [[nodiscard]] std::string summary() const;
};

[[nodiscard]] Json census_json(const Census& census);

// The census in JSON that census_json wrote. The text is foreign: parts of another form are left
// out, and without an object there is no census.
[[nodiscard]] std::optional<Census> read_census(const std::string& json);

}  // namespace kbench
