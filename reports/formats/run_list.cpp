#include "reports/formats/run_list.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/sanitize.hpp"
#include "reports/formats/json_report.hpp"
#include "reports/formats/list_columns.hpp"
#include "runner/store/run_group.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

// "12 ok · 1 wrong result".
std::string states_words(const ListedRun& run) {
  std::vector<std::string> parts;
  for (const auto& [state, rows] : run.states)
    parts.push_back(fmt::format("{} {}", rows, words(state)));
  if (run.damaged > 0) parts.push_back(fmt::format("{} damaged", run.damaged));
  return fmt::format("{}", fmt::join(parts, " · "));
}

// "2 × NVIDIA H200".
std::string devices_words(const ListedRun& run) {
  const std::string device = device_words(run.facts);
  return run.uuids.size() > 1 ? fmt::format("{} × {}", run.uuids.size(), device) : device;
}

Cell dash_or(const std::string& text) {
  return {text.empty() ? std::string("–") : sanitize_line(text), {}};
}

Cell task_cell(const ListedRun& run) {
  return dash_or(run.task.several ? "several" : run.task.name);
}

// "v1.cpp (me)", "alice/level1/019_relu.cpp", "several of alice", "several".
Cell submission_cell(const ListedRun& run) {
  if (run.submission.several)
    return dash_or(run.agent.single() ? "several of " + run.agent.name : "several");
  const std::string& name = run.submission.name;
  const bool says_agent = run.agent.name.empty() || name.starts_with(run.agent.name + "/");
  return dash_or(says_agent ? name : fmt::format("{} ({})", name, run.agent.name));
}

Cell date_cell(const ListedRun& run) {
  const std::string date = sanitize_line(minute_of(run.run.started_at));
  return run.run.finished_at.empty() ? Cell{date + " unfinished", Tone::kCaution} : Cell{date, {}};
}

Cell shard_cell(const ListedRun& run) {
  const auto part = shard_of(run.run);
  return dash_or(part ? fmt::format("{}/{} of {}", part->index, part->of, part->group) : "");
}

bool has_shards(const std::vector<ListedRun>& runs) {
  return std::any_of(runs.begin(), runs.end(),
                     [](const ListedRun& run) { return shard_of(run.run).has_value(); });
}

Cell states_cell(const ListedRun& run) {
  Cell cell = dash_or(states_words(run));
  if (run.damaged > 0) cell.tone = Tone::kBad;
  return cell;
}

const ListTable<ListedRun>& run_table() {
  static const ListTable<ListedRun> kTable = {
      {"run",
       {.heading = "Run"},
       [](const ListedRun& run) -> Cell {
         return {sanitize_line(short_id(run.run)), {}};
       }},
      {"tag",
       {.heading = "Tag", .importance = 5},
       [](const ListedRun& run) { return dash_or(fmt::format("{}", fmt::join(run.tags, ", "))); }},
      {"shard", {.heading = "Shard", .importance = 4}, shard_cell, has_shards},
      {"task", {.heading = "Task", .importance = 8}, task_cell},
      {"submission", {.heading = "Submission", .importance = 7}, submission_cell},
      {"date", {.heading = "Date (UTC)", .importance = 6}, date_cell},
      {"device",
       {.heading = "Device", .importance = 4},
       [](const ListedRun& run) { return dash_or(devices_words(run)); }},
      {"commit",
       {.heading = "Commit", .importance = 1},
       [](const ListedRun& run) { return dash_or(commit_words(run.facts)); }},
      {"rows",
       {.heading = "Rows", .kind = Column::Kind::kNumber, .importance = 3},
       [](const ListedRun& run) -> Cell {
         return {fmt::format("{}", run.rows()), {}};
       }},
      {"states", {.heading = "States", .importance = 2}, states_cell}};
  return kTable;
}

Json name_or_null(const SharedName& shared) { return shared.single() ? Json(shared.name) : Json(); }

}  // namespace

void SharedName::add(const std::string& first, const std::string& last) {
  if (first.empty() && last.empty()) return;
  several = several || first != last || (!name.empty() && name != first);
  if (name.empty()) name = first;
}

int ListedRun::rows() const {
  return std::accumulate(states.begin(), states.end(), damaged,
                         [](int sum, const auto& state) { return sum + state.second; });
}

Result<std::vector<ListedRun>> list_runs(const Store& store) {
  Result<std::vector<Run>> runs = store.runs();
  if (!runs) return runs.error();
  const Result<std::vector<Tag>> tags = store.tags();
  if (!tags) return tags.error();
  const Result<std::vector<StateCount>> counts = store.state_counts();
  if (!counts) return counts.error();
  std::vector<ListedRun> listed;
  std::map<std::string, std::size_t> index;
  for (Run& run : *runs) {
    index.emplace(run.id, listed.size());
    ListedRun one{.facts = facts_of(run), .tags = tags_of(run.id, *tags)};
    one.run = std::move(run);
    listed.push_back(std::move(one));
  }
  for (const StateCount& count : *counts) {
    const auto found = index.find(count.run_id);
    if (found == index.end()) continue;
    ListedRun& run = listed[found->second];
    if (count.state)
      run.states[*count.state] += count.rows;
    else
      run.damaged += count.rows;
    if (run.facts.kind.empty()) run.facts.kind = count.device;
    if (!count.device_uuid.empty()) run.uuids.insert(count.device_uuid);
    run.task.add(count.tasks.first, count.tasks.last);
    run.agent.add(count.agents.first, count.agents.last);
    run.submission.add(count.submissions.first, count.submissions.last);
  }
  return listed;
}

std::vector<std::string> run_columns() { return names_of(run_table()); }

std::string render_runs(const std::vector<ListedRun>& runs, const TableStyle& style,
                        const std::vector<std::string>& columns) {
  return render_list(run_table(), runs, columns, style);
}

Json runs_json(const std::vector<ListedRun>& runs) {
  Json list = Json::array();
  for (const ListedRun& run : runs) {
    Json one = run_json(run.run, run.tags);
    Json states = Json::object();
    for (const auto& [state, rows] : run.states) states[std::string(to_string(state))] = rows;
    if (one["device"]["kind"].is_null()) one["device"]["kind"] = text_or_null(run.facts.kind);
    one["device"]["uuids"] = run.uuids;
    one["task"] = name_or_null(run.task);
    one["agent"] = name_or_null(run.agent);
    one["submission"] = name_or_null(run.submission);
    if (const auto part = shard_of(run.run))
      one["shard"] = {{"group", part->group}, {"index", part->index}, {"of", part->of}};
    one["rows"] = run.rows();
    one["states"] = std::move(states);
    one["damaged"] = run.damaged;
    list.push_back(std::move(one));
  }
  return {{"schema_version", kReportSchemaVersion}, {"runs", std::move(list)}};
}

Json run_json(const Run& run, const std::vector<std::string>& tags) {
  const RunFacts facts = facts_of(run);
  return {{"id", run.id},
          {"tags", tags},
          {"started_at", run.started_at},
          {"finished_at", text_or_null(run.finished_at)},
          {"device",
           {{"kind", text_or_null(facts.kind)},
            {"name", text_or_null(facts.device)},
            {"threads", facts.threads > 0 ? Json(facts.threads) : Json()}}},
          {"commit", text_or_null(facts.commit)},
          {"dirty", facts.dirty ? Json(*facts.dirty) : Json()},
          {"quick", facts.quick},
          {"timed", facts.timed}};
}

}  // namespace kbench
