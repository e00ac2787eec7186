#include "baselines/builder_headers.hpp"

#include <system_error>

#include "runner/os/files.hpp"

namespace kbench {

namespace fs = std::filesystem;

fs::path inductor_headers(const fs::path& temporary, const std::string& user) {
  return temporary / ("torchinductor_" + user) / "precompiled_headers";
}

void copy_headers(const fs::path& from, const fs::path& to) {
  constexpr std::size_t kLargest = std::size_t{512} << 20;
  std::error_code ignored;
  fs::create_directories(to, ignored);
  for (const auto& entry : fs::directory_iterator(from, ignored)) {
    const fs::path copy = to / entry.path().filename();
    if (fs::exists(copy, ignored)) continue;
    // Another kbench may write the same header.
    if (const auto bytes = read_foreign_file(entry.path(), kLargest))
      (void)write_atomically(copy, *bytes, 0644);
  }
}

}  // namespace kbench
