#include "runner/task/leads_out.hpp"

#include <system_error>

namespace kbench {

namespace fs = std::filesystem;

bool leads_out_of(const fs::path& file, const fs::path& folder) {
  std::error_code failed;
  if (!fs::is_symlink(file, failed)) return false;
  const fs::path inside = fs::canonical(folder, failed);
  if (failed) return true;
  const fs::path there = fs::weakly_canonical(file, failed).lexically_relative(inside);
  return failed || there.empty() || *there.begin() == "..";
}

}  // namespace kbench
