// The SQLite store: the only place that writes results. Raw samples are facts and never rewritten.
// One evaluation is one transaction, so that a kill at any moment loses at most the evaluation at
// hand. Runs write and reports read through the same class.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/lint_record.hpp"
#include "runner/core/result.hpp"
#include "runner/store/chain/chain.hpp"
#include "runner/store/rows/blob.hpp"
#include "runner/store/rows/tag.hpp"
#include "runner/trajectory/episode.hpp"
#include "runner/trajectory/frozen_state.hpp"

namespace kbench {

// How many rows of a run and a device ended in a state.
struct StateCount {
  // The first and the last of some text in these rows, by name: two names if any rows differ. Both
  // are empty if none has the text.
  struct Span {
    std::string first;
    std::string last;
  };
  std::string run_id;
  std::string device;          // "cpu" or "cuda"
  std::string device_uuid;     // Evaluation::device_uuid
  std::optional<State> state;  // empty: one that no kbench knows, which is damage
  int rows = 0;
  Span tasks;
  Span agents;
  Span submissions;  // names of submissions, SubmissionId::name
};

// A run as it was read in one moment.
struct StoredRun {
  std::vector<Evaluation> evaluations;  // order of insertion; complete with checks and samples
  ChainFinding chain;
};

// A task in all runs, or an evaluation, as it was read in one moment.
struct StoredTask {
  std::vector<Evaluation> evaluations;         // StoredRun's member
  std::map<std::string, ChainFinding> chains;  // key: the run; chains of these rows alone
};

// How long a run's rows were timed: in full, in --quick, or not at all in --checks-only.
enum class HowTimed { kInFull, kQuick, kNot };

class Store {
 public:
  enum class Mode { kReadOnly, kReadWrite };

  // Opens or (read-write only) creates the database and applies missing migrations. Errors: not a
  // kbench database, a newer version, corrupt, locked, unwritable folder; each says what to do.
  static Result<Store> open(const std::filesystem::path& file, Mode mode);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  // Closes the database. All that was written is in the one file then, unless another process reads
  // it at this moment.
  ~Store();

  // Puts all that was written into the one file while the store stays open, for a copy of the file.
  // Errors: kInfrastructure, while another process reads on for longer than the store waits.
  Status settle();

  // Sets the chain's key. Runs that are begun from now on are chained with it, and chains made with
  // it are extended and checked; so are the seals of what lint found. Without a key, runs are begun
  // unchained.
  void use(ChainKey key);

  // A chained run takes no further row once it was changed, nor without its key.
  Status begin_run(const Run& run);
  Status finish_run(const std::string& run_id, const std::string& finished_at);

  // Stores a night's findings about the run, JSON; replaces earlier ones. Errors: kNotFound.
  Status put_night(const std::string& run_id, const std::string& findings);
  // The same, as it lies there; empty where no night has looked at the run.
  [[nodiscard]] Result<std::string> night(const std::string& run_id) const;

  // Inserts the evaluation with its checks and samples in one transaction. A second insertion of
  // the same (run_id, key) changes nothing and succeeds: that makes --resume idempotent. `blobs`
  // are what the evaluation names and the store may not have.
  Status add(const Evaluation& evaluation, std::span<const Blob> blobs = {});

  // Keeps what lint found; replaces the older record of the same content, size and device.
  Status put(const LintRecord& record);
  // All records, by task, size and device.
  [[nodiscard]] Result<LintRows> lint_records() const;

  // Gives a run a name. Doing so twice changes nothing. Errors: kUsage where the name is none, or
  // is another run's already, or nearly; kNotFound without such a run.
  Status put(const Tag& tag);
  Status remove_tag(const std::string& name);           // kNotFound without such a tag
  [[nodiscard]] Result<std::vector<Tag>> tags() const;  // sorted by name

  [[nodiscard]] Result<std::vector<Run>> runs() const;                             // newest first
  [[nodiscard]] Result<std::optional<Run>> find_run(const std::string& id) const;  // unique prefix
  [[nodiscard]] Result<std::vector<std::string>> keys(const std::string& run_id) const;
  // Evaluations in order of insertion, complete with checks and samples.
  [[nodiscard]] Result<std::vector<Evaluation>> evaluations(const std::string& run_id) const;

  // Evaluations of a run, with what its chain says about them.
  [[nodiscard]] Result<StoredRun> read(const std::string& run_id) const;

  // An episode of a run that is there, without turns. Errors: kUsage where there is one of that id.
  Status begin_episode(const Episode& episode);
  // The next turn of an episode that has not ended, without its calls: before any tool runs. And a
  // call, once it was answered: before the next request. Positions are counted from 0, and each is
  // there once. `blobs` are the texts that the store may not have. Errors: kNotFound without such
  // an episode or turn; kInfrastructure where it is there already, or names what is not.
  Status add_turn(const std::string& episode_id, int position, const Turn& turn,
                  std::span<const Blob> blobs);
  Status add_call(const std::string& episode_id, int turn, int position, const ToolCall& call,
                  std::span<const Blob> blobs);
  // Ends an episode: no turn follows. Errors: kNotFound; kUsage where it has ended already.
  Status finish_episode(const std::string& episode_id, const std::string& finished_at,
                        StopReason reason);

  // Episodes, newest first; of one run, or of all.
  [[nodiscard]] Result<std::vector<EpisodeSummary>> episodes(
      const std::optional<std::string>& run_id = {}) const;
  // Complete, by its id or the start of it. Errors: kNotFound; kUsage where several begin so.
  [[nodiscard]] Result<Episode> read_episode(const std::string& id) const;

  // States that a run, which is there, holds from now on, with what belongs to them: all of it or
  // nothing. What is there already stays as it is. Errors: kInfrastructure where a node names a
  // parent, a state or a text that is not there.
  Status add_trajectories(const std::string& run_id, const Trajectories& trajectories,
                          std::span<const Blob> blobs);
  // A study of a run that holds its nodes, by the text of its plan, whose SHA-256 is its id.
  // Errors: kUsage where there is one of that plan.
  Status begin_study(const std::string& run_id, std::string_view plan);
  // A new cell of a study, or more of one that is there. Errors: kInfrastructure where it names
  // something that is not there, or changes what it has.
  Status put_cell(const std::string& study, const StateCell& cell, std::span<const Blob> blobs);
  // The run of a study, by the study's id; and its cells. Errors: kNotFound.
  [[nodiscard]] Result<std::string> run_of_study(const std::string& id) const;
  [[nodiscard]] Result<StateStudy> read_study(const std::string& id) const;
  // A component's report on a state; the first of a version stays.
  Status put_report(const StateReport& report, std::span<const Blob> blobs);

  // All that a run holds.
  [[nodiscard]] Result<Trajectories> trajectories(const std::string& run_id) const;
  // Nodes in order of insertion, without files; of one run, or of all.
  [[nodiscard]] Result<std::vector<StoredNode>> nodes(
      const std::optional<std::string>& run_id = {}) const;
  // Complete, by its id or the start of it. Errors: kNotFound; kUsage where several begin so.
  [[nodiscard]] Result<StoredNode> read_node(const std::string& id) const;

  // Whether the file holds together, by SQLite's own check of every page. Asked before something is
  // written into a file that nothing else reads as a whole.
  [[nodiscard]] Status check_pages() const;

  // Rows by run and state, of all runs.
  [[nodiscard]] Result<std::vector<StateCount>> state_counts() const;
  // Number of a run's rows, without reading them.
  [[nodiscard]] Result<std::size_t> row_count(const std::string& run_id) const;
  // Every task that has a row, by id.
  [[nodiscard]] Result<std::vector<std::string>> task_ids() const;
  // Every agent that has a row, by name: foreign text.
  [[nodiscard]] Result<std::vector<std::string>> agents() const;
  // The rows of one task in all runs.
  [[nodiscard]] Result<StoredTask> read_task(const std::string& task) const;

  // The rows of that key, of any runs: the same evaluation, each time that it was made.
  [[nodiscard]] Result<StoredTask> read_key(const std::string& key) const;

  // The contents under these hashes, each checked against its own: the smallest first, as many as
  // have at most so many bytes together. Without those that the store does not have. One that is
  // damaged is an Error (kBadInput).
  [[nodiscard]] Result<std::map<std::string, std::string>> contents(
      std::span<const std::string> hashes, std::size_t most_bytes) const;
  // The contents under these hashes, with damaged ones told beside the others.
  [[nodiscard]] Result<StoredContents> readable_contents(std::span<const std::string> hashes,
                                                         std::size_t most_bytes) const;

  [[nodiscard]] const std::filesystem::path& file() const;

  // Median wall seconds of earlier evaluations that did not fail, of this task, size and device,
  // timed in the same way: for the ETA.
  [[nodiscard]] Result<std::optional<double>> typical_seconds(const std::string& task,
                                                              const std::string& size,
                                                              const std::string& device,
                                                              HowTimed how) const;

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Opens a database with the chain's key. `state`: the folder of the key. Without a key there the
// database opens all the same, and whether its rows were changed cannot be told. Errors: those of
// Store::open.
[[nodiscard]] Result<Store> open_with_key(const std::filesystem::path& file, Store::Mode mode,
                                          const std::filesystem::path& state);

}  // namespace kbench
