#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/rng.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vocab/piece_cutter.h"

namespace firth {
namespace {

constexpr WordId kUnknown = ToWordId(0);

Vocabulary Words(const std::vector<std::string>& words) {
  return *Vocabulary::Create(
      std::vector<absl::string_view>(words.begin(), words.end()), {});
}

// How a byte is spelled (Radford et al. 2019): those that can be seen as they
// are in Latin-1, the others in turn from U+0100 on.
std::string Spelled(int byte) {
  constexpr char kHex[] = "0123456789abcdef";
  static_assert(sizeof(kHex) == 17);
  const auto utf8 = [](int point) {
    return point < 0x80 ? std::string(1, static_cast<char>(point))
                        : std::string{static_cast<char>(0xC0 | point >> 6),
                                      static_cast<char>(0x80 | (point & 0x3F))};
  };
  const bool seen = (byte >= 33 && byte <= 126) ||
                    (byte >= 161 && byte <= 172) ||
                    (byte >= 174 && byte <= 255);
  if (seen) return utf8(byte);
  if (byte <= 32) return utf8(256 + byte);
  return utf8(byte == 173 ? 256 + 67 : 256 + 33 + byte - 127);
}

// All bytes, and what the merges make of them.
Vocabulary PiecesOf(const std::vector<std::string>& merges) {
  std::vector<std::string> pieces = {"?"};
  for (int byte = 0; byte < 256; ++byte) {
    if (byte != '?') pieces.push_back(Spelled(byte));  // it is unknown, too
  }
  for (const std::string& merge : merges) {
    pieces.push_back(absl::StrReplaceAll(merge, {{" ", ""}}));
  }
  return Words(pieces);
}

struct Cutter {
  Vocabulary pieces;
  std::unique_ptr<PieceCutter> cutter;

  explicit Cutter(const std::vector<std::string>& merges,
                  const BytePairOptions& options = {})
      : pieces(PiecesOf(merges)),
        cutter(*MakeBytePairs(options, pieces, kUnknown, Words(merges))) {}

  std::vector<WordId> Ids(absl::string_view word, bool starts_text) const {
    std::vector<WordId> ids;
    cutter->Cut(word, starts_text, &ids);
    return ids;
  }
  std::string Cut(absl::string_view word, bool starts_text = true) const {
    std::vector<absl::string_view> spelled;
    for (const WordId id : Ids(word, starts_text)) {
      spelled.push_back(pieces.Word(id));
    }
    return absl::StrJoin(spelled, " ");
  }
};

TEST(BytePairsTest, EveryByteHasACharacterThatCanBeSeen) {
  const Cutter cutter({});
  for (int byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(cutter.Cut(std::string(1, static_cast<char>(byte))),
              Spelled(byte))
        << byte;
  }
  EXPECT_EQ(Spelled(' '), "\u0120");
  EXPECT_EQ(Spelled('\n'), "\u010a");
  EXPECT_EQ(Spelled(0xFF), "\u00ff");
  EXPECT_EQ(Spelled(0xAD), "\u0143");
}

struct CutCase {
  const char* name;
  absl::string_view text;
  const char* pieces;
};

// "low", "lowest", "newer" and so on, as in Sennrich et al. 2016, section 3.2.
TEST(BytePairsTest, MergeByRank) {
  const Cutter cutter({"e r", "\u0120 n", "l o", "lo w", "\u0120n e", "e s",
                       "es t", "low est", "w er"});
  constexpr CutCase kCases[] = {
      {"nothing", "", ""},
      {"one byte", "l", "l"},
      {"to a whole word", "lowest", "lowest"},
      {"the earlier merge first", "lower", "low er"},
      {"with the space before it", " newer", "\u0120ne wer"},
      {"and not without", "newer", "n e wer"},
      {"what was never merged", "zzz", "z z z"},
      {"again and again", "lowlow", "low low"},
  };
  for (const CutCase& test : kCases) {
    EXPECT_EQ(cutter.Cut(test.text), test.pieces) << test.name;
  }
}

TEST(BytePairsTest, OfThreeEqualBytesTheFirstTwoMerge) {
  const Cutter cutter({"a a", "aa aa"});
  EXPECT_EQ(cutter.Cut("aaa"), "aa a");
  EXPECT_EQ(cutter.Cut("aaaaa"), "aaaa a");
  EXPECT_EQ(cutter.Cut("aaaaaaa"), "aaaa aa a");
}

// All pairs of a rank are merged before what they make: as if each round went
// through the whole word.
TEST(BytePairsTest, ARoundMergesAllPairsOfItsRank) {
  const Cutter cutter({"ab c", "a b", "ab ab"});
  EXPECT_EQ(cutter.Cut("ababc"), "ab abc");
  EXPECT_EQ(cutter.Cut("abab"), "abab");
}

// Of merges in which what must be parted would be merged if it was not.
std::string Parts(absl::string_view text) {
  static const Cutter& cutter = *new Cutter({"a b",
                                             "\u0120 ab",
                                             "\u0120 1",
                                             "1 2",
                                             "! !",
                                             "\u0120 !!",
                                             "' s",
                                             "\u0120 '",
                                             "r e",
                                             "' re",
                                             "\u0120 \u0120",
                                             "\u0120 \u0120ab",
                                             "\u00c3 \u00a9",
                                             "ab \u00c3\u00a9",
                                             "\u00c2 \u00bd",
                                             "1 \u00c2\u00bd",
                                             "' '",
                                             "ab 12",
                                             "12 ab",
                                             "ab !!",
                                             "!! ab",
                                             "ab 's",
                                             "'s ab",
                                             "ab 're",
                                             "\u010a ab",
                                             "\u010a \u0120ab",
                                             "\u0142 ab",
                                             "\u0120ab \u01201",
                                             "\u01201 \u0120!!",
                                             "\u00ff !!"});
  return cutter.Cut(text);
}

TEST(BytePairsTest, NoPieceReachesFromLettersIntoNumbersOrMarks) {
  constexpr CutCase kCases[] = {
      {"letters and numbers", "ab12ab", "ab 12 ab"},
      {"letters and marks", "ab!!ab", "ab !! ab"},
      {"a space before each", " ab 1 !!", "\u0120ab \u01201 \u0120!!"},
      {"the last of two spaces", "  ab", "\u0120 \u0120ab"},
      {"spaces at the end", "ab  ", "ab \u0120\u0120"},
      {"a space at the end", "ab ", "ab \u0120"},
      {"a line end stays alone", "\nab", "\u010a ab"},
      {"a space behind a line end", "\n ab", "\u010a \u0120ab"},
      {"a line end behind a space", " \nab", "\u0120 \u010a ab"},
      {"a contraction", "ab's", "ab 's"},
      {"which takes what looks like one", "'sab", "'s ab"},
      {"a longer one", "ab're", "ab 're"},
      {"none in capitals", "ab'S", "ab ' S"},
      {"none behind a space", " 's", "\u0120' s"},
      {"none behind a mark", "''s", "'' s"},
      {"letters beyond ASCII", "ab\u00e9", "ab\u00c3\u00a9"},
      {"a fraction is a number", "1\u00bd", "1\u00c2\u00bd"},
      {"invalid bytes are marks", "ab\xff!!", "ab \u00ff!!"},
      {"a space without a break", "\u00a0ab", "\u00c2 \u0142 ab"},
  };
  for (const CutCase& test : kCases) {
    EXPECT_EQ(Parts(test.text), test.pieces) << test.name;
  }
}

TEST(BytePairsTest, AWordInsideOfATextHasASpaceBeforeIt) {
  const Cutter cutter({"\u0120 a"});
  EXPECT_EQ(cutter.Cut("a", true), "a");
  EXPECT_EQ(cutter.Cut("a", false), "\u0120a");
  EXPECT_EQ(cutter.Cut("", false), "\u0120");
  const Cutter always({"\u0120 a"}, {.space_first = true});
  EXPECT_EQ(always.Cut("a", true), "\u0120a");
}

TEST(BytePairsTest, AByteWithoutAPieceIsUnknown) {
  const auto cutter =
      MakeBytePairs({}, Words({"?", "a", "b", "ab"}), kUnknown, Words({"a b"}));
  ASSERT_EQ(cutter.status(), absl::OkStatus());
  std::vector<WordId> ids;
  (*cutter)->Cut("abxb", true, &ids);
  EXPECT_THAT(ids, testing::ElementsAre(ToWordId(3), kUnknown, ToWordId(2)));
}

TEST(BytePairsTest, MergesThatDoNotFitAreRefused) {
  for (const char* const merge :
       {"a", "a c", "c a", "b a", "a b c", " ab", "ab ", ""}) {
    const auto cutter = MakeBytePairs({}, Words({"?", "a", "b", "ab"}),
                                      kUnknown, Words({merge}));
    EXPECT_EQ(cutter.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(cutter.status().message()),
                testing::HasSubstr(absl::StrCat("\"", merge, "\"")));
  }
}

TEST(BytePairsTest, JoinedTheyAreTheText) {
  const Cutter cutter({"e r", "\u0120 n", "a a"});
  std::string text;
  Rng rng(7);
  for (int i = 0; i < 4096; ++i) text += static_cast<char>(rng.Below(256));
  EXPECT_EQ(cutter.cutter->Join(cutter.Ids(text, true)), text);
}

// A merge a round through all symbols, as it is defined.
std::vector<std::string> PlainCut(const std::vector<std::string>& merges,
                                  absl::string_view text) {
  std::vector<std::string> symbols;
  for (const char byte : text) symbols.emplace_back(1, byte);
  while (true) {
    size_t best = merges.size();
    for (size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto found = std::find(merges.begin(), merges.end(),
                                   symbols[i] + " " + symbols[i + 1]);
      best = std::min<size_t>(best, found - merges.begin());
    }
    if (best == merges.size()) return symbols;
    std::vector<std::string> merged;
    for (size_t i = 0; i < symbols.size(); ++i) {
      const bool both = i + 1 < symbols.size() &&
                        symbols[i] + " " + symbols[i + 1] == merges[best];
      merged.push_back(both ? symbols[i] + symbols[i + 1] : symbols[i]);
      i += both;
    }
    symbols = std::move(merged);
  }
}

TEST(BytePairsTest, AreWhatAPlainLoopMerges) {
  Rng rng(11);
  const auto letter = [&rng] { return static_cast<char>('a' + rng.Below(3)); };
  for (int round = 0; round < 200; ++round) {
    // Merges in any order: also of what is made only later.
    std::vector<std::string> merges;
    std::vector<std::string> pieces = {"a", "b", "c"};
    for (int m = 0; m < 12; ++m) {
      const std::string& left = pieces[rng.Below(pieces.size())];
      const std::string& right = pieces[rng.Below(pieces.size())];
      const std::string both = left + right;
      if (std::find(pieces.begin(), pieces.end(), both) == pieces.end()) {
        merges.push_back(left + " " + right);
        pieces.push_back(both);
      }
    }
    std::reverse(merges.begin(), merges.end());
    std::swap(merges.front(), merges[merges.size() / 2]);
    const Cutter cutter(merges);
    std::string text;
    for (int i = 0; i < 40; ++i) text += letter();
    EXPECT_EQ(cutter.Cut(text), absl::StrJoin(PlainCut(merges, text), " "))
        << text << ": " << absl::StrJoin(merges, ", ");
  }
}

TEST(BytePairsTest, ALongWordTakesNoLongTime) {
  const Cutter cutter({"a a", "aa aa", "aaaa aaaa"});
  const std::vector<WordId> ids = cutter.Ids(std::string(1'000'000, 'a'), true);
  EXPECT_EQ(ids.size(), 125'000u);
}

}  // namespace
}  // namespace firth
