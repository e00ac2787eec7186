// A copy of a damaged database that SQLite will open: with a header that is one, as many pages as
// there are, and, where the first page is lost, the one that kbench makes. Rows are left as they
// are. Inside runner/store only.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/store/file/connection.hpp"

namespace kbench {

class MendedCopy {
 public:
  // Errors: kInfrastructure where there is no room for the copy; kBadInput where nothing in the
  // file reads as tables of ours.
  [[nodiscard]] static Result<MendedCopy> of(const std::filesystem::path& damaged,
                                             const std::filesystem::path& copy);

  MendedCopy(MendedCopy&& other) noexcept = default;
  MendedCopy& operator=(MendedCopy&&) = delete;
  MendedCopy(const MendedCopy&) = delete;
  MendedCopy& operator=(const MendedCopy&) = delete;
  ~MendedCopy() = default;

  // A connection to the copy, which has today's tables and columns; but no indexes, which a scan of
  // damaged rows could not make.
  [[nodiscard]] Connection& connection() { return connection_; }
  // The parts that had to be mended, a sentence each.
  [[nodiscard]] const std::vector<std::string>& mended() const { return mended_; }

 private:
  // Removes the copy and what SQLite keeps beside it.
  struct Files {
    std::filesystem::path path;
    explicit Files(std::filesystem::path file) : path(std::move(file)) {}
    Files(Files&& other) noexcept : path(std::exchange(other.path, {})) {}
    Files& operator=(Files&&) = delete;
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;
    ~Files();
  };

  MendedCopy(Files files, Connection connection, std::vector<std::string> mended)
      : files_(std::move(files)), connection_(std::move(connection)), mended_(std::move(mended)) {}

  Files files_;  // outlives the connection
  Connection connection_;
  std::vector<std::string> mended_;
};

}  // namespace kbench
