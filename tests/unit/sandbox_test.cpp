// Abilities of a sandboxed program, checked by executing one that tries.
#include "runner/sandbox/sandbox.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <regex>

#include "runner/os/pipe.hpp"
#include "runner/sandbox/bubblewrap.hpp"
#include "runner/sandbox/host.hpp"
#include "runner/sandbox/landlock.hpp"
#include "runner/sandbox/seccomp_filter.hpp"
#include "tests/fakes/sandbox_fixture.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench {
namespace {

using namespace std::chrono_literals;

class SandboxTest : public SandboxFixture {};
INSTANTIATE_TEST_SUITE_P(Modes, SandboxTest, ::testing::ValuesIn(sandbox_modes()), mode_name);

std::string field(const std::string& status, const std::string& name) {
  std::smatch match;
  const std::regex line("(^|\n)" + name + ":[ \t]*([^\n]*)");
  return std::regex_search(status, match, line) ? match[2].str() : "no field " + name;
}

TEST(SandboxLevel, NamesItsLayers) {
  EXPECT_EQ(SandboxLevel{}.to_string(), "none");
  const SandboxLevel all{.own_uid = true,
                         .bubblewrap = true,
                         .network_namespace = true,
                         .landlock = 7,
                         .system_call_filter = true,
                         .cgroup = "cgroup2",
                         .freezer = "freezer2",
                         .no_new_privs = true};
  EXPECT_EQ(all.to_string(), "uid+bwrap+netns+landlock7+seccomp+cgroup2+freezer2+nnp");
  EXPECT_EQ((SandboxLevel{.namespaces = true}).to_string(), "pidns");
}

TEST_P(SandboxTest, LevelFollowsUserAndOptions) {
  const SandboxOptions& options = GetParam().options;
  EXPECT_TRUE(level().no_new_privs);
  EXPECT_EQ(level().own_uid, ::geteuid() == 0);
  if (!options.use_bubblewrap) {
    EXPECT_FALSE(level().bubblewrap);
    EXPECT_NE(level().reason.find("bubblewrap"), std::string::npos) << level().reason;
  }
  if (!options.use_network_namespace) {
    EXPECT_FALSE(level().network_namespace);
  }
  if (::geteuid() != 0 && !options.use_user_namespace) {
    EXPECT_FALSE(level().pid_namespace() || level().network_namespace);
  }
  EXPECT_LE(level().landlock, std::min(landlock_abi(), options.max_landlock_abi));
  EXPECT_EQ(level().landlock > 0, landlock_abi() > 0 && options.max_landlock_abi > 0)
      << level().reason;
  EXPECT_EQ(level().system_call_filter, kernel_has_filters() && options.use_system_call_filter)
      << level().reason;
  EXPECT_FALSE(level().bubblewrap && level().namespaces);
}

TEST_P(SandboxTest, CudaNeverGetsAUserNamespace) {
  const SandboxLevel& with_cuda = sandbox_->level(true);
  if (::geteuid() != 0) {
    EXPECT_FALSE(with_cuda.pid_namespace());
    EXPECT_NE(with_cuda.reason.find("user namespace"), std::string::npos) << with_cuda.reason;
  }
  SandboxCommand command = guest({"exit", "7"});
  command.needs_cuda = true;
  EXPECT_EQ(code_of(command), 7);
}

// Says its user number to descriptor 3, then waits to be killed.
SandboxCommand waiting_program(const Pipe& pipe) {
  return {.argv = {"/bin/sh", "-c", "id -u >&3; exec sleep 1000"},
          .descriptors = {{pipe.write.get(), 3}}};
}

std::vector<std::string> lines_in(Pipe pipe) {
  pipe.write.reset();
  std::vector<std::string> lines;
  std::unique_ptr<FILE, int (*)(FILE*)> file(::fdopen(pipe.read.release(), "r"), &::fclose);
  std::array<char, 100> line{};
  while (std::fgets(line.data(), line.size(), file.get()) != nullptr)
    lines.emplace_back(line.data());
  return lines;
}

bool has_said_something(const Pipe& pipe) {
  pollfd waiting{pipe.read.get(), POLLIN, 0};
  constexpr int kMilliseconds = 1000 * static_cast<int>(test::kPatience.count());
  return ::poll(&waiting, 1, kMilliseconds) == 1;
}

TEST_P(SandboxTest, AProgramMayStartWhileItsLayersAreTried) {
  for (const bool known : {false, true}) {
    auto pipe = make_pipe();
    ASSERT_TRUE(pipe);
    auto process = sandbox_->start_early(waiting_program(*pipe));
    ASSERT_TRUE(process) << process.error().message;
    EXPECT_TRUE(has_said_something(*pipe)) << known;
    process->reset();
    const auto lines = lines_in(std::move(*pipe));
    ASSERT_EQ(lines.size(), 1u) << "it was started once";
    if (level().own_uid) {
      EXPECT_NE(lines.front(), "0\n");
    }
  }
}

// Without a GPU no layer passes the trial with CUDA.
TEST_P(SandboxTest, WhereLayersDoNotWorkAProgramStartsAgainWithoutThem) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  SandboxCommand command = waiting_program(*pipe);
  command.needs_cuda = true;
  auto process = sandbox_->start_early(command);
  ASSERT_TRUE(process) << process.error().message;
  const auto running = (*process)->processes();
  ASSERT_TRUE(running && !running->empty());
  std::ifstream file("/proc/" + std::to_string(running->front()) + "/status");
  const std::string status(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(field(status, "Uid").starts_with(std::to_string(::geteuid()) + "\t"),
            !sandbox_->level(true).own_uid)
      << status;
}

// Was: the folder stayed with the user of the first try, so a CUDA oracle without a GPU could make
// no folder of its own in it.
TEST_P(SandboxTest, AProgramThatStartsAgainMayWriteToItsFolder) {
  const test::TemporaryFolder folder;
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  SandboxCommand command{.argv = {"/bin/sh", "-c",
                                  "mkdir \"$1/$$\" 2>/dev/null && made=made || made=refused; "
                                  "echo \"$made $(id -u)\" >&3; exec sleep 1000",
                                  "sh", folder.path().string()},
                         .writable = {folder.path()},
                         .descriptors = {{pipe->write.get(), 3}}};
  command.needs_cuda = true;
  auto process = sandbox_->start_early(command);
  ASSERT_TRUE(process) << process.error().message;
  const auto running = (*process)->processes();
  ASSERT_TRUE(running && !running->empty());
  std::ifstream file("/proc/" + std::to_string(running->front()) + "/status");
  const std::string status(std::istreambuf_iterator<char>(file), {});
  const std::string users = field(status, "Uid");
  const std::string user = " " + users.substr(0, users.find('\t')) + "\n";
  std::string said;  // by both
  for (std::array<char, 100> text{}; said.find(user) == said.npos && has_said_something(*pipe);) {
    const auto size = ::read(pipe->read.get(), text.data(), text.size());
    ASSERT_GT(size, 0);
    said.append(text.data(), static_cast<std::size_t>(size));
  }
  EXPECT_NE(said.find("made" + user), said.npos) << said;
}

TEST_P(SandboxTest, HasNoPrivileges) {
  const auto output = run({.argv = {"/usr/bin/cat", "/proc/self/status"}});
  const std::string none(16, '0');
  EXPECT_EQ(field(output.out, "NoNewPrivs"), "1");
  EXPECT_EQ(field(output.out, "CapEff"), none);
  EXPECT_EQ(field(output.out, "CapPrm"), none);
  if (level().own_uid) {
    const auto users = field(output.out, "Uid");
    EXPECT_EQ(users, field(output.out, "Gid"));
    EXPECT_GE(std::stoul(users), kSandboxUid);
    EXPECT_NE(users, field(run({.argv = {"/usr/bin/cat", "/proc/self/status"}}).out, "Uid"));
    EXPECT_EQ(field(output.out, "Groups"), "") << output.out;
    EXPECT_EQ(field(output.out, "CapBnd"), none);
  }
}

TEST_P(SandboxTest, EnvironmentIsExactlyWhatWasGiven) {
  SandboxCommand command{.argv = {"/usr/bin/env"}};
  EXPECT_EQ(run(command).out, "");
  command.env = {{"A", "b c"}, {"LD_LIBRARY_PATH", "/nowhere"}};
  EXPECT_EQ(run(command).out, "A=b c\nLD_LIBRARY_PATH=/nowhere\n");
}

TEST_P(SandboxTest, StartsAProgramThatLiesInAClosedFolder) {
  SandboxCommand command = guest({"read", "/dev/null"});
  std::filesystem::permissions(scratch_.path(), std::filesystem::perms(0700));
  EXPECT_EQ(code_of(command), 0);
}

TEST_P(SandboxTest, CannotReadWhatItWasNotGiven) {
  test::TemporaryFolder secrets;
  const auto secret = secrets.path() / "kbench.sqlite";
  std::ofstream(secret) << "secret";
  if (level().own_uid) {
    EXPECT_EQ(code_of(guest({"read", "/root"})), 30);
    std::filesystem::permissions(secret, std::filesystem::perms(0600));
    EXPECT_EQ(code_of(guest({"read", secret.string()})), 30);
    std::filesystem::permissions(secret, std::filesystem::perms(0644));
  }
  if (!level().hides_files()) return;
  EXPECT_EQ(code_of(guest({"read", secret.string()})), 30);
  EXPECT_EQ(code_of(guest({"read", "/etc/passwd"})), 30);
  SandboxCommand allowed = guest({"read", secret.string()});
  allowed.readable = {secrets.path()};
  EXPECT_EQ(code_of(allowed), 0);
}

TEST_P(SandboxTest, WritesOnlyWhereItMay) {
  test::TemporaryFolder given;
  test::TemporaryFolder shown;
  SandboxCommand command = guest({"write", (given.path() / "file").string()});
  command.writable = {given.path()};
  EXPECT_EQ(code_of(command), 0);
  EXPECT_TRUE(std::filesystem::exists(given.path() / "file"));

  if (level().own_uid || level().hides_files()) {
    command = guest({"write", (shown.path() / "file").string()});
    command.readable = {shown.path()};
    EXPECT_EQ(code_of(command), 25);
    EXPECT_EQ(code_of(guest({"write", "/usr/file"})), 25);
    EXPECT_EQ(code_of(guest({"write", "/file"})), 25);
  }
  // bubblewrap gives a /tmp of its own; otherwise Landlock denies the one that all share.
  const bool denied = level().landlock > 0 && !level().bubblewrap;
  const std::string shared = "/tmp/" + shown.path().filename().string() + "-beside";
  EXPECT_EQ(code_of(guest({"write", shared})), denied ? 25 : 0);
  if (level().hides_files()) {
    EXPECT_FALSE(std::filesystem::exists(shared));
  }
  std::filesystem::remove(shared);
}

// A file's own rights may let everybody write to it.
TEST_P(SandboxTest, CutsOffNothingThatItMayOnlyRead) {
  constexpr int kKnowsTruncation = 3;  // Landlock, from this version on
  test::TemporaryFolder given;
  test::TemporaryFolder shown;
  for (const test::TemporaryFolder* folder : {&given, &shown})
    std::filesystem::permissions(folder->write("file", "text"), std::filesystem::perms(0666));
  SandboxCommand command = guest({"truncate", (given / "file").string()});
  command.writable = {given.path()};
  EXPECT_EQ(code_of(command), 0);
  EXPECT_EQ(std::filesystem::file_size(given / "file"), 0u);

  command = guest({"truncate", (shown / "file").string()});
  command.readable = {shown.path()};
  const bool denied = level().bubblewrap || level().landlock >= kKnowsTruncation;
  EXPECT_EQ(code_of(command), denied ? 31 : 0);
  EXPECT_EQ(std::filesystem::file_size(shown / "file"), denied ? 4u : 0u);
}

TEST_P(SandboxTest, ReachesNoNetwork) {
  const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener.get(), 8), 0);
  ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string port = std::to_string(ntohs(address.sin_port));
  const bool unreachable = level().network_namespace || level().landlock >= 4;
  EXPECT_EQ(code_of(guest({"connect", port})), level().system_call_filter ? 22
                                               : unreachable              ? 23
                                                                          : 0);
}

TEST_P(SandboxTest, SeesNoOtherProcesses) {
  if (!level().pid_namespace()) GTEST_SKIP() << "needs a PID namespace";
  const auto output = run({.argv = {"/bin/sh", "-c", "ls -d /proc/[0-9]* | wc -l"}});
  EXPECT_LE(std::stoi(output.out), 5);
}

TEST_P(SandboxTest, PassesExactlyTheGivenDescriptors) {
  const UniqueFd stray(::open("/dev/null", O_RDONLY));  // no close-on-exec
  const UniqueFd first(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  const UniqueFd second(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  SandboxCommand command = guest({"descriptors"});
  command.descriptors = {{first.get(), second.get()}, {second.get(), 9}};
  EXPECT_EQ(run(command).out, "0\n1\n2\n" + std::to_string(second.get()) + "\n9\n");
  EXPECT_EQ(run(guest({"descriptors"})).out, "0\n1\n2\n");
}

TEST_P(SandboxTest, LimitsFilesMemoryAndProcessorTime) {
  test::TemporaryFolder given;
  SandboxCommand command = guest({"fill", (given.path() / "file").string()});
  command.writable = {given.path()};
  command.max_file_bytes = 1 << 20;
  EXPECT_EQ(code_of(command), 0);
  EXPECT_EQ(std::filesystem::file_size(given.path() / "file"), 1u << 20);

  command = guest({"allocate", "2000000000"});
  EXPECT_EQ(code_of(command), 0);
  command.max_memory_bytes = 1'000'000'000;
  EXPECT_EQ(code_of(command), 28);

  command = guest({"spin"});
  command.max_cpu_seconds = 1;
  const auto output = run(command);
  EXPECT_FALSE(output.exit.exited);
  EXPECT_TRUE(output.exit.signal == SIGXCPU || output.exit.signal == SIGKILL) << output.exit.signal;
}

TEST_P(SandboxTest, StartRefusesWhatCannotWork) {
  EXPECT_FALSE(sandbox_->start({.argv = {}}).ok());
  EXPECT_FALSE(sandbox_->start({.argv = {"true"}}).ok());
  const auto missing = sandbox_->start({.argv = {"/usr/bin/kbench-has-no-such-program"}});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kInfrastructure);
  EXPECT_NE(missing.error().message.find("kbench-has-no-such-program"), std::string::npos);
  SandboxCommand command = guest({"exit", "0"});
  command.readable = {"/no/such/folder"};
  EXPECT_FALSE(sandbox_->start(command).ok());
}

TEST(Bubblewrap, OuterFoldersAreBoundBeforeInnerOnes) {
  const SandboxCommand command{
      .argv = {"/opt/x/program"}, .readable = {"/opt/x"}, .writable = {"/opt/x/out"}};
  const SandboxTools tools{.bwrap = "/usr/bin/bwrap", .enter = "/enter"};
  const auto arguments = bubblewrap_arguments(command, {.bubblewrap = true}, tools, 3,
                                              {.report_fd = 4, .argv = {"/opt/x/program"}});
  const auto position = [&](const std::string& word) {
    return std::find(arguments.begin(), arguments.end(), word) - arguments.begin();
  };
  EXPECT_LT(position("/opt/x"), position("/opt/x/out"));
  EXPECT_EQ(*(arguments.begin() + position("/opt/x/out") - 1), "--bind");
  EXPECT_EQ(*(arguments.begin() + position("/opt/x") - 1), "--ro-bind");
  EXPECT_EQ(arguments.back(), "/opt/x/program");
}

TEST(EnterArguments, ComeBackAsTheyWere) {
  const EnterPlan plan{.report_fd = 7,
                       .drop_to_nobody = true,
                       .user = 1'000'000'007,
                       .system_call_filter = true,
                       .only_own_signals = true,
                       .landlock_abi = 2,
                       .paths = {{"/usr", PathUse::kRead},
                                 {"/a b", PathUse::kWrite},
                                 {"/dev/null", PathUse::kDevice}},
                       .working_directory = "/work dir",
                       .env = {{"A", "b=c"}, {"EMPTY", ""}},
                       .argv = {"/bin/x", "--", "--nobody", ""}};
  const auto words = enter_arguments(plan);
  const auto back = parse_enter_arguments(words);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(enter_arguments(*back), words);
  EXPECT_EQ(back->argv, plan.argv);
  EXPECT_EQ(back->env, plan.env);
  EXPECT_EQ(back->landlock_abi, 2);
  EXPECT_FALSE(parse_enter_arguments({"--report", "x", "--", "/bin/x"}).ok());
  EXPECT_FALSE(parse_enter_arguments({"--surprise", "--", "/bin/x"}).ok());
  EXPECT_FALSE(parse_enter_arguments({"--user", "7", "--"}).ok());
}

TEST(Host, SeesItsOwnUserAmongThoseOfAllProcesses) {
  const auto users = users_of_processes();
  ASSERT_TRUE(users);
  EXPECT_TRUE(users->contains(::getuid()));
  EXPECT_FALSE(users->contains(1'999'999'999));
}

TEST(Host, CountsAtLeastOurOwnThreads) { EXPECT_GE(count_threads_of(::geteuid()), 1u); }

}  // namespace
}  // namespace kbench
