// The published fixture of the original ELMo: weights, sentences, and the top
// layer that bilm-tf made of them. Needs $FIRTH_DATA/elmo.

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "contextual/bi_lstm.h"
#include "contextual/character_ids.h"
#include "contextual/elmo_import.h"
#include "contextual/hdf5_file.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

using Sentence = std::vector<std::string>;

std::string ModelFolder() {
  const char* const data = std::getenv("FIRTH_DATA");
  return data == nullptr ? "" : absl::StrCat(data, "/elmo/model/");
}

std::vector<std::vector<Sentence>> ReadStreams(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::vector<Sentence>> streams;
  for (const auto& list : nlohmann::json::parse(file)) {
    streams.emplace_back();
    for (const auto& line : list) {
      Sentence words = {std::string(kBeginSentence)};
      for (const auto word :
           absl::StrSplit(line.get<std::string>(), ' ', absl::SkipEmpty())) {
        words.emplace_back(word);
      }
      words.emplace_back(kEndSentence);
      streams.back().push_back(words);
    }
  }
  return streams;
}

// The k-th sentence of every stream, as one padded chunk.
struct Batch {
  Batch(const std::vector<std::vector<Sentence>>& streams, size_t k,
        size_t max_characters) {
    for (const auto& stream : streams) {
      lengths.push_back(stream[k].size());
      steps = std::max(steps, lengths.back());
    }
    word_of_row.assign(steps * streams.size(), 0);
    for (size_t b = 0; b < streams.size(); ++b) {
      for (size_t t = 0; t < lengths[b]; ++t) {
        word_of_row[t * streams.size() + b] = num_words++;
        AppendCharacterIds(streams[b][k][t], max_characters, &characters);
      }
    }
  }

  nn::ChunkShape shape() const { return {steps, lengths.size(), lengths}; }

  size_t steps = 0;
  uint32_t num_words = 0;
  std::vector<size_t> lengths;
  std::vector<uint32_t> word_of_row;
  std::vector<uint16_t> characters;
};

TEST(ElmoParityTest, TopLayerIsThatOfTheOriginal) {
  const std::string folder = ModelFolder();
  if (folder.empty()) GTEST_SKIP() << "FIRTH_DATA is not set";
  auto model = ImportElmo(folder + "options.json", folder + "lm_weights.hdf5");
  ASSERT_EQ(model.status(), absl::OkStatus());
  BiLstm& bi_lstm = **model;
  const size_t dim = bi_lstm.direction_dim();
  const auto streams = ReadStreams(folder + "lm_embeddings_sentences.json");
  ASSERT_EQ(streams.size(), 3u);
  BiLstm::State state = bi_lstm.MakeState(streams.size());
  double greatest = 0;
  size_t compared = 0;
  for (size_t k = 0; k < streams[0].size(); ++k) {
    const Batch batch(streams, k,
                      bi_lstm.options().encoder.char_cnn.max_characters);
    bi_lstm.Run({{}, batch.characters}, batch.word_of_row, batch.shape(),
                &state);
    for (size_t b = 0; b < streams.size(); ++b) {
      const auto file =
          Hdf5File::Open(absl::StrCat(folder, "lm_embeddings_", b, ".hdf5"));
      ASSERT_EQ(file.status(), absl::OkStatus());
      const size_t tokens = batch.lengths[b] - 2;
      std::vector<float> expected(2 * tokens * dim);
      ASSERT_EQ(file->Read(absl::StrCat(k), {2, tokens, dim}, expected.data()),
                absl::OkStatus());
      const float* next = expected.data();
      for (const auto direction :
           {BiLstm::Direction::kForward, BiLstm::Direction::kBackward}) {
        const auto top = bi_lstm.Layer(2, direction);
        for (size_t t = 1; t <= tokens; ++t) {
          const float* const found = top.Row(t * streams.size() + b);
          for (size_t c = 0; c < dim; ++c, ++compared) {
            greatest = std::max(greatest, std::abs(double{found[c]} - *next++));
          }
        }
      }
    }
  }
  EXPECT_EQ(compared, 23808u);
  EXPECT_LE(greatest, 2e-6);
  RecordProperty("greatest_difference", absl::StrCat(greatest));
}

}  // namespace
}  // namespace firth
