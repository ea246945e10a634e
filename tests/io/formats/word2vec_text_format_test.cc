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
using testing_io::LoadMessage;
using testing_io::LoadStatus;
using testing_io::MakeVectors;
using testing_io::ReadBytes;
using testing_io::TestFolder;
using testing_io::WordsOf;
using testing_io::WriteBytes;

struct GoodText {
  const char* name;
  absl::string_view text;
  std::vector<std::string> words;
  std::vector<float> last_values;
};

const GoodText kGoodTexts[] = {
    {"word2vec, a space at the end",
     "2 2\na 1.5 -2 \nb 0.25 1e-3 \n",
     {"a", "b"},
     {0.25f, 1e-3f}},
    {"GloVe, no header", "the 1 2 3\nof 4 5 6\n", {"the", "of"}, {4, 5, 6}},
    {"GloVe whose first word is a number",
     "2 0.5 1\nof 4 5\n",
     {"2", "of"},
     {4, 5}},
    {"words with spaces",
     "the 1 2\n. . . 3 4\nat name@domain.com 5 6\n",
     {"the", ". . .", "at name@domain.com"},
     {5, 6}},
    {"first word with spaces",
     "at name@domain.com 5 6\n",
     {"at name@domain.com"},
     {5, 6}},
    {"CRLF", "2 1\r\na 1\r\nb 2\r\n", {"a", "b"}, {2}},
    {"tabs and runs of spaces", "1 2\na\t1  2\t \n", {"a"}, {1, 2}},
    {"plus signs and exponents",
     "1 4\na +1 -1E2 2.e1 .5\n",
     {"a"},
     {1, -100, 20, 0.5f}},
    {"too small becomes 0", "1 2\na 1e-60 -1e-400\n", {"a"}, {0, -0.0f}},
    {"invalid UTF-8 and no-break space",
     "2 1\n\xff\xc3 1\n\xc2\xa0 2\n",
     {"\xff\xc3", "\xc2\xa0"},
     {2}},
    {"numbers as words", "3 1\n1 2\n3 4\nnan 5\n", {"1", "3", "nan"}, {5}},
    {"spaces around the header", " 1  1 \na 7\n", {"a"}, {7}},
};

TEST(Word2vecTextFormatTest, ReadsWhatOthersWrite) {
  const std::string path = TestFolder() + "/v";
  for (const GoodText& good : kGoodTexts) {
    SCOPED_TRACE(good.name);
    WriteBytes(path, good.text);
    const auto loaded = LoadVectorFile(path);
    ASSERT_EQ(loaded.status(), absl::OkStatus());
    EXPECT_EQ(WordsOf(*loaded), good.words);
    const WordId last = ToWordId(loaded->vectors.size() - 1);
    EXPECT_THAT(loaded->vectors.Vector(last),
                testing::ElementsAreArray(good.last_values));
    const auto info = DescribeVectorFile(path);
    ASSERT_EQ(info.status(), absl::OkStatus());
    EXPECT_EQ(info->words, good.words.size());
    EXPECT_EQ(info->dim, good.last_values.size());
  }
}

struct BadText {
  const char* name;
  const char* text;
  const char* message;  // after the path
};

constexpr BadText kBadTexts[] = {
    {"too few values", "2 3\na 1 2 3\nb 1 2\n",
     ":3: expected 3 values after the word, found 2"},
    {"too many values", "2 3\na 1 2 3\nb 1 2 3 4\n",
     ":3: expected 3 values, found 4"},
    {"other length without header", "a 1 2 3\nb 1 2\n",
     ":2: expected 3 values after the word, found 2"},
    {"no number", "2 3\na 1 2 3\nb 1 x 3\n",
     ":3: expected 3 values after the word, but the field before the last 1 is "
     "\"x\", which is not a number"},
    {"number with a tail", "1 1\na 1.5kg\n",
     "\"1.5kg\", which is not a number"},
    {"nan", "2 2\na 1 2\nb 1 nan\n",
     ":3: value 2 of word \"b\": expected a finite number, found nan"},
    {"infinite", "2 2\na -inf 2\nb 1 2\n",
     ":2: value 1 of word \"a\": expected a finite number, found -inf"},
    {"too large", "1 1\na 1e39\n", "expected a finite number, found inf"},
};

TEST(Word2vecTextFormatTest, MalformedLinesAreNamed) {
  const std::string path = TestFolder() + "/v.txt";
  for (const BadText& bad : kBadTexts) {
    SCOPED_TRACE(bad.name);
    WriteBytes(path, bad.text);
    const absl::Status status = LoadStatus(path);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(bad.message));
  }
}

TEST(Word2vecTextFormatTest, TheFirstBadLineOfALargeFileIsNamed) {
  const std::string path = TestFolder() + "/v.txt";
  const std::string filler(2000, 'x');
  std::string text = "10000 1\n";
  for (int i = 0; i < 10000; ++i) {
    const bool bad = i == 4321 || i == 9876;
    absl::StrAppend(&text, filler, i, bad ? " oops\n" : " 1\n");
  }
  WriteBytes(path, text);
  EXPECT_THAT(LoadMessage(path), HasSubstr(":4323: expected 1 values"));
}

TEST(Word2vecTextFormatTest, WritesTheFewestDigitsThatReadBackTheSame) {
  const std::string path = TestFolder() + "/v.txt";
  const std::vector<absl::string_view> words = {"a"};
  VectorFile file;
  file.vectors = *WordVectors::Create(
      *Vocabulary::Create(words, {}),
      testing_io::PaddedTable(1, 4, {0.1f, 1.0f, -2.5e-7f, 16777216.0f}));
  ASSERT_EQ(SaveVectorFile(file, path, ""), absl::OkStatus());
  EXPECT_EQ(ReadBytes(path), "1 4\na 0.1 1 -2.5e-07 16777216\n");
}

TEST(Word2vecTextFormatTest, WordsThatWouldReadAsOthersAreRefused) {
  const std::string path = TestFolder() + "/v.txt";
  for (const std::string word : {"a\tb 5", " a", "a ", "\ta", "a\n", "a\t5"}) {
    EXPECT_EQ(SaveVectorFile(MakeVectors({word}, 2), path, "").code(),
              absl::StatusCode::kInvalidArgument)
        << word;
  }
  for (const std::string word :
       {"a b", ". . .", "5 a", "a\tb", "a  b", "\r", "a b 5", "a nan", "5 6"}) {
    ASSERT_EQ(SaveVectorFile(MakeVectors({word}, 2), path, ""),
              absl::OkStatus());
    const auto loaded = LoadVectorFile(path, {.format = "text"});
    ASSERT_EQ(loaded.status(), absl::OkStatus()) << word;
    EXPECT_THAT(WordsOf(*loaded), ElementsAre(word));
  }
}

TEST(GloveFormatTest, WritesNoHeader) {
  const std::string path = TestFolder() + "/v.glove";
  ASSERT_EQ(SaveVectorFile(MakeVectors({"a", "b c"}, 1), path, ""),
            absl::OkStatus());
  EXPECT_EQ(ReadBytes(path), "a -0.42857143\nb c -0.2857143\n");
}

// Word "4" of value 5 would read as "4 words of 5 dimensions".
TEST(GloveFormatTest, TheFirstRowNeverLooksLikeAHeader) {
  const std::string path = TestFolder() + "/v.glove";
  const std::vector<absl::string_view> words = {"4", "7"};
  VectorFile file;
  file.vectors = *WordVectors::Create(*Vocabulary::Create(words, {}),
                                      testing_io::PaddedTable(2, 1, {5, 6}));
  ASSERT_EQ(SaveVectorFile(file, path, ""), absl::OkStatus());
  EXPECT_EQ(ReadBytes(path), "4 5.0\n7 6\n");
  const auto loaded = LoadVectorFile(path);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  testing_io::ExpectSameVectors(file.vectors, loaded->vectors);
}

TEST(GloveFormatTest, WhereItIsNamedTheFirstLineIsARow) {
  const std::string path = TestFolder() + "/v.txt";
  WriteBytes(path, "2 1\n7 5\n");
  const auto loaded = LoadVectorFile(path, {.format = "glove"});
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_THAT(WordsOf(*loaded), ElementsAre("2", "7"));
}

TEST(GloveFormatTest, WordsNeedAValue) {
  const std::string path = TestFolder() + "/v.glove";
  WriteBytes(path, "one two\n");
  EXPECT_THAT(LoadMessage(path),
              HasSubstr(":1: expected a word with its values, found"));
}

}  // namespace
}  // namespace firth
