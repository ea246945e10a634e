// Files of hidden Markov models: round trips, and files that are truncated,
// altered or inconsistent.

#include "tag/hmm_file.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/tagger.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/tensors/checked_tensors.h"
#include "support/temp_files.h"
#include "tag/plain_hmm.h"

namespace firth {
namespace {

using testing::HasSubstr;

class HmmFileTest : public testing::Test {
 protected:
  HmmFileTest() { RoundForFile(&model); }

  absl::Status Load() {
    const auto file = MappedFile::Open(path);
    EXPECT_EQ(file.status(), absl::OkStatus());
    return LoadIfHmm(*file).status();
  }

  TempFolder folder;
  std::string path = folder.File("hmm.safetensors");
  HmmModel model = RandomHmm(4, 6, 2);
};

void ExpectSame(const SparseRows& a, const SparseRows& b) {
  EXPECT_EQ(a.offsets, b.offsets);
  EXPECT_EQ(a.tags, b.tags);
  EXPECT_EQ(a.values, b.values);
}

TEST_F(HmmFileTest, AModelReadsBackAsItWas) {
  ASSERT_EQ(SaveHmm(model, path), absl::OkStatus());
  const auto read = LoadIfHmm(*MappedFile::Open(path));
  ASSERT_EQ(read.status(), absl::OkStatus());
  ASSERT_TRUE(read->has_value());
  const HmmModel& found = **read;
  EXPECT_EQ(found.tags, model.tags);
  EXPECT_EQ(found.weights, model.weights);
  EXPECT_EQ(found.unigrams, model.unigrams);
  EXPECT_EQ(found.ending_weight, model.ending_weight);
  EXPECT_EQ(found.words.Words(), model.words.Words());
  EXPECT_EQ(found.endings.Words(), model.endings.Words());
  ExpectSame(found.bigrams, model.bigrams);
  ExpectSame(found.trigrams, model.trigrams);
  ExpectSame(found.emissions, model.emissions);
  ExpectSame(found.ending_tags, model.ending_tags);
  // Written again, the file has the same bytes.
  const std::string again = folder.File("again.safetensors");
  ASSERT_EQ(SaveHmm(found, again), absl::OkStatus());
  EXPECT_EQ(ReadWholeFile(again), ReadWholeFile(path));
}

TEST_F(HmmFileTest, OtherFilesAreNotModels) {
  const auto read = LoadIfHmm(*MappedFile::Open(folder.Write("x", "text\n")));
  ASSERT_EQ(read.status(), absl::OkStatus());
  EXPECT_FALSE(read->has_value());
}

// Prefixes of the file, and bytes of tensors that are changed.
TEST_F(HmmFileTest, DamageIsReported) {
  ASSERT_EQ(SaveHmm(model, path), absl::OkStatus());
  const std::string bytes = ReadWholeFile(path);
  for (size_t size = 0; size < bytes.size(); size += 11) {
    path = folder.Write("cut.safetensors", bytes.substr(0, size));
    EXPECT_FALSE(Tagger::Load(path, {}).ok()) << size;
  }
  uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof(header));
  for (size_t i = sizeof(header) + header; i < bytes.size(); i += 5) {
    std::string altered = bytes;
    altered[i] = static_cast<char>(altered[i] ^ 0x55);
    path = folder.Write("altered.safetensors", altered);
    EXPECT_TRUE(absl::IsDataLoss(Tagger::Load(path, {}).status())) << i;
  }
}

TEST_F(HmmFileTest, AnotherVersionIsRejected) {
  const auto message_of = [this](const char* content) {
    CheckedWriter writer;
    writer.Add("tags", "U8", "t\n");
    EXPECT_EQ(std::move(writer).Write({}, "hmm", content, path),
              absl::OkStatus());
    return std::string(Load().message());
  };
  EXPECT_THAT(message_of(R"({"version":2})"),
              HasSubstr(path + ": expected a hidden Markov model of at most "
                               "version 1, found version 2, written by a newer "
                               "version of Firth; upgrade Firth to read it"));
  EXPECT_THAT(
      message_of(R"({"version":0})"),
      HasSubstr("metadata \"hmm\": \"version\": expected a whole number "
                "from 1 to 4294967295, found \"0\""));
}

struct BadModel {
  std::string name;
  std::function<void(HmmModel&)> damage;
  std::string message;
};

class BadHmmTest : public HmmFileTest,
                   public testing::WithParamInterface<BadModel> {};

TEST_P(BadHmmTest, IsRejected) {
  GetParam().damage(model);
  ASSERT_EQ(SaveHmm(model, path), absl::OkStatus());
  const absl::Status status = Load();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr(path));
  EXPECT_THAT(status.message(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Models, BadHmmTest,
    testing::Values(
        BadModel{"WeightsDoNotSumToOne",
                 [](HmmModel& m) {
                   m.weights = {0.5, 0.5, 0.5};
                 },
                 "\"weights\": expected three numbers whose sum is 1"},
        BadModel{"ANegativeWeight",
                 [](HmmModel& m) {
                   m.weights = {1.5, -0.5, 0};
                 },
                 "\"weights\": expected"},
        BadModel{"NoWeightOfTags",
                 [](HmmModel& m) {
                   m.weights = {0, 0.5, 0.5};
                 },
                 "the first above 0"},
        BadModel{"ANegativeEndingWeight",
                 [](HmmModel& m) { m.ending_weight = -1; },
                 "\"ending_weight\": expected a number from 0 to 1e6"},
        BadModel{"ATagWithoutProbability",
                 [](HmmModel& m) { m.unigrams[1] = 0; },
                 "tensor \"unigrams\": expected probabilities from 1e-12 to 1, "
                 "found 0"},
        BadModel{"UnigramsDoNotSumToOne",
                 [](HmmModel& m) { m.unigrams[0] /= 2; },
                 "tensor \"unigrams\": row 0: expected probabilities with the "
                 "sum 1"},
        BadModel{"OneUnigramMore",
                 [](HmmModel& m) { m.unigrams.push_back(0.1); },
                 "tensor \"unigrams\": expected 5 values, found 6"},
        BadModel{"AProbabilityAboveOne",
                 [](HmmModel& m) { m.bigrams.values[0] = 1.5; },
                 "tensor \"bigrams\": expected probabilities from 0 to 1, "
                 "found 1.5"},
        BadModel{"ANegativeProbability",
                 [](HmmModel& m) { m.trigrams.values[0] = -0.5; },
                 "tensor \"trigrams\": expected probabilities from 0 to 1, "
                 "found -0.5"},
        BadModel{"ARowThatDoesNotSumToOne",
                 [](HmmModel& m) { m.trigrams.values[0] /= 2; },
                 "tensor \"trigrams\": row "},
        BadModel{"ATagBeyondTheLast",
                 [](HmmModel& m) { m.bigrams.tags[0] = 99; },
                 "tensor \"bigrams.tags\": row 0"},
        BadModel{"AWordWithTheBoundary",
                 [](HmmModel& m) { m.emissions.tags[0] = m.boundary(); },
                 "tensor \"emissions.tags\": row 0: expected increasing "
                 "numbers below 4"},
        BadModel{"OffsetsThatDecrease",
                 [](HmmModel& m) { m.emissions.offsets[1] = 1000; },
                 "tensor \"emissions.offsets\": expected increasing numbers"},
        BadModel{"OneWordMore",
                 [](HmmModel& m) { m.words = TestWords("w", 7); },
                 "\"emissions.offsets\": expected U32 [8]"},
        BadModel{"AWordTwice",
                 [](HmmModel& m) {
                   const absl::string_view words[] = {"a", "b", "c",
                                                      "d", "e", "e"};
                   m.words = *Vocabulary::CreateLazily(words, {});
                 },
                 "words"},
        BadModel{
            "AWordThatIsImpossible",
            [](HmmModel& m) { m.emissions.values[0] = 0; },
            "tensor \"emissions\": expected probabilities above 0, found 0"},
        BadModel{"EmissionsThatDoNotSumToOne",
                 [](HmmModel& m) { m.emissions.values[0] /= 2; },
                 "tensor \"emissions\": tag "},
        BadModel{"AnEndingWithoutTags",
                 [](HmmModel& m) { m.ending_tags.offsets[1] = 0; },
                 "tensor \"ending_tags.offsets\": row 0: expected 1 to 4 "
                 "values, found 0"},
        BadModel{"ATagTwice", [](HmmModel& m) { m.tags[1] = m.tags[0]; },
                 "tags"}),
    [](const testing::TestParamInfo<BadModel>& info) {
      return info.param.name;
    });

TEST_F(HmmFileTest, ValuesThatAreNotFiniteAreNotWritten) {
  model.bigrams.values[0] = NAN;
  EXPECT_THAT(SaveHmm(model, path).message(), HasSubstr("not written"));
}

}  // namespace
}  // namespace firth
