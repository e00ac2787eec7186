// Results that clients may still ask for, by id: a bounded number, of which the oldest goes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace kbench {

template <class Value>
class Recent {
 public:
  explicit Recent(std::size_t most) : most_(most) {}

  // Puts the value in place of what was there under that id.
  void put(const std::string& id, Value value) {
    erase(id);
    if (most_ > 0 && ids_.size() >= most_) erase(std::string(ids_.begin()->second));
    ids_.emplace(++next_, id);
    values_.emplace(id, Kept{next_, std::move(value)});
  }
  // Null without one.
  [[nodiscard]] const Value* find(const std::string& id) const {
    const auto found = values_.find(id);
    return found == values_.end() ? nullptr : &found->second.value;
  }
  // Takes the value out: it is remembered no longer.
  [[nodiscard]] std::optional<Value> take(const std::string& id) {
    const auto found = values_.find(id);
    if (found == values_.end()) return std::nullopt;
    std::optional<Value> value(std::move(found->second.value));
    erase(id);
    return value;
  }
  void erase(const std::string& id) {
    const auto found = values_.find(id);
    if (found == values_.end()) return;
    ids_.erase(found->second.number);
    values_.erase(found);
  }

 private:
  struct Kept {
    std::uint64_t number = 0;
    Value value;
  };
  const std::size_t most_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, std::string> ids_;  // by age
  std::map<std::string, Kept> values_;
};

}  // namespace kbench
