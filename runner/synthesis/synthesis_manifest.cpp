#include "runner/synthesis/synthesis_manifest.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace kbench {
namespace {

Json task_of(const CandidateRecord& record) {
  return {{"task", record.task},
          {"candidate", record.candidate},
          {"where", record.where},
          {"drawn", record.drawn},
          {"operators", record.operators},
          {"source_sha256", record.source_sha256},
          {"fingerprint", record.fingerprint},
          {"eager_ms", record.eager_ms},
          {"contamination", record.similar_to.empty() ? Json()
                                                      : Json{{"task", record.similar_to},
                                                             {"similarity", record.similarity}}}};
}

}  // namespace

std::map<CandidateFault, std::size_t> count_faults(std::span<const CandidateRecord> records) {
  std::map<CandidateFault, std::size_t> counts;
  for (const CandidateFault fault : all_candidate_faults()) counts[fault] = 0;
  for (const CandidateRecord& record : records)
    if (record.fault) ++counts[*record.fault];
  return counts;
}

Json manifest_of(const Json& header, std::span<const CandidateRecord> records) {
  std::vector<const CandidateRecord*> kept;
  for (const CandidateRecord& record : records)
    if (record.kept()) kept.push_back(&record);
  std::sort(kept.begin(), kept.end(), [](const CandidateRecord* a, const CandidateRecord* b) {
    return a->candidate < b->candidate;
  });
  Json manifest = header;
  manifest["candidates"] = records.size();
  manifest["kept"] = kept.size();
  manifest["rejected"] = Json::object();
  for (const auto& [fault, count] : count_faults(records))
    manifest["rejected"][std::string(to_string(fault))] = count;
  manifest["tasks"] = Json::array();
  for (const CandidateRecord* record : kept) manifest["tasks"].push_back(task_of(*record));
  return manifest;
}

}  // namespace kbench
