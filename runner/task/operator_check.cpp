#include "runner/task/operator_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <variant>

#include <fmt/format.h>

#include "runner/core/defence.hpp"
#include "runner/task/operator_table.hpp"
#include "runner/task/task.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMaxEquation = 200;
constexpr std::size_t kShownText = 60;

constexpr std::array<std::string_view, 12> kDTypes{"float64",    "float32",   "float16", "bfloat16",
                                                   "complex128", "complex64", "int64",   "int32",
                                                   "int16",      "int8",      "uint8",   "bool"};
constexpr std::array<std::string_view, 4> kMemoryFormats{"contiguous", "preserve", "channels_last",
                                                         "channels_last_3d"};

template <class List>
bool contains(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

template <class T>
bool is(const GraphArg& arg) {
  return std::holds_alternative<T>(arg.value);
}

bool is_null(const GraphArg& arg) { return is<std::monostate>(arg); }

bool is_int(const GraphArg& arg) {
  const auto* number = std::get_if<std::int64_t>(&arg.value);
  return number != nullptr && *number >= -kMaxElements && *number <= kMaxElements;
}

bool is_float(const GraphArg& arg) { return is<double>(arg) || is<std::int64_t>(arg); }

template <class Fits>
bool is_list(const GraphArg& arg, const Fits& fits) {
  const auto* list = std::get_if<GraphList>(&arg.value);
  return list != nullptr && list->size() <= kMaxTensors &&
         std::all_of(list->begin(), list->end(), fits);
}

// The product of extents, a negative one counting as 1; nothing where it is too large.
class Extents {
 public:
  [[nodiscard]] bool add(std::int64_t extent) {
    if (extent <= 0) return true;
    if (extent > kMaxElements / product_) return false;
    product_ *= extent;
    return true;
  }

 private:
  std::int64_t product_ = 1;
};

bool is_shape(const GraphArg& arg) {
  if (!is_list(arg, is_int)) return false;
  const auto& list = std::get<GraphList>(arg.value);
  Extents extents;
  return list.size() <= kMaxRank &&
         std::all_of(list.begin(), list.end(), [&](const GraphArg& item) {
           const auto extent = std::get<std::int64_t>(item.value);
           return extent >= -1 && extents.add(extent);
         });
}

bool fits(const GraphArg& arg, const ArgRule& rule) {
  if (rule.optional && is_null(arg)) return true;
  switch (rule.kind) {
    case ArgKind::kTensor:
    case ArgKind::kWritten: return is<GraphValue>(arg);
    case ArgKind::kTensorOrNumber: return is<GraphValue>(arg) || is<GraphScalar>(arg);
    case ArgKind::kTensors: return is_list(arg, is<GraphValue>);
    case ArgKind::kTensorsOrNulls:
      return is_list(arg, [](const GraphArg& a) { return is<GraphValue>(a) || is_null(a); });
    case ArgKind::kInt: return is_int(arg);
    case ArgKind::kIndex: return is<std::int64_t>(arg);
    case ArgKind::kInts: return is_list(arg, is_int);
    case ArgKind::kShape: return is_shape(arg);
    case ArgKind::kCount: return is_int(arg) && arg.number() >= 0;
    case ArgKind::kRange: return is_float(arg) && std::abs(*arg.number()) <= kMaxElements;
    case ArgKind::kFloat: return is_float(arg);
    case ArgKind::kFloats: return is_list(arg, is_float);
    case ArgKind::kBool:
    case ArgKind::kTraining: return is<bool>(arg);
    case ArgKind::kNumber: return is_float(arg) || is<bool>(arg);
    case ArgKind::kDType: {
      const auto* dtype = std::get_if<GraphDType>(&arg.value);
      return is<GraphWorkingDType>(arg) || (dtype != nullptr && contains(kDTypes, dtype->name));
    }
    case ArgKind::kDevice: return is<GraphDevice>(arg);
    case ArgKind::kLayout: {
      const auto* layout = std::get_if<GraphLayout>(&arg.value);
      return layout != nullptr && layout->name == "strided";
    }
    case ArgKind::kMemoryFormat: {
      const auto* format = std::get_if<GraphMemoryFormat>(&arg.value);
      return format != nullptr && contains(kMemoryFormats, format->name);
    }
    case ArgKind::kOff: return is_null(arg) || arg.is(false);
    case ArgKind::kNull: return is_null(arg);
    case ArgKind::kZero: return arg.number() == 0.0;
    case ArgKind::kWord: {
      const auto* word = std::get_if<std::string>(&arg.value);
      return word != nullptr && contains(rule.words, *word);
    }
    // How many tensors it is for, the next argument says: fit_together.
    case ArgKind::kEquation: return is<std::string>(arg);
    case ArgKind::kStatistics: return is_null(arg) || is<GraphValue>(arg);
  }
  return false;
}

// The argument, shortened: a reader wants to find it, not to have all of it.
std::string shown(const GraphArg& arg) {
  if (is_null(arg)) return "null";
  if (const auto* flag = std::get_if<bool>(&arg.value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<std::int64_t>(&arg.value)) return fmt::format("{}", *number);
  if (const auto* number = std::get_if<double>(&arg.value)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&arg.value))
    return Json(text->substr(0, kShownText))
        .dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  if (is<GraphValue>(arg)) return "a tensor";
  if (is<GraphScalar>(arg)) return "a scalar";
  if (is<GraphList>(arg)) return "another list";
  if (const auto* dtype = std::get_if<GraphDType>(&arg.value)) return shown({dtype->name});
  return "another kind";
}

// Elements of arange(end), arange(start, end) or arange(start, end, step).
bool range_is_small(const std::vector<double>& range) {
  if (range.empty()) return true;
  const double start = range.size() > 1 ? range[0] : 0;
  const double end = range.size() > 1 ? range[1] : range[0];
  const double step = range.size() > 2 ? range[2] : 1;
  return step != 0 && std::abs((end - start) / step) <= static_cast<double>(kMaxElements);
}

// The first argument that fits its own rule and does not fit the others, by position.
std::optional<std::size_t> first_misfit(const GraphNode& node, const OperatorRule& rule) {
  Extents extents;
  std::vector<double> range;
  bool statistics = false;
  for (std::size_t i = 0; i < node.args.size(); ++i) {
    const GraphArg& arg = node.args[i];
    const ArgKind kind = rule.args[i].kind;
    if (kind == ArgKind::kCount && !extents.add(static_cast<std::int64_t>(*arg.number()))) return i;
    if (kind == ArgKind::kRange) {
      range.push_back(*arg.number());
      const bool last = i + 1 == node.args.size() || rule.args[i + 1].kind != ArgKind::kRange;
      if (last && !range_is_small(range)) return i;
    }
    if (kind == ArgKind::kStatistics) statistics |= is<GraphValue>(arg);
    if (kind == ArgKind::kTraining && statistics && arg.is(true)) return i;
    if (kind == ArgKind::kEquation) {
      const auto* operands = std::get_if<GraphList>(&node.args.at(i + 1).value);
      if (operands != nullptr && !is_equation(std::get<std::string>(arg.value), operands->size()))
        return i;
    }
  }
  return std::nullopt;
}

std::string wrong_argument(const GraphNode& node, const OperatorRule& rule, std::size_t position) {
  return fmt::format("argument {} is {}; allowed is {}", position, shown(node.args[position]),
                     describe(rule.args[position]));
}

std::string unlisted(const GraphNode& node) {
  const OperatorTable& table = OperatorTable::known();
  const auto meant = table.nearest_to(node.full_name());
  return fmt::format(
      "it is none of the {} operators that a task may use{}; write the task with those of "
      "suites/operators.txt, or ask for it in an issue",
      table.size(), meant ? fmt::format(" (the nearest is {})", *meant) : "");
}

std::optional<std::string> results_problem(const GraphNode& node, const OperatorRule& rule) {
  const bool list = rule.results.size() == 1 && rule.results.front().list;
  if (list && node.outs.size() > kMaxTensors)
    return fmt::format("{} outs; allowed are at most {}", node.outs.size(), kMaxTensors);
  if (list || node.outs.size() == rule.results.size()) return std::nullopt;
  return fmt::format("{} outs, but the operator returns {} tensors", node.outs.size(),
                     rule.results.size());
}

std::optional<std::string> arguments_problem(const GraphNode& node, const OperatorRule& rule) {
  if (node.args.size() != rule.args.size())
    return fmt::format("{} arguments, but the operator takes {}", node.args.size(),
                       rule.args.size());
  for (std::size_t i = 0; i < node.args.size(); ++i)
    if (!fits(node.args[i], rule.args[i])) return wrong_argument(node, rule, i);
  if (const auto position = first_misfit(node, rule)) return wrong_argument(node, rule, *position);
  return results_problem(node, rule);
}

// A term of an equation: letters, and "..." once. Its letters are added to `seen`.
bool read_term(std::string_view term, std::string& seen) {
  if (const auto dots = term.find("..."); dots != term.npos) {
    std::string rest(term);
    rest.erase(dots, 3);
    return rest.find('.') == rest.npos && read_term(rest, seen);
  }
  seen += term;
  return term.size() <= kMaxRank && std::all_of(term.begin(), term.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
         });
}

bool read_terms(std::string_view terms, std::size_t tensors, std::string& seen) {
  for (std::size_t i = 0; i < tensors; ++i) {
    const std::size_t end = std::min(terms.find(','), terms.size());
    const bool last = i + 1 == tensors;
    if (last != (end == terms.size()) || !read_term(terms.substr(0, end), seen)) return false;
    terms.remove_prefix(last ? end : end + 1);
  }
  return tensors > 0;
}

}  // namespace

bool is_equation(std::string_view text, std::size_t tensors) {
  if (text.size() > kMaxEquation) return false;
  std::string plain;
  std::copy_if(text.begin(), text.end(), std::back_inserter(plain),
               [](char c) { return c != ' '; });
  const std::size_t arrow = plain.find("->");
  std::string seen;
  std::string result;
  if (!read_terms(std::string_view(plain).substr(0, arrow), tensors, seen)) return false;
  if (arrow == plain.npos) return true;
  if (!read_term(std::string_view(plain).substr(arrow + 2), result)) return false;
  const std::set<char> letters(result.begin(), result.end());
  return letters.size() == result.size() &&
         std::all_of(letters.begin(), letters.end(),
                     [&](char c) { return seen.find(c) != seen.npos; });
}

bool OperatorCheck::is_given(const GraphArg& arg) const {
  if (const auto* value = std::get_if<GraphValue>(&arg.value)) return given_.at(value->index);
  const auto* list = std::get_if<GraphList>(&arg.value);
  return list != nullptr && std::any_of(list->begin(), list->end(),
                                        [this](const GraphArg& item) { return is_given(item); });
}

std::optional<std::string> OperatorCheck::problem_with(const GraphNode& node) {
  if (!stands(Defence::kListedOperators)) return std::nullopt;
  const OperatorRule* rule = OperatorTable::known().find(node.full_name());
  if (rule == nullptr) return unlisted(node);
  if (const auto problem = arguments_problem(node, *rule)) return problem;
  for (std::size_t i = 0; i < node.args.size(); ++i) {
    if (rule->args[i].kind == ArgKind::kWritten && is_given(node.args[i]))
      return fmt::format(
          "argument {} is written, and may lie in the memory of an input or a parameter; write to "
          "an aten::clone of it",
          i);
  }
  const bool any_given = std::any_of(node.args.begin(), node.args.end(),
                                     [this](const GraphArg& arg) { return is_given(arg); });
  for (std::size_t i = 0; i < node.outs.size(); ++i) {
    const ResultRule& result = rule->results[rule->results.front().list ? 0 : i];
    if (node.outs[i] == GraphNode::kUnread) continue;
    given_.resize(std::max(given_.size(), node.outs[i] + 1));
    given_[node.outs[i]] = result.memory == ResultRule::Memory::kShared && any_given;
  }
  return std::nullopt;
}

}  // namespace kbench
