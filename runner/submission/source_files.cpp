#include "runner/submission/source_files.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/submission/manifest.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

Error bad(const std::string& what, std::string hint = "") {
  return {ErrorCode::kBadInput, what, std::move(hint)};
}

// Files of a CUDA Agent folder that are left out: its tools, their output, and the reference, which
// no submission is given.
bool is_left_out(const std::string& leaf, int depth) {
  const bool made = leaf == "__pycache__" || leaf.ends_with(".so") || leaf.ends_with(".o");
  const bool at_the_top = leaf == "utils" || leaf == "build" || leaf == "model.py";
  return made || (depth == 0 && at_the_top);
}

// Reads files one by one and keeps the limits of the whole.
// As its author knows it: "src/" is where it is staged, and nowhere else.
std::string shown_path(std::string_view staged) {
  constexpr std::string_view kStaged = "src/";
  if (staged.starts_with(kStaged)) staged.remove_prefix(kStaged.size());
  return clean_name(std::string(staged), 120);
}

class Reader {
 public:
  // No link leaves `root`, the agent's folder. Files of CUDA Agent's folders that it does not
  // compile are left out.
  Reader(const fs::path& root, bool cuda_agent) : cuda_agent_(cuda_agent) {
    std::error_code error;
    agent_folder_ = fs::canonical(root, error);
  }

  Status add_file(const fs::path& file, const std::string& name) {
    const std::string shown = shown_path(name);
    if (!is_plain_relative_path(name)) {
      return bad(fmt::format("the file name \"{}\" is not allowed", shown), kPlainPaths);
    }
    if (name.ends_with(".gch") || name.ends_with(".pch")) {
      return bad(fmt::format("{} is a precompiled header", shown),
                 "Send the header itself: compilers take what is in such a file on trust.");
    }
    std::error_code error;
    const fs::path real = fs::canonical(file, error);
    const auto [end, unused] =
        std::mismatch(agent_folder_.begin(), agent_folder_.end(), real.begin(), real.end());
    if (error || end != agent_folder_.end()) {
      return bad(fmt::format("{} is a link that leaves the agent's folder", shown));
    }
    if (files_.size() == kMaxSourceFiles) {
      return bad(fmt::format("more than {} files", kMaxSourceFiles));
    }
    // Opened without following or waiting: no link, pipe or device takes its place meanwhile.
    auto bytes = read_foreign_file(real, kMaxSourceFileBytes);
    if (!bytes) {
      return bad(
          fmt::format("{} is no regular file of at most {} MiB", shown, kMaxSourceFileBytes >> 20));
    }
    total_ += bytes->size();
    if (total_ > kMaxSourceBytes) {
      return bad(fmt::format("more than {} MiB of sources", kMaxSourceBytes >> 20));
    }
    files_.push_back({name, std::move(*bytes)});
    return Done{};
  }

  // Every file below `folder`; hidden ones (editors', version control's) are left out.
  Status add_folder(const fs::path& folder, const std::string& name, int depth = 0) {
    constexpr int kMaxDepth = 8;
    if (depth > kMaxDepth)
      return bad(fmt::format("{}: folders nested too deeply", shown_path(name)));
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      if (++entries_ > kMaxEntries)
        return bad(fmt::format("more than {} files and folders", kMaxEntries));
      const std::string leaf = entry->path().filename().string();
      if (leaf.starts_with('.') || (cuda_agent_ && is_left_out(leaf, depth))) continue;
      const std::string inner = name + "/" + leaf;
      std::error_code ignored;
      const bool is_folder = !entry->is_symlink(ignored) && entry->is_directory(ignored);
      const Status added =
          is_folder ? add_folder(entry->path(), inner, depth + 1) : add_file(entry->path(), inner);
      if (!added) return added;
    }
    if (error) return bad(fmt::format("{}: {}", shown_path(name), error.message()));
    return Done{};
  }

  std::vector<SourceFile> take() {
    std::sort(files_.begin(), files_.end(),
              [](const SourceFile& a, const SourceFile& b) { return a.name < b.name; });
    return std::move(files_);
  }

 private:
  fs::path agent_folder_;
  bool cuda_agent_ = false;
  std::vector<SourceFile> files_;
  std::size_t total_ = 0;
  // Hidden files and empty folders take time, too.
  static constexpr std::size_t kMaxEntries = 4 * kMaxSourceFiles;
  std::size_t entries_ = 0;
};

// Lengths go in front, so that no two lists give the same text.
void append(std::string& text, std::string_view part) {
  text += fmt::format("{}:", part.size());
  text += part;
}

}  // namespace

Result<std::vector<SourceFile>> read_source_files(const Submission& submission) {
  const bool single = submission.folder.empty();
  const fs::path place = single ? submission.sources.front() : submission.folder;
  const fs::path root =
      submission.root.empty() ? place.parent_path().parent_path() : submission.root;
  Reader reader(root, submission.cuda_agent);
  const std::string name =
      submission.staged_name.empty() ? place.filename().string() : submission.staged_name;
  const Status added =
      single ? reader.add_file(place, "src/" + name) : reader.add_folder(place, "src");
  if (!added) return added.error();
  for (const fs::path& folder : submission.include_directories) {
    if (auto shared = reader.add_folder(folder, "include"); !shared) return shared.error();
  }
  return reader.take();
}

std::string hash_sources(const Submission& submission, const std::vector<SourceFile>& files) {
  std::string text = "kbench-sources/1\n";
  for (const SourceFile& file : files) {
    append(text, file.name);
    append(text, file.bytes);
  }
  const auto append_list = [&](const std::vector<std::string>& list) {
    text += fmt::format("\n{} ", list.size());
    for (const std::string& item : list) append(text, item);
  };
  append_list(submission.flags);
  append_list(submission.libraries);
  append_list({submission.device, submission.id.precision});
  return sha256(text);
}

}  // namespace kbench
