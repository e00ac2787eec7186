// This machine against the others of a group in an exchange (pool/fingerprint.hpp).
#pragma once

#include <filesystem>
#include <string>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/device/device_session.hpp"
#include "runner/exchange/examination.hpp"
#include "runner/machine/target.hpp"
#include "runner/measure/oracle/oracle.hpp"

namespace kbench {

[[nodiscard]] Json fingerprint_of_run(const Target& target, const Toolchain& toolchain,
                                      const OracleHello& hello);

// Terms of judges that share an exchange. The keys of their rows hold what each order asks for.
// Known before an oracle starts: torch is the one that kbench was built with.
[[nodiscard]] Json terms_of_judges(const Installation& installation, const Target& target,
                                   const Toolchain& toolchain, bool vendor);

// Adds to `examined` whether a run of this machine would be refused by the group, and runs of the
// group that were measured on another kind of machine. Errors: those of Exchange::open_with_key_of
// and choose_target.
[[nodiscard]] Status examine_group(const Installation& installation,
                                   const std::filesystem::path& folder, const std::string& group,
                                   ExaminedExchange& examined);

}  // namespace kbench
