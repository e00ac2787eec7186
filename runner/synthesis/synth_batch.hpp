// Some candidates on their way through the filters of a synthesis, in the order of
// CandidateFault but for the package, which costs most and comes last. It changes the candidates
// alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/import/importer.hpp"
#include "runner/installation/installation.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/synthesis/candidate_record.hpp"
#include "runner/synthesis/contamination.hpp"
#include "runner/synthesis/size_search.hpp"
#include "runner/synthesis/synth_request.hpp"
#include "runner/synthesis/trial_devices.hpp"
#include "runner/synthesis/trial_order.hpp"
#include "runner/task/task.hpp"

namespace kbench {

struct Candidate {
  ImportSource source;
  CandidateRecord record;
  std::optional<SizeSearch> search;  // where it can be made at another size
  std::optional<Task> task;          // as lowered last, in the work folder
  std::string size;                  // size of the task, that is tried
  bool done = false;                 // nothing more is asked: rejected, or kept

  void reject(CandidateFault fault, const std::string& message);
};

// Parts shared by all batches. Everything outlives the batches.
struct SynthSetting {
  const SynthRequest& options;
  const Installation& installation;
  Sandbox& sandbox;
  LoweringSetup lowering;
  std::vector<HeldOutTask> held_out;
  std::filesystem::path work;             // a suite for the time being
  std::optional<Target> target;           // none: nothing is executed
  std::unique_ptr<TrialDevices> devices;  // with a target
  std::set<std::string> fingerprints;     // fingerprints of kept candidates
  ProgressSink& progress;
  std::function<bool()> stop;
};

class SynthBatch {
 public:
  SynthBatch(SynthSetting& setting, std::vector<Candidate>& candidates)
      : setting_(setting), candidates_(candidates) {}

  // Runs the batch. Where it was stopped, some candidates are not done. Errors: what no candidate
  // is to blame for.
  Status run();

 private:
  [[nodiscard]] std::vector<Candidate*> open() const;
  Status compose(const std::vector<Candidate*>& wanted);
  Status lower(const std::vector<Candidate*>& wanted);
  void take_lowered(Candidate& candidate, const ImportOutcome& outcome);
  void read_graph(Candidate& candidate);
  Result<std::vector<Candidate*>> time(const std::vector<Candidate*>& wanted);
  [[nodiscard]] bool take_time(Candidate& candidate, const TrialAnswer& answer);
  void drop_copies();
  Status judge();
  Status build_packages();
  Status build_packages(const std::string& size);
  [[nodiscard]] TrialOrder order_for(const Candidate& candidate, TrialKind kind) const;
  // The answers to trials of that kind, one a candidate.
  Result<TrialAnswers> try_each(const std::vector<Candidate*>& wanted, TrialKind kind);

  SynthSetting& setting_;
  std::vector<Candidate>& candidates_;
};

}  // namespace kbench
