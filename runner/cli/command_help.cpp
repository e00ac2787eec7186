#include "runner/cli/command_help.hpp"

#include <array>

#include <fmt/format.h>

#include "reports/reporter.hpp"
#include "runner/reward/reward.hpp"
#include "runner/serve/tools.hpp"

namespace kbench {
namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 good, 1 a submission failed, 2 usage, 3 kbench's own or the machine's fault,\n"
    "            4 regression, 5 nothing selected, 130 interrupted.\n"
    "Results go to standard output, everything else to standard error.";

constexpr const char* kTopHelp =
    "Examples:\n"
    "  kbench run --level 3                    time and check everything on level 3\n"
    "  kbench run --task level1/019_relu --submissions my_kernels\n"
    "  kbench tasks header level1/019_relu     what a submission includes\n"
    "  kbench tasks prompt level1/019_relu     what to hand to whoever writes it\n"
    "  kbench workspace open level1/019_relu work\n"
    "                                          a folder for an agent; compile, verify, submit\n"
    "  kbench serve --db rewards.sqlite        rewards over HTTP, for agents and trainers\n"
    "  kbench import KernelBench --out suite   bring in other people's tasks\n"
    "  kbench report html --output report.html\n"
    "  kbench report --out run.csv --out junit=run.xml\n"
    "  kbench explain                          what the newest run's rows mean\n"
    "  kbench compare --fail-on slower:5%      the newest run against the one before it\n"
    "  kbench nightly --db nightly.sqlite      run, and look whether anything became slower\n"
    "  kbench doctor                           what is missing on this machine\n"
    "  kbench help                             the pages of the manual\n\n";

constexpr const char* kRunHelp =
    "Without --submissions, ./submissions is taken where it exists, else the shipped examples.\n"
    "Without --level and --task, the tasks that have a submission are run; --all-tasks adds the\n"
    "others. --level and --task run all that they select: a level's score counts all of its "
    "tasks.\n"
    "A submission is DIR/AGENT/levelN/NNN_name.cpp (CPU), .cu (CUDA), .py (class ModelNew),\n"
    "or a folder NNN_name/ with submission.json, or one as CUDA Agent leaves it (model_new.py,\n"
    "kernels/); NNN_name@variant is a further one for the same task. Others are read by --layout:\n"
    "kernelbench (runs/NAME/level_1_problem_19_sample_0_kernel.py), cuda-agent (a working folder,\n"
    "for one --task).\n"
    "With --reference, FILE is run for a KernelBench problem of your own, which is imported once,\n"
    "kept in the folder that the run names, and found there by the next run.\n"
    "One submission for one task is answered by a card (correct, time, speed-ups, share of the\n"
    "device's limit, or why there is no verdict), several by a table.\n"
    "With --checks-only submissions are judged as always and nothing is timed: rows without "
    "times,\n"
    "which count in no score, on no page and in no reward.\n"
    "Compiling waits for nobody. A check waits for a turn between two evaluations of the run that "
    "has\n"
    "the device, and a run that times for the end of that one; it says for whom, since when, how "
    "many\n"
    "wait before it, and when that will probably end.\n"
    "Ctrl-C finishes and saves the evaluation at hand, and so does --fail-fast after a failure;\n"
    "--resume continues.\n"
    "--last-failed starts a new run of what failed in an earlier one, with its options where none "
    "are\n"
    "given; files may have been edited since, and compare calls nothing gone that it leaves out.\n"
    "--tag selects tasks by their operators (`kbench names families`), --input-file by a list.\n"
    "With --seed each run draws the same inputs for a task, whatever else it runs and in "
    "whichever\n"
    "--order: to find out what a kernel got wrong. Such inputs can be known beforehand, so the "
    "rows\n"
    "carry the label known_inputs, rank nobody and are paid nothing.\n"
    "--dry-run prints the rows that the same command would measure, what it would skip and why, "
    "and\n"
    "how long the like took before: nothing is compiled, waited for or written.\n\n"
    "Examples:\n"
    "  kbench run my_relu.cpp --task level1/019_relu\n"
    "  kbench run v2.cpp --task level1/019_relu    and `kbench compare`: against the try before "
    "it\n"
    "  kbench run v1.cpp --reference ref.py        a problem of your own, as KernelBench has them\n"
    "  kbench run my_relu.py --task level1/019_relu --allow-torch all\n"
    "  kbench run --submissions runs/NAME --layout kernelbench --level 1 --out kernelbench=x.json\n"
    "  kbench run --submissions work --layout cuda-agent --task level1/019_relu\n"
    "  kbench run --level 1,2 --size small --device cpu\n"
    "  kbench run --task 'level2/*' --agent my_agent --format json > results.json\n"
    "  kbench run my_relu.cpp --task level1/019_relu --checks-only\n"
    "  kbench run --tag matmul --order longest\n"
    "  kbench run --input-file tasks.txt --seed 7\n"
    "  kbench run --level 1 --dry-run          what would run, and for how long\n"
    "  kbench run --last-failed                once more what failed in the newest run\n"
    "  kbench run --resume                     continue the newest run\n"
    "  kbench run --level 3 --html report.html --max-fail 5\n"
    "  kbench run --out junit=kbench.xml --out github=-\n\n"
    "`kbench report --help` lists the formats.\n\n";

constexpr const char* kTasksHelp =
    "Examples:\n"
    "  kbench tasks list --level 1\n"
    "  kbench tasks show level1/019_relu\n"
    "  kbench tasks prompt relu --device cuda\n\n";

constexpr const char* kTasksListHelp =
    "Examples:\n"
    "  kbench tasks list --level 1,2\n"
    "  kbench tasks list --tag scan            by their operators\n"
    "  kbench tasks list --json\n\n";

constexpr const char* kTasksShowHelp =
    "Examples:\n"
    "  kbench tasks show level1/019_relu\n"
    "  kbench tasks show relu --size small\n\n";

constexpr const char* kTasksHeaderHelp =
    "Examples:\n"
    "  kbench tasks header level1/019_relu\n"
    "  kbench tasks header level1/019_relu --size full --out include\n\n";

constexpr const char* kTasksPromptHelp =
    "Examples:\n"
    "  kbench tasks prompt level3/039_gru --device cuda\n"
    "  kbench tasks prompt level1/019_relu --size small > prompt.md\n\n";

constexpr const char* kLintHelp =
    "Each task is judged on submissions that are wrong on purpose: nothing written, zeros, a\n"
    "constant, the mean, an input, the previous output, float16, one element wrong, one operator\n"
    "or one parameter left out. The same verifier must reject them all. A task keeps a flaw only\n"
    "by naming it: LINT_ACCEPTS = {\"identity\": \"why\"} in its .py.\n"
    "A parameter without effect is named, too; -v shows all notes.\n\n"
    "Examples:\n"
    "  kbench tasks lint --level 1 --size small --device cpu\n"
    "  kbench tasks lint --task 'level2/08*' --format json\n\n";

constexpr const char* kImportHelp =
    "Any file with class Model, get_inputs() and get_init_inputs() becomes a task at its own "
    "size;\n"
    "`kbench run --suite DIR` evaluates it. Folders levelN/ and numbers of files are kept. Tables\n"
    "(.jsonl, .parquet) have the file's text in a column code. Files are executed in a sandbox, "
    "for\n"
    "at most --timeout seconds of processor time, and four times that and 15 s by the clock. Exit "
    "code\n"
    "1 where a file failed, 3 where only the machine is to blame. Importing again replaces what\n"
    "changed.\n\n"
    "Examples:\n"
    "  kbench import KernelBench/KernelBench --out kernelbench\n"
    "  kbench import my_module.py --out mine --mode eval\n"
    "  kbench run --suite mine --baselines-only\n\n";

constexpr const char* kSynthHelp =
    "Candidates are composed by a typed grammar of operators, at a size at which eager takes 1 to\n"
    "100 ms on the device, or come from files (--from: what import reads). One is kept if it can "
    "be\n"
    "lowered, draws no random numbers, does not have the operators of a held-out task, eager "
    "runs,\n"
    "its time is in the band, no candidate before it has its graph, two runs are equal, wrong\n"
    "submissions are rejected (as by tasks lint), and its compiled package can be built and "
    "agrees.\n"
    "Operators are read from the lowered graph. What becomes of each is a line of synthesis.jsonl "
    "in\n"
    "--out, by which --resume repeats none that is done; manifest.json describes those kept, and\n"
    "names the held-out task that one is like. Exit code 5 where none is kept.\n\n"
    "Examples:\n"
    "  kbench synth --count 100 --seed 7 --out composed\n"
    "  kbench synth --count 300 --seed 7 --out composed --resume\n"
    "  kbench synth --from CUDA-Agent-Ops-6K.parquet --mode eval --out ops\n"
    "  kbench run --suite composed --baselines-only\n\n";

constexpr const char* kReportHelp =
    "Reads stored results only: no GPU, no LibTorch, nothing is measured.\n\n"
    "Examples:\n"
    "  kbench report html --output report.html\n"
    "  kbench report json --run 3f9a --db nightly.sqlite > run.json\n"
    "  kbench report md                        paste it into a pull request\n"
    "  kbench report jsonl --reward log        what each row is worth to whoever trains on it\n"
    "  kbench report table1 --run a --run b    as CUDA Agent's paper has it, of two runs\n"
    "  kbench report html --run a --run b -o both.html     two runs on a page, a tab each\n"
    "  kbench report html --title Mine --about about.md -o index.html    to be published\n"
    "  kbench report html --site results       for very large runs\n"
    "  kbench report --out run.csv --out junit=run.xml --out github=-\n\n";

constexpr const char* kSourcesHelp =
    "Writes the files that a row was compiled from, as a folder that --submissions takes; of a run "
    "of\n"
    "one file (kbench run FILE --task T) that file alone, for the same command. The last line is "
    "the\n"
    "command that takes them. Nothing that is there is written over.\n"
    "RUN is the start of an id, a tag, latest or latest~N.\n\n"
    "Examples:\n"
    "  kbench sources latest --task level1/019_relu --agent me --out relu\n"
    "  kbench sources 3f9a --db nightly.sqlite --task level1/019_relu --agent me --variant v2 "
    "--out v2"
    "\n\n";

constexpr const char* kReproduceHelp =
    "Takes the sources and options of a stored row, evaluates it again on this machine, stores\n"
    "that in --into, and says whether it is the same evaluation: of the same task, sources,\n"
    "compiler, device and kbench. Without --agent it is the row of a task nobody submitted for.\n\n"
    "Examples:\n"
    "  kbench reproduce latest --task level1/019_relu --agent me\n"
    "  kbench reproduce 3f9a --db /data/nightly.sqlite --task level1/019_relu --agent me\n\n";

constexpr const char* kRunsHelp =
    "Newest first. Wherever a command takes a run it may be named by the start of its id, by a "
    "tag\n"
    "(`kbench tag`), as latest, or as latest~2: two before it.\n\n"
    "Examples:\n"
    "  kbench runs --device h200\n"
    "  kbench runs --db nightly.sqlite --json\n\n";

constexpr const char* kExplainHelp =
    "For each row: whether it is correct and how that was checked, what a call takes, why its\n"
    "speed-up has its verdict or none, why it counts in no score, and what to do next. Reads "
    "stored\n"
    "rows only; without RUN, those of the newest run.\n\n"
    "Examples:\n"
    "  kbench explain\n"
    "  kbench explain release-1.2 --task relu --agent me\n"
    "  kbench explain --json\n\n";

constexpr const char* kNamesHelp =
    "What the scripts of `kbench completions` ask for. Names that are not plain words (letters,\n"
    "digits, _ . / @ + - ~) are left out, since a shell would expand them.\n\n"
    "Examples:\n"
    "  kbench names tasks --suite mine\n"
    "  kbench names runs --db nightly.sqlite\n\n";

constexpr const char* kTagHelp =
    "A tag is one to 64 letters, digits, dots, dashes or underscores; nothing that reads as the\n"
    "start of an id. It names one run, which it leaves as it is.\n\n"
    "Examples:\n"
    "  kbench tag latest release-1.2\n"
    "  kbench compare release-1.2 latest\n"
    "  kbench tag --remove release-1.2\n\n";

constexpr const char* kCompareHelp =
    "Each submission is judged by the ratio of its two speed-ups over the same baseline, so that "
    "a\n"
    "slower machine cancels. FASTER, SLOWER: no change at all would show like this in fewer than\n"
    "one of 20 comparisons, all rows together (Holm). SAME: the whole interval lies within 3 % "
    "(CPU)\n"
    "or 1 % (CUDA) of no change. UNDECIDED: neither. NEW, GONE: a row in one run only, and the\n"
    "other was asked for it (what it was not asked for is left out). NOW FAILS, NOW PASSES:\n"
    "correct in one run only. What changed around the kernels comes first. Other\n"
    "devices, sizes, precision classes, profiles, protocols, and quick against full are "
    "refused,\n"
    "and so is another --allow-torch where both have Python submissions.\n\n"
    "Without runs, the newest is compared with the one before it on the same device, a single "
    "file\n"
    "with its last try. latest~N for BEFORE counts that device's runs.\n\n"
    "--fail-on slower:5%  exit code 4 if a row is SLOWER and takes more than 5 % longer\n"
    "--fail-on fails      exit code 4 if a row NOW FAILS or is GONE\n\n"
    "--remeasure measures what is correct in both runs, and of which both sources are to be had,\n"
    "once more: in pairs of the two sources, one right after the other, in turns. Then these "
    "count.\n"
    "Sources are taken from --submissions-before/-after, else from where the run took them, else\n"
    "from the git commit that it noted; only the very bytes that were measured then will do.\n\n"
    "Examples:\n"
    "  kbench compare\n"
    "  kbench compare --remeasure --pairs 5\n"
    "  kbench compare release-1.2 latest --baseline compiled\n"
    "  kbench compare --db nightly.sqlite --fail-on slower:5%,fails\n\n";

constexpr const char* kHistoryHelp =
    "A line for each run of the device, oldest first, with the agent's best variant; another "
    "size,\n"
    "precision class, profile, timing or, of Python, --allow-torch is left out and counted. A "
    "change\n"
    "is dated to the run that brought it: the series is cut where the means before and after "
    "differ\n"
    "most, if that holds at 95 %, corrected for the number of places (Holm), and then each part "
    "in\n"
    "the same way.\n\n"
    "Examples:\n"
    "  kbench history level1/019_relu\n"
    "  kbench history gru --agent me --db nightly.sqlite --json\n\n";

constexpr const char* kNightlyHelp =
    "Runs what is submitted or selected, and compares each submission with the median of its last "
    "five good "
    "runs\n"
    "on this device (good: finished, no fault of kbench or the machine, measured alike, not "
    "changed\n"
    "since). What takes longer by more than --flag is measured again, in three to nine pairs of\n"
    "tonight's source and the last good one, in turns, until it is confirmed or cleared. Where "
    "the\n"
    "source is the same, or the old one is not to be had, tonight's alone is measured again. What\n"
    "was correct and fails now is tried once more, too.\n\n"
    "Exit code 4: a regression was confirmed. 0: none, whatever else failed. 3: kbench's own or "
    "the\n"
    "machine's fault. Reports (--out) are written in any case; repeated measurements are kept in\n"
    "NAME-remeasured.sqlite beside the database.\n\n"
    "Examples:\n"
    "  kbench nightly --config kbench.toml --preset h200\n"
    "  kbench nightly --submissions kernels --db nightly.sqlite --out html=report.html\n"
    "  kbench nightly --flag 3 --out junit=kbench.xml --out github=-\n\n";

constexpr const char* kWorkspaceHelp =
    "A folder in which an agent solves one task, and its requests. The answer is what lies in\n"
    "DIR/kernels, .cu or .cpp files: each request copies it once (no links, at most 64 files, 1 "
    "MiB)\n"
    "and judges the copy. It prints one line of JSON, at most 16 KiB: state, message, hint, the "
    "copy's\n"
    "hash as tree. No judge lies in the folder; only a submission is stored and rewarded.\n\n"
    "Examples:\n"
    "  kbench workspace open level1/019_relu work\n"
    "  kbench workspace compile work           messages; registers and spills on CUDA\n"
    "  kbench workspace verify work            on fresh inputs, without timing\n"
    "  kbench workspace submit work --agent me --db results.sqlite\n\n";

constexpr const char* kServeHelp =
    "Judges submissions that come over HTTP, as `kbench run` does, and answers with their rows "
    "and\n"
    "rewards. What was measured before is answered from the database. Prints its address, then\n"
    "serves until Ctrl-C or SIGTERM: what is measured is finished, what waits goes on with the "
    "next\n"
    "server, after a kill too. Clients send a token of --tokens, a file (mode 0600) with lines\n"
    "NAME SCOPES TOKEN; scopes are read, evaluate, workspace, a token is 64 hex digits. Only "
    "loopback\n"
    "addresses are listened on; for others, let a proxy that speaks TLS stand before it.\n\n"
    "Requests: POST /v1/evaluations {task, files, size?, reward?, wait_s?}, GET "
    "/v1/evaluations/ID,\n"
    "POST /v1/batch, GET /v1/events; trainers' own: /get_reward (OpenRLHF), /evaluate "
    "(KernelGYM),\n"
    "/reset, /step, /ws (OpenEnv); agents' tools: /mcp. All of them: GET /openapi.json.\n\n"
    "Examples:\n"
    "  kbench serve\n"
    "  kbench serve --port 0 --device cpu --db rewards.sqlite\n"
    "  kbench serve --tokens tokens.txt --host judge.example.org\n\n";

constexpr const char* kMcpHelp =
    "For an agent that starts its tools itself: speaks the Model Context Protocol (2026-07-28,\n"
    "2025-11-25, 2025-06-18) on standard input and output. Workspaces lie in the state folder; "
    "what is\n"
    "submitted is a row of the database, as with `kbench serve`, which offers the same at POST "
    "/mcp.\n\n"
    "Examples:\n"
    "  kbench mcp --db results.sqlite\n"
    "  kbench mcp --print openai               the same tools as functions of chat completions\n\n";

constexpr const char* kAgentRunHelp =
    "Measures the baselines of the tasks, then lets the model solve each: by tools (react: read, "
    "write,\n"
    "edit, glob, grep, compile, verify, submit), or with a kernel in each reply (refine). Every "
    "turn "
    "is\n"
    "stored before its tools run, every answer before the next request; --resume goes on with what "
    "is\n"
    "open, and says and judges nothing twice. The endpoint is asked at POST .../chat/completions, "
    "six\n"
    "times where it answers with 408, 429 or 5xx. Above three quarters of --window old results "
    "shrink "
    "to\n"
    "a line; the tool recall returns them. The program that speaks with it has no files and no "
    "network\n"
    "but the connections that it is given. Only plain HTTP: let a proxy speak TLS.\n\n"
    "Examples:\n"
    "  kbench agent run --endpoint http://127.0.0.1:8000/v1 --model qwen3 --task level1/019_relu\n"
    "  kbench agent run --endpoint http://127.0.0.1:8000/v1 --model qwen3 --level 1 --episodes 8 "
    "--turns "
    "40\n"
    "  kbench agent run --endpoint http://127.0.0.1:8000/v1 --resume latest\n\n";

constexpr const char* kAttributeHelp =
    "A cell is one line of JSON: a state that an agent was in, tried once under a coalition of\n"
    "feedback components; data/schema/cell.schema.json describes it. Printed are each component's\n"
    "effect with its 95 % interval and a word (keep, harms, no use, cannot tell), interactions,\n"
    "strata, generations, arms, controls; and which lines were left out, and why. --html writes\n"
    "the same as one page that needs no script and loads nothing. No model, no judge and no GPU\n"
    "is asked.\n\n"
    "Examples:\n"
    "  kbench attribute analyze cells.jsonl\n"
    "  kbench attribute analyze cells.jsonl --outcome fast:1 --by model\n"
    "  kbench attribute analyze cells.jsonl --html page.html\n"
    "  kbench attribute analyze cells.jsonl --json\n\n";

constexpr const char* kTrajectoryHelp =
    "A state is a task, a size, a device, a kernel and what is asked next, with the judge's words "
    "on\n"
    "that kernel cut out, so that a study can put feedback there. A node is a state that a "
    "trajectory\n"
    "reached. freeze takes those of stored episodes: a state for each kernel that was judged. "
    "import\n"
    "takes those of OpenEvolve 0.4.1 (name the output folder: it needs checkpoints and the trace) "
    "or of\n"
    "lines of JSON, which data/schema/node.schema.json describes. A state is there once, whoever "
    "reached\n"
    "it; one whose prompt tells what a report would is a leak, and is left out of studies. What "
    "is\n"
    "frozen or imported is held by a run of its own, and goes with the last run that holds it.\n\n"
    "Examples:\n"
    "  kbench trajectory freeze --run latest\n"
    "  kbench trajectory import openevolve openevolve_output --task level1/019_relu\n"
    "  kbench trajectory import jsonl nodes.jsonl --task level1/019_relu --device cpu\n"
    "  kbench trajectory list\n"
    "  kbench trajectory show 1f3a\n\n";

constexpr const char* kEpisodesHelp =
    "An episode is one agent's work on one task, turn by turn: what it said, which tools it "
    "called,\n"
    "what they answered, and the row that its submission became. list tells them newest first; "
    "show\n"
    "takes the start of an id, and prints the first lines of each text, or a turn (--turn) in "
    "full.\n\n"
    "Examples:\n"
    "  kbench episodes list --run latest\n"
    "  kbench episodes show 3f9a --turn 4\n"
    "  kbench episodes show 3f9a --json\n\n";

constexpr const char* kExportHelp =
    "Writes each episode as one line of JSON: messages, tools, task, reward, meta; the oldest "
    "first.\n\n"
    "  sft  demonstrations; by the filter cuda-agent\n"
    "  rft  rejection fine-tuning; by the filter strict\n"
    "  ppo  with a value target for each turn; by the filter all. With --values it is V + A by\n"
    "       generalised advantage estimation (discount 1, lambda 0.95), else the return\n\n"
    "  strict      reward of 1 or more, no invalid call, no call thrice on one tree, no cycle of\n"
    "              trees three times round, ended by submit, no label that needs a look\n"
    "  cuda-agent  reward above 0, no such repetition, no tool that was not offered, no arguments\n"
    "              that it does not take\n"
    "  all         whatever has ended and is worth something\n\n"
    "Tasks of --held-out are left out by each. How many were, and why, is told on standard "
    "error.\n\n"
    "Examples:\n"
    "  kbench export rft --held-out held_out.txt -o rft.jsonl\n"
    "  kbench export ppo --values values.jsonl --reward log > ppo.jsonl\n\n";

constexpr const char* kConfigHelp =
    "Shows each option of a command, its value, and who says so: the command line, else KBENCH_…\n"
    "(KBENCH_RUN_DEVICE, KBENCH_DB), else kbench.toml of the working directory or of --config,\n"
    "else your own $XDG_CONFIG_HOME/kbench/kbench.toml (~/.config/kbench/kbench.toml), else the\n"
    "default. A value that the command would refuse is an error here, too: exit code 2.\n"
    "So is an empty one. A KBENCH_… variable that sets nothing is named in a warning, as by every\n"
    "command.\n\n"
    "Examples:\n"
    "  kbench config run\n"
    "  kbench config --preset h200 nightly\n"
    "  kbench config --json run\n\n";

constexpr const char* kDbHelp =
    "check says what is wrong with a database, a line for each run: pages, schema, values that no "
    "row\n"
    "can have, rows that are missing, chains that were changed. Exit code 1 where anything is.\n"
    "backup copies it while runs write into it. prune removes whole runs, never a part of one; "
    "what\n"
    "they leave is free for new ones, and vacuum gives it back to the disk. salvage takes the runs "
    "of\n"
    "which every row is there out of a damaged file. merge adds the runs of other databases, as "
    "they\n"
    "are; one whose id is there with another content is refused. Exit code 1 where any was, or was "
    "lost.\n\n"
    "Examples:\n"
    "  kbench db check --db nightly.sqlite\n"
    "  kbench db backup /backups/kbench-monday.sqlite\n"
    "  kbench db prune --keep 90d --keep-good --dry-run\n"
    "  kbench db vacuum\n"
    "  kbench db salvage damaged.sqlite saved.sqlite\n"
    "  kbench db merge all.sqlite shard-1.sqlite shard-2.sqlite\n\n";

constexpr const char* kDoctorHelp =
    "Each line is PASS, CAUTION (works, with a limit), SKIPPED (not applicable here) or FAIL "
    "(kbench\n"
    "cannot run), with the remedy. Exit code 3 when something FAILs.\n\n"
    "Examples:\n"
    "  kbench doctor\n"
    "  kbench doctor --json\n\n";

constexpr const char* kSelftestHelp =
    "Examples:\n"
    "  kbench selftest sandbox\n"
    "  kbench selftest timing --device cpu\n\n";

constexpr const char* kSandboxHelp =
    "Each line says blocked, open or not applicable, and why. Nothing is harmed where an escape "
    "works:\nbombs are small, and victims are the selftest's own. Exit code 3 when something is "
    "open.\n\n"
    "Examples:\n"
    "  kbench selftest sandbox\n"
    "  kbench selftest sandbox --device cuda --without bubblewrap\n\n";

constexpr const char* kCalibrateHelp =
    "Once for each device; do it again after a new driver or a new kbench. Both halves are kept "
    "in\n"
    "the device's one calibration file, each with its date.\n\n"
    "limits   what the device can do at most: bandwidth, products of matrices by precision class,\n"
    "         on a CPU multiply-adds by vector width, on a GPU the cost of a launch. The share of\n"
    "         the limit in rows and on the page is by these. Beside them stands what the maker's\n"
    "         data sheet says; below 70 % or above 105 % of it is a caution, and so are rounds "
    "that\n"
    "         differ by more than 15 %, since other programs ran beside them.\n"
    "timing   what `kbench selftest timing` measures: without it no row gets a verdict.\n\n"
    "Examples:\n"
    "  kbench calibrate\n"
    "  kbench calibrate --only limits --device cpu --json\n\n";

constexpr const char* kTimingHelp =
    "Submits kernels whose differences are known (none, 2 %, 5 %, twice, 4 ms), says what the "
    "clock\n"
    "made of them, and measures by how much equal runs of this device differ. That is its\n"
    "calibration: without one no row gets a verdict, because nobody knows whether the next run\n"
    "would say the same. Takes three minutes on a GPU, some ten on a CPU; do it again after a new\n"
    "driver or a new kbench.\n\n"
    "Examples:\n"
    "  kbench selftest timing\n"
    "  kbench selftest timing --device cuda:1 --rounds 8\n\n";

constexpr const char* kCompletionsHelp =
    "Prints a script that completes commands, options and their values: tasks of the suite, runs,\n"
    "tags and agents of the database (`kbench names`), of those that the line names or of the\n"
    "usual ones.\n\n"
    "Bash: source <(kbench completions bash), in ~/.bashrc. zsh and fish: into a file that they "
    "load.\n\n"
    "Examples:\n"
    "  kbench completions zsh > ~/.zfunc/_kbench\n"
    "  kbench completions fish > ~/.config/fish/completions/kbench.fish\n\n";

constexpr const char* kPagesHelp =
    "Prints a page as it is, in Markdown. The name of a command in place of TOPIC prints that\n"
    "command's --help, unless it is a page's name as well.\n\n"
    "Examples:\n"
    "  kbench help\n"
    "  kbench help trust\n"
    "  kbench help tasks list\n\n";

constexpr const char* kManHelp =
    "Examples:\n"
    "  kbench man > kbench.1\n\n";

struct CommandHelp {
  std::string_view command;
  const char* text;
};

constexpr std::array kHelps = {
    CommandHelp{"", kTopHelp},
    CommandHelp{"help", kPagesHelp},
    CommandHelp{"run", kRunHelp},
    CommandHelp{"tasks", kTasksHelp},
    CommandHelp{"tasks list", kTasksListHelp},
    CommandHelp{"tasks show", kTasksShowHelp},
    CommandHelp{"tasks header", kTasksHeaderHelp},
    CommandHelp{"tasks lint", kLintHelp},
    CommandHelp{"tasks prompt", kTasksPromptHelp},
    CommandHelp{"import", kImportHelp},
    CommandHelp{"synth", kSynthHelp},
    CommandHelp{"report", kReportHelp},
    CommandHelp{"sources", kSourcesHelp},
    CommandHelp{"reproduce", kReproduceHelp},
    CommandHelp{"explain", kExplainHelp},
    CommandHelp{"names", kNamesHelp},
    CommandHelp{"runs", kRunsHelp},
    CommandHelp{"tag", kTagHelp},
    CommandHelp{"compare", kCompareHelp},
    CommandHelp{"history", kHistoryHelp},
    CommandHelp{"nightly", kNightlyHelp},
    CommandHelp{"workspace", kWorkspaceHelp},
    CommandHelp{"serve", kServeHelp},
    CommandHelp{"mcp", kMcpHelp},
    CommandHelp{"agent run", kAgentRunHelp},
    CommandHelp{"attribute analyze", kAttributeHelp},
    CommandHelp{"trajectory", kTrajectoryHelp},
    CommandHelp{"episodes", kEpisodesHelp},
    CommandHelp{"export", kExportHelp},
    CommandHelp{"config", kConfigHelp},
    CommandHelp{"db", kDbHelp},
    CommandHelp{"doctor", kDoctorHelp},
    CommandHelp{"calibrate", kCalibrateHelp},
    CommandHelp{"selftest", kSelftestHelp},
    CommandHelp{"selftest sandbox", kSandboxHelp},
    CommandHelp{"selftest timing", kTimingHelp},
    CommandHelp{"completions", kCompletionsHelp},
    CommandHelp{"man", kManHelp},
};

// E and C are what a kernel's speed-ups over both baselines are called there.
std::string rewards_help() {
  std::string text =
      "Rewards of correct and of failed rows; E and C are the speed-ups over eager and compiled:\n";
  for (const RewardKind& kind : reward_kinds())
    text += fmt::format("  {:17}  {:54}  {}\n", kind.name, kind.correct, kind.fails);
  return text + "\n";
}

// The table of formats, from the reporters themselves.
std::string formats_help() {
  std::string text = "Formats:\n";
  for (const Reporter& one : reporters())
    text += fmt::format("  {:16}  {:7} {}\n", one.name, one.suffix, one.help);
  return text + "\n";
}

}  // namespace

std::string exit_codes() { return kExitCodes; }

std::string help_of(std::string_view command) {
  std::string text = command == "report" ? formats_help() + rewards_help() : "";
  if (command == "mcp") text = "Tools, with their arguments:\n" + tools_help() + "\n";
  for (const CommandHelp& help : kHelps)
    if (help.command == command) text += help.text;
  return text + kExitCodes;
}

}  // namespace kbench
