// Classifier::Load() and Save() know files by content and name, and say what is
// wrong with the files that are given.

#include <string>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "classify/model/classifier_file.h"
#include "firth/classifier.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_io::ReadBytes;
using testing_io::TestFolder;
using testing_io::WriteBytes;

ClassifierModel SmallModel() {
  ClassifierModel model;
  model.options.parts = ClassifierParts::kDeep;
  model.options.word_ngrams = 1;
  model.options.min_n = 0;
  model.options.max_n = 0;
  FeatureParts parts;
  parts.options = FeaturesOf(model.options);
  parts.words = {"good", "bad"};
  model.features = *FeatureIndex::Of(std::move(parts));
  model.labels = {"x", "y"};
  model.label_counts = {2, 1};
  model.bias = {0, 0};
  model.input = FloatTable(RandomFloats(4, 1), 2);
  model.output = FloatTable(RandomFloats(4, 2), 2);
  return model;
}

absl::Status LoadStatus(const std::string& path,
                        const std::string& contextualizer = "") {
  return Classifier::Load(path, contextualizer).status();
}

TEST(ClassifierIoTest, FilesAreKnownByContentAndWrittenByName) {
  const std::string folder = TestFolder();
  ASSERT_EQ(SaveClassifierModel(SmallModel(), folder + "/own"),
            absl::OkStatus());
  const auto own = Classifier::Load(folder + "/own");
  ASSERT_TRUE(own.ok()) << own.status();
  EXPECT_THAT(own->labels(), ElementsAre("x", "y"));
  EXPECT_FALSE(own->has_several_labels());
  ASSERT_EQ(own->Save(folder + "/theirs.bin"), absl::OkStatus());
  ASSERT_EQ(own->Save(folder + "/again"), absl::OkStatus());
  EXPECT_EQ(ReadBytes(folder + "/again"), ReadBytes(folder + "/own"));
  const auto theirs = Classifier::Load(folder + "/theirs.bin");
  ASSERT_TRUE(theirs.ok()) << theirs.status();
  const std::vector<NgramWeight> ours = own->Explain("good bad", 1, 9);
  const std::vector<NgramWeight> same = theirs->Explain("good bad", 1, 9);
  ASSERT_EQ(ours.size(), 2u);
  ASSERT_EQ(same.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(ours[i].ngram, same[i].ngram);
    EXPECT_NEAR(ours[i].weight, same[i].weight, 1e-6);
  }
  EXPECT_EQ(own->Strongest(0, 1).size(), 1u);
}

TEST(ClassifierIoTest, OtherFilesAreRefused) {
  const std::string path = TestFolder() + "/file";
  EXPECT_EQ(LoadStatus(path).code(), absl::StatusCode::kNotFound);
  WriteBytes(path, "__label__x good film of some length\n");
  EXPECT_EQ(LoadStatus(path).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(LoadStatus(path).message()),
              HasSubstr("expected a classifier"));
  WriteBytes(path, "");
  EXPECT_EQ(LoadStatus(path).code(), absl::StatusCode::kDataLoss);
}

TEST(ClassifierIoTest, TheContextualizerIsThatOfTheTraining) {
  const std::string folder = TestFolder();
  const std::string path = folder + "/c.safetensors";
  const std::string context = folder + "/lm.safetensors";
  WriteBytes(context, "12345");
  ASSERT_EQ(SaveClassifierModel(SmallModel(), path), absl::OkStatus());
  EXPECT_THAT(std::string(LoadStatus(path, context).message()),
              HasSubstr("was trained without a contextualizer"));

  ClassifierModel model = SmallModel();
  model.output = FloatTable(RandomFloats(6, 2), 3);
  model.contextualizer_name = "lm.safetensors";
  model.contextualizer_size = 5;
  model.contextualizer_checksum = Checksum("12345", 0);
  model.context_mean = {0};
  model.context_scale = {1};
  ASSERT_EQ(SaveClassifierModel(model, path), absl::OkStatus());
  EXPECT_THAT(std::string(LoadStatus(path).message()),
              HasSubstr("needs --contextualizer FILE"));
  WriteBytes(context, "12346");
  EXPECT_THAT(std::string(LoadStatus(path, context).message()),
              HasSubstr("was trained with: expected 5 bytes and checksum"));
  // The right one, but no language model.
  WriteBytes(context, "12345");
  EXPECT_THAT(std::string(LoadStatus(path, context).message()),
              HasSubstr("lm.safetensors: "));
}

TEST(ClassifierIoTest, QuantizingLeavesTheOtherAlone) {
  const std::string path = TestFolder() + "/c.safetensors";
  ASSERT_EQ(SaveClassifierModel(SmallModel(), path), absl::OkStatus());
  const auto whole = Classifier::Load(path);
  ASSERT_TRUE(whole.ok()) << whole.status();
  const auto small = QuantizeClassifier(*whole, {}, {});
  ASSERT_TRUE(small.ok()) << small.status();
  EXPECT_THAT(small->labels(), ElementsAre("x", "y"));
  const std::string before = ReadBytes(path);
  ASSERT_EQ(whole->Save(path), absl::OkStatus());
  EXPECT_EQ(ReadBytes(path), before);
}

}  // namespace
}  // namespace firth
