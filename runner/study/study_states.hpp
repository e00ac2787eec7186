// States of a study as its cells need them: what is asked there, the kernel as a tree that can be
// judged, and what the components say of it. Pure, but for reading the store.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/judge/shared_store.hpp"
#include "runner/study/study_plan.hpp"
#include "runner/trajectory/injection.hpp"
#include "runner/trajectory/state_context.hpp"
#include "runner/workspace/kernel_tree.hpp"

namespace kbench {

struct StudyState {
  const PlannedState* planned = nullptr;  // the state in the plan
  StoredNode node;
  StateContext context;
  std::string kernel;  // all files, one behind the other
  KernelTree tree;
  Reports reports;      // reports of the components that answer
  std::string dropped;  // why its cells are not tried; empty: they are
};

// The variant that a row of that tree is stored under in a study's run, once.
[[nodiscard]] std::string variant_of(const KernelTree& tree);

// The kernel in a reply, by the rules of style refine. Errors: kSubmission, its files are none; an
// empty tree where it has no code.
[[nodiscard]] Result<KernelTree> tree_in_reply(const std::string& content,
                                               const std::string& device);
// The tree of a state's own files, equal to the tree of a reply with these files.
[[nodiscard]] Result<KernelTree> tree_of_state(const FrozenState& state, const Contents& contents);

// Reads a state without reports. Errors: kNotFound, kBadInput: a node or a text is not there.
[[nodiscard]] Result<StudyState> read_study_state(const Store& store, const PlannedState& planned);

// All that a run has to hold so that it holds these nodes: their ancestors too, parents first.
[[nodiscard]] Result<Trajectories> with_ancestors(const Store& store,
                                                  const std::vector<std::string>& nodes);

// The standard input of a component that is a command.
[[nodiscard]] Json state_json(const StudyState& state, const Evaluation& row);

}  // namespace kbench
