// A published text does not tell the folders of the machine that it was made on: not a user's name,
// not where the files of an experiment lie.
#pragma once

#include <string>
#include <string_view>

#include "runner/core/json.hpp"

namespace kbench {

// The same text with each absolute path, and each one from the home folder or from above the
// working directory, cut to its last name: "--db /home/me/a/b.sqlite" becomes "--db b.sqlite".
// Addresses (https://…), closing tags (</b>) and what lies in /tmp or another folder that every
// machine has stay as they are.
[[nodiscard]] std::string without_folders(std::string_view text);

// Hides folders in each text of it, and in no key.
[[nodiscard]] Json without_folders_within(Json json);

}  // namespace kbench
