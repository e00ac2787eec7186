#include "runner/workspace/kernel_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "runner/core/json.hpp"
#include "runner/core/sha256.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/submission/manifest.hpp"

namespace kbench {
namespace {

constexpr const char* kFolder = "kernels";
constexpr const char* kManifest = "src/submission.json";
// Hidden files and empty folders take time, too.
constexpr std::size_t kMostEntries = 4 * kMostKernelFiles;
constexpr int kMostDepth = 8;

Error bad(const std::string& what, std::string hint = "") {
  return {ErrorCode::kSubmission, what, std::move(hint)};
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

class Copier {
 public:
  // `folder` is open; `prefix` "src/" or "src/include/".
  Status add_folder(const UniqueFd& folder, const std::string& prefix, int depth) {
    if (depth > kMostDepth) return bad(shown(prefix) + " is nested too deeply");
    auto names = list(folder, prefix);
    if (!names) return names.error();
    for (const std::string& name : *names)
      if (auto added = add(folder, prefix, name, depth); !added) return added;
    return Done{};
  }

  std::vector<SourceFile> take() { return std::move(files_); }

 private:
  // The name as the author knows it.
  static std::string shown(const std::string& staged) {
    return clean_name(kFolder + staged.substr(std::strlen("src")));
  }

  Result<std::vector<std::string>> list(const UniqueFd& folder, const std::string& prefix) {
    UniqueFd again(::fcntl(folder.get(), F_DUPFD_CLOEXEC, 0));
    const std::unique_ptr<DIR, CloseFolder> stream(again.valid() ? ::fdopendir(again.get())
                                                                 : nullptr);
    if (!stream) return bad(fmt::format("{} cannot be listed: {}", shown(prefix), text_of(errno)));
    (void)again.release();  // the stream closes it
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(stream.get())) {
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (++entries_ > kMostEntries)
        return bad(fmt::format("more than {} files and folders in {}", kMostEntries, kFolder));
      if (!name.starts_with('.')) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  Status add(const UniqueFd& folder, const std::string& prefix, const std::string& name,
             int depth) {
    const std::string staged = prefix + name;
    if (!is_plain_relative_path(staged))
      return bad(fmt::format("the name {} is not allowed", shown(staged)),
                 "Use letters, digits and . _ + - @ only; none begins with a dash or an @.");
    const UniqueFd file(::openat(folder.get(), name.c_str(),
                                 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!file.valid())
      return bad(errno == ELOOP
                     ? fmt::format("{} is a link", shown(staged))
                     : fmt::format("{} cannot be read: {}", shown(staged), text_of(errno)),
                 "kernels/ holds files and folders of its own.");
    struct stat info {};
    if (::fstat(file.get(), &info) != 0)
      return bad(fmt::format("{} cannot be read: {}", shown(staged), text_of(errno)));
    if (S_ISDIR(info.st_mode)) return add_folder(file, staged + "/", depth + 1);
    // A hard link may be another name of a file that the author may not read: what a compiler says
    // shows its lines.
    if (!S_ISREG(info.st_mode) || info.st_nlink != 1)
      return bad(
          fmt::format("{} is {}", shown(staged), S_ISREG(info.st_mode) ? "a hard link" : "no file"),
          "kernels/ holds files and folders of its own.");
    return add_file(file, staged);
  }

  Status add_file(const UniqueFd& file, const std::string& staged) {
    if (files_.size() == kMostKernelFiles)
      return bad(fmt::format("more than {} files in {}", kMostKernelFiles, kFolder));
    SourceFile copy{staged, {}};
    if (auto read = read_all(file, copy); !read) return read;
    files_.push_back(std::move(copy));
    return Done{};
  }

  // Reads a file to its end, wherever that is by now.
  Status read_all(const UniqueFd& file, SourceFile& copy) {
    constexpr std::size_t kAtOnce = 64u << 10;
    for (;;) {
      const std::size_t at = copy.bytes.size();
      copy.bytes.resize(at + kAtOnce);
      const ssize_t got = ::read(file.get(), copy.bytes.data() + at, kAtOnce);
      copy.bytes.resize(at + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0)
        return bad(fmt::format("{} cannot be read: {}", shown(copy.name), text_of(errno)));
      if (got == 0) return Done{};
      bytes_ += static_cast<std::size_t>(got);
      if (bytes_ > kMostKernelBytes)
        return bad(fmt::format("more than {} KiB in {}", kMostKernelBytes >> 10, kFolder));
    }
  }

  static std::string text_of(int error) { return std::strerror(error); }

  std::vector<SourceFile> files_;
  std::size_t entries_ = 0;
  std::size_t bytes_ = 0;
};

bool is_source(const SourceFile& file) {
  return file.name.ends_with(".cu") || file.name.ends_with(".cpp");
}

std::string below_src(const SourceFile& file) { return file.name.substr(std::strlen("src/")); }

// Adds the manifest that the author did not write: one who wants neither flags nor a library needs
// none.
Status add_manifest(std::vector<SourceFile>& files, Json manifest) {
  manifest["schema"] = "kbench-submission/1";
  files.push_back({kManifest, manifest.dump(1) + "\n"});
  return Done{};
}

bool has_manifest(const std::vector<SourceFile>& files) {
  return std::any_of(files.begin(), files.end(),
                     [](const SourceFile& file) { return file.name == kManifest; });
}

Status add_native_manifest(std::vector<SourceFile>& files) {
  if (has_manifest(files)) return Done{};
  Json sources = Json::array();
  for (const SourceFile& file : files)
    if (is_source(file)) sources.push_back(below_src(file));
  if (sources.empty())
    return bad("kernels/ has no .cu and no .cpp file",
               "Write the kernel there; TASK.md shows how it begins.");
  return add_manifest(files, {{"sources", std::move(sources)}});
}

// Adds the manifest for files of any language.
Status add_any_manifest(std::vector<SourceFile>& files) {
  if (has_manifest(files) || std::any_of(files.begin(), files.end(), is_source))
    return add_native_manifest(files);
  const auto is_python = [](const SourceFile& file) { return file.name.ends_with(".py"); };
  const auto count = std::count_if(files.begin(), files.end(), is_python);
  if (count == 1)
    return add_manifest(
        files, {{"kind", "python"},
                {"entry", below_src(*std::find_if(files.begin(), files.end(), is_python))}});
  return bad(count == 0 ? "no file is a .cu, .cpp or .py"
                        : "several .py files, and nobody says which one is the entry",
             "Name the file that holds the kernel, say kernel.cu; several Python files come with "
             "a submission.json.");
}

KernelTree sealed(std::vector<SourceFile> files) {
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.name < b.name; });
  KernelTree tree{std::move(files), ""};
  tree.hash = tree_hash(tree.files);
  return tree;
}

}  // namespace

std::string tree_hash(std::span<const SourceFile> files) {
  // Lengths go in front, so that no two lists give the same text.
  std::string text = "kbench-tree/1\n";
  for (const SourceFile& file : files) {
    const std::string hash = sha256(file.bytes);
    text += fmt::format("{}:{}{}:{}\n", file.name.size(), file.name, hash.size(), hash);
  }
  return sha256(text);
}

Result<KernelTree> copy_kernels(const std::filesystem::path& folder) {
  const std::filesystem::path kernels = folder / kFolder;
  const UniqueFd root(::open(kernels.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!root.valid())
    return Error{
        ErrorCode::kUsage,
        fmt::format("no folder {}: {}", clean_name(kernels.string(), 300), std::strerror(errno)),
        "`kbench workspace open TASK DIR` makes a workspace"};
  Copier copier;
  if (auto copied = copier.add_folder(root, "src/", 0); !copied) return copied.error();
  std::vector<SourceFile> files = copier.take();
  if (auto added = add_native_manifest(files); !added) return added.error();
  return sealed(std::move(files));
}

Result<KernelTree> kernel_tree_of(const std::map<std::string, std::string>& files) {
  if (files.size() > kMostKernelFiles)
    return bad(fmt::format("more than {} files", kMostKernelFiles));
  std::vector<SourceFile> tree;
  std::size_t bytes = 0;
  for (const auto& [name, text] : files) {
    if (!is_plain_relative_path(name))
      return bad(fmt::format("the name {} is not allowed", clean_name(name)), kPlainPaths);
    if ((bytes += text.size()) > kMostKernelBytes)
      return bad(fmt::format("more than {} KiB of files", kMostKernelBytes >> 10));
    tree.push_back({"src/" + name, text});
  }
  if (auto added = add_any_manifest(tree); !added) return added.error();
  return sealed(std::move(tree));
}

}  // namespace kbench
