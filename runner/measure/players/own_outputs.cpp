#include "runner/measure/players/own_outputs.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "runner/core/defence.hpp"
#include "runner/measure/watch/known_code.hpp"

namespace kbench {
namespace {

static_assert(kMaxRank <= kMaxPlacedRank);

bool may_share(const TaskSize& size, std::size_t output) {
  const bool may = output < size.outputs_may_share.size() && size.outputs_may_share[output];
  return may || !stands(Defence::kSeparateOutputs);
}

// A line of a maps file: "from-to rights offset device inode   path".
struct Mapping {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint64_t offset = 0;  // place in the file of the byte at `from`
  FileIdentity file;
};

// Bytes of a file, or of shared memory, in which part of an output lies.
struct FilePart {
  FileIdentity file;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t output = 0;
};

std::string_view cut(std::string_view& line, char end) {
  const std::size_t length = std::min(line.find(end), line.size());
  const std::string_view word = line.substr(0, length);
  line.remove_prefix(std::min(length + 1, line.size()));
  return word;
}

std::uint64_t number(std::string_view text, int base) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

Mapping mapping_of(std::string_view line) {
  Mapping mapping;
  mapping.from = number(cut(line, '-'), 16);
  mapping.to = number(cut(line, ' '), 16);
  cut(line, ' ');  // rights
  mapping.offset = number(cut(line, ' '), 16);
  mapping.file.device = cut(line, ' ');
  mapping.file.inode = number(cut(line, ' '), 10);
  return mapping;
}

// The part of the output that lies in the file, if any.
std::optional<FilePart> part_of(const PlacedOutput& place, std::size_t output,
                                const Mapping& mapping) {
  const std::uint64_t from = std::max(place.address, mapping.from);
  const std::uint64_t to = std::min(place.address + place.bytes, mapping.to);
  if (from >= to) return std::nullopt;
  const std::uint64_t begin = mapping.offset + (from - mapping.from);
  return FilePart{mapping.file, begin, begin + (to - from), output};
}

// The first part whose bytes are those of another one as well.
std::optional<FilePart> stands_twice(std::vector<FilePart> parts) {
  const auto key = [](const FilePart& part) {
    return std::tie(part.file.device, part.file.inode, part.begin);
  };
  std::sort(parts.begin(), parts.end(),
            [&](const FilePart& a, const FilePart& b) { return key(a) < key(b); });
  const auto twice = std::adjacent_find(
      parts.begin(), parts.end(),
      [](const FilePart& a, const FilePart& b) { return a.file == b.file && b.begin < a.end; });
  return twice == parts.end() ? std::nullopt : std::optional(*twice);
}

// A page of a file, or of shared memory, can stand at many addresses: written once, it would be
// many parts of an output, or of several.
Status check_pages(const std::vector<FilePart>& parts, const TaskSize& size) {
  if (!stands(Defence::kSeparateOutputs)) return Done{};
  std::vector<FilePart> apart;  // files of outputs that lie apart from each other
  for (std::size_t o = 0; o < size.outputs.size(); ++o) {
    std::vector<FilePart> own;
    std::copy_if(parts.begin(), parts.end(), std::back_inserter(own),
                 [o](const FilePart& part) { return part.output == o; });
    if (stands_twice(own))
      return Error{ErrorCode::kSubmission,
                   fmt::format("a page of a mapped file or of shared memory stands in output {} "
                               "more than once",
                               size.outputs[o].name),
                   "eager's does not: return a tensor that has memory for each element"};
    if (!may_share(size, o)) apart.insert(apart.end(), own.begin(), own.end());
  }
  if (const auto twice = stands_twice(std::move(apart)))
    return Error{ErrorCode::kSubmission,
                 fmt::format("output {} lies in the same page of a mapped file or of shared memory "
                             "as another",
                             size.outputs[twice->output].name),
                 "eager's do not: return a tensor of its own for each"};
  return Done{};
}

}  // namespace

Result<std::vector<std::optional<PlacedOutput>>> held_against(const ToldPlaces& told,
                                                              const TaskSize& size) {
  std::vector<std::optional<PlacedOutput>> places(size.outputs.size());
  for (std::size_t o = 0; o < std::min(places.size(), told.size()); ++o) {
    if (told.at(o).home != OutputHome::kOwn) continue;
    auto placed = placed_output(told.at(o), size.outputs[o], may_share(size, o));
    if (!placed) return placed.error();
    for (std::size_t other = 0; other < o; ++other) {
      if (!places[other] || may_share(size, o) || may_share(size, other)) continue;
      if (!overlap(*placed, size.outputs[o].shape, *places[other], size.outputs[other].shape))
        continue;
      return Error{ErrorCode::kSubmission,
                   fmt::format("the outputs {} and {} lie in the same memory",
                               size.outputs[other].name, size.outputs[o].name),
                   "eager's do not: return a tensor of its own for each"};
    }
    places[o] = std::move(*placed);
  }
  return places;
}

Result<OwnOutputs> OwnOutputs::of(const SeatArenas& arenas, const PlaceReply& geometry,
                                  const TaskSize& size) {
  const std::uint64_t bytes = geometry.arena_bytes.at(2);
  if (auto fine = check_arena(arenas.outputs, bytes); !fine) return fine.error();
  std::vector<FileIdentity> files;
  for (const UniqueFd* arena : {&arenas.inputs, &arenas.params, &arenas.outputs}) {
    auto identity = identity_of(arena->get());
    if (!identity) return identity.error();
    files.push_back(std::move(*identity));
  }
  void* const mapped =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, arenas.outputs.get(), 0);
  if (mapped == MAP_FAILED) {
    return Error{ErrorCode::kInfrastructure,
                 std::string("cannot map a submission's outputs: ") + std::strerror(errno), ""};
  }
  OwnOutputs outputs(static_cast<std::byte*>(mapped), bytes, size);
  outputs.arena_files_ = std::move(files);
  return outputs;
}

OwnOutputs::OwnOutputs(OwnOutputs&& other) noexcept
    : arena_(std::exchange(other.arena_, nullptr)),
      arena_bytes_(other.arena_bytes_),
      size_(other.size_),
      looks_(std::move(other.looks_)),
      arena_files_(std::move(other.arena_files_)) {}

OwnOutputs::~OwnOutputs() {
  if (arena_ != nullptr) ::munmap(arena_, arena_bytes_);
}

void OwnOutputs::note(const ToldPlaces& told, const ForeignMemory& memory) {
  places_ = held_against(told, size_);
  looked_at_.clear();
  if (!places_) return;
  for (const OutputLook& look : looks_.draw()) {
    const auto& place = places_->at(look.output);
    if (!place) continue;
    const std::uint64_t element = look.byte / place->element_bytes;
    looked_at_.push_back(
        {place->address_of(element, size_.outputs[look.output].shape), place->element_bytes});
  }
  seen_.assign(looked_at_.size() * sizeof(double), std::byte{});
  if (!memory.read(looked_at_, seen_.data())) looked_at_.clear();  // take() says why
}

bool OwnOutputs::changed(const ForeignMemory& memory) const {
  std::vector<std::byte> now(seen_.size());
  return !looked_at_.empty() && memory.read(looked_at_, now.data()) && now != seen_;
}

bool OwnOutputs::copied() const {
  return places_ &&
         std::any_of(places_->begin(), places_->end(), [](const auto& place) { return !place; });
}

Status OwnOutputs::check_sharing(pid_t process) const {
  const auto maps = read_maps(process);
  if (!maps) return maps.error();
  std::vector<FilePart> parts;
  std::string_view left = *maps;
  while (!left.empty()) {
    const Mapping mapping = mapping_of(cut(left, '\n'));
    if (mapping.file.inode == 0) continue;  // a process's own memory, which nothing else shares
    const bool is_arena =
        std::find(arena_files_.begin(), arena_files_.end(), mapping.file) != arena_files_.end();
    for (std::size_t o = 0; o < places_->size(); ++o) {
      const auto& place = (*places_)[o];
      const auto part = place ? part_of(*place, o, mapping) : std::nullopt;
      if (!part) continue;
      if (!is_arena) {
        parts.push_back(*part);
      } else if (!may_share(size_, o)) {
        return Error{ErrorCode::kSubmission,
                     fmt::format("output {} lies in memory of kbench's own, that of an input, a "
                                 "parameter or another output",
                                 size_.outputs[o].name),
                     "eager's does not: return a tensor that torch or the submission has made"};
      }
    }
  }
  return check_pages(parts, size_);
}

Status OwnOutputs::read(const ForeignMemory& memory, std::size_t output, std::byte* to) {
  const PlacedOutput& place = *places_->at(output);
  const MemoryPiece piece{place.address, place.bytes};
  if (place.in_a_row) return memory.read({&piece, 1}, to);
  scattered_.resize(place.bytes);
  if (auto got = memory.read({&piece, 1}, scattered_.data()); !got) return got;
  const TensorSpec& spec = size_.outputs[output];
  for (std::uint64_t e = 0; e < static_cast<std::uint64_t>(spec.elements()); ++e)
    std::memcpy(to + e * place.element_bytes,
                scattered_.data() + (place.address_of(e, spec.shape) - place.address),
                place.element_bytes);
  return Done{};
}

Result<OutputPlaces> OwnOutputs::take(pid_t process, const ForeignMemory& memory,
                                      std::uint64_t output_base, bool may_be_copied) {
  if (!places_) return places_.error();
  if (!may_be_copied && copied() && size_.outputs.size() <= kMaxPlaces)
    return Error{ErrorCode::kSubmission, "an output does not lie in memory of the submission's",
                 "return tensors that torch or the submission has made"};
  if (auto apart = check_sharing(process); !apart) return apart.error();
  const Layout layout = pack(size_.outputs);
  if (output_base > arena_bytes_ || layout.bytes > arena_bytes_ - output_base)
    return Error{ErrorCode::kInfrastructure, "outputs lie behind their arena", ""};
  OutputPlaces taken;
  for (std::size_t o = 0; o < places_->size(); ++o) {
    const auto& place = (*places_)[o];
    taken.orders.push_back(place ? place->order : 0);
    if (!place || place->bytes == 0) continue;
    if (auto got = read(memory, o, arena_ + output_base + layout.offsets[o]); !got)
      return got.error();
  }
  return taken;
}

}  // namespace kbench
