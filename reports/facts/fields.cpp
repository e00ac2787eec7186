#include "reports/facts/fields.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "reports/facts/rewards.hpp"
#include "reports/facts/sanitize.hpp"
#include "runner/analysis/speedup.hpp"

namespace kbench {

double nine_digits(double value) {
  return std::isfinite(value) ? std::stod(fmt::format("{:.9g}", value)) : value;
}

Json rounded(double value) { return std::isfinite(value) ? Json(nine_digits(value)) : Json(); }

namespace {

// JSON has neither NaN nor infinity.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(); }

template <class T>
Json nullable(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json text_of(const ResultRow& row, const std::string& text) {
  return row.has_submission ? Json(text) : Json();
}

constexpr std::array<SpeedupPart, 8> kSpeedupParts{{
    {"estimate", [](const Speedup& of) { return rounded(of.estimate); }},
    {"low", [](const Speedup& of) { return rounded(of.low); }},
    {"high", [](const Speedup& of) { return rounded(of.high); }},
    {"verdict", [](const Speedup& of) { return Json(to_string(of.verdict)); }},
    {"confidence", [](const Speedup& of) { return rounded(of.confidence); }},
    {"half_width", [](const Speedup& of) { return rounded(of.half_width()); }},
    {"units", [](const Speedup& of) { return Json(of.units); }},
    {"calibrated", [](const Speedup& of) { return Json(of.calibrated); }},
}};

Json to_json(const std::optional<Speedup>& speedup) {
  if (!speedup) return {};
  Json object = Json::object();
  for (const SpeedupPart& part : kSpeedupParts)
    object[std::string(part.name)] = part.value(*speedup);
  return object;
}

Json reasons(const ResultRow& row) {
  Json object = Json::object();
  if (!row.eager.median_ns) object["eager"] = row.eager.reason;
  if (!row.compiled.median_ns) object["compiled"] = row.compiled.reason;
  if (!row.submitted.median_ns) object["submission"] = row.submitted.reason;
  return object;
}

Json sources_json(const ResultRow& row) {
  if (row.sources.empty()) return {};
  Json files = Json::array();
  for (const TreeFile& file : row.sources)
    files.push_back({{"path", file.path}, {"hash", file.hash}, {"bytes", file.bytes}});
  return {{"tree", row.tree_hash}, {"files", std::move(files)}};
}

using Row = const ResultRow&;

// Null where no reward pays for the row, be it right or wrong.
Json pay_of(Row row) {
  if (!why_no_reward(reward_row(row)).empty()) return {};
  return to_string(fault_of(row.state) == Fault::kSubmission ? Pay::kFailure : row.credit.pay);
}

constexpr std::array kFields{
    Field{"task", "Task", Unit::kText, "What was computed: the level and the name of the task.",
          [](Row r) -> Json { return r.task; }},
    Field{"level", "Level", Unit::kCount,
          "1: one operator. 2: a few operators that can be fused. 3: a whole network.",
          [](Row r) -> Json { return r.level; }},
    Field{"size", "Size", Unit::kText, "Which shapes: small ones for a CPU, full ones for a GPU.",
          [](Row r) -> Json { return r.size; }},
    Field{"device", "Device", Unit::kText, "The kind of device: cpu or cuda.",
          [](Row r) -> Json { return r.device; }},
    Field{"device_name", "Device's name", Unit::kText,
          "Which device it was. Times of different devices are not compared.",
          [](Row r) { return r.device_name.empty() ? Json() : Json(r.device_name); }},
    Field{"device_uuid", "Device's UUID", Unit::kText,
          "Which GPU of that name judged the submission: the rows of a run may be of several. "
          "Null on a CPU, in a row that never reached the device, and in rows of an older kbench.",
          [](Row r) { return r.device_uuid.empty() ? Json() : Json(r.device_uuid); }},
    Field{"agent", "Agent", Unit::kText, "Who submitted the kernel.",
          [](Row r) { return text_of(r, r.agent); }},
    Field{"submission", "Submission", Unit::kText, "The file or folder that was submitted.",
          [](Row r) { return text_of(r, r.submission); }},
    Field{"variant", "Variant", Unit::kText,
          "An agent may submit several variants for a task; the best correct one counts.",
          [](Row r) { return text_of(r, r.variant); }},
    Field{"state", "State", Unit::kText,
          "How the evaluation ended. Only \"ok\" counts in a score; \"States\" lists them all.",
          [](Row r) -> Json { return to_string(r.state); }},
    Field{"fault", "Fault", Unit::kText,
          "Whose fault a failure is: the submission's, or the benchmark's and its machine's.",
          [](Row r) -> Json { return to_string(r.fault); }},
    Field{"correct", "Correct", Unit::kFlag,
          "Whether every output of every fresh draw was within its tolerance of a double-precision "
          "reference. Empty when it was never judged.",
          [](Row r) { return nullable(r.correct); }},
    Field{"time_ns.eager", "Eager (ms)", Unit::kNanoseconds,
          "Median time of one call of LibTorch, operator by operator.",
          [](Row r) { return number(r.eager.median_ns); }},
    Field{"time_ns.compiled", "Compiled (ms)", Unit::kNanoseconds,
          "Median time of one call of the same graph compiled by AOTInductor.",
          [](Row r) { return number(r.compiled.median_ns); }},
    Field{"time_ns.submission", "Submission (ms)", Unit::kNanoseconds,
          "Median time of one call of the submitted kernel.",
          [](Row r) { return number(r.submitted.median_ns); }},
    Field{"time_ns.reason", "Why not timed", Unit::kObject,
          "For each missing time, why it is missing.", reasons},
    Field{
        "speedup.eager", "vs eager", Unit::kSpeedup,
        "Eager time over submission time: 2.00× means the kernel needs half the time. In brackets "
        "the interval that holds the true value with about 95 % confidence. Both sides take turns "
        "in short blocks, so that a slow moment of the machine hits both.",
        [](Row r) { return to_json(r.over_eager); }},
    Field{"speedup.compiled", "vs compiled", Unit::kSpeedup,
          "The same against the compiled baseline.",
          [](Row r) { return to_json(r.over_compiled); }},
    Field{"baseline_speedup", "Compiled vs eager", Unit::kSpeedup,
          "What compilation alone gains: eager time over compiled time.",
          [](Row r) { return to_json(r.baseline); }},
    Field{"max_error", "Max error", Unit::kError,
          "The largest difference from the double-precision reference, in the worst draw.",
          [](Row r) { return number(r.max_error); }},
    Field{"tolerance", "Tolerance", Unit::kError,
          "The difference that was allowed there; it follows from the error eager itself makes.",
          [](Row r) { return number(r.tolerance); }},
    Field{
        "message", "Message", Unit::kText,
        "What went wrong, in words; of a row with the label fallback, too, what does not compile.",
        [](Row r) -> Json { return r.message; }},
    Field{"hint", "Next step", Unit::kText, "What to do about it.",
          [](Row r) -> Json { return r.hint; }},
    Field{"samples.kept", "Samples", Unit::kCount, "Timed visits behind the numbers of this row.",
          [](Row r) -> Json { return r.counts.kept; }},
    Field{
        "samples.dropped", "Dropped", Unit::kCount,
        "Timed visits left out because the machine disturbed them; they are kept in the database.",
        [](Row r) -> Json { return r.counts.dropped; }},
    Field{"samples.blocks", "Blocks", Unit::kCount,
          "Each block visits every side twice, in an order drawn anew.",
          [](Row r) -> Json { return r.counts.blocks; }},
    Field{"samples.placements", "Placements", Unit::kCount,
          "Sets of buffer addresses. Where buffers lie changes times, so intervals are over "
          "placements.",
          [](Row r) -> Json { return r.counts.placements; }},
    Field{"prepare_ns", "Prepare (ms)", Unit::kNanoseconds,
          "Time of kbench_prepare, which runs once per parameter set and is not part of a call.",
          [](Row r) { return nullable(r.prepare_ns); }},
    Field{"copy_ns", "Copy (ms)", Unit::kNanoseconds,
          "Of a Python submission of protocol 2 or 3: what copying the outputs of a call to where "
          "they are judged takes, as measured before it was loaded. Taken off of its time.",
          [](Row r) { return nullable(r.copy_ns); }},
    Field{"precision", "Precision", Unit::kText, "Precision class of the baselines.",
          [](Row r) -> Json { return r.precision; }},
    Field{"profile", "Profile", Unit::kText,
          "By whose rule and on whose inputs it was judged: kbench's own, or those of another "
          "benchmark for comparison. Profiles are never ranked together.",
          [](Row r) -> Json { return r.profile; }},
    Field{"lint", "Lint", Unit::kText,
          "Whether the task rejects wrong kernels: it was tried with submissions that are wrong on "
          "purpose. Empty when nobody tried (`kbench tasks lint`).",
          [](Row r) -> Json { return r.lint.empty() ? Json() : Json(r.lint); }},
    Field{
        "ranked", "Ranked", Unit::kFlag,
        "Whether the row counts in scores; a failure counts too, as not solved. No where a "
        "submission that computes nothing passes, "
        "because the output does not depend on the inputs, where nothing was timed, and where the "
        "rows of the run are not as they were stored, or nobody here can tell.",
        [](Row r) -> Json { return r.ranked(); }},
    Field{"unranked_reason", "Why not ranked", Unit::kText,
          "Why the row counts in no score; empty where it does.",
          [](Row r) { return r.ranked() ? Json() : Json(r.credit.unranked); }},
    Field{
        "uncredited_reason", "Why the speed-up does not count", Unit::kText,
        "Why the speed-ups of a row count in no mean, in no share of fast tasks and in no reward "
        "beyond that of a correct kernel: it has no verdict, or is faster than the device can be. "
        "Empty where they count, and where there are none.",
        [](Row r) { return r.credit.uncredited.empty() ? Json() : Json(r.credit.uncredited); }},
    Field{
        "pay", "Paid for", Unit::kText,
        "What a reward pays the row for: failure, where the submission failed, or where it "
        "computes with torch, its run does not allow all of torch (--allow-torch), and it is not "
        "faster than eager by "
        "more than the margin; else the row is correct, and that is its speedup; at_most_same, up "
        "to that of a kernel as fast as the baseline, where the machine was busy, few blocks were "
        "timed or it is below the floor; or correct, where the speed-up has no verdict for another "
        "reason. Empty where the row has no reward: it was not judged, or is not ranked.",
        pay_of},
    Field{"below_floor", "Below the floor", Unit::kFlag,
          "Whether a call took less time than the floor, and less than 80 % of eager's and of "
          "compiled's time. Such a row counts as not solved, even if the machine was busy.",
          [](Row r) { return r.has_submission ? Json(r.credit.below_floor) : Json(); }},
    Field{"submission_precision", "Declared precision", Unit::kText,
          "Precision class the submission declares.",
          [](Row r) { return text_of(r, r.submission_precision); }},
    Field{"vendor_library", "Vendor library", Unit::kFlag,
          "Whether the submission links cuBLAS or cuDNN, as its manifest asked.",
          [](Row r) { return r.has_submission ? Json(r.vendor_library) : Json(); }},
    Field{
        "worker_kind", "Kind", Unit::kText,
        "What was submitted: native (C++ or CUDA, compiled) or python (a class ModelNew, played by "
        "a Python with torch).",
        [](Row r) { return text_of(r, r.worker_kind); }},
    Field{"torch_operators", "Torch operators", Unit::kText,
          "What a Python submission was seen to compute with that it did not bring: operators of "
          "torch that it called in a checked call, with their counts and their share of the "
          "model's time in that call (on a GPU of the device's), and, on a CPU, libraries in which "
          "its threads were found for more than 5 % of the time: an observation, no proof. Such a "
          "row is ranked apart, unless the run allowed all (--allow-torch). Empty where none was "
          "seen.",
          [](Row r) { return r.torch_operators.empty() ? Json() : Json(r.torch_operators); }},
    Field{
        "sources", "Sources", Unit::kObject,
        "The files that were compiled, each by the SHA-256 of what it holds, and the hash of them "
        "all. Empty where none were kept. `kbench sources` writes them.",
        sources_json},
    Field{"sandbox", "Sandbox", Unit::kText,
          "Which layers kept the submission away from the rest of the machine.",
          [](Row r) -> Json { return r.sandbox_level; }},
    Field{"labels", "Labels", Unit::kText,
          "What a reader may want to look at: findings in the sources (streams, clocks, dlopen), "
          "unknown libraries in its process, a machine busy with other programs (busy_machine), "
          "an extension that does not compile while its file goes on without it (fallback); "
          "empty without any. No reason to fail.",
          [](Row r) { return r.labels.empty() ? Json() : Json(r.labels); }},
    Field{"floor_ns", "Floor (ms)", Unit::kNanoseconds,
          "A time that no kernel can beat: it counts less work than the limit, at the highest "
          "peaks known of the device.",
          [](Row r) { return number(r.floor_ns); }},
    Field{"limit_ns", "Limit (ms)", Unit::kNanoseconds,
          "The best estimate of the least time of the task's work as one kernel: its bytes at the "
          "device's bandwidth or its products at the device's peak, whichever is longer.",
          [](Row r) { return number(r.limit_ns); }},
    Field{"unfused_limit_ns", "Limit unfused (ms)", Unit::kNanoseconds,
          "The same where every operator reads and writes memory by itself: how far above the "
          "limit it lies is what fusing alone can win.",
          [](Row r) { return number(r.unfused_limit_ns); }},
    Field{"limit_basis", "Limit by", Unit::kText,
          "Whether bytes or products bound it, and whether the device's limits were calibrated "
          "(and when) or measured beside it; why there is no limit, where there is none.",
          [](Row r) { return r.limit_basis.empty() ? Json() : Json(r.limit_basis); }},
    Field{"limit_share", "Share of limit", Unit::kError,
          "The limit over the time of a call of the submission; of rows from before, the floor.",
          [](Row r) { return number(r.share_of_limit(Side::kSubmission)); }},
    Field{"limit_share_eager", "Eager's share", Unit::kError,
          "The limit over the time of a call of eager.",
          [](Row r) { return number(r.share_of_limit(Side::kEager)); }},
    Field{
        "vendor.time_ns", "Vendor (ms)", Unit::kNanoseconds,
        "Median time of one call of cuBLASLt or cuDNN that computes the whole task, in a run with "
        "--vendor.",
        [](Row r) { return number(r.vendor.median_ns); }},
    Field{"vendor.reason", "Why no vendor", Unit::kText,
          "Why the task has no time of a vendor's library. Empty where it has one, and where the "
          "run did not ask.",
          [](Row r) {
            return r.vendor.median_ns || r.vendor.reason.empty() ? Json() : Json(r.vendor.reason);
          }},
    Field{"vendor.algorithm", "Vendor's algorithm", Unit::kText,
          "The library, and the algorithm that was the fastest of those that its heuristics named.",
          [](Row r) { return r.vendor_algorithm.empty() ? Json() : Json(r.vendor_algorithm); }},
    Field{"vendor.speedup", "vs vendor", Unit::kSpeedup, "The vendor's time over submission time.",
          [](Row r) { return to_json(r.over_vendor); }},
    Field{
        "vendor.over_eager", "Vendor vs eager", Unit::kSpeedup,
        "Eager time over the vendor's time: above 1, eager does not call the library as well as it "
        "could.",
        [](Row r) { return to_json(r.vendor_over_eager); }},
    Field{"repeats", "Repeats", Unit::kCount,
          "How often it was measured again, by fresh processes and with a new key, because it "
          "seemed too fast, clocks contradicted it or the machine was busy.",
          [](Row r) -> Json { return r.repeats; }},
    Field{
        "timed", "Timed", Unit::kFlag,
        "Whether it was timed. No in a run with --checks-only: such a row has no times, and counts "
        "in no score, on no page and in no reward.",
        [](Row r) -> Json { return r.timed; }},
    Field{
        "protocol", "Protocol", Unit::kCount,
        "How it was measured: 1 began its clocks on an idle device and believed what a CPU worker "
        "said of its time; 2 counted a copy of transposed outputs in the baselines' times; 3 took "
        "what copying its outputs takes off of a Python submission's time. Times of different "
        "protocols are not compared.",
        [](Row r) -> Json { return r.protocol; }},
    Field{"calibrated_at", "Calibrated", Unit::kText,
          "When it was measured by how much equal runs of this device differ; intervals contain "
          "that. Empty where nobody measured it: then there is no verdict.",
          [](Row r) { return r.calibrated_at.empty() ? Json() : Json(r.calibrated_at); }},
    Field{"no_verdict_reason", "Why no verdict", Unit::kText,
          "Why a speed-up has no verdict; empty where it has one.",
          [](Row r) { return r.no_verdict.empty() ? Json() : Json(r.no_verdict); }},
    Field{"chain", "Chain", Unit::kText,
          "Whether the rows of its run are as they were stored: holds, changed, unchecked (the key "
          "of their chain is elsewhere) or unchained (nobody can tell).",
          [](Row r) { return r.chain.empty() ? Json() : Json(r.chain); }},
    Field{"seed", "Seed", Unit::kText,
          "The seed of its inputs and parameters, in hex: revealed once the row is measured. A run "
          "with --seed makes it of that number, the task and its size. Empty where nothing was "
          "drawn.",
          [](Row r) { return r.seed.empty() ? Json() : Json(r.seed); }},
    Field{
        "build_seconds", "Build (s)", Unit::kSeconds,
        "Seconds that compiling the submission took, when it was compiled: what comes from a cache "
        "took as long once. It is no part of any call.",
        [](Row r) { return number(r.build_seconds); }},
    Field{"wall_seconds", "Took (s)", Unit::kSeconds, "Seconds the whole evaluation took.",
          [](Row r) { return number(r.wall_seconds); }},
};

struct StateLook {
  State state;
  std::string_view glyph;
  Tone tone;
  std::string_view help;
};

constexpr std::array kStateLooks{
    StateLook{State::kOk, "✓", Tone::kGood, "Ran to the end and was judged."},
    StateLook{State::kNoSubmission, "·", Tone::kNeutral,
              "The baselines were timed; nobody submitted for this task."},
    StateLook{State::kSkipped, "–", Tone::kNeutral,
              "Written for another device than this run's, or for what is not offered here."},
    StateLook{State::kRefused, "✗", Tone::kBad, "Exceeds the limits for one agent; not evaluated."},
    StateLook{State::kCompileError, "✗", Tone::kBad, "The compiler refused the submission."},
    StateLook{State::kMissingSymbol, "✗", Tone::kBad,
              "It does not define kbench_forward, or ModelNew."},
    StateLook{State::kLoadError, "✗", Tone::kBad, "The compiled library could not be loaded."},
    StateLook{State::kImportError, "✗", Tone::kBad, "Its Python file could not be imported."},
    StateLook{State::kParametersDiffer, "✗", Tone::kBad,
              "The parameters of its ModelNew are not those of the task."},
    StateLook{State::kSubmissionError, "✗", Tone::kBad, "The submission itself returned an error."},
    StateLook{State::kWrongResult, "✗", Tone::kBad, "An output was outside its tolerance."},
    StateLook{State::kCrash, "✗", Tone::kBad, "The process died in the submission's code."},
    StateLook{State::kTimeout, "✗", Tone::kBad, "It did not answer in time."},
    StateLook{State::kOverBudget, "✗", Tone::kBad,
              "It kept the run waiting for longer, or wrote more, than one submission may."},
    StateLook{State::kDoesNotFit, "!", Tone::kCaution,
              "The task needs more memory than the device has."},
    StateLook{State::kTimingInconsistent, "✗", Tone::kBad,
              "Its times contradict kbench's clock, an output changed after its call, or it used "
              "more cores "
              "than it was given."},
    StateLook{State::kRedzoneViolation, "✗", Tone::kBad, "It wrote outside of its outputs."},
    StateLook{State::kInputModified, "✗", Tone::kBad, "It changed an input or a parameter."},
    StateLook{State::kDeviceNotIdle, "✗", Tone::kBad,
              "It left work on the device while somebody else was timed."},
    StateLook{State::kRanWhileStopped, "✗", Tone::kBad,
              "A process of it ran while no call was outstanding."},
    StateLook{State::kForbiddenLibrary, "✗", Tone::kBad,
              "It mapped a library that it may not use, or did not declare."},
    StateLook{State::kSuspect, "⚑", Tone::kCaution,
              "Correct, but below the floor in two measurements: it counts as not solved."},
    StateLook{State::kInfrastructureError, "!", Tone::kCaution,
              "A fault of the benchmark or of the machine, not of the submission."},
};

const StateLook& look(State state) {
  const auto found = std::find_if(kStateLooks.begin(), kStateLooks.end(),
                                  [state](const StateLook& l) { return l.state == state; });
  return found == kStateLooks.end() ? kStateLooks.back() : *found;
}

// About three significant digits over the range that occurs.
int ratio_decimals(double ratio) { return ratio >= 100 ? 0 : ratio >= 10 ? 1 : ratio < 1 ? 3 : 2; }

// A verdict near 1 turns on one percent or three: a narrow interval there has a digit more, and is
// never "[1.01–1.02] UNDECIDED". So has one whose ends would look alike: "[1.21–1.21]" says
// nothing. The page has the same (format.js).
int interval_decimals(double estimate, double low, double high) {
  constexpr double kNear = 1.1;
  constexpr double kNarrow = 0.05;
  const int decimals = ratio_decimals(estimate);
  const bool is_near = estimate >= 1 && estimate < kNear && high - low < kNarrow;
  const bool looks_empty =
      low < high && fmt::format("{:.{}f}", low, decimals) == fmt::format("{:.{}f}", high, decimals);
  return decimals + (is_near || looks_empty ? 1 : 0);
}

// Says its confidence where that is not what a reader expects.
std::string show_interval(double estimate, double low, double high, double confidence) {
  const int decimals = interval_decimals(estimate, low, high);
  const std::string held =
      confidence < 0.95 ? fmt::format(" at {:.0f} %", 100 * confidence) : std::string();
  return fmt::format("{:.{}f}× [{:.{}f}–{:.{}f}]{}", estimate, decimals, low, decimals, high,
                     decimals, held);
}

std::string show_flag(const Json& value) { return value.get<bool>() ? "yes" : "no"; }

}  // namespace

std::span<const Field> result_fields() { return kFields; }

std::span<const SpeedupPart> speedup_parts() { return kSpeedupParts; }

const Field& result_field(std::string_view name) {
  for (const Field& field : kFields)
    if (field.name == name) return field;
  throw std::out_of_range(fmt::format("no result field {}", name));
}

const Field& speedup_field(Side baseline) {
  if (baseline == Side::kVendor) return result_field("vendor.speedup");
  return result_field(baseline == Side::kCompiled ? "speedup.compiled" : "speedup.eager");
}

std::string show(const Field& field, const ResultRow& row) {
  const Json value = field.value(row);
  if (value.is_null()) return "–";
  switch (field.unit) {
    case Unit::kText: return sanitize_line(value.get<std::string>());
    case Unit::kFlag: return show_flag(value);
    case Unit::kCount: return fmt::format("{}", value.get<std::int64_t>());
    case Unit::kNanoseconds: return show_ms(value.get<double>());
    case Unit::kSeconds: return fmt::format("{:.1f}", value.get<double>());
    case Unit::kError: return show_error(value.get<double>());
    case Unit::kSpeedup:
      return show_interval(value.at("estimate").get<double>(), value.at("low").get<double>(),
                           value.at("high").get<double>(), value.at("confidence").get<double>());
    case Unit::kObject: return value.dump();
  }
  return "–";
}

std::string show_speedup(const std::optional<Speedup>& speedup) {
  if (!speedup) return "–";
  return show_interval(speedup->estimate, speedup->low, speedup->high, speedup->confidence);
}

std::string show_ratio(double ratio) {
  return fmt::format("{:.{}f}×", ratio, ratio_decimals(ratio));
}

std::string show_ms(double nanoseconds) {
  const double ms = nanoseconds / 1e6;
  if (!(ms > 0)) return fmt::format("{:.0f}", ms);
  constexpr int kMostDecimals = 9;  // decimals down to a picosecond
  const int decimals = 3 - static_cast<int>(std::floor(std::log10(ms)));
  return fmt::format("{:.{}f}", ms, std::clamp(decimals, 0, kMostDecimals));
}

std::string show_error(double error) {
  return error == 0 ? std::string("0") : fmt::format("{:.2g}", error);
}

std::string_view to_string(Tone tone) {
  switch (tone) {
    case Tone::kGood: return "good";
    case Tone::kBad: return "bad";
    case Tone::kCaution: return "caution";
    case Tone::kNeutral: return "neutral";
  }
  return "neutral";
}

std::string_view glyph(State state) { return look(state).glyph; }
Tone tone(State state) { return look(state).tone; }
std::string_view help(State state) { return look(state).help; }

std::string words(State state) {
  std::string text(to_string(state));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string_view glyph(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFaster: return "▲";
    case Verdict::kSlower: return "▼";
    case Verdict::kSame: return "=";
    case Verdict::kUndecided: return "?";
    case Verdict::kNone: return "–";
  }
  return "?";
}

Tone tone(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFaster: return Tone::kGood;
    case Verdict::kSlower: return Tone::kBad;
    case Verdict::kSame: return Tone::kNeutral;
    case Verdict::kUndecided: return Tone::kCaution;
    case Verdict::kNone: return Tone::kCaution;
  }
  return Tone::kCaution;
}

std::string_view help(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFaster:
      return "The whole interval lies above 1 by more than the margin (3 % on a CPU, 1 % on CUDA).";
    case Verdict::kSlower: return "The whole interval lies below 1 by more than the margin.";
    case Verdict::kSame: return "The whole interval lies within the margin around 1.";
    case Verdict::kUndecided: return "The interval is too wide to say.";
    case Verdict::kNone: {
      static const std::string kNothing = fmt::format(
          "Nothing can be said, for one or more of these: other programs kept the machine busy in "
          "more than half of the blocks; a call takes no longer than an empty one; too few blocks "
          "were timed for an interval of 95 %; {} (kbench calibrate). The row says which.",
          kTimingNotCalibrated);
      return kNothing;
    }
  }
  return "";
}

}  // namespace kbench
