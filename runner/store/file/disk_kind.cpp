#include "runner/store/file/disk_kind.hpp"

#include <sys/vfs.h>

#include <array>
#include <utility>

namespace kbench {
namespace {

// The numbers of statfs(2) and, of those that the kernel does not have, of their own sources.
constexpr std::array<std::pair<std::uint32_t, std::string_view>, 12> kNetworkDisks{{
    {0x00006969, "NFS"},
    {0x0000517b, "SMB"},
    {0xfe534d42, "SMB"},
    {0xff534d42, "CIFS"},
    {0x5346414f, "AFS"},
    {0x6b414653, "AFS"},
    {0x73757245, "Coda"},
    {0x00c36400, "Ceph"},
    {0x0bd00bd0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"},
    {0x20030528, "OrangeFS"},
}};

}  // namespace

std::optional<std::uint32_t> disk_kind(const std::filesystem::path& path) {
  struct statfs facts {};
  if (::statfs(path.c_str(), &facts) != 0) return std::nullopt;
  return static_cast<std::uint32_t>(facts.f_type);
}

std::string_view network_disk(std::uint32_t kind) {
  for (const auto& [number, name] : kNetworkDisks)
    if (number == kind) return name;
  return "";
}

}  // namespace kbench
