#include "runner/store/file/sqlite_error.hpp"

#include <string>

#include <SQLiteCpp/Exception.h>
#include <fmt/format.h>
#include <sqlite3.h>

namespace kbench {
namespace {

std::string_view next_step(GoesOn goes_on) {
  switch (goes_on) {
    case GoesOn::kAnew: return "try again";
    case GoesOn::kByResume: return "continue with --resume";
  }
  return "";
}

Error storage_error(const SQLite::Exception& exception, const std::string& where, GoesOn goes_on) {
  const int extended = exception.getExtendedErrorCode();
  if (extended == SQLITE_IOERR_WRITE || extended == SQLITE_IOERR_FSYNC) {
    return {ErrorCode::kInfrastructure,
            fmt::format("{}: writing failed ({})", where, exception.what()),
            fmt::format("Check the disk's free space, quota and file-size limit and {}; what was "
                        "stored before is intact.",
                        next_step(goes_on))};
  }
  return {ErrorCode::kInfrastructure,
          fmt::format("{}: the disk reported an error ({}, code {})", where, exception.what(),
                      extended),
          "Check the disk, or choose another place with --db."};
}

}  // namespace

Error explain(const SQLite::Exception& exception, const std::filesystem::path& file,
              std::string_view doing, GoesOn goes_on) {
  const std::string where = fmt::format("{} (while {})", file.string(), doing);
  switch (exception.getErrorCode()) {
    case SQLITE_NOTADB:
      return {ErrorCode::kBadInput, fmt::format("{}: not a database", where),
              "Name another file with --db; this one was left as it is."};
    case SQLITE_CORRUPT:
      return {ErrorCode::kBadInput,
              fmt::format("{}: the database is damaged ({})", where, exception.what()),
              "`kbench db salvage FILE OUT` saves the runs that are whole; start a new file with "
              "--db."};
    case SQLITE_TOOBIG:
    case SQLITE_NOMEM:
      return {ErrorCode::kBadInput,
              fmt::format("{}: something in it is larger than kbench ever stores ({})", where,
                          exception.what()),
              "Ask for the file as kbench wrote it, or start a new one with --db."};
    case SQLITE_INTERRUPT:
      return {ErrorCode::kBadInput,
              fmt::format("{}: reading it takes far longer than its size explains", where),
              "Its pages are damaged, or made to keep a reader busy: ask for the file as kbench "
              "wrote it, or start a new one with --db."};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::kInfrastructure,
              fmt::format("{}: locked by another process for more than {} s", where,
                          kBusyTimeoutMs / 1000),
              "Wait for the other kbench (or close the other program) and try again, or choose "
              "another file with --db."};
    case SQLITE_FULL:
      return {ErrorCode::kInfrastructure, fmt::format("{}: the disk is full", where),
              fmt::format("Free some space and {}; what was stored before is intact.",
                          next_step(goes_on))};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {ErrorCode::kUsage, fmt::format("{}: cannot be written", where),
              "Give yourself write permission to the file and to its folder, or choose another "
              "place with --db."};
    case SQLITE_CANTOPEN:
      return {ErrorCode::kUsage, fmt::format("{}: cannot be opened", where),
              "Check that the folder exists, and that you may read and write in it; --db chooses "
              "another place."};
    case SQLITE_IOERR: return storage_error(exception, where, goes_on);
    default:
      return {ErrorCode::kInfrastructure,
              fmt::format("{}: {} (SQLite code {})", where, exception.what(),
                          exception.getExtendedErrorCode()),
              "This is a fault of kbench or of the machine; please report it with this message."};
  }
}

}  // namespace kbench
