#include "lm/model/language_model_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/checksum.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/model/text_words.h"
#include "lm/tiny_language_model.h"
#include "support/run_program.h"

namespace firth {
namespace {

using testing::HasSubstr;

constexpr TinyInput kInputs[] = {TinyInput::kTable, TinyInput::kCharacters,
                                 TinyInput::kBoth};

struct LanguageModelFileTest : testing::Test {
  std::string path = MakeTestFolder() + "/m.safetensors";

  std::string Save(BiLanguageModel& model) {
    EXPECT_EQ(SaveLanguageModel(model, path), absl::OkStatus());
    return ReadWholeFile(path);
  }
  absl::Status LoadBytes(const std::string& bytes) {
    WriteWholeFile(path, bytes);
    return LoadLanguageModel(path).status();
  }
};

// Of each input, one with CNN-softmax, and one of other layers.
std::vector<std::unique_ptr<BiLanguageModel>> AllModels() {
  std::vector<std::unique_ptr<BiLanguageModel>> models;
  for (const TinyInput input : kInputs) models.push_back(TinyModel(input));
  LanguageModelOptions options = TinyOptions(TinyInput::kBoth);
  options.output_cnn = options.encoder.char_cnn;
  options.output_cnn.filters = {{3, 2}};
  options.correction_dim = 3;
  models.push_back(std::make_unique<BiLanguageModel>(options, TinyData(), 7));
  options = TinyOptions(TinyInput::kTable);
  options.layers = nn::WindowLayers{
      .window = 4, .units = 5, .layers = 2, .residual = true, .dropout = .25};
  models.push_back(std::make_unique<BiLanguageModel>(options, TinyData(), 7));
  return models;
}

TEST_F(LanguageModelFileTest, HoldsAllOfAModel) {
  for (const auto& model : AllModels()) {
    model->metadata()["training"] = "{}";
    const std::string bytes = Save(*model);
    const auto loaded = LoadLanguageModel(path);
    ASSERT_EQ(loaded.status(), absl::OkStatus());
    EXPECT_EQ((*loaded)->data().metadata.at("training"), "{}");
    EXPECT_EQ((*loaded)->data().words.size(), 7u);
    EXPECT_EQ((*loaded)->data().words.Count(ToWordId(4)), 5u);
    EXPECT_EQ((*loaded)->TargetOf("cat"), 4u);
    EXPECT_EQ((*loaded)->TargetOf("dog"), kUnknownId);
    const auto expected = model->Parameters();
    const auto found = (*loaded)->Parameters();
    ASSERT_EQ(found.size(), expected.size());
    for (size_t p = 0; p < found.size(); ++p) {
      EXPECT_EQ(found[p]->name, expected[p]->name);
      EXPECT_TRUE(std::equal(found[p]->value.data(),
                             found[p]->value.data() + found[p]->value.size(),
                             expected[p]->value.data()));
    }
    // The same model gives the same file.
    EXPECT_TRUE(Save(**loaded) == bytes);
  }
}

TEST_F(LanguageModelFileTest, AModelMayHaveMarksOfItsOwn) {
  LanguageModelOptions options = TinyOptions(TinyInput::kTable);
  options.marks.emplace_back("<MASK>");
  const std::vector<absl::string_view> words = {kBeginSentence, kEndSentence,
                                                kUnknown, "<MASK>", "the"};
  LanguageModelData data;
  data.words = *Vocabulary::Create(words, {9, 9, 8, 0, 5});
  data.input_words = data.words;
  BiLanguageModel model(options, data, 7);
  Save(model);
  const auto loaded = LoadLanguageModel(path);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_EQ((*loaded)->options().marks, options.marks);
  TextWords text(**loaded);
  EXPECT_EQ(text.IdOf("<MASK>"), 3u);
  EXPECT_EQ(text.IdOf("the"), text.FirstWord());
  EXPECT_EQ(text[3].target, 3u);

  options.marks.back() = "<HIDDEN>";
  BiLanguageModel others(options, data, 7);
  Save(others);
  EXPECT_THAT(LoadLanguageModel(path).status().message(),
              HasSubstr("<S>, </S>, <UNK>, <HIDDEN> as its first words"));
}

TEST_F(LanguageModelFileTest, WhatNobodyCouldReadIsNotWritten) {
  const auto model = TinyModel(TinyInput::kTable);
  const std::string bytes = Save(*model);
  model->Parameters().back()->value.data()[0] = INFINITY;
  const absl::Status status = SaveLanguageModel(*model, path);
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(status.message(), HasSubstr("not written: tensor"));
  EXPECT_THAT(status.message(), HasSubstr("found inf"));
  EXPECT_TRUE(ReadWholeFile(path) == bytes);
}

// Files of recurrent layers say what they said before there were others.
TEST_F(LanguageModelFileTest, OptionsAreToldInOneWay) {
  EXPECT_EQ(ToJson(TinyOptions(TinyInput::kTable)),
            R"({"encoder":{"table_dim":6,"frozen":false,"highways":0,)"
            R"("projection_dim":0},"stack":{"cell":"lstm","units":8,)"
            R"("projection_dim":6,"cell_clip":0.0,"projection_clip":0.0,)"
            R"("layers":2,"residual":true,"dropout":0.1},)"
            R"("head":"sampled","samples":4})");
  LanguageModelOptions options = TinyOptions(TinyInput::kTable);
  options.layers = nn::WindowLayers{.window = 4, .units = 5, .dropout = .25};
  const std::string json = ToJson(options);
  EXPECT_THAT(json, HasSubstr(R"("window":{"window":4,"units":5,"layers":1,)"
                              R"("residual":false,"dropout":0.25})"));
  EXPECT_EQ(ToJson(*ParseLanguageModelOptions(json, "x")), json);
  const auto at = json.find("\"units\":5");
  const auto refused = ParseLanguageModelOptions(
      std::string(json).replace(at, 9, "\"units\":0"), "x");
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("x: \"window.units\": expected a whole number, 1 to"));
}

struct BadPart {
  std::string from;
  std::string to;
  std::string message;
};

TEST_F(LanguageModelFileTest, ATransformersOptionsAreChecked) {
  LanguageModelOptions options = TinyOptions(TinyInput::kTable);
  options.layers = nn::TransformerLayers{.units = 8,
                                         .heads = 2,
                                         .feed_forward = 9,
                                         .norm = NormPlace::kAfter,
                                         .causal = false};
  options.reading = Reading::kForward;
  options.predict = Prediction::kMasked;
  options.marks.emplace_back(kMask);
  const std::string json = ToJson(options);
  const auto parsed = ParseLanguageModelOptions(json, "x");
  ASSERT_EQ(parsed.status(), absl::OkStatus());
  EXPECT_EQ(ToJson(*parsed), json);
  for (const BadPart& bad :
       {BadPart{R"("heads":2)", R"("heads":3)",
                "\"transformer.heads\": "
                "expected a divisor of 8"},
        BadPart{R"("heads":2)", R"("heads":0)", "transformer.heads"},
        BadPart{R"("context":128)", R"("context":1)", "a whole number, 2 to"},
        BadPart{R"("context":128)", R"("context":1e9)", "transformer.context"},
        BadPart{R"("norm":"after")", R"("norm":"behind")", "before"},
        BadPart{R"("predict":"masked")", R"("predict":"all")", "next"},
        BadPart{R"(,"<MASK>")", "", "contains <MASK>"}}) {
    SCOPED_TRACE(bad.to);
    const auto at = json.find(bad.from);
    ASSERT_NE(at, std::string::npos);
    const auto refused = ParseLanguageModelOptions(
        std::string(json).replace(at, bad.from.size(), bad.to), "x");
    EXPECT_THAT(std::string(refused.status().message()),
                HasSubstr(bad.message));
  }
}

TEST_F(LanguageModelFileTest, TruncatedFilesAreRefused) {
  const std::string bytes = Save(*TinyModel(TinyInput::kBoth));
  for (size_t size = 0; size < bytes.size(); size += 97) {
    EXPECT_EQ(LoadBytes(bytes.substr(0, size)).code(),
              absl::StatusCode::kDataLoss)
        << size;
  }
  EXPECT_EQ(LoadBytes(bytes + "x").code(), absl::StatusCode::kDataLoss);
}

TEST_F(LanguageModelFileTest, EveryAlteredByteOfTheDataIsFound) {
  const std::string bytes = Save(*TinyModel(TinyInput::kTable));
  const size_t data = bytes.rfind('}') + 1;
  for (size_t at = data + 8; at < bytes.size(); at += 61) {
    std::string altered = bytes;
    altered[at] = static_cast<char>(altered[at] ^ 4);
    const absl::Status status = LoadBytes(altered);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << at;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("the file was changed"));
  }
}

struct HeaderCase {
  const char* name;
  const char* replace;  // in the file, by as many bytes
  const char* by;
  const char* message;
};

TEST_F(LanguageModelFileTest, WhatIsWrongInTheHeaderIsNamed) {
  const HeaderCase kCases[] = {
      {"options", "\\\"units\\\":8", "\\\"units\\\":9",
       "tensor \"language_model\": expected the checksum"},
      {"a tensor of another name", "\"head.bias\"", "\"head.hias\"",
       "tensor \"head.bias\": expected this tensor, since it has a checksum"},
      {"no checksums", "\"checksums\"", "\"checksamt\"",
       "expected a JSON object as metadata \"checksums\""},
  };
  const std::string bytes = Save(*TinyModel(TinyInput::kTable));
  for (const HeaderCase& test : kCases) {
    SCOPED_TRACE(test.name);
    std::string altered = bytes;
    const size_t at = altered.find(test.replace);
    ASSERT_NE(at, std::string::npos);
    altered.replace(at, std::string(test.replace).size(), test.by);
    const absl::Status status = LoadBytes(altered);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(status.message()), HasSubstr(test.message));
  }
}

TEST_F(LanguageModelFileTest, WhatHasNoChecksumIsRefused) {
  const std::string bytes = Save(*TinyModel(TinyInput::kTable));
  for (const char* const name : {"head.bias", "counts", "language_model"}) {
    SCOPED_TRACE(name);
    // JSON in a string of JSON; spaces take the place of the sum.
    const std::string key = absl::StrCat("\\\"", name, "\\\":\\\"");
    const size_t size = key.size() + strlen("0123456789abcdef\\\",");
    std::string altered = bytes;
    const size_t at = altered.find(key);
    ASSERT_NE(at, std::string::npos);
    altered.replace(at, size, size, ' ');
    const absl::Status status = LoadBytes(altered);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(absl::StrCat("tensor \"", name,
                                       "\": expected a checksum, found none")));
  }
}

TEST_F(LanguageModelFileTest, TensorsOfAnotherShapeAreNamed) {
  const auto model = TinyModel(TinyInput::kTable);
  Matrix<float>& weights = model->Parameters()[1]->value;
  weights.Resize(32, 6);
  const absl::Status status = LoadBytes(Save(*model));
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("tensor \"forward.0.input\": expected F32 [6, 32], "
                        "found F32 [32, 6]"));
}

std::string BytesOfRows(const Matrix<float>& matrix) {
  std::string bytes;
  for (size_t row = 0; row < matrix.rows(); ++row) {
    bytes.append(reinterpret_cast<const char*>(matrix.Row(row)),
                 matrix.cols() * sizeof(float));
  }
  return bytes;
}

std::string ChecksumOfRows(const Matrix<float>& matrix) {
  uint64_t sum = 0;
  for (size_t row = 0; row < matrix.rows(); ++row) {
    sum = Checksum(absl::MakeConstSpan(matrix.Row(row), matrix.cols()), sum);
  }
  return HexChecksum(sum);
}

// As somebody writes a file who knows how checksums are made.
TEST_F(LanguageModelFileTest, ValuesThatAreNotFiniteAreNamed) {
  const auto model = TinyModel(TinyInput::kTable);
  std::string bytes = Save(*model);
  Matrix<float>& weights = model->Parameters()[1]->value;
  const std::string rows = BytesOfRows(weights);
  const std::string sum = ChecksumOfRows(weights);
  weights.Row(2)[3] = NAN;
  bytes.replace(bytes.find(rows), rows.size(), BytesOfRows(weights));
  bytes.replace(bytes.find(sum), sum.size(), ChecksumOfRows(weights));
  const absl::Status status = LoadBytes(bytes);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("tensor \"forward.0.input\", row 2, value 3: expected "
                        "a finite number, found nan"));
}

TEST_F(LanguageModelFileTest, OtherFilesAreNoModels) {
  EXPECT_EQ(LoadBytes("").code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(LoadBytes("text").code(), absl::StatusCode::kDataLoss);
  const absl::Status status =
      LoadBytes(std::string("\x02\0\0\0\0\0\0\0{}", 10));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("expected a language model"));
  EXPECT_EQ(LoadLanguageModel(path + "x").status().code(),
            absl::StatusCode::kNotFound);
}

// Sizes that options promise are compared with the file's before memory is
// taken for them.
TEST_F(LanguageModelFileTest, HugeOptionsAreRefused) {
  LanguageModelOptions options = TinyOptions(TinyInput::kTable);
  nn::RecurrentLayers layers;
  layers.recurrent.units = kMostUnits;
  layers.recurrent.cell = CellKind::kFullPeepholeLstm;
  options.layers = layers;
  EXPECT_GE(ParameterBytes(options), uint64_t{1} << 44);
  EXPECT_LE(ParameterBytes(TinyOptions(TinyInput::kBoth)), 20'000u);
}

}  // namespace
}  // namespace firth
