// Fine-tuning through a classifier: the layers below learn what no classifier
// above them can, and travel in its file.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/rng.h"
#include "classify/model/classifier_file.h"
#include "firth/classifier.h"
#include "firth/contextualizer.h"
#include "firth/file_info.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/model/language_model_file.h"
#include "lm/tiny_language_model.h"
#include "support/temp_files.h"
#include "support/trainings.h"

namespace firth {
namespace {

using testing::HasSubstr;

// Which of two animals stands first: texts of the same words, whose order the
// labels tell; one of no words.
std::vector<LabelledText> WhoIsFirst(size_t count, uint64_t seed) {
  const char* const fillers[] = {"the", "sat", "on", "mat"};
  std::vector<LabelledText> texts;
  for (size_t i = 0; i < count; ++i) {
    Rng rng(CombineKeys(seed, i));
    const bool cat = i % 2 == 0;
    std::vector<std::string> words(6);
    for (std::string& word : words) word = fillers[rng.Below(4)];
    words[1 + rng.Below(2)] = cat ? "cat" : "dog";
    words[4] = cat ? "dog" : "cat";
    texts.push_back({{cat ? "cat" : "dog"}, absl::StrJoin(words, " ")});
  }
  texts.push_back({{"cat"}, ""});
  return texts;
}

class TunedClassifierTest : public testing::Test {
 protected:
  TunedClassifierTest() {
    EXPECT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kCharacters), lm_),
              absl::OkStatus());
    options_.word_ngrams = 1;
    options_.min_n = options_.max_n = 0;
    options_.parts = ClassifierParts::kDeep;
    options_.epochs = 15;
    options_.patience = 0;
    options_.batch = 8;
    options_.threads = 1;
    options_.tune_contextualizer = true;
    options_.tuning_rate = 0.01;
  }

  absl::StatusOr<Classifier> Train(const Checkpointing& saved = {}) {
    return Classifier::Train(train_, valid_,
                             {.vectors = "", .contextualizer = lm_}, options_,
                             {}, &report_, saved);
  }

  // The file of what is trained.
  std::string TrainedFile(const Checkpointing& saved = {}) {
    const absl::StatusOr<Classifier> classifier = Train(saved);
    EXPECT_EQ(classifier.status(), absl::OkStatus());
    EXPECT_EQ(classifier->Save(path_), absl::OkStatus());
    EXPECT_GE(classifier->FileBytes(), std::filesystem::file_size(path_));
    return ReadWholeFile(path_);
  }

  std::vector<float> ProbabilitiesOf(const Classifier& classifier) {
    std::vector<absl::string_view> views;
    for (const LabelledText& text : valid_.empty() ? train_ : valid_) {
      views.push_back(text.text);
    }
    std::vector<float> found(views.size() * 2);
    EXPECT_EQ(classifier.Probabilities(views, absl::MakeSpan(found)),
              absl::OkStatus());
    return found;
  }

  const TempFolder folder_;
  const std::string lm_ = folder_.File("lm.safetensors");
  const std::string path_ = folder_.File("c.safetensors");
  std::vector<LabelledText> train_ = WhoIsFirst(160, 1);
  std::vector<LabelledText> valid_ = WhoIsFirst(64, 2);
  ClassifierOptions options_;
  ClassifierReport report_;
};

// Random layers tell the order a little; what they become tells it well.
TEST_F(TunedClassifierTest, LearnsMoreThanFromLayersThatStay) {
  const std::string start = ReadWholeFile(lm_);
  options_.learning_rate = 0.05;
  options_.tuning_rate = 0.003;
  options_.tune_contextualizer = false;
  ASSERT_EQ(Train().status(), absl::OkStatus());
  const double frozen = report_.epochs.back().loss;
  const uint64_t parameters = report_.parameters;
  options_.tune_contextualizer = true;
  const absl::StatusOr<Classifier> tuned = Train();
  ASSERT_EQ(tuned.status(), absl::OkStatus());
  EXPECT_LT(report_.epochs.back().loss, frozen / 2) << "frozen: " << frozen;
  const double best = *report_.epochs[report_.best_epoch - 1].score;
  EXPECT_GT(best, 0.95);
  EXPECT_GT(report_.parameters, parameters);
  // The weights that are kept are those of the best epoch, below and above.
  const std::vector<float> found = ProbabilitiesOf(*tuned);
  double right = 0;
  for (size_t i = 0; i < valid_.size(); ++i) {
    const size_t label = found[2 * i] >= found[2 * i + 1] ? 0 : 1;
    right += tuned->labels()[label] == valid_[i].labels[0] ? 1 : 0;
  }
  EXPECT_DOUBLE_EQ(right / static_cast<double>(valid_.size()), best);
  EXPECT_TRUE(ReadWholeFile(lm_) == start);
}

TEST_F(TunedClassifierTest, EveryLossMovesTheLayers) {
  options_.epochs = 2;
  for (const LabelLoss& loss :
       {LabelLoss(SoftmaxLabelLoss()), LabelLoss(OneVsAllLoss()),
        LabelLoss(TreeLabelLoss()), LabelLoss(SampledLabelLoss())}) {
    options_.loss = loss;
    const std::string file = TrainedFile();
    const auto info = DescribeFile(path_);
    ASSERT_EQ(info.status(), absl::OkStatus());
    options_.tuning_rate = 0.02;
    EXPECT_FALSE(TrainedFile() == file);
    options_.tuning_rate = 0.01;
  }
}

TEST_F(TunedClassifierTest, TheFileHoldsWhatIsRead) {
  for (const ClassifierParts parts :
       {ClassifierParts::kDeep, ClassifierParts::kBoth}) {
    options_.parts = parts;
    options_.epochs = 2;
    const absl::StatusOr<Classifier> classifier = Train();
    ASSERT_EQ(classifier.status(), absl::OkStatus());
    ASSERT_EQ(classifier->Save(path_), absl::OkStatus());
    const absl::StatusOr<Classifier> alone = Classifier::Load(path_);
    ASSERT_EQ(alone.status(), absl::OkStatus());
    EXPECT_EQ(ProbabilitiesOf(*alone), ProbabilitiesOf(*classifier));
    EXPECT_EQ(alone->options().tuning_rate, 0.01);
    ASSERT_EQ(alone->Save(folder_.File("again")), absl::OkStatus());
    EXPECT_TRUE(ReadWholeFile(folder_.File("again")) == ReadWholeFile(path_));
  }
  EXPECT_THAT(Classifier::Load(path_, lm_).status().message(),
              HasSubstr("omit --contextualizer"));
  EXPECT_EQ(DescribeFile(path_)->facts.back().name, "tuned_contextualizer");
  // A model of other layers in place of the right one.
  LanguageModelOptions small = TinyOptions(TinyInput::kTable);
  std::get<nn::RecurrentLayers>(small.layers).layers = 1;
  BiLanguageModel other(small, TinyData(), 3);
  absl::StatusOr<ClassifierModel> model =
      LoadClassifierModel(*MappedFile::Open(path_));
  ASSERT_EQ(model.status(), absl::OkStatus());
  ASSERT_EQ(SaveLanguageModel(other, folder_.File("other")), absl::OkStatus());
  model->tuned_contextualizer = *MappedFile::Open(folder_.File("other"));
  ASSERT_EQ(SaveClassifierModel(*model, path_), absl::OkStatus());
  const absl::Status status = Classifier::Load(path_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(),
              HasSubstr("expected a contextualizer of 36 values in all layers, "
                        "as in \"context_mean\", found 24"));
}

// With texts to measure on, and with folds that are held out.
TEST_F(TunedClassifierTest, OneSeedGivesTheSameFileAgain) {
  options_.epochs = 2;
  options_.parts = ClassifierParts::kBoth;
  for (const bool folds : {false, true}) {
    if (folds) valid_.clear();
    options_.held_out = folds ? 0.4 : 0.1;
    options_.threads = 1;
    const std::string whole = TrainedFile();
    EXPECT_EQ(report_.calibrated_on, folds ? 128 : valid_.size());
    EXPECT_TRUE(TrainedFile() == whole);
    const TempFolder saved;
    EXPECT_TRUE(TrainedFile(Often(saved.path())) == whole);
    RemoveNewest(saved);
    EXPECT_TRUE(TrainedFile(Often(saved.path(), /*resume=*/true)) == whole);
    // Of a training that is at its end.
    EXPECT_TRUE(TrainedFile(Often(saved.path(), /*resume=*/true)) == whole);
  }
}

TEST_F(TunedClassifierTest, WhatDoesNotFitIsRefused) {
  const auto message = [&](const std::string& lm) {
    return std::string(Classifier::Train(train_, {},
                                         {.vectors = "", .contextualizer = lm},
                                         options_, {}, &report_)
                           .status()
                           .message());
  };
  EXPECT_EQ(message(""), "tune-contextualizer: requires a contextualizer");
  options_.parts = ClassifierParts::kWide;
  EXPECT_THAT(message(lm_), HasSubstr("use deep or both"));
  options_.parts = ClassifierParts::kDeep;
  options_.batch = 0;
  EXPECT_THAT(message(lm_), HasSubstr("batch: expected 1 to 65536, found 0"));
  options_.batch = 4;
  options_.tuning_rate = 1e30;
  EXPECT_THAT(message(lm_), HasSubstr("tuning rate below 1e+30"));
}

// The tiny BERT of the golden data, with pairs of sentences among the texts.
TEST_F(TunedClassifierTest, AnImportedBertLearns) {
  const char* const data = std::getenv("FIRTH_DATA");
  if (data == nullptr) GTEST_SKIP() << "FIRTH_DATA is not set";
  const TempFolder bert;
  for (const char* const file :
       {"config.json", "model.safetensors", "vocab.txt"}) {
    std::filesystem::copy(absl::StrCat(data, "/golden/tiny_bert.", file),
                          bert.File(file));
  }
  ASSERT_EQ(ImportPretrained(bert.path(), lm_), absl::OkStatus());
  // Whether the second sentence begins as the first one ends.
  const auto texts = [](size_t count) {
    const char* const words[] = {"bank", "river", "near", "was"};
    std::vector<LabelledText> made;
    for (size_t i = 0; i < count; ++i) {
      const size_t end = i / 2 % 4, other = (end + 1 + i / 8 % 3) % 4;
      made.push_back({{i % 2 == 0 ? "same" : "other"},
                      absl::StrCat("the ", words[other], " of ", words[end],
                                   "\t", words[i % 2 == 0 ? end : other],
                                   " w3 ", words[i % 2 == 0 ? other : end])});
    }
    return made;
  };
  train_ = texts(96);
  valid_ = texts(96);
  options_.epochs = 30;
  options_.tune_contextualizer = false;
  ASSERT_EQ(Train().status(), absl::OkStatus());
  const double frozen = *report_.epochs[report_.best_epoch - 1].score;
  options_.tune_contextualizer = true;
  const absl::StatusOr<Classifier> tuned = Train();
  ASSERT_EQ(tuned.status(), absl::OkStatus());
  EXPECT_GT(*report_.epochs[report_.best_epoch - 1].score, frozen + 0.1)
      << "frozen: " << frozen;
  ASSERT_EQ(tuned->Save(path_), absl::OkStatus());
  const absl::StatusOr<Classifier> alone = Classifier::Load(path_);
  ASSERT_EQ(alone.status(), absl::OkStatus());
  EXPECT_EQ(ProbabilitiesOf(*alone), ProbabilitiesOf(*tuned));
}

}  // namespace
}  // namespace firth
