#include "reports/formats/profile_list.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/run_facts.hpp"
#include "reports/facts/sanitize.hpp"
#include "runner/core/evaluation.hpp"

namespace kbench {
namespace {

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "–";
}

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json row_json(const StoredProfile& profile) {
  const ProfileRecord& of = profile.record;
  return {{"id", profile.id},
          {"made_at", profile.made_at},
          {"version", profile.version},
          {"task", of.task},
          {"task_hash", text_or_null(of.task_hash)},
          {"size", of.size},
          {"side", of.side},
          {"submission", text_or_null(of.submission)},
          {"source_hash", text_or_null(profile.source_hash)},
          {"device", of.device},
          {"precision", of.precision},
          {"torch", text_or_null(of.torch)},
          {"verdict", of.verdict},
          {"call_us", number_or_null(of.fact("call_us"))},
          {"limit_percent", number_or_null(of.fact("limit_percent"))}};
}

}  // namespace

std::string render_profile_list(const ProfileRows& rows, const TableStyle& style) {
  Column id{.heading = "Profile"};
  Column date{.heading = "Date (UTC)", .importance = 2};
  Column task{.heading = "Task", .kind = Column::Kind::kName};
  Column size{.heading = "Size", .importance = 3};
  Column subject{.heading = "Of", .kind = Column::Kind::kName};
  Column device{.heading = "Device", .kind = Column::Kind::kName, .importance = 1};
  Column verdict{.heading = "Verdict", .importance = 4};
  Column call{.heading = "Call (us)", .kind = Column::Kind::kNumber, .importance = 5};
  Column share{.heading = "Of the limit (%)", .kind = Column::Kind::kNumber, .importance = 2};
  for (auto one = rows.profiles.rbegin(); one != rows.profiles.rend(); ++one) {
    const ProfileRecord& of = one->record;
    id.cells.push_back({sanitize_line(short_id(one->id)), {}});
    date.cells.push_back({sanitize_line(minute_of(one->made_at)), {}});
    task.cells.push_back({sanitize_line(of.task), {}});
    size.cells.push_back({sanitize_line(of.size), {}});
    subject.cells.push_back({sanitize_line(of.subject()), {}});
    device.cells.push_back({sanitize_line(of.device), {}});
    verdict.cells.push_back({of.title(), {}});
    call.cells.push_back({number(of.fact("call_us")), {}});
    share.cells.push_back({number(of.fact("limit_percent")), {}});
  }
  std::string text;
  if (!rows.profiles.empty())
    text = render_table(
        {std::move(id), std::move(date), std::move(task), std::move(size), std::move(subject),
         std::move(device), std::move(verdict), std::move(call), std::move(share)},
        style);
  for (const std::string& unsound : rows.malformed)
    text += fmt::format("UNSOUND: {}\n", sanitize_line(unsound));
  return text;
}

Json profile_list_json(const ProfileRows& rows) {
  Json profiles = Json::array();
  for (auto one = rows.profiles.rbegin(); one != rows.profiles.rend(); ++one)
    profiles.push_back(row_json(*one));
  return {{"schema_version", 1}, {"profiles", std::move(profiles)}, {"unsound", rows.malformed}};
}

}  // namespace kbench
