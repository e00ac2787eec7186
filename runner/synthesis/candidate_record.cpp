#include "runner/synthesis/candidate_record.hpp"

#include <algorithm>
#include <array>

namespace kbench {
namespace {

struct FaultWords {
  CandidateFault fault;
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array kFaults = {
    FaultWords{CandidateFault::kLowering, "lowering", "cannot be lowered"},
    FaultWords{CandidateFault::kRandom, "random", "draws random numbers"},
    FaultWords{CandidateFault::kContaminated, "contaminated", "a held-out task's operators"},
    FaultWords{CandidateFault::kEager, "eager", "eager fails"},
    FaultWords{CandidateFault::kTime, "time", "eager's time is outside of the band"},
    FaultWords{CandidateFault::kDuplicate, "duplicate", "the graph of one before"},
    FaultWords{CandidateFault::kUnequalRuns, "unequal_runs", "two runs differ"},
    FaultWords{CandidateFault::kMutant, "mutant", "a wrong submission passes"},
    FaultWords{CandidateFault::kPackage, "package", "no package can be built"},
    FaultWords{CandidateFault::kDisagrees, "disagrees", "the package computes something else"}};

constexpr auto kOrder = [] {
  std::array<CandidateFault, kFaults.size()> order{};
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = kFaults[i].fault;
  return order;
}();

const FaultWords& words_of(CandidateFault fault) {
  return *std::find_if(kFaults.begin(), kFaults.end(),
                       [&](const FaultWords& words) { return words.fault == fault; });
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

std::string text_of(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? "" : value.get<std::string>();
}

CandidateRecord read(const Json& json) {
  CandidateRecord record;
  record.candidate = json.at("candidate").get<std::int64_t>();
  record.where = json.at("where").get<std::string>();
  record.task = json.at("task").get<std::string>();
  if (const auto name = text_of(json, "fault"); !name.empty()) {
    const auto found = std::find_if(kFaults.begin(), kFaults.end(),
                                    [&](const FaultWords& words) { return words.name == name; });
    if (found == kFaults.end()) throw Json::other_error::create(501, "no fault: " + name, nullptr);
    record.fault = found->fault;
  }
  record.message = text_of(json, "message");
  record.drawn = json.at("drawn").get<std::vector<std::string>>();
  record.operators = json.at("operators").get<std::vector<std::string>>();
  record.fingerprint = text_of(json, "fingerprint");
  record.source_sha256 = json.at("source_sha256").get<std::string>();
  record.scale = json.at("scale").get<double>();
  record.eager_ms = json.at("eager_ms").get<double>();
  record.tries = json.at("tries").get<int>();
  record.similar_to = text_of(json, "similar_to");
  record.similarity = json.at("similarity").get<double>();
  return record;
}

}  // namespace

std::span<const CandidateFault> all_candidate_faults() { return kOrder; }
std::string_view to_string(CandidateFault fault) { return words_of(fault).name; }
std::string_view describe(CandidateFault fault) { return words_of(fault).meaning; }

Json to_json_line(const CandidateRecord& record) {
  return {{"candidate", record.candidate},
          {"where", record.where},
          {"task", record.task},
          {"state", record.kept() ? "kept" : "rejected"},
          {"fault", record.fault ? Json(to_string(*record.fault)) : Json()},
          {"message", text_or_null(record.message)},
          {"drawn", record.drawn},
          {"operators", record.operators},
          {"fingerprint", text_or_null(record.fingerprint)},
          {"source_sha256", record.source_sha256},
          {"scale", record.scale},
          {"eager_ms", record.eager_ms},
          {"tries", record.tries},
          {"similar_to", text_or_null(record.similar_to)},
          {"similarity", record.similarity}};
}

Result<CandidateRecord> record_from_json(const Json& json) {
  try {
    return read(json);
  } catch (const Json::exception& error) {
    return Error{ErrorCode::kBadInput, std::string("no record of a candidate: ") + error.what(),
                 ""};
  }
}

}  // namespace kbench
