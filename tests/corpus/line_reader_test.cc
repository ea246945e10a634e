#include "corpus/byte_source.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/compress.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Every line with its number, and its end where that is not "\n".
std::vector<std::string> NumberedLines(std::vector<std::string> paths) {
  LineReader reader(std::move(paths), nullptr);
  std::vector<std::string> lines;
  while (!reader.Done()) {
    absl::string_view line;
    const absl::StatusOr<bool> got = reader.Next(&line);
    if (!got.ok()) {
      lines.emplace_back(got.status().message());
      break;
    }
    if (!*got) {
      reader.NextFile();
      continue;
    }
    lines.push_back(absl::StrCat(reader.line(), " ", line,
                                 reader.line_end() == "\n"     ? ""
                                 : reader.line_end() == "\r\n" ? " CRLF"
                                                               : " end"));
  }
  return lines;
}

TEST(LineReaderTest, LinesOfAllFilesComeWithTheirNumbersAndEnds) {
  const TempFolder folder;
  const std::string one = folder.Write("one",
                                       "\xEF\xBB\xBF"
                                       "a\nb \r\n\nc");
  const std::string none = folder.Write("none", "");
  const std::string two = folder.Write("two", Gzip("\r\nd\re\n"));
  EXPECT_THAT(
      NumberedLines({one, none, two}),
      ElementsAre("1 a", "2 b  CRLF", "3 ", "4 c end", "1  CRLF", "2 d\re"));
}

TEST(LineReaderTest, LinesMayBeLongerThanWhatIsReadAtOnce) {
  const TempFolder folder;
  const std::string long_line(300000, 'x');
  const std::string path = folder.Write("long", "a\n" + long_line + "\r\nb\n");
  EXPECT_THAT(NumberedLines({path}),
              ElementsAre("1 a", "2 " + long_line + " CRLF", "3 b"));
}

TEST(LineReaderTest, LongLinesAreLeftOutOnRequest) {
  const TempFolder folder;
  const std::string endless(3 * kMostLineBytes, 'x');
  LineReader reader(
      {folder.Write("first", endless + "\nb\n" + endless + "\r\nd"),
       folder.Write("last", "e\n" + endless)},
      nullptr, LongLines::kLeftOut);
  std::vector<std::string> lines;
  while (!reader.Done()) {
    absl::string_view line;
    const absl::StatusOr<bool> got = reader.Next(&line);
    ASSERT_TRUE(got.ok()) << got.status();
    if (*got) {
      EXPECT_TRUE(!reader.IsLeftOut() || line.empty());
      lines.push_back(absl::StrCat(reader.line(), " ",
                                   reader.IsLeftOut() ? "left out" : line));
    } else {
      reader.NextFile();
    }
  }
  EXPECT_THAT(lines, ElementsAre("1 left out", "2 b", "3 left out", "4 d",
                                 "1 e", "2 left out"));
}

TEST(LineReaderTest, EndlessLinesAndBinaryFilesAreRefusedWithTheirPlace) {
  const TempFolder folder;
  const std::string path =
      folder.Write("endless", "a\n" + std::string(kMostLineBytes + 70000, 'x'));
  EXPECT_THAT(NumberedLines({path}),
              ElementsAre("1 a", path + ":2: expected a line of at most "
                                        "16777216 bytes"));
  const std::string binary =
      folder.Write("binary", absl::string_view("a\0b\0\n\0", 6));
  EXPECT_THAT(NumberedLines({binary}),
              ElementsAre(HasSubstr(binary + ": expected text, found 3 NUL")));
}

}  // namespace
}  // namespace firth
