// The published fixture of the original ELMo: weights, sentences, and the top
// layer that bilm-tf made of them, imported and embedded as a user does. Needs
// $FIRTH_DATA/elmo.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "firth/contextualizer.h"
#include "gtest/gtest.h"
#include "io/tensors/hdf5_file.h"
#include "nlohmann/json.hpp"
#include "support/run_program.h"

namespace firth {
namespace {

constexpr size_t kDim = 16;  // of a direction

struct ElmoParityTest : testing::Test {
  void SetUp() override {
    const char* const data = std::getenv("FIRTH_DATA");
    if (data == nullptr) GTEST_SKIP() << "FIRTH_DATA is not set";
    folder = absl::StrCat(data, "/elmo/model/");
    model = MakeTestFolder() + "/elmo.safetensors";
    ASSERT_EQ(
        ImportElmo(folder + "options.json", folder + "lm_weights.hdf5", model),
        absl::OkStatus());
    std::ifstream file(folder + "lm_embeddings_sentences.json");
    streams = nlohmann::json::parse(file)
                  .get<std::vector<std::vector<std::string>>>();
    ASSERT_EQ(streams.size(), 3u);
  }

  std::vector<Contextualizer::Sentence> Sentences(size_t stream) const {
    std::vector<Contextualizer::Sentence> sentences;
    for (const std::string& line : streams[stream]) {
      sentences.push_back(absl::StrSplit(line, ' ', absl::SkipEmpty()));
    }
    return sentences;
  }

  // The greatest difference from the fixture's top layer.
  double Compare(const Hdf5File& file, size_t k, const TokenVectors& found) {
    std::vector<float> expected(2 * found.tokens * kDim);
    EXPECT_EQ(
        file.Read(absl::StrCat(k), {2, found.tokens, kDim}, expected.data()),
        absl::OkStatus());
    double greatest = 0;
    for (size_t i = 0; i < expected.size(); ++i, ++compared) {
      const size_t token = i / kDim % found.tokens;
      const size_t at = i / (kDim * found.tokens) * kDim + i % kDim;
      greatest = std::max(
          greatest, std::abs(double{found.Vector(2, token)[at]} - expected[i]));
    }
    return greatest;
  }

  std::string folder;
  std::string model;
  std::vector<std::vector<std::string>> streams;
  size_t compared = 0;
};

TEST_F(ElmoParityTest, TopLayerIsThatOfTheOriginal) {
  auto contextualizer = Contextualizer::Load(model);
  ASSERT_EQ(contextualizer.status(), absl::OkStatus());
  EXPECT_EQ(contextualizer->num_layers(), 3u);
  EXPECT_EQ(contextualizer->dim(), 2 * kDim);
  double greatest = 0;
  for (size_t stream = 0; stream < streams.size(); ++stream) {
    contextualizer->Reset();
    const auto vectors =
        contextualizer->Embed(Sentences(stream), {.stateful = true});
    ASSERT_EQ(vectors.status(), absl::OkStatus());
    const auto file =
        Hdf5File::Open(absl::StrCat(folder, "lm_embeddings_", stream, ".hdf5"));
    ASSERT_EQ(file.status(), absl::OkStatus());
    for (size_t k = 0; k < vectors->size(); ++k) {
      greatest = std::max(greatest, Compare(*file, k, (*vectors)[k]));
    }
  }
  EXPECT_EQ(compared, 23808u);
  EXPECT_LE(greatest, 2e-6);
  RecordProperty("greatest_difference", absl::StrCat(greatest));
}

TEST_F(ElmoParityTest, StateMattersOnlyIfItIsCarried) {
  auto contextualizer = Contextualizer::Load(model);
  ASSERT_EQ(contextualizer.status(), absl::OkStatus());
  const auto sentences = Sentences(0);
  const auto stateless = contextualizer->Embed(sentences);
  const auto stateful = contextualizer->Embed(sentences, {.stateful = true});
  ASSERT_TRUE(stateless.ok() && stateful.ok());
  for (size_t k = 0; k < sentences.size(); ++k) {
    double difference = 0;
    for (size_t i = 0; i < (*stateless)[k].values.size(); ++i) {
      difference =
          std::max(difference, std::abs(double{(*stateless)[k].values[i]} -
                                        (*stateful)[k].values[i]));
    }
    if (k == 0) {
      EXPECT_LE(difference, 1e-6);
    } else {
      EXPECT_GT(difference, 1e-3);
    }
  }
}

}  // namespace
}  // namespace firth
