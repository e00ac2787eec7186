// Which code is mapped in a worker's processes, as /proc/PID/maps shows it to the supervisor, and
// whether it may be there. A submission may use libc, the C++ and OpenMP runtimes and the CUDA
// driver; LibTorch never, cuBLAS and its kin only where its manifest says so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kbench {

// Files with executable mappings in the text of a maps file: each path once.
[[nodiscard]] std::vector<std::string> mapped_code(std::string_view maps);

struct LibraryFindings {
  std::vector<std::string> forbidden;  // names of files
  std::vector<std::string> unlisted;   // neither known to be harmless nor forbidden
};

// `own` is the path of the submission's library.
[[nodiscard]] LibraryFindings judge_libraries(const std::vector<std::string>& paths,
                                              std::string_view own, bool vendor_libraries);

}  // namespace kbench
