#include "runner/core/device_sheet.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "runner/core/json.hpp"

namespace kbench {

Result<std::vector<DeviceSheet>> parse_device_sheets(std::string_view json) {
  std::vector<DeviceSheet> sheets;
  try {
    const Json list = Json::parse(json);
    for (const Json& one : list.at("devices")) {
      DeviceSheet sheet;
      one.at("name").get_to(sheet.name);
      one.at("matches").get_to(sheet.matches);
      if (one.contains("excludes")) one.at("excludes").get_to(sheet.excludes);
      one.at("bytes_per_s").get_to(sheet.bytes_per_s);
      one.at("products_per_s").get_to(sheet.products);
      one.at("source").get_to(sheet.source);
      if (sheet.matches.empty() || sheet.source.empty() || !(sheet.bytes_per_s > 0))
        return Error{ErrorCode::kBadInput, fmt::format("device {} is not complete", sheet.name),
                     ""};
      sheets.push_back(std::move(sheet));
    }
  } catch (const Json::exception& problem) {
    return Error{ErrorCode::kBadInput, fmt::format("the list of devices: {}", problem.what()), ""};
  }
  return sheets;
}

const std::vector<DeviceSheet>& device_sheets() {
  // A list that cannot be read knows no device; a unit test reads it.
  static const std::vector<DeviceSheet> kSheets = [] {
    auto parsed = parse_device_sheets(kDeviceList);
    return parsed ? std::move(*parsed) : std::vector<DeviceSheet>();
  }();
  return kSheets;
}

const DeviceSheet* find_device_sheet(std::string_view name) {
  const auto is_in = [&](const std::string& part) {
    return name.find(part) != std::string_view::npos;
  };
  for (const DeviceSheet& sheet : device_sheets()) {
    if (std::all_of(sheet.matches.begin(), sheet.matches.end(), is_in) &&
        std::none_of(sheet.excludes.begin(), sheet.excludes.end(), is_in))
      return &sheet;
  }
  return nullptr;
}

}  // namespace kbench
