#include "runner/run/kept_sources.hpp"

#include <optional>
#include <utility>

#include "runner/core/sha256.hpp"
#include "runner/os/files.hpp"

namespace kbench {
namespace {

static_assert(kMaxSourceFileBytes <= kMostBlobBytes, "each file of a submission fits into a blob");

std::optional<Blob> source_of(const Task& task) {
  const auto text = read_foreign_file(task.source, kMaxSourceFileBytes);
  if (!text) return std::nullopt;
  const bool lowered_since = !task.source_sha256.empty() && sha256(*text) != task.source_sha256;
  return lowered_since ? std::nullopt : std::optional(pack(*text));
}

}  // namespace

KeptSources keep_sources(const std::vector<SourceFile>& files) {
  KeptSources kept;
  for (const SourceFile& file : files) {
    Blob blob = pack(file.bytes);
    kept.files.push_back({file.name, blob.hash, blob.bytes});
    kept.blobs.push_back(std::move(blob));
  }
  return kept;
}

std::vector<Blob> attach_sources(KeptSources sources, const Task& task, Evaluation& evaluation) {
  evaluation.sources = std::move(sources.files);
  evaluation.tree_hash = hash_tree(evaluation.sources);
  if (auto source = source_of(task)) {
    evaluation.task_source = source->hash;
    sources.blobs.push_back(std::move(*source));
  }
  return std::move(sources.blobs);
}

}  // namespace kbench
