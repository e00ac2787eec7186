// Maps real files into this process and into children, and asks where their code comes from.
#include "runner/measure/watch/known_code.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "runner/core/sha256.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/sandbox/host.hpp"
#include "tests/fakes/await.hpp"
#include "tests/fakes/submission_fixture.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

void* map_code(int file) {
  void* mapped = ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
  EXPECT_NE(mapped, MAP_FAILED);
  return mapped;
}

// A child that has done something and waits; it ends with the test.
class Child {
 public:
  explicit Child(const std::function<void()>& does) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      does();
      (void)!::write(ends[1], "x", 1);
      while (true) ::pause();
    }
    char done = 0;
    (void)!::read(ends[0], &done, 1);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

class KnownCodeTest : public ::testing::Test {
 protected:
  KnownCodeTest()
      : library_(::open(folder_.write("own.so", std::string(8192, 'x')).c_str(), O_RDONLY)) {}

  // Origins of the code that a child maps after it was trusted.
  std::vector<MappedCode> mapped_later(const std::function<void()>& does) {
    auto known = KnownCode::make(library_.get(), fs::read_symlink("/proc/self/exe"));
    EXPECT_TRUE(known.ok());
    const std::array self{::getpid()};
    EXPECT_TRUE(known->trust(self, true).ok());
    const Child child(does);
    const std::array processes{child.pid()};
    auto code = known->look_at(processes);
    EXPECT_TRUE(code.ok());
    std::erase_if(*code, [](const MappedCode& c) { return c.origin == CodeOrigin::kWorker; });
    return code ? *code : std::vector<MappedCode>{};
  }

  // The origin of the only such code.
  CodeOrigin only_origin(const std::function<void()>& does) {
    const auto code = mapped_later(does);
    EXPECT_EQ(code.size(), 1u);
    return code.size() == 1 ? code.front().origin : CodeOrigin::kWorker;
  }

  SubmissionFolder folder_;
  UniqueFd library_;
};

TEST_F(KnownCodeTest, NothingNewIsTheWorkersOwn) {
  EXPECT_TRUE(mapped_later([] {}).empty());
}

TEST_F(KnownCodeTest, TheSubmissionsLibraryIsKnownByItsFileAlsoOnceItIsDeleted) {
  const auto maps_it = [&] { map_code(library_.get()); };
  EXPECT_EQ(only_origin(maps_it), CodeOrigin::kSubmission);
  fs::remove(folder_.path() / "own.so");
  EXPECT_EQ(only_origin(maps_it), CodeOrigin::kSubmission);
}

TEST_F(KnownCodeTest, ACopyUnderAGoodNameIsUnknown) {
  const auto copy = folder_.write("libm.so.6", std::string(8192, 'y'));
  EXPECT_EQ(only_origin([&] { map_code(::open(copy.c_str(), O_RDONLY)); }), CodeOrigin::kUnknown);
}

TEST_F(KnownCodeTest, AMemfdAndADeletedFileAreUnknown) {
  EXPECT_EQ(only_origin([] {
              const int file = ::memfd_create("libm.so.6", 0);
              (void)!::ftruncate(file, 4096);
              map_code(file);
            }),
            CodeOrigin::kUnknown);
  EXPECT_EQ(only_origin([&] {
              const auto file = folder_.write("libgomp.so.1", std::string(8192, 'y'));
              const int opened = ::open(file.c_str(), O_RDONLY);
              fs::remove(file);
              map_code(opened);
            }),
            CodeOrigin::kUnknown);
}

TEST_F(KnownCodeTest, WhatIsInstalledIsKnownByItsFileNotByItsPath) {
  // Something that this program has not mapped itself.
  const fs::path program = fs::canonical("/bin/sh");
  EXPECT_EQ(only_origin([&] { map_code(::open(program.c_str(), O_RDONLY)); }),
            CodeOrigin::kInstalled);
}

// Origin of code that lies there, if Python consists of `runtime`.
CodeOrigin origin_beside(const fs::path& runtime, const fs::path& mapped) {
  KnownCode known = KnownCode::of_runtime({runtime});
  const std::array self{::getpid()};
  EXPECT_TRUE(known.trust(self, true).ok());
  const Child child([&] { map_code(::open(mapped.c_str(), O_RDONLY)); });
  const std::array processes{child.pid()};
  const auto code = known.look_at(processes);
  EXPECT_TRUE(code.ok());
  for (const MappedCode& one : *code)
    if (one.origin != CodeOrigin::kWorker) return one.origin;
  return CodeOrigin::kWorker;
}

// A runtime's code is known by the folder that was named, where nobody else writes to it or above
// it. These lie in /tmp, where everybody may write and nobody removes what is another user's.
TEST_F(KnownCodeTest, WhatARuntimeConsistsOfIsKnownByItsFolder) {
  const fs::path file = folder_.write("python/lib/libtorch_cpu.so", std::string(8192, 'y'));
  const fs::path python = folder_.path() / "python";
  EXPECT_EQ(origin_beside(python, file), CodeOrigin::kRuntime);
  EXPECT_EQ(origin_beside(folder_.path() / "other", file), CodeOrigin::kUnknown);
  fs::permissions(python / "lib", fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(origin_beside(python, file), CodeOrigin::kExposed);
}

// An installation whose version is a link, an environment on another disk.
TEST_F(KnownCodeTest, ARuntimeThatIsNamedByALinkIsKnown) {
  const fs::path file = folder_.write("python-3.11.7/lib/libtorch_cpu.so", std::string(8192, 'y'));
  const fs::path link = folder_.path() / "python-3.11";
  fs::create_directory_symlink(folder_.path() / "python-3.11.7", link);
  EXPECT_EQ(origin_beside(link, file), CodeOrigin::kRuntime);
  // A sandbox that was given the link shows the mapping like this.
  const KnownCode known = KnownCode::of_runtime({link});
  const UniqueFd opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  const auto identity = identity_of(opened.get());
  ASSERT_TRUE(identity.ok());
  CodeMapping mapping{.file = *identity, .path = (link / "lib/libtorch_cpu.so").string()};
  EXPECT_EQ(known.origin(mapping), CodeOrigin::kRuntime);
  mapping.file.inode += 1;
  EXPECT_EQ(known.origin(mapping), CodeOrigin::kUnknown);
}

TEST_F(KnownCodeTest, ARuntimeMayBeAnotherUsersButNotTheSandboxs) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const fs::path file = folder_.write("python/libtorch_cpu.so", std::string(8192, 'y'));
  const fs::path python = folder_.path() / "python";
  const auto owned_by = [&](const fs::path& path, uid_t user) {
    EXPECT_EQ(::chown(path.c_str(), user, user), 0);
  };
  owned_by(python, 12345);
  owned_by(file, 12345);
  EXPECT_EQ(origin_beside(python, file), CodeOrigin::kRuntime);
  owned_by(file, 12346);
  EXPECT_EQ(origin_beside(python, file), CodeOrigin::kExposed);
  owned_by(python, kSandboxUid);
  owned_by(file, kSandboxUid);
  EXPECT_EQ(origin_beside(python, file), CodeOrigin::kExposed);
}

// A library of a build step is the submission's own, as long as it holds what was made.
TEST_F(KnownCodeTest, ALibraryThatWasBuiltIsKnownByItsFileAndByWhatItHolds) {
  const std::string text(8192, 'b');
  const fs::path built = folder_.write("built/relu.so", text);
  const fs::path copy = folder_.write("src/relu.so", text);
  KnownCode known = KnownCode::of_runtime({});
  ASSERT_TRUE(known.accept(built, sha256(text)).ok());
  const std::array self{::getpid()};
  ASSERT_TRUE(known.trust(self, true).ok());
  const auto origin = [&](const fs::path& mapped) {
    const Child child([&] { map_code(::open(mapped.c_str(), O_RDONLY)); });
    const std::array processes{child.pid()};
    const auto code = known.look_at(processes);
    EXPECT_TRUE(code.ok());
    for (const MappedCode& one : *code)
      if (one.origin != CodeOrigin::kWorker) return one.origin;
    return CodeOrigin::kWorker;
  };
  EXPECT_EQ(origin(built), CodeOrigin::kSubmission);
  EXPECT_EQ(origin(copy), CodeOrigin::kUnknown);

  const auto other = KnownCode::of_runtime({}).accept(built, sha256("something else"));
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kInfrastructure);
  EXPECT_FALSE(KnownCode::of_runtime({}).accept(folder_.path() / "none.so", "").ok());
}

TEST_F(KnownCodeTest, ExecutableMemoryWithoutAFileIsTold) {
  EXPECT_EQ(only_origin([] {
              ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            }),
            CodeOrigin::kMemory);
}

TEST_F(KnownCodeTest, WhereADriverMakesSuchMemoryItIsNot) {
  auto known = KnownCode::make(library_.get(), fs::read_symlink("/proc/self/exe"));
  ASSERT_TRUE(known.ok());
  const std::array self{::getpid()};
  ASSERT_TRUE(known->trust(self, false).ok());
  const Child child(
      [] { ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); });
  const std::array processes{child.pid()};
  const auto code = known->look_at(processes);
  ASSERT_TRUE(code.ok());
  for (const MappedCode& mapped : *code) EXPECT_NE(mapped.origin, CodeOrigin::kMemory);
}

TEST_F(KnownCodeTest, AFirstThreadThatEndedHidesNothing) {
  const pid_t child = ::fork();
  if (child == 0) {
    map_code(library_.get());
    std::thread([] {
      while (true) ::pause();
    }).detach();
    ::syscall(SYS_exit, 0);  // this thread alone; pthread_exit would unwind the test
  }
  // The state of its first thread is that of the process; of a process that is dead as a whole
  // nothing could be read.
  EXPECT_TRUE(test::await([&] { return test::state_in_proc(child) == 'Z'; }, "its end"));
  const auto maps = read_maps(child);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(maps.ok());
  EXPECT_NE(maps->find("own.so"), std::string::npos);
}

// Descriptors run out, which a hostile worker may have brought about: then nothing is known.
TEST(ReadMaps, WhatCannotBeReadIsAnError) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto maps = read_maps(::getpid());
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_FALSE(maps);
}

TEST(ReadMaps, AProcessThatIsGoneHasNone) {
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  const auto maps = read_maps(gone);
  ASSERT_TRUE(maps.ok());
  EXPECT_EQ(*maps, "");
}

}  // namespace
}  // namespace kbench
