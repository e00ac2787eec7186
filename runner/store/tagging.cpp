#include "runner/store/tagging.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/core/suggest.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/store/run_name.hpp"

namespace kbench {
namespace {

// The tag that was meant, where there is none of that name.
Error with_suggestion(Error error, const Store& store, const std::string& name) {
  const auto tags = store.tags();
  if (error.code != ErrorCode::kNotFound || !tags) return error;
  std::vector<std::string> names;
  for (const Tag& tag : *tags) names.push_back(tag.name);
  if (const auto guess = nearest(name, names))
    error.hint = fmt::format("did you mean \"{}\"?", *guess);
  return error;
}

// The run of that name in a sound database. The database is closed when this returns, so that
// whoever writes then is alone with the file.
Result<Run> find_sound(const std::filesystem::path& database, const std::string& name) {
  const auto store = Store::open(database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  if (const auto whole = store->check_pages(); !whole) return whole.error();
  auto run = find_run_named(*store, name);
  if (!run) return run.error();
  if (const auto rows = store->evaluations(run->id); !rows) return rows.error();
  return run;
}

Status check_whole(const std::filesystem::path& database) {
  const auto store = Store::open(database, Store::Mode::kReadOnly);
  return store ? store->check_pages() : Status(store.error());
}

}  // namespace

Result<Run> tag_run(const std::filesystem::path& database, const std::string& name,
                    const std::string& tag) {
  auto run = find_sound(database, name);
  if (!run) return run.error();
  auto store = Store::open(database, Store::Mode::kReadWrite);
  if (!store) return store.error();
  if (const auto put = store->put(Tag{tag, run->id, utc_now()}); !put) return put.error();
  return run;
}

Status untag(const std::filesystem::path& database, const std::string& tag) {
  if (auto whole = check_whole(database); !whole) return whole;
  auto store = Store::open(database, Store::Mode::kReadWrite);
  if (!store) return store.error();
  if (auto removed = store->remove_tag(tag); !removed)
    return with_suggestion(removed.error(), *store, tag);
  return Done{};
}

}  // namespace kbench
