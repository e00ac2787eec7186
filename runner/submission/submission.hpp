// Submissions on disk: DIR/AGENT/levelN/NNN_name[@variant].{cu,cpp}, or a folder
// DIR/AGENT/levelN/NNN_name[@variant]/ with sources and submission.json. DIR/AGENT/include, where
// it exists, is on the include path of all of the agent's submissions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"

namespace kbench {

struct Submission {
  SubmissionId id;
  std::string task;              // "level1/019_relu"
  std::string device;            // "cpu" (.cpp) or "cuda" (.cu)
  std::filesystem::path folder;  // of one with a manifest; empty for a single file
  std::vector<std::filesystem::path> sources;
  std::vector<std::filesystem::path> include_directories;
  std::vector<std::string> flags;      // from the manifest, each checked against the allowed ones
  std::vector<std::string> libraries;  // "cublas", "cudnn": asked for in the manifest
};

// What one agent may hand in. Beyond that it is refused, and nobody else notices.
struct AgentLimits {
  std::size_t entries = 10'000;             // files and folders
  std::uint64_t source_bytes = 1ull << 30;  // read for all submissions, shared headers each time
  std::size_t submissions_a_task = 128;     // malformed ones too
};

struct SubmissionProblem {
  std::filesystem::path path;  // below the submissions folder, with unprintable bytes as \xNN
  std::string task;            // where the path tells it, else empty
  std::string agent;
  Error error;
  // The agent has more than its limits allow: all of it is refused, or all of it for `task`.
  bool refused = false;
};

// A file that is no submission and no part of one.
struct OtherFile {
  std::string path;  // as in SubmissionProblem
  std::string agent;
  std::string why;
  bool mistaken = false;  // somebody seems to have meant it as one
};

struct SubmissionSet {
  std::vector<Submission> submissions;      // sorted by task, agent, variant
  std::vector<SubmissionProblem> problems;  // malformed manifests, hostile names: reported, skipped
  std::vector<OtherFile> others;            // with all of these, no file is unaccounted for
};

// Finds every submission below `directory`. Symbolic links that leave it are problems. Errors:
// kUsage, kBadInput for more agents than anybody has.
[[nodiscard]] Result<SubmissionSet> find_submissions(const std::filesystem::path& directory,
                                                     const AgentLimits& limits = {});

// One file without any folders around it, for a task like "level1/019_relu"; its agent is called
// like the file. Errors: kUsage, kBadInput.
[[nodiscard]] Result<Submission> single_submission(const std::filesystem::path& file,
                                                   const std::string& task);

}  // namespace kbench
