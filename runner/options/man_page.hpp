// kbench(1) in the language of man(7), made of the option table. Pure. The build runs `kbench man`
// for `cmake --install`.
#pragma once

#include <string>
#include <string_view>

#include "runner/options/option_table.hpp"

namespace kbench {

struct ManPageFacts {
  std::string_view version;     // "0.1.0"
  std::string_view date;        // "2026-11-25"
  std::string_view exit_codes;  // end of every command's help; stands here once
};

[[nodiscard]] std::string man_page(const CommandEntry& top, const ManPageFacts& facts);

}  // namespace kbench
