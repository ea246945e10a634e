#include "lm/model/model_pieces.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "corpus/token_stream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/model/language_model_options.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string>& Marks() {
  static const auto& marks =
      *new std::vector<std::string>({"<S>", "</S>", "<UNK>", "<MASK>"});
  return marks;
}

Vocabulary Words(const std::vector<absl::string_view>& words) {
  return *Vocabulary::Create(words, {});
}

std::shared_ptr<const TextCutter> WordPieceCutter() {
  PieceOptions options;
  options.kind = WordPieceOptions();
  options.mark_names = {"[CLS]", "[SEP]", "[UNK]", "[MASK]"};
  return *TextCutter::Create(
      options, Marks(),
      Words({"<S>", "</S>", "<UNK>", "<MASK>", "bank", "##s", "of", "."}), {});
}

std::shared_ptr<const TextCutter> BytePairCutter() {
  PieceOptions options;
  options.kind = BytePairOptions();
  options.mark_names = {"", "<|end|>"};
  return *TextCutter::Create(
      options, {"<S>", "</S>", "<UNK>"},
      Words({"<S>", "</S>", "<UNK>", "a", "b", "\u0120", "\u0120a"}),
      Words({"\u0120 a"}));
}

TEST(TextCutterTest, CutsWordsAndKnowsWhereTheirPiecesBegin) {
  const auto cutter = WordPieceCutter();
  const CutSentences cut = cutter->Cut(
      {{"Banks", "of", "banks."}, {}, {"<MASK>", "[MASK]", "[SEP]", "zebra"}});
  EXPECT_THAT(cut.pieces[0],
              ElementsAre("bank", "##s", "of", "bank", "##s", "."));
  EXPECT_THAT(cut.first[0], ElementsAre(0, 2, 3, 6));
  EXPECT_THAT(cut.pieces[1], testing::IsEmpty());
  EXPECT_THAT(cut.first[1], ElementsAre(0));
  EXPECT_THAT(cut.pieces[2], ElementsAre("<MASK>", "<MASK>", "</S>", "<UNK>"));
}

TEST(TextCutterTest, AWordOfWhichNothingIsLeftIsUnknown) {
  for (const char* const word : {"", "\u200b", "\xff"}) {
    const auto cutter = WordPieceCutter();
    const CutSentences cut = cutter->Cut({{word, "of"}});
    EXPECT_THAT(cut.pieces[0], ElementsAre("<UNK>", "of")) << word;
    EXPECT_THAT(cut.first[0], ElementsAre(0, 1, 2)) << word;
  }
}

TEST(TextCutterTest, OfBytePairsTheFirstWordHasNoSpace) {
  const auto cutter = BytePairCutter();
  const CutSentences cut = cutter->Cut({{"a", "a", "<|end|>", "ab"}, {""}});
  EXPECT_THAT(cut.pieces[0],
              ElementsAre("a", "\u0120a", "</S>", "\u0120a", "b"));
  // "" is no other spelling of the first mark, which has none.
  EXPECT_THAT(cut.pieces[1], ElementsAre("<UNK>"));
}

TEST(TextCutterTest, ACorpusBecomesOneOfPieces) {
  const std::vector<uint32_t> tokens = {
      0, 1, 0, TokenStream::kSentenceEnd, 1, TokenStream::kSentenceEnd};
  Corpus text;
  text.vocabulary = Words({"a", "ab"});
  text.tokens = std::make_shared<TokenStream>(tokens, 4, nullptr);
  const auto cutter = BytePairCutter();
  const Corpus cut = cutter->Cut(text);
  std::vector<std::string> pieces;
  for (const uint32_t token : cut.tokens->tokens()) {
    pieces.emplace_back(token == TokenStream::kSentenceEnd
                            ? "/"
                            : cut.vocabulary.Word(ToWordId(token)));
  }
  EXPECT_THAT(pieces,
              ElementsAre("a", "\u0120a", "b", "\u0120a", "/", "a", "b", "/"));
  EXPECT_EQ(cut.tokens->num_words(), 6u);
  EXPECT_EQ(cut.vocabulary.Count(*cut.vocabulary.Find("\u0120a")), 2u);
  EXPECT_EQ(cut.vocabulary.Count(*cut.vocabulary.Find("<UNK>")), 0u);
}

TEST(TextCutterTest, PiecesMakeWords) {
  EXPECT_THAT(WordPieceCutter()->Join({"of", "bank", "##s"}),
              ElementsAre("of", "banks"));
  EXPECT_THAT(BytePairCutter()->Join({"a", "b", "\u0120a", "b"}),
              ElementsAre("ab", "ab"));
}

TEST(JoinPiecesTest, AWordHasTheMeanOrTheFirstOrTheLast) {
  // Two layers of three pieces of two values.
  const TokenVectors pieces = {
      2, 3, 2, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  const std::vector<size_t> first = {0, 2, 3};
  EXPECT_THAT(JoinPieces(pieces, first, PieceVectors::kMean).values,
              ElementsAre(2, 3, 5, 6, 8, 9, 11, 12));
  EXPECT_THAT(JoinPieces(pieces, first, PieceVectors::kFirst).values,
              ElementsAre(1, 2, 5, 6, 7, 8, 11, 12));
  EXPECT_THAT(JoinPieces(pieces, first, PieceVectors::kLast).values,
              ElementsAre(3, 4, 5, 6, 9, 10, 11, 12));
  const TokenVectors none = {2, 0, 2, {}};
  EXPECT_EQ(
      JoinPieces(none, std::vector<size_t>{0}, PieceVectors::kMean).tokens, 0u);
}

absl::StatusOr<PieceOptions> Parsed(const std::string& text) {
  const nlohmann::json json = ParseJson(text);
  const std::string place = "file";
  return ReadPieces({place, "pieces.", json});
}

TEST(PieceOptionsTest, AreReadAsTheyWereWritten) {
  PieceOptions options;
  options.kind = WordPieceOptions{false, true, false};
  options.mark_names = {"[CLS]", ""};
  auto read = Parsed(DumpJson(PiecesJson(options)));
  ASSERT_EQ(read.status(), absl::OkStatus());
  const auto& words = std::get<WordPieceOptions>(read->kind);
  EXPECT_FALSE(words.lowercase || words.part_ideographs);
  EXPECT_TRUE(words.strip_accents);
  EXPECT_THAT(read->mark_names, ElementsAre("[CLS]", ""));
  options.kind = BytePairOptions{true};
  read = Parsed(DumpJson(PiecesJson(options)));
  ASSERT_EQ(read.status(), absl::OkStatus());
  EXPECT_TRUE(std::get<BytePairOptions>(read->kind).space_first);
}

TEST(PieceOptionsTest, OthersAreRefusedByTheirKey) {
  constexpr struct {
    const char* json;
    const char* message;
  } kCases[] = {
      {R"({"mark_names": []})",
       "\"pieces.kind\": expected \"word-pieces\" or \"byte-pairs\""},
      {R"({"kind": "letters", "mark_names": []})", "\"pieces.kind\""},
      {R"({"kind": "word-pieces", "lowercase": 1, "mark_names": []})",
       "\"pieces.lowercase\": expected true or false"},
      {R"({"kind": "byte-pairs"})",
       "\"pieces.mark_names\": expected a list of texts"},
      {R"({"kind": "byte-pairs", "mark_names": [1]})",
       "\"pieces.mark_names\": expected a list of texts"},
  };
  for (const auto& test : kCases) {
    const absl::Status status = Parsed(test.json).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << test.json;
    EXPECT_THAT(std::string(status.message()), HasSubstr(test.message));
  }
}

}  // namespace
}  // namespace firth
