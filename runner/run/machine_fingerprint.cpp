#include "runner/run/machine_fingerprint.hpp"

#include <fmt/format.h>

#include "runner/exchange/exchange.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/machine/host_facts.hpp"
#include "runner/plan/device_choice.hpp"
#include "runner/pool/fingerprint.hpp"
#include "runner/pool/run_file.hpp"
#include "runner/pool/space_terms.hpp"
#include "runner/store/rows/tag.hpp"

namespace kbench {
namespace {

// A lane of the CPU has a target with a GPU of no name.
bool on_gpu(const Target& target) { return target.device == "cuda" && target.gpu; }

Json fingerprint_of(const Target& target, const Toolchain& toolchain, const std::string& torch,
                    const std::string& device_name) {
  return fingerprint_json({.kbench = std::string(build_info().version),
                           .torch = torch,
                           .host_compiler = toolchain.host_version,
                           .nvcc = toolchain.nvcc_version,
                           .driver = on_gpu(target) ? target.gpu->driver : "",
                           .device_name = device_name});
}

}  // namespace

Json fingerprint_of_run(const Target& target, const Toolchain& toolchain,
                        const OracleHello& hello) {
  return fingerprint_of(target, toolchain, hello.torch, hello.facts.name);
}

Json terms_of_judges(const Installation& installation, const Target& target,
                     const Toolchain& toolchain, bool vendor) {
  Json terms = fingerprint_of(target, toolchain, installation.built_with_torch,
                              on_gpu(target) ? target.gpu->name : cpu::model_name());
  terms["vendor"] = vendor;
  return terms;
}

Status examine_group(const Installation& installation, const std::filesystem::path& folder,
                     const std::string& group, ExaminedExchange& examined) {
  if (auto named = check_tag_name(group); !named) return named.error();
  if (auto named = check_space_name(group); !named) return named.error();
  const auto exchange = Exchange::open_with_key_of(installation.state, folder);
  if (!exchange) return exchange.error();
  const ExchangeSpace space = exchange->space(group);
  const auto there = agreed_terms(*exchange, group);
  if (!there) return Done{};  // no run was there
  const auto target = choose_target({}, installation);
  if (!target) return target.error();
  DeviceSession device(installation, SessionTurns::kOne);
  device.prepare();
  const std::string other = difference_of_machines(
      *there, terms_of_judges(installation, *target, device.toolchain(), false));
  if (!other.empty())
    examined.findings.push_back(
        {fmt::format("{}: {}", group, other),
         "it refuses what this machine measures: make the machines equal, or "
         "give this one another --group"});
  for (const std::string& run : space.runs()) {
    const auto taken = take_run_file(*exchange, space, run);
    if (!taken) continue;  // told of elsewhere
    const Json environment =
        Json::parse(taken->run.environment, nullptr, /*allow_exceptions=*/false);
    if (!environment.is_object() || !environment.contains("fingerprint")) continue;
    const std::string foreign = difference_of_machines(*there, environment.at("fingerprint"));
    if (!foreign.empty())
      examined.findings.push_back(
          {fmt::format("{}: {}", space.file_of(run).string(), foreign),
           "db merge leaves it out: it was measured on another kind of machine"});
  }
  return Done{};
}

}  // namespace kbench
