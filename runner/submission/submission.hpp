// Submissions on disk: DIR/AGENT/levelN/NNN_name[@variant].{cu,cpp,py}, or a folder
// DIR/AGENT/levelN/NNN_name[@variant]/ with sources and submission.json, or one of CUDA Agent's
// (model_new.py and kernels/). DIR/AGENT/include, where it exists, is on the include path of all of
// the agent's submissions. A .py defines a class ModelNew and is played by a Python with torch;
// what it asks torch or Triton to compile is compiled in a build step (python_build.hpp). Folders
// of other benchmarks: layouts.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"

namespace kbench {

enum class SubmissionKind { kNative, kPython };
[[nodiscard]] std::string_view to_string(SubmissionKind kind);  // "native", "python"

// The imports of a Python submission, read from its text: python_imports.hpp.
struct PythonNeeds {
  bool compiler = false;  // torch.utils.cpp_extension
  bool triton = false;
  bool torch_compile = false;

  // Whether kernels of Triton are made for it there: on a GPU torch.compile makes them, too.
  [[nodiscard]] bool triton_on(std::string_view device) const {
    return triton || (torch_compile && device == "cuda");
  }
  friend bool operator==(const PythonNeeds&, const PythonNeeds&) = default;
};

struct Submission {
  SubmissionId id;
  SubmissionKind kind = SubmissionKind::kNative;
  std::string task;                            // "level1/019_relu"
  std::string device;                          // "cpu" (.cpp) or "cuda" (.cu); empty: either (.py)
  std::filesystem::path folder;                // folder with a manifest; empty for a single file
  std::vector<std::filesystem::path> sources;  // Python: the file with ModelNew
  std::vector<std::filesystem::path> include_directories;
  std::vector<std::string> flags;      // the manifest's, each checked against the allowed ones
  std::vector<std::string> libraries;  // "cublas", "cudnn": asked for in the manifest
  PythonNeeds needs;                   // needs of a Python submission
  // A folder of CUDA Agent's: kernels/ is compiled to the module cuda_extension.
  bool cuda_agent = false;
  // Folder that no link of the submission may leave; empty: the agent's folder.
  std::filesystem::path root;
  // The name of a single file where it is staged; empty: its own.
  std::string staged_name;

  // Whether it takes a build step of Python's: see python_build.hpp.
  [[nodiscard]] bool is_built_as_python() const {
    return needs.compiler || needs.triton || needs.torch_compile || cuda_agent;
  }
  [[nodiscard]] bool is_for(std::string_view wanted) const {
    return device.empty() || device == wanted;
  }
};

// Limits of one agent. Beyond them it is refused, and other agents do not notice.
struct AgentLimits {
  std::size_t entries = 10'000;             // files and folders
  std::uint64_t source_bytes = 1ull << 30;  // read for all submissions, shared headers each time
  std::size_t submissions_a_task = 128;     // malformed ones too
};

struct SubmissionProblem {
  std::filesystem::path path;  // path below the submissions folder, unprintable bytes as \xNN
  std::string task;            // empty unless the path tells it
  std::string agent;
  Error error;
  // The agent has more than its limits allow: all of it is refused, or all of it for `task`.
  bool refused = false;
};

// A file that is no submission and no part of one.
struct OtherFile {
  std::string path;  // SubmissionProblem's member
  std::string agent;
  std::string why;
  bool mistaken = false;  // the file seems to be meant as one
};

struct SubmissionSet {
  std::vector<Submission> submissions;      // sorted by task, agent, variant
  std::vector<SubmissionProblem> problems;  // malformed manifests, hostile names: reported, skipped
  std::vector<OtherFile> others;            // all other files: none is unaccounted for
};

// Finds every submission below `directory`. Symbolic links that leave it are problems. Errors:
// kUsage, kBadInput for more agents than are believable.
[[nodiscard]] Result<SubmissionSet> find_submissions(const std::filesystem::path& directory,
                                                     const AgentLimits& limits = {});

// Whether an agent or a variant may be called so: at most 64 letters, digits and . _ + - @, of
// which none begins with a dot, a dash or an @.
[[nodiscard]] bool is_plain_name(const std::string& name);

// The agent of single files: v1.cpp and v2.cpp are two tries of one agent, whom `compare` finds in
// both runs.
inline constexpr const char* kLoneAgent = "me";

// One file, for a task like "level1/019_relu". No folders need be around it; from AGENT/levelN it
// has AGENT/include, as among an agent's others. Its agent is `agent`, else AGENT, else kLoneAgent.
// Named as find_submissions() names it, if that has it. Errors: kUsage, kBadInput.
[[nodiscard]] Result<Submission> single_submission(const std::filesystem::path& file,
                                                   const std::string& task,
                                                   const std::optional<std::string>& agent = {});

}  // namespace kbench
