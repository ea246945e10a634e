// Folders as model2vec writes them, made by hand.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/float16.h"
#include "base/json.h"
#include "firth/file_info.h"
#include "firth/quantize.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;
using testing::StartsWith;
using testing_io::LoadMessage;
using testing_io::MakeVectors;
using testing_io::NamesIn;
using testing_io::Raw;
using testing_io::ReadBytes;
using testing_io::TestFolder;
using testing_io::WordsOf;
using testing_io::WriteBytes;

// As a distilled BERT has it, with three words and a piece.
constexpr char kWordPiece[] =
    R"({"version": "1.0", "truncation": null,
        "added_tokens": [{"id": 0, "content": "[PAD]", "special": true},
                         {"id": 1, "content": "[UNK]", "special": true}],
        "normalizer": {"type": "BertNormalizer", "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]",
                  "continuing_subword_prefix": "##",
                  "vocab": {"[PAD]": 0, "[UNK]": 1, "the": 2, "bank": 3,
                            "##s": 4}}})";
constexpr char kConfig[] =
    R"({"model_type": "model2vec", "normalize": true, "apply_pca": 256,
        "tokenizer_name": "some/model", "hidden_dim": 2})";

constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class Value>
std::string RawAll(const std::vector<Value>& values) {
  std::string bytes;
  for (const Value value : values) bytes += Raw(value);
  return bytes;
}

struct RawTensor {
  std::string name;
  std::string type;
  std::vector<uint64_t> shape;
  std::string bytes;
};

std::string Safetensors(const std::vector<RawTensor>& tensors) {
  OrderedJson header = OrderedJson::object();
  std::string data;
  for (const RawTensor& tensor : tensors) {
    header[tensor.name] = {
        {"dtype", tensor.type},
        {"shape", tensor.shape},
        {"data_offsets", {data.size(), data.size() + tensor.bytes.size()}}};
    data += tensor.bytes;
  }
  std::string json = DumpJson(header);
  json.resize((json.size() + 7) / 8 * 8, ' ');
  return Raw(uint64_t{json.size()}) + json + data;
}

// Five rows of two values: r + 1, -r.
RawTensor Rows(const char* type) {
  RawTensor rows{"embeddings", type, {5, 2}, ""};
  for (int r = 0; r < 5; ++r) {
    for (const float value :
         {static_cast<float>(r + 1), static_cast<float>(-r)}) {
      rows.bytes += type == std::string("F32")   ? Raw(value)
                    : type == std::string("F64") ? Raw(double{value})
                    : type == std::string("F16")
                        ? Raw(ToFloat16Bits(value))
                        : Raw(static_cast<int8_t>(value));
    }
  }
  return rows;
}

class Model2vecTest : public testing::Test {
 protected:
  Model2vecTest() : folder(TestFolder() + "/m2v") {
    std::filesystem::create_directory(folder);
    Write("tokenizer.json", kWordPiece);
    Write("config.json", kConfig);
    Write("model.safetensors", Safetensors({Rows("F32")}));
  }
  void Write(const char* name, const std::string& bytes) const {
    WriteBytes(absl::StrCat(folder, "/", name), bytes);
  }
  std::string folder;
};

TEST_F(Model2vecTest, TokensAreWordsButTheUnknownOne) {
  for (const char* type : {"F32", "F64", "F16"}) {
    Write("model.safetensors", Safetensors({Rows(type)}));
    for (const std::string& path :
         {folder, folder + "/", folder + "/model.safetensors"}) {
      const auto file = LoadVectorFile(path);
      ASSERT_EQ(file.status(), absl::OkStatus());
      EXPECT_THAT(WordsOf(*file), ElementsAre("[PAD]", "the", "bank", "##s"));
      EXPECT_THAT(*file->vectors.Find("the"), ElementsAre(3, -2));
      EXPECT_THAT(*file->vectors.Find("##s"), ElementsAre(5, -4));
      EXPECT_EQ(file->metadata.at("normalize"), "true");
      EXPECT_EQ(file->metadata.at("tokenizer_name"), "some/model");
    }
  }
}

TEST_F(Model2vecTest, WeightsAndMappingAreApplied) {
  Write("model.safetensors",
        Safetensors({{"mapping", "I64", {5}, RawAll<int64_t>({0, 0, 4, 1, 4})},
                     {"weights", "F64", {5}, RawAll<double>({1, 1, .5, 2, 3})},
                     Rows("F32")}));
  const auto file = LoadVectorFile(folder);
  ASSERT_EQ(file.status(), absl::OkStatus());
  EXPECT_THAT(*file->vectors.Find("the"), ElementsAre(2.5f, -2));
  EXPECT_THAT(*file->vectors.Find("bank"), ElementsAre(4, -2));
  EXPECT_THAT(*file->vectors.Find("##s"), ElementsAre(15, -12));
}

// More tokens than rows, as vectors that are shared.
TEST_F(Model2vecTest, RowsMayBeFewerThanTokens) {
  Write("model.safetensors",
        Safetensors(
            {{"embeddings", "F16", {2, 1}, RawAll<uint16_t>({0x3c00, 0xc000})},
             {"mapping", "I32", {5}, RawAll<int32_t>({0, 0, 1, 0, 1})}}));
  const auto file = LoadVectorFile(folder, {.keep_form = true});
  ASSERT_EQ(file.status(), absl::OkStatus());
  EXPECT_EQ(FormOf(file->vectors.rows()), "float16");
  EXPECT_THAT(file->vectors.CopyVector(WordId{1}), ElementsAre(-2));
  EXPECT_THAT(file->vectors.CopyVector(WordId{2}), ElementsAre(1));
}

TEST_F(Model2vecTest, BytesAreCodesToAScale) {
  Write("model.safetensors", Safetensors({Rows("I8")}));
  const auto file = LoadVectorFile(folder);
  ASSERT_EQ(file.status(), absl::OkStatus());
  EXPECT_THAT(*file->vectors.Find("the"),
              ElementsAre(FloatEq(3.0f / 127), FloatEq(-2.0f / 127)));
}

TEST_F(Model2vecTest, WhatWasReadIsWrittenWithItsTokenizer) {
  const auto file = LoadVectorFile(folder);
  ASSERT_EQ(file.status(), absl::OkStatus());
  const std::string copy = folder + "-copy";
  ASSERT_EQ(SaveVectorFile(*file, copy, "model2vec"), absl::OkStatus());
  EXPECT_THAT(NamesIn(copy), ElementsAre("config.json", "model.safetensors",
                                         "modules.json", "tokenizer.json"));
  const Json tokenizer = ParseJson(ReadBytes(copy + "/tokenizer.json"));
  EXPECT_EQ(tokenizer["model"]["type"], "WordPiece");
  EXPECT_EQ(tokenizer["normalizer"]["lowercase"], true);
  EXPECT_EQ(
      tokenizer["model"]["vocab"],
      (Json{{"[PAD]", 0}, {"the", 1}, {"bank", 2}, {"##s", 3}, {"[UNK]", 4}}));
  EXPECT_EQ(tokenizer["added_tokens"][0]["content"], "[PAD]");
  EXPECT_EQ(tokenizer["added_tokens"][1]["id"], 4);
  const Json config = ParseJson(ReadBytes(copy + "/config.json"));
  EXPECT_EQ(config["apply_pca"], 256);
  EXPECT_EQ(config["normalize"], true);
  const auto again = LoadVectorFile(copy);
  ASSERT_EQ(again.status(), absl::OkStatus());
  testing_io::ExpectSameVectors(file->vectors, again->vectors);
  EXPECT_EQ(again->metadata.at("tokenizer_name"), "some/model");
}

// A folder whose tokens share rows, as model2vec's vocabulary quantization
// writes it: what is written has a row a word and says so.
TEST_F(Model2vecTest, ARoundTripOfSharedRowsGivesTheSameVectors) {
  Json config = ParseJson(kConfig);
  config["embedding_dtype"] = "float16";
  config["vocabulary_quantization"] = 3;
  config["pooling"] = "mean";
  Write("config.json", DumpJson(config));
  Write("modules.json", "[]");
  Write("model.safetensors",
        Safetensors(
            {{"embeddings",
              "F16",
              {3, 2},
              RawAll<uint16_t>({0x3c00, 0xc000, 0, 0x3c00, 0x4000, 0x4200})},
             {"mapping", "I64", {5}, RawAll<int64_t>({0, 0, 1, 2, 1})},
             {"weights", "F32", {5}, RawAll<float>({0, 0, 1, .5, 2})}}));
  const auto file = LoadVectorFile(folder);
  ASSERT_EQ(file.status(), absl::OkStatus());
  EXPECT_THAT(*file->vectors.Find("the"), ElementsAre(0, 1));
  EXPECT_THAT(*file->vectors.Find("bank"), ElementsAre(1, 1.5f));
  EXPECT_THAT(*file->vectors.Find("##s"), ElementsAre(0, 2));
  const std::string copy = folder + "-copy";
  ASSERT_EQ(SaveVectorFile(*file, copy, "model2vec"), absl::OkStatus());
  const auto again = LoadVectorFile(copy);
  ASSERT_EQ(again.status(), absl::OkStatus());
  testing_io::ExpectSameVectors(file->vectors, again->vectors);
  const Json written = ParseJson(ReadBytes(copy + "/config.json"));
  EXPECT_EQ(written["embedding_dtype"], "float32");
  EXPECT_EQ(written["pooling"], "mean");
  EXPECT_FALSE(written.contains("vocabulary_quantization"));
  const Json modules = ParseJson(ReadBytes(copy + "/modules.json"));
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_EQ(modules[0]["path"], ".");
  EXPECT_EQ(modules[0]["type"], "sentence_transformers.models.StaticEmbedding");
  EXPECT_EQ(modules[1]["type"], "sentence_transformers.models.Normalize");
}

TEST_F(Model2vecTest, TextsThatAreNotNormalizedHaveOneModule) {
  Write("config.json", R"({"normalize": false})");
  const auto file = LoadVectorFile(folder);
  ASSERT_EQ(file.status(), absl::OkStatus());
  const std::string copy = folder + "-copy";
  ASSERT_EQ(SaveVectorFile(*file, copy, "model2vec"), absl::OkStatus());
  EXPECT_EQ(ParseJson(ReadBytes(copy + "/modules.json")).size(), 1u);
  EXPECT_EQ(ParseJson(ReadBytes(copy + "/config.json"))["normalize"], false);
}

// Of vectors that nobody made for a tokenizer.
// Training has an option of this name, which is a text.
TEST_F(Model2vecTest, OnlyAFlagSaysWhetherTextsAreNormalized) {
  auto file = LoadVectorFile(folder);
  ASSERT_EQ(file.status(), absl::OkStatus());
  file->metadata["normalize"] = "none";
  const std::string copy = folder + "-trained";
  ASSERT_EQ(SaveVectorFile(*file, copy, "model2vec"), absl::OkStatus());
  EXPECT_EQ(ParseJson(ReadBytes(copy + "/config.json"))["normalize"], true);
}

TEST_F(Model2vecTest, WordsGetATokenizerThatCutsAtWhiteSpace) {
  const std::string made = folder + "-made";
  ASSERT_EQ(SaveVectorFile(MakeVectors({"a", "\"b\""}, 3), made, "model2vec"),
            absl::OkStatus());
  const Json tokenizer = ParseJson(ReadBytes(made + "/tokenizer.json"));
  EXPECT_EQ(tokenizer["model"]["type"], "WordLevel");
  EXPECT_EQ(tokenizer["model"]["unk_token"], "[UNK]");
  EXPECT_EQ(tokenizer["model"]["vocab"]["\"b\""], 1);
  EXPECT_EQ(tokenizer["pre_tokenizer"]["type"], "WhitespaceSplit");
  const Json config = ParseJson(ReadBytes(made + "/config.json"));
  EXPECT_EQ(config["model_type"], "model2vec");
  EXPECT_EQ(config["hidden_dim"], 3);
}

TEST_F(Model2vecTest, QuantizedRowsStayWhatTheyAre) {
  const WordVectors floats = MakeVectors({"a", "b", "c"}, 4).vectors;
  for (const QuantizeOptions& form :
       {QuantizeOptions(ToFloat16()), QuantizeOptions(ToInt8())}) {
    VectorFile file;
    file.vectors = *Quantize(floats, form);
    const std::string path = folder + FormOf(file.vectors.rows());
    ASSERT_EQ(SaveVectorFile(file, path, "model2vec"), absl::OkStatus());
    const auto loaded = LoadVectorFile(path, {.keep_form = true});
    ASSERT_EQ(loaded.status(), absl::OkStatus());
    EXPECT_EQ(FormOf(loaded->vectors.rows()), FormOf(file.vectors.rows()));
    EXPECT_EQ(DescribeVectorFile(path)->form, FormOf(file.vectors.rows()));
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(loaded->vectors.CopyVector(ToWordId(i)),
                file.vectors.CopyVector(ToWordId(i)));
    }
  }
}

TEST_F(Model2vecTest, AFolderIsDescribed) {
  const auto info = DescribeFile(folder);
  ASSERT_EQ(info.status(), absl::OkStatus());
  EXPECT_EQ(info->kind, "vectors");
  EXPECT_EQ(info->path, folder);
  const auto vectors = DescribeVectorFile(folder);
  ASSERT_EQ(vectors.status(), absl::OkStatus());
  EXPECT_EQ(vectors->format, "model2vec");
  EXPECT_EQ(vectors->words, 4u);
  EXPECT_EQ(FilesBeside(folder, "").size(), 3u);
}

TEST_F(Model2vecTest, TokenizersOfOtherKindsAreRefusedByName) {
  Write("tokenizer.json",
        absl::StrReplaceAll(kWordPiece, {{"WordPiece", "Other"}}));
  EXPECT_EQ(
      LoadMessage(folder),
      absl::StrCat(folder,
                   "/tokenizer.json: model.type: expected one of "
                   "WordLevel, WordPiece, BPE, Unigram, found \"Other\""));
}

constexpr char kBytePairs[] =
    R"({"added_tokens": [{"id": 4, "content": "<|end|>", "special": true}],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": true},
        "model": {"type": "BPE", "unk_token": null, "merges": ["Ġ a"],
                  "vocab": {"a": 0, "Ġ": 1, "Ġa": 2, " \n": 3}}})";
constexpr char kUnigram[] =
    R"({"added_tokens": [],
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁"},
        "model": {"type": "Unigram", "unk_id": 0,
                  "vocab": [["<unk>", 0.0], ["▁", -2.5], ["a", -3.25],
                            ["▁a", -4.0], ["b", -5.5]]}})";

TEST_F(Model2vecTest, TokensThatAreNoWordsAreReadAndWritten) {
  const std::pair<const char*, std::vector<std::string>> kCases[] = {
      {kBytePairs, {"a", "Ġ", "Ġa", " \n", "<|end|>"}},
      {kUnigram, {"<unk>", "▁", "a", "▁a", "b"}}};
  for (const auto& [tokenizer, words] : kCases) {
    Write("tokenizer.json", tokenizer);
    const auto file = LoadVectorFile(folder);
    ASSERT_EQ(file.status(), absl::OkStatus());
    EXPECT_EQ(WordsOf(*file), words);
    EXPECT_THAT(*file->vectors.Find(words[3]), ElementsAre(4, -3));
    EXPECT_EQ(DescribeVectorFile(folder)->words, 5u);
    const std::string copy = folder + "-copy";
    ASSERT_EQ(SaveVectorFile(*file, copy, "model2vec"), absl::OkStatus());
    const auto again = LoadVectorFile(copy);
    ASSERT_EQ(again.status(), absl::OkStatus());
    testing_io::ExpectSameVectors(file->vectors, again->vectors);
    EXPECT_EQ(ParseJson(again->metadata.at("tokenizer")),
              ParseJson(file->metadata.at("tokenizer")));
  }
}

// As SentenceTransformer.save() writes it.
TEST_F(Model2vecTest, AStaticEmbeddingIsReadFromItsSubfolder) {
  RawTensor rows = Rows("F32");
  rows.name = "embedding.weight";
  const std::string inside = folder + "/0_StaticEmbedding";
  std::filesystem::create_directory(inside);
  std::filesystem::rename(folder + "/tokenizer.json",
                          inside + "/tokenizer.json");
  std::filesystem::remove(folder + "/config.json");
  std::filesystem::remove(folder + "/model.safetensors");
  WriteBytes(inside + "/model.safetensors", Safetensors({rows}));
  for (const bool normalizes : {false, true}) {
    Write("modules.json", absl::StrCat(
                              R"([{"path": "0_StaticEmbedding",
                   "type": "sentence_transformers.models.StaticEmbedding"})",
                              normalizes ? R"(, {"path": "1_Normalize",
                   "type": "sentence_transformers.models.Normalize"}])"
                                         : "]"));
    for (const std::string& path :
         {folder, inside, inside + "/model.safetensors"}) {
      const auto file = LoadVectorFile(path);
      ASSERT_EQ(file.status(), absl::OkStatus());
      EXPECT_THAT(WordsOf(*file),
                  ElementsAre("[PAD]", "[UNK]", "the", "bank", "##s"));
      EXPECT_THAT(*file->vectors.Find("[UNK]"), ElementsAre(2, -1));
      EXPECT_EQ(file->metadata.at("normalize"), normalizes ? "true" : "false");
    }
    EXPECT_EQ(FilesBeside(folder, "")[0], inside + "/model.safetensors");
    EXPECT_EQ(DescribeVectorFile(folder)->words, 5u);
    const auto file = LoadVectorFile(folder);
    const std::string copy = folder + "-copy";
    ASSERT_EQ(SaveVectorFile(*file, copy, "model2vec"), absl::OkStatus());
    const auto again = LoadVectorFile(copy);
    ASSERT_EQ(again.status(), absl::OkStatus());
    testing_io::ExpectSameVectors(file->vectors, again->vectors);
    EXPECT_EQ(again->metadata.at("normalize"), normalizes ? "true" : "false");
    EXPECT_THAT(ReadBytes(copy + "/model.safetensors"),
                HasSubstr("embedding.weight"));
  }
}

// A module elsewhere is not this model's.
TEST_F(Model2vecTest, ModulesOutsideTheFolderAreNotRead) {
  std::filesystem::remove(folder + "/model.safetensors");
  for (const char* path : {"../m2v", "/etc", "a/b", ""}) {
    Write("modules.json", absl::StrCat(R"([{"path": ")", path,
                                       R"(", "type": "x.StaticEmbedding"}])"));
    EXPECT_THAT(LoadMessage(folder), HasSubstr("but a folder")) << path;
  }
}

struct Damage {
  const char* name;
  const char* file;
  std::vector<std::pair<std::string, std::string>> replaced;
  const char* message;
};

TEST_F(Model2vecTest, WhatIsWrongIsNamed) {
  const Damage kDamages[] = {
      {"a token with another's id",
       "tokenizer.json",
       {{"\"the\": 2", "\"the\": 3"}},
       "expected one token with the id 3"},
      {"an id beyond the rows",
       "tokenizer.json",
       {{"\"##s\": 4", "\"##s\": 5"}},
       "expected an id from 0 to 4 for the token \"##s\", found 5"},
      {"a negative id",
       "tokenizer.json",
       {{"\"##s\": 4", "\"##s\": -4"}},
       "for the token \"##s\", found -4"},
      {"a row without a token",
       "tokenizer.json",
       {{", \"bank\": 3", ""}},
       "expected a token for each of 5 rows, found none with the id 3"},
      {"no vocabulary",
       "tokenizer.json",
       {{"\"vocab\"", "\"words\""}},
       "expected an object \"vocab\""},
      {"no model",
       "tokenizer.json",
       {{"\"model\"", "\"muddle\""}},
       "expected a JSON object with a \"model\""},
      {"added tokens that are none",
       "tokenizer.json",
       {{"{\"id\": 0, \"content\": \"[PAD]\", \"special\": true}", "7"}},
       "expected objects with \"id\" and \"content\""},
      {"no configuration",
       "config.json",
       {{"{", "["}},
       "config.json: expected a JSON object"},
  };
  for (const Damage& damage : kDamages) {
    SCOPED_TRACE(damage.name);
    Write("tokenizer.json", kWordPiece);
    Write("config.json", kConfig);
    const std::string path = absl::StrCat(folder, "/", damage.file);
    WriteBytes(path, absl::StrReplaceAll(ReadBytes(path), damage.replaced));
    EXPECT_THAT(LoadMessage(folder),
                AllOf(StartsWith(path), HasSubstr(damage.message)));
  }
}

TEST_F(Model2vecTest, TensorsThatDoNotFitAreNamed) {
  const std::pair<std::vector<RawTensor>, const char*> kCases[] = {
      {{{"embeddings", "I32", {1, 1}, Raw(int32_t{1})}},
       "tensor \"embeddings\": expected F32, F64, F16 or I8 [rows, dim]"},
      {{Rows("F32"), {"weights", "F32", {2}, RawAll<float>({1, 2})}},
       "tensor \"weights\": expected F32, F64 or F16 [5], found F32 [2]"},
      {{Rows("F32"), {"mapping", "F32", {5}, RawAll<float>({1, 2, 3, 4, 5})}},
       "tensor \"mapping\": expected I64 or I32 [tokens]"},
      {{Rows("F32"), {"mapping", "I32", {5}, RawAll<int32_t>({0, 1, 5, 0, 0})}},
       "token 2: expected a row from 0 to 4, found 5"},
      {{{"mapping", "I64", {5}, RawAll<int64_t>({0, 1, -1, 0, 0})},
        Rows("F32")},
       "token 2: expected a row from 0 to 4, found -1"},
      {{{"embeddings", "I8", {5, 1}, RawAll<int8_t>({1, 2, 3, -128, 5})}},
       "token 3: expected codes from -127 to 127"},
      {{Rows("I8"), {"weights", "F32", {5}, RawAll<float>({1, 1, -1, 1, 1})}},
       "token 2: expected codes from -127 to 127 and a finite weight"},
      {{Rows("F32"),
        {"weights", "F32", {5}, RawAll<float>({1, 1, kInfinity, 1, 1})}},
       "expected a finite number"},
  };
  for (const auto& [tensors, message] : kCases) {
    SCOPED_TRACE(message);
    std::vector<RawTensor> ordered = tensors;
    Write("model.safetensors", Safetensors(ordered));
    EXPECT_THAT(LoadMessage(folder), HasSubstr(message));
  }
}

TEST_F(Model2vecTest, FilesThatLackAreNamed) {
  std::filesystem::remove(folder + "/config.json");
  EXPECT_THAT(LoadMessage(folder), StartsWith(folder + "/config.json"));
  std::filesystem::remove(folder + "/tokenizer.json");
  EXPECT_THAT(LoadMessage(folder), StartsWith(folder + "/tokenizer.json"));
  std::filesystem::remove(folder + "/model.safetensors");
  EXPECT_THAT(LoadMessage(folder), HasSubstr("but a folder"));
}

}  // namespace
}  // namespace firth
