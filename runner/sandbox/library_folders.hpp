// Folders from which the dynamic loader takes a program's libraries, so that a sandbox can show
// these folders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

// The folders, as the loader names them and with links resolved, of all libraries that are not the
// system's. The loader lists them (LD_TRACE_LOADED_OBJECTS) and does not run the program, which
// takes 10 ms for LibTorch; `environment` ("NAME=value") is what the program will be started with.
// Errors: kInfrastructure with the loader's words.
[[nodiscard]] Result<std::vector<std::filesystem::path>> library_folders(
    const std::filesystem::path& program, std::vector<std::string> environment);

// The folders in the loader's list: "\tlibc10.so => /folder/libc10.so (0x00007f…)".
[[nodiscard]] std::vector<std::filesystem::path> library_folders_in(const std::string& list);

}  // namespace kbench
