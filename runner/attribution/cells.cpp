#include "runner/attribution/cells.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/json.hpp"
#include "runner/core/suggest.hpp"

namespace kbench {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestId = 200;
constexpr std::size_t kMostLabels = 8;
constexpr int kMostNumber = 1'000'000;  // generations, replicates
constexpr double kLargestOutcome = 1e9;
constexpr int kDeepest = 3;

const std::vector<std::string>& members() {
  static const std::vector<std::string> kMembers = {
      "task", "trajectory", "state",    "generation", "stratum", "available", "coalition",
      "arm",  "replicate",  "outcomes", "undecided",  "reply",   "labels"};
  return kMembers;
}

// A fault of a line, and how to mend it.
struct Wrong {
  std::string what;
  std::string hint;
};

// A line that is read by a dozen small steps, of which the first that refuses it has the say; those
// behind it read on and are not listened to.
struct Line {
  Json json = Json::object();
  std::optional<Wrong> wrong;

  void refuse(std::string what, std::string hint) {
    if (!wrong) wrong = Wrong{std::move(what), std::move(hint)};
  }
};

Line parse_line(std::string_view text) {
  Line line;
  if (text.size() > kLongestCellLine) {
    line.refuse(fmt::format("the line has {} bytes", text.size()),
                fmt::format("a cell takes {} at most", kLongestCellLine));
    return line;
  }
  std::vector<std::set<std::string>> keys;
  const auto look = [&](int depth, Json::parse_event_t event, Json& value) -> bool {
    if (depth > kDeepest) throw std::length_error("nested too deeply");
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      throw std::length_error("a key stands there twice: " + value.get<std::string>());
    return true;
  };
  const char* const hint = "one object a line, as data/schema/cell.schema.json describes it";
  try {
    Json json = Json::parse(text, look);
    if (json.is_object())
      line.json = std::move(json);
    else
      line.refuse("this is no object", hint);
  } catch (const std::exception& error) {
    line.refuse(fmt::format("this is no JSON: {}", error.what()), hint);
  }
  return line;
}

void check_members(Line& line) {
  for (const auto& [key, value] : line.json.items()) {
    if (std::find(members().begin(), members().end(), key) != members().end()) continue;
    const auto guess = nearest(key, members());
    line.refuse(fmt::format("\"{}\" is no member of a cell", key.substr(0, kLongestName)),
                guess ? fmt::format("did you mean \"{}\"?", *guess)
                      : fmt::format("members are {}; what else is known goes into labels",
                                    fmt::join(members(), ", ")));
  }
}

bool is_name(std::string_view text) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_.:+-/'").find(c) != std::string_view::npos;
  };
  return !text.empty() && text.size() <= kLongestName &&
         std::all_of(text.begin(), text.end(), good);
}

std::string name_hint() {
  return fmt::format("a name has 1 to {} letters, digits or _ . : + - / '", kLongestName);
}

bool is_id(std::string_view text) {
  const auto steers = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return !text.empty() && text.size() <= kLongestId &&
         std::none_of(text.begin(), text.end(), steers);
}

std::string text_member(Line& line, const char* key) {
  const auto found = line.json.find(key);
  if (found == line.json.end() || found->is_null()) return "";
  if (!found->is_string() || !is_id(found->get_ref<const std::string&>()))
    line.refuse(fmt::format("\"{}\" is no text of 1 to {} bytes without control characters", key,
                            kLongestId),
                "write a text, or leave it out where it is not known");
  return line.wrong ? "" : found->get<std::string>();
}

std::optional<int> number_member(Line& line, const char* key) {
  const auto found = line.json.find(key);
  if (found == line.json.end() || found->is_null()) return std::nullopt;
  const bool fits = found->is_number_integer() && *found >= 0 && *found <= kMostNumber;
  if (fits) return found->get<int>();
  line.refuse(fmt::format("\"{}\" is no whole number from 0 to {}", key, kMostNumber),
              "write one, or null where there is none");
  return std::nullopt;
}

std::set<std::string> names_member(Line& line, const char* key) {
  std::set<std::string> names;
  const auto found = line.json.find(key);
  if (found == line.json.end() || !found->is_array()) {
    line.refuse(fmt::format("\"{}\" is no list", key), "write a list of names, which may be empty");
    return names;
  }
  for (const Json& one : *found) {
    if (!one.is_string() || !is_name(one.get_ref<const std::string&>()))
      line.refuse(fmt::format("\"{}\" has something that is no name", key), name_hint());
    else if (!names.insert(one.get<std::string>()).second)
      line.refuse(fmt::format("\"{}\" names {} twice", key, one.get<std::string>()),
                  "name it once");
  }
  return names;
}

double outcome_value(Line& line, const std::string& name, const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_number() && std::abs(value.get<double>()) <= kLargestOutcome)
    return value.get<double>();
  line.refuse(
      fmt::format("the outcome {} is no number from -1e9 to 1e9, nor true or false", name),
      "write 1 for a success, 0 for a failure; \"outcomes\": null is a fault of the machine");
  return 0;
}

std::map<std::string, double> outcomes_member(Line& line) {
  std::map<std::string, double> outcomes;
  const auto found = line.json.find("outcomes");
  if (found != line.json.end() && found->is_null()) return outcomes;
  if (found == line.json.end() || !found->is_object() || found->empty()) {
    line.refuse("\"outcomes\" names none",
                "write {\"correct\": 1}, or null where a fault of the machine left none");
    return outcomes;
  }
  for (const auto& [name, value] : found->items()) {
    if (!is_name(name)) line.refuse("\"outcomes\" has something that is no name", name_hint());
    outcomes.emplace(name, outcome_value(line, name, value));
  }
  return outcomes;
}

std::map<std::string, std::string> labels_member(Line& line) {
  std::map<std::string, std::string> labels;
  const auto found = line.json.find("labels");
  if (found == line.json.end()) return labels;
  const char* const hint = "write {\"model\": \"name\"}: up to eight names, each with a text";
  if (!found->is_object() || found->size() > kMostLabels) {
    line.refuse("\"labels\" is no object of up to eight", hint);
    return labels;
  }
  for (const auto& [name, value] : found->items()) {
    const bool fits =
        is_name(name) && value.is_string() && is_id(value.get_ref<const std::string&>());
    if (fits)
      labels.emplace(name, value.get<std::string>());
    else
      line.refuse("a label is no name with a text", hint);
  }
  return labels;
}

std::string arm_member(Line& line) {
  const std::string arm = text_member(line, "arm");
  const auto& known = known_arms();
  if (std::find(known.begin(), known.end(), arm) != known.end()) return arm;
  const auto guess = nearest(arm, known);
  line.refuse(fmt::format("\"{}\" is no arm", arm),
              guess ? fmt::format("did you mean \"{}\"?", *guess)
                    : fmt::format("arms are {}", fmt::join(known, ", ")));
  return "";
}

// Places of names in the order of their first appearance; sorted in the end.
class Names {
 public:
  Names(const char* what, std::size_t most) : what_(what), most_(most) {}

  std::size_t place(Line& line, const std::string& name) {
    const auto [at, is_new] = places_.try_emplace(name, places_.size());
    if (at->second >= most_)
      line.refuse(fmt::format("{} is one {} more than a file may have", name, what_),
                  fmt::format("that is {}; split the file", most_));
    return std::min(at->second, most_ - 1);
  }
  std::uint32_t places(Line& line, const std::set<std::string>& names) {
    std::uint32_t mask = 0;
    for (const std::string& name : names) mask |= 1u << place(line, name);
    return mask;
  }
  [[nodiscard]] bool knows(const std::string& name) const { return places_.contains(name); }
  [[nodiscard]] std::vector<std::string> sorted() const {
    std::vector<std::string> names;
    for (const auto& [name, place] : places_) names.push_back(name);
    return names;
  }
  // For each name, in the order in which they came, its place among the sorted ones.
  [[nodiscard]] std::vector<std::size_t> order() const {
    std::vector<std::size_t> order(places_.size());
    std::size_t rank = 0;
    for (const auto& [name, place] : places_) order[place] = rank++;
    return order;
  }

 private:
  const char* what_;
  std::size_t most_;
  std::map<std::string, std::size_t> places_;
};

std::uint32_t reordered(std::uint32_t mask, const std::vector<std::size_t>& order) {
  std::uint32_t result = 0;
  for (std::size_t at = 0; at < order.size(); ++at)
    if ((mask >> at & 1u) != 0) result |= 1u << order[at];
  return result;
}

// Reads lines one after the other, and holds each against those before it.
class Reader {
 public:
  // The fault of the line, or nothing.
  std::optional<Wrong> read(std::string_view text, std::size_t number) {
    Line line = parse_line(text);
    if (line.wrong) return line.wrong;
    check_members(line);
    StudyCell cell;
    cell.line = number;
    read_place(line, cell);
    read_treatment(line, cell);
    read_result(line, cell);
    if (line.wrong) return line.wrong;
    check_state(line, cell);
    check_outcomes(line, cell);
    check_once(line, cell);
    if (cells_.size() == kMostCells)
      line.refuse("there are too many cells",
                  fmt::format("a file has {} at most; split it", kMostCells));
    cells_.push_back(std::move(cell));
    return line.wrong;
  }

  StudyCells finish() && {
    StudyCells file{components_.sorted(), outcomes_.sorted(), std::move(cells_)};
    const auto components = components_.order();
    const auto outcomes = outcomes_.order();
    for (StudyCell& cell : file.cells) {
      cell.available = reordered(cell.available, components);
      cell.coalition = reordered(cell.coalition, components);
      cell.undecided = reordered(cell.undecided, outcomes);
      std::map<std::size_t, double> values;
      for (const auto& [place, value] : cell.outcomes) values.emplace(outcomes[place], value);
      cell.outcomes = std::move(values);
    }
    return file;
  }

 private:
  static void read_place(Line& line, StudyCell& cell) {
    cell.task = text_member(line, "task");
    cell.trajectory = text_member(line, "trajectory");
    cell.state = text_member(line, "state");
    if (cell.state.empty())
      line.refuse("there is no member \"state\"", "name the state that the cell was tried in");
    cell.generation = number_member(line, "generation");
    cell.stratum = text_member(line, "stratum");
    cell.labels = labels_member(line);
  }

  void read_treatment(Line& line, StudyCell& cell) {
    const auto available = names_member(line, "available");
    const auto coalition = names_member(line, "coalition");
    for (const std::string& name : coalition)
      if (!available.contains(name))
        line.refuse(fmt::format("{} is in \"coalition\" and not in \"available\"", name),
                    "a coalition is of components that have something to say in this state");
    cell.available = components_.places(line, available);
    cell.coalition = components_.places(line, coalition);
    cell.arm = arm_member(line);
    cell.replicate = number_member(line, "replicate");
  }

  void read_result(Line& line, StudyCell& cell) {
    const auto outcomes = outcomes_member(line);
    cell.fault = outcomes.empty();
    for (const auto& [name, value] : outcomes)
      cell.outcomes.emplace(outcomes_.place(line, name), value);
    cell.reply = text_member(line, "reply");
    if (!line.json.contains("undecided")) return;
    const auto undecided = names_member(line, "undecided");
    for (const std::string& name : undecided)
      if (!outcomes.contains(name))
        line.refuse(fmt::format("{} is in \"undecided\" and not in \"outcomes\"", name),
                    "an undecided outcome has a value as well: what it counts as");
    cell.undecided = outcomes_.places(line, undecided);
  }

  // A state is the same in all cells; what it has components for may differ by arm ("dup").
  void check_state(Line& line, const StudyCell& cell) {
    const auto [of_state, is_new] = states_.try_emplace(cell.state, cell);
    const StudyCell& first = of_state->second;
    const bool same =
        std::tie(first.task, first.trajectory, first.generation, first.stratum, first.labels) ==
        std::tie(cell.task, cell.trajectory, cell.generation, cell.stratum, cell.labels);
    const auto [of_arm, other] =
        available_.try_emplace({cell.state, cell.arm}, cell.available, cell.line);
    if (same && of_arm->second.first == cell.available) return;
    line.refuse(
        fmt::format("state {} is another one in line {}", cell.state,
                    same ? of_arm->second.second : first.line),
        "task, trajectory, generation, stratum, labels and, within an arm, available belong to "
        "the state; give another state another id");
  }

  // Outcomes are compared within a state, so all of its cells have the same ones.
  void check_outcomes(Line& line, const StudyCell& cell) {
    if (cell.fault) return;
    std::set<std::size_t> outcomes;
    for (const auto& [place, value] : cell.outcomes) outcomes.insert(place);
    const auto [first, is_new] =
        outcomes_of_.try_emplace({cell.state, cell.arm}, outcomes, cell.line);
    if (first->second.first == outcomes) return;
    line.refuse(fmt::format("it has other outcomes than line {}, of the same state and arm",
                            first->second.second),
                "write the same outcomes in all cells of a state; what failed is a 0");
  }

  void check_once(Line& line, const StudyCell& cell) {
    if (!cell.replicate) return;
    const auto [before, is_new] = cells_before_.try_emplace(
        {cell.state, cell.arm, cell.coalition, *cell.replicate}, cell.line);
    if (is_new) return;
    line.refuse(
        fmt::format("line {} has the same state, arm, coalition and replicate", before->second),
        "number the replicates; leave replicate out where those of different coalitions do not "
        "belong together");
  }

  Names components_{"component", static_cast<std::size_t>(kMostPlayers)};
  Names outcomes_{"outcome", kMostOutcomes};
  std::vector<StudyCell> cells_;
  std::map<std::string, StudyCell> states_;  // the first cell of each
  std::map<std::pair<std::string, std::string>, std::pair<Coalition, std::size_t>> available_;
  std::map<std::pair<std::string, std::string>, std::pair<std::set<std::size_t>, std::size_t>>
      outcomes_of_;
  std::map<std::tuple<std::string, std::string, Coalition, int>, std::size_t> cells_before_;
};

}  // namespace

const std::vector<std::string>& known_arms() {
  static const std::vector<std::string> kArms = {
      "direct",        "plan",           "both", "NP+NF",  "NP+F",
      "NP+S",          "P+NF",           "P+F",  "P+S",    "DP",
      "P+RF",          "sham",           "dup",  "filler", "transfer:own",
      "transfer:plan", "transfer:strong"};
  return kArms;
}

bool is_factorial(std::string_view arm) {
  return arm == "direct" || arm == "plan" || arm == "both";
}

Result<StudyCells> parse_cells(std::string_view text, const std::string& name) {
  Reader reader;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    if (const auto wrong = reader.read(line, number))
      return Error{ErrorCode::kBadInput, fmt::format("{}:{}: {}", name, number, wrong->what),
                   wrong->hint};
  }
  return std::move(reader).finish();
}

}  // namespace kbench
