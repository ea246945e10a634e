#include <atomic>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/label_scores.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

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
  const auto learnt = ScoreLabels(classifier, texts);
  ASSERT_TRUE(learnt.ok()) << learnt.status();
  EXPECT_EQ(learnt->accuracy(), 1);
  EXPECT_EQ(learnt->texts, 40u);
  for (LabelledText& text : texts) text.labels = {"other"};
  const auto unknown = ScoreLabels(classifier, texts);
  ASSERT_TRUE(unknown.ok()) << unknown.status();
  EXPECT_EQ(unknown->correct, 0u);
  EXPECT_EQ(unknown->labels.back(), "other");
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
