#include "runner/submission/load_fault.hpp"

#include <dlfcn.h>
#include <elf.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/core/library_words.hpp"
#include "runner/core/suggest.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/submission/compiling.hpp"

namespace kbench {
namespace {

// Libraries that compilers give to every program, and the worker has as well. All of them give
// their symbols versions, which a library that was linked against them notes.
constexpr std::array<const char*, 9> kUsualLibraries = {
    "libc.so.6",  "libm.so.6",  "libstdc++.so.6",  "libgcc_s.so.1",       "libgomp.so.1",
    "libdl.so.2", "librt.so.1", "libpthread.so.0", "ld-linux-x86-64.so.2"};

// Limits of what is looked at in a file that nobody vouches for.
constexpr std::size_t kMostOfAName = 4096;
constexpr std::size_t kMostSections = 1024;
constexpr std::size_t kMostRelocations = 16;  // sections of them
constexpr std::size_t kMostNeeded = 256;      // libraries

// The sections of a shared library, as far as they lie within its bytes. A strange file has none.
class Sections {
 public:
  explicit Sections(std::string_view bytes) : bytes_(bytes) {
    const auto header = read<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != EM_X86_64 || header->e_shentsize != sizeof(Elf64_Shdr))
      return;
    if (header->e_shnum > kMostSections) return;
    for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
      const auto section = read<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
      if (!section) return;
      all_.push_back(*section);
    }
  }

  // Those of a type, in the order of the file.
  [[nodiscard]] std::vector<const Elf64_Shdr*> of_type(std::uint32_t type) const {
    std::vector<const Elf64_Shdr*> found;
    for (const Elf64_Shdr& section : all_)
      if (section.sh_type == type && (section.sh_flags & SHF_ALLOC) != 0) found.push_back(&section);
    return found;
  }

  // Entries of a section; empty where it reaches beyond the file.
  template <class Entry>
  [[nodiscard]] std::vector<Entry> entries(const Elf64_Shdr& section) const {
    const std::string_view bytes = bytes_of(section);
    std::vector<Entry> entries(bytes.size() / sizeof(Entry));
    if (!entries.empty()) std::memcpy(entries.data(), bytes.data(), entries.size() * sizeof(Entry));
    return entries;
  }

  // The text at `offset` of the section of strings that `section` refers to; empty where it is
  // longer than any name. A forged file costs no more than an honest one.
  [[nodiscard]] std::string_view text(const Elf64_Shdr& section, std::uint64_t offset) const {
    if (section.sh_link >= all_.size()) return "";
    const std::string_view strings = bytes_of(all_[section.sh_link]);
    if (offset >= strings.size()) return "";
    const std::string_view name = strings.substr(offset, kMostOfAName);
    const auto end = name.find('\0');
    return end == name.npos ? "" : name.substr(0, end);
  }

 private:
  [[nodiscard]] std::string_view bytes_of(const Elf64_Shdr& section) const {
    if (section.sh_offset > bytes_.size() || section.sh_size > bytes_.size() - section.sh_offset)
      return "";
    return bytes_.substr(section.sh_offset, section.sh_size);
  }
  template <class Part>
  [[nodiscard]] std::optional<Part> read(std::uint64_t offset) const {
    static_assert(std::is_trivially_copyable_v<Part>);
    if (offset > bytes_.size() || sizeof(Part) > bytes_.size() - offset) return std::nullopt;
    Part part;
    std::memcpy(&part, bytes_.data() + offset, sizeof(Part));
    return part;
  }

  std::string_view bytes_;
  std::vector<Elf64_Shdr> all_;
};

// The dynamic symbols of a library, and who uses them.
class Symbols {
 public:
  // Nothing of a file that does not look as linkers make it.
  static std::optional<Symbols> of(const Sections& sections) {
    const auto tables = sections.of_type(SHT_DYNSYM);
    const auto dynamic = sections.of_type(SHT_DYNAMIC);
    if (tables.size() != 1 || dynamic.size() != 1 ||
        sections.of_type(SHT_RELA).size() > kMostRelocations)
      return std::nullopt;
    Symbols symbols(sections, *tables.front());
    symbols.read_needed(*dynamic.front());
    if (symbols.needed_.size() > kMostNeeded) return std::nullopt;
    return symbols.symbols_.empty() ? std::nullopt : std::optional(std::move(symbols));
  }

  [[nodiscard]] bool defines(std::string_view name) const {
    return std::any_of(symbols_.begin(), symbols_.end(), [&](const Elf64_Sym& symbol) {
      return symbol.st_shndx != SHN_UNDEF && name_of(symbol) == name;
    });
  }

  // The symbol that it defines and that is spelt most like this one; nothing where none is.
  [[nodiscard]] std::optional<std::string> nearest_to(std::string_view name) const {
    constexpr std::size_t kMost = 10'000;  // looked at, whatever a library holds
    std::vector<std::string> defined;
    for (std::size_t i = 0; i < std::min(symbols_.size(), kMost); ++i)
      if (symbols_[i].st_shndx != SHN_UNDEF && name_of(symbols_[i]).size() < 2 * name.size())
        defined.emplace_back(name_of(symbols_[i]));
    return nearest(name, defined);
  }

  [[nodiscard]] bool takes_usual_libraries_only() const {
    return std::all_of(needed_.begin(), needed_.end(), [](std::string_view name) {
      return std::find(kUsualLibraries.begin(), kUsualLibraries.end(), name) !=
             kUsualLibraries.end();
    });
  }

  // The first symbol, as a loader looks for them, that has to be found and that no library was seen
  // to have when this one was linked; empty without one.
  [[nodiscard]] std::string unfound() const {
    for (const Elf64_Shdr* section : sections_->of_type(SHT_RELA))
      for (const Elf64_Rela& use : sections_->entries<Elf64_Rela>(*section)) {
        const std::size_t index = ELF64_R_SYM(use.r_info);
        if (index < symbols_.size() && is_unfound(index))
          return std::string(name_of(symbols_[index]));
      }
    return "";
  }

 private:
  Symbols(const Sections& sections, const Elf64_Shdr& table)
      : sections_(&sections), table_(&table), symbols_(sections.entries<Elf64_Sym>(table)) {
    const auto versions = sections.of_type(SHT_GNU_versym);
    if (versions.size() == 1) versions_ = sections.entries<Elf64_Versym>(*versions.front());
  }

  void read_needed(const Elf64_Shdr& dynamic) {
    for (const Elf64_Dyn& entry : sections_->entries<Elf64_Dyn>(dynamic))
      if (entry.d_tag == DT_NEEDED && needed_.size() <= kMostNeeded)
        needed_.push_back(sections_->text(dynamic, entry.d_un.d_val));
  }

  [[nodiscard]] std::string_view name_of(const Elf64_Sym& symbol) const {
    return sections_->text(*table_, symbol.st_name);
  }

  // Weak ones may be missing, and the first entry of a table is none.
  [[nodiscard]] bool is_unfound(std::size_t index) const {
    const Elf64_Sym& symbol = symbols_[index];
    const bool has_version = index < versions_.size() && versions_[index] > VER_NDX_GLOBAL;
    return symbol.st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL &&
           !has_version;
  }

  const Sections* sections_;
  const Elf64_Shdr* table_;
  std::vector<Elf64_Sym> symbols_;
  std::vector<Elf64_Versym> versions_;
  std::vector<std::string_view> needed_;
};

// Whether a usual library has the symbol: the worker has loaded it, so a library that was not
// linked against it finds the symbol all the same. True as well if that cannot be told.
bool may_be_there(const std::string& name) {
  if (::dlsym(RTLD_DEFAULT, name.c_str()) != nullptr) return true;
  return std::any_of(kUsualLibraries.begin(), kUsualLibraries.end(), [&](const char* library) {
    void* handle = ::dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) return true;
    const bool has = ::dlsym(handle, name.c_str()) != nullptr;
    ::dlclose(handle);
    return has;
  });
}

LoadFault undefined(const std::string& name) {
  return {State::kLoadError,
          {ErrorCode::kSubmission,
           std::string(kDoesNotLoad) + "undefined symbol: " + clean_name(name, 1000),
           kDoesNotLoadHint}};
}

}  // namespace

std::optional<LoadFault> find_load_fault_in(std::string_view library) {
  const Sections sections(library);
  const auto symbols = Symbols::of(sections);
  if (!symbols) return std::nullopt;
  if (const std::string name = symbols->unfound(); !name.empty()) {
    const bool is_sure = symbols->takes_usual_libraries_only() && !may_be_there(name);
    return is_sure ? std::optional(undefined(name)) : std::nullopt;
  }
  if (symbols->defines(kForwardName)) return std::nullopt;
  const auto near = symbols->nearest_to(kForwardName);
  const std::string hint =
      near ? fmt::format("it has {}: spell it {}", clean_name(*near, 64), kForwardName)
           : std::string(kNoForwardHint);
  return LoadFault{State::kMissingSymbol, {ErrorCode::kSubmission, kNoForward, hint}};
}

std::optional<LoadFault> find_load_fault(const std::filesystem::path& library) {
  const auto bytes = read_foreign_file(library, kMaxLibraryBytes);
  return bytes ? find_load_fault_in(*bytes) : std::nullopt;
}

}  // namespace kbench
