#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"
#include "vocab/piece_cutter.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr WordId kUnknown = ToWordId(0);

Vocabulary Pieces(const std::vector<absl::string_view>& pieces) {
  return *Vocabulary::Create(pieces, {});
}

// The pieces' spelling, parted by spaces.
std::string Cut(const WordPieceOptions& options, const Vocabulary& pieces,
                absl::string_view word) {
  std::vector<WordId> ids;
  MakeWordPieces(options, pieces, kUnknown)->Cut(word, true, &ids);
  std::vector<absl::string_view> spelled;
  for (const WordId id : ids) spelled.push_back(pieces.Word(id));
  return absl::StrJoin(spelled, " ");
}

struct CutCase {
  const char* name;
  absl::string_view word;
  const char* pieces;
};

const Vocabulary& SmallPieces() {
  static const auto& pieces = *new Vocabulary(
      Pieces({"?",          "un",     "##aff",  "##able",    "##a",
              "##ff",       "cafe",   "##s",    "!",         ",",
              "$",          "\u4e2d", "\u56fd", "##\u56fd",  "a",
              "i",          "##i",    "\u0444", "##\u0443",  "\u1112\u1161",
              "##\u11ab",   "x",      "##x",    "##",        "#",
              "\u2019",     "\uff0c", "ss",     "caf\u00e9", "Caf\u00e9",
              "cafe\u0301", "\u20ac"}));
  return pieces;
}

constexpr CutCase kUncased[] = {
    {"nothing", "", ""},
    {"the longest first", "unaffable", "un ##aff ##able"},
    {"all or nothing", "unaffablez", "?"},
    {"a beginning that is no piece", "zun", "?"},
    {"white space inside", " un\tun\nun ", "un un un"},
    {"white space beyond ASCII", "un\u00a0un\u3000un\u2028un", "un un un un"},
    {"punctuation stands alone", "un,a!!un", "un , a ! ! un"},
    {"of ASCII all that is no letter or digit", "a$a", "a $ a"},
    {"of others the category P", "a\u2019s,a\uff0ca",
     "a \u2019 ? , a \uff0c a"},
    {"a symbol is no punctuation", "\u20aca", "\u20ac ##a"},
    {"a symbol by itself", "\u20ac", "\u20ac"},
    {"capitals and accents", "CAF\u00c9s", "cafe ##s"},
    {"an accent of its own", "cafe\u0301s", "cafe ##s"},
    {"only an accent", "\u0301", ""},
    {"a capital I with a dot", "\u0130\u0130", "i ##i"},
    {"Cyrillic", "\u0424\u0423", "\u0444 ##\u0443"},
    {"Hangul comes apart", "\ud55c", "\u1112\u1161 ##\u11ab"},
    {"ideographs stand alone", "a\u4e2d\u56fda", "a \u4e2d \u56fd a"},
    {"a compatibility ideograph", "a\uf900a", "a ? a"},
    {"control characters go", "u\u0001n\u200d\u00ad\ufeff", "un"},
    {"nothing but control characters", "\u0001\u200b", ""},
    {"what no character is assigned to", "u\u0378n\ue000", "un"},
    {"NUL", absl::string_view("u\0n", 3), "un"},
    {"invalid UTF-8", "u\xffn\xc3", "un"},
    {"the mark of invalid UTF-8", "u\ufffdn", "un"},
    {"marks of pieces are punctuation", "##s", "# # ?"},
    {"a piece of nothing is no piece", "x##", "x # #"},
};

TEST(WordPiecesTest, AreCutAsBertCuts) {
  for (const CutCase& test : kUncased) {
    EXPECT_EQ(Cut({}, SmallPieces(), test.word), test.pieces) << test.name;
  }
}

TEST(WordPiecesTest, CaseAndAccentsStayWhereTheModelHasThem) {
  const WordPieceOptions cased = {.lowercase = false, .strip_accents = false};
  EXPECT_EQ(Cut(cased, SmallPieces(), "Caf\u00e9"), "Caf\u00e9");
  EXPECT_EQ(Cut(cased, SmallPieces(), "caf\u00e9s"), "caf\u00e9 ##s");
  // No character is put together or taken apart.
  EXPECT_EQ(Cut(cased, SmallPieces(), "cafe\u0301"), "cafe\u0301");
  EXPECT_EQ(Cut(cased, SmallPieces(), "UN"), "?");
  const WordPieceOptions accented = {.strip_accents = false};
  EXPECT_EQ(Cut(accented, SmallPieces(), "CAF\u00c9"), "caf\u00e9");
  const WordPieceOptions plain = {.lowercase = false};
  EXPECT_EQ(Cut(plain, SmallPieces(), "caf\u00e9"), "cafe");
}

TEST(WordPiecesTest, IdeographsStayTogetherWhereTheModelHasThemSo) {
  EXPECT_EQ(Cut({.part_ideographs = false}, SmallPieces(), "\u4e2d\u56fd"),
            "\u4e2d ##\u56fd");
}

TEST(WordPiecesTest, APartOfMoreThanAHundredCharactersIsUnknown) {
  const auto xs = [](size_t count) {
    std::string word;
    for (size_t i = 0; i < count; ++i) word += "\u0445";
    return word;
  };
  const Vocabulary pieces = Pieces({"?", "\u0445", "##\u0445", "!"});
  std::vector<WordId> ids;
  const auto cutter = MakeWordPieces({}, pieces, kUnknown);
  cutter->Cut(xs(100), true, &ids);
  EXPECT_EQ(ids.size(), 100u);
  EXPECT_EQ(Cut({}, pieces, xs(101)), "?");
  EXPECT_EQ(Cut({}, pieces, xs(10000) + "!"), "? !");
}

TEST(WordPiecesTest, JoinIntoText) {
  const auto cutter = MakeWordPieces({}, SmallPieces(), kUnknown);
  std::vector<WordId> ids;
  cutter->Cut("unaffable caf\u00e9s!", true, &ids);
  EXPECT_EQ(cutter->Join(ids), "unaffable cafes !");
  EXPECT_EQ(cutter->Join({}), "");
}

TEST(WordPiecesTest, WithoutPiecesAllIsUnknown) {
  EXPECT_EQ(Cut({}, Pieces({"?"}), "abc, def"), "? ? ?");
}

// The vocabulary of the golden data.
TEST(WordPiecesTest, OfTheTinyBert) {
  const char* const data = std::getenv("FIRTH_DATA");
  if (data == nullptr) GTEST_SKIP() << "FIRTH_DATA is not set";
  const std::string lines =
      ReadWholeFile(std::string(data) + "/golden/tiny_bert.vocab.txt");
  const Vocabulary pieces =
      Pieces(absl::StrSplit(lines, '\n', absl::SkipEmpty()));
  ASSERT_EQ(pieces.size(), 40u);
  const auto cutter = MakeWordPieces({}, pieces, ToWordId(1));
  std::vector<WordId> ids;
  cutter->Cut("The Banks moneyed, in w7 nearly", true, &ids);
  std::vector<size_t> numbers;
  for (const WordId id : ids) numbers.push_back(Index(id));
  EXPECT_THAT(numbers, ElementsAre(5, 12, 18, 14, 20, 1, 10, 30, 17, 22));
}

}  // namespace
}  // namespace firth
