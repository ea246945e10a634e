// Texts are cut as the tokenizer.json of a model2vec folder says, or it is said
// what of it is not supported.

#include "io/formats/model2vec_text.h"

#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "firth/sentence_vectors.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing_io::TestFolder;

constexpr char kBert[] =
    R"({"normalizer": {"type": "BertNormalizer", "clean_text": true,
                       "handle_chinese_chars": true, "strip_accents": null,
                       "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "added_tokens": [{"content": "[PAD]", "special": true,
                          "normalized": false, "id": 0},
                         {"content": "[UNK]", "special": true,
                          "normalized": false, "id": 1}],
        "model": {"type": "WordPiece", "unk_token": "[UNK]",
                  "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 8, "vocab": {}}})";

// Word i has the vector (2^i), so that a sum tells which ones it is of.
const std::vector<std::string> kWords = {
    "[PAD]",     "hello",  "world", "##s", "!",     "cafe",
    "caf\u00e9", "\u4e2d", "a!",    "x_1", "Hello", "cafe\u0301"};

VectorFile WordsCutBy(const std::string& tokenizer, bool normalize) {
  std::vector<float> rows;
  for (size_t i = 0; i < kWords.size(); ++i) {
    rows.push_back(static_cast<float>(1 << i));
  }
  const std::vector<absl::string_view> words(kWords.begin(), kWords.end());
  VectorFile file;
  file.vectors = *WordVectors::Create(*Vocabulary::Create(words, {}),
                                      FloatTable(std::move(rows), 1));
  file.metadata = {{"tokenizer", tokenizer},
                   {"normalize", normalize ? "true" : "false"}};
  return file;
}

// The tokens that a text is cut into, with "|" between them, in the order of
// kWords.
std::string TokensOf(const WordVectors& vectors, const std::string& text) {
  const auto encoder = SentenceEncoder::Create(vectors, {});
  if (!encoder.ok()) {
    const std::string message(encoder.status().message());
    EXPECT_THAT(message, HasSubstr("m2v"));  // the file
    return message;
  }
  float mean = -1;
  const size_t count = *encoder->Encode(text, absl::MakeSpan(&mean, 1));
  const auto sum = static_cast<size_t>(mean * static_cast<float>(count) + .5f);
  std::vector<std::string> tokens;
  for (size_t i = 0; i < kWords.size(); ++i) {
    if ((sum >> i & 1) != 0) tokens.push_back(kWords[i]);
  }
  EXPECT_EQ(tokens.size(), count);
  return absl::StrJoin(tokens, "|");
}

// As read from a folder, and from a file that it was converted to.
std::string TokensBy(const std::string& tokenizer, const std::string& text) {
  const VectorFile made = WordsCutBy(tokenizer, false);
  std::vector<std::string> found;
  for (const char* name : {"/m2v/", "/m2v.safetensors"}) {
    const std::string path = TestFolder() + name;
    EXPECT_EQ(SaveVectorFile(made, path, *ChooseVectorFormat(path, "")),
              absl::OkStatus());
    const auto loaded = LoadVectorFile(path);
    EXPECT_EQ(loaded.status(), absl::OkStatus());
    found.push_back(TokensOf(loaded->vectors, text));
  }
  // Messages name different places.
  const bool is_message = found[0].find("expected") != std::string::npos;
  EXPECT_TRUE(is_message || found[0] == found[1]) << found[1];
  return found[0];
}

TEST(Model2vecTextTest, BertsTokenizerCutsTexts) {
  const std::pair<const char*, const char*> kCut[] = {
      {"Hello worlds", "hello|world|##s"},
      {"WORLDS!hello", "hello|world|##s|!"},
      {"CAF\u00c9", "cafe"},
      {"cafe\u0301", "cafe"},
      {"hello\u4e2dworld", "hello|world|\u4e2d"},
      {"hello unknown zworlds world", "hello|world"},
      {"[PAD]hello[UNK]", "[PAD]|hello"},
      {"[pad] hello", "hello"},
      {" \t\u3000\n", ""},
      {"hel\u200blo\xff", "hello"}};
  for (const auto& [text, tokens] : kCut) {
    EXPECT_EQ(TokensBy(kBert, text), tokens) << text;
  }
}

TEST(Model2vecTextTest, WordsAboveTheLengthAreUnknown) {
  Json tokenizer = ParseJson(kBert);
  EXPECT_EQ(TokensBy(DumpJson(tokenizer), "worlds"), "world|##s");
  tokenizer["model"]["max_input_chars_per_word"] = 5;
  EXPECT_EQ(TokensBy(DumpJson(tokenizer), "worlds"), "");
}

TEST(Model2vecTextTest, EachSupportedStepIsApplied) {
  struct Case {
    const char* normalizer;
    const char* pre_tokenizer;
    const char* model;
    const char* text;
    const char* tokens;
  };
  const Case kCases[] = {
      {"null", R"({"type": "WhitespaceSplit"})", "WordLevel",
       "Hello a! worlds\u3000hello", "hello|a!|Hello"},
      {"null", R"({"type": "BertPreTokenizer"})", "WordLevel", "hello! a",
       "hello|!"},
      {"null", "null", "WordLevel", "hello world", ""},
      {R"({"type": "Strip", "strip_left": true, "strip_right": true})", "null",
       "WordLevel", "  hello\t", "hello"},
      {R"({"type": "Lowercase"})", R"({"type": "WhitespaceSplit"})",
       "WordLevel", "HELLO A!", "hello|a!"},
      {R"({"type": "Sequence", "normalizers": [{"type": "NFD"},
           {"type": "StripAccents"}, {"type": "Lowercase"}]})",
       R"({"type": "WhitespaceSplit"})", "WordLevel", "CAF\u00c9", "cafe"},
      {R"({"type": "NFD"})", R"({"type": "WhitespaceSplit"})", "WordLevel",
       "caf\u00e9", "cafe\u0301"},
      {R"({"type": "StripAccents"})", R"({"type": "WhitespaceSplit"})",
       "WordLevel", "caf\u00e9 cafe\u0301", "cafe|caf\u00e9"},
      {R"({"type": "Replace", "pattern": {"String": "-"}, "content": " "})",
       R"({"type": "WhitespaceSplit"})", "WordLevel", "hello-world",
       "hello|world"},
      {"null", R"({"type": "Whitespace"})", "WordLevel", "hello!x_1 world",
       "hello|world|!|x_1"},
      {"null",
       R"({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
           {"type": "Punctuation", "behavior": "Isolated"}]})",
       "WordLevel", "hello! world", "hello|world|!"},
      {R"({"type": "BertNormalizer", "lowercase": false})",
       R"({"type": "BertPreTokenizer"})", "WordPiece", "Hello caf\u00e9 worlds",
       "world|##s|caf\u00e9|Hello"},
      {R"({"type": "BertNormalizer", "lowercase": false,
           "strip_accents": true, "handle_chinese_chars": false})",
       R"({"type": "BertPreTokenizer"})", "WordPiece", "caf\u00e9 a\u4e2d",
       "cafe"}};
  for (const Case& test : kCases) {
    const std::string tokenizer = absl::StrCat(
        R"({"normalizer": )", test.normalizer, R"(, "pre_tokenizer": )",
        test.pre_tokenizer, R"(, "model": {"type": ")", test.model,
        R"(", "vocab": {}}})");
    EXPECT_EQ(TokensBy(tokenizer, test.text), test.tokens) << tokenizer;
  }
}

TEST(Model2vecTextTest, WhatIsNotSupportedIsNamedWhenTextsAreAskedFor) {
  const std::pair<std::string, const char*> kReplaced[] = {
      {R"("BertNormalizer")", "normalizer.type: expected one of Sequence,"},
      {R"("BertPreTokenizer")",
       "pre_tokenizer.type: expected one of Sequence,"}};
  for (const auto& [from, expected] : kReplaced) {
    const std::vector<std::string> parts = absl::StrSplit(kBert, from);
    ASSERT_EQ(parts.size(), 2u) << from;
    const std::string message =
        TokensBy(absl::StrJoin(parts, "\"Unheard\""), "hello");
    EXPECT_THAT(message,
                HasSubstr(absl::StrCat("/tokenizer.json: ", expected)));
    EXPECT_THAT(message, HasSubstr("found \"Unheard\""));
    EXPECT_THAT(message, HasSubstr("vectors of words, but not of texts"));
  }
}

// Returns the number of tokens of a text that repeats `part`.
size_t TokensOfLongText(const VectorFile& made, const char* part,
                        size_t times) {
  const std::string path = TestFolder() + "/m2v/";
  EXPECT_EQ(SaveVectorFile(made, path, "model2vec"), absl::OkStatus());
  const auto loaded = LoadVectorFile(path);
  EXPECT_EQ(loaded.status(), absl::OkStatus());
  std::string text;
  for (size_t i = 0; i < times; ++i) absl::StrAppend(&text, part);
  float mean = -1;
  return *SentenceEncoder::Create(loaded->vectors, {})
              ->Encode(text, absl::MakeSpan(&mean, 1));
}

// The tokens of kWords and "[UNK]" have a median of 4 characters.
TEST(Model2vecTextTest, LongTextsAreCutLikeModel2vecDoes) {
  VectorFile made = WordsCutBy(kBert, false);
  EXPECT_EQ(TokensOfLongText(made, "hello ", 340), 340u);
  EXPECT_EQ(TokensOfLongText(made, "hello ", 1000), 512u * 4 / 6);
  EXPECT_EQ(TokensOfLongText(made, "!", 1000), 512u);
  made.metadata["model_type"] = "StaticEmbedding";
  EXPECT_EQ(TokensOfLongText(made, "hello ", 1000), 1000u);
  EXPECT_EQ(TokensOfLongText(made, "!", 1000), 1000u);
}

// sentence-transformers counts unknown words in the mean; model2vec does not.
TEST(Model2vecTextTest, UnknownWordsCountInAStaticEmbedding) {
  VectorFile made = testing_io::MakeVectors({"hello", "[UNK]"}, 1);
  made.metadata = {{"tokenizer", kBert},
                   {"model_type", "StaticEmbedding"},
                   {"normalize", "false"}};
  const std::string path = TestFolder() + "/m2v/";
  ASSERT_EQ(SaveVectorFile(made, path, "model2vec"), absl::OkStatus());
  const auto loaded = LoadVectorFile(path);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_THAT(testing_io::WordsOf(*loaded), ElementsAre("hello", "[UNK]"));
  float mean = -1;
  EXPECT_EQ(*SentenceEncoder::Create(loaded->vectors, {})
                 ->Encode("hello other", absl::MakeSpan(&mean, 1)),
            2u);
  EXPECT_FLOAT_EQ(mean, (made.vectors.Vector(WordId{0})[0] +
                         made.vectors.Vector(WordId{1})[0]) /
                            2);
}

// By a folder of two dimensions, whose texts are 1 long if the config says so.
TEST(Model2vecTextTest, TextsAreMeansAsTheConfigHasThem) {
  VectorFile file = testing_io::MakeVectors({"hello", "world", "##s"}, 2);
  file.vectors =
      *WordVectors::Create(file.vectors.vocabulary(),
                           FloatTable(std::vector<float>{3, 0, 0, 4, 0, 8}, 2));
  file.metadata = {{"tokenizer", kBert}, {"normalize", "true"}};
  const auto encode = [&](const SentenceOptions& options) {
    const std::string path = TestFolder() + "/m2v/";
    EXPECT_EQ(SaveVectorFile(file, path, "model2vec"), absl::OkStatus());
    const auto loaded = LoadVectorFile(path, {.keep_form = true});
    std::vector<float> vector(2);
    EXPECT_TRUE(SentenceEncoder::Create(loaded->vectors, options)
                    ->Encode("HELLO worlds", absl::MakeSpan(vector))
                    .ok());
    return vector;
  };
  const auto near = [](float x, float y) {
    return ElementsAre(FloatNear(x, 1e-6f), FloatNear(y, 1e-6f));
  };
  EXPECT_THAT(encode({}), near(3 / std::sqrt(153.0f), 12 / std::sqrt(153.0f)));
  file.metadata["normalize"] = "false";
  EXPECT_THAT(encode({}), near(1, 4));
  EXPECT_THAT(encode({.unit_words = true}), near(1 / 3.0f, 2 / 3.0f));
  // Whole words alone.
  EXPECT_THAT(encode({.subwords = false}), near(0, 0));
}

}  // namespace
}  // namespace firth
