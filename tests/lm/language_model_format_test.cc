// Language models as files of word vectors.

#include <algorithm>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "firth/contextualizer.h"
#include "firth/file_info.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/formats/vector_format.h"
#include "lm/model/language_model_file.h"
#include "lm/tiny_language_model.h"
#include "support/temp_files.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class LanguageModelFormatTest : public testing::Test {
 protected:
  std::string Save(BiLanguageModel& model) const {
    std::string path = folder.File("lm.safetensors");
    EXPECT_EQ(SaveLanguageModel(model, path), absl::OkStatus());
    return path;
  }
  TempFolder folder;
};

// What the model gives a token at layer 0 is what the file gives the word.
TEST_F(LanguageModelFormatTest, LayerZeroOfItsWordsIsWhatTheFileHolds) {
  for (const TinyInput input :
       {TinyInput::kTable, TinyInput::kCharacters, TinyInput::kBoth}) {
    const std::string path = Save(*TinyModel(input));
    const auto file = LoadVectorFile(path);
    ASSERT_EQ(file.status(), absl::OkStatus());
    const WordVectors& vectors = file->vectors;
    // Without the marks.
    EXPECT_THAT(vectors.vocabulary().Words(),
                ElementsAre("the", "cat", "sat", "on"));
    ASSERT_EQ(vectors.dim(), 6u);
    auto model = Contextualizer::Load(path);
    ASSERT_TRUE(model.ok());
    const auto tokens = model->Embed({{"on", "the", "cat", "sat"}});
    ASSERT_TRUE(tokens.ok());
    size_t token = 0;
    for (const char* word : {"on", "the", "cat", "sat"}) {
      const auto expected = (*tokens)[0].Vector(0, token++);
      const auto found = vectors.Find(word);
      ASSERT_TRUE(found.has_value());
      for (size_t d = 0; d < 6; ++d) {
        EXPECT_NEAR((*found)[d], expected[d], 1e-6) << word;
      }
    }
  }
}

TEST_F(LanguageModelFormatTest, CountsAreThoseOfTheModel) {
  const auto file = LoadVectorFile(Save(*TinyModel(TinyInput::kTable)));
  ASSERT_EQ(file.status(), absl::OkStatus());
  EXPECT_THAT(file->vectors.vocabulary().counts(), ElementsAre(7, 5, 3, 2));
}

TEST_F(LanguageModelFormatTest, MoreWordsThanAreEncodedTogether) {
  std::vector<std::string> names = {"<S>", "</S>", "<UNK>"};
  for (int i = 0; i < 3000; ++i) names.push_back(absl::StrCat("w", i));
  LanguageModelData data;
  data.words = *Vocabulary::Create(
      std::vector<absl::string_view>(names.begin(), names.end()), {});
  data.input_words = data.words;
  BiLanguageModel model(TinyOptions(TinyInput::kTable), data, 7);
  const auto file = LoadVectorFile(Save(model));
  ASSERT_EQ(file.status(), absl::OkStatus());
  ASSERT_EQ(file->vectors.size(), 3000u);
  for (const size_t i : {0, 1023, 1024, 2999}) {
    const float* const row = model.encoder().table()->value.Row(3 + i);
    EXPECT_TRUE(
        std::equal(row, row + 6, file->vectors.Vector(ToWordId(i)).begin()));
  }
}

// A model whose table came with n-grams makes vectors of other words, too.
TEST_F(LanguageModelFormatTest, NGramsOfTheTableAreThere) {
  LanguageModelData data = TinyData();
  SubwordTables subwords;
  subwords.index = *SubwordIndex::OfNGrams({3, 3, 1}, {"<do", "og>"});
  subwords.n_grams =
      FloatTable(std::vector<float>{1, 2, 3, 4, 5, 6, 3, 2, 1, 0, 1, 2}, 6);
  data.n_grams = *WordVectors::Create(Vocabulary(), Matrix<float>(0, 6),
                                      std::move(subwords));
  BiLanguageModel plain(TinyOptions(TinyInput::kTable), data, 7);
  const auto file = LoadVectorFile(Save(plain));
  ASSERT_EQ(file.status(), absl::OkStatus());
  const auto dog = file->vectors.FromNGrams("dog");
  ASSERT_TRUE(dog.has_value());
  EXPECT_THAT(*dog, ElementsAre(2, 2, 2, 2, 3, 4));
  // Behind a projection they would be no vectors of words.
  BiLanguageModel projected(TinyOptions(TinyInput::kBoth), data, 7);
  EXPECT_EQ(LoadVectorFile(Save(projected))->vectors.subwords(), nullptr);
}

TEST_F(LanguageModelFormatTest, OneWithoutWordsSaysWhatToDo) {
  LanguageModelOptions options = TinyOptions(TinyInput::kCharacters);
  options.head = HeadKind::kNone;
  BiLanguageModel model(options, {}, 7);
  const std::string path = Save(model);
  const absl::Status status = LoadVectorFile(path).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              testing::AllOf(HasSubstr(path), HasSubstr("firth distill")));
  EXPECT_EQ(DescribeVectorFile(path).status(), status);
}

TEST_F(LanguageModelFormatTest, ATruncatedOneIsRefused) {
  const std::string path = Save(*TinyModel(TinyInput::kBoth));
  const std::string whole = ReadWholeFile(path);
  for (const size_t bytes : {whole.size() / 2, whole.size() - 1}) {
    folder.Write("lm.safetensors", whole.substr(0, bytes));
    EXPECT_EQ(LoadVectorFile(path).status().code(),
              absl::StatusCode::kDataLoss);
  }
  std::string altered = whole;
  altered[whole.size() - 1] ^= 1;
  folder.Write("lm.safetensors", altered);
  EXPECT_FALSE(LoadVectorFile(path).ok());
}

TEST_F(LanguageModelFormatTest, ItIsDescribedAndNeverWritten) {
  const std::string path = Save(*TinyModel(TinyInput::kBoth));
  const auto info = DescribeVectorFile(path);
  ASSERT_EQ(info.status(), absl::OkStatus());
  EXPECT_EQ(info->format, "language model");
  EXPECT_EQ(info->words, 4u);
  EXPECT_EQ(info->dim, 6u);
  EXPECT_TRUE(info->has_counts);
  EXPECT_EQ(DescribeFile(path)->kind, "language model");
  for (const VectorFormatInfo& format : VectorFormats()) {
    EXPECT_NE(format.name, "language model");
  }
  EXPECT_FALSE(ChooseVectorFormat("x", "language model").ok());
}

// As a tagger packs them.
TEST_F(LanguageModelFormatTest, ItIsLoadedFromWithinAnotherFile) {
  const auto whole = MapWholeVectors(Save(*TinyModel(TinyInput::kTable)));
  ASSERT_EQ(whole.status(), absl::OkStatus());
  const auto loaded = LoadWholeVectors(*whole, {});
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_EQ(loaded->vectors.size(), 4u);
}

}  // namespace
}  // namespace firth
