#include "runner/study/study_files.hpp"

#include <utility>

#include "reports/attribution/attribution_page.hpp"
#include "reports/write/output_file.hpp"
#include "reports/write/outputs.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/store/store.hpp"
#include "runner/study/stored_study.hpp"

namespace kbench {
namespace {

// `hint`: what makes the database.
Status check_database(const std::filesystem::path& database, const char* hint) {
  if (std::filesystem::exists(database)) return Done{};
  return Error{ErrorCode::kUsage, database.string() + ": no such database", hint};
}

Status check_files(const StudyReportRequest& request) {
  for (const auto* file : {&request.html, &request.lines})
    if (*file)
      if (auto fine = check_output_file(**file, request.database); !fine) return fine;
  return Done{};
}

// An alarm names what is missing; the error names only what could not be computed without it.
Error of_study(const Error& error, const StoredStudy& study) {
  if (study.alarms.empty()) return error;
  return {error.code, study.alarms.front(),
          error.message + "; `kbench attribute run PLAN --resume` goes on"};
}

}  // namespace

Result<MadePlan> plan_study(const PlanRequest& request, const InjectionTemplate& with,
                            const std::filesystem::path& database,
                            const std::filesystem::path& output) {
  if (auto fine = check_output_file(output, database); !fine) return fine.error();
  if (auto there = check_database(
          database, "`kbench agent run` and then `kbench trajectory freeze` leave states in one");
      !there)
    return there.error();
  const auto store = Store::open(database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  auto made = make_plan(*store, request, with);
  if (!made) return made.error();
  if (auto written = write_output_file(output, made->text); !written) return written.error();
  return made;
}

Result<StudyReport> report_study(const StudyReportRequest& request,
                                 const std::filesystem::path& state) {
  if (auto fine = check_files(request); !fine) return fine.error();
  if (auto there = check_database(request.database, "`kbench attribute run` leaves a study in one");
      !there)
    return there.error();
  const auto store = open_with_key(request.database, Store::Mode::kReadOnly, state);
  if (!store) return store.error();
  const auto study = read_stored_study(*store, request.study);
  if (!study) return study.error();
  StudyReport report{.name = "study " + short_id(study->id), .cells = study->cells, .found = {}};
  if (request.lines)
    if (auto written = write_output_file(*request.lines, study->lines); !written)
      return written.error();
  const auto cells = parse_cells(study->lines, report.name);
  if (!cells) return of_study(cells.error(), *study);
  auto found = analyze(*cells, {study->plan.primary, study->plan.mode, request.by});
  if (!found) return of_study(found.error(), *study);
  report.found = std::move(*found);
  report.found.alarms.insert(report.found.alarms.begin(), study->alarms.begin(),
                             study->alarms.end());
  if (request.html)
    if (auto written =
            write_output_file(*request.html, render_attribution_page(report.found, report.name));
        !written)
      return written.error();
  return report;
}

}  // namespace kbench
