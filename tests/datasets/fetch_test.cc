// datasets/fetch, with small files behind file:// addresses and stand-ins for
// curl and wget: no network, and nothing to install.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/run_shell.h"

namespace firth {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kHelloSum[] =
    "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";
constexpr char kOtherSum[] =
    "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be00";

class FetchTest : public testing::Test {
 protected:
  void SetUp() override {
    const testing::TestInfo* test =
        testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(testing::TempDir()) /
            absl::StrCat("firth_fetch_", getpid(), "_", test->name());
    fs::create_directories(root_ / "bin");
    Write("hello.txt", "hello\n");
    const std::string url = absl::StrCat("file://", root_.string());
    Write("table", absl::StrCat("# name, sum, address, what\n\n",  //
                                "good ", kHelloSum, " ", url, "/hello.txt ",
                                "a greeting\n",  //
                                "bad ", kOtherSum, " ", url, "/hello.txt ",
                                "a wrong sum\n",  //
                                "unknown unverified ", url, "/hello.txt ",
                                "no sum\n",  //
                                "gone ", kHelloSum, " ", url, "/gone.txt ",
                                "no file\n"));
  }
  void TearDown() override { fs::remove_all(root_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(root_ / name, std::ios::binary) << text;
  }

  std::string Read(const std::string& name) {
    std::ifstream file(root_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // Only what is named here is on the path: the tools of the script, and a
  // stand-in for the downloader that takes curl's or wget's options.
  void ProvideTools(const std::string& downloader) {
    for (const char* tool : {"sh", "dirname", "grep", "sha256sum", "cut",
                             "mkdir", "mv", "rm", "cat", "cp"}) {
      RunShell(
          absl::StrCat("ln -s \"$(command -v ", tool, ")\" ", Quoted("bin")));
    }
    if (downloader.empty()) return;
    const std::string place = absl::StrCat("bin/", downloader);
    Write(place,
          "#!/bin/sh\n"
          "while [ $# -gt 1 ]; do case $1 in\n"
          "  --output) to=$2; shift ;;\n"
          "  --output-document=*) to=${1#*=} ;;\n"
          "  --retry) shift ;;\n"
          "esac; shift; done\n"
          "cp \"${1#file://}\" \"$to\"\n");
    fs::permissions(root_ / place, fs::perms::owner_all);
  }

  ShellOutcome Fetch(const std::string& arguments) {
    return RunShell(absl::StrCat("PATH=", Quoted("bin"), " '",
                                 SourcePath("datasets/fetch"), "' --table ",
                                 Quoted("table"), " --to ", Quoted("out"), " ",
                                 arguments));
  }

  std::vector<std::string> Downloaded() {
    std::vector<std::string> names;
    if (!fs::exists(root_ / "out")) return names;
    for (const auto& entry : fs::directory_iterator(root_ / "out")) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

 private:
  std::string Quoted(const std::string& name) {
    return absl::StrCat("'", (root_ / name).string(), "'");
  }

  fs::path root_;
};

TEST_F(FetchTest, KeepsAVerifiedFileWithEitherDownloader) {
  for (const char* downloader : {"curl", "wget"}) {
    ProvideTools(downloader);
    const ShellOutcome outcome = Fetch("good");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_EQ(Read("out/hello.txt"), "hello\n") << downloader;
    EXPECT_THAT(Downloaded(), testing::ElementsAre("hello.txt"));
    TearDown();
    SetUp();
  }
}

TEST_F(FetchTest, DoesNotDownloadAgainWhatIsHereAndRight) {
  ProvideTools("curl");
  ASSERT_EQ(Fetch("good").exit_code, 0);
  ProvideTools("");
  Write("bin/curl", "#!/bin/sh\nexit 9\n");
  const ShellOutcome outcome = Fetch("good");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("hello.txt is already here"));
}

TEST_F(FetchTest, RefusesAWrongSumShowsBothAndLeavesNothing) {
  ProvideTools("curl");
  const ShellOutcome outcome = Fetch("--unverified bad");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output,
              HasSubstr(absl::StrCat("expected ", kOtherSum, "\n")));
  EXPECT_THAT(outcome.output,
              HasSubstr(absl::StrCat("found    ", kHelloSum, "\n")));
  EXPECT_THAT(Downloaded(), IsEmpty());
}

TEST_F(FetchTest, KeepsAFileWithoutASumOnlyWhenAsked) {
  ProvideTools("curl");
  const ShellOutcome refused = Fetch("unknown");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.output, HasSubstr(kHelloSum));
  EXPECT_THAT(refused.output, HasSubstr("--unverified"));
  EXPECT_THAT(Downloaded(), IsEmpty());
  const ShellOutcome kept = Fetch("--unverified unknown");
  EXPECT_EQ(kept.exit_code, 0);
  EXPECT_THAT(kept.output, HasSubstr(kHelloSum));
  EXPECT_EQ(Read("out/hello.txt"), "hello\n");
}

TEST_F(FetchTest, FailedDownloadLeavesNothing) {
  ProvideTools("curl");
  const ShellOutcome outcome = Fetch("gone");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("gone.txt: download failed"));
  EXPECT_THAT(Downloaded(), IsEmpty());
}

TEST_F(FetchTest, SaysWhichToolsItNeeds) {
  ProvideTools("");
  const ShellOutcome outcome = Fetch("good");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output,
              HasSubstr("expected curl or wget, found neither"));
}

TEST_F(FetchTest, ListsNamesWithoutAName) {
  ProvideTools("");
  const ShellOutcome outcome = Fetch("");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output,
            "good               a greeting\n"
            "bad                a wrong sum\n"
            "unknown            no sum [unverified]\n"
            "gone               no file\n");
}

TEST_F(FetchTest, UnknownNameListsWhatThereIs) {
  ProvideTools("");
  const ShellOutcome outcome = Fetch("nosuch");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("nosuch: not in the table"));
  EXPECT_THAT(outcome.output, HasSubstr("a greeting"));
}

// Lines of sha256sum, indented as code.
TEST_F(FetchTest, SumsInTheReadmeAreThoseOfTheFiles) {
  const char* source = std::getenv("FIRTH_SOURCE");
  const ShellOutcome outcome = RunShell(absl::StrCat(
      "cd '", source == nullptr ? "." : source, "/datasets' && ",
      "sed -n '/^    [0-9a-f]\\{64\\}  demo/s/^ *//p' README.md | ",
      "sha256sum --check --strict"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("demo.grammar: OK"));
  EXPECT_THAT(outcome.output, HasSubstr("demo.questions.txt: OK"));
}

TEST_F(FetchTest, MisuseExitsWithTwo) {
  ProvideTools("");
  EXPECT_EQ(Fetch("good bad").exit_code, 2);
  EXPECT_EQ(Fetch("--nosuch").exit_code, 2);
  EXPECT_EQ(Fetch("--to").exit_code, 2);
}

}  // namespace
}  // namespace firth
