// mk/packages, with stand-ins for the package managers and the compiler.

#include <string>

#include "absl/strings/str_cat.h"
#include "distro/stand_ins.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/run_shell.h"

namespace firth {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class PackagesTest : public testing::Test {
 protected:
  // An ordinary user's machine with nothing on it.
  PackagesTest()
      : system_({"sh", "awk", "sed", "tr", "sort", "cat", "dirname", "env"}) {
    system_.Provide("id", "echo 1000");
  }

  // All that the table names is here, except Highway and Boost's options.
  void ProvideAllButTwo() {
    system_.Provide("pkg-config", "[ \"$2\" != libhwy ]");
    system_.Provide("g++",
                    "case $* in *boost_program_options*) exit 1 ;; esac");
    for (const char* name : {"make", "esbuild", "python3"}) {
      system_.Provide(name, "");
    }
  }

  ShellOutcome Packages(const std::string& names,
                        const std::string& variables = "DEPS=") {
    return system_.Run(absl::StrCat(variables, " CXX=g++ PYTHON=python3 '",
                                    SourcePath("mk/packages"), "' ", names));
  }

  StandIns system_;
};

constexpr char kSome[] =
    "g++ make libhwy-dev libboost-program-options-dev libboost-iostreams-dev "
    "libutf8proc-dev esbuild python3-numpy";

TEST_F(PackagesTest, WithoutDpkgContinuesIfNothingIsMissing) {
  ProvideAllButTwo();
  const ShellOutcome outcome =
      Packages("g++ make libboost-iostreams-dev libutf8proc-dev python3-numpy");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, IsEmpty());
}

TEST_F(PackagesTest, WithoutDpkgNamesWhatIsMissingAndTheCommand) {
  ProvideAllButTwo();
  const struct {
    const char* manager;
    const char* command;
  } kSystems[] = {{"dnf", "  dnf install boost-devel highway-devel\n"},
                  {"pacman", "  pacman -S boost highway\n"},
                  {"brew", "  brew install boost highway\n"}};
  for (const auto& [manager, command] : kSystems) {
    SCOPED_TRACE(manager);
    system_.Provide(manager, "");
    const ShellOutcome outcome = Packages(kSome);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.output,
                HasSubstr(": libhwy-dev libboost-program-options-dev\n"));
    EXPECT_THAT(outcome.output, HasSubstr(command));
    EXPECT_THAT(outcome.output, HasSubstr("make DEPS=skip"));
    EXPECT_THAT(system_.Calls(), Not(HasSubstr(manager)));
    system_.Remove(manager);
  }
}

TEST_F(PackagesTest, NamesWhereToFindWhatASystemDoesNotPackage) {
  system_.Provide("pkg-config", "exit 1");
  system_.Provide("dnf", "");
  const ShellOutcome outcome = Packages("libmurmurhash-dev");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output,
              HasSubstr("  libmurmurhash-dev: not packaged here; "));
}

TEST_F(PackagesTest, WithoutRootAndSudoPrintsTheCommandForApt) {
  ProvideAllButTwo();
  system_.Provide("dpkg-query",
                  "case $3 in make) echo 'install ok installed' ;; esac");
  system_.Provide("apt-get", "");
  const ShellOutcome outcome = Packages(kSome);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output,
              HasSubstr("  apt-get install --no-install-recommends libhwy-dev "
                        "libboost-program-options-dev\n"));
  EXPECT_THAT(system_.Calls(), Not(HasSubstr("apt-get")));
}

TEST_F(PackagesTest, AsRootInstallsOnlyWhatIsMissingAndWaitsForAnotherApt) {
  system_.Provide("id", "echo 0");
  system_.Provide("dpkg-query",
                  "case $3 in make) echo 'install ok installed' ;; esac");
  system_.Provide("apt-get", "");
  const ShellOutcome outcome = Packages("make libhwy-dev esbuild");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(system_.Calls(),
              HasSubstr("apt-get -o DPkg::Lock::Timeout=900 update"));
  EXPECT_THAT(system_.Calls(),
              ContainsRegex("apt-get install .*DPkg::Lock::Timeout=900"
                            ".* libhwy-dev esbuild *\n"));
}

TEST_F(PackagesTest, WithoutRootUsesSudo) {
  system_.Provide("dpkg-query", "exit 1");
  system_.Provide("sudo", "\"$@\"");
  system_.Provide("apt-get", "");
  EXPECT_EQ(Packages("libhwy-dev").exit_code, 0);
  EXPECT_THAT(system_.Calls(), HasSubstr("sudo apt-get"));
}

TEST_F(PackagesTest, WhenAptFailsWhatIsProvidedOtherwiseStillCounts) {
  ProvideAllButTwo();
  system_.Provide("id", "echo 0");
  system_.Provide("dpkg-query", "exit 1");
  system_.Provide("apt-get", "exit 100");
  EXPECT_EQ(Packages("libutf8proc-dev make").exit_code, 0);
  const ShellOutcome outcome = Packages("libutf8proc-dev libhwy-dev");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("apt-get failed"));
  EXPECT_THAT(outcome.output, HasSubstr(": libhwy-dev\n"));
}

TEST_F(PackagesTest, DepsSkipDoesNothing) {
  system_.Provide("id", "echo 0");
  system_.Provide("dpkg-query", "exit 1");
  system_.Provide("apt-get", "exit 9");
  EXPECT_EQ(Packages(kSome, "DEPS=skip").exit_code, 0);
  EXPECT_THAT(system_.Calls(), IsEmpty());
}

}  // namespace
}  // namespace firth
