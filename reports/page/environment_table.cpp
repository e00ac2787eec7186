#include "reports/page/environment_table.hpp"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/facts/run_facts.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/facts/without_folders.hpp"
#include "reports/formats/json_report.hpp"
#include "reports/page/html_writer.hpp"
#include "runner/core/json.hpp"

namespace kbench {
namespace {

// How a number is said.
enum class As { kPlain, kBytes, kClock, kPercent };

// A fact that people know by a name; its place in the stored environment.
struct Known {
  std::string_view path;  // "device.memory_bytes"
  std::string_view name;
  As as = As::kPlain;
};

struct Group {
  std::string_view name;
  std::vector<Known> facts;
};

const std::array<Group, 4>& groups() {
  static const std::array<Group, 4> kGroups{{
      {"Device",
       {{"device.name", "Name"},
        {"device.memory_bytes", "Memory", As::kBytes},
        {"device.threads", "Threads"},
        {"gpu.driver", "Driver"},
        {"gpu.max_sm_clock_khz", "Highest SM clock", As::kClock},
        {"gpu.clock_limits", "Clock limits"},
        {"host.machine", "Host"},
        {"host.threads", "Threads of the host"}}},
      {"Software",
       {{"kbench", "kbench"},
        {"torch", "PyTorch"},
        {"host_compiler", "C++ compiler"},
        {"nvcc", "CUDA compiler"},
        {"host.kernel", "Kernel"}}},
      {"Sandbox",
       {{"sandbox", "Layers"},
        {"sandbox_reason", "What is missing"},
        {"host.container", "Container"}}},
      {"Calibration",
       {{"calibration.between_runs", "Equal runs differ by", As::kPercent},
        {"calibration.between_sessions", "Equal sessions differ by", As::kPercent},
        {"calibration.measured_at", "Measured at"},
        {"calibration.failed_checks", "Checks of the clock that failed"}}},
  }};
  return kGroups;
}

// True for a value that says the machine has none of something: that is no fact about it.
bool is_nothing(const Json& value) {
  return value.is_null() || value == "" || value == 0 || (value.is_structured() && value.empty());
}

std::string plain(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string said(const Json& value, As as) {
  if (!value.is_number()) return without_folders(plain(value));
  const double number = value.get<double>();
  switch (as) {
    case As::kBytes: return fmt::format("{:.1f} GiB", number / (1 << 30));
    case As::kClock: return fmt::format("{:.0f} MHz", number / 1000);
    case As::kPercent: return fmt::format("{:.2f} %", 100 * number);
    case As::kPlain: break;
  }
  return plain(value);
}

// "32.0 MiB"
std::string bytes_words(double bytes) {
  const std::array<std::string_view, 4> units{"bytes", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return unit == 0 ? fmt::format("{:.0f} bytes", bytes)
                   : fmt::format("{:.1f} {}", bytes, units.at(unit));
}

// A fact without a known name, in the unit that its own name ends with.
std::string said_by_name(std::string_view name, const Json& value) {
  if (value.is_number() && name.ends_with("bytes")) return bytes_words(value.get<double>());
  return said(value, name.ends_with("_khz") ? As::kClock : As::kPlain);
}

void write_fact(HtmlWriter& html, std::string_view name, const std::string& value) {
  html.open("tr").element("th", name, {{"scope", "row"}}).element("td", value).close();
}

void write_group(HtmlWriter& html, std::string_view name) {
  html.open("tr", {{"class", "group"}})
      .element("th", name, {{"colspan", "2"}, {"scope", "rowgroup"}})
      .close();
}

void write_facts(HtmlWriter& html, const std::string& path, const Json& value) {
  if (is_nothing(value)) return;
  if (!value.is_object()) return write_fact(html, path, said_by_name(path, value));
  for (const auto& [name, part] : value.items())
    write_facts(html, path.empty() ? name : path + " · " + name, part);
}

// Takes the fact out of the environment, so that facts without a known name are left.
Json take(Json& environment, std::string_view path) {
  const std::size_t dot = path.find('.');
  const std::string head(path.substr(0, dot));
  if (!environment.is_object() || !environment.contains(head)) return {};
  if (dot != path.npos) return take(environment[head], path.substr(dot + 1));
  Json value = std::move(environment[head]);
  environment.erase(head);
  return value;
}

void write_run(HtmlWriter& html, const PageModel& page, const PageOrigin& origin) {
  const Run& run = page.data.run;
  write_group(html, "Run");
  write_fact(html, "Command", without_folders(sanitize_line(run.command_line)));
  write_fact(html, "Id", run.id);
  write_fact(html, "Started", run.started_at);
  write_fact(html, "Finished", run.finished_at.empty() ? "no" : run.finished_at);
  write_fact(html, "Rows",
             without_folders(
                 fmt::format("{}: {}", to_string(page.data.chain.state), page.data.chain.message)));
  write_group(html, "Page");
  if (!origin.at.empty()) {
    write_fact(html, "Made at", origin.at);
    write_fact(html, "Made by", origin.program);
  }
  write_fact(html, "Report schema", fmt::format("{}", kReportSchemaVersion));
}

void write_known(HtmlWriter& html, Json environment) {
  environment.erase("files");  // the census, which stands below
  for (const Group& group : groups()) {
    bool begun = false;
    for (const Known& known : group.facts) {
      const Json value = take(environment, known.path);
      if (is_nothing(value)) continue;
      if (!begun) write_group(html, group.name);
      begun = true;
      write_fact(html, known.name, said(value, known.as));
    }
  }
  HtmlWriter others;
  for (const auto& [name, value] : environment.items()) write_facts(others, name, value);
  const std::string rest = others.take();
  if (rest.empty()) return;
  write_group(html, "Others");
  for (const auto& [name, value] : environment.items()) write_facts(html, name, value);
}

}  // namespace

std::string environment_html(const PageModel& page, const PageOrigin& origin) {
  const Run& run = page.data.run;
  const Json environment = recorded(run.environment);
  HtmlWriter html;
  html.open("div", {{"class", "scroll"},
                    {"tabindex", "0"},
                    {"role", "region"},
                    {"aria-label", "What the run ran on, and with what"}});
  html.open("table").element("caption", "What the run ran on, and with what").open("tbody");
  write_run(html, page, origin);
  if (environment.is_object()) write_known(html, environment);
  if (!environment.is_object() && !run.environment.empty())
    write_fact(html, "Environment", without_folders(run.environment));
  html.close().close().close();
  if (!environment.is_object()) return html.take();
  html.open("details").element("summary", "As stored, in JSON");
  html.element(
      "pre",
      without_folders_within(environment).dump(2, ' ', false, Json::error_handler_t::replace),
      {{"tabindex", "0"}});
  html.close();
  return html.take();
}

}  // namespace kbench
