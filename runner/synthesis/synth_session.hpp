// A synthesis of tasks from start to end: candidates of the grammar or of files, batch by batch
// through the filters, those that were kept moved into the suite, and each one written down at
// once. Prints nothing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/synthesis/candidate_record.hpp"
#include "runner/synthesis/synth_request.hpp"

namespace kbench {

struct SynthOutcome {
  std::string manifest;                  // the text of the suite's manifest.json
  std::vector<CandidateRecord> records;  // all of the suite, those of earlier parts among them
  std::size_t kept = 0;                  // records of kept candidates
  bool interrupted = false;              // by Ctrl-C; `resume` goes on
};

// Errors: kUsage, a folder that holds other tasks, or was made by another request; kInfrastructure,
// no Python with torch, no oracle.
[[nodiscard]] Result<SynthOutcome> synthesize(const SynthRequest& request,
                                              const Installation& installation,
                                              ProgressSink& progress);

}  // namespace kbench
