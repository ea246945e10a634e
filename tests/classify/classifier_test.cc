#include "firth/classifier.h"

#include <atomic>
#include <cmath>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "firth/file_info.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::HasSubstr;

// Texts of two topics, whose words are drawn; some words are common to both.
std::vector<LabelledText> TwoTopics(size_t count, uint64_t seed) {
  std::vector<LabelledText> texts;
  for (size_t i = 0; i < count; ++i) {
    Rng rng(CombineKeys(seed, i));
    const bool is_sea = i % 3 == 0;
    LabelledText text{{is_sea ? "sea" : "land"}, ""};
    for (int word = 0; word < 8; ++word) {
      const uint32_t number = rng.Below(20);
      absl::StrAppend(&text.text, word > 0 ? " " : "",
                      rng.Below(3) == 0 ? "both"
                      : is_sea          ? "wave"
                                        : "hill",
                      number);
    }
    texts.push_back(text);
  }
  return texts;
}

ClassifierOptions OneThread() {
  ClassifierOptions options;
  options.threads = 1;
  return options;
}

Classifier Trained(const std::vector<LabelledText>& texts,
                   const ClassifierOptions& options) {
  ClassifierReport report;
  auto classifier = Classifier::Train(texts, {}, {}, options, {}, &report);
  EXPECT_TRUE(classifier.ok()) << classifier.status();
  return *std::move(classifier);
}

std::vector<float> ProbabilitiesOf(const Classifier& classifier,
                                   const std::vector<LabelledText>& texts) {
  std::vector<absl::string_view> views;
  for (const LabelledText& text : texts) views.push_back(text.text);
  std::vector<float> probabilities(texts.size() * classifier.labels().size());
  EXPECT_TRUE(
      classifier.Probabilities(views, absl::MakeSpan(probabilities)).ok());
  return probabilities;
}

double Accuracy(const Classifier& classifier,
                const std::vector<LabelledText>& texts) {
  std::vector<absl::string_view> views;
  for (const LabelledText& text : texts) views.push_back(text.text);
  const auto found = classifier.Predict(views);
  EXPECT_TRUE(found.ok()) << found.status();
  double right = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    right += classifier.labels()[(*found)[i][0].label] == texts[i].labels[0];
  }
  return right / static_cast<double>(texts.size());
}

TEST(ClassifierTest, EveryPartAndLossLearnsTopics) {
  const auto train = TwoTopics(300, 1);
  const auto test = TwoTopics(200, 2);
  for (const ClassifierParts parts :
       {ClassifierParts::kWide, ClassifierParts::kDeep,
        ClassifierParts::kBoth}) {
    for (const LabelLoss& loss :
         {LabelLoss(), LabelLoss(OneVsAllLoss()), LabelLoss(TreeLabelLoss()),
          LabelLoss(SampledLabelLoss())}) {
      const bool is_deep = loss.index() >= 3;
      if (is_deep && parts == ClassifierParts::kWide) continue;
      ClassifierOptions options = OneThread();
      options.parts = parts;
      options.loss = loss;
      options.epochs = 20;
      const Classifier classifier = Trained(train, options);
      EXPECT_GT(Accuracy(classifier, test), 0.97)
          << static_cast<int>(parts) << " " << loss.index();
      EXPECT_THAT(classifier.labels(), testing::ElementsAre("land", "sea"));
    }
  }
}

TEST(ClassifierTest, ProbabilitiesOfOneLabelSumToOne) {
  const auto texts = TwoTopics(100, 1);
  for (const LabelLoss& loss : {LabelLoss(), LabelLoss(TreeLabelLoss())}) {
    ClassifierOptions options = OneThread();
    options.loss = loss;
    const auto probabilities = ProbabilitiesOf(Trained(texts, options), texts);
    for (size_t i = 0; i < probabilities.size(); i += 2) {
      EXPECT_NEAR(probabilities[i] + probabilities[i + 1], 1, 1e-5);
    }
  }
}

TEST(ClassifierTest, TheSameSeedGivesTheSameBits) {
  const auto texts = TwoTopics(100, 1);
  const auto first = ProbabilitiesOf(Trained(texts, OneThread()), texts);
  EXPECT_EQ(ProbabilitiesOf(Trained(texts, OneThread()), texts), first);
  ClassifierOptions other = OneThread();
  other.seed = 2;
  EXPECT_NE(ProbabilitiesOf(Trained(texts, other), texts), first);
}

TEST(ClassifierTest, FindsSeveralLabels) {
  std::vector<LabelledText> texts;
  for (size_t i = 0; i < 200; ++i) {
    LabelledText text;
    for (size_t bit = 0; bit < 3; ++bit) {
      if ((i >> bit & 1) == 0 && !(bit == 2 && text.labels.empty())) continue;
      text.labels.push_back(absl::StrCat("l", bit));
      absl::StrAppend(&text.text, "w", bit, "x", i % 7, " w", bit, " ");
    }
    texts.push_back(text);
  }
  const Classifier classifier = Trained(texts, OneThread());
  EXPECT_TRUE(classifier.has_several_labels());
  PredictOptions all;
  all.top = 0;
  const auto found = classifier.Predict({"w0 w2", "w1"}, all);
  ASSERT_TRUE(found.ok());
  const auto names = [&](size_t text) {
    std::vector<std::string> result;
    for (const LabelProbability& label : (*found)[text]) {
      result.push_back(classifier.labels()[label.label]);
    }
    return result;
  };
  EXPECT_THAT(names(0), testing::UnorderedElementsAre("l0", "l2"));
  EXPECT_THAT(names(1), testing::UnorderedElementsAre("l1"));
}

TEST(ClassifierTest, TopAndThresholdChooseLabels) {
  const auto texts = TwoTopics(100, 1);
  const Classifier classifier = Trained(texts, OneThread());
  const std::string& sea = texts[0].text;
  PredictOptions options;
  options.top = 0;
  EXPECT_EQ(classifier.Predict({sea}, options)->at(0).size(), 2);
  options.threshold = 0.5;
  const auto found = *classifier.Predict({sea}, options);
  ASSERT_EQ(found[0].size(), 1);
  EXPECT_EQ(classifier.labels()[found[0][0].label], "sea");
  options.threshold = 2;
  EXPECT_EQ(classifier.Predict({sea}, options).status().message(),
            "threshold: must be 0 to 1, found 2");
}

TEST(ClassifierTest, BadTextsAreRefused) {
  const auto train = [](const std::vector<LabelledText>& texts,
                        const ClassifierOptions& options) {
    ClassifierReport report;
    return std::string(Classifier::Train(texts, {}, {}, options, {}, &report)
                           .status()
                           .message());
  };
  EXPECT_EQ(train({}, {}),
            "a classifier needs texts with at least two different labels, but "
            "there are no texts");
  EXPECT_EQ(train({{{"a"}, "x"}, {{"a"}, "y"}}, {}),
            "a classifier needs texts with at least two different labels, but "
            "all texts have the label \"a\"");
  EXPECT_EQ(train({{{"a"}, "x"}, {{}, "y"}}, {}),
            "text 2: the text has no label");
  EXPECT_EQ(train({{{"a"}, " "}, {{"b"}, ""}}, {}),
            "the texts contain no words");
  ClassifierOptions softmax;
  softmax.loss = SoftmaxLabelLoss();
  EXPECT_THAT(
      train({{{"a"}, "x"}, {{"a", "b"}, "y"}}, softmax),
      HasSubstr("text 2: loss softmax requires exactly one label, found 2"));
}

TEST(ClassifierTest, TheSmallestTextsAreLearnt) {
  const std::vector<LabelledText> texts = {{{"a"}, "x"}, {{"b"}, "y"}};
  const Classifier classifier = Trained(texts, OneThread());
  EXPECT_EQ(Accuracy(classifier, texts), 1);
  for (const float p : ProbabilitiesOf(classifier, {{{}, ""}, {{}, "z"}})) {
    EXPECT_TRUE(std::isfinite(p));
  }
}

TEST(ClassifierTest, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  ClassifierReport report;
  EXPECT_TRUE(absl::IsCancelled(
      Classifier::Train(TwoTopics(50, 1), {}, {}, OneThread(),
                        {.progress = nullptr, .stop = &stop}, &report)
          .status()));
}

TEST(ClassifierTest, NothingIsMadeWhereNothingWasLearnt) {
  class : public ProgressSink {
   public:
    void OnMemory(const MemoryEstimate&) override { stop = true; }
    std::atomic<bool> stop = false;
  } before_the_first_step;
  ClassifierReport report;
  EXPECT_TRUE(
      absl::IsCancelled(Classifier::Train(TwoTopics(50, 1), {}, {}, OneThread(),
                                          {.progress = &before_the_first_step,
                                           .stop = &before_the_first_step.stop},
                                          &report)
                            .status()));
  EXPECT_TRUE(before_the_first_step.stop);
}

// Asks to stop after so many reports of epochs' progress.
class StopAfter : public ProgressSink {
 public:
  StopAfter(int reports, std::atomic<bool>* stop)
      : reports_(reports), stop_(stop) {}
  void OnMemory(const MemoryEstimate& estimate) override {
    EXPECT_GT(estimate.tables, 0);
  }
  void OnTrain(const TrainProgress& progress) override {
    EXPECT_LE(progress.fraction, 1);
    if (--reports_ <= 0) *stop_ = true;
  }

 private:
  int reports_;
  std::atomic<bool>* stop_;
};

TEST(ClassifierTest, GoesOnFromACheckpointToTheSameBits) {
  const auto texts = TwoTopics(200, 1);
  for (const ClassifierParts parts :
       {ClassifierParts::kWide, ClassifierParts::kBoth}) {
    ClassifierOptions options = OneThread();
    options.parts = parts;
    options.epochs = 2;
    options.held_out = 0.5;
    const auto whole = ProbabilitiesOf(Trained(texts, options), texts);
    const TempFolder folder;
    Checkpointing checkpointing;
    checkpointing.folder = folder.path() + "/saved";
    std::optional<Classifier> done;
    int runs = 0;
    while (!done.has_value() && runs < 300) {
      std::atomic<bool> stop = false;
      StopAfter sink(1, &stop);
      ClassifierReport report;
      auto classifier = Classifier::Train(texts, {}, {}, options,
                                          {.progress = &sink, .stop = &stop},
                                          &report, checkpointing);
      ASSERT_TRUE(classifier.ok()) << classifier.status();
      checkpointing.resume = true;
      ++runs;
      if (!report.interrupted) done = *std::move(classifier);
    }
    ASSERT_TRUE(done.has_value());
    EXPECT_GT(runs, 2) << "nothing was interrupted";
    EXPECT_EQ(ProbabilitiesOf(*done, texts), whole);
  }
}

// What a file says of whether its training came to the end.
bool SaysInterrupted(const Classifier& classifier, const std::string& path) {
  EXPECT_EQ(classifier.Save(path), absl::OkStatus());
  const auto info = DescribeFile(path);
  EXPECT_TRUE(info.ok()) << info.status();
  for (const FileFact& fact : info->facts) {
    if (fact.name == "interrupted") return std::get<bool>(fact.value);
  }
  ADD_FAILURE() << "the file says nothing of it";
  return false;
}

TEST(ClassifierTest, WhatWasInterruptedSaysSoAndIsCalibrated) {
  const auto texts = TwoTopics(200, 1);
  const TempFolder folder;
  const std::string path = folder.path() + "/m.safetensors";
  EXPECT_FALSE(SaysInterrupted(Trained(texts, OneThread()), path));
  ClassifierOptions options = OneThread();
  options.held_out = 0.5;
  std::atomic<bool> stop = false;
  StopAfter sink(1, &stop);
  ClassifierReport report;
  const auto classifier = Classifier::Train(
      texts, {}, {}, options, {.progress = &sink, .stop = &stop}, &report);
  ASSERT_TRUE(classifier.ok()) << classifier.status();
  EXPECT_TRUE(report.interrupted);
  // Those that the first phase holds out, and of which it knows nothing yet.
  EXPECT_EQ(report.calibrated_on, 100u);
  EXPECT_TRUE(report.calibration_error.has_value());
  EXPECT_TRUE(SaysInterrupted(*classifier, path));
  const auto loaded = Classifier::Load(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_TRUE(SaysInterrupted(*loaded, path)) << "kept when saved again";
}

TEST(ClassifierTest, TextsHeldOutAreCountedInTheReport) {
  const auto texts = TwoTopics(200, 1);
  ClassifierOptions options = OneThread();
  const auto calibrated_on = [&](absl::Span<const LabelledText> valid) {
    ClassifierReport report;
    EXPECT_TRUE(Classifier::Train(texts, valid, {}, options, {}, &report).ok());
    return report.calibrated_on;
  };
  EXPECT_EQ(calibrated_on({}), 200u);  // ten folds of 20
  EXPECT_EQ(calibrated_on(TwoTopics(30, 2)), 30u);
  options.held_out = 0;
  EXPECT_EQ(calibrated_on({}), 0u);
}

TEST(ClassifierTest, GivenTextsFindTheBestEpoch) {
  const auto train = TwoTopics(100, 1);
  const auto valid = TwoTopics(100, 3);
  ClassifierOptions options = OneThread();
  options.epochs = 50;
  ClassifierReport report;
  const auto classifier =
      Classifier::Train(train, valid, {}, options, {}, &report);
  ASSERT_TRUE(classifier.ok());
  EXPECT_LT(report.epochs.size(), 50) << "patience did not run out";
  ASSERT_GT(report.best_epoch, 0);
  EXPECT_EQ(Accuracy(*classifier, valid),
            report.epochs[report.best_epoch - 1].score);
  EXPECT_TRUE(report.calibration_error.has_value());
}

// Two words a label are learned from; others are near them in the vectors.
TEST(ClassifierTest, VectorsTellOfWordsThatNoTextHas) {
  const TempFolder folder;
  const std::string vectors = folder.path() + "/v.vec";
  testing_io::WriteBytes(vectors,
                         "6 2\nwave 2 0.1\nship 2 -0.1\nfoam 1.9 0\n"
                         "hill 0.1 2\npath -0.1 2\nrock 0 1.9\n");
  const std::vector<LabelledText> train = {{{"sea"}, "wave ship"},
                                           {{"land"}, "hill path"},
                                           {{"sea"}, "ship wave"},
                                           {{"land"}, "path hill"}};
  const std::vector<LabelledText> test = {{{"sea"}, "foam"},
                                          {{"land"}, "rock"}};
  ClassifierOptions options = OneThread();
  options.min_n = options.max_n = 0;
  options.epochs = 20;
  const auto train_with = [&](const ClassifierInputs& inputs) {
    ClassifierReport report;
    auto classifier =
        Classifier::Train(train, {}, inputs, options, {}, &report);
    EXPECT_TRUE(classifier.ok()) << classifier.status();
    return Accuracy(*classifier, test);
  };
  EXPECT_EQ(train_with({.vectors = vectors, .contextualizer = ""}), 1);
  EXPECT_EQ(train_with({}), 0.5) << "it says the same of all unknown words";
}

TEST(ClassifierTest, BalancedWeightsFindRareLabelsMoreOften) {
  // Of the texts with "x" one in eleven is rare, of those with "y" all others.
  std::vector<LabelledText> texts;
  for (int i = 0; i < 220; ++i) {
    texts.push_back({{i % 11 == 0 ? "rare" : "usual"}, "x"});
    texts.push_back({{"usual"}, i % 11 == 0 ? "y" : "z"});
  }
  ClassifierOptions options = OneThread();
  options.held_out = 0;
  const auto rare_of_x = [&](ClassWeights weights) {
    options.class_weights = weights;
    const Classifier classifier = Trained(texts, options);
    const auto probabilities = ProbabilitiesOf(classifier, {{{}, "x"}});
    return probabilities[classifier.labels()[0] == "rare" ? 0 : 1];
  };
  EXPECT_LT(rare_of_x(ClassWeights::kNone), 0.5);
  EXPECT_GT(rare_of_x(ClassWeights::kBalanced), 0.5);
}

TEST(ClassifierTest, ADivergingTrainingIsToldOf) {
  ClassifierOptions options = OneThread();
  options.parts = ClassifierParts::kDeep;
  options.learning_rate = 1e9;
  options.epochs = 50;
  ClassifierReport report;
  const auto status =
      Classifier::Train(TwoTopics(100, 1), {}, {}, options, {}, &report)
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange) << status;
}

}  // namespace
}  // namespace firth
