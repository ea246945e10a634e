// A classifier's file holds all of it, and nothing that is wrong with one gets
// past the reader.

#include "classify/model/classifier_file.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/matrix.h"
#include "firth/fields.h"
#include "firth/file_info.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"
#include "vectors/product_quantizer.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_io::ReadBytes;
using testing_io::TestFolder;
using testing_io::WriteBytes;

FloatTable Values(size_t rows, size_t cols, float first) {
  std::vector<float> values;
  for (size_t i = 0; i < rows * cols; ++i) {
    values.push_back(first + 0.25f * static_cast<float>(i));
  }
  return FloatTable(std::move(values), cols);
}

// Words "a", "b", the n-gram "a b" and two of characters; labels of one byte,
// of two with a line end, and of none.
ClassifierModel WholeModel() {
  ClassifierModel model;
  model.options.word_ngrams = 2;
  model.options.min_n = 2;
  model.options.max_n = 3;
  model.options.dim = 2;
  model.options.loss = OneVsAllLoss();
  FeatureParts parts;
  parts.options = FeaturesOf(model.options);
  parts.words = {"a", "b"};
  parts.word_ngrams = {{0, 1}};
  parts.character_ngrams = {"<a", "\xff>"};
  model.features = *FeatureIndex::Of(parts);
  model.labels = {"x", "y\n", ""};
  model.label_counts = {5, 3, 3};
  model.link = LabelLink::kSigmoid;
  model.several_labels = true;
  model.thresholds = {0.5f, 0.25f, 0.125f};
  model.bias = {0.5f, -1, 0};
  model.wide = Values(5, 3, -1);
  model.idf = {1, 2, 1, 0.5f, 2};
  model.wide_scale = 1.5f;
  model.input = Values(5, 2, 3);
  model.output = Values(3, 4, -2);
  model.deep_scale = 0.75f;
  model.contextualizer_name = "lm.safetensors";
  model.contextualizer_size = 1234;
  model.contextualizer_checksum = 0xfedcba9876543210u;
  model.context_mean = {0.5f, 1};
  model.context_scale = {2, 3};
  return model;
}

// A pruned model with hashed n-grams and a tree of labels.
ClassifierModel TreeModel() {
  ClassifierModel model;
  model.options.word_ngrams = 3;
  model.options.buckets = 10;
  model.options.parts = ClassifierParts::kDeep;
  model.options.loss = TreeLabelLoss();
  FeatureParts parts;
  parts.options = FeaturesOf(model.options);
  parts.options.label_prefix = "__label__";
  parts.words = {"</s>"};
  parts.kept_buckets = {7, 2};
  model.features = *FeatureIndex::Of(parts);
  model.labels = {"x", "y"};
  model.label_counts = {2, 1};
  model.link = LabelLink::kTree;
  model.input = Values(3, 2, 0);
  model.output = Values(1, 2, 1);
  return model;
}

void ExpectSameRows(const RowStore& found, const RowStore& expected) {
  ASSERT_EQ(NumRows(found), NumRows(expected));
  EXPECT_EQ(found.index(), expected.index());
  if (NumRows(expected) == 0) return;
  ASSERT_EQ(RowDim(found), RowDim(expected));
  std::vector<float> a(RowDim(found)), b(RowDim(found));
  for (size_t row = 0; row < NumRows(found); ++row) {
    CopyRow(found, row, absl::MakeSpan(a));
    CopyRow(expected, row, absl::MakeSpan(b));
    EXPECT_EQ(a, b) << row;
  }
}

void ExpectSame(const ClassifierModel& found, const ClassifierModel& expected) {
  EXPECT_EQ(FieldsJson(found.options), FieldsJson(expected.options));
  const FeatureParts& features = found.features.parts();
  const FeatureParts& wanted = expected.features.parts();
  EXPECT_EQ(features.words, wanted.words);
  EXPECT_EQ(features.character_ngrams, wanted.character_ngrams);
  EXPECT_EQ(features.kept_buckets, wanted.kept_buckets);
  EXPECT_EQ(features.options.hashing, wanted.options.hashing);
  EXPECT_EQ(features.options.buckets, wanted.options.buckets);
  EXPECT_EQ(features.options.label_prefix, wanted.options.label_prefix);
  ASSERT_EQ(features.word_ngrams.size(), wanted.word_ngrams.size());
  for (size_t i = 0; i < features.word_ngrams.size(); ++i) {
    EXPECT_EQ(features.word_ngrams[i].prefix, wanted.word_ngrams[i].prefix);
    EXPECT_EQ(features.word_ngrams[i].last, wanted.word_ngrams[i].last);
  }
  EXPECT_EQ(found.labels, expected.labels);
  EXPECT_EQ(found.label_counts, expected.label_counts);
  EXPECT_EQ(found.link, expected.link);
  EXPECT_EQ(found.several_labels, expected.several_labels);
  EXPECT_EQ(found.thresholds, expected.thresholds);
  EXPECT_EQ(found.bias, expected.bias);
  ExpectSameRows(found.wide, expected.wide);
  EXPECT_EQ(found.idf, expected.idf);
  EXPECT_EQ(found.wide_scale, expected.wide_scale);
  ExpectSameRows(found.input, expected.input);
  ExpectSameRows(found.output, expected.output);
  EXPECT_EQ(found.deep_scale, expected.deep_scale);
  EXPECT_EQ(found.contextualizer_name, expected.contextualizer_name);
  EXPECT_EQ(found.contextualizer_size, expected.contextualizer_size);
  EXPECT_EQ(found.contextualizer_checksum, expected.contextualizer_checksum);
  EXPECT_EQ(found.context_mean, expected.context_mean);
  EXPECT_EQ(found.context_scale, expected.context_scale);
}

std::string PathFor(const ClassifierModel& model) {
  const std::string path = TestFolder() + "/m.safetensors";
  EXPECT_EQ(SaveClassifierModel(model, path), absl::OkStatus());
  return path;
}

absl::StatusOr<ClassifierModel> Load(const std::string& path) {
  return LoadClassifierModel(*MappedFile::Open(path));
}

TEST(ClassifierFileTest, HoldsAllOfAModel) {
  for (const ClassifierModel& model : {WholeModel(), TreeModel()}) {
    const auto loaded = Load(PathFor(model));
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    ExpectSame(*loaded, model);
  }
}

TEST(ClassifierFileTest, HoldsQuantizedTables) {
  ClassifierModel model = WholeModel();
  Matrix<int8_t> codes(5, 3);
  codes.Row(4)[2] = -127;
  Matrix<float> scales(5, 1);
  scales.Fill(0.5f);
  model.wide = Int8Rows{std::move(codes), std::move(scales)};
  Matrix<uint8_t> parts(5, 2);
  parts.Row(3)[1] = 1;
  model.input =
      PqRows{std::make_shared<const ProductQuantizer>(
                 *ProductQuantizer::Create(Values(4, 1, 1), 2, FloatTable())),
             std::move(parts), FloatTable()};
  const auto loaded = Load(PathFor(model));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ExpectSame(*loaded, model);
}

TEST(ClassifierFileTest, NumbersTakeAsManyBytesAsTheyNeed) {
  ClassifierModel model = WholeModel();
  FeatureParts parts = model.features.parts();
  for (int i = 0; i < 70000; ++i) parts.words.push_back(absl::StrCat("w", i));
  parts.word_ngrams.push_back({70001, 300});
  model.features = *FeatureIndex::Of(parts);
  model.wide = FloatTable();
  model.idf.clear();
  model.input = Values(70006, 2, 0);
  const auto loaded = Load(PathFor(model));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ExpectSame(*loaded, model);
}

TEST(ClassifierFileTest, TheSizeIsKnownBefore) {
  for (const ClassifierModel& model : {WholeModel(), TreeModel()}) {
    const uint64_t bytes = ReadBytes(PathFor(model)).size();
    EXPECT_GE(ClassifierFileBytes(model), bytes);
    EXPECT_LE(ClassifierFileBytes(model), bytes + 1000);
  }
}

TEST(ClassifierFileTest, IsDescribed) {
  const auto info = DescribeFile(PathFor(WholeModel()));
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->kind, "classifier");
  std::string facts;
  for (const FileFact& fact : info->facts) {
    absl::StrAppend(&facts, fact.name, " ");
    if (const auto* number = std::get_if<uint64_t>(&fact.value)) {
      absl::StrAppend(&facts, *number, " ");
    }
  }
  EXPECT_EQ(facts,
            "labels 3 several_labels interrupted link words 2 word_ngrams 1 "
            "character_ngrams 2 wide deep dim 2 parameters 40 contextualizer ");
  EXPECT_THAT(info->options, HasSubstr("\"word-ngrams\":2"));
}

TEST(ClassifierFileTest, TruncatedOrAlteredFilesAreDataLoss) {
  for (const ClassifierModel& model : {WholeModel(), TreeModel()}) {
    const std::string path = PathFor(model);
    const std::string good = ReadBytes(path);
    for (size_t size = 0; size < good.size(); ++size) {
      WriteBytes(path, good.substr(0, size));
      const absl::Status status = Load(path).status();
      ASSERT_EQ(status.code(), absl::StatusCode::kDataLoss) << size;
      EXPECT_THAT(std::string(status.message()), HasSubstr(path)) << size;
    }
    const size_t header = 8 + *reinterpret_cast<const uint64_t*>(good.data());
    for (size_t at = header; at < good.size(); ++at) {
      std::string altered = good;
      altered[at] = static_cast<char>(altered[at] ^ 1);
      WriteBytes(path, altered);
      EXPECT_EQ(Load(path).status().code(), absl::StatusCode::kDataLoss) << at;
    }
  }
}

// What was written so, with right checksums, by somebody else.
TEST(ClassifierFileTest, ContradictionsAreNamed) {
  struct Case {
    void (*change)(ClassifierModel*);
    const char* message;
  };
  const Case kCases[] = {
      {[](ClassifierModel* m) { m->label_counts.pop_back(); },
       "\"label_counts\""},
      {[](ClassifierModel* m) { m->bias.pop_back(); }, "\"bias\""},
      {[](ClassifierModel* m) { m->thresholds.push_back(1); },
       "\"thresholds\""},
      {[](ClassifierModel* m) { m->wide = Values(4, 3, 0); }, "\"wide\""},
      {[](ClassifierModel* m) { m->wide = Values(5, 2, 0); }, "\"wide\""},
      {[](ClassifierModel* m) { m->idf.pop_back(); }, "\"idf\""},
      {[](ClassifierModel* m) { m->idf[0] = -1; }, "\"idf\""},
      {[](ClassifierModel* m) { m->input = Values(6, 2, 0); }, "\"input\""},
      {[](ClassifierModel* m) { m->output = Values(3, 2, 0); }, "\"output\""},
      {[](ClassifierModel* m) { m->output = Values(2, 4, 0); }, "\"output\""},
      {[](ClassifierModel* m) { m->context_scale.pop_back(); },
       "\"context_scale\""},
      {[](ClassifierModel* m) { m->contextualizer_name.clear(); },
       "\"context_mean\""},
      {[](ClassifierModel* m) { m->wide = Values(5, 3, 1e30f); },
       "\"wide\", row 0, value 0: expected a number from -1e+06"},
      {[](ClassifierModel* m) { m->bias[1] = 1e20f; }, "\"bias\", value 1"},
      {[](ClassifierModel* m) {
         m->link = LabelLink::kTree;
         m->bias.clear();
         m->output = Values(2, 4, 0);
       },
       "together with a tree"},
      {[](ClassifierModel* m) { m->options.word_ngrams = 0; }, "word-ngrams"},
      {[](ClassifierModel* m) { m->labels.clear(); }, "\"label_ends\""},
  };
  for (const Case& bad : kCases) {
    ClassifierModel model = WholeModel();
    bad.change(&model);
    const absl::Status status = Load(PathFor(model)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << bad.message;
    EXPECT_THAT(std::string(status.message()), HasSubstr(bad.message));
  }
}

TEST(ClassifierFileTest, NanIsNotWritten) {
  ClassifierModel model = WholeModel();
  model.wide = Values(5, 3, std::numeric_limits<float>::quiet_NaN());
  const std::string path = TestFolder() + "/nan.safetensors";
  EXPECT_EQ(SaveClassifierModel(model, path).code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_FALSE(MappedFile::Open(path).ok());
}

TEST(ClassifierFileTest, OtherFilesAreNone) {
  const std::string path = TestFolder() + "/t.txt";
  WriteBytes(path, "the 9\nof 4\n");
  const absl::Status status = Load(path).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("a classifier"));
}

}  // namespace
}  // namespace firth
