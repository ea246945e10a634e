// A training by its options in JSON is that of the command line.

#include "firth/vector_training.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/corpora.h"
#include "support/run_program.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string ErrorOf(absl::string_view json,
                    const VectorFile* update = nullptr) {
  const absl::StatusOr<VectorTraining> options =
      ReadVectorTraining(json, update);
  return options.ok() ? "" : std::string(options.status().message());
}

TEST(PresetTest, EachSetsOptionsThatThereAre) {
  for (const Preset& preset : Presets()) {
    const absl::StatusOr<VectorTraining> options =
        ReadVectorTraining(absl::StrCat("{\"preset\": \"", preset.name, "\"}"));
    ASSERT_TRUE(options.ok()) << preset.name << ": " << options.status();
    VectorTraining copy = *options;
    FieldEditor fields(&copy);
    for (const auto& [name, value] : preset.Values()) {
      double number = 0;
      double found = 1;
      if (absl::SimpleAtod(value, &number)) {
        EXPECT_TRUE(absl::SimpleAtod(fields.Text(name), &found)) << name;
        EXPECT_EQ(found, number) << preset.name << ": " << name;
      } else {
        EXPECT_EQ(fields.Text(name), value) << preset.name << ": " << name;
      }
    }
  }
}

TEST(VectorTrainingTest, WhatIsGivenComesBeforeThePreset) {
  const absl::StatusOr<VectorTraining> options = ReadVectorTraining(
      R"({"dim": 7, "preset": "word2vec", "loss": "nce", "threads": 3})");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->training.dim, 7);
  EXPECT_EQ(options->training.sample, 1e-3);
  EXPECT_EQ(std::get<NceOptions>(options->training.objective).negatives, 5);
  EXPECT_EQ(options->training.threads, 3);
  EXPECT_EQ(options->corpus.threads, 3);
}

TEST(VectorTrainingTest, LengthsOfNGramsChooseBuckets) {
  const absl::StatusOr<VectorTraining> options =
      ReadVectorTraining(R"({"min-n": 2, "max-n": 4})");
  ASSERT_TRUE(options.ok()) << options.status();
  const auto& buckets = std::get<BucketSubwords>(options->training.subwords);
  EXPECT_EQ(buckets.min_n, 2);
  EXPECT_EQ(buckets.max_n, 4);
}

TEST(VectorTrainingTest, APresetsOptionsThatDoNotApplyAreLeftOut) {
  const absl::StatusOr<VectorTraining> options =
      ReadVectorTraining(R"({"preset": "fast", "loss": "hs"})");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(
      std::get<SkipGramOptions>(options->training.architecture).shared_windows,
      1);
}

// In quadratic time this would take hours.
TEST(VectorTrainingTest, ManyNamesAreRefusedAtOnce) {
  std::string json = "{";
  for (int i = 0; i < 500'000; ++i) {
    absl::StrAppend(&json, i == 0 ? "" : ",", "\"n", i, "\":0");
  }
  EXPECT_THAT(ErrorOf(json + "}"), HasSubstr("no option \"n0\""));
}

TEST(VectorTrainingTest, NamesWhatIsWrong) {
  EXPECT_THAT(ErrorOf(R"({"dimm": 7})"), HasSubstr("no option \"dimm\""));
  EXPECT_THAT(ErrorOf(R"({"dim": 0})"), HasSubstr("dim: expected"));
  EXPECT_THAT(
      ErrorOf(R"({"preset": "worst"})"),
      HasSubstr("preset: expected best, small, fast, word2vec or fasttext"));
  EXPECT_THAT(
      ErrorOf(R"({"views": [3, 5], "window": 4})"),
      HasSubstr(
          "window: cannot be combined with views, which give the windows"));
  EXPECT_THAT(ErrorOf(R"({"loss": "hs", "negative": 4})"),
              HasSubstr("negative requires loss ns or nce"));
  EXPECT_THAT(ErrorOf(R"({"checkpoint-every": "soon"})"),
              HasSubstr("checkpoint-every: expected"));
  EXPECT_THAT(ErrorOf(R"({"checkpoint": "a", "resume": "b"})"),
              HasSubstr("resume continues to save in its own folder"));
  EXPECT_THAT(ErrorOf(R"({"vocab": "words.txt", "min-count": 2})"),
              HasSubstr("vocab: "));
  EXPECT_THAT(ErrorOf(R"({"patience": 2})"),
              HasSubstr("patience requires valid, eval-analogies"));
  EXPECT_THAT(ErrorOf("[]"), HasSubstr("not a JSON object"));
}

class VectorTrainingFilesTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (!IsSkipped()) corpus_ = File("corpus.txt", TwoTopicText(300));
  }
  // The training that a JSON object says, of corpus_.
  TrainedVectors Train(const std::string& json,
                       const VectorFile* update = nullptr) const {
    absl::StatusOr<VectorTraining> options = ReadVectorTraining(json, update);
    EXPECT_TRUE(options.ok()) << options.status();
    if (!options.ok()) return {};
    options->corpus.inputs = {corpus_};
    const absl::StatusOr<Corpus> corpus = ReadTrainingText(*options, update);
    EXPECT_TRUE(corpus.ok()) << corpus.status();
    if (!corpus.ok()) return {};
    absl::StatusOr<TrainedVectors> trained =
        TrainVectors(*corpus, *options, {update});
    EXPECT_TRUE(trained.ok()) << trained.status();
    return trained.ok() ? *std::move(trained) : TrainedVectors();
  }
  // That of the command line.
  VectorFile TrainByProgram(const std::string& name,
                            const std::vector<std::string>& options) const {
    std::vector<std::string> arguments = {"train", "--input", corpus_,
                                          "--output", Path(name)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = RunFirth(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    absl::StatusOr<VectorFile> file = LoadVectorFile(Path(name));
    EXPECT_TRUE(file.ok()) << file.status();
    return file.ok() ? *std::move(file) : VectorFile();
  }

  std::string corpus_;
};

void ExpectSameModel(const VectorFile& a, const VectorFile& b) {
  ASSERT_EQ(a.vectors.size(), b.vectors.size());
  ASSERT_EQ(a.vectors.dim(), b.vectors.dim());
  for (size_t i = 0; i < a.vectors.size(); ++i) {
    EXPECT_EQ(a.vectors.vocabulary().Word(ToWordId(i)),
              b.vectors.vocabulary().Word(ToWordId(i)));
    EXPECT_EQ(a.vectors.CopyVector(ToWordId(i)),
              b.vectors.CopyVector(ToWordId(i)));
  }
}

TEST_F(VectorTrainingFilesTest, IsThatOfTheCommandLine) {
  const TrainedVectors by_json =
      Train(R"({"dim": 8, "threads": 1, "preset": "word2vec", "epochs": 2,
                "min-n": 3, "max-n": 4, "buckets": 100})");
  VectorFile by_program = TrainByProgram(
      "m.safetensors",
      {"--dim", "8", "--threads", "1", "--preset", "word2vec", "--epochs", "2",
       "--min-n", "3", "--max-n", "4", "--buckets", "100"});
  ExpectSameModel(by_json.file, by_program);
  // The file's own, and what only the command line knows of.
  for (const char* name :
       {"format", "format_version", "firth_version", "phrases", "patience"}) {
    by_program.metadata.erase(name);
  }
  EXPECT_EQ(by_json.file.metadata, by_program.metadata);
  EXPECT_EQ(by_json.facts.corpus.tokens, by_json.facts.training.words / 2);
}

TEST_F(VectorTrainingFilesTest, AModelGoesOnWithItsOptions) {
  const VectorFile model = TrainByProgram(
      "m.safetensors", {"--dim", "9", "--threads", "1", "--window", "3"});
  const absl::StatusOr<VectorTraining> options =
      ReadVectorTraining(R"({"epochs": 1})", &model);
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->training.dim, 9);
  EXPECT_EQ(options->training.window, 3);

  const TrainedVectors updated =
      Train(R"({"epochs": 1, "threads": 1})", &model);
  const VectorFile by_program = TrainByProgram(
      "n.safetensors",
      {"--update", Path("m.safetensors"), "--epochs", "1", "--threads", "1"});
  ExpectSameModel(updated.file, by_program);

  EXPECT_THAT(ErrorOf(R"({"dim": 10})", &model),
              HasSubstr("dim was 9 and is now 10"));
  EXPECT_THAT(ErrorOf(R"({"preset": "fast"})", &model),
              HasSubstr("preset: cannot be combined with update"));
  EXPECT_THAT(ErrorOf(R"({"loss": "hs"})", &model), HasSubstr("loss"));
}

TEST_F(VectorTrainingFilesTest, AModelOfOptionsThatAreNotKnownIsNotUpdated) {
  VectorFile model =
      TrainByProgram("m.safetensors", {"--dim", "4", "--threads", "1"});
  model.metadata["arch"] = "later";
  EXPECT_EQ(ErrorOf(R"({"epochs": 1})", &model),
            "update: the model has the option arch later, which this version "
            "does not support");
}

TEST_F(VectorTrainingFilesTest, ModelsWithoutOutputTablesDoNotGoOn) {
  VectorFile model =
      TrainByProgram("m.safetensors", {"--dim", "4", "--threads", "1"});
  EXPECT_EQ(ErrorOf("{}", &model), "");
  model.metadata["add-output"] = "0.5";
  EXPECT_THAT(ErrorOf("{}", &model),
              HasSubstr("after training by --add-output"));
  model.output = {};
  EXPECT_THAT(ErrorOf("{}", &model), HasSubstr("no output table"));
}

TEST_F(VectorTrainingFilesTest, DimIsThatOfTheVectorsToStartFrom) {
  const VectorFile model =
      TrainByProgram("m.safetensors", {"--dim", "4", "--threads", "1"});
  absl::StatusOr<VectorTraining> options = ReadVectorTraining(R"({"dim": 5})");
  ASSERT_TRUE(options.ok()) << options.status();
  options->corpus.inputs = {corpus_};
  const absl::StatusOr<Corpus> corpus = ReadTrainingText(*options);
  ASSERT_TRUE(corpus.ok()) << corpus.status();
  EXPECT_THAT(TrainVectors(*corpus, *options, {nullptr, &model.vectors})
                  .status()
                  .message(),
              HasSubstr("dim: must be 4, as in the vectors to start from"));
}

TEST_F(VectorTrainingFilesTest, SetsMeasureAndCheckpointsGoOn) {
  const std::string questions =
      File("questions.txt", ": farm\ncat dog cat dog\ncat cow cat cow\n");
  const std::string first =
      Train(absl::StrCat(
                R"({"dim": 4, "threads": 1, "epochs": 2, "eval-analogies": [")",
                questions, R"("], "checkpoint": ")", Path("saved"), R"("})"))
          .facts.options;
  EXPECT_THAT(first, HasSubstr("\"epochs\""));
  const TrainedVectors resumed = Train(absl::StrCat(
      R"({"dim": 4, "threads": 1, "epochs": 2, "eval-analogies": [")",
      questions, R"("], "resume": ")", Path("saved"), R"("})"));
  EXPECT_EQ(resumed.facts.training.epochs.size(), 2);
  EXPECT_TRUE(resumed.facts.training.epochs.back().score.has_value());
}

}  // namespace
}  // namespace firth
