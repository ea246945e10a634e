// Names of hosts and files of tokens, right and wrong.

#include "tools/serve/access_rules.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth::tools {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(HostNamesTest, AreNamesWithoutSchemePortAndPath) {
  const auto names = HostNames("Words.example.org, b_2.local,::1,192.0.2.1");
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_THAT(*names, ElementsAre("words.example.org", "b_2.local", "::1",
                                  "192.0.2.1"));
  for (const char* const wrong :
       {"https://x/", "*", "foo bar", "x:443", "x/y", ".x", "a,", ",", "[::1]",
        "w\xc3\xb6rter.example"}) {
    const auto none = HostNames(wrong);
    ASSERT_FALSE(none.ok()) << wrong;
    EXPECT_THAT(none.status().message(),
                AllOf(HasSubstr("--allow-host: expected host names such as "
                                "words.example.org"),
                      HasSubstr("every port of a name is allowed")));
  }
}

TEST(ReadTokenTest, SaysWhatTheFileHasInsteadOfAToken) {
  const TempFolder folder;
  const auto read = [&](const std::string& text) {
    const std::string path = folder.Write("token", text);
    chmod(path.c_str(), 0600);
    return ReadToken(path);
  };
  EXPECT_EQ(*read(" 0123456789abcdef\r\n"), "0123456789abcdef");
  struct Case {
    std::string text;
    std::string found;
  };
  for (const Case& c :
       {Case{"\n", "found an empty file"}, Case{"0123456789abcde", "found 15"},
        Case{std::string(1025, 'x'), "found 1025"},
        Case{"0123456789abcdef\n0123456789abcdef\n", "found 2 lines"},
        Case{"0123456789 abcdef", "found a space"},
        Case{"0123456789\tabcdef", "found the byte 0x09"},
        Case{"0123456789abcdef\xc3\xa4", "found the byte 0xc3"},
        Case{"\xef\xbb\xbf"
             "0123456789abcdef",
             "found a byte order mark"}}) {
    const auto token = read(c.text);
    ASSERT_FALSE(token.ok()) << c.found;
    EXPECT_THAT(token.status().message(),
                AllOf(HasSubstr("must have 16 to 1024 visible ASCII"),
                      HasSubstr(c.found)));
  }
  EXPECT_THAT(ReadToken(folder.path()).status().message(),
              HasSubstr("expected a file with a token, found a folder"));
}

TEST(ReadTokenTest, TheOwnerMustBeThisUserOrRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const TempFolder folder;
  const std::string path = folder.Write("token", "0123456789abcdef");
  ASSERT_EQ(chmod(path.c_str(), 0444), 0);
  EXPECT_TRUE(ReadToken(path).ok());
  ASSERT_EQ(chown(path.c_str(), 12345, 12345), 0);
  EXPECT_THAT(ReadToken(path).status().message(),
              AllOf(HasSubstr("user 12345 owns this file and could therefore "
                              "change the token"),
                    HasSubstr("\"sudo chown 0 FILE\""),
                    HasSubstr("\"install -m 400 FILE COPY\"")));
}

}  // namespace
}  // namespace firth::tools
