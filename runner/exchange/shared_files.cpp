#include "runner/exchange/shared_files.hpp"

#include <cstddef>
#include <utility>

#include "runner/os/files.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostFileBytes = std::size_t{1} << 30;

}  // namespace

Result<bool> take_shared_files(const CacheEntries& entries, const std::string& key,
                               const std::filesystem::path& folder,
                               const std::vector<std::string>& names) {
  const auto files = entries.find(key);
  if (!files || files->size() != names.size()) return false;
  for (std::size_t i = 0; i < names.size(); ++i)
    if ((*files)[i].name != names[i]) return false;
  for (const CachedFile& file : *files)
    if (const Status written = write_atomically(folder / file.name, file.bytes, 0644); !written)
      return written.error();
  return true;
}

Status give_shared_files(const CacheEntries& entries, const std::string& key,
                         const std::filesystem::path& folder,
                         const std::vector<std::string>& names) {
  std::vector<CachedFile> files;
  for (const std::string& name : names) {
    auto bytes = read_foreign_file(folder / name, kMostFileBytes);
    if (!bytes) return bytes.error();
    files.push_back({name, std::move(*bytes)});
  }
  return entries.put(key, files);
}

}  // namespace kbench
