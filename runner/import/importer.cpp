#include "runner/import/importer.hpp"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/import/naming.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/task/suite.hpp"
#include "runner/task/task.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// No device of today holds more; a task that needs it would end as does_not_fit everywhere.
constexpr std::uint64_t kMaxTaskBytes = std::uint64_t{512} << 30;
constexpr std::size_t kMaxTaskFileBytes = 64u << 20;

bool is_utf8(const std::string& text) {
  // The library refuses to write anything else.
  try {
    (void)Json(text).dump();
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

std::optional<std::string> text_of(const fs::path& file) {
  auto text = read_bounded_file(file, kMaxTaskFileBytes);
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

std::uint64_t bytes_of(const std::vector<TensorSpec>& tensors) {
  std::uint64_t sum = 0;
  for (const TensorSpec& tensor : tensors) sum += tensor.bytes();
  return sum;
}

// True for a task that accepts another flaw than the one that the reader has found out.
bool accepts_flaws_itself(const Task& task) {
  return std::any_of(task.lint_accepts.begin(), task.lint_accepts.end(), [](const auto& flaw) {
    return flaw.first != kFixedInputsFlaw || flaw.second != kFixedInputsReason;
  });
}

// A folder in which lowered forms lie until they are known to be good. Removed with its owner.
class Waiting {
 public:
  explicit Waiting(const fs::path& suite)
      : folder_(suite / fmt::format(".import-{}", ::getpid())) {}
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  [[nodiscard]] fs::path file(const TaskName& name) const {
    return folder_ / fmt::format("level{}", name.level) / (name.stem() + ".json");
  }

 private:
  fs::path folder_;
};

// A lowered form under another number. It is checked like every other.
std::string renamed(std::string text, const TaskName& from, const TaskName& to) {
  const auto replace = [&text](const std::string& before, const std::string& after) {
    if (const auto at = text.find(before); at != text.npos) text.replace(at, before.size(), after);
  };
  replace(fmt::format("\"number\": {},", from.number), fmt::format("\"number\": {},", to.number));
  replace(fmt::format("\"source\": \"{}.py\"", from.stem()),
          fmt::format("\"source\": \"{}.py\"", to.stem()));
  return text;
}

class Importer {
 public:
  Importer(const ImportRequest& request, std::vector<TaskName> names,
           const std::vector<TaskEntry>& suite)
      : request_(request), names_(std::move(names)), waiting_(request.suite) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const bool known = std::any_of(suite.begin(), suite.end(), [&](const TaskEntry& entry) {
        return entry.id == names_[i].id();
      });
      fresh_.push_back(!request.sources[i].number && !known);
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      outcomes_.push_back({request.sources[i].where, names_[i].id()});
      if (const auto& error = request.sources[i].error) {
        fail(i, *error);
      } else if (!is_utf8(request.sources[i].text)) {
        fail(i, {0, "it is not UTF-8", ImportError::Fault::kFile, "save it as UTF-8"});
      } else {
        open_.push_back(i);
      }
    }
  }

  [[nodiscard]] const std::vector<std::size_t>& open() const { return open_; }
  [[nodiscard]] std::vector<ImportOutcome>& outcomes() { return outcomes_; }

  [[nodiscard]] std::vector<LoweringRequest> requests() const {
    std::vector<LoweringRequest> requests;
    for (const std::size_t i : open_)
      requests.push_back({names_[i].level, names_[i].stem() + ".py", request_.sources[i].text});
    return requests;
  }

  // Errors: the disk's.
  Status finish(std::size_t index, const LoweringAnswer& answer) {
    if (answer.error) {
      fail(index, *answer.error);
      return Done{};
    }
    if (auto checked = check_form(index, answer.task); !checked) return checked;
    if (outcomes_[index].error) return Done{};
    // The number of this file may still be that of one before it which fails.
    if (fresh_[index]) {
      outcomes_[index].state = ImportOutcome::State::kImported;
      held_back_.emplace(index, answer.task);
      return Done{};
    }
    return keep(index, answer.task);
  }

  // Writes the numbered tasks, once nothing more is lowered. Errors: the disk's.
  Status finish_numbered() {
    std::vector<bool> good(names_.size());
    for (const auto& [index, text] : held_back_) good[index] = true;
    const std::vector<TaskName> before = std::exchange(names_, close_ranks(names_, fresh_, good));
    for (const auto& [index, text] : held_back_) {
      const std::string task = renamed(text, before[index], names_[index]);
      outcomes_[index].task = names_[index].id();
      if (auto checked = check_form(index, task); !checked) return checked;
      if (outcomes_[index].error) continue;
      if (auto kept = keep(index, task); !kept) return kept;
    }
    return Done{};
  }

 private:
  // Checks the task file. A fault of its form becomes the outcome's error. Errors: the disk's.
  Status check_form(std::size_t index, const std::string& text) {
    const fs::path waiting = waiting_.file(names_[index]);
    std::error_code failure;
    fs::create_directories(waiting.parent_path(), failure);
    if (auto written = write_atomically(waiting, text, 0644); !written) return written;
    if (const auto problem = check(index, waiting)) fail(index, *problem);
    return Done{};
  }

  void fail(std::size_t index, const ImportError& error) {
    outcomes_[index].state = ImportOutcome::State::kFailed;
    outcomes_[index].error = error;
  }

  // The answer came out of a process that ran foreign code: it must be a task, and this one.
  std::optional<ImportError> check(std::size_t index, const fs::path& file) {
    const auto task = load_task(file);
    const auto limit = [](const std::string& what, const std::string& hint) {
      return ImportError{0, what, ImportError::Fault::kLimit, hint};
    };
    if (!task) {
      std::string what = task.error().message;
      if (what.starts_with(file.string())) what.erase(0, file.string().size() + 2);
      return limit("its lowered form is no task: " + clean_name(what), "see suites/FORMAT.md");
    }
    if (task->id != names_[index].id() || task->source.filename() != names_[index].stem() + ".py" ||
        task->source_sha256 != sha256(request_.sources[index].text)) {
      return ImportError{0, "it gave the lowered form of another file", ImportError::Fault::kFile,
                         "a task file only defines a module and its inputs"};
    }
    if (accepts_flaws_itself(*task) || !task->hard_draws_skip.empty()) {
      return ImportError{0, "it says itself which flaws it may have, or which draws it is spared",
                         ImportError::Fault::kFile, "that is not for a task file of others to say"};
    }
    for (const TaskSize& size : task->sizes) {
      const std::uint64_t bytes =
          bytes_of(size.inputs) + bytes_of(size.parameters) + size.peak_bytes_fp32;
      if (bytes > kMaxTaskBytes) {
        return limit(fmt::format("it needs {} GiB of memory", bytes >> 30),
                     fmt::format("no device holds more than {} GiB; use smaller shapes",
                                 kMaxTaskBytes >> 30));
      }
    }
    outcomes_[index].note = task->note;
    return std::nullopt;
  }

  Status keep(std::size_t index, const std::string& text) {
    const TaskName& name = names_[index];
    const fs::path folder = request_.suite / fmt::format("level{}", name.level);
    const fs::path lowered = folder / (name.stem() + ".json");
    const fs::path source = folder / (name.stem() + ".py");
    const auto before = text_of(lowered);
    auto& state = outcomes_[index].state;
    state = !before           ? ImportOutcome::State::kImported
            : *before == text ? ImportOutcome::State::kUnchanged
                              : ImportOutcome::State::kReplaced;
    std::error_code failure;
    fs::create_directories(folder, failure);
    // The source first: where the lowered form is, the source is.
    if (text_of(source) != request_.sources[index].text) {
      if (auto written = write_atomically(source, request_.sources[index].text, 0644); !written)
        return written;
    }
    if (state == ImportOutcome::State::kUnchanged) return Done{};
    return write_atomically(lowered, text, 0644);
  }

  const ImportRequest& request_;
  std::vector<TaskName> names_;
  Waiting waiting_;
  std::vector<std::size_t> open_;  // sources that are to be lowered
  std::vector<bool> fresh_;        // got a number that no task has, because they have none
  std::map<std::size_t, std::string> held_back_;  // lowered forms of those, until all are there
  std::vector<ImportOutcome> outcomes_;
};

Result<std::vector<TaskEntry>> tasks_of(const fs::path& suite) {
  std::error_code failure;
  fs::create_directories(suite, failure);
  if (failure) {
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("cannot make {}: {}", suite.string(), failure.message()),
                 "choose another folder for --out"};
  }
  return list_tasks(suite);
}

}  // namespace

Result<std::vector<ImportOutcome>> import_tasks(
    Sandbox& sandbox, const LoweringSetup& setup, const ImportRequest& request,
    const LoweringOptions& options,
    const std::function<void(std::size_t index, const ImportOutcome&)>& on_done) {
  const auto suite = tasks_of(request.suite);
  if (!suite) return suite.error();
  Importer importer(request, name_tasks(request.sources, *suite, request.default_level), *suite);
  for (std::size_t i = 0; i < importer.outcomes().size(); ++i)
    if (importer.outcomes()[i].error) on_done(i, importer.outcomes()[i]);

  Status written = Done{};
  LoweringOptions lowering = options;
  lowering.stop = [&] { return !written || (options.stop && options.stop()); };
  const auto requests = importer.requests();
  auto lowered = lower_files(sandbox, setup, requests, lowering,
                             [&](std::size_t position, const LoweringAnswer& answer) {
                               const std::size_t index = importer.open()[position];
                               if (written) written = importer.finish(index, answer);
                               if (written) on_done(index, importer.outcomes()[index]);
                             });
  if (!lowered) return lowered.error();
  if (written) written = importer.finish_numbered();
  if (!written) return written.error();
  return std::move(importer.outcomes());
}

}  // namespace kbench
