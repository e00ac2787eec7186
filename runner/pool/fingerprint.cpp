#include "runner/pool/fingerprint.hpp"

#include <cstddef>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostColumns = 120;

// Terms come from other machines.
std::string words_of(const Json& terms, const std::string& name) {
  if (!terms.contains(name)) return "nothing";
  const Json& value = terms.at(name);
  const std::string text = value.is_string()
                               ? value.get<std::string>()
                               : value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.empty() ? "nothing" : clean_name(text, kMostColumns);
}

std::string difference_at(const std::string& name, const Json& there, const Json& here) {
  return fmt::format("{} is {} there and {} here", clean_name(name, kMostColumns),
                     words_of(there, name), words_of(here, name));
}

}  // namespace

Json fingerprint_json(const Fingerprint& fingerprint) {
  return {{"kbench", fingerprint.kbench},
          {"torch", fingerprint.torch},
          {"host_compiler", fingerprint.host_compiler},
          {"nvcc", fingerprint.nvcc},
          {"driver", fingerprint.driver},
          {"device_name", fingerprint.device_name}};
}

std::string difference_of_terms(const Json& there, const Json& here) {
  if (!there.is_object()) return "what they agreed on cannot be read";
  for (const auto& [name, value] : here.items())
    if (!there.contains(name) || there.at(name) != value) return difference_at(name, there, here);
  for (const auto& [name, value] : there.items())
    if (!here.contains(name)) return difference_at(name, there, here);
  return "";
}

std::string difference_of_machines(const Json& there, const Json& here) {
  if (!there.is_object() || !here.is_object()) return "";
  const Json names = fingerprint_json({});
  for (const auto& [name, unused] : names.items())
    if (there.contains(name) && here.contains(name) && there.at(name) != here.at(name))
      return difference_at(name, there, here);
  return "";
}

}  // namespace kbench
