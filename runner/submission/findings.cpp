#include "runner/submission/findings.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace kbench {
namespace {

struct Pattern {
  std::string_view label;
  std::string_view text;
};

constexpr std::array kPatterns{
    Pattern{"stream", "cudaStreamCreate"},
    Pattern{"stream", "cuStreamCreate"},
    Pattern{"graph", "cudaGraph"},
    Pattern{"graph", "cuGraph"},
    Pattern{"thread", "std::thread"},
    Pattern{"thread", "std::jthread"},
    Pattern{"thread", "std::async"},
    Pattern{"thread", "pthread_create"},
    Pattern{"dlopen", "dlopen"},
    Pattern{"dlopen", "dlsym"},
    Pattern{"torch", "torch"},
    Pattern{"torch", "ATen"},
    Pattern{"torch", "c10::"},
    Pattern{"exception", "catch ("},
    Pattern{"exception", "catch("},
    Pattern{"clock", "globaltimer"},
    Pattern{"clock", "clock64"},
    Pattern{"clock", "clock_gettime"},
    Pattern{"clock", "std::chrono"},
    Pattern{"clock", "cudaEventElapsedTime"},
    Pattern{"cache_policy", "createpolicy"},
    Pattern{"cache_policy", "evict_last"},
    Pattern{"cache_policy", "AccessPolicyWindow"},
    Pattern{"cache_policy", "PersistingL2"},
    Pattern{"inline_assembly", "asm"},
    Pattern{"system_call", "syscall"},
    Pattern{"system_call", "ptrace"},
    Pattern{"system_call", "/proc/"},
    Pattern{"system_call", "mprotect"},
    Pattern{"system_call", "fork("},
    Pattern{"system_call", "execve"},
    Pattern{"system_call", "socket("},
    Pattern{"constructor", "constructor"},
    Pattern{"host_callback", "cudaLaunchHostFunc"},
    Pattern{"host_callback", "cudaStreamAddCallback"},
    Pattern{"embedded_file", ".incbin"},
    Pattern{"embedded_file", "#embed"},
    Pattern{"torch_unobserved", "enableRecordFunction"},
    Pattern{"torch_unobserved", "RecordFunctionGuard"},
    Pattern{"torch_unobserved", "clearCallbacks"},
    Pattern{"torch_unobserved", "tls_set_dispatch_key"},
    Pattern{"torch_unobserved", "ExcludeDispatchKeyGuard"},
    Pattern{"torch_unobserved", "ForceDispatchKeyGuard"},
};

// Patterns for Python, whose comments are not told apart.
constexpr std::array kPythonPatterns{
    Pattern{"thread", "threading"},
    Pattern{"thread", "concurrent.futures"},
    Pattern{"dlopen", "ctypes"},
    Pattern{"dlopen", "cffi"},
    Pattern{"exception", "except"},
    Pattern{"clock", "perf_counter"},
    Pattern{"clock", "time.time"},
    Pattern{"clock", "monotonic"},
    Pattern{"system_call", "/proc/"},
    Pattern{"system_call", "os.fork"},
    Pattern{"system_call", "mmap"},
    Pattern{"system_call", "socket"},
    Pattern{"system_call", "signal"},
    Pattern{"tensor_subclass", "__torch_function__"},
    Pattern{"tensor_subclass", "__torch_dispatch__"},
    Pattern{"player", "__main__"},
    Pattern{"player", "atexit"},
    Pattern{"player", "_getframe"},
    Pattern{"player", "currentframe"},
    Pattern{"player", "f_back"},
    Pattern{"player", "get_objects"},
    Pattern{"player", "get_referrers"},
    // Functions that switch the hooks of operator_watch off, and on again.
    Pattern{"torch_unobserved", "_enable_record_function"},
    Pattern{"torch_unobserved", "_RecordFunctionGuard"},
    Pattern{"torch_unobserved", "_clear_callbacks"},
    Pattern{"torch_unobserved", "_dispatch_tls_"},
    Pattern{"torch_unobserved", "_ExcludeDispatchKeyGuard"},
    Pattern{"torch_unobserved", "_ForceDispatchKeyGuard"},
    // An operator of torch's that is replaced: what its kernel calls is not counted.
    Pattern{"torch_unobserved", "\"aten"},
    Pattern{"torch_unobserved", "'aten"},
};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Whether the pattern stands in the code where no longer word begins before it.
bool stands_in(std::string_view code, std::string_view pattern) {
  for (auto at = code.find(pattern); at != std::string_view::npos;
       at = code.find(pattern, at + 1)) {
    if (at == 0 || !is_word(pattern.front()) || !is_word(code[at - 1]) ||
        (pattern == "asm" && code[at - 1] == '_'))
      return true;
  }
  return false;
}

// Index behind the literal that begins at `from` with a quote.
std::size_t end_of_literal(std::string_view code, std::size_t from) {
  const char quote = code[from];
  for (std::size_t i = from + 1; i < code.size(); ++i) {
    if (code[i] == '\\') {
      ++i;
    } else if (code[i] == quote || code[i] == '\n') {
      return i + 1;
    }
  }
  return code.size();
}

}  // namespace

std::string without_comments(std::string_view code) {
  std::string result;
  result.reserve(code.size());
  for (std::size_t i = 0; i < code.size();) {
    const std::string_view rest = code.substr(i);
    if (rest.starts_with("//")) {
      i = std::min(code.find('\n', i), code.size());
    } else if (rest.starts_with("/*")) {
      const auto end = code.find("*/", i + 2);
      i = end == std::string_view::npos ? code.size() : end + 2;
      result += ' ';
    } else if (rest.front() == '"' || (rest.front() == '\'' && (i == 0 || !is_word(code[i - 1])))) {
      const std::size_t end = std::min(end_of_literal(code, i), code.size());
      result += code.substr(i, end - i);
      i = end;
    } else {
      result += code[i++];
    }
  }
  return result;
}

std::vector<std::string> find_extension_labels(const std::vector<SourceFile>& files) {
  std::vector<std::string> labels = find_labels(files);
  std::erase(labels, "torch");
  return labels;
}

std::vector<std::string> find_labels(const std::vector<SourceFile>& files) {
  std::string code;
  std::string python;
  for (const SourceFile& file : files) {
    if (file.name.ends_with(".py")) {
      python += file.bytes + '\n';
    } else {
      code += without_comments(file.bytes) + '\n';
    }
  }
  std::vector<std::string> labels;
  const auto look_for = [&labels](std::span<const Pattern> patterns, std::string_view text) {
    for (const Pattern& pattern : patterns) {
      const bool known = std::find(labels.begin(), labels.end(), pattern.label) != labels.end();
      if (!known && stands_in(text, pattern.text)) labels.emplace_back(pattern.label);
    }
  };
  look_for(kPatterns, code);
  look_for(kPythonPatterns, python);
  return labels;
}

}  // namespace kbench
