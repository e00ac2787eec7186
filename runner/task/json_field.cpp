#include "runner/task/json_field.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "runner/task/plain_text.hpp"

namespace kbench {
namespace {

// The value that a cursor which went astray points at.
const Json& nothing() {
  static const Json kNothing;
  return kNothing;
}

}  // namespace

void Complaints::add(const std::string& field, const std::string& problem) {
  if (first_) return;
  first_ = Error{ErrorCode::kBadInput,
                 fmt::format("{}: {}: {}", file_, field.empty() ? "the file" : field, problem),
                 "suites/FORMAT.md describes the format; suites/lower.py writes it"};
}

JsonField JsonField::member(const std::string& key) const {
  const auto path = path_.empty() ? key : fmt::format("{}.{}", path_, key);
  if (!value_->is_object()) {
    complain(fmt::format("expected an object, found {}", value_->type_name()));
    return {nothing(), path, *complaints_};
  }
  const auto found = value_->find(key);
  if (found == value_->end()) {
    complaints_->add(path, "missing");
    return {nothing(), path, *complaints_};
  }
  return {*found, path, *complaints_};
}

JsonField JsonField::item(std::size_t index) const {
  const auto path = fmt::format("{}[{}]", path_, index);
  if (!value_->is_array() || index >= value_->size()) {
    complaints_->add(path, "missing");
    return {nothing(), path, *complaints_};
  }
  return {(*value_)[index], path, *complaints_};
}

std::size_t JsonField::array_size(std::size_t limit) const {
  if (!value_->is_array()) {
    complain(fmt::format("expected an array, found {}", value_->type_name()));
    return 0;
  }
  if (value_->size() > limit) {
    complain(fmt::format("{} items, more than the limit of {}", value_->size(), limit));
    return 0;
  }
  return value_->size();
}

std::string JsonField::text(std::size_t max_bytes) const {
  if (!value_->is_string()) {
    complain(fmt::format("expected a string, found {}", value_->type_name()));
    return {};
  }
  const auto& text = value_->get_ref<const std::string&>();
  if (text.size() > max_bytes) {
    complain(fmt::format("{} bytes of text, more than the limit of {}", text.size(), max_bytes));
    return {};
  }
  if (!is_one_line(text)) {
    complain("contains a control character");
    return {};
  }
  return text;
}

std::int64_t JsonField::integer(std::int64_t low, std::int64_t high) const {
  if (!value_->is_number_integer()) {
    complain(fmt::format("expected an integer, found {}",
                         value_->is_number() ? value_->dump() : value_->type_name()));
    return low;
  }
  // Above 2^63 only the unsigned reading is right.
  const bool too_large = value_->is_number_unsigned() &&
                         value_->get<std::uint64_t>() >
                             static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (too_large || value_->get<std::int64_t>() < low || value_->get<std::int64_t>() > high) {
    complain(fmt::format("{} is outside {} to {}", value_->dump(), low, high));
    return low;
  }
  return value_->get<std::int64_t>();
}

double JsonField::number() const {
  if (!value_->is_number()) {
    complain(fmt::format("expected a number, found {}", value_->type_name()));
    return 0;
  }
  const auto number = value_->get<double>();
  if (!std::isfinite(number)) {
    complain("not a finite number");
    return 0;
  }
  return number;
}

}  // namespace kbench
