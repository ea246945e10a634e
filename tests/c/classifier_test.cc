// Texts with labels and classifiers through the C interface: what is learned is
// answered, by two threads, too, and long calls hear that they are to stop.

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "c/c_test_support.h"
#include "firth/firth.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/model/language_model_file.h"
#include "lm/tiny_language_model.h"
#include "nlohmann/json.hpp"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kOneThread = R"({"threads": 1})";

// So many texts, every second one about bread, each with one label.
FirthLabelledTexts* Labelled(size_t texts) {
  std::vector<std::string> contents;
  std::vector<std::vector<std::string>> labels;
  for (size_t i = 0; i < texts; ++i) {
    const std::string number = absl::StrCat(" w", i % 97, " v", i % 89);
    contents.push_back((i % 2 == 0 ? "king queen" : "bread oven") + number);
    labels.push_back({i % 2 == 0 ? "court" : "kitchen"});
  }
  const CTexts list(contents), of_labels(labels);
  FirthLabelledTexts* labelled = nullptr;
  EXPECT_TRUE(Fine(firth_labelled_texts_create(
      list.bytes.data(), list.offsets.data(), of_labels.bytes.data(),
      of_labels.offsets.data(), of_labels.sentences.data(), list.size(),
      &labelled)));
  return labelled;
}

FirthClassifier* Trained(const FirthLabelledTexts* labelled,
                         const std::string& options = kOneThread) {
  FirthClassifier* classifier = nullptr;
  EXPECT_TRUE(Fine(firth_classifier_train(labelled, nullptr, options.data(),
                                          SizeOf(options), nullptr, nullptr,
                                          &classifier, nullptr)));
  return classifier;
}

nlohmann::json JsonOf(FirthBuffer* buffer) {
  return nlohmann::json::parse(TextOf(buffer));
}

// [texts, 2], in the order of the labels that describe() tells.
std::vector<float> ProbabilitiesOf(const FirthClassifier* classifier,
                                   const std::vector<std::string>& contents) {
  const CTexts texts(contents);
  std::vector<float> found(2 * contents.size());
  EXPECT_TRUE(Fine(firth_classifier_probabilities(
      classifier, texts.bytes.data(), texts.offsets.data(), texts.size(),
      kOneThread.data(), SizeOf(kOneThread), nullptr, nullptr, found.data(),
      nullptr)));
  return found;
}

class CClassifierTest : public testing::Test {
 protected:
  ~CClassifierTest() override {
    firth_classifier_free(classifier_);
    firth_labelled_texts_free(labelled_);
  }

  nlohmann::json Description(const FirthClassifier* classifier) {
    FirthBuffer* json = nullptr;
    EXPECT_TRUE(Fine(firth_classifier_describe(classifier, &json)));
    return JsonOf(json);
  }

  int64_t LabelOf(const std::string& name) {
    const nlohmann::json labels = Description(classifier_)["labels"];
    return labels[0] == name ? 0 : 1;
  }

  TempFolder folder_;
  FirthLabelledTexts* labelled_ = Labelled(60);
  FirthClassifier* classifier_ = Trained(labelled_);
};

TEST_F(CClassifierTest, WhatIsLearntIsAnswered) {
  const nlohmann::json described = Description(classifier_);
  EXPECT_EQ(described["several_labels"], false);
  EXPECT_EQ(described["options"]["threads"], 1);
  const std::vector<float> found =
      ProbabilitiesOf(classifier_, {"king", "oven"});
  const auto court = static_cast<size_t>(LabelOf("court"));
  EXPECT_GT(found[court], 0.5f);
  EXPECT_LT(found[2 + court], 0.5f);
  EXPECT_NEAR(found[0] + found[1], 1, 1e-6);
}

TEST_F(CClassifierTest, ATextOfWhichNothingIsKnownHasTheLabelsOfTheTraining) {
  const std::vector<std::string> asked = {"", "\u0444\u0436", "king"};
  const CTexts texts(asked);
  int64_t known[3] = {7, 7, 7};
  ASSERT_TRUE(Fine(firth_classifier_probabilities(
      classifier_, texts.bytes.data(), texts.offsets.data(), texts.size(),
      kOneThread.data(), SizeOf(kOneThread), nullptr, nullptr, nullptr,
      known)));
  EXPECT_EQ(known[0], 0);
  EXPECT_EQ(known[1], 0);
  EXPECT_GT(known[2], 0);
  const std::vector<float> found = ProbabilitiesOf(classifier_, asked);
  EXPECT_EQ(found[0], 0.5f);
  EXPECT_EQ(found[2], 0.5f);
  EXPECT_NE(found[4], 0.5f);
}

TEST_F(CClassifierTest, LabelsOfTextsStandOneAfterAnother) {
  const CTexts texts(std::vector<std::string>{"king", "oven", "king"});
  const std::string all = R"({"top": 0, "threshold": 0})";
  int64_t ends[4] = {};
  FirthBuffer* labels = nullptr;
  FirthBuffer* probabilities = nullptr;
  ASSERT_TRUE(Fine(firth_classifier_predict(
      classifier_, texts.bytes.data(), texts.offsets.data(), texts.size(),
      all.data(), SizeOf(all), nullptr, nullptr, ends, &labels,
      &probabilities)));
  EXPECT_THAT(ends, ElementsAre(0, 2, 4, 6));
  ASSERT_EQ(firth_buffer_size(labels), 6 * sizeof(int32_t));
  ASSERT_EQ(firth_buffer_size(probabilities), 6 * sizeof(float));
  std::vector<int32_t> found(6);
  std::vector<float> chances(6);
  std::memcpy(found.data(), firth_buffer_data(labels), 6 * sizeof(int32_t));
  std::memcpy(chances.data(), firth_buffer_data(probabilities),
              6 * sizeof(float));
  const auto court = static_cast<int32_t>(LabelOf("court"));
  EXPECT_THAT(
      found, ElementsAre(court, 1 - court, 1 - court, court, court, 1 - court));
  const std::vector<float> expected = ProbabilitiesOf(classifier_, {"king"});
  EXPECT_EQ(chances[0], expected[static_cast<size_t>(court)]);
  EXPECT_EQ(chances[1], expected[static_cast<size_t>(1 - court)]);
  firth_buffer_free(labels);
  firth_buffer_free(probabilities);
}

TEST_F(CClassifierTest, FilesAnswerAlike) {
  const std::string path = folder_.File("c.safetensors");
  ASSERT_TRUE(
      Fine(firth_classifier_save(classifier_, path.data(), SizeOf(path))));
  FirthClassifier* again = nullptr;
  ASSERT_TRUE(Fine(
      firth_classifier_load(path.data(), SizeOf(path), nullptr, 0, &again)));
  EXPECT_EQ(ProbabilitiesOf(again, {"king oven", "w5", ""}),
            ProbabilitiesOf(classifier_, {"king oven", "w5", ""}));
  firth_classifier_free(again);
}

// The file of one that was trained through a language model needs no other.
TEST_F(CClassifierTest, ATunedContextualizerStaysWithItsClassifier) {
  const std::string lm = folder_.File("lm.safetensors");
  ASSERT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kBoth), lm),
            absl::OkStatus());
  const nlohmann::json options = {
      {"contextualizer", lm}, {"tune-contextualizer", true},
      {"tuning-rate", 0.01},  {"batch", 4},
      {"epochs", 2},          {"threads", 1}};
  FirthClassifier* const tuned = Trained(labelled_, options.dump());
  const nlohmann::json described = Description(tuned);
  EXPECT_EQ(described["options"]["tune-contextualizer"], true);
  EXPECT_EQ(described["options"]["batch"], 4);
  const std::string path = folder_.File("t.safetensors");
  ASSERT_TRUE(Fine(firth_classifier_save(tuned, path.data(), SizeOf(path))));
  std::filesystem::remove(lm);
  FirthClassifier* again = nullptr;
  ASSERT_TRUE(Fine(
      firth_classifier_load(path.data(), SizeOf(path), nullptr, 0, &again)));
  EXPECT_EQ(ProbabilitiesOf(again, {"king the cat", "bread", ""}),
            ProbabilitiesOf(tuned, {"king the cat", "bread", ""}));
  firth_classifier_free(again);
  firth_classifier_free(tuned);
  for (const auto& [given, message] :
       {std::pair(R"({"tuning-rate": 0.1})",
                  "tuning-rate requires tune-contextualizer, but"),
        {R"({"batch": 4})", "batch requires tune-contextualizer, but"},
        {R"({"tune-contextualizer": true})",
         "tune-contextualizer: requires a contextualizer"}}) {
    const std::string text = given;
    FirthClassifier* none = nullptr;
    EXPECT_THAT(FailureOf(firth_classifier_train(
                              labelled_, nullptr, text.data(), SizeOf(text),
                              nullptr, nullptr, &none, nullptr))
                    .message,
                HasSubstr(message));
  }
}

TEST_F(CClassifierTest, NgramsSpeakForLabels) {
  FirthBuffer* json = nullptr;
  const int64_t court = LabelOf("court");
  ASSERT_TRUE(
      Fine(firth_classifier_explain(classifier_, "king", 4, court, 1, &json)));
  const nlohmann::json explained = JsonOf(json);
  ASSERT_EQ(explained.size(), 1);
  EXPECT_GT(explained[0][1], 0.0);
  ASSERT_TRUE(Fine(firth_classifier_strongest(classifier_, court, 3, &json)));
  EXPECT_EQ(JsonOf(json).size(), 3);
  EXPECT_THAT(
      FailureOf(firth_classifier_strongest(classifier_, 2, 3, &json)).message,
      HasSubstr("label: expected 0 to 1, found 2"));
}

TEST_F(CClassifierTest, TextsMeasureIt) {
  FirthBuffer* report = nullptr;
  ASSERT_TRUE(Fine(firth_classifier_evaluate(classifier_, labelled_, nullptr, 0,
                                             nullptr, nullptr, &report)));
  const nlohmann::json told = JsonOf(report);
  EXPECT_EQ(told["texts"], 60);
  EXPECT_EQ(told["accuracy"], 1.0);
}

TEST_F(CClassifierTest, LabelsOfWhichNoneIsKnownAreRefused) {
  const std::string path = folder_.Write("t.txt", "cou=rt king\ncou=t oven\n");
  const auto read = [&](const std::string& prefix) {
    const std::string options =
        nlohmann::json{{"input", {path}}, {"label-prefix", prefix}}.dump();
    FirthLabelledTexts* texts = nullptr;
    EXPECT_TRUE(Fine(firth_labelled_texts_read(options.data(), SizeOf(options),
                                               nullptr, nullptr, &texts)));
    return texts;
  };
  FirthLabelledTexts* const unknown = read("cou=");
  FirthBuffer* report = nullptr;
  const CFailure failure = FailureOf(firth_classifier_evaluate(
      classifier_, unknown, nullptr, 0, nullptr, nullptr, &report));
  EXPECT_EQ(failure.code, FIRTH_INVALID_ARGUMENT);
  EXPECT_THAT(failure.message,
              HasSubstr("none of the labels of the texts is a label"));
  EXPECT_EQ(report, nullptr);
  firth_labelled_texts_free(unknown);

  // "court" with the prefix "cou" taken off.
  folder_.Write("t.txt", "court king\ncourse oven\n");
  FirthLabelledTexts* const kept = read("cou");
  ASSERT_TRUE(Fine(firth_classifier_evaluate(classifier_, kept, nullptr, 0,
                                             nullptr, nullptr, &report)));
  const nlohmann::json told = JsonOf(report);
  EXPECT_EQ(told["correct"], 1);
  EXPECT_EQ(told["with_unknown_labels"], 1);
  firth_labelled_texts_free(kept);
}

TEST_F(CClassifierTest, ASmallerOneFitsIntoItsSize) {
  const std::string options = R"({"max-size": 30000})";
  FirthClassifier* smaller = nullptr;
  ASSERT_TRUE(Fine(firth_classifier_quantize(classifier_, labelled_,
                                             options.data(), SizeOf(options),
                                             nullptr, nullptr, &smaller)));
  const std::string path = folder_.File("small.safetensors");
  ASSERT_TRUE(Fine(firth_classifier_save(smaller, path.data(), SizeOf(path))));
  EXPECT_LE(ReadWholeFile(path).size(), 30000);
  const auto court = static_cast<size_t>(LabelOf("court"));
  EXPECT_GT(ProbabilitiesOf(smaller, {"king"})[court], 0.5f);
  firth_classifier_free(smaller);
}

TEST_F(CClassifierTest, WhatIsGivenToASearchStays) {
  const std::string start = R"({"word-ngrams": 1, "parts": "deep"})";
  const std::string options = R"({"folds": 2, "budget": "20K", "threads": 1})";
  FirthBuffer* report = nullptr;
  ASSERT_TRUE(Fine(firth_classifier_tune(
      labelled_, nullptr, start.data(), SizeOf(start), options.data(),
      SizeOf(options), nullptr, nullptr, &report)));
  const nlohmann::json told = JsonOf(report);
  ASSERT_GT(told["trials"].size(), 1);
  for (const nlohmann::json& trial : told["trials"]) {
    EXPECT_EQ(trial["options"]["word-ngrams"], 1);
    EXPECT_EQ(trial["options"]["parts"], "deep");
  }
  EXPECT_EQ(told["interrupted"], false);
}

TEST_F(CClassifierTest, TwoThreadsAskOne) {
  const std::vector<std::string> texts = {"king w5", "oven v7", "nobody"};
  const std::vector<float> expected = ProbabilitiesOf(classifier_, texts);
  const auto ask = [&] {
    for (int i = 0; i < 200; ++i) {
      ASSERT_EQ(ProbabilitiesOf(classifier_, texts), expected);
    }
  };
  std::thread other(ask);
  ask();
  other.join();
}

// --- In the midst of the work. ---

// Counts its calls, the first of which comes before the work.
int32_t StopAtSecondCall(void* context, const char*, int64_t) {
  return ++*static_cast<int*>(context) > 1 ? 1 : 0;
}

TEST_F(CClassifierTest, QuestionsAreStopped) {
  const CTexts texts(std::vector<std::string>(
      400'000, "king queen bread oven w1 w2 w3 w4 v1 v2 v3"));
  std::vector<float> probabilities(800'000, 7);
  int calls = 0;
  EXPECT_EQ(FailureOf(firth_classifier_probabilities(
                          classifier_, texts.bytes.data(), texts.offsets.data(),
                          texts.size(), nullptr, 0, StopAtSecondCall, &calls,
                          probabilities.data(), nullptr))
                .code,
            FIRTH_CANCELLED);
  EXPECT_EQ(calls, 2);
  EXPECT_THAT(probabilities, testing::Each(7));

  std::vector<int64_t> ends(400'001, 7);
  FirthBuffer* labels = nullptr;
  calls = 0;
  EXPECT_EQ(FailureOf(firth_classifier_predict(
                          classifier_, texts.bytes.data(), texts.offsets.data(),
                          texts.size(), nullptr, 0, StopAtSecondCall, &calls,
                          ends.data(), &labels, nullptr))
                .code,
            FIRTH_CANCELLED);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(labels, nullptr);
  EXPECT_THAT(ends, testing::Each(7));
}

TEST_F(CClassifierTest, MeasuresAreStopped) {
  FirthLabelledTexts* const many = Labelled(400'000);
  FirthBuffer* report = nullptr;
  int calls = 0;
  EXPECT_EQ(
      FailureOf(firth_classifier_evaluate(classifier_, many, nullptr, 0,
                                          StopAtSecondCall, &calls, &report))
          .code,
      FIRTH_CANCELLED);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(report, nullptr);
  firth_labelled_texts_free(many);
}

int32_t StopInTraining(void*, const char* event, int64_t size) {
  return std::string(event == nullptr ? "" : event, static_cast<size_t>(size))
                     .find("\"train\"") == std::string::npos
             ? 0
             : 1;
}

TEST_F(CClassifierTest, ATrainingThatIsStoppedKeepsWhatItHasLearnt) {
  FirthLabelledTexts* const many = Labelled(20'000);
  const std::string options =
      R"({"parts": "deep", "epochs": 10000, "threads": 1})";
  FirthClassifier* stopped = nullptr;
  FirthBuffer* report = nullptr;
  ASSERT_TRUE(Fine(firth_classifier_train(many, nullptr, options.data(),
                                          SizeOf(options), StopInTraining,
                                          nullptr, &stopped, &report)));
  EXPECT_EQ(JsonOf(report)["interrupted"], true);
  EXPECT_EQ(Description(stopped)["labels"].size(), 2);
  firth_classifier_free(stopped);
  firth_labelled_texts_free(many);
}

// Once some of the search is done.
int32_t StopInSearch(void*, const char* event, int64_t size) {
  if (event == nullptr) return 0;
  const auto told = nlohmann::json::parse(event, event + size);
  return told["event"] == "work" && told["done"] > 0 ? 1 : 0;
}

TEST_F(CClassifierTest, ASearchThatIsStoppedTellsWhatItHasFound) {
  FirthLabelledTexts* const many = Labelled(2000);
  const std::string options = R"({"folds": 2, "budget": "10G", "threads": 1})";
  FirthBuffer* report = nullptr;
  ASSERT_TRUE(Fine(firth_classifier_tune(many, nullptr, nullptr, 0,
                                         options.data(), SizeOf(options),
                                         StopInSearch, nullptr, &report)));
  const nlohmann::json told = JsonOf(report);
  EXPECT_EQ(told["interrupted"], true);
  EXPECT_LT(told["best"], told["trials"].size());

  // The first trial takes longer than the time between two calls.
  const std::string slow = R"({"parts": "deep", "epochs": 10000})";
  int calls = 0;
  report = nullptr;
  EXPECT_EQ(
      FailureOf(firth_classifier_tune(many, nullptr, slow.data(), SizeOf(slow),
                                      options.data(), SizeOf(options),
                                      StopAtSecondCall, &calls, &report))
          .code,
      FIRTH_CANCELLED);
  EXPECT_EQ(report, nullptr);
  firth_labelled_texts_free(many);
}

TEST_F(CClassifierTest, AQuantizationIsStopped) {
  FirthLabelledTexts* const many = Labelled(50'000);
  FirthClassifier* smaller = nullptr;
  int calls = 0;
  EXPECT_EQ(
      FailureOf(firth_classifier_quantize(classifier_, many, nullptr, 0,
                                          StopAtSecondCall, &calls, &smaller))
          .code,
      FIRTH_CANCELLED);
  EXPECT_EQ(smaller, nullptr);
  firth_labelled_texts_free(many);
}

}  // namespace
}  // namespace firth
