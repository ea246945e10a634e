// A text of which nothing is known has the labels of the training texts, in all
// that scores; models of fastText answer as fastText does.

#include "classify/model/text_scorer.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "classify/model/classifier_file.h"
#include "firth/classifier.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::IsEmpty;

// 30 texts: good 15, bad 9, odd 6; where they have several labels, every third
// one is long, too.
std::vector<LabelledText> Texts(bool several) {
  std::vector<LabelledText> texts;
  for (int i = 0; i < 30; ++i) {
    const char* const label = i % 2 == 0 ? "good" : i % 10 < 6 ? "bad" : "odd";
    texts.push_back({{label}, absl::StrCat(label, i % 3, " film", i % 4)});
    if (several && i % 3 == 0) texts.back().labels.emplace_back("long");
  }
  return texts;
}

Classifier Trained(const ClassifierOptions& options, bool several = false) {
  ClassifierOptions one_thread = options;
  one_thread.threads = 1;
  ClassifierReport report;
  return *Classifier::Train(Texts(several), {}, {}, one_thread, {}, &report);
}

const std::vector<absl::string_view> kNothing = {"", "\u0444\u0436"};

TEST(LabelPriorTest, EveryKindOfOurClassifiersAnswersIt) {
  std::vector<ClassifierOptions> kinds(6);
  kinds[1].parts = ClassifierParts::kWide;
  kinds[2].parts = ClassifierParts::kDeep;
  kinds[3].parts = ClassifierParts::kDeep;
  kinds[3].loss = TreeLabelLoss();
  kinds[4].loss = OneVsAllLoss();
  kinds[5].parts = ClassifierParts::kDeep;
  kinds[5].buckets = 100;
  kinds[5].word_ngrams = 1;
  kinds[5].min_n = kinds[5].max_n = 0;
  for (const ClassifierOptions& kind : kinds) {
    const Classifier classifier = Trained(kind);
    ASSERT_THAT(classifier.labels(), ElementsAre("good", "bad", "odd"));
    std::vector<float> found(6);
    ASSERT_EQ(classifier.Probabilities(kNothing, absl::MakeSpan(found)),
              absl::OkStatus());
    EXPECT_THAT(found, ElementsAre(.5f, .3f, .2f, .5f, .3f, .2f));
    std::vector<uint64_t> known;
    for (const size_t top : {1, 2}) {
      PredictOptions options;
      options.top = top;
      const auto labels = classifier.Predict(kNothing, options, {}, &known);
      ASSERT_TRUE(labels.ok());
      ASSERT_EQ((*labels)[0].size(), top);
      EXPECT_EQ((*labels)[0][0].label, 0u);
      EXPECT_EQ((*labels)[0][0].probability, .5f);
      EXPECT_THAT(known, ElementsAre(0, 0));
    }
    std::vector<uint64_t> counted(1);
    ASSERT_EQ(
        classifier.CountKnown({"good1 good1 \u0444"}, absl::MakeSpan(counted)),
        absl::OkStatus());
    EXPECT_GE(counted[0], 2u);
    if (kind.buckets > 0) {
      EXPECT_EQ(counted[0], 2u);
    }
  }
}

TEST(LabelPriorTest, OfSeveralLabelsItIsTheShareOfTextsThatHaveEach) {
  const Classifier classifier = Trained({}, /*several=*/true);
  ASSERT_TRUE(classifier.has_several_labels());
  const std::string path = testing_io::TestFolder() + "/c.safetensors";
  ASSERT_EQ(classifier.Save(path), absl::OkStatus());
  const auto again = Classifier::Load(path);
  ASSERT_TRUE(again.ok()) << again.status();
  for (const Classifier* one : {&classifier, &*again}) {
    ASSERT_THAT(one->labels(), ElementsAre("good", "long", "bad", "odd"));
    std::vector<float> found(4);
    ASSERT_EQ(one->Probabilities({""}, absl::MakeSpan(found)),
              absl::OkStatus());
    EXPECT_THAT(found,
                ElementsAre(FloatNear(.5f, 1e-6f), FloatNear(1 / 3.0f, 1e-6f),
                            FloatNear(.3f, 1e-6f), FloatNear(.2f, 1e-6f)));
  }
}

TEST(LabelPriorTest, FilesOfEarlierVersionsHaveTheShareOfLabels) {
  ClassifierModel model;
  model.label_counts = {6, 2};
  model.several_labels = true;
  EXPECT_THAT(LabelPrior(model), ElementsAre(.75f, .25f));
  model.texts = 6;
  EXPECT_THAT(LabelPrior(model), ElementsAre(1, FloatNear(1 / 3.0f, 1e-6f)));
  model.label_counts = {0, 0};
  model.texts = 0;
  EXPECT_THAT(LabelPrior(model), IsEmpty());
}

TEST(LabelPriorTest, ModelsOfFasttextKeepTheirProbabilities) {
  ClassifierOptions options;
  options.parts = ClassifierParts::kDeep;
  options.buckets = 100;
  const Classifier classifier = Trained(options);
  const std::string path = testing_io::TestFolder() + "/c.bin";
  ASSERT_EQ(classifier.Save(path), absl::OkStatus());
  const auto again = Classifier::Load(path);
  ASSERT_TRUE(again.ok()) << again.status();
  std::vector<float> found(3);
  ASSERT_EQ(again->Probabilities({""}, absl::MakeSpan(found)),
            absl::OkStatus());
  EXPECT_THAT(found, testing::Not(ElementsAre(.5f, .3f, .2f)));
  std::vector<uint64_t> known(2);
  ASSERT_EQ(again->CountKnown({"", "good1"}, absl::MakeSpan(known)),
            absl::OkStatus());
  EXPECT_EQ(known[0], 0u);
  EXPECT_GT(known[1], 0u);
}

}  // namespace
}  // namespace firth
