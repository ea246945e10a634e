// The tensors of n-grams: read as written, and every kind of damage named.

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"

namespace firth {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_io::LoadMessage;
using testing_io::Raw;
using testing_io::TestFolder;
using testing_io::WordsOf;
using testing_io::WriteBytes;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A model of two words of one dimension, "ab" and "cd", with two n-grams.
struct Model {
  std::string json;
  std::string data;

  std::string Bytes() const {
    return absl::StrCat(Raw(uint64_t{json.size()}), json, data);
  }
  // With a part of the header replaced.
  Model With(absl::string_view from, absl::string_view to) const {
    Model changed = {absl::StrReplaceAll(json, {{from, to}}), data};
    EXPECT_NE(changed.json, json) << from;
    return changed;
  }
  // With other bytes from `position` of the data.
  Model WithData(size_t position, absl::string_view bytes) const {
    Model changed = *this;
    changed.data.replace(position, bytes.size(), std::string(bytes));
    return changed;
  }
};

// Where the parts of the data start.
constexpr size_t kWordsAt = 8;
constexpr size_t kNGramsAt = 16;
constexpr size_t kListAt = 24;  // the buckets or the texts

Model MakeModel(absl::string_view metadata, absl::string_view list_json,
                absl::string_view list) {
  const size_t end = kListAt + list.size();
  return {absl::StrCat(
              R"({"__metadata__":{)", metadata, R"(},)",
              R"("input":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)",
              R"("words":{"dtype":"F32","shape":[2,1],"data_offsets":[8,16]},)",
              R"("n_grams":{"dtype":"F32","shape":[2,1],)",
              R"("data_offsets":[16,24]},)", list_json,
              R"("vocabulary":{"dtype":"U8","shape":[6],"data_offsets":[)", end,
              ",", end + 6, "]}}"),
          absl::StrCat(Raw(1.5f), Raw(2.5f), Raw(3.5f), Raw(4.5f), Raw(5.0f),
                       Raw(7.0f), list, "ab\ncd\n")};
}

// "abc" has <ab and the mean 5.
Model Explicit() {
  return MakeModel(
      R"("subword-index":"explicit","min-n":"3","max-n":"3")",
      R"("n_gram_texts":{"dtype":"U8","shape":[8],"data_offsets":[24,32]},)",
      "<ab\ncd>\n");
}

// Every n-gram has a row: there are two buckets.
Model Buckets() {
  return MakeModel(
      R"("subword-index":"buckets","min-n":"3","max-n":"6","buckets":"2")",
      R"("buckets":{"dtype":"U32","shape":[2],"data_offsets":[24,32]},)",
      Raw(uint32_t{0}) + Raw(uint32_t{1}));
}

Model Floret() {
  return MakeModel(
      R"("subword-index":"floret","min-n":"3","max-n":"3","buckets":"2",)"
      R"("hashes":"2","hash-seed":"7")",
      "", "");
}

absl::StatusOr<VectorFile> Load(const std::string& path, bool only_vectors) {
  LoadOptions options;
  options.only_vectors = only_vectors;
  return LoadVectorFile(path, options);
}

class SafetensorsSubwordsTest : public testing::Test {
 protected:
  // What loading a model says, with and without a look at all values.
  void ExpectRefused(const Model& model, absl::string_view message) const {
    WriteBytes(path_, model.Bytes());
    for (const bool only_vectors : {false, true}) {
      const absl::Status status = Load(path_, only_vectors).status();
      EXPECT_TRUE(absl::IsInvalidArgument(status) || absl::IsDataLoss(status))
          << status;
      EXPECT_THAT(std::string(status.message()),
                  AllOf(HasSubstr(path_), HasSubstr(message)));
    }
  }

  const std::string path_ = TestFolder() + "/v.safetensors";
};

TEST_F(SafetensorsSubwordsTest, EachKindIsRead) {
  for (const Model& model : {Explicit(), Buckets(), Floret()}) {
    WriteBytes(path_, model.Bytes());
    for (const bool only_vectors : {false, true}) {
      const auto loaded = Load(path_, only_vectors);
      ASSERT_EQ(loaded.status(), absl::OkStatus());
      ASSERT_NE(loaded->vectors.subwords(), nullptr);
      EXPECT_THAT(loaded->vectors.subwords()->words.Row(1), ElementsAre(4.5f));
      const auto made = loaded->vectors.FromNGrams("abc");
      ASSERT_TRUE(made.has_value());
      EXPECT_GE((*made)[0], 5);
      EXPECT_LE((*made)[0], 7);
    }
  }
  WriteBytes(path_, Explicit().Bytes());
  EXPECT_THAT(*Load(path_, true)->vectors.FromNGrams("abc"), ElementsAre(5));
  EXPECT_FALSE(Load(path_, true)->vectors.FromNGrams("xyz").has_value());
}

struct Change {
  const char* name;
  Model model;
  const char* from;
  const char* to;
  const char* message;
};

TEST_F(SafetensorsSubwordsTest, WrongShapesAndTypesAreNamed) {
  const Change kChanges[] = {
      {"n-grams of another type", Explicit(), R"("n_grams":{"dtype":"F32")",
       R"("n_grams":{"dtype":"I32")",
       "tensor \"n_grams\": expected F32 [rows, 1], found I32 [2, 1]"},
      {"n-grams of another dim", Explicit(),
       R"("n_grams":{"dtype":"F32","shape":[2,1])",
       R"("n_grams":{"dtype":"F32","shape":[1,2])",
       "tensor \"n_grams\": expected F32 [rows, 1], found F32 [1, 2]"},
      {"n-grams in one dimension", Explicit(),
       R"("n_grams":{"dtype":"F32","shape":[2,1])",
       R"("n_grams":{"dtype":"F32","shape":[2])",
       "tensor \"n_grams\": expected F32 [rows, 1], found F32 [2]"},
      {"words of another type", Explicit(), R"("words":{"dtype":"F32")",
       R"("words":{"dtype":"U32")",
       "tensor \"words\": expected F32 [2, 1], found U32 [2, 1]"},
      {"words of another shape", Explicit(),
       R"("words":{"dtype":"F32","shape":[2,1])",
       R"("words":{"dtype":"F32","shape":[1,2])",
       "tensor \"words\": expected F32 [2, 1], found F32 [1, 2]"},
      {"texts of another type", Explicit(), R"("n_gram_texts":{"dtype":"U8")",
       R"("n_gram_texts":{"dtype":"I8")",
       "tensor \"n_gram_texts\": expected U8 [bytes]"},
      {"texts in two dimensions", Explicit(), "[8]", "[2,4]",
       "tensor \"n_gram_texts\": expected U8 [bytes]"},
      {"no texts", Explicit(), "n_gram_texts", "n_gram_text",
       "tensor \"n_gram_texts\": expected U8 [bytes] with one n-gram per line, "
       "found none"},
      {"buckets of another type", Buckets(), R"("buckets":{"dtype":"U32")",
       R"("buckets":{"dtype":"F32")",
       "tensor \"buckets\": expected U32 [2], found F32 [2]"},
      {"fewer buckets than rows", Buckets(), R"("U32","shape":[2])",
       R"("U64","shape":[1])",
       "tensor \"buckets\": expected U32 [2], found U64 [1]"},
      {"no buckets", Buckets(), R"("buckets":{)", R"("bucket":{)",
       "tensor \"buckets\": expected U32 [2], found none"},
  };
  for (const Change& change : kChanges) {
    SCOPED_TRACE(change.name);
    ExpectRefused(change.model.With(change.from, change.to), change.message);
  }
}

TEST_F(SafetensorsSubwordsTest, MetadataThatMakeNoSenseAreNamed) {
  const Change kChanges[] = {
      {"no kind", Explicit(), R"("subword-index":"explicit",)", "",
       "metadata \"subword-index\" is missing"},
      {"unknown kind", Explicit(), "\"explicit\"", "\"none\"",
       "metadata \"subword-index\": expected buckets, explicit or floret, "
       "found \"none\""},
      {"no length", Explicit(), R"("min-n":"3",)", "",
       "metadata \"min-n\" is missing"},
      {"length no number", Explicit(), R"("max-n":"3")", R"("max-n":"three")",
       "metadata \"max-n\": expected a number, found \"three\""},
      {"negative length", Explicit(), R"("max-n":"3")", R"("max-n":"-3")",
       "metadata \"max-n\": expected a number, found \"-3\""},
      {"huge length", Buckets(), R"("max-n":"6")", R"("max-n":"4294967295")",
       "n-grams: max-n: expected 1 to 100, found 2147483647"},
      {"lengths crossed", Buckets(), R"("min-n":"3")", R"("min-n":"7")",
       "n-grams: min-n: must be 1 to max-n (6), found 7"},
      {"no n-gram of length 0", Buckets(), R"("min-n":"3")", R"("min-n":"0")",
       "n-grams: min-n: expected 1 to 100, found 0"},
      {"no buckets", Buckets(), R"("buckets":"2")", R"("buckets":"0")",
       "n-grams: buckets: expected 1 to 4294967294, found 0"},
      {"too many buckets", Buckets(), R"("buckets":"2")",
       R"("buckets":"4294967295")",
       "n-grams: buckets: expected 1 to 4294967294, found 4294967295"},
      {"more buckets than 32 bits", Buckets(), R"("buckets":"2")",
       R"("buckets":"4294967296")",
       "metadata \"buckets\": expected a number, found \"4294967296\""},
      {"a bucket beyond the last", Buckets(), R"("buckets":"2")",
       R"("buckets":"1")",
       "n-grams: row 1: expected a bucket below 1 and above 0, found 1"},
      {"kind of others", Explicit(), "\"explicit\"", "\"buckets\"",
       "metadata \"buckets\" is missing"},
      {"rows of floret", Floret(), R"("buckets":"2")", R"("buckets":"3")",
       "n-grams: expected a row for each of 3 buckets, found 2"},
      {"no hashes", Floret(), R"("hashes":"2")", R"("hashes":"0")",
       "n-grams: hashes: expected 1 to 4, found 0"},
      {"too many hashes", Floret(), R"("hashes":"2")",
       R"("hashes":"4294967295")",
       "n-grams: hashes: expected 1 to 4, found 2147483647"},
      {"no seed", Floret(), R"("hash-seed":"7")", R"("seed":"7")",
       "metadata \"hash-seed\" is missing"},
  };
  for (const Change& change : kChanges) {
    SCOPED_TRACE(change.name);
    ExpectRefused(change.model.With(change.from, change.to), change.message);
  }
}

TEST_F(SafetensorsSubwordsTest, ListsThatMakeNoSenseAreNamed) {
  struct Case {
    const char* name;
    Model model;
    const char* message;
  };
  const Case kCases[] = {
      {"a bucket twice",
       Buckets().WithData(kListAt, Raw(uint32_t{1}) + Raw(uint32_t{1})),
       "n-grams: row 1: expected a bucket below 2 and above 1, found 1"},
      {"buckets that fall",
       Buckets().WithData(kListAt, Raw(uint32_t{1}) + Raw(uint32_t{0})),
       "n-grams: row 1: expected a bucket below 2 and above 1, found 0"},
      {"a bucket out of range",
       Buckets().WithData(kListAt, Raw(uint32_t{0}) + Raw(~uint32_t{0})),
       "n-grams: row 1: expected a bucket below 2 and above 0, found "
       "4294967295"},
      {"an n-gram twice", Explicit().WithData(kListAt, "<ab\n<ab\n"),
       "n-grams: entry 1: duplicate word \"<ab\""},
      {"one text for two rows", Explicit().WithData(kListAt, "<ab<cd>\n"),
       "expected 2 words, one for each row of \"n_grams\", found 1"},
      {"three texts for two rows", Explicit().WithData(kListAt, "<\nb\ncd>\n"),
       "expected 2 words, one for each row of \"n_grams\", found 3"},
      {"an empty text", Explicit().WithData(kListAt, "\nab\ncd>\n"),
       "expected a word with a line end, found \"\""},
      {"a text without an end", Explicit().WithData(kListAt, "<ab\ncd>>"),
       "expected a word with a line end, found \"cd>>\""},
  };
  for (const Case& bad : kCases) {
    SCOPED_TRACE(bad.name);
    ExpectRefused(bad.model, bad.message);
  }
}

TEST_F(SafetensorsSubwordsTest, ValuesThatAreNotFiniteAreFound) {
  for (const float value : {kNan, kInfinity, -kInfinity}) {
    WriteBytes(path_, Explicit().WithData(kNGramsAt + 4, Raw(value)).Bytes());
    EXPECT_THAT(LoadMessage(path_),
                HasSubstr("tensor \"n_grams\", row 1, value 0: expected a "
                          "finite number, found "));
    WriteBytes(path_, Explicit().WithData(kWordsAt, Raw(value)).Bytes());
    EXPECT_THAT(LoadMessage(path_), HasSubstr("tensor \"words\", row 0"));
  }
}

// Queries do not look at all n-grams first. A word that has a bad one is as
// good as unknown; the others have their vectors.
TEST_F(SafetensorsSubwordsTest, UncheckedValuesMakeNoVectors) {
  for (const float value : {kNan, kInfinity, -kInfinity}) {
    WriteBytes(path_, Explicit().WithData(kNGramsAt + 4, Raw(value)).Bytes());
    const auto loaded = Load(path_, true);
    ASSERT_EQ(loaded.status(), absl::OkStatus());
    EXPECT_THAT(*loaded->vectors.FromNGrams("abc"), ElementsAre(5));
    EXPECT_FALSE(loaded->vectors.FromNGrams("xcd").has_value());
    EXPECT_FALSE(loaded->vectors.FromNGrams("abcd").has_value());
  }
}

// Finite values whose sum is not.
TEST_F(SafetensorsSubwordsTest, ValuesThatOverflowMakeNoVectors) {
  const float largest = std::numeric_limits<float>::max();
  WriteBytes(
      path_,
      Explicit().WithData(kNGramsAt, Raw(largest) + Raw(largest)).Bytes());
  const auto loaded = Load(path_, false);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_FALSE(loaded->vectors.FromNGrams("abcd").has_value());
}

TEST_F(SafetensorsSubwordsTest, NoBeginningOfAFileIsAFile) {
  for (const Model& model : {Explicit(), Buckets(), Floret()}) {
    const std::string bytes = model.Bytes();
    for (size_t size = 0; size < bytes.size(); ++size) {
      WriteBytes(path_, bytes.substr(0, size));
      EXPECT_FALSE(Load(path_, false).ok()) << size;
      EXPECT_FALSE(Load(path_, true).ok()) << size;
    }
  }
}

// Whatever byte is wrong, nothing crashes, and no vector holds NaN.
TEST_F(SafetensorsSubwordsTest, EveryWrongByteIsSurvived) {
  for (const Model& model : {Explicit(), Buckets(), Floret()}) {
    const std::string bytes = model.Bytes();
    size_t made_vectors = 0;
    for (size_t position = 0; position < bytes.size(); ++position) {
      for (const int flip : {0x01, 0x04, 0x20, 0x80}) {
        std::string changed = bytes;
        changed[position] = static_cast<char>(changed[position] ^ flip);
        WriteBytes(path_, changed);
        const auto loaded = Load(path_, true);
        if (!loaded.ok()) continue;
        const auto made = loaded->vectors.FromNGrams("abcd");
        if (!made.has_value()) continue;
        ++made_vectors;
        for (const float value : *made) EXPECT_TRUE(std::isfinite(value));
      }
    }
    EXPECT_GT(made_vectors, 0u);
  }
}

// Tensors of these names mean something only beside "n_grams".
TEST_F(SafetensorsSubwordsTest, ForeignFilesMayHaveATensorOfThatName) {
  const std::string data = Raw(1.5f) + Raw(2.5f) + Raw(3.5f) + Raw(4.5f);
  const std::pair<const char*, const char*> kForeign[] = {
      // The only table.
      {R"({"words":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)",
       "of two"},
      // Beside the table, of any type and shape.
      {R"({"table":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
       R"("words":{"dtype":"I64","shape":[1],"data_offsets":[8,16]},)",
       "of one"},
      {R"({"input":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
       R"("words":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]},)",
       "of one"}};
  for (const auto& [json, dims] : kForeign) {
    SCOPED_TRACE(json);
    WriteBytes(
        path_,
        Model{absl::StrCat(json, R"("vocabulary":{"dtype":"U8","shape":[4],)",
                           R"("data_offsets":[16,20]}})"),
              data + "a\nb\n"}
            .Bytes());
    const auto loaded = Load(path_, false);
    ASSERT_EQ(loaded.status(), absl::OkStatus());
    EXPECT_THAT(WordsOf(*loaded), ElementsAre("a", "b"));
    EXPECT_EQ(loaded->vectors.dim(), dims == std::string("of two") ? 2u : 1u);
    EXPECT_EQ(loaded->vectors.subwords(), nullptr);
    EXPECT_FALSE(DescribeVectorFile(path_)->has_subwords);
  }
}

// A model can lack the words' own rows; it keeps lacking them.
TEST_F(SafetensorsSubwordsTest, WordsMayHaveNoRowsOfTheirOwn) {
  WriteBytes(path_, Explicit().With(R"("words":{)", R"("wordz":{)").Bytes());
  const auto loaded = Load(path_, false);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_TRUE(loaded->vectors.subwords()->words.empty());
  const std::string again = path_ + ".again.safetensors";
  ASSERT_EQ(SaveVectorFile(*loaded, again, ""), absl::OkStatus());
  const auto reloaded = Load(again, false);
  ASSERT_EQ(reloaded.status(), absl::OkStatus());
  EXPECT_TRUE(reloaded->vectors.subwords()->words.empty());
  EXPECT_THAT(*reloaded->vectors.FromNGrams("abc"), ElementsAre(5));
}

// A file without words can claim any dimension: nothing of it takes memory
// until someone asks for a vector of that size.
TEST_F(SafetensorsSubwordsTest, NGramsWithLineEndsAreToldToBeLost) {
  // finalfusion can hold them; a list of lines cannot.
  const std::vector<absl::string_view> words = {"ab"};
  const std::vector<absl::string_view> n_grams = {"a\nb"};
  const FloatTable row = testing_io::PaddedTable(1, 1, {1});
  VectorFile file;
  file.vectors = *WordVectors::Create(
      *Vocabulary::Create(words, {}), row,
      SubwordTables{*SubwordIndex::OfNGrams(ExplicitSubwords(), n_grams),
                    FloatTable(), row});
  EXPECT_THAT(*LostParts(file, "safetensors"),
              ElementsAre(VectorPart::kSubwords));
  const std::string path = TestFolder() + "/lines.safetensors";
  ASSERT_TRUE(SaveVectorFile(file, path, "safetensors").ok());
  EXPECT_EQ(LoadVectorFile(path)->vectors.subwords(), nullptr);
}

TEST_F(SafetensorsSubwordsTest, DimensionsThatNobodyHasAreRefused) {
  WriteBytes(
      path_,
      Model{R"({"input":{"dtype":"F32","shape":[0,4611686018427387904],)"
            R"("data_offsets":[0,0]},"vocabulary":{"dtype":"U8","shape":[0],)"
            R"("data_offsets":[0,0]}})",
            ""}
          .Bytes());
  EXPECT_THAT(LoadMessage(path_),
              HasSubstr("vectors must have at most 16777216 dimensions, found "
                        "4611686018427387904"));
}

}  // namespace
}  // namespace firth
