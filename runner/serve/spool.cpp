#include "runner/serve/spool.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "runner/core/json.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/serve/client_limits.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSchema = "kbench-order/1";
constexpr int kMostCountedTries = 1000;
constexpr std::size_t kMostFileBytes = 4 * limits::kMostBodyBytes;

Error broken(const fs::path& path, const std::string& why) {
  return {ErrorCode::kInfrastructure,
          fmt::format("the queue's folder {}: {}", clean_name(path.string(), 300), why),
          "it lies in the state folder, which XDG_STATE_HOME names"};
}

std::optional<QueuedOrder> order_in(const fs::path& file) {
  const auto text = read_foreign_file(file, kMostFileBytes);
  if (!text) return std::nullopt;
  const auto json =
      parse_strict_json(*text, "order", {.max_bytes = kMostFileBytes, .max_depth = 8});
  if (!json || !json->is_object() || json->value("schema", Json()) != kSchema) return std::nullopt;
  if (!json->contains("sequence") || !json->at("sequence").is_number_unsigned() ||
      !json->contains("order"))
    return std::nullopt;
  const Json tries = json->value("tries", Json(0));  // none in files of before
  if (!tries.is_number_integer() || tries < 0 || tries > kMostCountedTries) return std::nullopt;
  auto order = order_from_json(json->at("order"));
  if (!order) return std::nullopt;
  const std::size_t bytes = size_of_files(*order);
  return QueuedOrder{.id = file.stem().string(),
                     .order = std::move(*order),
                     .sequence = json->at("sequence").get<std::uint64_t>(),
                     .tries = tries.get<int>(),
                     .bytes = bytes};
}

}  // namespace

Result<Spool> Spool::open(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder.parent_path(), failed);
  if (failed) return broken(folder, failed.message());
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return broken(folder, std::strerror(errno));
  UniqueFd lock(::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock.valid()) return broken(folder, std::strerror(errno));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return Spool(folder, std::move(lock));
  if (errno != EWOULDBLOCK) return broken(folder, std::strerror(errno));
  return Error{ErrorCode::kUsage, "another `kbench serve` writes into this database already",
               "end that one, or name another database: --db FILE"};
}

fs::path Spool::file_of(const std::string& id) const { return folder_ / (id + ".json"); }

Result<std::size_t> Spool::each(const std::function<void(QueuedOrder)>& show) const {
  std::size_t damaged = 0;
  std::error_code failed;
  for (fs::directory_iterator entry(folder_, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const fs::path& file = entry->path();
    // A file that was being written when its writer was killed has no such name.
    if (file.extension() != ".json" || !is_order_id(file.stem().string())) continue;
    auto order = order_in(file);
    if (order) {
      show(std::move(*order));
    } else {
      ++damaged;
    }
  }
  if (failed) return broken(folder_, failed.message());
  return damaged;
}

Status Spool::keep(const QueuedOrder& order) const {
  const Json json = {{"schema", kSchema},
                     {"sequence", order.sequence},
                     {"tries", order.tries},
                     {"order", order_json(order.order)}};
  return write_atomically(file_of(order.id),
                          json.dump(-1, ' ', false, Json::error_handler_t::replace), 0600);
}

Result<QueuedOrder> Spool::begin_try(const std::string& id) const {
  auto order = order_in(file_of(id));
  if (!order) return broken(folder_, "the file of an order is gone or damaged");
  ++order->tries;
  if (auto kept = keep(*order); !kept) return kept.error();
  return std::move(*order);
}

void Spool::undo_try(const std::string& id) const {
  auto order = order_in(file_of(id));
  if (!order || order->tries == 0) return;
  --order->tries;
  // If this fails the try counts, as after a kill.
  [[maybe_unused]] const Status kept = keep(*order);
}

void Spool::forget(const std::string& id) const {
  std::error_code ignored;
  fs::remove(file_of(id), ignored);
}

}  // namespace kbench
