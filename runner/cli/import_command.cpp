#include "runner/cli/import_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/cli/outcome.hpp"
#include "runner/cli/progress.hpp"
#include "runner/core/json.hpp"
#include "runner/core/usable_cores.hpp"
#include "runner/import/importer.hpp"
#include "runner/import/lowering_setup.hpp"
#include "runner/import/survey.hpp"
#include "runner/installation/python_facts.hpp"
#include "runner/installation/torch_search.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/stop_signals.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using State = ImportOutcome::State;
using Fault = ImportError::Fault;

constexpr int kSchemaVersion = 1;
constexpr int kMostProcesses = 16;  // each takes about half a GiB

std::string_view to_string(State state) {
  switch (state) {
    case State::kImported: return "imported";
    case State::kReplaced: return "replaced";
    case State::kUnchanged: return "unchanged";
    case State::kFailed: return "failed";
    case State::kInterrupted: return "interrupted";
  }
  return "";
}

std::string_view to_string(Fault fault) {
  switch (fault) {
    case Fault::kFile: return "file";
    case Fault::kLimit: return "limit";
    case Fault::kMachine: return "machine";
  }
  return "";
}

std::string_view in_words(Fault fault) {
  switch (fault) {
    case Fault::kFile: return "the file's fault";
    case Fault::kLimit: return "a limit of tasks";
    case Fault::kMachine: return "this machine's fault";
  }
  return "";
}

// "dir/bad.py:3: SyntaxError: invalid syntax (the file's fault; correct that line)"
std::string error_text(const ImportOutcome& outcome) {
  const ImportError& error = *outcome.error;
  return fmt::format("{}{}: {} ({}{}{})", outcome.where,
                     error.line > 0 ? fmt::format(":{}", error.line) : "", error.what,
                     in_words(error.fault), error.hint.empty() ? "" : "; ", error.hint);
}

Json outcome_json(const ImportOutcome& outcome) {
  Json json = {{"source", outcome.where},
               {"task", outcome.task},
               {"state", to_string(outcome.state)},
               {"note", outcome.note.empty() ? Json() : Json(outcome.note)},
               {"error", nullptr}};
  if (const auto& error = outcome.error) {
    json["error"] = {{"line", error->line > 0 ? Json(error->line) : Json()},
                     {"what", error->what},
                     {"fault", to_string(error->fault)},
                     {"hint", error->hint}};
  }
  return json;
}

void print_json(const ImportOptions& options, const std::vector<ImportOutcome>& outcomes) {
  Json json = {{"schema_version", kSchemaVersion},
               {"suite", options.out.string()},
               {"mode", options.mode},
               {"results", Json::array()}};
  for (const auto& outcome : outcomes) json["results"].push_back(outcome_json(outcome));
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

void print_table(const Terminal& out, const std::vector<ImportOutcome>& outcomes) {
  std::size_t width = 0;
  for (const auto& outcome : outcomes)
    if (!outcome.error) width = std::max(width, outcome.task.size());
  for (const auto& outcome : outcomes) {
    const bool bad = outcome.error.has_value();
    const auto word = fmt::format("{:11}", to_string(outcome.state));
    const auto rest =
        bad ? error_text(outcome) : fmt::format("{:{}}  {}", outcome.task, width, outcome.where);
    fmt::print("{} {}\n", out.paint(bad ? Color::kRed : Color::kGreen, word), printable(rest));
  }
}

// Of an import of which something failed. What only another machine can mend is no file's fault.
ExitCode code_of(const std::vector<ImportOutcome>& outcomes) {
  const bool by_files =
      std::any_of(outcomes.begin(), outcomes.end(), [](const ImportOutcome& outcome) {
        return outcome.error && outcome.error->fault != Fault::kMachine;
      });
  return by_files ? ExitCode::kTaskFailed : ExitCode::kInfrastructure;
}

class ImportSession {
 public:
  ImportSession(const ImportOptions& options, const Installation& installation)
      : options_(options),
        installation_(installation),
        terminal_(inspect_terminal(STDERR_FILENO, options.common.color)),
        progress_(stderr, terminal_, options.common.verbosity),
        sandbox_(make_sandbox()) {}

  int run() {
    const auto outcomes = import_all();
    progress_.end();
    if (!outcomes) return fail(outcomes.error(), terminal_);
    if (outcomes->empty())
      return finish(ExitCode::kNothingSelected,
                    "nothing to import: a folder gives the .py files of its levelN folders, or the "
                    ".py, .jsonl and .parquet files that lie in it",
                    options_.common.verbosity);
    if (options_.format == OutputFormat::kJson) {
      print_json(options_, *outcomes);
    } else {
      print_table(inspect_terminal(STDOUT_FILENO, options_.common.color), *outcomes);
    }
    return conclude(*outcomes);
  }

 private:
  Result<std::vector<ImportOutcome>> import_all() {
    if (installation_.python.empty()) {
      return Error{ErrorCode::kInfrastructure, installation_.python_reason,
                   "importing needs a Python with torch 2.9 or newer; KBENCH_TORCH names one"};
    }
    const auto facts = ask_python(installation_.python);
    if (!facts) return facts.error();
    const LoweringSetup setup = lowering_setup(installation_, *facts, options_.memory_gib);
    if (const auto& level = sandbox_->level(false); !level.bubblewrap) {
      progress_.warn(
          fmt::format("the sandbox here is weak ({}): import only files that you would "
                      "run yourself",
                      level.to_string()));
    }
    auto sources = find_sources(options_.paths, options_.out, [&](const fs::path& file) {
      return read_parquet(*sandbox_, setup, file);
    });
    if (!sources) return sources.error();
    for (const fs::path& path : options_.paths) say_what_lies_in(path);
    if (sources->empty()) return std::vector<ImportOutcome>{};
    return import_sources(setup, std::move(*sources));
  }

  // A repository of others, folder by folder: what is taken, and what is not and could be.
  void say_what_lies_in(const fs::path& path) {
    constexpr std::size_t kMostLines = 12;
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) return;
    std::vector<std::string> lines;
    std::vector<std::string> taken;
    for (const SurveyedFolder& folder : survey(path)) {
      if (std::string words = left_out_words(folder); !words.empty())
        lines.push_back(std::move(words));
      else if (folder.taken)
        taken.push_back(
            fmt::format("{} ({})", clean_name(folder.folder.string(), 200), folder.files));
    }
    if (lines.empty()) return;
    if (!taken.empty()) progress_.warn("files are taken from " + some_of(taken, kMostLines));
    const std::size_t left = lines.size() - std::min(lines.size(), kMostLines);
    lines.resize(lines.size() - left);
    for (const std::string& line : lines) progress_.warn(line);
    if (left > 0) progress_.warn(fmt::format("and so are those of {} more folders", left));
  }

  static std::string some_of(const std::vector<std::string>& names, std::size_t most) {
    const std::size_t shown = std::min(names.size(), most);
    std::string text = fmt::format(
        "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
    return text;
  }

  Result<std::vector<ImportOutcome>> import_sources(const LoweringSetup& setup,
                                                    std::vector<ImportSource> sources) {
    const ImportRequest request{std::move(sources), options_.out, options_.level};
    LoweringOptions lowering;
    lowering.mode = options_.mode == "eval" ? "eval" : "batch-stats";
    lowering.processes =
        options_.jobs > 0
            ? options_.jobs
            : processes_for(request.sources.size(), std::min(usable_threads(), kMostProcesses));
    lowering.cpu_limit = std::chrono::seconds(options_.timeout_s);
    lowering.tick = [this] { progress_.tick(); };
    lowering.stop = [this] { return guard_.interrupted(); };
    progress_.begin("importing", std::vector<double>(request.sources.size(), 0));
    std::size_t done = 0;
    return import_tasks(
        *sandbox_, setup, request, lowering, [&](std::size_t, const ImportOutcome& outcome) {
          progress_.item(done++, outcome.where);
          progress_.item_done(
              fmt::format("{} {}", to_string(outcome.state), printable(outcome.where)));
        });
  }

  int conclude(const std::vector<ImportOutcome>& outcomes) {
    const auto count = [&](State state) {
      return std::count_if(outcomes.begin(), outcomes.end(),
                           [&](const ImportOutcome& outcome) { return outcome.state == state; });
    };
    const auto failed = count(State::kFailed);
    const auto left = count(State::kInterrupted);
    const auto good = static_cast<std::ptrdiff_t>(outcomes.size()) - failed - left;
    const std::string text = fmt::format("{} of {} imported into {}", good, outcomes.size(),
                                         printable(options_.out.string()));
    if (good > 0)
      progress_.note(
          "before a task's first timed row it is checked against its own Python, for which a "
          "Python with torch has "
          "to be there, or the record of a machine that has one (kbench help tasks); unchecked it "
          "ranks nobody");
    if (left > 0) {
      return finish(ExitCode::kInterrupted,
                    text + "; interrupted, the same command goes on from there", 0);
    }
    if (failed > 0) return finish(code_of(outcomes), fmt::format("{}; {} failed", text, failed), 0);
    return finish(ExitCode::kGood, text, options_.common.verbosity);
  }

  const ImportOptions& options_;
  const Installation& installation_;
  Terminal terminal_;
  Progress progress_;
  std::unique_ptr<Sandbox> sandbox_;
  InterruptGuard guard_;
};

}  // namespace

int import_command(const ImportOptions& options, const Installation& installation) {
  const auto complete = with_torch(installation, process_environment(), ask_for_torch);
  if (!complete) {
    return fail(complete.error(), inspect_terminal(STDERR_FILENO, options.common.color));
  }
  return ImportSession(options, *complete).run();
}

}  // namespace kbench
