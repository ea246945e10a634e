// No command replaces what it reads: each case is refused with both names, and
// all files are afterwards what they were before.

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/run_program.h"

namespace firth {
namespace {

using testing::HasSubstr;

using Contents = std::map<std::string, std::string>;

class UsedFilesTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (IsSkipped()) return;
    std::filesystem::create_directories(Path("folder/below"));
    std::filesystem::create_directories(Path("saved"));
    File("c.txt", TwoTopicText(300));
    File("c.vocab", TwoTopicText(300));
    File("folder/a.txt", TwoTopicText(10));
    File("d.txt", "cat\tcat\n");
    File("z.offsets.npy", "a sentence a line\n");
    ASSERT_EQ(RunFirth({"train", "-i", Path("c.txt"), "-o", Path("v.bin"),
                        "--dim", "8", "--epochs", "1", "-q"})
                  .code,
              0);
    ASSERT_EQ(RunFirth({"convert", Path("v.bin"), Path("n.npy")}).code, 0);
    std::filesystem::create_hard_link(Path("c.txt"), Path("hard.txt"));
    std::filesystem::create_symlink(Path("c.txt"), Path("soft.txt"));
    std::filesystem::create_symlink(Path("folder"), Path("soft"));
    std::filesystem::create_directories(Path("links/below"));
    std::filesystem::create_symlink(Path("c.txt"), Path("links/below/text"));
    File("tokens.npy", "\x93NUMPY of vectors in context");
    File("tokens.offsets.npy", "where sentences begin");
    File("senses.data.xml", "<corpus></corpus>");
    File("senses.gold.key.txt", "a key a line\n");
  }

  Contents All() const {
    Contents contents;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(Path(""))) {
      const std::string path = entry.path().string();
      contents[path] = entry.is_regular_file() ? ReadWholeFile(path) : "";
    }
    return contents;
  }

  // A leading @ stands for the test's folder.
  std::vector<std::string> InFolder(std::vector<std::string> arguments) const {
    for (std::string& argument : arguments) {
      if (argument[0] == '@') argument = Path(argument.substr(1));
    }
    return arguments;
  }

  void ExpectRefused(const std::vector<std::string>& arguments, int code,
                     const std::string& message,
                     const ProgramOptions& options = {}) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    const Contents before = All();
    const Outcome outcome = RunFirth(InFolder(arguments), options);
    EXPECT_EQ(outcome.code, code);
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(All(), before);
  }
};

struct Case {
  std::vector<std::string> arguments;
  std::string message;
};

const Case kCases[] = {
    {{"vocab", "-i", "@c.txt", "-o", "@c.txt"}, "--output and --input"},
    {{"vocab", "-i", "@c.txt", "-o", "@hard.txt"}, "--output and --input"},
    {{"vocab", "-i", "@soft.txt", "-o", "@c.txt"}, "--output and --input"},
    {{"vocab", "--vocab", "@c.vocab", "-o", "@c.vocab"},
     "--output and --vocab"},
    {{"train", "-i", "@c.vocab", "-o", "@c.npy"},
     "the second file of --output and --input"},
    {{"train", "-i", "@c.txt", "--vocab", "@c.vocab", "-o", "@c.npy"},
     "the second file of --output and --vocab"},
    {{"train", "-i", "@c.txt", "-o", "@new.npy", "--report", "@new.vocab"},
     "--report and the second file of --output"},
    {{"train", "-i", "@c.txt", "-o", "@o.bin", "--save-vocab", "@c.txt"},
     "--save-vocab and --input"},
    {{"train", "-i", "@c.txt", "-o", "@n.vocab", "--format", "bin", "--init",
      "@n.npy"},
     "--output and the second file of --init"},
    {{"train", "-i", "@c.txt", "-o", "@c.txt", "--checkpoint", "@saved",
      "--format", "bin"},
     "--output and --input"},
    {{"train", "-i", "@folder", "-o", "@folder/out.vec"}, "--output: \""},
    {{"train", "-i", "@soft", "-o", "@folder/below/out.vec"}, "--output: \""},
    {{"train", "-i", "@folder", "-o", "@o.bin", "--checkpoint",
      "@folder/saved"},
     "--checkpoint: \""},
    {{"phrases", "-i", "@folder", "--list", "@folder/list.txt"}, "--list: \""},
    {{"align", "@v.bin", "@v.bin", "--dictionary", "@d.txt", "-o", "@d.txt",
      "--to", "bin"},
     "--output and --dictionary"},
    {{"align", "@v.bin", "@v.bin", "--dictionary", "@d.txt", "--map", "@d.txt"},
     "--map and --dictionary"},
    {{"align", "@v.bin", "@n.npy", "--map", "@v.bin"}, "--map and SOURCE"},
    {{"align", "@v.bin", "@n.npy", "-o", "@x.bin", "--map", "@x.bin"},
     "--map and --output"},
    {{"align", "@v.bin", "@n.npy", "--map", "@n.vocab"},
     "--map and the second file of TARGET"},
    {{"sentence-vectors", "@v.bin", "-o", "@v.bin"}, "--output and VECTORS"},
    {{"postprocess", "@v.bin", "@c.vocab", "--to", "bin", "--vocab",
      "@c.vocab"},
     "OUT and --vocab"},
    {{"convert", "@v.bin", "@v.bin"}, "OUT and IN"},
    {{"convert", "@n.npy", "@n.vocab", "--to", "bin"},
     "OUT and the second file of IN"},
    {{"embed", "@m.safetensors", "-i", "@z.offsets.npy", "-o", "@z.npy"},
     "the second file of --output and --input"},
    {{"embed", "@m.safetensors", "-i", "@c.txt", "-o", "@m.safetensors"},
     "--output and MODEL"},
    {{"distill", "@tokens.npy", "--text", "@c.txt", "-o",
      "@tokens.offsets.npy"},
     "--output and the second file of MODEL"},
    {{"train", "-i", "@links", "-o", "@c.txt", "--format", "bin"},
     "--output and a file in"},
    {{"train", "-i", "@links", "-o", "@hard.txt", "--format", "bin"},
     "--output and a file in"},
    {{"explore", "@n.npy", "--page", "@n.vocab"},
     "--page and the second file of MODEL"},
    {{"serve", "@v.bin", "--index", "hnsw", "--access-log", "@v.bin.hnsw"},
     "--access-log and the index of MODEL"},
    {{"tag", "train", "-i", "@c.txt", "--dev", "@d.txt", "--vectors", "@v.bin",
      "-o", "@d.txt"},
     "--output and --dev"},
    {{"classify", "train", "-i", "@c.txt", "--valid", "@d.txt", "-o", "@d.txt"},
     "--output and --valid"},
    {{"classify", "tune", "-i", "@c.txt", "--report", "@c.txt"},
     "--report and --input"},
    {{"classify", "quantize", "@m.safetensors", "-o", "@m.safetensors"},
     "--output and MODEL"},
    {{"lm", "train", "-i", "@c.txt", "-o", "@o", "--vectors", "@v.bin",
      "--checkpoint", "@v.bin"},
     "--checkpoint and --vectors"},
    {{"lm", "import", "@d.txt", "-o", "@d.txt"}, "--output and PATH"},
    {{"lm", "import", "--options", "@d.txt", "--weights", "@c.txt", "-o",
      "@d.txt"},
     "--output and --options"},
    {{"train", "-i", "@c.txt", "-o", "@saved/checkpoint-1.safetensors",
      "--checkpoint", "@saved"},
     "begins with \"checkpoint-\""},
    {{"train", "-i", "@c.txt", "-o", "@new.bin", "--log", "@saved/checkpoint-1",
      "--checkpoint", "@saved"},
     "begins with \"checkpoint-\""},
};

TEST_F(UsedFilesTest, NothingThatIsReadIsWritten) {
  for (const Case& refused : kCases) {
    ExpectRefused(refused.arguments, 2, refused.message);
  }
}

TEST_F(UsedFilesTest, StandardStreamsAreFilesToo) {
  const std::string text = Path("c.txt");
  const std::string before = ReadWholeFile(text);
  const std::string run = ProgramPath() + " phrases -q -i " + text + " >>" +
                          text + " 2>" + Path("err");
  EXPECT_NE(std::system(run.c_str()), 0);
  EXPECT_THAT(ReadWholeFile(Path("err")),
              HasSubstr("standard output and --input are the same file"));
  EXPECT_EQ(ReadWholeFile(text), before);
  const std::string over = ProgramPath() + " vocab -q -i - -o " + text + " <" +
                           text + " 2>" + Path("err");
  EXPECT_NE(std::system(over.c_str()), 0);
  EXPECT_THAT(ReadWholeFile(Path("err")),
              HasSubstr("--output and standard input are the same file"));
  EXPECT_EQ(ReadWholeFile(text), before);
}

TEST_F(UsedFilesTest, StandardOutputMayNotBeAFileThatBelongsToAnInput) {
  const std::string keys = Path("senses.gold.key.txt");
  const std::string before = ReadWholeFile(keys);
  const std::string run = ProgramPath() + " probe --vectors " + Path("v.bin") +
                          " --known " + Path("senses.data.xml") + " --senses " +
                          Path("senses.data.xml") + " >>" + keys + " 2>" +
                          Path("err");
  EXPECT_NE(std::system(run.c_str()), 0);
  EXPECT_THAT(
      ReadWholeFile(Path("err")),
      HasSubstr(
          "standard output and the second file of --senses are the same file"));
  EXPECT_EQ(ReadWholeFile(keys), before);
}

TEST_F(UsedFilesTest, StandardOutputMayNotLieInAFolderThatIsRead) {
  const std::string text = Path("folder/a.txt");
  const std::string before = ReadWholeFile(text);
  const std::string run = ProgramPath() + " phrases -q -i " + Path("folder") +
                          " 2>" + Path("err") + " >>";
  for (const std::string& file : {text, Path("folder/new.txt")}) {
    EXPECT_NE(std::system((run + file).c_str()), 0);
    EXPECT_THAT(ReadWholeFile(Path("err")), HasSubstr("standard output: \""));
  }
  EXPECT_EQ(ReadWholeFile(text), before);
}

TEST_F(UsedFilesTest, StreamsOfTheShellAreWrittenTo) {
  const std::string convert =
      ProgramPath() + " convert --to text " + Path("v.bin") + " ";
  ASSERT_EQ(RunFirth(InFolder({"convert", "@v.bin", "@v.txt"})).code, 0);
  const std::string right = ReadWholeFile(Path("v.txt"));
  const std::string ways[] = {"/dev/stdout >", ">(cat >"};
  for (const std::string& way : ways) {
    const std::string end = way.front() == '>' ? "); wait" : "";
    const std::string run = absl::StrCat(
        "bash -c '", convert, way, Path("out.txt"), end, "' 2>", Path("err"));
    EXPECT_EQ(std::system(run.c_str()), 0) << ReadWholeFile(Path("err"));
    // The shell does not wait for its substitutions.
    EXPECT_TRUE(Eventually([&] {
      return ReadWholeFile(Path("out.txt")) == right;
    })) << way;
    std::filesystem::remove(Path("out.txt"));
  }
  ExpectRefused({"convert", "@v.bin", "-", "--to", "text"}, 2,
                "OUT: needs a file name instead of \"-\"");
}

TEST_F(UsedFilesTest, AFileThatNobodyNamedIsNotReplaced) {
  ExpectRefused({"convert", "@v.bin", "@c.npy"}, 1,
                "c.vocab: this file would be replaced");
  ExpectRefused({"train", "-i", "@c.txt", "-o", "@c.npy"}, 1,
                "c.vocab: this file would be replaced");
  ExpectRefused({"embed", "@m.safetensors", "-i", "@c.txt", "-o", "@z.npy"}, 1,
                "z.offsets.npy: this file would be replaced");
  EXPECT_EQ(RunFirth(InFolder({"convert", "@v.bin", "@a.npy"})).code, 0);
  File("a.offsets.npy", "of another array");
  ExpectRefused({"embed", "@m.safetensors", "-i", "@c.txt", "-o", "@a.npy"}, 1,
                "a.offsets.npy: this file would be replaced");
  File("n.vocab", "a list\nof others\n");
  ExpectRefused({"convert", "@v.bin", "@n.npy"}, 1,
                "n.vocab: this file would be replaced");
  File("v.bin.hnsw", "notes");
  ExpectRefused({"index", "@v.bin"}, 1, "v.bin.hnsw");
}

// The files of a folder, several inputs, and a page are outputs as others are.
TEST_F(UsedFilesTest, PicturesPagesAndFoldersReplaceNoInput) {
  std::filesystem::create_directories(Path("logs"));
  std::filesystem::copy(Path("v.bin"), Path("logs/vectors.tsv"));
  ExpectRefused(
      {"export", "@logs/vectors.tsv", "--to", "@logs", "--format", "projector"},
      2, "--to and VECTORS are the same file");
  File("run.jsonl", "{}\n");
  File("run.svg", "{}\n");
  ExpectRefused({"plot", "@run.jsonl", "@run.svg", "-o", "@run.svg"}, 2,
                "--output and FILE are the same file");
  ExpectRefused({"explore", "@v.bin", "--page", "@v.bin"}, 2,
                "--page and MODEL are the same file");
  File("points", "a map\n");
  ExpectRefused({"explore", "@v.bin", "--map", "@points", "--page", "@points"},
                2, "--page and --map are the same file");
  File("empty", "");
  ExpectRefused(
      {"train", "-i", "@empty", "-o", "@w.bin", "--log", "@run.jsonl"}, 1,
      "the input contains no tokens");
}

// The output would otherwise fail only after training.
TEST_F(UsedFilesTest, AFolderReplacesNoFile) {
  File("afile", "notes\n");
  for (const char* command : {"train", "sentences train"}) {
    std::vector<std::string> arguments = absl::StrSplit(command, ' ');
    arguments.insert(arguments.end(), {"-i", "@c.txt", "-o", "@afile/"});
    ExpectRefused(arguments, 1,
                  "afile: expected a folder or an unused name, found a file");
  }
  ExpectRefused({"sentences", "train", "-i", "@c.txt", "-o", "@s.floret"}, 2,
                "the floret format holds only n-grams");
}

TEST_F(UsedFilesTest, WhatFirthWroteItselfIsReplaced) {
  for (int times = 0; times < 2; ++times) {
    EXPECT_EQ(RunFirth(InFolder({"convert", "@v.bin", "@n.npy"})).code, 0);
    EXPECT_EQ(RunFirth(InFolder({"index", "@v.bin"})).code, 0);
  }
}

}  // namespace
}  // namespace firth
