// Tokenizers of every kind find the ids that the tokenizers library finds
// (known_ids.h), also after they were written again. Whatever is wrong is
// named.

#include "tokenizers/json_tokenizer.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/temp_files.h"
#include "tokenizers/known_ids.h"
#include "tokenizers/token_table.h"

namespace firth {
namespace {

using testing::HasSubstr;

// Returns the number of the highest id.
size_t RowsOf(const Json& json) {
  const Json& vocabulary = json["model"]["vocab"];
  size_t rows = vocabulary.size();
  for (const Json& token : json.value("added_tokens", Json::array())) {
    rows = std::max(rows, token["id"].get<size_t>() + 1);
  }
  return rows;
}

absl::StatusOr<TokenTable> TableOf(const std::string& json) {
  const TempFolder folder;
  return ReadTokenTable(**MappedFile::Open(folder.Write("t.json", json)),
                        RowsOf(ParseJson(json)));
}

std::vector<absl::string_view> Views(const std::vector<std::string>& words) {
  return {words.begin(), words.end()};
}

absl::StatusOr<std::unique_ptr<JsonTokenizer>> TokenizerOf(
    const std::vector<std::string>& words, const std::string& rest) {
  return JsonTokenizer::Create(ParseTokenizer(rest),
                               *Vocabulary::Create(Views(words), {}));
}

std::vector<uint32_t> IdsOf(const JsonTokenizer& tokenizer,
                            absl::string_view text) {
  std::vector<uint32_t> ids;
  EXPECT_EQ(tokenizer.Encode(text, &ids), absl::OkStatus());
  return ids;
}

// Returns the tokens in the text that have vectors.
std::vector<std::string> TokensIn(const JsonTokenizer& tokenizer,
                                  absl::string_view text) {
  std::vector<std::string> tokens;
  for (const uint32_t id : IdsOf(tokenizer, text)) {
    if (id >= tokenizer.tokens().size()) continue;
    tokens.emplace_back(tokenizer.tokens().Word(ToWordId(id)));
  }
  return tokens;
}

TEST(JsonTokenizerTest, IdsAreThoseOfTheLibrary) {
  for (const KnownTokenizer& known : KnownTokenizers()) {
    SCOPED_TRACE(known.name);
    const auto table = TableOf(known.json);
    ASSERT_EQ(table.status(), absl::OkStatus());
    const auto tokenizer = TokenizerOf(table->tokens, table->rest);
    ASSERT_EQ(tokenizer.status(), absl::OkStatus());
    for (const KnownText& text : known.texts) {
      // The second time, the tokens of the parts are remembered.
      EXPECT_EQ(IdsOf(**tokenizer, text.text), text.ids) << text.text;
      EXPECT_EQ(IdsOf(**tokenizer, text.text), text.ids) << text.text;
    }
  }
}

// `counts_unknown`: whether the unknown token is a word.
void ExpectSameTokensAgain(const KnownTokenizer& known, bool counts_unknown) {
  const auto table = TableOf(known.json);
  ASSERT_EQ(table.status(), absl::OkStatus());
  std::vector<std::string> words = table->tokens;
  if (!counts_unknown && table->unknown.has_value()) {
    words.erase(words.begin() + static_cast<ptrdiff_t>(*table->unknown));
  }
  const auto before = TokenizerOf(words, table->rest);
  const MadeTokenizer made =
      MakeTokenizer(Views(words), table->rest, !counts_unknown);
  const auto again = TableOf(made.json);
  ASSERT_EQ(again.status(), absl::OkStatus());
  std::vector<std::string> words_again = again->tokens;
  if (made.adds_unknown) words_again.pop_back();
  EXPECT_EQ(words_again, words);
  const auto after = TokenizerOf(words, again->rest);
  ASSERT_EQ(after.status(), absl::OkStatus());
  for (const KnownText& text : known.texts) {
    EXPECT_EQ(TokensIn(**after, text.text), TokensIn(**before, text.text));
  }
}

TEST(JsonTokenizerTest, WrittenTokenizersFindTheSameTokens) {
  for (const KnownTokenizer& known : KnownTokenizers()) {
    SCOPED_TRACE(known.name);
    ExpectSameTokensAgain(known, /*counts_unknown=*/true);
    // A token outside the vocabulary is in it if an unknown token follows.
    if (!absl::StrContains(known.name, "outside")) {
      ExpectSameTokensAgain(known, /*counts_unknown=*/false);
    }
  }
}

TEST(JsonTokenizerTest, InvalidUtf8IsTheReplacementCharacter) {
  const auto tokenizer =
      TokenizerOf({"a", "\xEF\xBF\xBD"},
                  R"({"pre_tokenizer": {"type": "WhitespaceSplit"},
          "model": {"type": "WordLevel", "unk_token": "?"}})");
  ASSERT_EQ(tokenizer.status(), absl::OkStatus());
  EXPECT_EQ(IdsOf(**tokenizer, "a \xff a\xc3"),
            (std::vector<uint32_t>{0, 1, 2}));
}

std::string MessageFor(const std::string& json) {
  return std::string(TokenizerOf({"a", "b", "ab"}, json).status().message());
}

TEST(JsonTokenizerTest, WhatIsUnknownIsNamedWithItsPath) {
  const auto with = [](const char* part, const std::string& value) {
    return absl::StrCat(R"({"model": {"type": "WordLevel"}, ")", part,
                        "\": ", value, "}");
  };
  const std::pair<std::string, const char*> kCases[] = {
      {with("normalizer", R"({"type": "Unheard"})"),
       "normalizer.type: expected one of Sequence, BertNormalizer, Lowercase, "
       "NFC, NFD, NFKC, NFKD, StripAccents, Strip, Replace, Prepend, Nmt, "
       "Precompiled, ByteLevel, found \"Unheard\""},
      {with("normalizer",
            R"({"type": "Sequence", "normalizers": [{"type": "NFC"}, 7]})"),
       "normalizer.normalizers[1]: expected an object, found 7"},
      {with("normalizer", R"({"type": "Lowercase", "locale": "tr"})"),
       "normalizer: expected only the options \"type\", found \"locale\""},
      {with("normalizer", R"({"type": "Replace", "content": ""})"),
       "normalizer.pattern: expected {\"String\": ...} or {\"Regex\": ...}, "
       "found none"},
      {with("normalizer", R"({"type": "Precompiled",
                              "precompiled_charsmap": "AAAA"})"),
       "normalizer.precompiled_charsmap: expected a trie and replacements in "
       "base64, found 3 bytes"},
      {with("normalizer", R"({"type": "Precompiled",
                              "precompiled_charsmap": "CAAAAAAAAAA="})"),
       "found a trie of 8 bytes in 8 bytes"},
      {with("pre_tokenizer", R"({"type": "Punctuation", "behavior": "Lost"})"),
       "pre_tokenizer.behavior: expected one of Removed, Isolated, "
       "MergedWithPrevious, MergedWithNext, Contiguous, found \"Lost\""},
      {with("pre_tokenizer", R"({"type": "Split", "behavior": "Removed",
                                 "pattern": {"Regex": "a(b"}})"),
       "pre_tokenizer.pattern.Regex: expected a regular expression that ICU "
       "reads"},
      {with("pre_tokenizer", R"({"type": "Split", "behavior": "Removed",
                                 "pattern": {"Regex": "\\\\\\h"}})"),
       "expected a regular expression without \\h"},
      {with("pre_tokenizer", R"({"type": "Split", "behavior": "Removed",
                                 "pattern": {"Regex": "(?im)a."}})"),
       "expected a regular expression without (?im"},
      {with("pre_tokenizer", R"({"type": "CharDelimiterSplit",
                                 "delimiter": "ab"})"),
       "pre_tokenizer.delimiter: expected one character, found \"ab\""},
      {with("pre_tokenizer", R"({"type": "Metaspace", "replacement": "_",
          "add_prefix_space": false, "prepend_scheme": "first"})"),
       "pre_tokenizer.prepend_scheme: expected \"never\""},
      {with("added_tokens", R"([{"content": 1}])"),
       "added_tokens[0].content: expected a text, found 1"},
      {with("lookup", "1"), "found \"lookup\""},
      {R"({"model": {"type": "BPE", "merges": ["a b", "ab"]}})",
       "model.merges[1]: expected two tokens, \"a b\" or [\"a\", \"b\"], found "
       "\"ab\""},
      {R"({"model": {"type": "BPE", "merges": [], "dropout": 0.1}})",
       "model.dropout: expected null or 0"},
      {R"({"model": {"type": "Unigram", "vocab": [["a"]]}})",
       "model.vocab[0]: expected a token and its score"},
      {R"({"model": {"type": "Unigram", "vocab": [["a", 1]], "unk_id": 1}})",
       "model.unk_id: expected null or an index below 1, found 1"},
      {R"({"model": {"type": "WordPiece", "max_input_chars_per_word": -1}})",
       "model.max_input_chars_per_word: expected a whole number from 0"},
      {R"({"model": {}})", "model.type: expected one of"},
      {"7", ": expected an object, found 7"}};
  for (const auto& [json, message] : kCases) {
    EXPECT_THAT(MessageFor(json), HasSubstr(message)) << json;
  }
}

std::string EncodeMessage(const std::string& json, absl::string_view text) {
  const auto tokenizer = TokenizerOf({"a"}, json);
  EXPECT_EQ(tokenizer.status(), absl::OkStatus());
  std::vector<uint32_t> ids;
  return std::string((*tokenizer)->Encode(text, &ids).message());
}

TEST(JsonTokenizerTest, ExpressionsThatTakeTooLongEndWithAnError) {
  const std::string json = R"({"model": {"type": "WordLevel"},
      "pre_tokenizer": {"type": "Split", "behavior": "Removed",
                        "pattern": {"Regex": "(?:a|a)+b"}}})";
  EXPECT_EQ(EncodeMessage(json, "aaaa"), "");
  EXPECT_EQ(EncodeMessage(json, std::string(60, 'a')),
            "the regular expression \"(?:a|a)+b\" takes too much time for a "
            "text of 60 bytes");
}

TEST(JsonTokenizerTest, TextsDoNotGrowWithoutLimit) {
  const std::string by = std::string(1000, 'a');
  const std::string step =
      absl::StrCat(R"({"type": "Replace", "pattern": {"String": "a"},)",
                   R"("content": ")", by, "\"}");
  const std::string json = absl::StrCat(
      R"({"model": {"type": "WordLevel"}, "normalizer":)",
      R"({"type": "Sequence", "normalizers": [)", step, ",", step, "]}}");
  EXPECT_EQ(EncodeMessage(json, "b"), "");
  EXPECT_THAT(EncodeMessage(json, "a"), HasSubstr("more than 64 times"));
}

TEST(JsonTokenizerTest, MergesOfMissingTokensAreNamed) {
  EXPECT_THAT(
      std::string(TableOf(R"({"model": {"type": "BPE", "merges": ["a b"],
                              "vocab": {"a": 0, "b": 1}}})")
                      .status()
                      .message()),
      HasSubstr("expected tokens of the vocabulary in model.merges[0], found "
                "\"ab\""));
}

// A token that was left out is not merged, but the others are.
TEST(JsonTokenizerTest, WordsThatAreLeftOutAreLeftOutOfTheTokenizer) {
  const auto table = TableOf(
      R"({"model": {"type": "BPE", "merges": ["a b", "ab c", "b c"],
          "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4, "bc": 5}}})");
  ASSERT_EQ(table.status(), absl::OkStatus());
  const std::vector<std::string> words = {"a", "b", "c", "abc", "bc"};
  const MadeTokenizer made = MakeTokenizer(Views(words), table->rest, true);
  EXPECT_FALSE(made.adds_unknown);
  EXPECT_EQ(ParseJson(made.json)["model"]["merges"], Json({"b c"}));
  EXPECT_EQ(TableOf(made.json).status(), absl::OkStatus());
}

TEST(JsonTokenizerTest, TheUnknownTokenIsSpelledUnlikeWords) {
  const std::vector<std::string> words = {"[UNK]", "[[UNK]]"};
  const MadeTokenizer made = MakeTokenizer(Views(words), "", true);
  EXPECT_TRUE(made.adds_unknown);
  const Json json = ParseJson(made.json);
  EXPECT_EQ(json["model"]["unk_token"], "[[[UNK]]]");
  EXPECT_EQ(json["model"]["vocab"]["[UNK]"], 0);
  EXPECT_EQ(json["model"]["vocab"]["[[[UNK]]]"], 2);
}

}  // namespace
}  // namespace firth
