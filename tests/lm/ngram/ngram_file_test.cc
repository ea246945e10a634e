#include "lm/ngram/ngram_file.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "firth/file_info.h"
#include "firth/language_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/tensors/checked_tensors.h"
#include "lm/model/language_model_options.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::HasSubstr;

// The arrays of a trie of <S>, </S>, <UNK>, a, and <S> a, a </S>.
struct Arrays {
  std::vector<uint32_t> begins = {0, 1, 5, 7};
  std::vector<uint32_t> words = {0, 0, 1, 2, 3, 3, 1};
  std::vector<float> log_probabilities = {0, 0, -1, -2, -1, -0.5F, -0.25F};
  std::vector<uint32_t> children = {1, 5, 6, 6, 6, 7};
  std::vector<uint32_t> suffixes = {0, 0, 0, 0, 0};
  std::vector<float> backoffs = {0, -0.5F, 0, 0, -0.25F};

  NgramArrays view() const {
    return {begins, words, log_probabilities, children, suffixes, backoffs};
  }
};

NgramModelData ModelOf(const Arrays& arrays,
                       std::vector<absl::string_view> words = {
                           kBeginSentence, kEndSentence, kUnknown, "a"}) {
  return {*Vocabulary::Create(words, {}),
          NgramTrie(arrays.view(), /*is_additive=*/false, nullptr),
          "kneser-ney",
          {{"training", "{}"}}};
}

class NgramFileTest : public testing::Test {
 protected:
  absl::StatusOr<LanguageModel> SaveAndLoad(const NgramModelData& model) {
    EXPECT_EQ(SaveNgramModel(model, path_), absl::OkStatus());
    return LanguageModel::Load(path_);
  }
  TempFolder folder_;
  std::string path_ = folder_.File("lm.safetensors");
};

TEST_F(NgramFileTest, HoldsTheWholeModel) {
  const Arrays arrays;
  auto model = SaveAndLoad(ModelOf(arrays));
  ASSERT_EQ(model.status(), absl::OkStatus());
  EXPECT_EQ(model->metadata()["training"], "{}");
  const std::vector<LanguageModel::Sentence> sentences = {{"a"}, {"x"}};
  const auto scores = model->TokenScores(sentences);
  ASSERT_EQ(scores.status(), absl::OkStatus());
  EXPECT_NEAR((*scores)[0][0].log_probability, -0.5 * M_LN10, 1e-6);
  EXPECT_NEAR((*scores)[0][1].log_probability, -0.25 * M_LN10, 1e-6);
  EXPECT_NEAR((*scores)[1][0].log_probability, -2.5 * M_LN10, 1e-6);
  EXPECT_TRUE((*scores)[1][0].unknown);
  const std::string bytes = ReadWholeFile(path_);
  const std::string again = folder_.File("again.safetensors");
  ASSERT_EQ(model->Save(again), absl::OkStatus());
  EXPECT_EQ(ReadWholeFile(again), bytes);
}

TEST_F(NgramFileTest, IsDescribed) {
  ASSERT_EQ(SaveNgramModel(ModelOf(Arrays()), path_), absl::OkStatus());
  const auto info = DescribeFile(path_);
  ASSERT_EQ(info.status(), absl::OkStatus());
  EXPECT_EQ(info->kind, "counting language model");
  EXPECT_EQ(info->metadata.at("training"), "{}");
  const auto fact = [&](const std::string& name) {
    for (const FileFact& each : info->facts) {
      if (each.name == name) return each.value;
    }
    return decltype(FileFact::value)();
  };
  EXPECT_EQ(fact("smoothing"), decltype(FileFact::value)("kneser-ney"));
  EXPECT_EQ(fact("order"), decltype(FileFact::value)(uint64_t{2}));
  EXPECT_EQ(fact("words_predicted"), decltype(FileFact::value)(uint64_t{4}));
  EXPECT_EQ(fact("ngrams_of_order_2"), decltype(FileFact::value)(uint64_t{2}));
}

TEST_F(NgramFileTest, TruncatedAndAlteredFilesAreRejected) {
  ASSERT_EQ(SaveNgramModel(ModelOf(Arrays()), path_), absl::OkStatus());
  const std::string bytes = ReadWholeFile(path_);
  for (size_t size = 0; size < bytes.size(); size += 7) {
    folder_.Write("lm.safetensors", bytes.substr(0, size));
    EXPECT_FALSE(LanguageModel::Load(path_).ok()) << size;
  }
  for (size_t at = bytes.size() - 100; at < bytes.size(); ++at) {
    std::string altered = bytes;
    altered[at] = static_cast<char>(altered[at] ^ 0x10);
    folder_.Write("lm.safetensors", altered);
    const auto model = LanguageModel::Load(path_);
    EXPECT_EQ(model.status().code(), absl::StatusCode::kDataLoss) << at;
    EXPECT_THAT(model.status().message(), HasSubstr(path_)) << at;
  }
}

struct Damage {
  const char* name;
  std::function<void(Arrays*)> damage;
  const char* message;
};

TEST_F(NgramFileTest, ArraysThatAreNoTrieAreRejected) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Damage cases[] = {
      {"word beyond the vocabulary", [](Arrays* a) { a->words[6] = 4; },
       "array \"words\", value 6"},
      {"unsorted words", [](Arrays* a) { a->children[1] = a->children[0]; },
       "array \"children\", value 1"},
      {"another unigram", [](Arrays* a) { a->words[2] = 2; },
       "array \"words\", value 2"},
      {"child beyond the end", [](Arrays* a) { a->children[3] = 4000000000; },
       "array \"children\", value 3"},
      {"descending children", [](Arrays* a) { a->children[3] = 5; },
       "array \"children\", value 3"},
      {"suffix that is not shorter", [](Arrays* a) { a->suffixes[4] = 1; },
       "array \"suffixes\", value 4"},
      {"NaN", [](Arrays* a) { a->log_probabilities[5] = kNan; },
       "array \"log_probabilities\", value 5"},
      {"p above 1", [](Arrays* a) { a->log_probabilities[5] = 0.5; },
       "array \"log_probabilities\", value 5"},
      {"infinite weight", [](Arrays* a) { a->backoffs[1] = 1 / 0.0F; },
       "array \"backoffs\", value 1"},
  };
  for (const Damage& each : cases) {
    Arrays arrays;
    each.damage(&arrays);
    const auto model = SaveAndLoad(ModelOf(arrays));
    EXPECT_EQ(model.status().code(), absl::StatusCode::kDataLoss) << each.name;
    EXPECT_THAT(model.status().message(), HasSubstr(each.message)) << each.name;
    EXPECT_THAT(model.status().message(), HasSubstr(path_)) << each.name;
  }
}

TEST_F(NgramFileTest, WordsMustFitTheTrie) {
  const Arrays arrays;
  for (const std::vector<absl::string_view>& words :
       {std::vector<absl::string_view>{"a", "b", "c", "d"},
        {kBeginSentence, kEndSentence, kUnknown},
        {kBeginSentence, kEndSentence, kUnknown, "a", "b"}}) {
    const auto model = SaveAndLoad(ModelOf(arrays, words));
    EXPECT_EQ(model.status().code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(model.status().message(),
                HasSubstr("expected <S>, </S>, <UNK> and other words, 4 in "
                          "all"));
  }
}

}  // namespace
}  // namespace firth
