// The search for the most probable leaves against a walk to all of them.

#include "classify/model/label_tree.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "classify/model/classifier_file.h"
#include "firth/classifier.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

// Of all labels, sorted.
std::vector<LabelProbability> BestOfAll(std::vector<LabelProbability> all,
                                        size_t most, double least) {
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const LabelProbability& one) {
                             return static_cast<double>(one.probability) <
                                    least;
                           }),
            all.end());
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.probability > b.probability;
  });
  if (all.size() > most) all.resize(most);
  return all;
}

void ExpectSame(const std::vector<LabelProbability>& found,
                const std::vector<LabelProbability>& expected,
                const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].label, expected[i].label) << what << ", place " << i;
    EXPECT_EQ(found[i].probability, expected[i].probability) << what;
  }
}

std::vector<uint64_t> FallingCounts(size_t labels) {
  std::vector<uint64_t> counts;
  for (size_t i = 0; i < labels; ++i) counts.push_back(1 + labels / (i + 1));
  return counts;
}

TEST(LabelTreeTest, FindsWhatAWalkToAllLeavesFinds) {
  for (const size_t labels : {2, 3, 7, 100, 1000}) {
    const LabelTree tree(FallingCounts(labels));
    for (uint64_t seed = 0; seed < 20; ++seed) {
      Rng rng(CombineKeys(seed, labels));
      std::vector<float> turns(tree.num_nodes());
      // Of few values many leaves are equally probable, some of them not at
      // all.
      const bool is_coarse = seed % 2 == 0;
      for (float& turn : turns) {
        turn =
            is_coarse ? static_cast<float>(rng.Below(5)) / 4 : rng.NextFloat();
      }
      std::vector<LabelProbability> all;
      for (size_t label = 0; label < labels; ++label) {
        all.push_back({label, tree.Probability(label, turns)});
      }
      std::vector<LabelTree::Waiting> room;
      std::vector<LabelProbability> found;
      for (const size_t most : {size_t{1}, size_t{3}, size_t{50}, SIZE_MAX}) {
        for (const double least : {0.0, 1e-4, 0.0625, 0.3, 1.0}) {
          tree.FindMostProbable([&](uint32_t node) { return turns[node]; },
                                most, least, &room, &found);
          ExpectSame(found, BestOfAll(all, most, least),
                     absl::StrCat(labels, " labels, seed ", seed, ", most ",
                                  most, ", least ", least));
        }
      }
    }
  }
}

TEST(LabelTreeTest, LooksAtFewNodesWhereOneLabelIsLikely) {
  const LabelTree tree(FallingCounts(20000));
  std::vector<float> turns(tree.num_nodes(), 0.5f);
  for (const HuffmanTree::Step step : tree.Path(12345)) {
    turns[step.node] = step.branch == 1 ? 0.99f : 0.01f;
  }
  size_t asked = 0;
  std::vector<LabelTree::Waiting> room;
  std::vector<LabelProbability> found;
  tree.FindMostProbable(
      [&](uint32_t node) {
        ++asked;
        return turns[node];
      },
      1, 0, &room, &found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].label, 12345u);
  EXPECT_EQ(asked, tree.Path(12345).size());
}

ClassifierModel TreeModel(size_t labels, bool several_labels) {
  constexpr size_t kDim = 6;
  ClassifierModel model;
  model.options.parts = ClassifierParts::kDeep;
  model.options.loss = TreeLabelLoss();
  model.options.word_ngrams = 1;
  model.options.min_n = model.options.max_n = 0;
  FeatureParts parts;
  parts.options = FeaturesOf(model.options);
  for (size_t i = 0; i < 40; ++i) parts.words.push_back(absl::StrCat("w", i));
  model.features = *FeatureIndex::Of(std::move(parts));
  for (size_t i = 0; i < labels; ++i) {
    model.labels.push_back(absl::StrCat("label", i));
  }
  model.label_counts = FallingCounts(labels);
  model.link = LabelLink::kTree;
  model.several_labels = several_labels;
  model.deep_scale = 2.5f;
  model.input = FloatTable(RandomFloats(40 * kDim, 1), kDim);
  model.output = FloatTable(RandomFloats((labels - 1) * kDim, 2), kDim);
  return model;
}

TEST(LabelTreeTest, AClassifierPredictsWhatItsProbabilitiesSay) {
  constexpr size_t kLabels = 300;
  const std::string folder = testing_io::TestFolder();
  const std::vector<absl::string_view> texts = {"w1 w2 w3", "w4", "unknown", "",
                                                "w39 w0 w0"};
  for (const bool several : {false, true}) {
    const std::string path = folder + "/tree.safetensors";
    ASSERT_EQ(SaveClassifierModel(TreeModel(kLabels, several), path),
              absl::OkStatus());
    auto whole = Classifier::Load(path);
    ASSERT_TRUE(whole.ok()) << whole.status();
    auto small = QuantizeClassifier(*whole, {}, {.max_bytes = 14'000});
    ASSERT_TRUE(small.ok()) << small.status();
    for (const Classifier& classifier : {std::ref(*whole), std::ref(*small)}) {
      std::vector<float> probabilities(texts.size() * kLabels);
      ASSERT_EQ(classifier.Probabilities(texts, absl::MakeSpan(probabilities)),
                absl::OkStatus());
      for (const size_t top : {0, 1, 5, 299, 300, 1000}) {
        for (const double threshold : {-1.0, 0.0, 0.004, 0.5}) {
          PredictOptions options;
          options.top = top;
          if (threshold >= 0) options.threshold = threshold;
          const double least = threshold >= 0 ? threshold : several ? 0.5 : 0;
          const auto found = classifier.Predict(texts, options);
          ASSERT_TRUE(found.ok()) << found.status();
          for (size_t text = 0; text < texts.size(); ++text) {
            std::vector<LabelProbability> all;
            for (size_t i = 0; i < kLabels; ++i) {
              all.push_back({i, probabilities[text * kLabels + i]});
            }
            ExpectSame((*found)[text],
                       BestOfAll(all, top == 0 ? kLabels : top, least),
                       absl::StrCat("text ", text, ", top ", top,
                                    ", threshold ", threshold));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace firth
