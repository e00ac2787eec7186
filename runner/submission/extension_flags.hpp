// Flags of torch's load and load_inline that are handed on of those that a Python submission asks
// for. Here they come as its author typed them for torch: blanks between an option and its value,
// architectures, linker flags. Allowed is what flags.hpp allows a manifest. Flags that say which
// GPU to compile for are left out, because that is the machine's own.
#pragma once

#include <string>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

struct ExtensionFlags {
  std::vector<std::string> host;
  std::vector<std::string> cuda;
  std::vector<std::string> linker;
  bool vendor_library = false;  // cuBLAS or cuDNN is linked

  friend bool operator==(const ExtensionFlags&, const ExtensionFlags&) = default;
};

// Checks `given` and takes out what is not handed on. Errors: kSubmission, naming the flag and what
// to do about it.
[[nodiscard]] Result<ExtensionFlags> check_extension_flags(const ExtensionFlags& given);

}  // namespace kbench
