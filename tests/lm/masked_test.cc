#include "lm/read/masked.h"

#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "lm/tiny_language_model.h"

namespace firth {
namespace {

std::unique_ptr<BiLanguageModel> MaskedModel() {
  LanguageModelOptions options = TinyOptions(TinyInput::kTable);
  options.predict = Prediction::kMasked;
  options.marks.emplace_back(kMask);
  LanguageModelData data;
  data.words = *Vocabulary::Create(
      {kBeginSentence, kEndSentence, kUnknown, kMask, "the", "cat", "sat"},
      {9, 9, 8, 0, 7, 5, 3});
  data.input_words = data.words;
  return std::make_unique<BiLanguageModel>(options, std::move(data), 7);
}

// 15% of the words, and of these 80, 10 and 10; never a mark.
TEST(HideWordsTest, HidesAsManyAsBertDoes) {
  const auto model = MaskedModel();
  TextWords words(*model);
  for (const char* word : {"the", "cat", "sat", "a", "b", "c", "d", "e"}) {
    words.IdOf(word);
  }
  constexpr size_t kIds = 100000;
  std::vector<uint32_t> ids(kIds, words.IdOf("cat"));
  for (size_t i = 0; i < kIds; i += 2) ids[i] = kEndSentenceId;
  const HiddenWords hidden = HideWords(*model, words, 5, false, &ids);
  double masked = 0, other = 0, same = 0;
  for (size_t k = 0; k < hidden.places.size(); ++k) {
    ASSERT_EQ(hidden.places[k] % 2, 1u);
    EXPECT_EQ(hidden.ids[k], words.IdOf("cat"));
    const uint32_t now = ids[hidden.places[k]];
    EXPECT_TRUE(now == MaskId(model->options()) || now >= words.FirstWord());
    ++(now == MaskId(model->options()) ? masked
       : now == words.IdOf("cat")      ? same
                                       : other);
  }
  const auto all = static_cast<double>(hidden.places.size());
  EXPECT_NEAR(all / (kIds / 2), 0.15, 0.005);
  EXPECT_NEAR(masked / all, 0.8, 0.02);
  EXPECT_NEAR(same / all, 0.1 + 0.1 / 8, 0.01);  // one of eight is drawn itself
  EXPECT_NEAR(other / all, 0.1 - 0.1 / 8, 0.01);
}

TEST(HideWordsTest, TheKeyDecides) {
  const auto model = MaskedModel();
  TextWords words(*model);
  const std::vector<uint32_t> text(200, words.IdOf("cat"));
  const auto hide = [&](uint64_t key) {
    std::vector<uint32_t> ids = text;
    return HideWords(*model, words, key, false, &ids).places;
  };
  EXPECT_EQ(hide(1), hide(1));
  EXPECT_NE(hide(1), hide(2));
}

TEST(HideWordsTest, OneWordIsHiddenWhereThatIsAsked) {
  const auto model = MaskedModel();
  TextWords words(*model);
  for (uint64_t key = 0; key < 20; ++key) {
    std::vector<uint32_t> ids = {kBeginSentenceId, words.IdOf("cat"),
                                 kEndSentenceId};
    const HiddenWords hidden = HideWords(*model, words, key, true, &ids);
    EXPECT_EQ(hidden.places, std::vector<uint32_t>{1});
    std::vector<uint32_t> marks = {kBeginSentenceId, kEndSentenceId};
    EXPECT_TRUE(HideWords(*model, words, key, true, &marks).places.empty());
  }
}

}  // namespace
}  // namespace firth
