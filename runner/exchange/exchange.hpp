// A folder that the machines of a pool share: DIR/pool says whose it is, DIR/cache has what is
// built once, and DIR/SPACE has the runs and keys of one group of runs. All that lies there is data
// until the pool's key has vouched for it. Opening it writes nothing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/exchange/cache_entries.hpp"
#include "runner/exchange/key_links.hpp"
#include "runner/exchange/pool_key.hpp"
#include "runner/exchange/shared_folder.hpp"

namespace kbench {

// Largest file of a run that is taken.
inline constexpr std::size_t kMostRunFileBytes = std::size_t{1} << 30;

// One group of runs. `name` is as of a tag.
class ExchangeSpace {
 public:
  ExchangeSpace(const std::filesystem::path& exchange, const std::string& name, const PoolKey& key);

  [[nodiscard]] const KeyLinks& keys() const { return keys_; }
  [[nodiscard]] std::filesystem::path file_of(const std::string& run) const;

  // Puts a run's database there, in place of an earlier state of the run. `file` is closed.
  // Errors: those of put_whole().
  [[nodiscard]] Status put_run(const std::string& run, const std::filesystem::path& file) const;

  // Terms that all runs of the space have agreed on: `terms`, or those of a run that was faster.
  // Makes the folders of the space. Errors: kBadInput where no machine of the pool signed what lies
  // there, or a folder is a link; kInfrastructure.
  [[nodiscard]] Result<std::string> agree(const std::string& terms) const;
  // Terms that lie there. Errors: as of agree(); kNotFound where there are none.
  [[nodiscard]] Result<std::string> agreed() const;

  // Ids of the runs that lie there, sorted; and names of what lies there and is none of a run.
  [[nodiscard]] std::vector<std::string> runs() const;
  [[nodiscard]] std::vector<std::string> others() const;

  // Copies a run's database to `to`, which is new, without following a link. Errors: kNotFound
  // where nothing lies there; kBadInput, a link, no regular file, or too large; kInfrastructure.
  [[nodiscard]] Status take_run(const std::string& run, const std::filesystem::path& to) const;

  // Errors: those of remove_shared().
  [[nodiscard]] Status remove_run(const std::string& run) const;

 private:
  SharedFolder folder_;
  SharedFolder runs_;
  std::string name_;
  PoolKey key_;
  KeyLinks keys_;
};

class Exchange {
 public:
  // The same with the key that `state` has, which is drawn where there is none; and of open().
  [[nodiscard]] static Result<Exchange> make_with_key_of(const std::filesystem::path& state,
                                                         const std::filesystem::path& folder);
  [[nodiscard]] static Result<Exchange> open_with_key_of(const std::filesystem::path& state,
                                                         const std::filesystem::path& folder);

  // Makes `folder` an exchange of this pool; one that it is already stays as it is. Errors: kUsage
  // where it is another pool's; kInfrastructure.
  [[nodiscard]] static Result<Exchange> make(const std::filesystem::path& folder, PoolKey key);

  // Errors: kUsage where it is no exchange, or that of another pool.
  [[nodiscard]] static Result<Exchange> open(const std::filesystem::path& folder, PoolKey key);

  [[nodiscard]] ExchangeSpace space(const std::string& name) const;
  // The space of that name, in which a run has been. Errors: those of check_space_name();
  // kNotFound, naming the others.
  [[nodiscard]] Result<ExchangeSpace> find_space(const std::string& name) const;
  // Names of those that are there, sorted.
  [[nodiscard]] std::vector<std::string> spaces() const;
  [[nodiscard]] CacheEntries cache(const std::string& kind) const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const PoolKey& key() const { return key_; }

 private:
  Exchange(std::filesystem::path folder, PoolKey key);

  std::filesystem::path folder_;
  PoolKey key_;
};

// Whether a space can have this name: not one that the exchange uses itself, nor a hidden one.
// Errors: kUsage.
[[nodiscard]] Status check_space_name(const std::string& name);

// Kinds of cache entries.
inline constexpr const char* kCachedSubmissions = "submissions";
inline constexpr const char* kCachedPackages = "packages";

}  // namespace kbench
