#include "runner/gate/byte_budget.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace kbench {

std::shared_ptr<ByteBudget> ByteBudget::make(Limits limits) {
  return std::shared_ptr<ByteBudget>(new ByteBudget(limits));
}

ByteBudget::Hold::Hold(std::shared_ptr<ByteBudget> budget, std::string owner, std::size_t bytes)
    : budget_(std::move(budget)), owner_(std::move(owner)), bytes_(bytes) {
  budget_->change(owner_, 0, bytes_);
}

bool ByteBudget::Hold::resize(std::size_t bytes) {
  if (bytes > bytes_ && !budget_->fits(owner_, bytes - bytes_)) return false;
  budget_->change(owner_, std::exchange(bytes_, bytes), bytes);
  return true;
}

bool ByteBudget::fits(const std::string& owner, std::size_t more) const {
  const auto found = of_.find(owner);
  const std::size_t own = found == of_.end() ? 0 : found->second;
  return own + more <= limits_.of_one && held_ + more <= limits_.of_all;
}

void ByteBudget::change(const std::string& owner, std::size_t from, std::size_t to) {
  held_ += to - from;
  std::size_t& own = of_[owner];
  own += to - from;
  if (own == 0) of_.erase(owner);
  if (to < from) grant_some();
}

std::uint64_t ByteBudget::ask(const std::string& owner, std::size_t bytes, Granted granted) {
  const bool is_behind = std::any_of(line_.begin(), line_.end(),
                                     [&](const Waiting& one) { return one.owner == owner; });
  if (!is_behind && fits(owner, bytes)) {
    granted(std::make_shared<Hold>(shared_from_this(), owner, bytes));
    return 0;
  }
  line_.push_back({++next_, owner, bytes, std::move(granted)});
  return next_;
}

void ByteBudget::withdraw(std::uint64_t number) {
  std::erase_if(line_, [&](const Waiting& one) { return one.number == number; });
  grant_some();  // those behind it may fit
}

void ByteBudget::grant_some() {
  if (std::exchange(granting_, true)) return;
  std::set<std::string> held_up;
  for (std::size_t i = 0; i < line_.size();) {
    if (held_up.contains(line_[i].owner)) {
      ++i;
    } else if (fits(line_[i].owner, line_[i].bytes)) {
      Waiting next = std::move(line_[i]);
      line_.erase(line_.begin() + static_cast<std::ptrdiff_t>(i));
      next.granted(std::make_shared<Hold>(shared_from_this(), next.owner, next.bytes));
      i = 0;  // granted() may have changed the line
      held_up.clear();
    } else {
      held_up.insert(line_[i++].owner);
    }
  }
  granting_ = false;
}

}  // namespace kbench
