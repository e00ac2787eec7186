#include "runner/import/reference.hpp"

#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/import/importer.hpp"
#include "runner/import/sources.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/task/suite.hpp"
#include "runner/task/task.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashLetters = 12;
constexpr std::size_t kMostNameLetters = 60;
constexpr std::size_t kMostReferenceBytes = std::size_t{4}
                                            << 20;  // size of a file; an importer takes fewer

Error of_reference(ErrorCode code, const ImportSource& source, const ImportError& error) {
  const std::string place =
      error.line > 0 ? fmt::format("{}:{}", source.where, error.line) : source.where;
  std::string hint = hint_for_run(error.hint);
  if (code == ErrorCode::kBadInput)
    hint += fmt::format("{}the submission was not looked at", hint.empty() ? "" : "; ");
  return {code, fmt::format("the reference {} cannot be imported: {}", place, error.what), hint};
}

ErrorCode code_of(ImportError::Fault fault) {
  return fault == ImportError::Fault::kMachine ? ErrorCode::kInfrastructure : ErrorCode::kBadInput;
}

// One file and nothing else. Errors: kUsage.
Result<ImportSource> read_reference(const fs::path& file) {
  if (file.extension() != ".py")
    return Error{ErrorCode::kUsage,
                 fmt::format("the reference {} is no Python file", clean_name(file.string(), 200)),
                 "give a file that defines Model, get_inputs and get_init_inputs, as KernelBench's "
                 "problems do"};
  std::error_code failed;
  if (!fs::is_regular_file(file, failed))
    return Error{ErrorCode::kUsage,
                 fmt::format("the reference {} is {}", clean_name(file.string(), 200),
                             fs::exists(file, failed) ? "no file" : "not there"),
                 "--reference names a Python file"};
  auto sources = find_sources({file}, {}, [](const fs::path&) -> Result<std::string> {
    return Error{ErrorCode::kUsage, "a reference is no table", ""};
  });
  if (!sources) return sources.error();
  ImportSource source = std::move(sources->front());
  if (source.error) return of_reference(ErrorCode::kUsage, source, *source.error);
  return source;
}

// Letters that a folder's name may have; what is lost, the hash tells apart.
std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char c : name.substr(0, kMostNameLetters)) {
    const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    plain += fine ? c : '_';
  }
  return plain.empty() ? "reference" : plain;
}

// The task that was imported of this very text, which still lies beside it: rows rank only where
// both compute the same. One that cannot be read is imported again.
std::optional<KeptReference> find_kept(const fs::path& suite, const std::string& hash) {
  const auto entries = list_tasks(suite);
  if (!entries || entries->size() != 1) return std::nullopt;
  const auto task = load_task(entries->front().file);
  if (!task || task->source_sha256 != hash) return std::nullopt;
  const auto text = read_foreign_file(task->source, kMostReferenceBytes);
  if (!text || sha256(*text) != hash) return std::nullopt;
  return KeptReference{suite, task->id, /*found=*/true, task->note};
}

}  // namespace

std::string hint_for_run(const std::string& hint) {
  if (!hint.starts_with("--")) return hint;
  return fmt::format(
      "`kbench import REF.py --out SUITE` takes {}; then `kbench run FILE --suite SUITE --task "
      "NAME`",
      hint.substr(0, hint.find(' ')));
}

Result<KeptReference> take_reference(Sandbox& sandbox, const SetUpLowering& set_up,
                                     const fs::path& file, const fs::path& kept,
                                     const LoweringOptions& options) {
  auto source = read_reference(file);
  if (!source) return source.error();
  const std::string hash = sha256(source->text);
  const fs::path suite =
      kept / fmt::format("{}-{}", plain_name(file.stem().string()), hash.substr(0, kHashLetters));
  if (auto found = find_kept(suite, hash)) return *std::move(found);
  const auto setup = set_up();
  if (!setup) return setup.error();
  std::error_code failed;
  fs::create_directories(kept, failed);
  const ImportSource named = *source;
  const ImportRequest request{{std::move(*source)}, suite, 1};
  const auto outcomes =
      import_tasks(sandbox, *setup, request, options, [](std::size_t, const ImportOutcome&) {});
  if (!outcomes) return outcomes.error();
  const ImportOutcome& outcome = outcomes->front();
  if (outcome.error) return of_reference(code_of(outcome.error->fault), named, *outcome.error);
  if (outcome.state == ImportOutcome::State::kInterrupted)
    return Error{ErrorCode::kInterrupted, "importing the reference was interrupted",
                 "the same command begins it again"};
  return KeptReference{suite, outcome.task, /*found=*/false, outcome.note};
}

}  // namespace kbench
