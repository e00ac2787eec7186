// The answer of a run of one submission for one task: whether it is correct, how long a call takes,
// how much faster that is than eager and compiled, how near to the device's limit, and, without a
// verdict, why and what to do. Pure. The terminal and the page draw the same card, so their numbers
// cannot differ. Every text in it is sanitized; `message` alone has several lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/facts/fields.hpp"
#include "reports/facts/model.hpp"

namespace kbench {

// "– timing not calibrated", "▲ FASTER".
struct CardBadge {
  std::string text;
  Tone tone = Tone::kNeutral;
};

struct CardFact {
  std::string name;    // "Over eager"
  std::string value;   // "1.15× [0.59–2.55]"; "–" if it is not known
  std::string remark;  // "▲ FASTER", "eager 1.98 ms, compiled 2.58 ms"; may be empty
  Tone tone = Tone::kNeutral;
};

// Why the speed-up has no verdict, or counts nowhere.
struct CardDoubt {
  std::string sentence;
  std::string command;  // command that ends the doubt; empty if none does
  std::string remark;   // the command's duration
};

struct VerdictCard {
  std::string task;        // "level1/019_relu"
  std::string submission;  // the file or folder, "v1.cpp"
  std::string place;       // "small · cpu · AMD EPYC"
  CardBadge state;         // "✓ correct", "✗ wrong result"
  // The answer in numbers, "1.72 ms" and "1.15× eager", as estimated, with or without a verdict.
  // None of a submission that is not correct.
  std::vector<std::string> numbers;
  std::vector<CardBadge> badges;  // the verdict, else what keeps it from one
  std::vector<CardFact> facts;
  std::string message;  // the failure
  std::string hint;     // remedy for the failure
  std::vector<CardDoubt> doubts;
};

// The card of one row of a run, which has a submission.
[[nodiscard]] VerdictCard card_of(const ReportData& data, const Evaluation& evaluation);

// The card of a run; none for a run with several rows, or without a submission.
[[nodiscard]] std::optional<VerdictCard> verdict_card(const ReportData& data);

// "✓ correct · 1.72 ms · 1.15× eager".
[[nodiscard]] std::string card_title(const VerdictCard& card);

}  // namespace kbench
