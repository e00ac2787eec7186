#include "runner/pool/again.hpp"

#include <fmt/format.h>

#include "runner/core/labels.hpp"

namespace kbench {

void mark_again(Evaluation& row, const std::string& winner) {
  add_label(row.labels, kAgainLabel);
  row.unranked =
      fmt::format("again: run {} had published its answer to this request", short_id(winner));
}

bool is_again(const Evaluation& row) { return has_label(row.labels, kAgainLabel); }

bool answers_its_key(const Evaluation& row) {
  return fault_of(row.state) != Fault::kInfrastructure || row.state == State::kDoesNotFit;
}

}  // namespace kbench
