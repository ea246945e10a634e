// The encoder of a sequence-to-sequence model as a contextualizer.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/contextualizer.h"
#include "firth/language_model.h"
#include "firth/seq2seq.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "seq2seq/seq2seq_model.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::FloatNear;
using testing::HasSubstr;

// Writes a model that was trained for one step.
std::string EncoderFile(const TempFolder& folder, NetworkKind encoder,
                        uint64_t dim = 0, TextUnits units = TextUnits::kWords) {
  Seq2SeqOptions options;
  options.tokens.units = units;
  options.shape.encoder = encoder;
  options.shape.units = 8;
  options.shape.layers = 2;
  options.dim = dim;
  options.epochs = 1;
  options.threads = 1;
  const std::vector<TextPair> pairs = {{{"the", "old", "man"}, {"der", "alte"}},
                                       {{"the", "sea"}, {"das", "meer"}}};
  Seq2SeqReport report;
  absl::StatusOr<Seq2Seq> model =
      Seq2Seq::Train(pairs, {}, options, {}, &report);
  EXPECT_EQ(model.status(), absl::OkStatus());
  std::string path = folder.File("model");
  EXPECT_EQ(model->Save(path), absl::OkStatus());
  return path;
}

class EncoderModelTest : public testing::TestWithParam<NetworkKind> {};

TEST_P(EncoderModelTest, TheTopIsWhatTheDecoderReads) {
  const TempFolder folder;
  const std::string path = EncoderFile(folder, GetParam());
  const std::vector<std::vector<std::string>> texts = {
      {"the", "old", "sea"}, {"man", "unseen", "the", "man"}};
  Seq2SeqModel model = *LoadSeq2SeqModel(path);
  PairBatch batch;
  for (const std::vector<std::string>& text : texts) {
    batch.Add(model.SourceIds(text), {});
  }
  const nn::EncodedTexts<float> encoded =
      model.network->Encode(batch, /*threads=*/1);

  Contextualizer contextualizer = *Contextualizer::Load(path);
  // Also after the file of a language model was written from it.
  const std::string copy = folder.File("copy");
  ASSERT_EQ(contextualizer.language_model().Save(copy), absl::OkStatus());
  Contextualizer copied = *Contextualizer::Load(copy);
  for (Contextualizer* const from : {&contextualizer, &copied}) {
    ASSERT_EQ(from->num_layers(), 3u);
    ASSERT_EQ(from->dim(), encoded.rows.cols());
    EXPECT_TRUE(from->Knows("sea"));
    EXPECT_FALSE(from->Knows("unseen"));
    const auto vectors =
        *from->Embed({{"the", "old", "sea"}, {"man", "unseen", "the", "man"}});
    size_t row = 0;
    for (size_t i = 0; i < texts.size(); ++i) {
      ASSERT_EQ(vectors[i].tokens, texts[i].size());
      for (size_t token = 0; token < texts[i].size(); ++token, ++row) {
        const auto found = vectors[i].Vector(2, token);
        for (size_t d = 0; d < found.size(); ++d) {
          EXPECT_THAT(found[d], FloatNear(encoded.rows.Row(row)[d], 1e-6f));
        }
      }
      ++row;  // the end of the text
    }
  }
}

TEST_P(EncoderModelTest, ItPredictsNoWords) {
  const TempFolder folder;
  LanguageModel model = *LanguageModel::Load(EncoderFile(folder, GetParam()));
  const auto scores = model.Score({{"the"}});
  EXPECT_EQ(scores.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(scores.status().message(), HasSubstr("only embeds tokens"));
}

INSTANTIATE_TEST_SUITE_P(Encoders, EncoderModelTest,
                         testing::Values(NetworkKind::kRecurrent,
                                         NetworkKind::kWindow,
                                         NetworkKind::kTransformer),
                         [](const auto& test) {
                           return std::string(
                               kNetworkNames[static_cast<size_t>(test.param)]);
                         });

TEST(EncoderModelSizeTest, CharactersAreNoWords) {
  const TempFolder folder;
  const std::string path =
      EncoderFile(folder, NetworkKind::kRecurrent, 0, TextUnits::kCharacters);
  EXPECT_THAT(Contextualizer::Load(path).status().message(),
              HasSubstr("this model reads characters"));
}

TEST(EncoderModelSizeTest, LongVectorsDoNotFit) {
  const TempFolder folder;
  const std::string path =
      EncoderFile(folder, NetworkKind::kRecurrent, /*dim=*/9);
  const auto loaded = Contextualizer::Load(path);
  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(loaded.status().message(),
              HasSubstr("the source vectors have 9 dimensions, which is more "
                        "than the 8 of a layer"));
}

}  // namespace
}  // namespace firth
