// States that an agent was in, frozen so that what comes next can be tried again under other
// feedback, and the nodes by which trajectories reached them. A state is {task, size, device, tree,
// context}; a node is {state, parents, trajectory, generation, origin, outcome}. Written by
// freezing and importing, kept by runner/store.
//
// Invariants: an id is the SHA-256 of the canonical JSON of what it names, so that the same state
// is one state in any file, and a changed one is found. A node's id is made of those of its
// parents, which therefore were there first: trajectories have no cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/source_tree.hpp"

namespace kbench {

struct FrozenState {
  std::string task;             // "level1/019_relu"
  std::string task_hash;        // hash of the task file
  std::string size;             // "small" or "full"
  std::string device;           // "cpu" or "cuda"
  std::vector<TreeFile> files;  // files of the kernel, sorted by path
  std::string context;          // hash of a text of state_context.hpp

  friend bool operator==(const FrozenState&, const FrozenState&) = default;
};
// `tree` is hash_tree(state.files), which a reader may know without the files.
[[nodiscard]] std::string state_id(const FrozenState& state, const std::string& tree);
[[nodiscard]] std::string state_id(const FrozenState& state);

struct TrajectoryNode {
  std::string state;                 // id
  std::vector<std::string> parents;  // ids, sorted, each once; none: the trajectory begins here
  std::string trajectory;            // an episode's id, or a name that its importer gave
  std::int64_t generation = 0;       // judged kernels before it
  std::string origin;                // "episode", "openevolve", "jsonl"
  std::string outcome;               // JSON of an object: what became of the state's own kernel

  friend bool operator==(const TrajectoryNode&, const TrajectoryNode&) = default;
};
[[nodiscard]] std::string node_id(const TrajectoryNode& node);

// A node with its state, as it lies in a database.
struct StoredNode {
  std::string id;
  TrajectoryNode node;
  FrozenState state;
};

// The kinds of state that a study is balanced over, by the outcome of its kernel.
namespace stratum {
inline constexpr std::string_view kNotBuilt = "not built";
inline constexpr std::string_view kWrong = "wrong";
inline constexpr std::string_view kCorrect = "correct";
}  // namespace stratum

// Members of an outcome that kbench reads: "stratum" and "leaks". Empty, 0 where there is none.
[[nodiscard]] std::string stratum_of(const TrajectoryNode& node);
[[nodiscard]] std::int64_t leaks_of(const TrajectoryNode& node);

// The words of a component on a state's kernel, kept once for each version of the component.
struct StateReport {
  std::string state;      // id
  std::string component;  // "error"
  std::string version;    // version of the component
  std::string form;       // "raw" or "summary"
  std::string status;     // "answered", or why it did not
  std::string content;    // hash of the text

  friend bool operator==(const StateReport&, const StateReport&) = default;
};

// A cell of a study: one state, tried once. It fills up in this order, each part stored before what
// follows: plan, reply, the row of the kernel, status. After the status nothing follows.
struct StateCell {
  std::string node;       // id
  std::string arm;        // a name of attribution/cells.hpp
  std::string coalition;  // names of components in alphabetical order, joined by commas
  std::int64_t replicate = 0;
  std::string plan;        // hash of the planner's text; empty: none
  std::string reply;       // hash of the coder's text; empty: none yet
  std::string evaluation;  // key of the row in the study's run; empty: none
  std::string status;      // empty: it is not complete
  std::optional<std::int64_t> tokens_in;
  std::optional<std::int64_t> tokens_out;

  friend bool operator==(const StateCell&, const StateCell&) = default;
};

// Whether `after` is `before` and more: what is there stays, and after the status nothing follows.
[[nodiscard]] bool fills_up(const StateCell& before, const StateCell& after);

struct StateStudy {
  std::string id;  // SHA-256 of its plan, which names the plan's text as well
  std::vector<StateCell> cells;

  friend bool operator==(const StateStudy&, const StateStudy&) = default;
};

// All states of a run. Nodes come behind their parents.
struct Trajectories {
  std::vector<FrozenState> states;
  std::vector<TrajectoryNode> nodes;
  std::vector<StateReport> reports;
  std::vector<StateStudy> studies;

  [[nodiscard]] bool empty() const { return nodes.empty() && studies.empty(); }
  friend bool operator==(const Trajectories&, const Trajectories&) = default;
};

// States that were frozen or imported, with the texts that a store may not have.
struct FrozenTexts {
  Trajectories trajectories;
  std::vector<std::string> texts;     // contexts, kernels
  std::size_t leaks = 0;              // nodes whose context tells what a report would
  std::size_t fresh = 0;              // nodes whose context is fresh_context()
  std::vector<std::string> left_out;  // missing parts and the reasons, a sentence each
};

// The configuration of a run that judged nothing and only holds states: it is no `latest`.
inline constexpr std::string_view kStatesOnly = R"({"states":"only"})";

// Seals of rows that no id names: one bit that changed is found.
[[nodiscard]] std::string seal_of(const StateReport& report);
[[nodiscard]] std::string seal_of(const StateCell& cell, const std::string& study);
[[nodiscard]] std::string seal_of_holding(const std::string& run, const std::string& node);

}  // namespace kbench
