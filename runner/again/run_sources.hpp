// Finds the submissions of a stored run again. A run keeps the hash of each source, so it does not
// matter who says where they lie: a file counts if it holds the very same bytes. A further kind of
// place is a further entry of the list that the constructor makes.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/os/files.hpp"
#include "runner/submission/submission.hpp"

namespace kbench {

class RunSources {
 public:
  // `given` is the only place if the user names one. Else: what `database` keeps of the run, where
  // the run took them, the shipped examples, and the git commit that the run noted. None is opened
  // before it is needed.
  RunSources(const Run& run, const std::optional<std::filesystem::path>& given,
             const std::filesystem::path& database, const std::filesystem::path& examples);
  RunSources(const RunSources&) = delete;  // a place knows where its owner is
  RunSources& operator=(const RunSources&) = delete;
  ~RunSources() = default;

  // The submission as it was evaluated. Errors: kNotFound, saying where was looked.
  [[nodiscard]] Result<Submission> find(const std::string& task, const SubmissionId& id);

 private:
  struct Place {
    std::string name;
    std::function<Result<SubmissionSet>()> open;
    std::optional<Result<SubmissionSet>> opened;
  };
  void add_stored(const Run& run, const std::filesystem::path& database);
  void add_folder(const std::filesystem::path& folder);
  void add_commit(const std::filesystem::path& folder, const std::string& commit);

  std::vector<Place> places_;
  ScratchFolder stored_;    // sources from the database
  ScratchFolder checkout_;  // sources from the commit
};

}  // namespace kbench
