#include "runner/measure/players/zygote_pool.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/channel.hpp"
#include "runner/os/files.hpp"
#include "runner/os/pipe.hpp"
#include "tests/fakes/await.hpp"
#include "tests/unit/paths.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;

constexpr const char* kPython = "/usr/bin/python3";

// A session, and the test's end of its channel.
struct Playing {
  ZygotePool::Session session;
  Channel channel;

  // The value that the Python calls `result`.
  Json run(const std::string& python) {
    if (auto sent = channel.send({{"run", python}}); !sent) return sent.error().message;
    const auto answer = channel.receive(test::kPatience);
    return answer ? answer->body.value("result", Json()) : Json(answer.error().message);
  }
  [[nodiscard]] std::vector<std::string> list(const std::string& folder) {
    return run(fmt::format("result = sorted(os.listdir('{}'))", folder))
        .get<std::vector<std::string>>();
  }
};

// With fork servers that import no torch (tests/fakes/fake_zygote.py), in the real sandbox.
class ZygotePoolTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::access(kPython, X_OK) != 0) GTEST_SKIP() << "there is no " << kPython;
    auto scratch = ScratchFolder::make("zygote-pool-test");
    ASSERT_TRUE(scratch.ok()) << scratch.error().message;
    scratch_ = std::move(*scratch);
    fs::permissions(scratch_.path(), fs::perms{0755});
    // The programs lie where the sandbox's user can reach them, whatever the checkout lies in.
    fs::create_directory(programs());
    for (const char* file : {kbench::test::kFakeZygote, kbench::test::kPlayerCleaning})
      fs::copy_file(file, programs() / fs::path(file).filename());
  }
  [[nodiscard]] fs::path programs() const { return scratch_.path() / "programs"; }

  // Where nobody knows what a session may write to, each submission has a fork server of its own.
  [[nodiscard]] bool shares() const { return can_be_shared(sandbox_->level(false)); }

  // A folder of a submission with one file in it.
  fs::path submission(const std::string& name) {
    const fs::path folder = scratch_.path() / name;
    fs::create_directory(folder);
    const auto written = write_new_file(folder / (name + ".py"), "pass\n");
    EXPECT_TRUE(written.ok());
    return folder;
  }

  [[nodiscard]] ZygoteCommand starts_the_fake() const {
    return [programs = programs()](const fs::path& stage) {
      SandboxCommand command;
      command.argv = {kPython, "-B", (programs / "fake_zygote.py").string()};
      command.env = {{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C.UTF-8"}};
      command.readable = {programs, stage};
      return command;
    };
  }

  std::unique_ptr<Playing> play(const std::string& agent, const fs::path& folder) {
    auto ends = Channel::make_pair();
    auto pipe = make_pipe();
    if (!ends || !pipe) return nullptr;
    auto session = pool_->fork({.agent = agent, .folder = folder, .command = starts_the_fake()},
                               ends->second.get(), pipe->write.get());
    if (!session) {
      ADD_FAILURE() << session.error().message;
      return nullptr;
    }
    return std::make_unique<Playing>(Playing{std::move(*session), Channel(std::move(ends->first))});
  }

  // Plays one submission after the other; the last one goes on.
  std::unique_ptr<Playing> play_all(const std::vector<std::pair<std::string, std::string>>& all) {
    std::unique_ptr<Playing> playing;
    for (const auto& [agent, name] : all) {
      playing.reset();
      const bool is_new = made_.insert(name).second;
      playing = play(agent, is_new ? submission(name) : scratch_.path() / name);
      if (!playing) return nullptr;
    }
    return playing;
  }

  ScratchFolder scratch_;
  std::set<std::string> made_;
  std::unique_ptr<Sandbox> sandbox_ = make_sandbox();
  std::unique_ptr<ZygotePool> pool_ = std::make_unique<ZygotePool>(*sandbox_);
};

TEST_F(ZygotePoolTest, SubmissionsOfOneAgentStartTorchOnce) {
  if (!shares()) GTEST_SKIP() << "not shared in " << sandbox_->level(false).to_string();
  ASSERT_TRUE(play_all({{"me", "one"}, {"me", "two"}, {"me", "three"}}));
  EXPECT_THAT(pool_->take_starts(), ElementsAre("me"));
  EXPECT_THAT(pool_->take_starts(), testing::IsEmpty()) << "each is told of once";
}

TEST_F(ZygotePoolTest, TwoAgentsShareNone) {
  if (!shares()) GTEST_SKIP() << "not shared in " << sandbox_->level(false).to_string();
  ASSERT_TRUE(play_all({{"me", "one"}, {"you", "two"}, {"me", "three"}, {"you", "four"}}));
  EXPECT_THAT(pool_->take_starts(), ElementsAre("me", "you"));
}

TEST_F(ZygotePoolTest, OfManyAgentsThoseThatWereAskedForLastAreKept) {
  pool_ = std::make_unique<ZygotePool>(*sandbox_, 1);
  ASSERT_TRUE(play_all({{"me", "one"}, {"you", "two"}, {"me", "three"}}));
  EXPECT_THAT(pool_->take_starts(), ElementsAre("me", "you", "me"));
}

TEST_F(ZygotePoolTest, OneThatWasStartedEarlyIsTaken) {
  pool_->start_early("me", starts_the_fake());
  ASSERT_TRUE(play_all({{"me", "one"}}));
  EXPECT_THAT(pool_->take_starts(), ElementsAre("me"));
}

TEST_F(ZygotePoolTest, WhereNothingIsSharedEachSubmissionStartsItsOwn) {
  sandbox_ = make_sandbox({.use_bubblewrap = false, .max_landlock_abi = 0});
  pool_ = std::make_unique<ZygotePool>(*sandbox_);
  ASSERT_FALSE(shares());
  ASSERT_TRUE(play_all({{"me", "one"}, {"me", "two"}, {"me", "two"}}));
  EXPECT_THAT(pool_->take_starts(), ElementsAre("me", "me")) << "but not each session";
}

TEST(SharedSandbox, IsOneWhoseWritablePlacesAreKnown) {
  EXPECT_TRUE(can_be_shared({.bubblewrap = true, .landlock = 2}));
  EXPECT_TRUE(can_be_shared({.own_uid = true, .bubblewrap = true}));
  EXPECT_TRUE(can_be_shared({.landlock = 1})) << "nothing can be written to";
  EXPECT_FALSE(can_be_shared({.bubblewrap = true})) << "/dev is its own user's";
  EXPECT_FALSE(can_be_shared({.own_uid = true, .namespaces = true}));
  EXPECT_FALSE(can_be_shared({}));
}

TEST_F(ZygotePoolTest, ASubmissionSeesItsOwnFilesAlone) {
  auto first = play_all({{"me", "one"}});
  ASSERT_TRUE(first);
  EXPECT_THAT(first->list(first->session.folder), ElementsAre("one.py"));
  first.reset();
  auto second = play_all({{"me", "two"}});
  ASSERT_TRUE(second);
  EXPECT_THAT(second->list(second->session.folder), ElementsAre("two.py"));
  EXPECT_THAT(second->list(second->session.folder.parent_path()), testing::SizeIs(1));
  EXPECT_TRUE(fs::exists(scratch_.path() / "one" / "one.py")) << "back where it was";
  second.reset();
  pool_->clear();
  EXPECT_TRUE(fs::exists(scratch_.path() / "two" / "two.py"));
}

TEST_F(ZygotePoolTest, SessionsOfOneSubmissionFollowOneAnother) {
  auto first = play_all({{"me", "one"}});
  ASSERT_TRUE(first);
  const Json pid = first->run("result = os.getpid()");
  first.reset();
  auto again = play_all({{"me", "one"}});
  ASSERT_TRUE(again);
  EXPECT_NE(again->run("result = os.getpid()"), pid);
  EXPECT_THAT(pool_->take_starts(), ElementsAre("me"));
}

TEST_F(ZygotePoolTest, AStoppedSessionEndsAndTheNextOneFollows) {
  for (const bool freezer : {true, false}) {
    pool_.reset();
    sandbox_ = make_sandbox({.use_freezer = freezer});
    pool_ = std::make_unique<ZygotePool>(*sandbox_);
    for (int session = 0; session < 5; ++session) {
      auto playing = play_all({{"me", "one"}});
      ASSERT_TRUE(playing);
      EXPECT_EQ(playing->run("result = 1"), 1);
      const auto stopped = playing->session.process->freeze();
      ASSERT_TRUE(stopped.ok()) << stopped.error().message;
      const auto processes = playing->session.process->processes();
      ASSERT_TRUE(processes.ok());
      EXPECT_THAT(*processes, testing::SizeIs(1)) << "and not those before it";
    }
    EXPECT_THAT(pool_->take_starts(), ElementsAre("me")) << sandbox_->level(false).to_string();
  }
}

// Sandboxes with everything, as in most containers, without Landlock, and with neither.
const std::vector<SandboxOptions> kLevels = {
    {},
    {.use_bubblewrap = false, .use_namespaces = false},
    {.use_bubblewrap = false},
    {.use_user_namespace = false},
    {.max_landlock_abi = 0},
    {.use_bubblewrap = false, .use_namespaces = false, .max_landlock_abi = 0}};

TEST_F(ZygotePoolTest, EachSessionHasAFolderOfItsOwnAtEveryLevel) {
  for (const SandboxOptions& options : kLevels) {
    pool_.reset();
    sandbox_ = make_sandbox(options);
    pool_ = std::make_unique<ZygotePool>(*sandbox_);
    SCOPED_TRACE(sandbox_->level(false).to_string());
    std::set<fs::path> folders;
    for (const auto& [agent, name] :
         {std::pair("me", "one"), {"me", "one"}, {"me", "two"}, {"you", "three"}}) {
      auto playing = play_all({{agent, name}});
      ASSERT_TRUE(playing);
      const fs::path folder = playing->session.writable;
      EXPECT_EQ(playing->run("result = folder"), folder.string());
      EXPECT_TRUE(folders.insert(folder).second) << "under a name that none had before";
      EXPECT_THAT(playing->list(folder), testing::IsEmpty());
      EXPECT_EQ(playing->run("open(folder + '/left', 'w').close(); result = 'left'"), "left");
      if (sandbox_->level(false).own_uid) {
        EXPECT_EQ(playing->run(R"(
result = 'refused'
for attempt in (os.listdir, lambda above: os.mkdir(above + '/mine'), lambda above: os.chmod(above, 0o777)):
    try:
        result = str(attempt(os.path.dirname(folder)))
    except PermissionError:
        pass)"),
                  "refused");
      }
      playing.reset();
      EXPECT_FALSE(fs::exists(folder)) << "it goes with its session";
      EXPECT_TRUE(fs::is_empty(folder.parent_path()));
    }
  }
}

TEST_F(ZygotePoolTest, WhateverASessionMadeInItsFolderGoesWithIt) {
  auto first = play_all({{"me", "one"}});
  ASSERT_TRUE(first);
  const fs::path folder = first->session.writable;
  EXPECT_EQ(first->run(R"(
path = folder + '/deep'
for i in range(300):
    os.mkdir(path)
    open(path + '/file', 'w').close()
    os.chdir(path)
    path = 'x' * 200
os.chdir('/')
os.mkdir(folder + '/closed')
open(folder + '/closed/file', 'w').close()
os.chmod(folder + '/closed', 0)
os.symlink('/usr', folder + '/link')
os.chmod(folder, 0)
result = 'left')"),
            "left");
  first.reset();
  EXPECT_FALSE(fs::exists(folder));
  ASSERT_TRUE(play_all({{"me", "one"}}));
  EXPECT_THAT(pool_->take_starts(), ElementsAre("me"));
}

TEST_F(ZygotePoolTest, WhatASubmissionLeavesElsewhereMeansANewOne) {
  const SandboxLevel& level = sandbox_->level(false);
  if (!shares() || !level.bubblewrap) GTEST_SKIP() << "nothing to leave in " << level.to_string();
  for (const std::string left : {"open('/tmp/left', 'w').close()", "os.mkdir('/dev/shm/left')"}) {
    auto first = play_all({{"me", "one"}});
    ASSERT_TRUE(first);
    // The fake does not lock itself, so it may.
    EXPECT_EQ(first->run(left + "; result = 'left'"), "left");
    first.reset();
    auto second = play_all({{"me", "two"}});
    ASSERT_TRUE(second);
    for (const char* folder : {"/tmp", "/dev/shm"})
      EXPECT_THAT(second->list(folder), testing::Not(testing::Contains("left")));
    EXPECT_THAT(pool_->take_starts(), testing::SizeIs(2));
    pool_->clear();
  }
}

TEST_F(ZygotePoolTest, AChangedPriorityMeansANewOne) {
  const int own = getpriority(PRIO_PROCESS, 0);  // not 0 below nice
  auto first = play_all({{"me", "one"}});
  ASSERT_TRUE(first);
  (void)first->run(fmt::format("os.setpriority(os.PRIO_PROCESS, os.getppid(), {})", own + 7));
  first.reset();
  auto second = play_all({{"me", "two"}});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->run("result = os.getpriority(os.PRIO_PROCESS, 0)"), own);
  EXPECT_THAT(pool_->take_starts(), ElementsAre("me", "me"));
}

TEST_F(ZygotePoolTest, ItsCoresAreGivenBack) {
  if (!shares()) GTEST_SKIP() << "not shared in " << sandbox_->level(false).to_string();
  auto first = play_all({{"me", "one"}});
  ASSERT_TRUE(first);
  const Json cores = first->run("result = sorted(os.sched_getaffinity(0))");
  (void)first->run("os.sched_setaffinity(os.getppid(), {min(os.sched_getaffinity(0))})");
  first.reset();
  auto second = play_all({{"me", "two"}});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->run("result = sorted(os.sched_getaffinity(0))"), cores);
  EXPECT_THAT(pool_->take_starts(), ElementsAre("me"));
}

TEST_F(ZygotePoolTest, ADeadOneIsReplacedForTheNextSubmission) {
  auto first = play_all({{"me", "one"}});
  ASSERT_TRUE(first);
  (void)first->run("os.kill(os.getppid(), 9)");
  const auto exit = first->session.process->wait(test::kPatience);
  ASSERT_TRUE(exit.ok()) << exit.error().message;
  EXPECT_FALSE(exit->exited) << "all of its sandbox is gone, which is no exit of its own";
  first.reset();
  auto second = play_all({{"me", "two"}});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->run("result = 6 * 7"), 42);
  EXPECT_THAT(pool_->take_starts(), ElementsAre("me", "me"));
}

TEST_F(ZygotePoolTest, ProcessesThatASessionLeavesBehindMeanANewOne) {
  auto first = play_all({{"me", "one"}});
  ASSERT_TRUE(first);
  (void)first->run(R"(
if os.fork() == 0:
    os.setsid()
    import time
    time.sleep(600))");
  first.reset();
  auto second = play_all({{"me", "two"}});
  ASSERT_TRUE(second);
  EXPECT_THAT(pool_->take_starts(), ElementsAre("me", "me"));
}

}  // namespace
}  // namespace kbench
