// Sources of a submission by what they hold: the same for a file that is called otherwise. Profiles
// are found by it, as a file that is tried out seldom has the name that it is handed in by.
#pragma once

#include <span>
#include <string>

#include "runner/core/source_tree.hpp"

namespace kbench {

// Hash of the tree, whose one file in src/ counts by its ending alone. Of several files there the
// names count, as they name each other. Empty without any.
[[nodiscard]] std::string hash_contents(std::span<const TreeFile> files);

}  // namespace kbench
