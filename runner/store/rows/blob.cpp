#include "runner/store/rows/blob.hpp"

#include <zstd.h>

#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"

namespace kbench {
namespace {

// Level of compression: a higher one costs far more time than it saves of a source file.
constexpr int kLevel = 3;

Error bad(const Blob& blob, std::string_view what) {
  return {ErrorCode::kBadInput, fmt::format("blob {} {}", blob.hash.substr(0, 12), what), ""};
}

// One frame that says how long its content is, as long as the blob claims, and nothing behind it.
Result<std::string> decompress(const Blob& blob) {
  const std::string& packed = blob.content;
  const auto bytes = static_cast<std::size_t>(blob.bytes);
  if (ZSTD_getFrameContentSize(packed.data(), packed.size()) != bytes)
    return bad(blob, "does not hold as much as it says");
  const std::size_t frame = ZSTD_findFrameCompressedSize(packed.data(), packed.size());
  if (ZSTD_isError(frame) != 0 || frame != packed.size())
    return bad(blob, "is no single zstd frame");
  std::string text(bytes, '\0');
  const std::size_t made = ZSTD_decompress(text.data(), bytes, packed.data(), packed.size());
  if (ZSTD_isError(made) != 0 || made != bytes) return bad(blob, "cannot be decompressed");
  return text;
}

}  // namespace

Blob pack(std::string_view text) {
  Blob blob{sha256(text), static_cast<std::int64_t>(text.size()), "raw", {}};
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t made =
      ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), kLevel);
  if (ZSTD_isError(made) == 0 && made < text.size()) {
    packed.resize(made);
    blob.codec = "zstd";
    blob.content = std::move(packed);
  } else {
    blob.content = text;
  }
  return blob;
}

Result<std::string> unpack(const Blob& blob) {
  if (blob.bytes < 0 || blob.bytes > kMostBlobBytes)
    return bad(blob, fmt::format("claims {} bytes, more than any has", blob.bytes));
  const bool raw = blob.codec == "raw";
  if (!raw && blob.codec != "zstd") return bad(blob, "is packed in an unknown way");
  if (raw && blob.content.size() != static_cast<std::size_t>(blob.bytes))
    return bad(blob, "does not hold as much as it says");
  Result<std::string> text = raw ? Result<std::string>(blob.content) : decompress(blob);
  if (text && sha256(*text) != blob.hash)
    return bad(blob, "holds something else than its name says");
  return text;
}

}  // namespace kbench
