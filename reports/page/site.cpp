#include "reports/page/site.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/fields.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/formats/verdict_card.hpp"
#include "reports/page/environment_table.hpp"
#include "reports/page/html_report.hpp"
#include "reports/page/html_writer.hpp"
#include "reports/page/page_data.hpp"
#include "reports/page/page_episodes.hpp"
#include "reports/page/page_template.hpp"
#include "reports/page/profile_choice.hpp"
#include "reports/page/profile_page.hpp"
#include "reports/page/static_tables.hpp"
#include "runner/core/sha256.hpp"

namespace kbench {
namespace {

constexpr std::string_view kTasks = "tasks/";
constexpr std::string_view kEnding = ".html";
constexpr std::size_t kLongestName = 120;
constexpr const char* kMadeBy = "kbench report html --site";

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

// How many folders a file lies below the site's.
std::string root_of(const std::string& path) {
  std::string root;
  for (const char c : path)
    if (c == '/') root += "../";
  return root;
}

// The neighbour's name and path; null at either end.
Json neighbour_json(const PageBoard& board, std::size_t at, std::ptrdiff_t step,
                    const std::string& root) {
  const auto other = static_cast<std::ptrdiff_t>(at) + step;
  if (other < 0 || other >= static_cast<std::ptrdiff_t>(board.tasks.size())) return {};
  const std::string& task = board.tasks[static_cast<std::size_t>(other)].task;
  return Json::array({sanitize_line(task), root + site_path(task)});
}

// The page's data with what belongs to one task alone; rows and series are counted anew.
class TaskData {
 public:
  TaskData(const PageModel& page, const Json& whole) : page_(page), whole_(whole) {}

  [[nodiscard]] Json of(const std::string& task) {
    rows_ = Json::array();
    details_ = Json::array();
    now_.clear();
    Json made = Json::object();
    for (const auto& [name, value] : whole_.items())
      if (name != "boards" && name != "rows" && name != "details" && name != "episodes" &&
          name != "contents")
        made[name] = value;
    Json boards = Json::array();
    Json steps = Json::array();
    const std::string root = root_of(site_path(task));
    for (std::size_t b = 0; b < page_.boards.size(); ++b) {
      const auto& tasks = page_.boards[b].tasks;
      const auto found = std::find_if(tasks.begin(), tasks.end(),
                                      [&](const PageTask& one) { return one.task == task; });
      const auto at = static_cast<std::size_t>(found - tasks.begin());
      const bool there = found != tasks.end();
      boards.push_back(board(whole_["boards"][b], there ? std::optional(at) : std::nullopt));
      // Json::array: of pairs that begin with a text, Json{} would make an object.
      steps.push_back(there ? Json::array({neighbour_json(page_.boards[b], at, -1, root),
                                           neighbour_json(page_.boards[b], at, +1, root)})
                            : Json::array({nullptr, nullptr}));
    }
    made["boards"] = std::move(boards);
    made["episodes"] = episodes(sanitize_line(task));
    made["contents"] = contents();
    made["rows"] = std::move(rows_);
    made["details"] = std::move(details_);
    made["site"] = {
        {"home", root + "index.html"}, {"task", sanitize_line(task)}, {"steps", std::move(steps)}};
    return made;
  }

 private:
  Json board(const Json& whole, std::optional<std::size_t> at) {
    Json made = whole;
    made["tasks"] = Json::array();
    made["scopes"] = Json::array();
    Json trend = Json::array();
    if (at) {
      made["tasks"].push_back(moved(whole["tasks"][*at]));
      if (whole["trend"].is_array())
        for (const Json& series : whole["trend"])
          if (series["task"] == *at) {
            trend.push_back(series);
            trend.back()["task"] = 0;
          }
    }
    made["trend"] = std::move(trend);
    return made;
  }

  Json moved(const Json& task) {
    Json made = task;
    const auto first = task["rows"][0].get<std::size_t>();
    const auto count = task["rows"][1].get<std::size_t>();
    const std::size_t now = rows_.size();
    for (std::size_t i = first; i < first + count; ++i) {
      now_[i] = rows_.size();
      rows_.push_back(whole_["rows"][i]);
      details_.push_back(whole_["details"][i]);
    }
    const auto renumbered = [&](const Json& row) {
      return row.is_null() ? Json() : Json(row.get<std::size_t>() - first + now);
    };
    made["rows"] = {now, count};
    for (Json& row : made["best"]) row = renumbered(row);
    made["baselines"] = renumbered(task["baselines"]);
    return made;
  }

  // Sources of the task's rows, and the task itself.
  [[nodiscard]] Json contents() const {
    const Json& all = whole_["contents"];
    Json made = Json::object();
    const auto keep = [&](const std::string& hash) {
      if (const auto found = all.find(hash); found != all.end()) made[hash] = *found;
    };
    for (const auto& [before, now] : now_) {
      keep(page_.evaluations[before]->task_source);
      for (const TreeFile& file : page_.rows[before].sources) keep(file.hash);
    }
    return made;
  }

  // The task's episodes, with their rows as they are counted here.
  Json episodes(const std::string& task) {
    const auto renumber = [&](Json& row) {
      const auto now = row.is_null() ? now_.end() : now_.find(row.get<std::size_t>());
      row = now == now_.end() ? Json() : Json(now->second);
    };
    Json made = Json::array();
    for (const Json& whole : whole_["episodes"]) {
      if (whole["task"] != task) continue;
      Json episode = whole;
      renumber(episode["row"]);
      for (Json& turn : episode["turns"])
        for (Json& call : turn["calls"]) renumber(call["row"]);
      made.push_back(std::move(episode));
    }
    return made;
  }

  const PageModel& page_;
  const Json& whole_;
  Json rows_;
  Json details_;
  std::map<std::size_t, std::size_t> now_;  // row of the whole page to its place here
};

// The section on the profiles of a task; empty without any.
std::string profiles_of(const ReportData& data, const ProfileRows& stored,
                        const std::string& task) {
  ProfileRows of_task;
  for (const StoredProfile& profile : stored.profiles)
    if (profile.record.task == task) of_task.profiles.push_back(profile);
  return profiles_html(choose_profiles(data, std::move(of_task)));
}

// The part of a task's page that can be read without a script.
std::string task_table(const PageModel& page, const std::string& task) {
  constexpr std::array kFields = {
      "state",         "time_ns.eager",    "time_ns.compiled", "time_ns.submission",
      "speedup.eager", "speedup.compiled", "message"};
  HtmlWriter html;
  html.open("div", {{"class", "scroll"},
                    {"tabindex", "0"},
                    {"role", "region"},
                    {"aria-label", "Everybody's results"}});
  html.open("table").element("caption", fmt::format("Everybody's results for {}", task));
  html.open("thead").open("tr").element("th", "Submission", {{"scope", "col"}});
  for (const char* name : kFields)
    html.element("th", result_field(name).heading, {{"scope", "col"}});
  html.close().close().open("tbody");
  for (const ResultRow& row : page.rows) {
    if (row.task != task) continue;
    html.open("tr").element("th", row.has_submission ? row.told_apart() : "baselines only",
                            {{"scope", "row"}});
    for (const char* name : kFields)
      html.element("td", std::string_view(name) == "state" ? words(row.state)
                                                           : show(result_field(name), row));
    html.close();
  }
  html.close().close().close();
  return html.take();
}

std::string task_headline(const PageModel& page, const std::string& task) {
  HtmlWriter html;
  html.element("h1", task);
  html.open("p", {{"class", "meta"}}).element("time", page.data.run.started_at);
  html.text(fmt::format(" · run {}", short_id(page.data.run))).close();
  return html.take();
}

std::string link_to_census(const std::string& root) {
  HtmlWriter html;
  html.open("p")
      .text("Those of all tasks: ")
      .element("a", "the index", {{"href", root + "index.html#files"}});
  html.close();
  return html.take();
}

// Links to every task, for readers without a script.
std::string list_of_tasks(const std::vector<std::string>& tasks) {
  HtmlWriter html;
  html.open("nav", {{"aria-label", "Pages of the tasks"}}).open("ul");
  for (const std::string& task : tasks)
    html.open("li").element("a", task, {{"href", site_path(task)}}).close();
  html.close().close();
  return html.take();
}

std::vector<std::string> tasks_of(const PageModel& page) {
  std::vector<std::string> tasks;
  for (const PageBoard& board : page.boards)
    for (const PageTask& task : board.tasks)
      if (std::find(tasks.begin(), tasks.end(), task.task) == tasks.end())
        tasks.push_back(task.task);
  return tasks;
}

// The index knows every row, without the details that only the task's page shows; but it says for
// whom a row counts, which scores need.
Json index_json(const PageModel& page, Json whole) {
  for (Json& details : whole["details"]) {
    Json kept = Json::object();
    if (const auto apart = details.find("ranked_as"); apart != details.end())
      kept["ranked_as"] = *apart;
    details = std::move(kept);
  }
  // Sources, and what was said, stand in the tasks' files.
  whole["contents"] = Json::object();
  for (Json& episode : whole["episodes"]) episode["turns"] = Json::array();
  for (std::size_t b = 0; b < page.boards.size(); ++b)
    for (std::size_t t = 0; t < page.boards[b].tasks.size(); ++t)
      whole["boards"][b]["tasks"][t]["file"] = site_path(page.boards[b].tasks[t].task);
  whole["site"] = {{"home", ""}, {"task", nullptr}};
  return whole;
}

}  // namespace

std::string site_path(const std::string& task) {
  std::string safe;
  bool changed = task.size() > kLongestName;
  for (const char c : task) {
    const bool slash = c == '/' && !safe.empty() && safe.find('/') == safe.npos;
    // A name that begins with a dot is hidden, or leads to another folder.
    const bool fine = slash || (is_plain(c) && (c != '.' || (!safe.empty() && safe.back() != '/')));
    safe += fine ? c : '_';
    changed |= !fine;
  }
  if (safe.empty() || safe.ends_with('/')) {
    safe += '_';
    changed = true;
  }
  if (changed)
    safe = fmt::format("{}-{}", safe.substr(0, kLongestName - 13), sha256(task).substr(0, 12));
  return fmt::format("{}{}{}", kTasks, safe, kEnding);
}

std::vector<SiteFile> render_site(const ReportData& data, const ProfileRows& profiles,
                                  const PageOrigin& origin) {
  const PageModel page(data);
  const Json whole = page_json(page);
  const std::vector<std::string> tasks = tasks_of(page);
  const bool ranks = !verdict_card(data);
  std::vector<SiteFile> files;
  TaskData task_data(page, whole);
  for (const std::string& task : tasks) {
    const std::string path = site_path(task);
    const std::string root = root_of(path);
    files.push_back(
        {path, page_of_site({.title = fmt::format("{} · {}", sanitize_line(task), page_title(data)),
                             .description = page_description(page),
                             .home = root + "index.html",
                             .ranks = ranks,
                             .headline = task_headline(page, task),
                             .results = task_table(page, task),
                             .environment = environment_html(page),
                             .census = link_to_census(root),
                             .profiles = profiles_of(data, profiles, task)},
                            task_data.of(task), root)});
  }
  files.push_back({std::string(kSiteStyle), std::string(site_style())});
  files.push_back({std::string(kSiteScript), site_script()});
  files.push_back(
      {"index.html",
       page_of_site({.title = page_title(data),
                     .description = page_description(page),
                     .home = "",
                     .ranks = ranks,
                     .headline = headline_html(page),
                     .results = results_html(page) + episodes_html(page) + list_of_tasks(tasks),
                     .environment = environment_html(page, origin),
                     .census = census_html(page),
                     .profiles = profiles_html(choose_profiles(data, profiles))},
                    index_json(page, whole), "")});
  return files;
}

std::string site_manifest(const std::vector<SiteFile>& files) {
  Json names = Json::array();
  for (const SiteFile& file : files) names.push_back(file.path);
  return Json{{"made_by", kMadeBy}, {"files", std::move(names)}}.dump(1) + "\n";
}

std::optional<std::vector<std::string>> task_files_of(const std::string& manifest) {
  const Json json = Json::parse(manifest, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("made_by", Json()) != kMadeBy ||
      !json.value("files", Json()).is_array())
    return std::nullopt;
  std::vector<std::string> files;
  for (const Json& name : json["files"]) {
    if (!name.is_string()) continue;
    const std::string path = name.get<std::string>();
    if (!path.starts_with(kTasks) || !path.ends_with(kEnding)) continue;
    const std::string task =
        path.substr(kTasks.size(), path.size() - kTasks.size() - kEnding.size());
    if (site_path(task) == path) files.push_back(path);
  }
  return files;
}

}  // namespace kbench
