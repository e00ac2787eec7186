#include <utility>

#include <fmt/format.h>

#include "reports/write/output_file.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/judge/workspace_requests.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/plan/task_choice.hpp"
#include "runner/print/task_text.hpp"
#include "runner/task/suite.hpp"
#include "runner/task/task_header.hpp"
#include "runner/task/task_json.hpp"
#include "runner/task/task_sizes.hpp"

namespace kbench {
namespace {

// All that a compiler needs to take a submission.
Status write_headers(const std::filesystem::path& folder, const std::string& task_h,
                     const Installation& installation) {
  constexpr std::size_t kMaxBytes = 1u << 20;
  const auto kbench_h = read_bounded_file(installation.abi / "kbench.h", kMaxBytes);
  if (!kbench_h) return kbench_h.error();
  return write_output_files(folder, {{"task.h", task_h}, {"kbench.h", *kbench_h}});
}

Result<End> list(const TasksOptions& options, const Installation& installation) {
  const auto entries = tasks_of_suite(options.common.suite, installation);
  if (!entries) return entries.error();
  const auto selected = select_entries(*entries, options.levels, options.tasks, options.tags);
  if (!selected) return selected.error();
  RunRequest choice;
  choice.levels = options.levels;
  choice.tasks = options.tasks;
  choice.tags = options.tags;
  if (selected->empty()) return why_no_task(*entries, choice);
  print_found(
      options, *selected,
      [](const auto& found) { return task_list_json(found, sizes_of_each(found)); },
      [&](const auto& found, const auto& style) {
        return task_list_text(found, style, options.columns);
      });
  const bool fine = unreadable_tasks(*selected) == 0;
  return End{fine ? ExitCode::kGood : ExitCode::kUsage, task_list_words(*selected)};
}

Result<End> show(const TasksOptions& options, const Installation& installation) {
  const auto task = find_task(options.common.suite, options.levels, options.task, installation,
                              options.precision);
  if (!task) return task.error();
  const auto sizes = find_sizes(*task, options.size);
  if (!sizes) return sizes.error();
  if (options.format == OutputFormat::kJson)
    print_json(task_json(*task, *sizes));
  else
    fmt::print("{}", task_text(*task, *sizes, standard_output(options.common)));
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
  return good(fmt::format("task.h of {} at {}{}", task->id, (*size)->name,
                          options.size ? "" : "; on a GPU a run takes --size full"));
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
                          "Print everything that the author of a kernel has to know");
  add_levels(list, options.levels);
  add_task_globs(list, options.tasks);
  add_tags(list, options.tags);
  add_columns(list, options.columns, task_columns());
  add_wide(list, options.common);
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
                             "Language of the kernel (default: cuda on CUDA, cpp on CPU)");
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
