// A secret of 32 bytes in a file that its owner alone can read: the key that runs are chained with,
// the key of a pool. Made once, also when two processes try at the same moment.
#pragma once

#include <filesystem>
#include <string>

#include "runner/core/result.hpp"

namespace kbench {

// How an error calls the secret, and the way out.
struct SecretWords {
  std::string what;  // "the key that runs are chained with"
  std::string hint;
};

// Errors: kNotFound where there is none; kInfrastructure where it is not 32 bytes in a regular file
// of ours that no other user can read.
[[nodiscard]] Result<std::string> read_secret_file(const std::filesystem::path& file,
                                                   const SecretWords& words);

// Draws one, unless the file is there. Errors: kInfrastructure.
[[nodiscard]] Status make_secret_file(const std::filesystem::path& file, const SecretWords& words);

// Makes folder and file where they are missing, and reads the file.
[[nodiscard]] Result<std::string> keep_secret_file(const std::filesystem::path& file,
                                                   const SecretWords& words);

}  // namespace kbench
