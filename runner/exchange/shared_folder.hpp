// A folder of an exchange, and the only way into it. The exchange lies where a person has named it;
// every name below it may be a neighbour's doing. So each step on the way is opened by itself and
// relative to the one before (openat), and must be a folder: a link is never followed, also if it
// is put there at that very moment. Files are read, named and removed relative to that descriptor.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"

namespace kbench {

class SharedFolder {
 public:
  SharedFolder(std::filesystem::path exchange) : exchange_(std::move(exchange)) {}

  // `name` is one step. The folder below need not be there.
  [[nodiscard]] SharedFolder operator/(const std::string& name) const;

  // For what people read, only.
  [[nodiscard]] std::filesystem::path path() const;

  // Errors: kNotFound where it is not there; kBadInput where a step is a link or no folder;
  // kInfrastructure. make() makes what is missing.
  [[nodiscard]] Result<UniqueFd> open() const;
  [[nodiscard]] Result<UniqueFd> make() const;

 private:
  [[nodiscard]] Result<UniqueFd> walk(bool make) const;

  std::filesystem::path exchange_;
  std::vector<std::string> steps_;
};

// Whether a name leads one step down, and nowhere else.
[[nodiscard]] bool is_one_step(const std::string& name);

// One name in such a folder, with the facts of what lies there (a link's own).
struct SharedEntry {
  std::string name;
  struct stat facts {};

  [[nodiscard]] bool is_folder() const { return S_ISDIR(facts.st_mode); }
  [[nodiscard]] bool is_link() const { return S_ISLNK(facts.st_mode); }
};

// The entries of the folder, sorted by name; none where it cannot be opened.
[[nodiscard]] std::vector<SharedEntry> entries_of(const SharedFolder& folder);

// The entry of that name; none where nothing has it, or the folder cannot be opened.
[[nodiscard]] std::optional<SharedEntry> entry_of(const SharedFolder& folder,
                                                  const std::string& name);

// Calls `look` for what lies below `name`, at any depth, without following a link.
void look_below(const SharedFolder& folder, const std::string& name,
                const std::function<void(const SharedEntry& entry)>& look);

// Reads a regular file. Errors: kNotFound where nothing lies there; kBadInput where it is a link,
// no regular file or too large, or as of open(); kInfrastructure.
[[nodiscard]] Result<std::string> read_shared_file(const SharedFolder& folder,
                                                   const std::string& name, std::size_t max_bytes);

// Removes what has the name, and all below it: of a link the link. Errors: those of open();
// kInfrastructure.
[[nodiscard]] Status remove_shared(const SharedFolder& folder, const std::string& name);

}  // namespace kbench
