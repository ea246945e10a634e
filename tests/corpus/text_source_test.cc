#include "corpus/text_source.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/unicode.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::EndsWith;

struct Piece {
  std::string text;
  bool ends_line;
  uint64_t first_line;
  uint64_t line_offset;
  size_t rest_of_word = 0;
  bool operator==(const Piece&) const = default;
};

void PrintTo(const Piece& piece, std::ostream* out) {
  *out << '"' << piece.text << "\" " << piece.ends_line << ' '
       << piece.first_line << ' ' << piece.line_offset << ' '
       << piece.rest_of_word;
}

std::vector<Piece> Pieces(const CorpusOptions& options, size_t block_bytes) {
  auto source = TextSource::Create(options, block_bytes, nullptr);
  EXPECT_TRUE(source.ok()) << source.status();
  std::vector<Piece> pieces;
  TextBlock block;
  for (;;) {
    const auto found = source->Next(&block);
    EXPECT_TRUE(found.ok()) << found.status();
    if (!found.ok() || !*found) return pieces;
    pieces.push_back({std::string(block.text()), block.ends_line,
                      block.first_line, block.line_offset, block.rest_of_word});
    for (size_t i = 0; i < kTextPadding; ++i) {
      EXPECT_EQ(block.bytes[block.size + i], '\0');
    }
  }
}

std::vector<Piece> PiecesOf(absl::string_view text, size_t block_bytes = 16,
                            uint64_t max_word_bytes = 65536) {
  CorpusOptions options;
  options.max_word_bytes = max_word_bytes;
  options.text = text;
  return Pieces(options, block_bytes);
}

TEST(TextSourceTest, CutsAtLineEnds) {
  EXPECT_THAT(PiecesOf("one two\nthree\nfour five six\n"),
              ElementsAre(Piece{"one two\nthree\n", true, 1, 0},
                          Piece{"four five six\n", true, 3, 0}));
}

TEST(TextSourceTest, CutsLongLinesAtWhiteSpace) {
  EXPECT_THAT(PiecesOf("one two three four five\nsix seven"),
              ElementsAre(Piece{"one two three ", false, 1, 0},
                          Piece{"four five\n", true, 1, 14},
                          Piece{"six seven", true, 2, 0}));
}

TEST(TextSourceTest, CutsBehindWideWhiteSpace) {
  EXPECT_THAT(PiecesOf("0123456789abc\xE3\x80\x80"
                       "end"),
              ElementsAre(Piece{"0123456789abc\xE3\x80\x80", false, 1, 0},
                          Piece{"end", true, 1, 16}));
  // Not inside of it, where 16 bytes are full.
  EXPECT_THAT(PiecesOf("0123456789abcd\xE3\x80\x80"
                       "and so on, to the second"),
              ElementsAre(Piece{"0123456789abcd\xE3\x80\x80"
                                "and so on, to ",
                                false, 1, 0},
                          Piece{"the second", true, 1, 31}));
}

TEST(TextSourceTest, GrowsForALongWord) {
  const std::string word(1000, 'x');
  EXPECT_THAT(PiecesOf(word + " y"),
              ElementsAre(Piece{word + " y", true, 1, 0}));
  EXPECT_THAT(
      PiecesOf("ab " + word + "\nz"),
      ElementsAre(Piece{"ab ", false, 1, 0}, Piece{word + "\nz", true, 1, 3}));
}

TEST(TextSourceTest, KeepsOnlyTheStartOfAWordThatIsTooLong) {
  const std::string word(1000, 'x');
  // Blocks of 16 bytes grow to 32; then 4 x (5 + 1) bytes are a word, and those
  // of the blocks behind it are its rest.
  const std::string text = "ab " + word + " y\nz";
  std::string together, left;
  for (const Piece& piece : PiecesOf(text, 16, 5)) {
    EXPECT_EQ(piece.line_offset, piece.first_line == 1 ? together.size() : 0);
    together += piece.text;
    left += piece.text.substr(piece.rest_of_word);
  }
  EXPECT_EQ(together, text);
  EXPECT_EQ(left, "ab " + std::string(24, 'x') + " y\nz");
}

TEST(TextSourceTest, EndsAFileInsideOfAWordThatIsTooLong) {
  const TempFolder folder;
  CorpusOptions options;
  options.max_word_bytes = 5;
  options.inputs = {folder.Write("a", std::string(1000, 'x')),
                    folder.Write("b", "two")};
  const std::vector<Piece> pieces = Pieces(options, 16);
  ASSERT_GE(pieces.size(), 3u);
  EXPECT_EQ(pieces.front(), (Piece{std::string(24, 'x'), false, 1, 0}));
  const Piece& last = pieces[pieces.size() - 2];
  EXPECT_EQ(last.rest_of_word, last.text.size());
  EXPECT_EQ(last.line_offset + last.rest_of_word, 1000u);
  EXPECT_TRUE(last.ends_line);
  EXPECT_EQ(pieces.back(), (Piece{"two", true, 1, 0}));
}

TEST(TextSourceTest, CutsNoUtf8OfAWordThatIsTooLong) {
  std::string word = "x";
  for (int i = 0; i < 300; ++i) word += "\xE2\x82\xAC";
  for (uint64_t most = 1; most < 9; ++most) {
    // White space of three bytes may stand across two reads.
    for (size_t more = 0; more < 16; ++more) {
      const std::string text = word + std::string(more, 'x') + "\xE2\x80\x83y";
      std::string together, left;
      for (const Piece& piece : PiecesOf(text, 16, most)) {
        EXPECT_EQ(FindInvalidUtf8(piece.text), std::string::npos) << piece.text;
        together += piece.text;
        left += piece.text.substr(piece.rest_of_word);
      }
      EXPECT_EQ(together, text);
      EXPECT_THAT(left, EndsWith("\xE2\x80\x83y"));
      EXPECT_LE(left.size(), 4 * (most + 1) + 4);
    }
  }
}

TEST(TextSourceTest, EndsALineThatWasCutAtItsVeryEnd) {
  EXPECT_THAT(PiecesOf("0123456789 abcd "),
              ElementsAre(Piece{"0123456789 abcd ", false, 1, 0},
                          Piece{"", true, 1, 16}));
}

TEST(TextSourceTest, HasNoBlocksWithoutText) {
  EXPECT_TRUE(PiecesOf("").empty());
  EXPECT_TRUE(PiecesOf("\xEF\xBB\xBF").empty());
}

TEST(TextSourceTest, DropsAByteOrderMarkAtTheStartOnly) {
  EXPECT_THAT(PiecesOf("\xEF\xBB\xBFone, more\n\xEF\xBB\xBFtwo"),
              ElementsAre(Piece{"one, more\n", true, 1, 3},
                          Piece{"\xEF\xBB\xBFtwo", true, 2, 0}));
}

TEST(TextSourceTest, RefusesWhatIsNoTextInAnyFile) {
  const TempFolder folder;
  CorpusOptions options;
  options.inputs = {folder.Write("a", "text"),
                    folder.Write("b", "\x89HDF\r\n\x1a\n")};
  auto source = TextSource::Create(options, 16, nullptr);
  ASSERT_TRUE(source.ok());
  TextBlock block;
  EXPECT_TRUE(source->Next(&block).ok());
  EXPECT_THAT(std::string(source->Next(&block).status().message()),
              EndsWith("/b: expected text, found an HDF5 file"));
}

TEST(TextSourceTest, KeepsFilesApart) {
  const TempFolder folder;
  CorpusOptions options;
  options.inputs = {folder.Write("a", "\xEF\xBB\xBFone two"),
                    folder.Write("b", ""),
                    folder.Write("c", "\xEF\xBB\xBFthree\n")};
  EXPECT_THAT(Pieces(options, 64), ElementsAre(Piece{"one two", true, 1, 3},
                                               Piece{"three\n", true, 1, 3}));
}

TEST(TextSourceTest, LosesNothingAndCutsNoWord) {
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    text += std::string(static_cast<size_t>(i * 31 % 23), 'a' + i % 26);
    text += i % 17 == 0 ? "\n" : i % 5 == 0 ? "\xE2\x80\x83" : " ";
  }
  for (const size_t block_bytes : {16, 17, 64, 1000, 100000}) {
    std::string joined;
    for (const Piece& piece : PiecesOf(text, block_bytes)) {
      joined += piece.text;
      const size_t size = piece.text.size();
      const bool space =
          size >= 1 && WhiteSpaceBytes(piece.text.substr(size - 1));
      const bool wide =
          size >= 3 && WhiteSpaceBytes(piece.text.substr(size - 3));
      EXPECT_TRUE(space || wide || joined.size() == text.size());
    }
    EXPECT_EQ(joined, text) << block_bytes;
  }
}

}  // namespace
}  // namespace firth
