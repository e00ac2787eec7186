#include "runner/print/plan_text.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/sanitize.hpp"
#include "reports/write/reporter.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/print/progress.hpp"

namespace kbench {
namespace {

std::string time_words(const ForeseenTime& time) {
  if (time.known + time.unknown == 0) return "nothing to measure";
  constexpr const char* kNoneAlike =
      "no earlier row that ended ok, of the same task, size, device and kind of timing";
  if (time.known == 0) return fmt::format("how long is not known: there is {}", kNoneAlike);
  const std::string text = fmt::format("about {}", duration_text(time.seconds));
  if (time.unknown == 0) return text;
  return fmt::format("{} for {} of them; for the rest there is {}", text, time.known, kNoneAlike);
}

std::string value_of(const EffectiveSetting& setting) {
  if (setting.origin.empty()) return setting.by_default;
  if (setting.flag && setting.typed) return "on";
  return printable(fmt::format("{}", fmt::join(setting.values, ", ")));
}

std::string origin_of(const EffectiveSetting& setting) {
  if (!setting.origin.empty()) return printable(setting.origin);
  return setting.by_default.empty() ? "–" : "default";
}

}  // namespace

std::string foreseen_text(const Plan& plan, const std::vector<ForeseenRow>& rows,
                          const TableStyle& style) {
  Column task{.heading = "Task"};
  Column submission{.heading = "Submission", .kind = Column::Kind::kName};
  Column what{.heading = "What"};
  Column time{.heading = "About", .kind = Column::Kind::kNumber};
  Column why{.heading = "Why", .importance = 1};
  for (const ForeseenRow& row : rows) {
    const std::string& name = row.unit->id.name;
    task.cells.push_back({sanitize_line(row.task->id), {}});
    submission.cells.push_back({name.empty() ? "-" : sanitize_line(name), {}});
    const bool fails = row.fate == ForeseenRow::Fate::kEnds;
    what.cells.push_back({row.fate_word(), fails ? std::optional(Tone::kCaution) : std::nullopt});
    time.cells.push_back({row.seconds ? duration_text(*row.seconds) : "-", {}});
    why.cells.push_back({sanitize_line(row.reason), {}});
  }
  std::string text = render_table(
      {std::move(task), std::move(submission), std::move(what), std::move(time), std::move(why)},
      style);
  if (!plan.census) return text;
  text += fmt::format("files: {}\n", plan.census->summary());
  for (const Census::Ignored& file : plan.census->ignored)
    if (file.mistaken)
      text += fmt::format("ignored {}: {}\n", printable(file.path), printable(file.why));
  return text;
}

Result<bool> plan_as_json(const std::vector<OutputRequest>& outputs) {
  for (const OutputRequest& output : outputs) {
    const std::string_view name = output.reporter->name;
    if (output.file || name == "table" || name == "github") continue;
    if (name == "json") return true;
    return Error{ErrorCode::kUsage, fmt::format("a plan has no rows to be shown as {}", name),
                 "--dry-run prints a table, or JSON with --format json"};
  }
  return false;
}

std::string foreseen_words(const std::vector<ForeseenRow>& rows, UnitOrder order) {
  const ForeseenTime time = estimate(rows);
  return fmt::format(
      "dry run: {} of {} row{} would be measured ({}){}; nothing was started or stored",
      time.known + time.unknown, rows.size(), rows.size() == 1 ? "" : "s", time_words(time),
      order == UnitOrder::kShuffled ? ", in an order that is drawn when the run starts" : "");
}

std::string settings_text(const std::vector<EffectiveSetting>& settings, const TableStyle& style) {
  Column name{.heading = "Option"};
  Column value{.heading = "Value"};
  Column origin{.heading = "From"};
  for (const EffectiveSetting& setting : settings) {
    const auto tone = setting.origin.empty() ? std::nullopt : std::optional(Tone::kGood);
    name.cells.push_back({"--" + setting.name, {}});
    value.cells.push_back({value_of(setting), {}});
    origin.cells.push_back({origin_of(setting), tone});
  }
  return render_table({std::move(name), std::move(value), std::move(origin)}, style);
}

Json settings_json(const std::vector<EffectiveSetting>& settings) {
  Json list = Json::array();
  for (const EffectiveSetting& setting : settings)
    list.push_back({{"option", setting.name},
                    {"values", setting.values},
                    {"origin", origin_of(setting)},
                    {"default", setting.by_default}});
  return list;
}

}  // namespace kbench
