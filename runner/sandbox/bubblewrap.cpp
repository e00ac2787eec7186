#include "runner/sandbox/bubblewrap.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "runner/sandbox/host.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTemporaryBytes = "1073741824";   // /tmp, held in memory
constexpr const char* kSharedMemoryBytes = "67108864";  // /dev/shm

using Arguments = std::vector<std::string>;

void append(Arguments& arguments, std::initializer_list<std::string> more) {
  arguments.insert(arguments.end(), more);
}

// bwrap makes missing folders above a bind for root alone; the user nobody must pass them too.
void add_parents(Arguments& arguments, const fs::path& path) {
  fs::path parent;
  for (const fs::path& part : path.parent_path()) {
    parent /= part;
    if (parent != "/") append(arguments, {"--perms", "0755", "--dir", parent.string()});
  }
}

// /bin, /lib and their like are links into /usr on today's systems and folders on older ones.
void add_system_folder(Arguments& arguments, const fs::path& folder) {
  std::error_code error;
  if (fs::is_symlink(folder, error)) {
    append(arguments, {"--symlink", fs::read_symlink(folder, error).string(), folder.string()});
  } else if (fs::is_directory(folder, error)) {
    append(arguments, {"--ro-bind", folder.string(), folder.string()});
  }
}

void add_system(Arguments& arguments) {
  append(arguments, {"--ro-bind", "/usr", "/usr"});
  for (const char* folder : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
    add_system_folder(arguments, folder);
  }
  add_parents(arguments, "/etc/alternatives");
  for (const char* path :
       {"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives"}) {
    append(arguments, {"--ro-bind-try", path, path});
  }
  append(arguments, {"--proc", "/proc", "--dev", "/dev"});
  append(arguments, {"--perms", "1777", "--size", kSharedMemoryBytes, "--tmpfs", "/dev/shm"});
  append(arguments, {"--perms", "1777", "--size", kTemporaryBytes, "--tmpfs", "/tmp"});
}

void add_cuda(Arguments& arguments) {
  for (const fs::path& node : cuda_device_nodes()) {
    append(arguments, {"--dev-bind", node.string(), node.string()});
  }
  append(arguments, {"--ro-bind", "/sys", "/sys"});
  for (const fs::path& folder : cuda_library_folders()) {
    add_parents(arguments, folder);
    append(arguments, {"--ro-bind", folder.string(), folder.string()});
  }
}

bool is_system_path(const fs::path& path) {
  const std::string text = path.lexically_normal().string();
  constexpr std::array<const char*, 4> kPrefixes = {"/usr/", "/bin/", "/sbin/", "/lib/"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](const char* prefix) { return text.starts_with(prefix); });
}

// A bind of an outer folder would hide an inner one bound before it: outer ones first.
void add_given_paths(Arguments& arguments, const SandboxCommand& command) {
  struct Bind {
    std::string path;
    const char* option;
  };
  std::vector<Bind> binds;
  const fs::path program = command.argv.front();
  if (!is_system_path(program)) binds.push_back({program.string(), "--ro-bind"});
  for (const fs::path& path : command.readable) binds.push_back({path.string(), "--ro-bind"});
  for (const fs::path& path : command.writable) binds.push_back({path.string(), "--bind"});
  std::stable_sort(binds.begin(), binds.end(),
                   [](const Bind& a, const Bind& b) { return a.path.size() < b.path.size(); });
  for (const Bind& bind : binds) {
    add_parents(arguments, bind.path);
    append(arguments, {bind.option, bind.path, bind.path});
  }
}

}  // namespace

std::vector<std::string> bubblewrap_arguments(const SandboxCommand& command, const Layers& layers,
                                              const SandboxTools& tools, int status_fd,
                                              const EnterPlan& enter) {
  // --as-pid-1: kbench-enter is the first process itself, and reports what bwrap cannot.
  Arguments arguments = {tools.bwrap.string(), "--unshare-pid",     "--unshare-ipc",
                         "--unshare-uts",      "--die-with-parent", "--new-session",
                         "--as-pid-1",         "--json-status-fd",  std::to_string(status_fd)};
  if (layers.user_namespace) {
    append(arguments, {"--unshare-user", "--disable-userns"});
    if (layers.network_namespace) append(arguments, {"--unshare-net"});
  }
  add_system(arguments);
  if (command.needs_cuda) add_cuda(arguments);
  add_given_paths(arguments, command);
  append(arguments, {"--ro-bind", tools.enter.string(), kEnterInside, "--remount-ro", "/"});
  if (layers.drop_to_nobody) {
    // Capabilities that kbench-enter needs to become nobody; then it gives these three up as well.
    append(arguments, {"--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID",
                       "--cap-add", "CAP_SETPCAP"});
  }
  // The program's environment is set by kbench-enter, so that it means nothing to bwrap, which runs
  // with privileges.
  append(arguments, {"--", kEnterInside});
  const auto words = enter_arguments(enter);
  arguments.insert(arguments.end(), words.begin(), words.end());
  return arguments;
}

}  // namespace kbench
