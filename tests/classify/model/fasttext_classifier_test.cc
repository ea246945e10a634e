// A supervised model of fastText predicts here as it does there: one made by
// hand, byte for byte, and, where fasttext is installed, those of all losses
// that it trains and quantizes.

#include "classify/model/classifier_file.h"

#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/mapped_file.h"
#include "classify/model/plain_classifier.h"
#include "firth/classifier.h"
#include "firth/label_scores.h"
#include "firth/labelled_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/formats/interop_support.h"
#include "io/io_test_support.h"
#include "support/tiny_vectors.h"
#include "vocab/character_ngrams.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_io::HasFasttext;
using testing_io::Raw;
using testing_io::ReadBytes;
using testing_io::Succeeds;
using testing_io::TestFolder;
using testing_io::WriteBytes;

// The bytes of a model with the words "</s>" and "ab", the labels "__label__x"
// and "__label__y", 2 dimensions and 5 buckets.
struct HandMade {
  int32_t word_n_grams = 1;
  int32_t loss = 3;
  int32_t architecture = 3;
  int32_t max_n = 0;
  std::vector<std::pair<int32_t, int32_t>> kept;  // empty: all
  std::vector<float> output = {1, 0, 0, 2};
  std::string labels[2] = {"__label__x", "__label__y"};
  int64_t label_counts[2] = {3, 2};

  std::string Bytes() const {
    std::string bytes = Raw(int32_t{793712314}) + Raw(int32_t{12});
    for (const int32_t number : {2, 5, 5, 1, 5, word_n_grams, loss,
                                 architecture, 5, max_n, max_n, 100}) {
      bytes += Raw(number);
    }
    const bool pruned = !kept.empty();
    const auto rows = static_cast<int64_t>(pruned ? kept.size() : 5);
    absl::StrAppend(&bytes, Raw(1e-4), Raw(int32_t{4}), Raw(int32_t{2}),
                    Raw(int32_t{2}), Raw(int64_t{12}),
                    Raw(pruned ? rows : int64_t{-1}));
    absl::StrAppend(&bytes, Entry("</s>", 5, 0), Entry("ab", 7, 0));
    for (int i : {0, 1}) bytes += Entry(labels[i], label_counts[i], 1);
    for (const auto& [bucket, row] : kept) bytes += Raw(bucket) + Raw(row);
    absl::StrAppend(&bytes, Raw(uint8_t{0}), Raw(int64_t{2 + rows}),
                    Raw(int64_t{2}));
    // Row r is (r, -r).
    for (int64_t row = 0; row < 2 + rows; ++row) {
      bytes += Raw(static_cast<float>(row)) + Raw(-static_cast<float>(row));
    }
    absl::StrAppend(&bytes, Raw(uint8_t{0}), Raw(int64_t{2}), Raw(int64_t{2}));
    for (const float value : output) bytes += Raw(value);
    return bytes;
  }

  static std::string Entry(absl::string_view word, int64_t count, int8_t type) {
    return absl::StrCat(word, absl::string_view("\0", 1), Raw(count),
                        Raw(type));
  }
};

absl::StatusOr<ClassifierModel> ReadModel(const std::string& bytes) {
  const std::string path = TestFolder() + "/m.bin";
  WriteBytes(path, bytes);
  return LoadFasttextClassifier(*MappedFile::Open(path));
}

std::map<uint32_t, uint32_t> Rows(const ClassifierModel& model,
                                  absl::string_view text) {
  std::map<uint32_t, uint32_t> rows;
  FeatureIndex::Reader reader(model.features);
  for (const auto [row, count] : reader.Read(text)) rows[row] += count;
  return rows;
}

TEST(FasttextClassifierTest, ATextHasTheRowsOfItsWordsAndNGrams) {
  HandMade made;
  made.word_n_grams = 2;
  const auto model = ReadModel(made.Bytes());
  ASSERT_TRUE(model.ok()) << model.status();
  // Labels do not count, unknown words count in n-grams; the hashes of "ab",
  // "q" and "</s>" as numbers with a sign.
  const auto hash = [](absl::string_view word) {
    return static_cast<uint64_t>(
        int64_t{static_cast<int32_t>(NGramHash(word))});
  };
  const auto row = [&](absl::string_view a, absl::string_view b) {
    return static_cast<uint32_t>(2 + (hash(a) * 116049371 + hash(b)) % 5);
  };
  std::map<uint32_t, uint32_t> expected = {{0, 1}, {1, 1}};
  ++expected[row("ab", "q")];
  ++expected[row("q", "</s>")];
  EXPECT_EQ(Rows(*model, " __label__x ab\tq __label__new"), expected);
  expected = {{0, 1}, {1, 1}};
  ++expected[row("ab", "</s>")];
  EXPECT_EQ(Rows(*model, "ab </s> ab"), expected);
  EXPECT_THAT(model->labels, ElementsAre("x", "y"));
  EXPECT_THAT(model->label_counts, ElementsAre(3, 2));
}

TEST(FasttextClassifierTest, OnlyKeptNGramsOfAPrunedModelHaveRows) {
  HandMade made;
  made.max_n = 2;
  made.kept = {{3, 1}, {0, 0}};
  const auto model = ReadModel(made.Bytes());
  ASSERT_TRUE(model.ok()) << model.status();
  std::map<uint32_t, uint32_t> expected = {{0, 1}};
  for (const absl::string_view n_gram : {"<x", "xy", "yz", "zw", "w>"}) {
    const uint32_t bucket = NGramHash(n_gram) % 5;
    if (bucket == 3) ++expected[3];
    if (bucket == 0) ++expected[2];
  }
  ASSERT_GT(expected.size(), 1u);
  EXPECT_EQ(Rows(*model, "xyzw"), expected);
}

// The mean of "ab </s>" is (0.5, -0.5): the scores are 0.5 and -1.
TEST(FasttextClassifierTest, EachLossHasItsProbabilities) {
  struct Case {
    const char* name;
    int32_t loss;
    double first;
    double second;
  };
  const double tree = 1 / (1 + std::exp(0.5));  // branch 0 of the only node
  const Case kCases[] = {
      {"hs", 1, 1 - tree, tree},
      {"ns", 2, 1 / (1 + std::exp(-0.5)), 1 / (1 + std::exp(1.0))},
      {"softmax", 3, 1 / (1 + std::exp(-1.5)), 1 / (1 + std::exp(1.5))},
      {"ova", 4, 1 / (1 + std::exp(-0.5)), 1 / (1 + std::exp(1.0))}};
  for (const Case& loss : kCases) {
    SCOPED_TRACE(loss.name);
    HandMade made;
    made.loss = loss.loss;
    const auto model = ReadModel(made.Bytes());
    ASSERT_TRUE(model.ok()) << model.status();
    const std::vector<double> found = PlainProbabilities(*model, "ab");
    EXPECT_NEAR(found[0], loss.first, 1e-6);
    EXPECT_NEAR(found[1], loss.second, 1e-6);
  }
}

TEST(FasttextClassifierTest, SigmoidsAreThoseOfTheTable) {
  HandMade made;
  made.loss = 4;
  made.output = {0.1f, 0, 40, 0};  // scores 0.05 and 20
  const auto model = ReadModel(made.Bytes());
  ASSERT_TRUE(model.ok()) << model.status();
  const std::vector<double> found = PlainProbabilities(*model, "ab");
  EXPECT_NEAR(found[0], 1 / (1 + std::exp(-1 / 32.0)), 1e-9);
  EXPECT_EQ(found[1], 1);
}

TEST(FasttextClassifierTest, DamageIsNamed) {
  const std::string good = HandMade().Bytes();
  for (size_t size = 0; size < good.size(); ++size) {
    const auto model = ReadModel(good.substr(0, size));
    ASSERT_FALSE(model.ok()) << size;
    EXPECT_EQ(model.status().code(), absl::StatusCode::kDataLoss) << size;
  }
  HandMade words, nan, counts, rows;
  words.architecture = 2;
  rows.kept = {{3, 1}, {0, 1}};
  nan.output[3] = std::numeric_limits<float>::quiet_NaN();
  counts.loss = 1;
  counts.label_counts[0] = 1;
  EXPECT_THAT(ReadModel(words.Bytes()).status().ToString(),
              HasSubstr("a classifier needs a supervised model"));
  EXPECT_THAT(ReadModel(rows.Bytes()).status().ToString(),
              HasSubstr("found row 1 of buckets 0 and 3"));
  EXPECT_THAT(ReadModel(nan.Bytes()).status().ToString(),
              HasSubstr("the output matrix, row 1, value 1: expected"));
  EXPECT_THAT(ReadModel(counts.Bytes()).status().ToString(),
              HasSubstr("in descending order"));
  EXPECT_THAT(ReadModel(good + "x").status().ToString(),
              HasSubstr("expected the end of the file"));
}

class FasttextSupervisedTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasFasttext()) GTEST_SKIP() << "fasttext is not installed";
    folder_ = TestFolder();
    WriteBytes(folder_ + "/text", TrainingText());
    WriteBytes(folder_ + "/asked", absl::StrJoin(kAsked, "\n") + "\n");
  }

  // Seven labels of different frequency, words beyond ASCII and of no UTF-8.
  static std::string TrainingText() {
    std::string text;
    for (int i = 0; i < 600; ++i) {
      const int label = i % 7 * (i % 3) % 7;
      absl::StrAppend(&text, "__label__l", label, " word", label, " x", i % 40,
                      " zw\xc3\xb6lf \xff\xfe y", i * label % 9, "\n");
    }
    return text;
  }

  void Fasttext(const std::string& arguments) const {
    ASSERT_TRUE(Succeeds(absl::StrCat("cd '", folder_, "' && fasttext ",
                                      arguments, " >out 2>log")))
        << arguments << ReadBytes(folder_ + "/log");
  }

  // That all labels have the probabilities here that fastText prints, which
  // adds up to `added` to each.
  void ExpectSamePredictions(const std::string& name, double added) const {
    const auto model =
        LoadFasttextClassifier(*MappedFile::Open(folder_ + "/" + name));
    ASSERT_TRUE(model.ok()) << model.status();
    ExpectPredicts(name, *model, added);
    const auto classifier = Classifier::Load(folder_ + "/" + name);
    ASSERT_TRUE(classifier.ok()) << classifier.status();
    for (const std::string& text : kAsked) {
      std::vector<float> found(model->labels.size());
      ASSERT_EQ(classifier->Probabilities({text}, absl::MakeSpan(found)),
                absl::OkStatus());
      const std::vector<double> expected = PlainProbabilities(*model, text);
      for (size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], expected[i], 1e-6) << text;
      }
    }
  }

  void ExpectPredicts(const std::string& name, const ClassifierModel& model,
                      double added) const {
    Fasttext(absl::StrCat("predict-prob ", name, " asked -1"));
    std::istringstream lines(ReadBytes(folder_ + "/out"));
    for (const std::string& text : kAsked) {
      SCOPED_TRACE(text);
      std::string line;
      ASSERT_TRUE(std::getline(lines, line));
      std::map<std::string, double> theirs;
      std::istringstream words(line);
      std::string label;
      double probability;
      while (words >> label >> probability) theirs[label] = probability;
      // It tells nothing of a text without a row.
      EXPECT_EQ(theirs.empty(), Rows(model, text).empty());
      if (theirs.empty()) continue;
      const std::vector<double> ours = PlainProbabilities(model, text);
      for (size_t i = 0; i < ours.size(); ++i) {
        // Under hs it leaves out what is as good as impossible.
        const auto found =
            theirs.try_emplace("__label__" + model.labels[i], 1e-5).first;
        EXPECT_GT(found->second, ours[i] - 3e-6) << i;
        EXPECT_LT(found->second, ours[i] + added + 3e-6) << i;
      }
    }
  }

  const std::vector<std::string> kAsked = {"word1 x3 y2",
                                           "x1 x2 __label__l1 word5",
                                           "nothing __label__known is",
                                           "",
                                           "  zw\xc3\xb6lf\t\xff\xfe word3  ",
                                           "word2 zw\xc3\xb6lfte \xff"};
  std::string folder_;
};

TEST_F(FasttextSupervisedTest, AllLossesPredictAlike) {
  for (const char* loss : {"softmax", "hs", "ns", "ova"}) {
    for (const char* n_grams :
         {"-wordNgrams 1", "-wordNgrams 3 -minn 2 -maxn 4 -bucket 1000"}) {
      SCOPED_TRACE(absl::StrCat(loss, " ", n_grams));
      Fasttext(
          absl::StrCat("supervised -input text -output m -dim 8 -thread 1 "
                       "-epoch 3 -lr 0.5 -loss ",
                       loss, " ", n_grams));
      // A path has at most six nodes.
      ExpectSamePredictions("m.bin",
                            absl::string_view(loss) == "hs" ? 6e-5 : 1e-5);
    }
  }
}

TEST_F(FasttextSupervisedTest, QuantizedModelsPredictAlike) {
  Fasttext(
      "supervised -input text -output m -dim 8 -thread 1 -epoch 3 -lr 0.5 "
      "-loss softmax -wordNgrams 2 -minn 2 -maxn 3 -bucket 500");
  for (const char* how :
       {"", "-qnorm", "-qnorm -cutoff 300", "-qnorm -cutoff 256 -retrain",
        "-qnorm -cutoff 300 -retrain -epoch 1 -thread 1"}) {
    SCOPED_TRACE(how);
    Fasttext(absl::StrCat("quantize -input text -output m -dsub 2 ", how));
    ExpectSamePredictions("m.ftz", 1e-5);
  }
  // Quantizing an output takes 256 labels.
  std::string many;
  for (int i = 0; i < 1200; ++i) {
    absl::StrAppend(&many, "__label__l", i % 300, " word", i % 300, " x", i % 7,
                    "\n");
  }
  WriteBytes(folder_ + "/text", many);
  for (const char* loss : {"softmax", "hs"}) {
    Fasttext(
        absl::StrCat("supervised -input text -output m -dim 8 -thread 1 "
                     "-epoch 3 -lr 0.5 -loss ",
                     loss));
    Fasttext("quantize -input text -output m -qnorm -qout");
    ExpectSamePredictions("m.ftz",
                          absl::string_view(loss) == "hs" ? 2e-4 : 1e-5);
  }
}

// fastText keeps the prefix in the labels of its models.
TEST_F(FasttextSupervisedTest, AnotherPrefixIsMeasuredAlike) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    absl::StrAppend(&text, "cat=l", i % 2, " word", i % 2, " x", i % 7, "\n");
  }
  WriteBytes(folder_ + "/text", text);
  Fasttext(
      "supervised -input text -output m -dim 8 -thread 1 -epoch 50 -lr 1 "
      "-bucket 10 -label cat=");
  Fasttext("test m.bin text");
  EXPECT_THAT(ReadBytes(folder_ + "/out"), HasSubstr("P@1\t1\n"));
  const LabelledTextOptions options{.inputs = {folder_ + "/text"},
                                    .label_prefix = "cat="};
  const auto texts = ReadLabelledText(options);
  const auto classifier = Classifier::Load(folder_ + "/m.bin");
  ASSERT_TRUE(texts.ok() && classifier.ok());
  const auto scores =
      ScoreLabels(*classifier, *texts, {}, {}, options.removed_prefix());
  ASSERT_TRUE(scores.ok()) << scores.status();
  EXPECT_EQ(scores->accuracy(), 1);
}

// A classifier of our own, with a bias and a scale, in both kinds of features.
ClassifierModel OwnModel(bool hashing, LabelLink link) {
  ClassifierModel model;
  model.options.parts = ClassifierParts::kDeep;
  model.options.word_ngrams = hashing ? 2 : 1;
  model.options.min_n = hashing ? 2 : 0;
  model.options.max_n = hashing ? 3 : 0;
  model.options.buckets = hashing ? 50 : 0;
  FeatureParts parts;
  parts.options = FeaturesOf(model.options);
  if (hashing) parts.options.label_prefix = "__label__";
  parts.words = {"x1", "word1", "zw\xc3\xb6lf", "</s>"};
  // With a row of its own the end of a text would have to be read, too.
  if (!hashing) parts.words.pop_back();
  model.features = *FeatureIndex::Of(parts);
  model.labels = {"a", "b", "c", "d"};
  model.label_counts = {9, 3, 3, 2};
  model.link = link;
  const size_t outputs = link == LabelLink::kTree ? 3 : 4;
  if (link != LabelLink::kTree) model.bias = {0.5f, -0.25f, 0, 0.125f};
  model.input = FloatTable(RandomFloats(model.features.rows() * 6, 1), 6);
  model.output = FloatTable(RandomFloats(outputs * 6, 2), 6);
  model.deep_scale = 2.5f;
  return model;
}

TEST_F(FasttextSupervisedTest, OurModelsPredictAlikeThere) {
  for (const bool hashing : {false, true}) {
    for (const LabelLink link :
         {LabelLink::kSoftmax, LabelLink::kTableSigmoid, LabelLink::kTree}) {
      SCOPED_TRACE(absl::StrCat(hashing, " ", static_cast<int>(link)));
      const ClassifierModel model = OwnModel(hashing, link);
      ASSERT_EQ(SaveFasttextClassifier(model, folder_ + "/ours.bin"),
                absl::OkStatus());
      ExpectPredicts("ours.bin", model, link == LabelLink::kTree ? 3e-5 : 1e-5);
    }
  }
}

TEST(FasttextClassifierTest, WhatTheFormatCannotSayIsRefused) {
  const std::string path = TestFolder() + "/m.bin";
  struct Case {
    void (*change)(ClassifierModel*);
    const char* message;
  };
  const Case kCases[] = {
      {[](ClassifierModel* m) {
         m->wide = FloatTable(RandomFloats(4 * m->features.rows(), 1), 4);
       },
       "a wide part"},
      {[](ClassifierModel* m) { m->context_mean = {1}; }, "contextualizer"},
      {[](ClassifierModel* m) { m->labels[1] = "b b"; }, "the label \"b b\""},
      {[](ClassifierModel* m) {
         FeatureParts parts = m->features.parts();
         parts.options.lowercase = true;
         m->features = *FeatureIndex::Of(parts);
       },
       "lowercases"},
      {[](ClassifierModel* m) {
         FeatureParts parts = m->features.parts();
         parts.options.normalize = Normalization::kNfc;
         m->features = *FeatureIndex::Of(parts);
       },
       "normalizes"},
      {[](ClassifierModel* m) {
         FeatureParts parts = m->features.parts();
         parts.options.hashing = false;
         parts.word_ngrams = {{0, 1}};
         m->features = *FeatureIndex::Of(parts);
       },
       "rows of their own"},
      {[](ClassifierModel* m) {
         FeatureParts parts = m->features.parts();
         parts.kept_buckets = {1};
         m->features = *FeatureIndex::Of(parts);
       },
       "pruned"}};
  for (const Case& bad : kCases) {
    ClassifierModel model = OwnModel(true, LabelLink::kSoftmax);
    bad.change(&model);
    const absl::Status status = SaveFasttextClassifier(model, path);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(bad.message));
    EXPECT_FALSE(MappedFile::Open(path).ok());
  }
}

}  // namespace
}  // namespace firth
