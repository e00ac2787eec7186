#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/write/output_file.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/judge/workspace_requests.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/plan/task_choice.hpp"
#include "runner/task/draw_words.hpp"
#include "runner/task/hard_draws.hpp"
#include "runner/task/strict_json.hpp"
#include "runner/task/suite.hpp"
#include "runner/task/task_header.hpp"
#include "runner/task/task_json.hpp"
#include "runner/task/task_sizes.hpp"
#include "runner/task/task_tags.hpp"

namespace kbench {
namespace {

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", amount, kUnits.at(unit));
}

std::uint64_t total_bytes(const std::vector<TensorSpec>& tensors) {
  std::uint64_t sum = 0;
  for (const auto& tensor : tensors) sum += tensor.bytes();
  return sum;
}

void print_tensors(const Terminal& out, std::string_view title,
                   const std::vector<TensorSpec>& tensors, bool drawn) {
  if (tensors.empty()) return;
  std::size_t width = 0;
  for (const auto& tensor : tensors) width = std::max(width, tensor.name.size());
  fmt::print("  {} ({})\n", out.paint(Color::kBold, title), bytes_text(total_bytes(tensors)));
  for (const auto& tensor : tensors) {
    fmt::print("    {:{}}  {:8}  [{}]{}{}\n", tensor.name, width, to_string(tensor.dtype),
               fmt::join(tensor.shape, ", "), drawn ? "  " : "",
               drawn ? draw_words(tensor.draw) : "");
  }
}

void print_hard_draws(const Terminal& out, const std::vector<HardDrawRule>& rules) {
  fmt::print("  {} (extra correctness draws)\n", out.paint(Color::kBold, "hard draws"));
  for (const auto& rule : rules) {
    fmt::print(
        "    {:12}  {}\n", to_string(rule.draw),
        rule.applies() ? std::string(describe(rule.draw)) : printable("left out: " + rule.reason));
  }
}

void print_task(const Terminal& out, const Task& task, const std::vector<const TaskSize*>& sizes) {
  fmt::print("{}  {}\n", out.paint(Color::kBold, task.id), printable(task.title));
  fmt::print("  mode     {}\n  source   {}\n  lowered  {}\n  hash     {}\n", task.mode,
             printable(task.source.string()), printable(task.file.string()), task.hash);
  if (!task.note.empty()) fmt::print("  note     {}\n", printable(task.note));
  if (const auto why = why_unranked(task.lint_accepts); !why.empty())
    fmt::print("  ranked   {}\n", printable("no: " + why));
  for (const auto* size : sizes) {
    fmt::print(
        "\n{}  {:.4g} Gflop in matrix and convolution operations; intermediates at most {}\n",
        out.paint(Color::kBold, "size " + size->name), size->work.products / 1e9,
        bytes_text(size->peak_bytes_fp32));
    print_tensors(out, "inputs", size->inputs, true);
    print_tensors(out, "parameters", size->parameters, true);
    print_tensors(out, "outputs", size->outputs, false);
    print_hard_draws(out, size->hard_draws);
  }
}

void print_list_table(const Terminal& out, const std::vector<TaskEntry>& entries) {
  std::size_t width = 0;
  for (const auto& entry : entries) width = std::max(width, entry.id.size());
  const auto sizes = sizes_of_each(entries);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const TaskEntry& entry = entries[i];
    const auto padded = fmt::format("{:{}}", printable(entry.id), width);
    const auto names = printable(fmt::format("{}", fmt::join(sizes[i], ",")));
    fmt::print("{}  {}\n", out.paint(Color::kBold, padded),
               entry.problem.empty()
                   ? fmt::format("{:10}  {}{}", names, printable(entry.title),
                                 entry.unranked.empty() ? "" : "  (not ranked)")
                   : out.paint(Color::kRed, "unreadable: " + printable(entry.problem)));
  }
}

// All that a compiler needs to take a submission.
Status write_headers(const std::filesystem::path& folder, const std::string& task_h,
                     const Installation& installation) {
  constexpr std::size_t kMaxBytes = 1u << 20;
  const auto kbench_h = read_bounded_file(installation.abi / "kbench.h", kMaxBytes);
  if (!kbench_h) return kbench_h.error();
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return Error{ErrorCode::kUsage,
                 fmt::format("cannot make the folder {}: {}", folder.string(), failed.message()),
                 "name a folder that can be written to"};
  if (auto written = write_output_file(folder / "task.h", task_h); !written) return written;
  return write_output_file(folder / "kbench.h", *kbench_h);
}

Result<End> list(const TasksOptions& options, const Installation& installation) {
  const auto entries = tasks_of_suite(options.common.suite, installation);
  if (!entries) return entries.error();
  auto of_levels = select_tasks(*entries, options.levels, {});
  if (!of_levels) return of_levels.error();
  const auto selected = with_tags(std::move(*of_levels), options.tags);
  if (!selected) return selected.error();
  if (options.format == OutputFormat::kJson) {
    print_json(task_list_json(*selected, sizes_of_each(*selected)));
  } else {
    print_list_table(inspect_terminal(STDOUT_FILENO, options.common.color), *selected);
  }
  if (selected->empty()) {
    return End{ExitCode::kNothingSelected,
               options.tags.empty() ? "no task of that level" : "no task of that level and tag"};
  }
  const auto broken = std::count_if(selected->begin(), selected->end(),
                                    [](const auto& entry) { return !entry.problem.empty(); });
  if (broken > 0) {
    return End{ExitCode::kUsage,
               fmt::format("{} tasks, {} of them unreadable", selected->size(), broken)};
  }
  return good(counted(selected->size(), "task"));
}

Result<End> show(const TasksOptions& options, const Installation& installation) {
  const auto task = find_task(options.common.suite, options.levels, options.task, installation,
                              options.precision);
  if (!task) return task.error();
  const auto sizes = find_sizes(*task, options.size);
  if (!sizes) return sizes.error();
  if (options.format == OutputFormat::kJson) {
    print_json(task_json(*task, *sizes));
  } else {
    print_task(inspect_terminal(STDOUT_FILENO, options.common.color), *task, *sizes);
  }
  return good(fmt::format("showed {}", task->id));
}

Result<End> header(const TasksOptions& options, const Installation& installation) {
  const auto task = find_task(options.common.suite, options.levels, options.task, installation,
                              options.precision);
  if (!task) return task.error();
  const auto size = choose_size(*task, options.size, "small");
  if (!size) return size.error();
  const std::string text = task_header(*task, **size);
  if (options.out) {
    if (auto written = write_headers(*options.out, text, installation); !written)
      return written.error();
    return good(fmt::format("task.h and kbench.h are in {}", options.out->string()));
  }
  fmt::print("{}", text);
  return good(fmt::format("task.h of {} at {}", task->id, (*size)->name));
}

Result<End> prompt(const TasksOptions& options, const Installation& installation) {
  const auto prompt = prompt_of_task(options.common.suite, options.levels, options.task,
                                     {.size = options.size,
                                      .device = options.device,
                                      .language = options.language,
                                      .precision = options.precision},
                                     installation);
  if (!prompt) return prompt.error();
  fmt::print("{}", prompt->text);
  return good(fmt::format("prompt of {} at {} in {}", prompt->task.id, prompt->size,
                          to_string(prompt->language)));
}

}  // namespace

CLI::App* add_tasks(CLI::App& app, TasksOptions& options) {
  using What = TasksOptions::What;
  auto& tasks = add_group(app, "tasks", "Look at the tasks");
  auto& list = add_form(tasks, "list", options.what, What::kList, "One line for each task");
  auto& show =
      add_form(tasks, "show", options.what, What::kShow, "A task's tensors, sizes and files");
  auto& header = add_form(tasks, "header", options.what, What::kHeader,
                          "Print or write task.h, which a submission includes");
  auto& prompt = add_form(tasks, "prompt", options.what, What::kPrompt,
                          "Print all that whoever writes a kernel has to know");
  add_levels(list, options.levels);
  add_tags(list, options.tags);
  for (auto* one : {&show, &header, &prompt}) add_one_task(*one, options.task);
  add_size(show, options.size, "Only this size");
  add_size(header, options.size, "Shapes of this size (default: small)");
  add_size(prompt, options.size, "Shapes of this size (default: full on CUDA, small on CPU)");
  for (auto* one : {&show, &header, &prompt}) add_precision(*one, options.precision);
  add_device(prompt, options.device);
  std::vector<std::pair<std::string, PromptLanguage>> languages;
  for (const auto language : {PromptLanguage::kCpp, PromptLanguage::kCuda, PromptLanguage::kPython,
                              PromptLanguage::kTriton})
    languages.emplace_back(to_string(language), language);
  add_choice<PromptLanguage>(prompt, "--language", options.language, languages,
                             "What it is to be written in (default: cuda on CUDA, cpp on CPU)");
  add_path(header, "--out", options.out, "DIR",
           "Write task.h and kbench.h into this folder instead, for an editor or a compiler");
  for (auto* one : {&list, &show}) add_json(*one, options.format);
  for (auto* one : {&list, &show, &header, &prompt}) add_common(*one, options.common, true);
  return &tasks;
}

Result<End> call(const TasksOptions& options, const Installation& installation) {
  switch (options.what) {
    case TasksOptions::What::kList: return list(options, installation);
    case TasksOptions::What::kShow: return show(options, installation);
    case TasksOptions::What::kHeader: return header(options, installation);
    case TasksOptions::What::kPrompt: return prompt(options, installation);
  }
  return End{};
}

}  // namespace kbench
