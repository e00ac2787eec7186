// Submissions on disk: DIR/AGENT/levelN/NNN_name[@variant].{cu,cpp}, or a folder
// DIR/AGENT/levelN/NNN_name[@variant]/ with sources and submission.json. DIR/AGENT/include, where
// it exists, is on the include path of all of the agent's submissions.
#pragma once

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

struct SubmissionProblem {
  std::filesystem::path path;  // below the submissions folder, with unprintable bytes as \xNN
  std::string task;            // where the path tells it, else empty
  std::string agent;
  Error error;
};

struct SubmissionSet {
  std::vector<Submission> submissions;      // sorted by task, agent, variant
  std::vector<SubmissionProblem> problems;  // malformed manifests, hostile names: reported, skipped
};

// Finds every submission below `directory`. Symbolic links that leave it are problems.
[[nodiscard]] Result<SubmissionSet> find_submissions(const std::filesystem::path& directory);

}  // namespace kbench
