// Puts feedback into a state: the one renderer of what a planner and a coder are asked. Reports and
// plans stand at the context's anchor and nowhere else, in an order and by a template that are
// fixed for a study, so that two coalitions differ by what they hold alone. Pure.
//
// Reports and plans are foreign text: cut at kMostReportBytes, characters that steer a reader shown
// as they are written, fenced so that they cannot end their fence.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/trajectory/state_context.hpp"

namespace kbench {

inline constexpr std::size_t kMostReportBytes = 64u << 10;
inline constexpr std::size_t kMostTemplateBytes = 64u << 10;

// data/attribution/injection.json. Its id is its version with the SHA-256 of the file's text: what
// a study's plan names.
struct InjectionTemplate {
  int version = 0;
  std::string id;
  std::string heading;       // stands once, before the first report
  std::string report;        // holds {component}, {report} and twice {fence}
  std::string plan;          // holds {plan} and twice {fence}
  std::string ask_for_plan;  // stands in place of what the context asks for
  std::string filler;        // repeated to the length of what it stands for
};
// Errors: kBadInput, a member that is missing or unknown, or lacks its places.
[[nodiscard]] Result<InjectionTemplate> read_injection_template(std::string_view text);

// Readers of a coalition's reports, and whether a planner is asked at all.
enum class InjectionMode {
  kDirect,  // the coder; there is no planner
  kPlan,    // the planner; the coder gets its plan
  kBoth,    // both
};

// How an arm of a study is asked (attribution/cells.hpp has their names).
struct ArmTreatment {
  bool planner = false;          // a planner is asked
  bool fixed_plan = false;       // the plan is given, and none is asked
  bool planner_reports = false;  // the planner gets the reports
  bool coder_reports = false;    // the coder gets them
  enum class Reports {
    kOwn,      // reports of this state, raw
    kSummary,  // reports of this state, summarised
    kOther,    // reports of another task's state in the same stratum
    kHeading,  // none: the heading alone
    kFiller,   // neutral text of the same length
    kOnce,     // own; names of one component count once
  } reports = Reports::kOwn;
};
// Errors: kUsage, no arm of that name. "sham", "dup" and "filler" go by `mode`.
[[nodiscard]] Result<ArmTreatment> treatment_of(std::string_view arm, InjectionMode mode);

// The words of components on a state, by their names.
using Reports = std::map<std::string, std::string>;

// Names in the order in which they are rendered: error, debugger, analyzer, profiler, then all
// others by their alphabet.
[[nodiscard]] std::vector<std::string> injection_order(std::span<const std::string> components);

struct Injection {
  const InjectionTemplate& with;
  const StateContext& context;
  const ArmTreatment& treatment;
  std::vector<std::string> coalition;  // components that speak
  const Reports& reports;  // reports of each of them; a dup's second name has its first's
};

// Messages of a request, {"role", "content"} each. The planner's differ from the coder's by its
// question. Errors: kBadInput, a component of the coalition has no report, the context no anchor.
[[nodiscard]] Result<Json> planner_messages(const Injection& injection);
// `plan` is that of the planner, or the fixed one; empty without.
[[nodiscard]] Result<Json> coder_messages(const Injection& injection, const std::string& plan);

}  // namespace kbench
