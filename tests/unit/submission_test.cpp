#include "runner/submission/submission.hpp"

#include <sys/stat.h>

#include <algorithm>

#include <gtest/gtest.h>

#include "runner/os/clean_text.hpp"
#include "runner/submission/flags.hpp"
#include "tests/fakes/submission_fixture.hpp"

namespace kbench {
namespace {

SubmissionSet find(const SubmissionFolder& folder) {
  auto set = find_submissions(folder.path());
  if (!set) {
    ADD_FAILURE() << set.error().message;
    return {};
  }
  return std::move(set.value());
}

// The one problem of a folder that has exactly one and no submission.
SubmissionProblem only_problem(const SubmissionFolder& folder) {
  auto set = find(folder);
  EXPECT_EQ(set.submissions.size(), 0u);
  EXPECT_EQ(set.problems.size(), 1u);
  return set.problems.size() == 1 ? set.problems.front() : SubmissionProblem{};
}

// The complaint about a manifest: message and hint together, empty when it is accepted.
std::string complaint(const std::string& manifest) {
  const SubmissionFolder folder;
  folder.write("ann/level1/019_relu/relu.cu", "x");
  folder.write("ann/level1/019_relu/relu.cpp", "x");
  folder.write("ann/level1/019_relu/submission.json", manifest);
  const auto set = find(folder);
  if (set.problems.empty()) return "";
  return set.problems.front().error.message + " " + set.problems.front().error.hint;
}

std::string with_field(const std::string& field) {
  return R"({"schema": "kbench-submission/1", "sources": ["relu.cu"], )" + field + "}";
}

TEST(FindSubmissions, SingleFilesVariantsAndDevices) {
  const SubmissionFolder folder;
  folder.write("bob/level2/076_gemm_add_relu.cpp", "b");
  folder.write("ann/level1/019_relu@tiled.cu", "a");
  folder.write("ann/level1/019_relu.cpp", "a");
  folder.write("ann/include/tile.hpp", "t");
  folder.write("ann/README.md", "not a submission");
  folder.write("ann/level1/notes.txt", "not a submission");
  const auto set = find(folder);
  EXPECT_TRUE(set.problems.empty());
  ASSERT_EQ(set.submissions.size(), 3u);
  const Submission& plain = set.submissions[0];
  EXPECT_EQ(plain.task, "level1/019_relu");
  EXPECT_EQ(plain.id.agent, "ann");
  EXPECT_EQ(plain.id.name, "ann/level1/019_relu.cpp");
  EXPECT_EQ(plain.id.variant, "");
  EXPECT_EQ(plain.id.precision, "torch-default");
  EXPECT_EQ(plain.device, "cpu");
  ASSERT_EQ(plain.include_directories.size(), 1u);
  EXPECT_EQ(plain.include_directories[0].filename(), "include");
  EXPECT_EQ(set.submissions[1].id.variant, "tiled");
  EXPECT_EQ(set.submissions[1].device, "cuda");
  EXPECT_EQ(set.submissions[2].task, "level2/076_gemm_add_relu");
  EXPECT_TRUE(set.submissions[2].include_directories.empty());
}

TEST(FindSubmissions, FolderWithManifest) {
  const SubmissionFolder folder;
  folder.write("ann/level1/019_relu@x/relu.cu", "a");
  folder.write("ann/level1/019_relu@x/host/plan.cpp", "a");
  folder.write("ann/level1/019_relu@x/submission.json",
               R"({"schema": "kbench-submission/1", "name": "019_relu", "agent": "ann",
                   "sources": ["relu.cu", "host/plan.cpp"], "flags": ["-Xptxas=-O3"],
                   "libraries": ["cublas"], "precision": "tf32"})");
  const auto set = find(folder);
  ASSERT_EQ(set.submissions.size(), 1u) << set.problems.front().error.message;
  const Submission& submission = set.submissions.front();
  EXPECT_EQ(submission.device, "cuda");
  EXPECT_EQ(submission.id.variant, "x");
  EXPECT_EQ(submission.id.precision, "tf32");
  EXPECT_TRUE(submission.id.vendor_library);
  EXPECT_EQ(submission.sources.size(), 2u);
  EXPECT_EQ(submission.flags, std::vector<std::string>{"-Xptxas=-O3"});
}

TEST(FindSubmissions, HashCoversEverythingTheCompilerSees) {
  const SubmissionFolder folder;
  const auto hash = [&] { return find(folder).submissions.front().id.source_hash; };
  folder.write("ann/level1/019_relu.cpp", "a");
  const auto first = hash();
  EXPECT_EQ(first.size(), 64u);
  EXPECT_EQ(hash(), first);
  folder.write("ann/include/a.hpp", "1");
  const auto with_header = hash();
  EXPECT_NE(with_header, first);
  folder.write("ann/include/a.hpp", "2");
  EXPECT_NE(hash(), with_header);
  std::filesystem::remove_all(folder.path() / "ann/include");
  EXPECT_EQ(hash(), first);
}

TEST(FindSubmissions, MissingFolderIsAnError) {
  const auto set = find_submissions("/no/such/folder");
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(set.error().code, ErrorCode::kUsage);
}

TEST(FindSubmissions, LinksThatLeaveAreProblems) {
  const SubmissionFolder outside;
  const auto secret = outside.write("secret.cpp", "s");
  const auto header = outside.write("secret.hpp", "s");
  {
    const SubmissionFolder folder;
    std::filesystem::create_directories(folder.path() / "ann/level1");
    std::filesystem::create_symlink(secret, folder.path() / "ann/level1/019_relu.cpp");
    EXPECT_NE(only_problem(folder).error.message.find("leaves"), std::string::npos);
  }
  {
    const SubmissionFolder folder;
    folder.write("ann/level1/019_relu.cpp", "a");
    std::filesystem::create_directories(folder.path() / "ann/include");
    std::filesystem::create_symlink(header, folder.path() / "ann/include/secret.hpp");
    EXPECT_NE(only_problem(folder).error.message.find("leaves"), std::string::npos);
  }
  {
    const SubmissionFolder folder;
    std::filesystem::create_symlink(outside.path(), folder.path() / "ann");
    EXPECT_NE(only_problem(folder).error.message.find("leaves"), std::string::npos);
  }
  {
    const SubmissionFolder folder;  // an endless link
    std::filesystem::create_directories(folder.path() / "ann/level1");
    std::filesystem::create_symlink("019_relu.cpp", folder.path() / "ann/level1/019_relu.cpp");
    EXPECT_EQ(find(folder).problems.size(), 1u);
  }
  {
    const SubmissionFolder folder;  // a link that stays inside is fine
    const auto real = folder.write("ann/level1/019_relu.cpp", "a");
    std::filesystem::create_symlink(real, folder.path() / "ann/level1/020_relu.cpp");
    EXPECT_EQ(find(folder).submissions.size(), 2u);
  }
}

TEST(FindSubmissions, HostileNamesAreProblemsAndPrintable) {
  const SubmissionFolder folder;
  folder.write("an\x1b[31mn/level1/019_relu.cpp", "a");
  folder.write("<script>/level1/019_relu.cpp", "a");
  folder.write("=HYPERLINK(1)/level1/019_relu.cpp", "a");
  folder.write("ann/level1/019_re\u202Elu.cpp", "a");
  folder.write("ann/level1/019_relu@a\nb.cpp", "a");
  folder.write("ann/level1/019_relu@'; DROP TABLE.cpp", "a");
  folder.write("ann/level1/" + std::string(240, 'x') + ".cpp", "a");
  folder.write("ann/lvl1/019_relu.cpp", "a");
  folder.write("ann/level1/20_tanh.cpp", "a");
  const auto set = find(folder);
  EXPECT_TRUE(set.submissions.empty());
  EXPECT_EQ(set.problems.size(), 9u);
  for (const SubmissionProblem& problem : set.problems) {
    EXPECT_EQ(problem.error.code, ErrorCode::kBadInput);
    for (const std::string& text :
         {problem.path.string(), problem.agent, problem.error.message, problem.error.hint}) {
      EXPECT_EQ(text, clean_name(text, 1000));
      EXPECT_EQ(text.find("\u202E"), std::string::npos);
    }
  }
  const auto typo = std::find_if(
      set.problems.begin(), set.problems.end(),
      [](const SubmissionProblem& problem) { return problem.path.filename() == "lvl1"; });
  ASSERT_NE(typo, set.problems.end());
  EXPECT_NE(typo->error.hint.find("level1"), std::string::npos);
}

TEST(FindSubmissions, EveryOtherFileIsNamed) {
  const SubmissionFolder folder;
  folder.write("README.md", "not a submission");
  folder.write("ann/notes.txt", "not a submission");
  folder.write("ann/019_relu.cpp", "beside its level");
  folder.write("ann/level1/plan.txt", "not a submission");
  folder.write("ann/level1/019_relu", "no ending");
  folder.write("ann/include/tile.hpp", "part of submissions");
  folder.write("level1/019_relu.cpp", "one folder too deep");
  const auto set = find(folder);
  std::vector<std::string> named;
  for (const OtherFile& file : set.others) named.push_back(file.path + (file.mistaken ? "!" : ""));
  EXPECT_EQ(named,
            (std::vector<std::string>{"README.md", "ann/019_relu.cpp!", "ann/level1/019_relu!",
                                      "ann/level1/plan.txt", "ann/notes.txt"}));
  ASSERT_EQ(set.problems.size(), 1u);
  EXPECT_NE(set.problems[0].error.hint.find("Give the folder above"), std::string::npos);
}

TEST(FindSubmissions, OneBadSubmissionDoesNotHideTheOthers) {
  const SubmissionFolder folder;
  folder.write("ann/level1/019_relu.cpp", "a");
  folder.write("ann/level1/020_tanh/tanh.cpp", "a");  // no manifest
  folder.write("ann/level1/021_gelu.cc", "a");
  const auto set = find(folder);
  EXPECT_EQ(set.submissions.size(), 1u);
  ASSERT_EQ(set.problems.size(), 2u);
  EXPECT_EQ(set.problems[0].task, "level1/020_tanh");
  EXPECT_EQ(set.problems[0].agent, "ann");
  EXPECT_EQ(set.problems[1].task, "level1/021_gelu");
}

// Was: an ending in capitals was counted among files that are none.
TEST(FindSubmissions, AnEndingThatIsNearlyOneSaysWhichIsMeant) {
  for (const auto& [ending, meant] : {std::pair{".CPP", "\".cpp\""},
                                      {".cc", "\".cpp\""},
                                      {".Cu", "\".cu\""},
                                      {".PY", "\".py\""}}) {
    const SubmissionFolder folder;
    folder.write(std::string("ann/level1/019_relu") + ending, "x");
    EXPECT_NE(only_problem(folder).error.hint.find(meant), std::string::npos) << ending;
    const auto single =
        single_submission(folder.path() / (std::string("ann/level1/019_relu") + ending), "");
    ASSERT_FALSE(single.ok());
    EXPECT_NE(single.error().hint.find(meant), std::string::npos) << ending;
  }
  const SubmissionFolder folder;
  for (const char* other : {".hpp", ".pyc", ".txt", ".cpp~"})
    folder.write(std::string("ann/level1/019_relu") + other, "x");
  EXPECT_TRUE(find(folder).problems.empty());
}

// Was: "Expected NNN_name[@variant]", and nothing about the digit that is missing.
TEST(FindSubmissions, ANumberWithTooFewDigitsSaysWhichNameIsMeant) {
  for (const auto& [name, meant] : {std::pair{"19_relu.cpp", "\"019_relu.cpp\""},
                                    {"7_relu@fast.cpp", "\"007_relu@fast.cpp\""}}) {
    const SubmissionFolder folder;
    folder.write(std::string("ann/level1/") + name, "x");
    EXPECT_NE(only_problem(folder).error.hint.find(meant), std::string::npos) << name;
  }
  const SubmissionFolder folder;
  folder.write("ann/level1/relu.cpp", "x");
  EXPECT_NE(only_problem(folder).error.hint.find("Expected NNN_name"), std::string::npos);
}

TEST(FindSubmissions, OneFileThatIsALinkSaysWhatItLeadsTo) {
  const SubmissionFolder folder;
  folder.write("notes.txt", "x");
  std::filesystem::create_symlink(folder.path() / "notes.txt", folder.path() / "019_relu.cpp");
  const auto one = single_submission(folder.path() / "019_relu.cpp", "level1/019_relu");
  ASSERT_FALSE(one.ok());
  EXPECT_NE(one.error().message.find("is a link to"), std::string::npos) << one.error().message;
  EXPECT_NE(one.error().message.find("notes.txt"), std::string::npos) << one.error().message;
}

// Was: a file that finds its headers among an agent's submissions did not compile alone.
TEST(FindSubmissions, OneFileOfAnAgentsHasItsHeaders) {
  const SubmissionFolder folder;
  folder.write("ann/include/mine.hpp", "x");
  folder.write("ann/level1/019_relu.cpp", "x");
  folder.write("ann/else/019_relu.cpp", "x");
  const auto among =
      single_submission(folder.path() / "ann/level1/019_relu.cpp", "level1/019_relu");
  ASSERT_TRUE(among.ok());
  ASSERT_EQ(among->include_directories.size(), 1u);
  EXPECT_EQ(among->include_directories.front().filename(), "include");
  EXPECT_EQ(among->id.agent, "ann");
  EXPECT_EQ(among->id.name, "ann/level1/019_relu.cpp") << "as in a run of the folder";
  for (const auto& [task, agent] :
       {std::pair{"level1/020_tanh", "ann"}, {"level1/019_relu", "bob"}}) {
    const auto elsewhere =
        single_submission(folder.path() / "ann/level1/019_relu.cpp", task, agent);
    ASSERT_TRUE(elsewhere.ok());
    EXPECT_EQ(elsewhere->id.name, "019_relu.cpp") << task << " of " << agent;
  }
  const auto other = single_submission(folder.path() / "ann/else/019_relu.cpp", "level1/019_relu");
  ASSERT_TRUE(other.ok());
  EXPECT_TRUE(other->include_directories.empty());
  EXPECT_EQ(other->id.agent, kLoneAgent);
}

// Was: each file was an agent of its own, so that no run could be compared with the one before it.
TEST(FindSubmissions, TheFilesOfAFolderAreTriesOfOneAgent) {
  const SubmissionFolder folder;
  folder.write("v1.cpp", "x");
  folder.write("v2.cpp", "y");
  folder.write("level1/v3.cpp", "z");
  folder.write(".hidden/level1/v4.cpp", "z");
  for (const char* file : {"v1.cpp", "v2.cpp", ".hidden/level1/v4.cpp"}) {
    const auto single = single_submission(folder.path() / file, "level1/019_relu");
    ASSERT_TRUE(single.ok()) << file;
    EXPECT_EQ(single->id.agent, kLoneAgent) << file;
    EXPECT_EQ(single->id.name, std::filesystem::path(file).filename()) << file;
  }
  const auto named = single_submission(folder.path() / "v2.cpp", "level1/019_relu", "alice");
  ASSERT_TRUE(named.ok());
  EXPECT_EQ(named->id.agent, "alice");
  const auto refused = single_submission(folder.path() / "v2.cpp", "level1/019_relu", "a/b");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
}

// Was: "use letters, digits and . _ + -" of a name that begins with one of these.
TEST(FindSubmissions, ANameThatBeginsLikeAnOptionSaysWhatIsWrong) {
  const SubmissionFolder folder;
  for (const char* name : {"-x.cpp", "@x.cpp"}) {
    folder.write(name, "x");
    const auto single = single_submission(folder.path() / name, "");
    ASSERT_FALSE(single.ok());
    EXPECT_NE(single.error().hint.find("none begins with a dot, a dash or an @"),
              std::string::npos);
  }
  const SubmissionFolder agents;
  agents.write("-ann/level1/019_relu.cpp", "x");
  EXPECT_NE(only_problem(agents).error.hint.find("none begins with"), std::string::npos);
}

TEST(FindSubmissions, APythonFileIsForEitherDevice) {
  const SubmissionFolder folder;
  folder.write("ann/level1/019_relu@torch.py", "class ModelNew: pass");
  const auto set = find(folder);
  ASSERT_EQ(set.submissions.size(), 1u);
  const Submission& found = set.submissions.front();
  EXPECT_EQ(to_string(found.kind), "python");
  EXPECT_EQ(found.id.variant, "torch");
  EXPECT_TRUE(found.is_for("cpu"));
  EXPECT_TRUE(found.is_for("cuda"));
  EXPECT_FALSE(found.is_built_as_python());
}

TEST(FindSubmissions, APythonFolderNamesItsEntry) {
  const SubmissionFolder folder;
  folder.write("ann/level1/019_relu/model_new.py", "from parts import ModelNew");
  folder.write("ann/level1/019_relu/parts.py", "class ModelNew: pass");
  folder.write("ann/level1/019_relu/submission.json",
               R"({"schema": "kbench-submission/1", "kind": "python", "entry": "model_new.py"})");
  const auto set = find(folder);
  ASSERT_EQ(set.submissions.size(), 1u);
  EXPECT_EQ(set.submissions.front().kind, SubmissionKind::kPython);
  EXPECT_EQ(set.submissions.front().sources.front().filename(), "model_new.py");
}

TEST(FindSubmissions, WhatTakesABuildStepIsReadFromItsImports) {
  const auto needs = [](const std::string& text) {
    const SubmissionFolder folder;
    folder.write("ann/level1/019_relu.py", text);
    const auto set = find(folder);
    EXPECT_EQ(set.submissions.size(), 1u);
    return set.submissions.empty() ? PythonNeeds{} : set.submissions.front().needs;
  };
  for (const char* text : {"import triton\n", "import torch, triton.language as tl",
                           "x = 1\n  from triton import jit", "from triton.language import *"})
    EXPECT_EQ(needs(text), (PythonNeeds{.triton = true})) << text;
  for (const char* text :
       {"from torch.utils.cpp_extension import load_inline",
        "import torch.utils.cpp_extension as e", "from torch.utils import data, cpp_extension"})
    EXPECT_EQ(needs(text), (PythonNeeds{.compiler = true})) << text;
  EXPECT_EQ(needs("import triton\nfrom torch.utils.cpp_extension import load"),
            (PythonNeeds{.compiler = true, .triton = true}));
  for (const char* text :
       {"# import triton", "s = 'import triton'", "import tritonclient", "importtriton", "import",
        "from", "import ,,,", "from torch.utils import data", "import numpy as triton"})
    EXPECT_EQ(needs(text), PythonNeeds{}) << text;
}

TEST(FindSubmissions, BoundsSizesAndKinds) {
  {
    const SubmissionFolder folder;
    folder.write("ann/level1/019_relu.cpp", std::string((4u << 20) + 1, ' '));
    only_problem(folder);
  }
  {
    const SubmissionFolder folder;
    folder.write("ann/level1/019_relu.cpp", "a");
    for (int i = 0; i < 300; ++i) folder.write("ann/include/" + std::to_string(i), "");
    EXPECT_NE(only_problem(folder).error.message.find("256 files"), std::string::npos);
  }
  {
    const SubmissionFolder folder;  // reading a FIFO would block for ever
    std::filesystem::create_directories(folder.path() / "ann/level1");
    ASSERT_EQ(::mkfifo((folder.path() / "ann/level1/019_relu.cpp").c_str(), 0644), 0);
    only_problem(folder);
  }
}

TEST(FindSubmissions, NoNameIsReadAsAnOption) {
  for (const char* name : {"-Btools/x.cpp", "@more.h", "a\nb.h", "tools/-x.h", "x.h.gch"}) {
    const SubmissionFolder folder;
    folder.write("ann/level1/019_relu/relu.cpp", "x");
    folder.write("ann/level1/019_relu/submission.json",
                 R"({"schema": "kbench-submission/1", "sources": ["relu.cpp"]})");
    folder.write(std::string("ann/level1/019_relu/") + name, "x");
    const auto message = only_problem(folder).error.message;
    EXPECT_TRUE(message.find("not allowed") != std::string::npos ||
                message.find("precompiled") != std::string::npos)
        << message;
    EXPECT_EQ(message.find("src/"), std::string::npos) << "that is no folder of its author's";
  }
}

TEST(FindSubmissions, AManifestElsewhereIsNotRead) {
  const SubmissionFolder folder;
  const SubmissionFolder outside;
  outside.write("secret", R"({"schema": "kbench-submission/1", "sources": ["relu.cpp"]})");
  folder.write("ann/level1/019_relu/relu.cpp", "x");
  std::filesystem::create_symlink(outside.path() / "secret",
                                  folder.path() / "ann/level1/019_relu/submission.json");
  EXPECT_NE(only_problem(folder).error.message.find("leaves the submissions folder"),
            std::string::npos);
}

// The folder of ann, who has too much, and ben, who has not.
SubmissionSet find_limited(const SubmissionFolder& folder, const AgentLimits& limits) {
  folder.write("ben/level1/019_relu.cpp", "x");
  auto set = find_submissions(folder.path(), limits);
  if (!set) {
    ADD_FAILURE() << set.error().message;
    return {};
  }
  EXPECT_TRUE(std::any_of(set->submissions.begin(), set->submissions.end(),
                          [](const Submission& s) { return s.id.agent == "ben"; }));
  return std::move(set.value());
}

TEST(AgentLimits, TooManyFilesRefuseTheAgentAndNobodyElse) {
  const SubmissionFolder folder;
  for (int i = 0; i < 40; ++i) folder.write("ann/level1/" + std::to_string(i) + ".txt", "");
  folder.write("ann/level1/019_relu.cpp", "x");
  const auto set = find_limited(folder, {.entries = 20});
  EXPECT_EQ(set.submissions.size(), 1u);
  ASSERT_EQ(set.problems.size(), 1u);
  EXPECT_TRUE(set.problems.front().refused);
  EXPECT_EQ(set.problems.front().agent, "ann");
  EXPECT_EQ(set.problems.front().task, "");
}

TEST(AgentLimits, SharedHeadersCountForEachSubmission) {
  const SubmissionFolder folder;
  folder.write("ann/include/big.hpp", std::string(4096, ' '));
  for (const char* name : {"019_relu", "020_leakyrelu", "021_sigmoid"})
    folder.write(std::string("ann/level1/") + name + ".cpp", "x");
  EXPECT_TRUE(find_limited(folder, {.source_bytes = 10'000}).problems.front().refused);
  EXPECT_TRUE(find_limited(folder, {.source_bytes = 1'000'000}).problems.empty());
}

TEST(AgentLimits, TooManySubmissionsForATaskRefuseThoseOnly) {
  const SubmissionFolder folder;
  for (int i = 0; i < 5; ++i)
    folder.write("ann/level1/019_relu@" + std::to_string(i) + ".cpp", "x");
  folder.write("ann/level1/019_relu.cc", "malformed, and counts");
  folder.write("ann/level1/020_leakyrelu.cpp", "x");
  const auto set = find_limited(folder, {.submissions_a_task = 5});
  EXPECT_EQ(set.submissions.size(), 2u);
  ASSERT_EQ(set.problems.size(), 1u);
  EXPECT_TRUE(set.problems.front().refused);
  EXPECT_EQ(set.problems.front().task, "level1/019_relu");
  EXPECT_EQ(find_limited(folder, {.submissions_a_task = 6}).submissions.size(), 7u);
}

TEST(Manifest, AcceptsTheSmallestOne) {
  EXPECT_EQ(complaint(R"({"schema": "kbench-submission/1", "sources": ["relu.cu"]})"), "");
}

TEST(Manifest, EveryFieldIsChecked) {
  const auto says = [](const std::string& manifest, const std::string& expected) {
    const auto text = complaint(manifest);
    EXPECT_NE(text.find(expected), std::string::npos) << manifest << "\n  says: " << text;
  };
  says("[]", "no object");
  says("{", "submission.json");
  says(R"({"schema": "kbench-submission/2", "sources": ["relu.cu"]})", "kbench-submission/1");
  says(R"({"schema": "kbench-submission/1"})", "sources");
  says(with_field(R"("flag": ["-O3"])"), "did you mean \"flags\"");
  says(with_field(R"("name": "020_tanh")"), "019_relu");
  says(with_field(R"("agent": "bob")"), "ann");
  says(with_field(R"("flags": "-O3")"), "flags: must be a list");
  says(with_field(R"("flags": [3])"), "flags: must be a list");
  says(with_field(R"("flags": ["-O3", "-O3"])"), "twice");
  says(with_field(R"("flags": ["-usefastmath"])"), "did you mean \"--use_fast_math\"");
  says(with_field(R"("flags": ["-march=native"])"), "-Xcompiler=-march=native");
  says(with_field(R"("libraries": ["cublass"])"), "did you mean \"cublas\"");
  says(with_field(R"("libraries": ["torch"])"), "not allowed");
  says(with_field(R"("precision": "float16")"), "precision");
  says(with_field(R"("precision": 16)"), "must be a string");
  says(with_field(R"("sources": ["relu.cpp"])"), "twice");  // a key given twice
  const std::string sources = R"({"schema": "kbench-submission/1", "sources": )";
  says(sources + R"(["../../../secret.cu"]})", "plain path");
  says(sources + R"(["/etc/passwd"]})", "plain path");
  for (const char* name : {"-specs=relu.cpp", "-Bfolder/relu.cpp", "folder/-relu.cpp", "@relu.cpp",
                           "-wrapper.cpp", "--relu.cpp", "a b.cpp", "a\\nb.cpp", "a$b.cpp"}) {
    says(sources + "[\"" + name + "\"]}", "plain path");
  }
  says(sources + R"(["a\u0000b.cu"]})", "plain path");
  const std::string python = R"({"schema": "kbench-submission/1", "kind": "python")";
  says(python + "}", "entry");
  says(python + R"(, "entry": "../x.py"})", "no plain path");
  says(python + R"(, "entry": "relu.cpp"})", "no plain path of a .py");
  says(python + R"(, "entry": "missing.py"})", "no file");
  says(python + R"(, "entry": "x.py", "flags": ["-O3"]})", "means nothing for Python");
  says(with_field(R"("kind": "pyhton")"), "python");
  says(with_field(R"("entry": "x.py")"), "for \"kind\": \"python\" alone");
  says(sources + R"(["relu.py"]})", "neither .cu nor .cpp");
  says(sources + R"(["missing.cu"]})", "no file");
  says(sources + "[]}", "names no file");
  says(sources + R"(["relu.cpp"], "libraries": ["cublas"]})", "for CUDA");
}

TEST(Flags, AllowWhatOptimises) {
  for (const char* flag : {"-O3", "-Ofast", "-march=native", "-ffast-math", "-fopenmp", "-DN=4",
                           "-DTILE", "-Isrc/include", "-I.", "-std=c++20", "-funroll-loops",
                           "-Wno-unused-variable", "-mavx512f", "-fopenmp-simd"}) {
    EXPECT_TRUE(check_flag(flag, "cpu").ok()) << flag;
  }
  for (const char* flag :
       {"-O3", "--use_fast_math", "-use_fast_math", "-maxrregcount=128", "-lineinfo", "-Xptxas=-v",
        "--extra-device-vectorization", "-Xcompiler=-fopenmp", "-std=c++20", "-DN=4"}) {
    EXPECT_TRUE(check_flag(flag, "cuda").ok()) << flag;
  }
}

TEST(Flags, RefuseWhatReachesOut) {
  for (const char* flag : {"",
                           "-",
                           "-I/etc",
                           "-I..",
                           "-Isrc/../..",
                           "-I.hidden",
                           "@response",
                           "-fplugin=x.so",
                           "-Wl,-rpath,/",
                           "-Wp,-MD,x",
                           "-Wa,-I/",
                           "-B/tmp",
                           "-specs=x",
                           "-include",
                           "/etc/shadow",
                           "-o",
                           "-x",
                           "-wrapper",
                           "-ldl",
                           "-L/",
                           "-Xlinker",
                           "--sysroot=/",
                           "-D",
                           "-DA=$(id)",
                           "-DA=\"x\"",
                           "-I-",
                           "-I-src",
                           "-Isrc/-x",
                           "-Wl",
                           "-Wa",
                           "-flto",
                           "-fuse-ld=gold",
                           "-march=x86-64,-o",
                           "-xc++",
                           "--options-file=x",
                           "-Xlinker=-L/",
                           "-fopenmp=libomp",
                           "-O3 -fplugin=x",
                           "-O3\n-o",
                           "-fprofile-use=/x",
                           "-save-temps"}) {
    EXPECT_FALSE(check_flag(flag, "cpu").ok()) << flag;
    EXPECT_FALSE(check_flag(flag, "cuda").ok()) << flag;
    EXPECT_FALSE(check_flag(std::string("-Xcompiler=") + flag, "cuda").ok()) << flag;
  }
  EXPECT_FALSE(check_flag("-DA=" + std::string(1 << 20, 'x'), "cpu").ok());
  EXPECT_FALSE(check_flag("--use_fast_math", "cpu").ok());
  EXPECT_FALSE(check_flag("-Xcompiler=-O3,-fplugin=x", "cuda").ok());
}

}  // namespace
}  // namespace kbench
