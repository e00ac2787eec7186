#include "runner/measure/players/model_account.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"

namespace kbench {

ModelAccount read_model_account(const Json& loaded) {
  constexpr std::size_t kMostNames = 8;
  constexpr std::size_t kLongestName = 80;
  ModelAccount account;
  account.parameters_by_order = loaded.value("by_order", Json()) == Json(true);
  const Json names = loaded.value("made_in_init", Json());
  if (!names.is_array()) return account;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    if (names[i].is_string())
      account.made_in_init.push_back(clean_name(names[i].get<std::string>(), kLongestName));
  return account;
}

std::string likely_cause(const ModelAccount& account, bool has_prepare) {
  std::string cause;
  if (account.parameters_by_order)
    cause =
        "its parameters were matched by their order (parameters_by_order): equal shapes may stand "
        "in another order than in the task's Model";
  if (has_prepare || account.made_in_init.empty()) return cause;
  return cause + (cause.empty() ? "" : "; ") +
         fmt::format(
             "__init__ made {}, and the task's parameters are set after it: what is packed from "
             "parameters is made in kbench_prepare(self)",
             fmt::join(account.made_in_init, ", "));
}

}  // namespace kbench
