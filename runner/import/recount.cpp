#include "runner/import/recount.hpp"

#include <utility>

#include "runner/core/strict_json.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

using Weight = LintFinding::Weight;

constexpr std::chrono::seconds kProcessorTime{120};  // limit of one file
constexpr std::chrono::seconds kLimit{300};
// Longest text: as long as a message may be (runner/core/channel.hpp), escapes and all.
constexpr std::size_t kMostBytes = std::size_t{2} << 20;
constexpr std::size_t kMostWords = 300;

LintFinding finding_of(const Answer& answer) {
  LintFinding finding{Weight::kFlaw, std::string(kCost), "", ""};
  if (!answer.body) {
    finding.message = "its cost could not be counted anew: " + answer.body.error().message;
    return finding;
  }
  const auto error = answer.body->is_object() ? answer.body->find("error") : answer.body->end();
  if (answer.body->is_object() && error == answer.body->end())
    return {Weight::kNote, std::string(kCost), "", "its cost is what its graph says"};
  const bool told = answer.body->is_object() && error->is_object() && error->contains("what") &&
                    (*error)["what"].is_string();
  finding.message = told ? clean_name((*error)["what"].get<std::string>(), kMostWords)
                         : "its cost could not be counted anew";
  return finding;
}

}  // namespace

Status recount(Sandbox& sandbox, const LoweringSetup& setup,
               const std::vector<std::filesystem::path>& files, const Stop& stop,
               const std::function<void(std::size_t index, LintFinding finding)>& on_finding) {
  std::vector<Json> requests;
  std::vector<std::size_t> places;  // index of each request's file
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto text = read_bounded_file(files[i], kMostBytes);
    if (!text) {
      on_finding(i, finding_of({.body = text.error()}));
      continue;
    }
    requests.push_back({{"task", std::move(*text)}, {"cpu_seconds", kProcessorTime.count()}});
    places.push_back(i);
  }
  std::size_t answered = 0;
  const ServerPool pool{
      .start =
          [&](const Stop& given_up) { return LoweringProcess::start(sandbox, setup, given_up); },
      .processes = 1,
      .limit = kLimit,
      .stop = stop,
      .tick = {}};
  const Status asked = pool.ask(requests, [&](std::size_t index, const Answer& answer) {
    ++answered;
    on_finding(places[index], finding_of(answer));
  });
  if (!asked) return asked.error();
  if (answered < requests.size()) return Error{ErrorCode::kInterrupted, "interrupted", ""};
  return Done{};
}

}  // namespace kbench
