// submission.json, the manifest of a submission that is a folder:
//
//   {"schema": "kbench-submission/1",          required
//    "sources": ["relu.cu", "host.cpp"],       required: inside the folder; one .cu makes it CUDA
// or "kind": "python", "entry": "model_new.py",  instead of sources, flags and libraries
//    "name": "019_relu", "agent": "example",   optional: must agree with where the folder lies
//    "flags": ["-O3"], "libraries": ["cublas"], "precision": "torch-default"}   optional
//
// Every field is checked; an unknown one is an error.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/submission/submission.hpp"

namespace kbench {

struct Manifest {
  std::vector<std::string> sources;  // relative, '/'-separated; of Python, the entry alone
  std::vector<std::string> flags;
  std::vector<std::string> libraries;
  std::string precision = "torch-default";
  SubmissionKind kind = SubmissionKind::kNative;
  std::string device;  // "cuda" when one source is a .cu, else "cpu"; empty for Python
  std::string text;    // text that it was read from
};

// `task_name` ("019_relu") and `agent` are what the path says. Errors: kNotFound (no manifest),
// kBadInput, both naming the field.
[[nodiscard]] Result<Manifest> read_manifest(const std::filesystem::path& folder,
                                             const std::string& task_name,
                                             const std::string& agent);

// True for a relative path whose components are plain names: letters, digits, "._+-@", none of
// them beginning with a dot, a dash or an @, at most 200 bytes in all. A compiler takes a name with
// a leading dash for an option, one with a leading @ for a file of options.
[[nodiscard]] bool is_plain_relative_path(const std::string& path);
// The hint for a path that is not plain.
inline constexpr const char* kPlainPaths =
    "Use letters, digits and . _ + - @ only; none begins with a dot, a dash or an @.";

}  // namespace kbench
