// FOLDER/synthesis.jsonl: a line that says what was asked for, and one for each candidate that is
// done, written when it is. A program that was killed at any moment goes on behind the last whole
// line.
#pragma once

#include <filesystem>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/synthesis/candidate_record.hpp"

namespace kbench {

class SynthesisJournal {
 public:
  // A new one; makes the folder. Errors: kUsage where there is one already; kInfrastructure.
  static Result<SynthesisJournal> start(const std::filesystem::path& folder, const Json& header);
  // Resumes a journal that was begun with the same header; what was half written is cut off.
  // Errors: kUsage where there is none or its header differs, naming the field; kBadInput for a
  // line that is none of ours.
  static Result<SynthesisJournal> resume(const std::filesystem::path& folder, const Json& header);

  [[nodiscard]] const std::vector<CandidateRecord>& records() const { return records_; }

  // Returns once it is on the disk. Errors: kInfrastructure.
  Status append(const CandidateRecord& record);

 private:
  SynthesisJournal(UniqueFd file, std::vector<CandidateRecord> records)
      : file_(std::move(file)), records_(std::move(records)) {}

  UniqueFd file_;
  std::vector<CandidateRecord> records_;
};

// The path of the journal.
[[nodiscard]] std::filesystem::path journal_file(const std::filesystem::path& folder);

}  // namespace kbench
