#include "runner/options/manual_topics.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace kbench {
namespace {

constexpr std::array kTopics = {
    ManualTopic{"install", "Install kbench on a machine, or set it up from a checkout"},
    ManualTopic{"submit", "Submit kernels: what a file defines, and where it lies"},
    ManualTopic{"running",
                "Start a run: choose tasks, stop, resume, repeat what failed; exit codes"},
    ManualTopic{"results", "Read a result: the card, verdicts, states, formats, the page, JSON"},
    ManualTopic{"troubleshooting",
                "Something went wrong: what kbench shows, why, and what to type"},
    ManualTopic{"profiles", "Why is it slow: what bounds a kernel, and what to do next"},
    ManualTopic{"ranking",
                "Publish a leaderboard: how agents are ranked, and the tables of other benchmarks"},
    ManualTopic{"over-time", "Many runs: compare them, history, every night"},
    ManualTopic{"tasks",
                "Tasks: import them, compose them, and check that wrong kernels fail on them"},
    ManualTopic{"agent", "I have an agent: let a model write kernels, or give an agent tools"},
    ManualTopic{"trainer", "I have a trainer: rewards from a server, or of stored results"},
    ManualTopic{"evolution",
                "I have an evolution: OpenEvolve and ShinkaEvolve with kbench as the judge"},
    ManualTopic{"data", "I want data: episodes of agents, and their exports"},
    ManualTopic{"notebook",
                "I have a notebook: kbench from Python, data frames, Weights & Biases, MLflow"},
    ManualTopic{
        "feedback",
        "Which feedback helps an agent, and by how much; how to analyse somebody else's study"},
    ManualTopic{"cluster", "Several GPUs or machines: a run on all of them, shards, Slurm"},
    ManualTopic{
        "database",
        "The database: backups, a results file from somebody else, a stored row measured again"},
    ManualTopic{"settings", "Options that need not be typed: kbench.toml and variables"},
    ManualTopic{"trust", "Why to believe a result: correctness, timing, calibration"},
    ManualTopic{"threats",
                "The threat model: what is promised about code and files that nobody trusts"},
    ManualTopic{"architecture", "How kbench is built: its processes, and which trusts which"},
    ManualTopic{"words",
                "The words of kbench: task, row, state, placement, study, and what each means"},
};

}  // namespace

std::span<const ManualTopic> manual_topics() { return kTopics; }

bool is_manual_topic(std::string_view name) {
  return std::any_of(kTopics.begin(), kTopics.end(),
                     [&](const ManualTopic& topic) { return topic.name == name; });
}

std::vector<std::string> manual_topic_names() {
  std::vector<std::string> names;
  for (const ManualTopic& topic : kTopics) names.emplace_back(topic.name);
  return names;
}

std::string list_of_topics() {
  std::string text = "Pages of the manual; `kbench help TOPIC` prints one:\n\n";
  for (const ManualTopic& topic : kTopics)
    text += fmt::format("  {:<17}{}\n", topic.name, topic.about);
  return text +
         "\n`kbench --help` lists the commands, `kbench COMMAND --help` the options of one.\n";
}

}  // namespace kbench
