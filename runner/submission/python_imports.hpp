// The imports of a Python submission, read from its text: some of them take a build step. A reader
// of lines, no parser of Python: a hidden import fails later.
#pragma once

#include <vector>

#include "runner/submission/source_files.hpp"
#include "runner/submission/submission.hpp"

namespace kbench {

// Needs of all files that end in .py.
[[nodiscard]] PythonNeeds needs_of(const std::vector<SourceFile>& files);

}  // namespace kbench
