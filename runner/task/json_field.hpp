// A cursor into a JSON document that knows where it stands ("sizes.small.inputs[0].shape[1]"), so
// that every complaint names its field. The first complaint is kept; after it, all reads give
// harmless defaults, so that a reader is a straight line with one check at its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// The first complaint about one document.
class Complaints {
 public:
  explicit Complaints(std::string file) : file_(std::move(file)) {}

  void add(const std::string& field, const std::string& problem);
  [[nodiscard]] bool empty() const { return !first_.has_value(); }
  [[nodiscard]] const std::optional<Error>& first() const { return first_; }

 private:
  std::string file_;
  std::optional<Error> first_;
};

class JsonField {
 public:
  JsonField(const Json& value, std::string path, Complaints& complaints)
      : value_(&value), path_(std::move(path)), complaints_(&complaints) {}

  // Members and items. A missing one, or one of something that is no object or array, complains.
  [[nodiscard]] JsonField member(const std::string& key) const;
  [[nodiscard]] JsonField item(std::size_t index) const;
  // Number of items; complains when this is no array, or one longer than `limit`.
  [[nodiscard]] std::size_t array_size(std::size_t limit) const;

  // The value itself; complains about another type or a value outside the bounds.
  [[nodiscard]] std::string text(std::size_t max_bytes) const;
  [[nodiscard]] std::int64_t integer(std::int64_t low, std::int64_t high) const;
  [[nodiscard]] double number() const;  // finite

  void complain(const std::string& problem) const { complaints_->add(path_, problem); }
  [[nodiscard]] bool healthy() const { return complaints_->empty(); }
  [[nodiscard]] const Json& json() const { return *value_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  const Json* value_;
  std::string path_;
  Complaints* complaints_;
};

}  // namespace kbench
