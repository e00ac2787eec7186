// A submissions folder that a test fills, removed at the end.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace kbench {

class SubmissionFolder {
 public:
  SubmissionFolder() {
    std::string name = "/tmp/kbench-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  ~SubmissionFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  SubmissionFolder(const SubmissionFolder&) = delete;
  SubmissionFolder& operator=(const SubmissionFolder&) = delete;

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kbench
