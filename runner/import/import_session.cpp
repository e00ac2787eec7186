#include "runner/import/import_session.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/usable_cores.hpp"
#include "runner/import/lowering_setup.hpp"
#include "runner/import/survey.hpp"
#include "runner/installation/python_facts.hpp"
#include "runner/installation/torch_search.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/stop_signals.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr int kMostProcesses = 16;  // each takes about half a GiB

class ImportSession {
 public:
  ImportSession(const SuiteImport& request, const Installation& installation,
                ProgressSink& progress)
      : options_(request),
        installation_(installation),
        progress_(progress),
        sandbox_(make_sandbox()) {}

  Result<std::vector<ImportOutcome>> run() {
    auto outcomes = import_all();
    progress_.end();
    return outcomes;
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

  const SuiteImport& options_;
  const Installation& installation_;
  ProgressSink& progress_;
  std::unique_ptr<Sandbox> sandbox_;
  InterruptGuard guard_;
};

}  // namespace

std::string_view to_string(ImportOutcome::State state) {
  switch (state) {
    case ImportOutcome::State::kImported: return "imported";
    case ImportOutcome::State::kReplaced: return "replaced";
    case ImportOutcome::State::kUnchanged: return "unchanged";
    case ImportOutcome::State::kFailed: return "failed";
    case ImportOutcome::State::kInterrupted: return "interrupted";
  }
  return "";
}

Result<std::vector<ImportOutcome>> import_suite(const SuiteImport& request,
                                                const Installation& installation,
                                                ProgressSink& progress) {
  const auto complete = with_torch(installation, process_environment(), ask_for_torch);
  if (!complete) return complete.error();
  return ImportSession(request, *complete, progress).run();
}

}  // namespace kbench
