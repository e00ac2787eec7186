#include "runner/store/care/mended_copy.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "runner/store/file/migrations.hpp"
#include "runner/store/file/schema_check.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// SQLite's page size by default, and kbench sets no other one.
constexpr std::size_t kPageBytes = 4096;
// https://www.sqlite.org/fileformat.html, "The Database Header".
constexpr std::size_t kHeaderBytes = 100;
constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::size_t kPageSizeAt = 16;
constexpr std::size_t kChangeCounterAt = 24;
constexpr std::size_t kPagesAt = 28;
constexpr std::size_t kFreePagesAt = 32;  // the first one, and their number
constexpr std::size_t kVersionValidForAt = 92;

using Page = std::array<unsigned char, kPageBytes>;

void put(Page& page, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i)
    page[at + i] = static_cast<unsigned char>(value >> (24 - 8 * i));
}

bool has_header(const Page& page) {
  const bool size = page[kPageSizeAt] == kPageBytes >> 8 && page[kPageSizeAt + 1] == 0;
  return std::memcmp(page.data(), kMagic.data(), kMagic.size()) == 0 && size;
}

// Page 1 is a page of the schema's tree, behind the header.
bool has_tree(const Page& page) { return page[kHeaderBytes] == 0x0d || page[kHeaderBytes] == 0x05; }

// The first page of a new database that was made by the first `made_with` steps and brought up to
// date later, before it held anything.
Page new_first_page(std::size_t made_with) {
  SQLite::Database memory(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  apply_steps(memory, schema_steps().first(made_with));
  apply_steps(memory, schema_steps());
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> bytes(
      sqlite3_serialize(memory.getHandle(), "main", &size, 0), sqlite3_free);
  Page page{};
  if (bytes && size >= static_cast<sqlite3_int64>(kPageBytes))
    std::memcpy(page.data(), bytes.get(), kPageBytes);
  return page;
}

Error no_room(const fs::path& copy, const std::string& why) {
  return {ErrorCode::kInfrastructure,
          fmt::format("{}: the damaged file could not be copied there: {}", copy.string(), why),
          "Salvaging works on a copy beside the new file: it takes as much room again."};
}

// The file with what SQLite would finish when it opens it.
Status copy_files(const fs::path& damaged, const fs::path& copy) {
  for (const char* suffix : {"", "-wal", "-journal"}) {
    std::error_code failed;
    if (*suffix != '\0' && !fs::exists(damaged.string() + suffix, failed)) continue;
    fs::copy_file(damaged.string() + suffix, copy.string() + suffix,
                  fs::copy_options::overwrite_existing, failed);
    if (failed) return no_room(copy, failed.message());
  }
  return Done{};
}

Status write_first_page(const fs::path& copy, const Page& page) {
  std::fstream file(copy, std::ios::in | std::ios::out | std::ios::binary);
  file.write(reinterpret_cast<const char*>(page.data()), kPageBytes);
  file.flush();
  return file ? Status(Done{}) : Status(no_room(copy, "writing failed"));
}

// True where the file's own count of its pages is another one.
bool mend_header(Page& page, std::uint32_t pages) {
  std::uint32_t counted = 0;
  for (std::size_t i = 0; i < 4; ++i) counted = counted << 8 | page[kPagesAt + i];
  put(page, kPagesAt, pages);
  std::copy_n(page.begin() + kChangeCounterAt, 4, page.begin() + kVersionValidForAt);
  // Free pages hold nothing; a list of them that is damaged would stop a write that needs one.
  put(page, kFreePagesAt, 0);
  put(page, kFreePagesAt + 4, 0);
  return counted > pages;
}

Result<Connection> connect(const fs::path& copy) {
  return guarded(copy, "opening the copy", [&]() -> Result<Connection> {
    auto budget = std::make_unique<WorkBudget>();
    budget->renew(database_bytes(copy));
    SQLite::Database database(copy.string(), SQLite::OPEN_READWRITE, kBusyTimeoutMs);
    make_passive(database);
    budget->attach(database);
    return Connection{copy, std::move(budget), std::move(database)};
  });
}

// How many steps made its schema, by what it holds; nothing where it is none of ours.
std::optional<std::size_t> find_version(Connection& connection) {
  for (std::size_t steps = schema_steps().size(); steps > 0; --steps) {
    const Status same = connection.guarded("reading its schema", [&] {
      return check_schema(connection.database, connection.file, steps);
    });
    if (same) return steps;
  }
  return std::nullopt;
}

// Adds tables and columns only, one statement after the other.
void add_columns(SQLite::Database& database, std::span<const std::string_view> steps) {
  for (const std::string_view step : steps) {
    const std::string text(step);
    const char* rest = text.c_str();
    while (rest != nullptr && *rest != '\0') {
      sqlite3_stmt* raw = nullptr;
      const int code = sqlite3_prepare_v2(database.getHandle(), rest, -1, &raw, &rest);
      const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(raw, sqlite3_finalize);
      if (code != SQLITE_OK) throw SQLite::Exception(database.getHandle(), code);
      if (raw == nullptr) break;  // the rest is a comment
      if (std::string_view(sqlite3_sql(raw)).find("CREATE INDEX") != std::string_view::npos)
        continue;
      const int stepped = sqlite3_step(raw);
      if (stepped != SQLITE_DONE) throw SQLite::Exception(database.getHandle(), stepped);
    }
  }
}

// Opens the copy and adds the columns that its schema lacks; nothing where it has none of ours.
std::optional<Connection> open_copy(const fs::path& copy) {
  Result<Connection> connection = connect(copy);
  if (!connection) return std::nullopt;
  const std::optional<std::size_t> version = find_version(*connection);
  if (!version) return std::nullopt;
  const Status updated = connection->guarded("adding columns", [&]() -> Status {
    add_columns(connection->database, schema_steps().subspan(*version));
    return Done{};
  });
  if (!updated) return std::nullopt;
  return std::move(*connection);
}

// The first pages that a database of ours may have had, newest first.
std::optional<Connection> open_with_new_page(const fs::path& copy, std::uint32_t pages) {
  for (std::size_t steps = schema_steps().size(); steps > 0; --steps) {
    Page page = new_first_page(steps);
    mend_header(page, pages);
    if (!write_first_page(copy, page)) return std::nullopt;
    if (std::optional<Connection> opened = open_copy(copy)) return opened;
  }
  return std::nullopt;
}

}  // namespace

MendedCopy::Files::~Files() {
  if (path.empty()) return;
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"})
    fs::remove(path.string() + suffix, ignored);
}

Result<MendedCopy> MendedCopy::of(const fs::path& damaged, const fs::path& copy) {
  Files files(copy);
  if (Status copied = copy_files(damaged, copy); !copied) return copied.error();
  std::error_code ignored;
  const auto pages = static_cast<std::uint32_t>(fs::file_size(copy, ignored) / kPageBytes);
  std::vector<std::string> mended;
  Page page{};
  std::ifstream(copy, std::ios::binary).read(reinterpret_cast<char*>(page.data()), kPageBytes);
  std::optional<Connection> opened;
  if (has_tree(page)) {
    if (!has_header(page)) {
      const Page made = new_first_page(schema_steps().size());
      std::copy_n(made.begin(), kHeaderBytes, page.begin());
      mended.emplace_back("its header was lost and is made anew");
    }
    if (mend_header(page, pages))
      mended.push_back(fmt::format("its end is missing: {} pages are left", pages));
    if (Status written = write_first_page(copy, page); !written) return written.error();
    opened = open_copy(copy);
  }
  if (!opened && pages > 0) {
    opened = open_with_new_page(copy, pages);
    mended.emplace_back("its first page was lost and is made anew");
  }
  if (!opened) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("{}: where its tables lie cannot be read: nothing can be saved",
                             damaged.string()),
                 "`sqlite3 FILE .recover` may show loose rows; restore a `kbench db backup`."};
  }
  return MendedCopy(std::move(files), std::move(*opened), std::move(mended));
}

}  // namespace kbench
