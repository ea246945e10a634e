// mk/compile_batch and mk/parse_header, which make the build faster where the
// compiler can do it and must not stop it where it cannot. Mostly the
// compiler is a stand-in whose objects are texts. In addition,
// mk/compile_commands, which describes the build to other tools.

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "distro/stand_ins.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/run_shell.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Compiles SOURCE by copying it after "-o"; a source with "error" fails, and
// "-r" joins objects. `refuses` is a case of sh, over all arguments, that
// fails.
std::string Compiler(const std::string& refuses) {
  return absl::StrCat("case \"$*\" in ", refuses,
                      ") echo refused >&2; exit 1 ;; esac\n"
                      "sources=; depends=/dev/null\n"
                      "while [ $# -gt 0 ]; do case $1 in\n"
                      "  -o) object=$2; shift ;;\n"
                      "  -MF) depends=$2; shift ;;\n"
                      "  -include|-MT) shift ;;\n"
                      "  *.cc|*.o|*.h) sources=\"$sources $1\" ;;\n"
                      "esac; shift; done\n"
                      "if grep -q error $sources; then\n"
                      "  echo \"$sources: an error\" >&2; exit 1; fi\n"
                      "cat $sources >\"$object\"; echo deps >\"$depends\"");
}

class CompileTest : public testing::Test {
 protected:
  CompileTest()
      : system_({"sh", "sed", "cat", "rm", "mkdir", "basename", "grep"}) {
    system_.folder().Write("a.cc", "a\n");
    system_.folder().Write("b.cc", "b\n");
    system_.folder().Write("batch_1.cc",
                           "#include \"a.cc\"\n#line 1 \"b.cc\"\nb, copied\n");
  }

  ShellOutcome CompileBatch() {
    return system_.Run(absl::StrCat("'", SourcePath("mk/compile_batch"),
                                    "' batch_1.cc batch_1.o cxx -O9"));
  }
  ShellOutcome ParseHeader() {
    system_.folder().Write("all.h", "everything\n");
    system_.Run("mkdir parsed");
    return system_.Run(absl::StrCat("'", SourcePath("mk/parse_header"),
                                    "' all.h parsed/lib.h cxx -O9"));
  }

  StandIns system_;
};

TEST_F(CompileTest, ABatchIsCompiledAtOnce) {
  system_.Provide("cxx", Compiler("nothing"));
  const ShellOutcome outcome = CompileBatch();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, IsEmpty());
  EXPECT_THAT(system_.Read("batch_1.o"), HasSubstr("b, copied"));
  EXPECT_EQ(system_.Calls(), "cxx -O9 -c batch_1.cc -o batch_1.o\n");
}

TEST_F(CompileTest, TheFilesOfABatchThatFailsAreCompiledOneByOneAndJoined) {
  system_.Provide("cxx", Compiler("*-c*batch_1.cc*"));
  const ShellOutcome outcome = CompileBatch();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("trying its files one by one"));
  EXPECT_EQ(system_.Read("batch_1.o"), "a\nb\n");
  EXPECT_EQ(system_.Read("batch_1.d"), "deps\ndeps\n");
}

// With -fopenmp GCC joins its OpenMP library into an object, which cannot be
// linked into a shared library then.
TEST_F(CompileTest, NoLibraryIsJoinedIntoAnObject) {
  const TempFolder folder;
  folder.Write("a.cc", "int a;\nvoid A() {\n#pragma omp parallel\n  ++a;\n}\n");
  folder.Write("batch.cc", "an error\n#include \"a.cc\"\n");
  const ShellOutcome outcome = RunShell(absl::StrCat(
      "cd '", folder.path(), "' && '", SourcePath("mk/compile_batch"),
      "' batch.cc batch.o ${CXX:-c++} -fopenmp -fPIC -MMD && ",
      "${CXX:-c++} -fopenmp -shared -o batch.so batch.o && nm batch.o | wc "
      "-l"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  int symbols = 0;
  const std::vector<absl::string_view> lines =
      absl::StrSplit(absl::StripAsciiWhitespace(outcome.output), '\n');
  ASSERT_TRUE(absl::SimpleAtoi(lines.back(), &symbols)) << outcome.output;
  EXPECT_LT(symbols, 20);
}

TEST_F(CompileTest, NamesThatFilesOfABatchShareArePrintedWithTheirPlaces) {
  const TempFolder folder;
  folder.Write("a.cc",
               "namespace {\nint Most(int a) { return a; }\n"
               "struct Place { int at; };\n}\n"
               "int A(Place a) { return Most(a.at); }\n");
  folder.Write("b.cc",
               "namespace {\n\nstruct Place { int at; };\n"
               "int Most(int b) { return b; }\n}\n"
               "int B(Place b) { return Most(b.at); }\n");
  folder.Write("batch.cc", "#include \"a.cc\"\n#include \"b.cc\"\n");
  const ShellOutcome outcome = RunShell(absl::StrCat(
      "cd '", folder.path(), "' && '", SourcePath("mk/compile_batch"),
      "' batch.cc batch.o ${CXX:-c++} -MMD"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("\n    Place: a.cc:3 and b.cc:3\n"
                                        "    Most: a.cc:2 and b.cc:4\n"
                                        "  rename one of each"));
}

TEST_F(CompileTest, CommandsOfTheBuildBecomeACompilationDatabase) {
  const ShellOutcome outcome = RunShell(absl::StrCat(
      "cd / && printf '%s\\n' 'mkdir -p o' 'cxx -DV='\\''\"1\"'\\'"
      "' -c a.cc -o o/a.o' 'cc -c b.c -o b.o' 'cxx o/a.o -o a' | '",
      SourcePath("mk/compile_commands"), "'"));
  EXPECT_EQ(outcome.output,
            "[\n{\"directory\": \"/\", \"file\": \"a.cc\", \"command\": "
            "\"cxx -DV='\\\"1\\\"' -c a.cc -o o/a.o\"},\n"
            "{\"directory\": \"/\", \"file\": \"b.c\", \"command\": "
            "\"cc -c b.c -o b.o\"}\n]\n");
}

TEST_F(CompileTest, AnErrorInAFileOfABatchIsReportedAndFails) {
  system_.folder().Write("b.cc", "error\n");
  system_.folder().Write("batch_1.cc",
                         "error\n#include \"a.cc\"\n"
                         "#include \"b.cc\"\n");
  system_.Provide("cxx", Compiler("nothing"));
  const ShellOutcome outcome = CompileBatch();
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("b.cc: an error"));
  EXPECT_THAT(system_.Read("batch_1.o"), IsEmpty());
}

TEST_F(CompileTest, AHeaderThatCanBeUsedStaysParsed) {
  system_.Provide("cxx", Compiler("nothing"));
  const ShellOutcome outcome = ParseHeader();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, IsEmpty());
  EXPECT_EQ(system_.Read("parsed/lib.h.gch"), "everything\n");
  EXPECT_EQ(system_.Read("parsed/lib.h"), "#include \"all.h\"\n");
}

// GCC accepts what was parsed with other options only to read past it.
TEST_F(CompileTest, AHeaderThatCannotBeUsedOrMadeIsIncludedInstead) {
  for (const char* refused : {"*-Winvalid-pch*", "*c++-header*"}) {
    SCOPED_TRACE(refused);
    system_.Provide("cxx", Compiler(refused));
    const ShellOutcome outcome = ParseHeader();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("no precompiled header"));
    EXPECT_THAT(system_.Read("parsed/lib.h.gch"), IsEmpty());
    EXPECT_EQ(system_.Read("parsed/lib.h"), "#include \"all.h\"\n");
    EXPECT_EQ(system_.Read("parsed/lib.h.log"), "refused\n");
  }
}

}  // namespace
}  // namespace firth
