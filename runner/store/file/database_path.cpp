#include "runner/store/file/database_path.hpp"

#include <sys/vfs.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <ios>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kSideFiles = {"-wal", "-shm", "-journal"};

// The kind of file that lies there, in words; empty for a regular file and for nothing.
std::string_view wrong_kind(const fs::path& file) {
  std::error_code failed;
  const fs::file_status status = fs::symlink_status(file, failed);
  switch (status.type()) {
    case fs::file_type::none:
    case fs::file_type::not_found:
    case fs::file_type::regular: return "";
    case fs::file_type::symlink: return "a symbolic link";
    case fs::file_type::directory: return "a folder";
    case fs::file_type::fifo: return "a pipe (FIFO)";
    case fs::file_type::socket: return "a socket";
    case fs::file_type::block:
    case fs::file_type::character: return "a device";
    default: return "no ordinary file";
  }
}

std::string next_step(const fs::path& file) {
  std::error_code failed;
  const fs::path target = fs::read_symlink(file, failed);
  if (failed) return "Name a database with --db.";
  return fmt::format("Links are not followed; name the file itself: --db {}",
                     (target.is_absolute() ? target : file.parent_path() / target).string());
}

// Size of a page by the file's header (https://www.sqlite.org/fileformat.html); 0 where it has
// none.
std::uint64_t page_bytes(const fs::path& file) {
  constexpr std::string_view kMagic{"SQLite format 3\0", 16};
  std::array<char, 18> header{};
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(header.data(), header.size())) return 0;
  if (!std::string_view(header.data(), header.size()).starts_with(kMagic)) return 0;
  const auto byte = [&](std::size_t at) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(header[at]));
  };
  const std::uint64_t size = byte(16) << 8 | byte(17);
  return size == 1 ? 65536 : size;
}

// Whether a rollback journal ends as one does that belongs to a transaction over several files: it
// names the file that SQLite removes once it has rolled back
// (https://www.sqlite.org/fileformat.html, "The Rollback Journal": the super-journal's name).
// kbench writes to one file at a time.
bool names_another_file(const fs::path& journal) {
  constexpr std::array<unsigned char, 8> kMagic{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
  std::array<char, kMagic.size()> end{};
  std::ifstream stream(journal, std::ios::binary);
  stream.seekg(-static_cast<std::streamoff>(end.size()), std::ios::end);
  if (!stream.read(end.data(), end.size())) return false;
  return std::memcmp(end.data(), kMagic.data(), kMagic.size()) == 0;
}

Status check_journal(const fs::path& file) {
  const fs::path journal = file.string() + "-journal";
  std::error_code failed;
  if (!fs::is_regular_file(journal, failed) || !names_another_file(journal)) return Done{};
  return Error{ErrorCode::kUsage,
               fmt::format("{}: beside it, {} names another file, which SQLite would remove",
                           file.string(), journal.filename().string()),
               "kbench writes no such journal. Whoever made it knows of what it is a part; without "
               "it, the database is as its last transaction left it. Nothing was opened: remove "
               "the journal, or name another file with --db."};
}

// The numbers of statfs(2) and, of those that the kernel does not have, of their own sources.
constexpr std::array<std::pair<std::uint32_t, std::string_view>, 12> kNetworkDisks{{
    {0x00006969, "NFS"},
    {0x0000517b, "SMB"},
    {0xfe534d42, "SMB"},
    {0xff534d42, "CIFS"},
    {0x5346414f, "AFS"},
    {0x6b414653, "AFS"},
    {0x73757245, "Coda"},
    {0x00c36400, "Ceph"},
    {0x0bd00bd0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"},
    {0x20030528, "OrangeFS"},
}};

}  // namespace

Status check_database_path(const fs::path& file) {
  const std::string name = file.string();
  // SQLite would open a database of its own that it forgets at the end.
  if (name.empty())
    return Error{ErrorCode::kUsage, "the database has no name", "Name a file with --db."};
  if (const std::string_view kind = wrong_kind(file); !kind.empty()) {
    return Error{ErrorCode::kUsage, fmt::format("{}: {}, not a database", name, kind),
                 next_step(file)};
  }
  for (const std::string_view suffix : kSideFiles) {
    if (name.ends_with(suffix)) {
      return Error{ErrorCode::kUsage, fmt::format("{}: the name of a side file of SQLite", name),
                   fmt::format("Name the database that it belongs to: --db {}",
                               name.substr(0, name.size() - suffix.size()))};
    }
    const fs::path beside = name + std::string(suffix);
    if (const std::string_view kind = wrong_kind(beside); !kind.empty()) {
      return Error{ErrorCode::kUsage,
                   fmt::format("{}: beside it, {} is {}, where SQLite keeps a file of its own",
                               name, beside.filename().string(), kind),
                   "Remove it, or choose another place with --db; nothing was opened."};
    }
  }
  return check_journal(file);
}

Status check_database_folder(const fs::path& file) {
  return check_database_folder(file, disk_kind);
}

Status check_database_folder(const fs::path& file, const DiskKind& kind_of) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code failed;
  if (!fs::is_directory(folder, failed))
    return Error{ErrorCode::kUsage,
                 fmt::format("{}: there is no folder {}", file.string(), folder.string()),
                 "Make it, or choose another place with --db."};
  const std::string_view network = network_disk(kind_of(folder).value_or(0));
  if (network.empty()) return Done{};
  return Error{
      ErrorCode::kUsage,
      fmt::format("{}: {} lies on a network file system ({}), where SQLite cannot keep two "
                  "machines from writing at once",
                  file.string(), folder.string(), network),
      "Name a file on a disk of this machine with --db; `kbench db backup FILE` copies it "
      "to the network disk, and `kbench db merge` joins the files of several machines."};
}

Status check_file_end(const fs::path& file) {
  for (const char* log : {"-wal", "-journal"}) {
    std::error_code failed;
    if (fs::file_size(file.string() + log, failed) > 0 && !failed) return Done{};
  }
  const std::uint64_t page = page_bytes(file);
  std::error_code failed;
  const std::uintmax_t bytes = fs::file_size(file, failed);
  if (failed || page == 0 || bytes % page == 0) return Done{};
  return Error{ErrorCode::kBadInput,
               fmt::format("{}: its end is cut off: {} bytes are not a whole number of its pages "
                           "of {}",
                           file.string(), bytes, page),
               "`kbench db salvage FILE OUT` saves the runs that are whole; or restore a `kbench "
               "db backup`."};
}

std::uint64_t database_bytes(const fs::path& file) {
  std::uint64_t sum = 0;
  for (const char* suffix : {"", "-wal"}) {
    std::error_code failed;
    const std::uintmax_t bytes = fs::file_size(file.string() + suffix, failed);
    if (!failed) sum += bytes;
  }
  return sum;
}

std::optional<std::uint32_t> disk_kind(const std::filesystem::path& path) {
  struct statfs facts {};
  if (::statfs(path.c_str(), &facts) != 0) return std::nullopt;
  return static_cast<std::uint32_t>(facts.f_type);
}

std::string_view network_disk(std::uint32_t kind) {
  for (const auto& [number, name] : kNetworkDisks)
    if (number == kind) return name;
  return "";
}

}  // namespace kbench
