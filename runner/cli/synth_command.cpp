#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/print/progress.hpp"
#include "runner/print/task_text.hpp"
#include "runner/synthesis/operator_range.hpp"
#include "runner/synthesis/synth_session.hpp"

namespace kbench {
namespace {

constexpr int kMostCandidates = 999'999;  // largest number of a task

void add_operators(CLI::App& app, SynthOptions& options) {
  const CLI::Validator counts(
      [](std::string& text) {
        return parse_operator_range(text)
                   ? ""
                   : "\"" + text + "\" is no number of operators, such as 3 or 1..5";
      },
      "");
  const auto set = [&options](const std::string& text) {
    if (const auto range = parse_operator_range(text))
      std::tie(options.least, options.most) = *range;
  };
  app.add_option_function<std::string>("--operators", set,
                                       "How many operators, such as 3 or 2..4 (default: 1..5)")
      ->check(counts)
      ->type_name("K..K");
}

}  // namespace

CLI::App* add_synth(CLI::App& app, SynthOptions& options) {
  auto& synth =
      add_verb(app, "synth", "Compose new tasks, and keep each task that rejects wrong kernels");
  add_value(synth, "--out", options.out, "DIR", "Folder of the suite")->required();
  add_number(synth, "--count", options.count, 1, kMostCandidates,
             "Candidates to try (default: 100)");
  add_number(synth, "--seed", options.seed, 0, std::numeric_limits<std::int64_t>::max(),
             "Seed that the candidates are drawn from (default: 0)");
  add_operators(synth, options);
  add_many(synth, "--from", options.from, "PATH",
           "Take the candidates of files or tables, as import does; may be repeated");
  add_device(synth, options.device);
  add_devices(synth, options.devices);
  add_parsed(synth, "--shard", options.shard, parse_shard, "I/N",
             "Only the I-th of N parts of the candidates");
  add_word(synth, "--mode", options.mode, {"train", "eval"},
           "Batch norm by the batch's statistics, or by the running ones (default: train)");
  add_path(synth, "--held-out", options.held_out, "DIR",
           "Suite whose tasks nobody may be trained on (default: the shipped one)");
  synth.add_flag("--no-packages", options.no_packages, "Build no compiled baselines");
  synth.add_flag("--no-run", options.no_run, "Only lower, and look at the graphs");
  synth.add_flag("--resume", options.resume, "Go on in --out where it was left");
  add_json(synth, options.format, "Format of the summary");
  add_common(synth, options.common, false);
  return &synth;
}

Result<End> call(const SynthOptions& options, const Installation& installation) {
  Progress progress = progress_of(options.common);
  const auto outcome = synthesize(options, installation, progress);
  if (!outcome) return outcome.error();
  if (options.format == OutputFormat::kJson)
    fmt::print("{}", outcome->manifest);
  else
    fmt::print("{}", synthesis_text(*outcome));
  const ExitCode code = outcome->interrupted ? ExitCode::kInterrupted
                        : outcome->kept > 0  ? ExitCode::kGood
                                             : ExitCode::kNothingSelected;
  return End{code, synthesis_words(*outcome, options.out)};
}

}  // namespace kbench
