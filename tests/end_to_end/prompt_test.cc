// What a person meets who types questions at a terminal.

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/model/language_model_file.h"
#include "lm/tiny_language_model.h"
#include "support/run_program.h"
#include "support/terminal.h"

namespace firth {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr char kCtrlC[] = "\x03";
constexpr char kCtrlD[] = "\x04";
constexpr char kUp[] = "\x1b[A";

class PromptTest : public ProgramTest {
 protected:
  // Two directions of meaning; the cosine is 1 within one and 0 across.
  std::string Vectors() const {
    return File("v.txt",
                "8 2\nbar 1 0\nbank 1 0\nbanker 1 0\ncat 0 1\ndog 0 1\n"
                "help 0 1\nquit 1 0\n\xE5\xA4\xA7 0 1\n");
  }
  std::string HomeSetting() const { return "HOME=" + Path(""); }
  std::vector<std::string> Environment() const {
    return {HomeSetting(), "XDG_STATE_HOME=" + Path("state")};
  }
};

TEST_F(PromptTest, TabCompletesWordsOfTheVocabulary) {
  FirthAtTerminal firth({"nn", Vectors(), "--top", "1"}, Environment());
  ASSERT_TRUE(firth.Shows("word> "));
  firth.Type("do\tba\t");
  // The most frequent one first, and the line again as it was.
  ASSERT_TRUE(firth.Shows("bar  bank  banker\r\n"));
  ASSERT_TRUE(firth.Shows("word> dog ba"));
  firth.Type("nke\t\xE5\xA4\xA7\t\r");
  for (const char* asked : {"dog", "banker", "\xE5\xA4\xA7"}) {
    EXPECT_TRUE(firth.Shows(std::string("\x1b[1m") + asked + "\x1b[0m\r\n  "));
  }
  firth.Type(kCtrlD);
  EXPECT_EQ(firth.WaitForEnd(), 0);
}

TEST_F(PromptTest, ManyCompletionsAreCutAndCounted) {
  std::string text = "200 1\n";
  for (int i = 100; i < 300; ++i) text += "w" + std::to_string(i) + " 1\n";
  FirthAtTerminal firth({"nn", File("many.txt", text)}, Environment());
  ASSERT_TRUE(firth.Shows("word> "));
  firth.Type("w\t");
  EXPECT_TRUE(firth.Shows("w100  w101  w102"));
  EXPECT_TRUE(firth.Shows("w129  ... 170 more\r\n"));
}

TEST_F(PromptTest, CtrlCDropsTheLine) {
  FirthAtTerminal firth({"odd", Vectors()}, Environment());
  ASSERT_TRUE(firth.Shows("words> "));
  firth.Type("nonsense");
  ASSERT_TRUE(firth.Shows("nonsense"));
  firth.Type(kCtrlC);
  ASSERT_TRUE(firth.Shows("^C\r\nwords> "));
  firth.Type(kCtrlC);  // where there is nothing to drop
  ASSERT_TRUE(firth.Shows("^C\r\nwords> "));
  firth.Type("bar cat dog\r");
  ASSERT_TRUE(firth.Shows("\r\nbar\r\nwords> "));
  firth.Type(kCtrlD);
  EXPECT_EQ(firth.WaitForEnd(), 0);
  EXPECT_THAT(firth.shown(), Not(HasSubstr("unknown")));
}

TEST_F(PromptTest, HistoryGoesFromOneSessionToTheNext) {
  const std::string vectors = Vectors();
  {
    FirthAtTerminal first({"nn", vectors, "--top", "1"}, Environment());
    ASSERT_TRUE(first.Shows("word> "));
    first.Type("cat\r");
    ASSERT_TRUE(first.Shows("word> "));
    first.Type("quit\r");
    EXPECT_EQ(first.WaitForEnd(), 0);
  }
  const std::string kept = Path("state/firth/history");
  EXPECT_EQ(ReadWholeFile(kept), "cat\n");
  struct stat found {};
  ASSERT_EQ(stat(kept.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  FirthAtTerminal second({"similarity", vectors}, Environment());
  ASSERT_TRUE(second.Shows("word other> "));
  second.Type(std::string(kUp) + " dog\r");
  ASSERT_TRUE(second.Shows("1.0000"));
  EXPECT_TRUE(
      Eventually([&] { return ReadWholeFile(kept) == "cat\ncat dog\n"; }));
}

TEST_F(PromptTest, LinesOfAnotherEncodingDoNotHideEarlierOnes) {
  std::filesystem::create_directories(Path("state/firth"));
  File("state/firth/history", "cat\n\xFF\n\xE5\xA4\n");
  FirthAtTerminal firth({"similarity", Vectors()}, Environment());
  ASSERT_TRUE(firth.Shows("word other> "));
  firth.Type(std::string(kUp) + " dog\r");
  EXPECT_TRUE(firth.Shows("1.0000"));
}

TEST_F(PromptTest, WhereNoHistoryCanBeKeptAllElseGoesOn) {
  FirthAtTerminal firth({"nn", Vectors(), "--top", "1"},
                        {HomeSetting(), "XDG_STATE_HOME=" + Vectors()});
  ASSERT_TRUE(firth.Shows("word> "));
  firth.Type("cat\r");
  ASSERT_TRUE(firth.Shows("word> "));
  firth.Type("exit\r");
  EXPECT_EQ(firth.WaitForEnd(), 0);
  EXPECT_THAT(firth.shown(), Not(HasSubstr("history")));
}

TEST_F(PromptTest, HelpSaysWhatCanBeTypedAndHowItIsAskedAbout) {
  const std::string vectors = Vectors();
  FirthAtTerminal firth({"nn", vectors}, Environment());
  ASSERT_TRUE(firth.Shows("word> "));
  firth.Type(" help \r");
  EXPECT_TRUE(firth.Shows("quit or exit  ends"));
  EXPECT_TRUE(firth.Shows("\r\n  firth nn " + vectors + " help\r\nword> "));
  firth.Type(" quit\r");
  EXPECT_EQ(firth.WaitForEnd(), 0);
  EXPECT_THAT(RunFirth({"nn", vectors, "help", "--top", "1"}).out,
              HasSubstr("cat"));
  // Only a person is answered so.
  const Outcome piped =
      RunFirth({"nn", vectors, "--top", "1"}, {.input = "quit\nhelp\n"});
  EXPECT_THAT(piped.out, AllOf(HasSubstr("quit\n  "), HasSubstr("help\n  ")));
}

TEST_F(PromptTest, EmbedAnswersALineAndEndsAtOneCtrlD) {
  const std::string model = Path("lm.safetensors");
  ASSERT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kBoth), model),
            absl::OkStatus());
  const Outcome piped = RunFirth({"embed", model}, {.input = "the cat\n"});
  ASSERT_EQ(piped.code, 0) << piped.err;
  FirthAtTerminal firth({"embed", model}, Environment());
  ASSERT_TRUE(firth.Shows("sentence> "));
  firth.Type("the cat\r");
  ASSERT_TRUE(firth.Shows("\r\n"));
  std::string answer = piped.out;
  for (size_t i = 0; (i = answer.find('\n', i)) != answer.npos; i += 2) {
    answer.insert(i, "\r");
  }
  EXPECT_TRUE(firth.Shows(answer + "sentence> "));
  firth.Type(kCtrlD);
  EXPECT_EQ(firth.WaitForEnd(), 0);
}

TEST_F(PromptTest, CtrlDTypedBeforeTheEditorListensEnds) {
  FirthAtTerminal firth({"nn", Vectors()}, Environment());
  ASSERT_TRUE(firth.Shows("word> "));
  // What the editor finds of such a Ctrl-D; within a line it does nothing.
  const std::string zero(1, '\0');
  firth.Type("do" + zero + "g\r");
  ASSERT_TRUE(firth.Shows("g\r\ncat "));
  ASSERT_TRUE(firth.Shows("word> "));
  firth.Type(zero);
  EXPECT_EQ(firth.WaitForEnd(), 0);
}

TEST_F(PromptTest, SentencesAreCompletedAndAnswered) {
  FirthAtTerminal firth({"sentence-vectors", Vectors()}, Environment());
  ASSERT_TRUE(firth.Shows("sentence> "));
  firth.Type("do\t\r");
  EXPECT_TRUE(firth.Shows("\r\n0 1\r\nsentence> "));
  firth.Type(kCtrlD);
  EXPECT_EQ(firth.WaitForEnd(), 0);
}

}  // namespace
}  // namespace firth
