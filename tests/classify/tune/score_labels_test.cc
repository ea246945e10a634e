#include <atomic>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/label_scores.h"
#include "firth/tune.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Good words and bad ones, three in a text.
std::vector<LabelledText> TellingTexts() {
  std::vector<LabelledText> texts;
  for (int i = 0; i < 40; ++i) {
    const char* const word = i % 2 == 0 ? "good" : "bad";
    texts.push_back(
        {{word}, absl::StrCat(word, i % 5, " ", word, i % 3, " film", i % 7)});
  }
  return texts;
}

Classifier TrainedOn(const std::vector<LabelledText>& texts) {
  ClassifierOptions options;
  options.threads = 1;
  ClassifierReport report;
  return *Classifier::Train(texts, {}, {}, options, {}, &report);
}

TEST(ScoreLabelsTest, WhatIsLearntIsFoundAndWhatIsUnknownIsNot) {
  std::vector<LabelledText> texts = TellingTexts();
  const Classifier classifier = TrainedOn(texts);
  const auto learned = ScoreLabels(classifier, texts);
  ASSERT_TRUE(learned.ok()) << learned.status();
  EXPECT_EQ(learned->accuracy(), 1);
  EXPECT_EQ(learned->texts, 40u);
  EXPECT_EQ(learned->with_unknown_labels, 0u);
  for (size_t i = 1; i < texts.size(); ++i) texts[i].labels = {"other"};
  const auto unknown = ScoreLabels(classifier, texts);
  ASSERT_TRUE(unknown.ok()) << unknown.status();
  EXPECT_EQ(unknown->correct, 1u);
  EXPECT_EQ(unknown->labels.back(), "other");
  EXPECT_EQ(unknown->with_unknown_labels, 39u);
}

TEST(ScoreLabelsTest, LabelsOfWhichNoneIsKnownAreAnErrorWithAnExampleOfEach) {
  std::vector<LabelledText> texts = TellingTexts();
  const Classifier classifier = TrainedOn(texts);
  for (LabelledText& text : texts) text.labels = {"other"};
  const auto scores = ScoreLabels(classifier, texts);
  EXPECT_EQ(scores.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(scores.status().message()),
              AllOf(HasSubstr("none of the labels of the texts"),
                    HasSubstr("\"other\""), HasSubstr("\"bad\""),
                    HasSubstr("label-prefix")));
  // Texts without labels are right where none is found.
  for (LabelledText& text : texts) text.labels.clear();
  EXPECT_TRUE(ScoreLabels(classifier, texts).ok());
}

// As in a model of fastText that was trained with -label cat= .
TEST(ScoreLabelsTest, APrefixThatTheClassifierKeepsIsPutBack) {
  const std::vector<LabelledText> texts = TellingTexts();
  std::vector<LabelledText> prefixed = texts;
  for (LabelledText& text : prefixed) text.labels[0].insert(0, "cat=");
  const Classifier classifier = TrainedOn(prefixed);
  EXPECT_FALSE(ScoreLabels(classifier, texts).ok());
  EXPECT_FALSE(ScoreLabels(classifier, texts, {}, {}, "dog=").ok());
  const auto scores = ScoreLabels(classifier, texts, {}, {}, "cat=");
  ASSERT_TRUE(scores.ok()) << scores.status();
  EXPECT_EQ(scores->accuracy(), 1);
  EXPECT_EQ(scores->labels, classifier.labels());
  // What is known without it stays as it is.
  const auto whole = ScoreLabels(classifier, prefixed, {}, {}, "cat=");
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(whole->accuracy(), 1);
}

TEST(ScoreLabelsTest, NoLabelOfTheTextsToMeasureOnIsOneOfTheTraining) {
  const std::vector<LabelledText> texts = TellingTexts();
  const std::vector<LabelledText> others = {{{"other"}, "good0"}};
  ClassifierOptions options;
  options.threads = 1;
  ClassifierReport report;
  const auto classifier =
      Classifier::Train(texts, others, {}, options, {}, &report);
  EXPECT_EQ(classifier.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(classifier.status().message()),
              HasSubstr("the texts to measure on have \"other\""));
  const auto tuned = TuneClassifier(texts, others, {}, {}, {}, {}, {},
                                    [](const TuneTrial&) {});
  EXPECT_EQ(tuned.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(tuned.status().message()),
              HasSubstr("the texts to measure on have \"other\""));
}

TEST(ScoreLabelsTest, NoTextAndACallToStopAreErrors) {
  const std::vector<LabelledText> texts = TellingTexts();
  const Classifier classifier = TrainedOn(texts);
  EXPECT_EQ(ScoreLabels(classifier, {}).status().code(),
            absl::StatusCode::kInvalidArgument);
  const std::atomic<bool> stop = true;
  EXPECT_EQ(ScoreLabels(classifier, texts, {}, {.stop = &stop}).status().code(),
            absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace firth
