#include "runner/core/strict_json.hpp"

#include <cerrno>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace kbench {
namespace {

// Looks at every token without building anything; stops at the first that is not allowed.
class StrictChecker final : public nlohmann::json_sax<Json> {
 public:
  explicit StrictChecker(std::size_t max_depth) : max_depth_(max_depth) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }

  bool start_object(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }

  bool key(string_t& name) override {
    if (keys_.back().insert(name).second) return true;
    problem_ = fmt::format("the key \"{}\" is given twice in one object", name);
    return false;
  }

  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& error) override {
    problem_ = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, ...": the tag means nothing to
    // people.
    if (const auto end = problem_.find("] "); problem_.starts_with("[") && end != std::string::npos)
      problem_.erase(0, end + 2);
    return false;
  }

  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  bool enter() {
    keys_.emplace_back();
    if (keys_.size() <= max_depth_) return true;
    problem_ = fmt::format("nested deeper than {} levels", max_depth_);
    return false;
  }
  bool leave() {
    keys_.pop_back();
    return true;
  }

  std::size_t max_depth_;
  std::vector<std::set<std::string>> keys_;  // one set for each open object or array
  std::string problem_;
};

}  // namespace

Result<std::string> read_bounded_file(const std::filesystem::path& file, std::size_t max_bytes) {
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  if (!std::filesystem::exists(status)) {
    return Error{ErrorCode::kNotFound, fmt::format("{}: no such file", file.string()),
                 "check the path"};
  }
  // A device or pipe would block or never end.
  if (!std::filesystem::is_regular_file(status)) {
    return Error{ErrorCode::kBadInput, fmt::format("{}: not a regular file", file.string()),
                 "name a plain file: folders, pipes and devices are not read"};
  }
  const auto bytes = std::filesystem::file_size(file, failure);
  if (failure) {
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("{}: {}", file.string(), failure.message()),
                 "check that you may read it"};
  }
  if (bytes > max_bytes) {
    return Error{
        ErrorCode::kBadInput,
        fmt::format("{}: {} bytes, more than the limit of {}", file.string(), bytes, max_bytes),
        "make it smaller, or split it"};
  }
  std::ifstream stream(file, std::ios::binary);
  std::string text(bytes, '\0');
  if (!stream.read(text.data(), static_cast<std::streamsize>(bytes))) {
    return Error{ErrorCode::kInfrastructure, fmt::format("{}: cannot be read", file.string()),
                 "check the file's permissions"};
  }
  return text;
}

Result<Json> parse_strict_json(const std::string& text, const std::string& name,
                               const JsonLimits& limits) {
  StrictChecker checker(limits.max_depth);
  if (!Json::sax_parse(text, &checker)) {
    return Error{ErrorCode::kBadInput, fmt::format("{}: {}", name, checker.problem()),
                 "correct it there"};
  }
  auto value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) {
    return Error{ErrorCode::kBadInput, fmt::format("{}: not valid JSON", name),
                 "write it anew, as JSON"};
  }
  return value;
}

Result<Json> read_strict_json(const std::filesystem::path& file, const JsonLimits& limits) {
  const auto text = read_bounded_file(file, limits.max_bytes);
  if (!text) return text.error();
  return parse_strict_json(*text, file.string(), limits);
}

}  // namespace kbench
