#include "runner/synthesis/synthesis_journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/core/strict_json.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

Error broken(const std::string& what) {
  return {ErrorCode::kInfrastructure, fmt::format("{}: {}", what, std::strerror(errno)),
          "look for space and rights there, then --resume"};
}

Status write_line(const UniqueFd& file, const Json& json) {
  const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t wrote = ::write(file.get(), line.data() + done, line.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return broken("cannot write the journal");
    done += static_cast<std::size_t>(wrote);
  }
  if (::fdatasync(file.get()) != 0) return broken("cannot write the journal");
  return Done{};
}

Status same_header(const Json& before, const Json& now, const fs::path& file) {
  if (before == now) return Done{};
  std::string field = "its first line";
  for (const auto& [key, value] : now.items()) {
    if (!before.is_object() || !before.contains(key) || before.at(key) != value) {
      field = fmt::format("{} is {} there, {} here", key,
                          before.is_object() && before.contains(key) ? before.at(key).dump() : "?",
                          value.dump());
      break;
    }
  }
  return Error{ErrorCode::kUsage, fmt::format("{} was begun otherwise: {}", file.string(), field),
               "resume with the options that it was begun with, or choose another folder"};
}

}  // namespace

fs::path journal_file(const fs::path& folder) { return folder / "synthesis.jsonl"; }

Result<SynthesisJournal> SynthesisJournal::start(const fs::path& folder, const Json& header) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  const fs::path path = journal_file(folder);
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644));
  if (!file.valid() && errno == EEXIST) {
    return Error{ErrorCode::kUsage, fmt::format("{} holds candidates already", folder.string()),
                 "--resume goes on there; or choose another folder for --out"};
  }
  if (!file.valid()) return broken("cannot make " + path.string());
  if (auto written = write_line(file, header); !written) return written.error();
  return SynthesisJournal(std::move(file), {});
}

Result<SynthesisJournal> SynthesisJournal::resume(const fs::path& folder, const Json& header) {
  const fs::path path = journal_file(folder);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return Error{ErrorCode::kUsage, folder.string() + " holds nothing to go on with",
                 "leave --resume out to begin there"};
  }
  const auto text = read_bounded_file(path, kMostBytes);
  if (!text) return text.error();
  std::vector<CandidateRecord> records;
  std::size_t whole = 0;  // bytes of whole lines
  for (std::size_t end = text->find('\n'); end != text->npos; end = text->find('\n', whole)) {
    const auto line = parse_strict_json(text->substr(whole, end - whole), path.string());
    if (!line) return line.error();
    if (whole == 0) {
      if (auto same = same_header(*line, header, path); !same) return same.error();
    } else {
      auto record = record_from_json(*line);
      if (!record) return record.error();
      records.push_back(std::move(*record));
    }
    whole = end + 1;
  }
  if (whole == 0) {  // killed before its first line was whole
    fs::remove(path, ignored);
    return start(folder, header);
  }
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!file.valid() || ::ftruncate(file.get(), static_cast<off_t>(whole)) != 0)
    return broken("cannot write " + path.string());
  return SynthesisJournal(std::move(file), std::move(records));
}

Status SynthesisJournal::append(const CandidateRecord& record) {
  if (auto written = write_line(file_, to_json_line(record)); !written) return written;
  records_.push_back(record);
  return Done{};
}

}  // namespace kbench
