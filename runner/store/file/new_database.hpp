// A database that is written beside its place and takes it when it is whole, so that no reader sees
// half of it and nothing is overwritten. Inside runner/store only.
#pragma once

#include <filesystem>
#include <utility>

#include "runner/core/result.hpp"

namespace kbench {

class NewDatabase {
 public:
  // Begins a new database. Errors (kUsage): something lies at `file` already, or beside it where
  // SQLite keeps its own files.
  [[nodiscard]] static Result<NewDatabase> at(const std::filesystem::path& file);

  NewDatabase(NewDatabase&& other) noexcept
      : file_(std::move(other.file_)), draft_(std::exchange(other.draft_, {})) {}
  NewDatabase& operator=(NewDatabase&&) = delete;
  NewDatabase(const NewDatabase&) = delete;
  NewDatabase& operator=(const NewDatabase&) = delete;
  ~NewDatabase();  // removes a draft that did not take its place

  // Path to write to; an empty file, to begin with.
  [[nodiscard]] const std::filesystem::path& draft() const { return draft_; }
  // To be called when every connection to the draft is closed. Errors: kUsage where another process
  // made a file of that name meanwhile, kInfrastructure.
  [[nodiscard]] Status take_place();

 private:
  NewDatabase(std::filesystem::path file, std::filesystem::path draft)
      : file_(std::move(file)), draft_(std::move(draft)) {}

  std::filesystem::path file_;
  std::filesystem::path draft_;
};

}  // namespace kbench
