// Text vectors as people have them. The rule: a file that a person can read
// without doubt is read, with a warning that names the line; a file in doubt is
// refused, with the line and the way out.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_io::TestFolder;
using testing_io::WordsOf;
using testing_io::WriteBytes;

struct OddText {
  const char* name;
  absl::string_view text;
  std::vector<std::string> words;  // that are read; empty: it is refused
  const char* message;  // after the path: the warning, or the error; "": none
};

const OddText kOddTexts[] = {
    // Bytes around the rows.
    {"byte order mark",
     "\xEF\xBB\xBF"
     "2 2\na 1 2\nb 3 4\n",
     {"a", "b"},
     ""},
    {"CR LF", "2 2\r\na 1 2\r\nb 3 4\r\n", {"a", "b"}, ""},
    {"CR alone",
     "2 2\ra 1 2\rb 3 4\r",
     {},
     ":1: expected lines that end with LF or CR LF, found CR alone; \"tr "},
    {"CR alone after a header",
     "2 2\na 1 2\rb 3 4\r",
     {},
     ":2: expected lines that end with LF or CR LF, found CR alone; \"tr "},
    {"UTF-16",
     absl::string_view("\xFF\xFE"
                       "2\0 \0002\0\n\0",
                       10),
     {},
     ": expected a vector file, found text in UTF-16; \"iconv -f UTF-16"},
    {"tabs", "2 2\na\t1\t2\nb\t3\t4\n", {"a", "b"}, ""},
    {"double spaces", "2 2\na  1  2\nb  3  4\n", {"a", "b"}, ""},
    {"spaces at the end", "2 2 \na 1 2 \nb 3 4\t\n", {"a", "b"}, ""},
    {"no line end",
     "2 2\na 1 2\nb 3 4",
     {"a", "b"},
     ":3: no line end after the last line; if the file was cut"},
    {"no line end, no header", "a 1 2\nb 3 4", {"a", "b"}, ":2: no line end"},
    {"no line end, one row, no header",
     "a 1 2",
     {},
     ":1: expected a line end after the last line, found the end of the file; "
     "the file is cut off"},
    {"no line end after the header",
     "2 2",
     {},
     ":1: expected a line end after the last line, found the end of the file; "
     "the file is cut off"},
    {"no line end, CR", "2 2\na 1 2\r\nb 3 4\r", {"a", "b"}, ":3: no line end"},
    {"spaces after the last line end",
     "2 2\na 1 2\nb 3 4\n  ",
     {"a", "b"},
     ":4: blank line skipped"},
    {"blank last line",
     "2 2\na 1 2\nb 3 4\n\n",
     {"a", "b"},
     ":4: blank line skipped"},
    {"blank last lines, no header",
     "a 1 2\nb 3 4\n\n \r\n",
     {"a", "b"},
     ":3: blank line skipped (and 1 more)"},
    {"blank line between rows",
     "2 2\na 1 2\n\t\nb 3 4\n",
     {"a", "b"},
     ":3: blank line skipped"},
    {"blank first line",
     "\n2 2\na 1 2\nb 3 4\n",
     {"a", "b"},
     ":1: blank line skipped"},
    // The header.
    {"header promises more",
     "9 2\na 1 2\nb 3 4\n",
     {"a", "b"},
     ":1: the header promises 9 words, found 2 lines after it; these lines "
     "were read"},
    {"header promises far more",
     "1000000000000 2\na 1 2\nb 3 4\n",
     {"a", "b"},
     ":1: the header promises 1000000000000 words"},
    {"header promises more, no line end",
     "9 2\na 1 2\nb 3 4",
     {},
     ":1: the header promises 9 words, found 2 lines after it, the last one "
     "without a line end; the file is cut off"},
    {"header promises huge vectors",
     "99999999999 99999999\nw 1 2\n",
     {},
     ":1: the header promises 99999999999 rows of 99999999 values, found 6 "
     "bytes after it, too few for 1 such row"},
    {"header promises fewer",
     "1 2\na 1 2\nb 3 4\n",
     {},
     ":1: the header promises 1 words, found 2 lines after it; if all of them "
     "are words, change the header to \"2 2\""},
    {"header with another dimension",
     "2 3\na 1 2\nb 3 4\n",
     {},
     ":2: expected 3 values after the word, found 2"},
    {"header of dimension 0",
     "2 0\na\nb\n",
     {},
     ":1: expected a dimension above 0, found 0"},
    {"no header", "a 1 2\nb 3 4\n", {"a", "b"}, ""},
    {"header after another file",
     "3 2\na 1 2\n1 2\nb 3 4\n",
     {},
     ":3: expected 2 values after the word, found 1"},
    {"header with three numbers", "2 2 2\na 1 2\nb 3 4\n", {"2", "a", "b"}, ""},
    // Words.
    {"empty word",
     "3 2\na 1 2\n 3 4\nb 5 6\n",
     {"a", "b"},
     ":3: left out a word that is empty or only white space, which a "
     "vocabulary cannot hold"},
    {"word that is a space",
     "3 2\na 1 2\n  3 4\nb 5 6\n",
     {"a", "b"},
     ":3: left out a word that is empty or"},
    {"empty words first and last",
     " 0.5 2\na 3 4\n\t5 6\n",
     {"a"},
     ":1: left out a word that is empty or only white space, which a "
     "vocabulary cannot hold (and 1 more)"},
    {"word after a space", "1 2\n a 1 2\n", {"a"}, ""},
    {"words with spaces", ". . . 1 2\na b 3 4\n", {". . .", "a b"}, ""},
    {"word in quotes", "\"a\" 1 2\n", {"\"a\""}, ""},
    {"NUL byte in a word",
     absl::string_view("1 2\na\0b 1 2\n", 12),
     {std::string("a\0b", 3)},
     ""},
    {"invalid UTF-8", "1 2\n\xB5\xC4 1 2\n", {"\xB5\xC4"}, ""},
    {"word twice",
     "a 1 2\nb 3 4\na 5 6\n",
     {},
     ":3: duplicate word \"a\", which is also at "},
    // Values.
    {"row too short",
     "a 1 2\nb 3\n",
     {},
     ":2: expected 2 values after the word, found 1"},
    {"row too long", "a 1 2\nb 3 4 5\n", {}, ":2: expected 2 values, found 3"},
    {"last row cut",
     "2 2\na 1 2\nb 3",
     {},
     ":3: expected 2 values after the word, found 1; the file ends in this "
     "line, so it is cut off"},
    {"exponents and signs", "a +1 -2e-3\nb .5 5.\n", {"a", "b"}, ""},
    {"nan",
     "a 1 2\nb nan 4\n",
     {},
     ":2: value 1 of word \"b\": expected a finite number, found nan"},
    {"inf",
     "a 1 2\nb 3 inf\n",
     {},
     ":2: value 2 of word \"b\": expected a finite number, found inf"},
    {"hexadecimal",
     "a 1 2\nb 0x1p3 4\n",
     {},
     "\"0x1p3\", which is not a number"},
    {"decimal commas",
     "2 2\na 1,5 2,5\nb 3,5 4,5\n",
     {},
     ":2: expected 2 values after the word, but the last field is \"2,5\", "
     "which is not a "
     "number; numbers need a decimal point and values are separated by spaces, "
     "so replace the commas"},
    {"commas, no spaces",
     "2 2\na,1,2\nb,3,4\n",
     {},
     ":2: expected 2 values after the word, found 0; values are separated by "
     "spaces, so replace the commas"},
    {"commas and spaces",
     "a 1, 2\nb 3, 4\n",
     {},
     ":1: expected a word with its values, found \"a 1, 2\"; numbers need a "
     "decimal point and values are separated by spaces"},
    {"sparse",
     "2 9\na 1:0.5 8:1\nb 2:1\n",
     {},
     ":2: expected 9 values after the word, but the last field is \"8:1\", "
     "which is not a "
     "number; sparse vectors (index:value) are not supported, so write all "
     "values of each word"},
    {"sparse, no header",
     "a 1:0.5 8:1\nb 2:1\n",
     {},
     ":1: expected \"<words> <dim>\" or a word with its values, found \"a "
     "1:0.5 8:1\"; sparse vectors"},
    {"NUL after the rows",
     absl::string_view("2 2\na 1 2\nb 3 4\n\0\0", 18),
     {},
     ":4: expected 2 values after the word, found 0; the file ends in this "
     "line, so it is cut off"},
};

class WarningList : public ProgressSink {
 public:
  void OnWarning(absl::string_view message) override {
    warnings.emplace_back(message);
  }
  std::vector<std::string> warnings;
};

void ExpectRead(const OddText& odd, const std::string& path) {
  WarningList list;
  const auto loaded = LoadVectorFile(path, {.hooks = {.progress = &list}});
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_EQ(WordsOf(*loaded), odd.words);
  const std::string warning = odd.message;
  if (warning.empty()) {
    EXPECT_THAT(list.warnings, IsEmpty());
  } else {
    EXPECT_THAT(list.warnings, ElementsAre(HasSubstr(path + warning)));
  }
  const auto info = DescribeVectorFile(path);
  ASSERT_EQ(info.status(), absl::OkStatus());
  EXPECT_EQ(info->words, odd.words.size());
  EXPECT_EQ(info->dim, 2u);
  EXPECT_EQ(info->warnings, list.warnings);
}

TEST(OddTextTest, IsReadWithAWarningOrRefusedWithTheWayOut) {
  const std::string path = TestFolder() + "/v.vec";
  for (const OddText& odd : kOddTexts) {
    SCOPED_TRACE(odd.name);
    WriteBytes(path, odd.text);
    if (!odd.words.empty()) {
      ExpectRead(odd, path);
      continue;
    }
    const absl::Status status = testing_io::LoadStatus(path);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(odd.message));
  }
}

// A line that is left out still counts.
TEST(OddTextTest, LinesAfterOthersThatWereLeftOutKeepTheirNumbers) {
  const std::string path = TestFolder() + "/v.vec";
  WriteBytes(path, "\n3 2\n\na 1 2\n 0 0\nb 3 nan\n");
  EXPECT_THAT(testing_io::LoadMessage(path),
              HasSubstr(":6: value 2 of word \"b\""));
  WriteBytes(path, "\n3 2\n\na 1 2\n 0 0\na 3 4\n");
  EXPECT_THAT(testing_io::LoadMessage(path),
              HasSubstr(absl::StrCat(
                  ":6: duplicate word \"a\", which is also at ", path, ":4")));
}

TEST(OddTextTest, LinesOfALargeFileKeepTheirNumbers) {
  const std::string path = TestFolder() + "/v.vec";
  const std::string filler(2000, 'x');
  std::string text = "10000 1\n";
  for (int i = 0; i < 10000; ++i) {
    absl::StrAppend(&text, filler, i, i == 9876 ? " nan\n" : " 1\n");
    if (i % 1000 == 500) text += "\n";
  }
  WriteBytes(path, text);
  EXPECT_THAT(testing_io::LoadMessage(path), HasSubstr(":9888: value 1"));
}

TEST(OddTextTest, RowsOfABinaryFileWithoutAWordAreLeftOut) {
  const std::string path = TestFolder() + "/v.bin";
  const std::string one = testing_io::Raw(1.0f);
  for (const char* end : {"", "\n"}) {
    WriteBytes(path, absl::StrCat("3 1\na ", one, end, " ", one, end, "b ",
                                  testing_io::Raw(2.0f), end));
    WarningList list;
    const auto loaded = LoadVectorFile(path, {.hooks = {.progress = &list}});
    ASSERT_EQ(loaded.status(), absl::OkStatus());
    EXPECT_THAT(WordsOf(*loaded), ElementsAre("a", "b"));
    EXPECT_EQ(loaded->vectors.Vector(WordId{1})[0], 2);
    EXPECT_THAT(
        list.warnings,
        ElementsAre(HasSubstr(path + ": row 1: left out an empty word")));
  }
}

TEST(OddTextTest, AListOfWordsMayLackItsLastLineEnd) {
  const std::string folder = TestFolder();
  ASSERT_EQ(SaveVectorFile(testing_io::MakeVectors({"a", "b"}, 2),
                           folder + "/v.npy", ""),
            absl::OkStatus());
  WriteBytes(folder + "/v.vocab", "a\nb");
  WarningList list;
  const auto loaded =
      LoadVectorFile(folder + "/v.npy", {.hooks = {.progress = &list}});
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_THAT(WordsOf(*loaded), ElementsAre("a", "b"));
  EXPECT_THAT(list.warnings, ElementsAre(HasSubstr("v.vocab:2: no line end")));
}

struct NamedFormat {
  const char* format;
  absl::string_view bytes;
  const char* found;
};

TEST(OddTextTest, AFormatThatContentContradictsIsNamed) {
  const std::string path = TestFolder() + "/v";
  const std::string binary =
      absl::StrCat("1 2\na ", testing_io::Raw(1.5f), testing_io::Raw(2.5f));
  const NamedFormat kCases[] = {{"bin", "1 2\na 0.25 1.55\n", "text"},
                                {"text", binary, "bin"},
                                {"glove", binary, "bin"},
                                {"glove", "1 2\na 1 2\n", "text"},
                                {"npy", binary, "bin"}};
  for (const NamedFormat& named : kCases) {
    WriteBytes(path, named.bytes);
    const absl::Status status =
        LoadVectorFile(path, {.format = named.format}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(),
              absl::StrCat(path, ": the file has the format \"", named.found,
                           "\", not \"", named.format,
                           "\"; omit the format to have it detected"));
  }
}

}  // namespace
}  // namespace firth
