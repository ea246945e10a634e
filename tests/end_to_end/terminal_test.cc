// What a person at a terminal meets.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/run_program.h"
#include "support/terminal.h"

namespace firth {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class TerminalTest : public ProgramTest {
 protected:
  // Two directions of meaning; the cosine is 1 within one and 0 across.
  std::string Vectors() const {
    return File("v.txt", "4 2\nbar 1 0\nbank 1 0\ncat 0 1\ndog 0 1\n");
  }
};

TEST_F(TerminalTest, StylesAreForTerminalsThatWantThem) {
  const std::vector<std::string> arguments = {"nn",  Vectors(), "cat",
                                              "bar", "--top",   "1"};
  {
    FirthAtTerminal firth(arguments);
    EXPECT_EQ(firth.WaitForEnd(), 0);
    EXPECT_THAT(firth.shown(), AllOf(HasSubstr("\x1b[1mcat\x1b[0m\r\n  dog  "
                                               "\x1b[2m1.0000\x1b[0m\r\n"),
                                     HasSubstr("\x1b[1mbar\x1b[0m\r\n")));
  }
  for (const char* setting : {"NO_COLOR=1", "TERM=dumb", "TERM="}) {
    FirthAtTerminal firth(arguments, {setting});
    EXPECT_EQ(firth.WaitForEnd(), 0);
    EXPECT_THAT(firth.shown(), AllOf(HasSubstr("cat\r\n  dog  1.0000\r\n"),
                                     Not(HasSubstr("\x1b"))))
        << setting;
  }
  EXPECT_THAT(RunFirth(arguments).out, Not(HasSubstr("\x1b")));
}

TEST_F(TerminalTest, StylesLetNoOtherSequencesThrough) {
  const std::string vectors =
      File("v.txt", "3 1\n\x1b[2mx\x1b[31m 1\ny\x1b[1m 1\nplain 1\n");
  FirthAtTerminal firth({"nn", vectors, "plain", "\x1b[2mx\x1b[31m"});
  EXPECT_EQ(firth.WaitForEnd(), 0);
  EXPECT_THAT(
      firth.shown(),
      AllOf(HasSubstr("  \\x1b[2mx\\x1b[31m  "), HasSubstr("  y\\x1b[1m  "),
            HasSubstr("\x1b[1m\\x1b[2mx\\x1b[31m\x1b[0m")));
}

TEST_F(TerminalTest, ErrorsAreMarkedRed) {
  const std::vector<std::string> arguments = {"nn", Path("missing")};
  FirthAtTerminal firth(arguments);
  EXPECT_EQ(firth.WaitForEnd(), 1);
  EXPECT_THAT(firth.shown(),
              HasSubstr("\x1b[31mfirth:\x1b[0m " + Path("missing") + ": "));
  FirthAtTerminal plain(arguments, {"NO_COLOR=1"});
  EXPECT_EQ(plain.WaitForEnd(), 1);
  EXPECT_THAT(plain.shown(), AllOf(HasSubstr("firth: " + Path("missing")),
                                   Not(HasSubstr("\x1b"))));
}

TEST_F(TerminalTest, ColumnsOfWideCharactersAreAligned) {
  const std::string vectors =
      File("v.txt", "3 1\nx 1\n\xE6\x97\xA5\xE6\x9C\xAC 1\ncafe\xCC\x81 1\n");
  EXPECT_EQ(RunFirth({"nn", vectors, "x"}).out,
            "\xE6\x97\xA5\xE6\x9C\xAC  1.0000\ncafe\xCC\x81  1.0000\n");
}

}  // namespace
}  // namespace firth
