// Bytes of others: in words, in names of files, at the start of files. What a
// terminal would obey is not sent to it, what a format cannot hold is said
// before hours of work, and where a file lay is not told.

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/compress.h"
#include "support/run_program.h"

namespace firth {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Arguments = std::vector<std::string>;

constexpr char kMark[] = "\xEF\xBB\xBF";

Arguments operator+(Arguments head, const Arguments& tail) {
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

class ForeignBytesTest : public ProgramTest {
 protected:
  // Words that end as `word` does, often enough to be learned.
  std::string TextWith(const std::string& word) const {
    std::string text = TwoTopicText(40);
    for (int i = 0; i < 10; ++i) text += "cat " + word + " dog\n";
    return text;
  }
  Arguments Train(const std::string& input, const std::string& output) const {
    return {"train", "--input", input,       "--output", output,
            "--dim", "8",       "--threads", "1"};
  }
};

TEST_F(ForeignBytesTest, WordsThatCannotBeWrittenAreRefusedBeforeTraining) {
  struct Case {
    const char* output;
    std::string word;
    const char* message;
  };
  const Case cases[] = {
      {"v.fifu", "caf\xe9",
       "finalfusion cannot hold bytes that are not valid UTF-8"},
      {"v.ftbin", std::string("a\0b", 3),
       "fasttext cannot hold white space or a NUL byte in a word"}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.output);
    // A training that would last for hours.
    const Outcome refused =
        RunFirth(Train(File("text", TextWith(c.word)), Path(c.output)) +
                 Arguments{"--epochs", "10000", "--sample", "0"});
    EXPECT_EQ(refused.code, 1) << refused.err;
    EXPECT_THAT(refused.err,
                AllOf(HasSubstr("not written: word "), HasSubstr(c.message),
                      Not(HasSubstr("  memory "))));
  }
}

TEST_F(ForeignBytesTest, WordsOfInitThatCannotBeWrittenAreRefusedToo) {
  const std::string text = File("text", TwoTopicText(40));
  const std::string init = File("given.txt", "2 2\nnew york 1 2\ncat 1 2\n");
  const Arguments train = {"train",    "--input", text,        "--init", init,
                           "--epochs", "10000",   "--threads", "1"};
  const Outcome refused =
      RunFirth(train + Arguments{"--output", Path("v.bin")});
  EXPECT_EQ(refused.code, 1) << refused.err;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("cannot hold a space or a line end"),
                                 Not(HasSubstr("  memory "))));
  const Outcome vocabulary =
      RunFirth(train + Arguments{"--output", Path("v.safetensors"),
                                 "--save-vocab", Path("words")});
  EXPECT_EQ(vocabulary.code, 1) << vocabulary.err;
  EXPECT_THAT(vocabulary.err,
              AllOf(HasSubstr("words of a vocabulary file must not"),
                    Not(HasSubstr("  memory "))));
}

// A word with a line end, which finalfusion holds and files of lines do not.
TEST_F(ForeignBytesTest, WordsOfAFileAreLookedAtBeforeTheWork) {
  const std::string source = Path("v.fifu");
  ASSERT_EQ(
      RunFirth({"convert", File("v.txt", "2 2\naXb 1 2\ncat 2 1\n"), source})
          .code,
      0);
  std::string bytes = ReadWholeFile(source);
  bytes.replace(bytes.find("aXb"), 3, "a\nb");
  WriteWholeFile(source, bytes);
  const Arguments commands[] = {
      {"align", source, Path("v.txt"), "--output", Path("w.bin")},
      {"postprocess", source, Path("w.bin"), "--center"},
      {"lm", "train", "--input", File("text", TwoTopicText(40)), "--vectors",
       source, "--output", Path("m.safetensors"), "--units", "4"}};
  for (const Arguments& command : commands) {
    const Outcome refused = RunFirth(command);
    EXPECT_EQ(refused.code, 1) << refused.err;
    EXPECT_THAT(
        refused.err,
        AllOf(HasSubstr("\"a\\nb\": "), HasSubstr("line end in a word"),
              Not(HasSubstr("learning from")), Not(HasSubstr("  read "))));
  }
}

TEST_F(ForeignBytesTest, TheSameTextGivesTheSameBytesFromAnywhere) {
  const std::string text = TwoTopicText(100);
  const std::string output = Path("v.safetensors");
  const std::string plain = File("some-secret-name.txt", text);
  std::string first;
  std::filesystem::create_directory(Path("folder"));
  for (const std::string& input :
       {plain, File("folder/other", text), File("text.gz", Gzip(text)),
        std::string("-")}) {
    SCOPED_TRACE(input);
    const Outcome trained =
        RunFirth(Train(input, output) + Arguments{"--valid", plain, "--report",
                                                  Path("report.json")},
                 {.input = text});
    ASSERT_EQ(trained.code, 0) << trained.err;
    const std::string bytes = ReadWholeFile(output);
    EXPECT_THAT(bytes, Not(HasSubstr(Path(""))));
    EXPECT_THAT(ReadWholeFile(Path("report.json")), HasSubstr(plain));
    if (first.empty()) first = bytes;
    EXPECT_TRUE(bytes == first);
  }
}

TEST_F(ForeignBytesTest, DeterministicFilesDoNotTellTheNumberOfThreads) {
  const std::string text = File("text", TwoTopicText(100));
  const std::string output = Path("v.safetensors");
  const auto train = [&](const std::string& threads) {
    const Outcome trained =
        RunFirth({"train", "--input", text, "--output", output, "--dim", "8",
                  "--deterministic", "--threads", threads});
    EXPECT_EQ(trained.code, 0) << trained.err;
    return ReadWholeFile(output);
  };
  EXPECT_TRUE(train("1") == train("2"));
}

TEST_F(ForeignBytesTest, ALanguageModelDoesNotTellWhereItsTextLay) {
  const std::string text = TwoTopicText(60);
  const std::string output = Path("m.safetensors");
  std::string first;
  for (const std::string& input : {File("text", text), std::string("-")}) {
    const Outcome trained = RunFirth(
        {"lm",           "train",
         "--input",      input,
         "--output",     output,
         "--units",      "4",
         "--projection", "4",
         "--epochs",     "1",
         "--batch",      "4",
         "--samples",    "4",
         "--min-count",  "1",
         "--valid",      File("valid", text),
         "--checkpoint", Path("checkpoint-of-" + std::to_string(first.size()))},
        {.input = text});
    ASSERT_EQ(trained.code, 0) << trained.err;
    const std::string bytes = ReadWholeFile(output);
    EXPECT_THAT(bytes, Not(HasSubstr(Path(""))));
    if (first.empty()) first = bytes;
    EXPECT_TRUE(bytes == first);
  }
}

// What the command prints on a terminal.
std::string OnTerminal(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(
      popen(("script -qec '" + command + "' /dev/null </dev/null").c_str(),
            "r"),
      &pclose);
  std::string out;
  for (int c; (c = std::fgetc(pipe.get())) != EOF;) out += static_cast<char>(c);
  return out;
}

TEST_F(ForeignBytesTest, TerminalsSeeNoEscapesOfOthersPipesSeeAll) {
  const std::string vectors =
      File("v.txt", "2 2\ncat 1 2\nd\x1b[31mog\xff 1 2\n");
  const Arguments ask = {"nn", vectors, "cat"};
  EXPECT_THAT(RunFirth(ask).out, HasSubstr("d\x1b[31mog\xff"));
  EXPECT_THAT(
      OnTerminal(ProgramPath() + " nn " + vectors + " cat"),
      AllOf(HasSubstr("d\\x1b[31mog\\xff"), Not(HasSubstr("\x1b[31m"))));
  const Outcome none = RunFirth({"info", Path("no\x1b]0;title\x07.bin")});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, AllOf(HasSubstr("no\\x1b]0;title\\x07.bin"),
                              Not(HasSubstr("\x1b"))));
}

TEST_F(ForeignBytesTest, AByteOrderMarkBelongsToNoWord) {
  const std::string text = File("text", TwoTopicText(40));
  const Outcome given = RunFirth(
      Train(text, Path("v.txt")) +
      Arguments{"--vocab", File("words", kMark + std::string("cat\n"
                                                             "dog\n"))});
  EXPECT_EQ(given.code, 0) << given.err;
  EXPECT_THAT(ReadWholeFile(Path("v.txt")), HasSubstr("\ncat "));
  for (const char* rows : {"2 2\ncat 1 2\ndog 1 2\n", "cat 1 2\ndog 1 2\n"}) {
    SCOPED_TRACE(rows);
    const Outcome asked =
        RunFirth({"nn", File("marked.txt", std::string(kMark) + rows), "cat"});
    EXPECT_EQ(asked.code, 0) << asked.err;
    const Outcome piped = RunFirth({"nn", Path("marked.txt")},
                                   {.input = std::string(kMark) + "dog\n"});
    EXPECT_EQ(piped.code, 0) << piped.err;
    EXPECT_THAT(piped.out, HasSubstr("cat"));
  }
}

// A word of its own may begin with it: what is written is read back.
TEST_F(ForeignBytesTest, AWordThatBeginsWithAByteOrderMarkIsKept) {
  const std::string word = std::string(kMark) + "cat";
  const std::string vectors = File("v.txt", "1 2\n" + word + " 1 2\n");
  for (const char* name : {"w.glove", "w.npy", "w.txt"}) {
    SCOPED_TRACE(name);
    ASSERT_EQ(RunFirth({"convert", vectors, Path(name)}).code, 0);
    ASSERT_EQ(RunFirth({"convert", Path(name), Path("back.txt")}).code, 0);
    EXPECT_EQ(ReadWholeFile(Path("back.txt")), "1 2\n" + word + " 1 2\n");
  }
}

TEST_F(ForeignBytesTest, AClosedTerminalKeepsWhatHasBeenLearnt) {
  const std::string output = Path("v.bin");
  RunningFirth running(
      Train(File("text", TwoTopicText(400)), output) +
      Arguments{"--epochs", "10000", "--sample", "0", "--negative", "100"});
  ASSERT_TRUE(running.WaitForError("  memory "));
  // The shell and the kernel may both send one.
  running.Signal(SIGHUP);
  running.Signal(SIGHUP);
  const Outcome outcome = running.Wait();
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("interrupted; writing what"));
  EXPECT_TRUE(std::filesystem::exists(output));
}

TEST_F(ForeignBytesTest, LinesOfTheAccountFitATerminal) {
  const Outcome trained =
      RunFirth(Train(File("text", TwoTopicText(40)), Path("v.bin")));
  ASSERT_EQ(trained.code, 0) << trained.err;
  const size_t begin = trained.err.find("  memory ");
  ASSERT_NE(begin, std::string::npos);
  const std::string line =
      trained.err.substr(begin, trained.err.find('\n', begin) - begin);
  EXPECT_LE(line.size(), 80u) << line;
  EXPECT_THAT(line, AllOf(HasSubstr("tables "), HasSubstr("available ")));
}

TEST_F(ForeignBytesTest, ValidationThatMeasuresNothingIsRefused) {
  const std::string text = File("text", TwoTopicText(40));
  const std::string strange = File("strange", "no such words\ncat\n cat dog\n");
  struct Case {
    Arguments options;
    const char* message;
  };
  const Case cases[] = {
      {{"--valid", strange},
       "valid: expected at least 100 tokens of known words with another known "
       "word in their line, found 2 among 6 tokens (3 of them known)"},
      {{"--eval-analogies", File("questions", ": x\nking queen man woman\n")},
       "needs at least 1 question whose words are all in the vocabulary, found "
       "0 of 1"},
      {{"--eval-similarity", File("pairs", "cat dog 7\nsun moon 3\n")},
       "needs at least 3 pairs whose words are all in the vocabulary, found 1 "
       "of 2"}};
  for (const Case& c : cases) {
    const Outcome refused = RunFirth(Train(text, Path("v.bin")) + c.options);
    EXPECT_EQ(refused.code, 1) << refused.err;
    EXPECT_THAT(refused.err,
                AllOf(HasSubstr(c.message), Not(HasSubstr("  valid "))));
  }
  const Outcome model = RunFirth({"lm", "train", "--input", text, "--output",
                                  Path("m.safetensors"), "--units", "4",
                                  "--valid", strange, "--min-count", "1"});
  EXPECT_EQ(model.code, 1) << model.err;
  EXPECT_THAT(model.err,
              HasSubstr("valid: expected at least 100 tokens of words that are "
                        "predicted, found 3 among 6 tokens"));
}

}  // namespace
}  // namespace firth
