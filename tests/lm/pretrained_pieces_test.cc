#include "lm/import/pretrained_config.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct BadFile {
  const char* name;
  absl::string_view content;
  const char* message;
};

template <class Read>
void ExpectRefused(absl::Span<const BadFile> cases, const char* file,
                   const Read& read) {
  const TempFolder folder;
  for (const BadFile& test : cases) {
    const absl::Status status = read(folder.Write(file, test.content)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << test.name;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(absl::StrCat(file, test.message)))
        << test.name;
  }
  EXPECT_EQ(read(folder.File("none")).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(PretrainedPiecesTest, ALineIsAPiece) {
  const TempFolder folder;
  for (const char* const content :
       {"[PAD]\nthe\n##s\n", "[PAD]\nthe\n##s", "[PAD]\r\nthe\r\n##s\r\n"}) {
    const auto pieces = ReadPieceLines(folder.Write("vocab.txt", content));
    ASSERT_EQ(pieces.status(), absl::OkStatus());
    EXPECT_THAT(*pieces, ElementsAre("[PAD]", "the", "##s"));
  }
  const auto none = ReadPieceLines(folder.Write("vocab.txt", ""));
  ASSERT_EQ(none.status(), absl::OkStatus());
  EXPECT_TRUE(none->empty());
}

TEST(PretrainedPiecesTest, LinesThatAreNoPiecesAreRefused) {
  constexpr BadFile kCases[] = {
      {"empty", "a\n\nb\n", ":2: expected a piece in UTF-8, found \"\""},
      {"no UTF-8", "a\nb\xff\n", ":2: expected a piece in UTF-8"},
      {"twice", "a\nb\nc\nb\n",
       ":4: expected each line once, found \"b\" again, as in line 2"},
  };
  ExpectRefused(kCases, "vocab.txt", ReadPieceLines);
}

TEST(PretrainedPiecesTest, AnObjectHasTheNumbersOfPieces) {
  const TempFolder folder;
  const auto pieces = ReadPieceNumbers(folder.Write(
      "vocab.json", R"({"b": 2, "\u0120a": 0, "<|endoftext|>": 1})"));
  ASSERT_EQ(pieces.status(), absl::OkStatus());
  EXPECT_THAT(*pieces, ElementsAre("\u0120a", "<|endoftext|>", "b"));
}

TEST(PretrainedPiecesTest, NumbersThatDoNotFitAreRefused) {
  constexpr BadFile kCases[] = {
      {"no JSON", "a", ": expected a JSON object of pieces"},
      {"a list", "[\"a\"]", ": expected a JSON object of pieces"},
      {"a hole", R"({"a": 0, "b": 2})",
       ": expected a unique number from 0 to 1 for \"b\", found 2"},
      {"one number twice", R"({"a": 0, "b": 0})",
       ": expected a unique number from 0 to 1 for \"b\""},
      {"a piece twice", R"({"a": 0, "a": 1})",
       ": expected each piece once, found \"a\" twice"},
      {"negative", R"({"a": -1})",
       ": expected a unique number from 0 to 0 for \"a\""},
      {"a fraction", R"({"a": 0.5})",
       ": expected a unique number from 0 to 0 for \"a\""},
      {"too large", R"({"a": 99999999999999999999})",
       ": expected a unique number from 0 to 0 for \"a\""},
      {"a text", R"({"a": "0"})",
       ": expected a unique number from 0 to 0 for \"a\""},
      {"an object", R"({"a": {}})",
       ": expected a unique number from 0 to 0 for \"a\""},
      {"nothing as a piece", R"({"": 0})", ": expected pieces in UTF-8"},
      {"a line end", R"({"a\nb": 0})", ": expected pieces in UTF-8"},
  };
  ExpectRefused(kCases, "vocab.json", ReadPieceNumbers);
}

TEST(PretrainedPiecesTest, ALineIsAMerge) {
  const TempFolder folder;
  for (const char* const content :
       {"#version: 0.2\n\u0120 t\nh e\n", "\u0120 t\nh e"}) {
    const auto merges = ReadMerges(folder.Write("merges.txt", content));
    ASSERT_EQ(merges.status(), absl::OkStatus());
    EXPECT_THAT(merges->Words(), ElementsAre("\u0120 t", "h e"));
  }
  // A merge of the mark itself.
  const auto mark = ReadMerges(folder.Write("merges.txt", "# v\n"));
  ASSERT_EQ(mark.status(), absl::OkStatus());
  EXPECT_THAT(mark->Words(), ElementsAre("# v"));
}

TEST(PretrainedPiecesTest, LinesThatAreNoMergesAreRefused) {
  constexpr BadFile kCases[] = {
      {"one piece", "#version: 0.2\na b\nab\n",
       ":3: expected two pieces separated by a space, found \"ab\""},
      {"three", "a b c\n", ":1: expected two pieces"},
      {"nothing before the space", " b\n", ":1: expected two pieces"},
      {"nothing behind it", "a \n", ":1: expected two pieces"},
      {"an empty line", "a b\n\nc d\n", ":2: expected two pieces"},
      {"twice", "a b\nb c\na b\n",
       ":3: expected each line once, found \"a b\" again, as in line 1"},
      {"no UTF-8", "a \xff\n", ":1: expected two pieces"},
  };
  ExpectRefused(kCases, "merges.txt", ReadMerges);
}

const std::vector<std::string>& Marks() {
  static const auto& marks =
      *new std::vector<std::string>({"<S>", "</S>", "<UNK>"});
  return marks;
}

TEST(PretrainedPiecesTest, MarksComeFirst) {
  const std::vector<std::string> pieces = {"[PAD]", "[UNK]", "a",
                                           "[CLS]", "[SEP]", "b"};
  const std::vector<std::string> named = {"[CLS]", "[SEP]", "[UNK]"};
  const auto marked = MarkPieces(pieces, Marks(), named, "vocab.txt");
  ASSERT_EQ(marked.status(), absl::OkStatus());
  EXPECT_THAT(marked->words.Words(),
              ElementsAre("<S>", "</S>", "<UNK>", "[PAD]", "a", "b"));
  EXPECT_THAT(marked->rows, ElementsAre(3, 4, 1, 0, 2, 5));
}

TEST(PretrainedPiecesTest, OnePieceMayBeSeveralMarks) {
  const std::vector<std::string> named = {"end", "end", "end"};
  const auto marked = MarkPieces({"a", "end", "b"}, Marks(), named, "v");
  ASSERT_EQ(marked.status(), absl::OkStatus());
  EXPECT_THAT(marked->words.Words(),
              ElementsAre("<S>", "</S>", "<UNK>", "a", "b"));
  EXPECT_THAT(marked->rows, ElementsAre(1, 1, 1, 0, 2));
}

TEST(PretrainedPiecesTest, APieceThatLacksOrIsSpelledLikeAMarkIsRefused) {
  const std::vector<std::string> named = {"end", "end", "end"};
  EXPECT_THAT(
      std::string(
          MarkPieces({"a"}, Marks(), named, "v.txt").status().message()),
      HasSubstr("v.txt: the piece \"end\" is missing"));
  EXPECT_THAT(std::string(MarkPieces({"end", "<UNK>"}, Marks(), named, "v.txt")
                              .status()
                              .message()),
              HasSubstr("v.txt: the piece \"<UNK>\" has the name of one of "
                        "Firth's own marks"));
}

}  // namespace
}  // namespace firth
