// The formulas are those of sacreBLEU, which reports to the last digit can be
// compared with.

#include "firth/text_scores.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "base/unicode.h"
#include "firth/tagged_text.h"

namespace firth {
namespace {

using Tokens = std::vector<std::string>;

bool IsDigit(char c) { return absl::ascii_isdigit(c); }

// Returns whether mteval-v13a always separates the character.
bool IsSeparated(char c) {
  return absl::ascii_ispunct(c) && c != '\'' && c != ',' && c != '-' &&
         c != '.';
}

bool IsPointOrComma(char c) { return c == '.' || c == ','; }

// Replaces each pair of neighboring characters for which `matches` holds, from
// left to right without overlap, by before + first + between + second + after.
template <class Matches>
std::string ReplacePairs(absl::string_view text, const Matches& matches,
                         const char* before, const char* between,
                         const char* after) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && matches(text[i], text[i + 1])) {
      absl::StrAppend(&result, before, text.substr(i, 1), between,
                      text.substr(i + 1, 1), after);
      ++i;
    } else {
      result += text[i];
    }
  }
  return result;
}

// The tokenizer of mteval-v13a: punctuation is separated, except points and
// commas between digits.
Tokens Tokens13a(absl::string_view line) {
  std::string text =
      absl::StrReplaceAll(line, {{"<skipped>", ""}, {"-\n", ""}, {"\n", " "}});
  for (const auto& [entity, character] : {std::pair{"&quot;", "\""},
                                          {"&amp;", "&"},
                                          {"&lt;", "<"},
                                          {"&gt;", ">"}}) {
    text = absl::StrReplaceAll(text, {{entity, character}});
  }
  std::string spaced = " ";
  for (const char c : text) {
    IsSeparated(c) ? absl::StrAppend(&spaced, " ", std::string(1, c), " ")
                   : absl::StrAppend(&spaced, std::string(1, c));
  }
  spaced += " ";
  spaced = ReplacePairs(
      spaced, [](char a, char b) { return !IsDigit(a) && IsPointOrComma(b); },
      "", " ", " ");
  spaced = ReplacePairs(
      spaced, [](char a, char b) { return IsPointOrComma(a) && !IsDigit(b); },
      " ", " ", "");
  spaced = ReplacePairs(
      spaced, [](char a, char b) { return IsDigit(a) && b == '-'; }, "", " ",
      " ");
  return SplitTokens(spaced);
}

// Returns the characters of a text without white space, for chrF, or all.
std::vector<int32_t> Characters(absl::string_view text, bool with_spaces) {
  std::vector<int32_t> characters;
  while (!text.empty()) {
    const size_t space = WhiteSpaceBytes(text);
    const CodePoint point = DecodeUtf8(text);
    if (space == 0 || with_spaces) characters.push_back(point.value);
    text.remove_prefix(space == 0 ? point.bytes : space);
  }
  return characters;
}

// Adds the n-grams of one text and its reference to the counts.
template <class Token, class Counts>
void CountNGrams(const std::vector<Token>& text,
                 const std::vector<Token>& reference, size_t n,
                 Counts* counts) {
  std::map<absl::Span<const Token>, uint64_t> left;
  const auto each = [n](const std::vector<Token>& tokens, const auto& visit) {
    for (size_t i = 0; i + n <= tokens.size(); ++i) {
      visit(absl::MakeConstSpan(tokens).subspan(i, n));
    }
  };
  uint64_t in_reference = 0, in_text = 0;
  each(reference, [&](auto gram) {
    ++left[gram];
    ++in_reference;
  });
  each(text, [&](auto gram) {
    ++in_text;
    const auto found = left.find(gram);
    if (found == left.end() || found->second == 0) return;
    --found->second;
    ++counts->matches;
  });
  counts->reference += in_reference;
  counts->text += in_text;
}

uint64_t EditDistance(const std::vector<int32_t>& a,
                      const std::vector<int32_t>& b) {
  std::vector<uint64_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    uint64_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const uint64_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

void ReferenceScorer::Add(absl::string_view text, absl::string_view reference) {
  ++texts_;
  exact_ += text == reference ? 1 : 0;
  edits_ += EditDistance(Characters(text, true), Characters(reference, true));
  const bool split = tokens_ == BleuTokens::k13a;
  const Tokens words = split ? Tokens13a(text) : SplitTokens(text);
  const Tokens expected = split ? Tokens13a(reference) : SplitTokens(reference);
  length_ += words.size();
  reference_length_ += expected.size();
  for (size_t n = 1; n <= words_.size(); ++n) {
    CountNGrams(words, expected, n, &words_[n - 1]);
  }
  const auto characters = Characters(text, false);
  const auto expected_characters = Characters(reference, false);
  for (size_t n = 1; n <= kCharacterOrders; ++n) {
    NGramCounts counts;
    CountNGrams(characters, expected_characters, n, &counts);
    // A reference without n-grams of this length says nothing about the text.
    characters_[n - 1].text += counts.reference == 0 ? 0 : counts.text;
    characters_[n - 1].reference += counts.reference;
    characters_[n - 1].matches += counts.matches;
  }
}

Bleu ReferenceScorer::BleuOfAll() const {
  Bleu bleu;
  bleu.signature =
      absl::StrCat("nrefs:1|case:", lowercased_ ? "lc" : "mixed",
                   "|eff:no|tok:", tokens_ == BleuTokens::k13a ? "13a" : "none",
                   "|smooth:exp");
  bleu.length = length_;
  bleu.reference_length = reference_length_;
  const double ratio = static_cast<double>(reference_length_) /
                       std::max<double>(static_cast<double>(length_), 1);
  bleu.brevity_penalty = length_ == 0                  ? 0
                         : length_ < reference_length_ ? std::exp(1 - ratio)
                                                       : 1;
  double smoothing = 1;
  double sum = 0;
  bool some = false;
  bool whole = true;
  for (size_t n = 0; n < words_.size(); ++n) {
    const auto total = static_cast<double>(words_[n].text);
    if (words_[n].text == 0) {
      whole = false;
      break;
    }
    some = some || words_[n].matches > 0;
    if (words_[n].matches == 0) smoothing *= 2;
    bleu.precisions[n] =
        words_[n].matches == 0
            ? 100 / (smoothing * total)
            : 100 * static_cast<double>(words_[n].matches) / total;
    sum += std::log(bleu.precisions[n]);
  }
  if (some && whole) {
    bleu.score = bleu.brevity_penalty *
                 std::exp(sum / static_cast<double>(words_.size()));
  }
  return bleu;
}

double ReferenceScorer::ChrfOfAll() const {
  constexpr double kBeta = 2;
  double precision = 0, recall = 0;
  int orders = 0;
  for (const NGramCounts& counts : characters_) {
    if (counts.text == 0 || counts.reference == 0) continue;
    const auto matches = static_cast<double>(counts.matches);
    precision += matches / static_cast<double>(counts.text);
    recall += matches / static_cast<double>(counts.reference);
    ++orders;
  }
  if (precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  return 100 * (1 + kBeta * kBeta) * precision * recall /
         (kBeta * kBeta * precision + recall);
}

TextScores ReferenceScorer::scores() const {
  TextScores scores;
  scores.texts = texts_;
  scores.bleu = BleuOfAll();
  scores.chrf = ChrfOfAll();
  const auto texts = std::max<double>(static_cast<double>(texts_), 1);
  scores.exact = static_cast<double>(exact_) / texts;
  scores.edit_distance = static_cast<double>(edits_) / texts;
  return scores;
}

}  // namespace firth
