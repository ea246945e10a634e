#include "corpus/tokenizer.h"

#include <string>
#include <vector>

#include "base/rng.h"
#include "base/unicode.h"
#include "corpus/token_stream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using testing::ElementsAre;

TextBlock MakeBlock(absl::string_view text, bool ends_line = true) {
  TextBlock block;
  block.bytes.assign(text.begin(), text.end());
  block.bytes.resize(text.size() + kTextPadding);
  block.size = text.size();
  block.file = std::make_shared<const std::string>("file");
  block.ends_line = ends_line;
  return block;
}

constexpr char kEnd[] = "</s>";
constexpr size_t kAnyLength = 1 << 20;

std::vector<std::string> Words(const TokenizedBlock& tokens) {
  std::vector<std::string> words;
  for (const uint32_t id : tokens.ids) {
    words.push_back(
        id == TokenStream::kSentenceEnd
            ? kEnd
            : std::string(tokens.words.View(tokens.words.words()[id])));
  }
  return words;
}

std::vector<std::string> Tokens(absl::string_view text, bool ends_line = true) {
  TokenizedBlock tokens;
  const TextBlock block = MakeBlock(text, ends_line);
  Tokenize(block, kAnyLength, &tokens);
  return Words(tokens);
}

// The obvious way.
std::vector<std::string> PlainTokens(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(word);
    word.clear();
  };
  for (size_t i = 0; i < text.size();) {
    const size_t space = WhiteSpaceBytes(absl::string_view(text).substr(i));
    if (space == 0) {
      word += text[i++];
      continue;
    }
    end_word();
    if (text[i] == '\n') words.push_back(kEnd);
    i += space;
  }
  end_word();
  if (!text.empty() && text.back() != '\n') words.push_back(kEnd);
  return words;
}

TEST(TokenizerTest, SplitsAtWhiteSpaceAndEndsSentencesAtNewlines) {
  EXPECT_THAT(Tokens("a  b\tc\r\nd\v\fe\n"),
              ElementsAre("a", "b", "c", kEnd, "d", "e", kEnd));
}

TEST(TokenizerTest, EndsTheLastSentenceUnlessTheLineGoesOn) {
  EXPECT_THAT(Tokens("a b", true), ElementsAre("a", "b", kEnd));
  EXPECT_THAT(Tokens("a b ", false), ElementsAre("a", "b"));
  EXPECT_THAT(Tokens("", true), ElementsAre(kEnd));
}

TEST(TokenizerTest, KeepsControlBytesAndNulInTokens) {
  const absl::string_view text("a\0b\x01 \x1F\n c\0\0\n", 12);
  TokenizedBlock tokens;
  TextBlock block = MakeBlock(text);
  block.first_line = 7;
  Tokenize(block, kAnyLength, &tokens);
  EXPECT_THAT(Words(tokens), ElementsAre(std::string("a\0b\x01", 4), "\x1F",
                                         kEnd, std::string("c\0\0", 3), kEnd));
  EXPECT_EQ(tokens.tokens_with_nul, 2u);
  EXPECT_EQ(tokens.first_nul_line, 7u);
}

TEST(TokenizerTest, SplitsAtEveryUnicodeWhiteSpace) {
  for (const int32_t point :
       {0x09, 0x0B, 0x0C, 0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000, 0x2005,
        0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}) {
    std::string text = "\xC3\xA9";
    AppendUtf8(point, &text);
    EXPECT_THAT(Tokens(text + "b"), ElementsAre("\xC3\xA9", "b", kEnd))
        << point;
  }
  for (const int32_t point : {0x200B, 0x2060, 0xFEFF, 0x180E, 0xE9, 0x3001}) {
    std::string text = "a";
    AppendUtf8(point, &text);
    EXPECT_EQ(Tokens(text + "b").size(), 2u) << point;
  }
}

TEST(TokenizerTest, CountsWordsInOrderOfFirstAppearance) {
  TokenizedBlock tokens;
  const TextBlock block = MakeBlock("to be or not to be\nto\n");
  Tokenize(block, kAnyLength, &tokens);
  EXPECT_THAT(tokens.words.counts(), ElementsAre(3, 2, 1, 1));
  EXPECT_EQ(tokens.tokens, 7u);
  EXPECT_EQ(tokens.lines, 2u);
  EXPECT_EQ(tokens.ids[2], 2u);
}

TEST(TokenizerTest, TellsWordsOfEveryLengthApart) {
  std::string text;
  std::vector<std::string> expected;
  for (size_t length = 1; length <= 70; ++length) {
    for (size_t place = 0; place < length; ++place) {
      std::string word(length, 'a');
      word[place] = 'b';
      expected.push_back(word);
      text += word + " ";
    }
  }
  TokenizedBlock tokens;
  const TextBlock block = MakeBlock(text + text, false);
  Tokenize(block, kAnyLength, &tokens);
  EXPECT_EQ(tokens.words.size(), expected.size());
  for (const uint32_t count : tokens.words.counts()) EXPECT_EQ(count, 2u);
  const std::vector<std::string> words = Words(tokens);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), words.begin()));
}

TEST(TokenizerTest, AgreesWithAPlainSplitterOnRandomBytes) {
  constexpr absl::string_view kBytes(
      "\n "
      "\t\r\0aab\x1F\x80\x85\xA0\xC2\xC3\xE1\x9A\xE2\x80\x83\xA8\xE3\xF0z\xFF",
      24);
  Rng rng(1);
  TokenizedBlock tokens;  // used again: what is left over must not matter
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (uint32_t size = rng.Below(300); size > 0; --size) {
      text += kBytes[rng.Below(kBytes.size())];
    }
    const TextBlock block = MakeBlock(text, !text.empty());
    Tokenize(block, kAnyLength, &tokens);
    ASSERT_EQ(Words(tokens), PlainTokens(text)) << round;
  }
}

TEST(TokenizerTest, CountsAndDropsWordsThatAreTooLong) {
  const TextBlock block =
      MakeBlock("four fiver x sixsix\n\xE2\x82\xAC\xE2\x82\xAC end", true);
  TokenizedBlock tokens;
  Tokenize(block, 4, &tokens);
  EXPECT_THAT(Words(tokens), ElementsAre("four", "x", kEnd, "end", kEnd));
  EXPECT_EQ(tokens.tokens, 6);
  EXPECT_EQ(tokens.too_long, 3);
}

}  // namespace
}  // namespace firth
