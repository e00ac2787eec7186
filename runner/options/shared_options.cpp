#include "runner/options/shared_options.hpp"

#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/precision_class.hpp"
#include "runner/task/family.hpp"

namespace kbench {

void add_suite(CLI::App& app, std::optional<std::filesystem::path>& suite) {
  add_path(app, "--suite", suite, "DIR",
           "Folder with levelN/NNN_name.json (default: the shipped one)");
}

void add_database(CLI::App& app, std::filesystem::path& database, const std::string& help) {
  const auto set = [&database](const std::string& word) { database = word; };
  app.add_option_function<std::string>("--db", set, help)->type_name("FILE");
}

void add_size(CLI::App& app, std::optional<std::string>& size, const std::string& help) {
  add_word(app, "--size", size, {"small", "full"}, help);
}

void add_precision(CLI::App& app, std::string& precision) {
  add_word(app, "--precision", precision, {kPrecisionClasses.begin(), kPrecisionClasses.end()},
           "Precision class; bf16 and fp16 turn float32 tensors into that type (default: "
           "torch-default)");
}

void add_task_globs(CLI::App& app, std::vector<std::string>& tasks) {
  add_many(
      app, "--task", tasks, "GLOB",
      "Task by glob over its id (level1/0*), by number (19, level1/19) or name; may be repeated");
}

void add_levels(CLI::App& app, std::vector<int>& levels, const std::string& help) {
  app.add_option("--level", levels, help)
      ->check(number_between(std::int64_t{1}, std::int64_t{99}))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LEVEL");
}

void add_tags(CLI::App& app, std::vector<std::string>& tags) {
  const auto families = all_families();
  // The first name is the one that settings have; `kbench tag`, which names runs, is another thing.
  app.add_option(
         "--tag,--family", tags,
         "Only tasks with an operator of these families: matmul,scan (`kbench names families`)")
      ->check(one_of({families.begin(), families.end()}).description(""))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("FAMILY");
}

void add_json(CLI::App& app, OutputFormat& format, const std::string& what) {
  add_choice<OutputFormat>(app, "--format", format,
                           {{"table", OutputFormat::kTable}, {"json", OutputFormat::kJson}},
                           what + " (default: table)");
  // This form is shorter to type, and what people try.
  app.add_flag_function(
      "--json", [&format](std::int64_t) { format = OutputFormat::kJson; },
      "The same as --format json");
}

CLI::Option* add_columns(CLI::App& app, std::vector<std::string>& columns,
                         const std::string& help) {
  return add_many(app, "--columns", columns, "NAME,...", help)->delimiter(',');
}

void add_columns(CLI::App& app, std::vector<std::string>& columns,
                 const std::vector<std::string>& known) {
  add_columns(app, columns, fmt::format("Columns, in this order: {}", fmt::join(known, ",")))
      ->check(one_of(known).description(""));
}

void add_devices(CLI::App& app, std::optional<std::string>& devices) {
  app.add_option(
         "--devices", devices,
         "Several GPUs at once: all, a count (2), or cuda:0,cuda:2; cpu: the CPU (default: one "
         "device)")
      ->excludes(app.get_option("--device"))
      ->type_name("LIST");
}

void add_part_of_device(CLI::App& app, std::optional<std::string>& device,
                        const std::string& otherwise) {
  app.add_option("--device", device,
                 fmt::format("cpu, cuda, or a part of the device's name (default: {})", otherwise))
      ->type_name("DEVICE");
}

void add_vendor(CLI::App& app, bool& vendor) {
  app.add_flag("--vendor", vendor,
               "CUDA: where one call of cuBLASLt or cuDNN computes the task, time that call too");
}

void add_baseline(CLI::App& app, Side& baseline) {
  add_choice<Side>(
      app, "--baseline", baseline,
      {{"eager", Side::kEager}, {"compiled", Side::kCompiled}, {"vendor", Side::kVendor}},
      "Baseline of the speed-ups: eager, compiled, or vendor where runs have it (default: eager)");
}

void add_one_task(CLI::App& app, std::string& task) {
  app.add_option("TASK", task, "Id (level1/019_relu), or a name or number if unique")
      ->required()
      ->type_name("");
}

void add_allow_torch(CLI::App& app, std::string& policy) {
  add_word(app, "--allow-torch", policy, {"data", "all", "none"},
           "If a .py file uses torch: data ranks it apart, all as others, none fails it (default: "
           "data)");
}

CLI::Option* add_pairs(CLI::App& app, int& pairs, int most, const std::string& help) {
  return add_number(app, "--pairs", pairs, 3, most, help);
}

}  // namespace kbench
