// One attempt at escaping: what each function of kbench-escape takes and returns.
#pragma once

#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "runner/selftest/escape/escapes.hpp"

namespace kbench {

struct EscapeAttempt {
  int outcome = kEscapeBlocked;
  std::string reason;
};

inline EscapeAttempt open_escape(std::string reason) { return {kEscapeOpen, std::move(reason)}; }
inline EscapeAttempt blocked(std::string reason) { return {kEscapeBlocked, std::move(reason)}; }
inline EscapeAttempt not_applicable(std::string why) {
  return {kEscapeNotApplicable, std::move(why)};
}

// The usual judgement of a system call: what it was refused with is the reason.
inline EscapeAttempt judge(long result, std::string_view call) {
  const std::string name(call);
  if (result >= 0) return open_escape(name + " succeeded");
  return blocked(name + ": " + ::strerrorname_np(errno));
}

// Judges a call that cannot succeed because its arguments are senseless: any other answer than a
// refusal shows that the kernel went on to look at them.
inline EscapeAttempt judge_refusal(long result, std::string_view call) {
  const int error = errno;
  const std::string text =
      std::string(call) + ": " + (result >= 0 ? "succeeded" : ::strerrorname_np(error));
  if (result >= 0) return open_escape(text);
  if (error == EPERM || error == EACCES) return blocked(text);
  if (error == ENOSYS) return not_applicable("this kernel does not have " + std::string(call));
  return open_escape(text + ", so the kernel took the call");
}

using EscapeTable = std::map<std::string_view, std::function<EscapeAttempt(const Bait&)>>;

// One function for each group; each adds its escapes.
void add_file_escapes(EscapeTable& table);
void add_network_escapes(EscapeTable& table);
void add_process_escapes(EscapeTable& table);
void add_kernel_escapes(EscapeTable& table);
void add_device_escapes(EscapeTable& table);
void add_worker_escapes(EscapeTable& table);
void add_bombs(EscapeTable& table);

}  // namespace kbench
