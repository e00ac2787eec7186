// What a Python submission says that it imports, read from its text: some of it is not offered, and
// a row says so instead of failing on it. A reader of lines, no parser of Python: whoever hides an
// import finds out when it fails. Called by submission.cpp.
#pragma once

#include <string>
#include <vector>

#include "runner/submission/source_files.hpp"

namespace kbench {

// Why it cannot be played, "it uses Triton, …"; empty where it can.
[[nodiscard]] std::string not_offered_to(const std::vector<SourceFile>& files);

}  // namespace kbench
