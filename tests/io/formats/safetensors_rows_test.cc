// The forms that a model's rows can have in a file.

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/matrix.h"
#include "firth/quantize.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"
#include "support/clustered_vectors.h"
#include "vectors/product_quantizer.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_io::LoadStatus;
using testing_io::Raw;
using testing_io::ReadBytes;
using testing_io::TestFolder;
using testing_io::WriteBytes;

const LoadOptions kKeepForm = {.keep_form = true};

struct FormCase {
  QuantizeOptions options;
  const char* form;  // as DescribeVectorFile() says it
  double bits;       // a value
};

// Of 300 words of 20 dimensions.
std::vector<FormCase> FormCases() {
  const double value = 300 * 20;
  const double books = 256 * 20 * 32 / value;
  return {{ToFloat16(), "float16", 16},
          {ToInt8(), "int8", 8 + 32 / 20.0},
          {ToPq{.parts = 10}, "pq, 10 parts", 4 + books},
          {ToPq{.parts = 5, .rotation = true}, "pq, 5 parts, rotated",
           2 + books + 400 * 32 / value},
          {ToPq{.parts = 10, .rotation = true, .norms = true},
           "pq, 10 parts, rotated, separate norms",
           4 + books + 400 * 32 / value + 32 / 20.0}};
}

VectorFile MakeFile(const WordVectors& vectors,
                    const QuantizeOptions& options) {
  VectorFile file;
  auto quantized = Quantize(vectors, options);
  EXPECT_TRUE(quantized.ok()) << quantized.status();
  file.vectors = *std::move(quantized);
  return file;
}

void ExpectSameRows(const WordVectors& found, const WordVectors& expected) {
  ASSERT_EQ(found.size(), expected.size());
  ASSERT_EQ(found.dim(), expected.dim());
  EXPECT_EQ(FormOf(found.rows()), FormOf(expected.rows()));
  for (size_t i = 0; i < found.size(); ++i) {
    const WordId word = ToWordId(i);
    EXPECT_EQ(found.vocabulary().Word(word), expected.vocabulary().Word(word));
    EXPECT_EQ(found.CopyVector(word), expected.CopyVector(word)) << i;
  }
}

TEST(SafetensorsRowsTest, EveryFormComesBackAsItWas) {
  const std::string folder = TestFolder();
  for (const size_t words : {300, 1, 0}) {
    const WordVectors vectors =
        words == 0 ? *WordVectors::Create(Vocabulary(), Matrix<float>(0, 20))
                   : Clustered(words, 20, 1);
    for (const FormCase& test : FormCases()) {
      SCOPED_TRACE(absl::StrCat(test.form, " of ", words));
      const std::string path = folder + "/v.safetensors";
      VectorFile file = MakeFile(vectors, test.options);
      file.metadata["arch"] = "cbow";
      ASSERT_EQ(SaveVectorFile(file, path, ""), absl::OkStatus());
      const auto loaded = LoadVectorFile(path, kKeepForm);
      ASSERT_EQ(loaded.status(), absl::OkStatus());
      ExpectSameRows(loaded->vectors, file.vectors);
      EXPECT_EQ(loaded->metadata.at("arch"), "cbow");
      // Again, from the mapped file.
      const std::string copy = folder + "/2.safetensors";
      ASSERT_EQ(SaveVectorFile(*loaded, copy, ""), absl::OkStatus());
      EXPECT_EQ(ReadBytes(copy).size(), ReadBytes(path).size());
    }
  }
}

TEST(SafetensorsRowsTest, WhoDoesNotAskForTheFormGetsFloats) {
  for (const FormCase& test : FormCases()) {
    SCOPED_TRACE(test.form);
    const std::string path = TestFolder() + "/v.safetensors";
    const VectorFile file = MakeFile(Clustered(300, 20, 2), test.options);
    ASSERT_EQ(SaveVectorFile(file, path, ""), absl::OkStatus());
    const auto loaded = LoadVectorFile(path);
    ASSERT_EQ(loaded.status(), absl::OkStatus());
    ASSERT_TRUE(loaded->vectors.is_float());
    ExpectSameRows(loaded->vectors, Dequantize(file.vectors).value());
  }
}

TEST(SafetensorsRowsTest, OtherFormatsAreWrittenAsFloats) {
  const std::string folder = TestFolder();
  for (const FormCase& test : FormCases()) {
    const VectorFile file = MakeFile(Clustered(50, 20, 3), test.options);
    for (const char* name : {"/v.bin", "/v.txt", "/v.npy"}) {
      SCOPED_TRACE(absl::StrCat(test.form, " to ", name));
      ASSERT_EQ(SaveVectorFile(file, folder + name, ""), absl::OkStatus());
      const auto loaded = LoadVectorFile(folder + name, kKeepForm);
      ASSERT_EQ(loaded.status(), absl::OkStatus());
      ExpectSameRows(loaded->vectors, Dequantize(file.vectors).value());
    }
  }
}

TEST(SafetensorsRowsTest, DescriptionNamesTheFormAndItsBits) {
  const std::string path = TestFolder() + "/v.safetensors";
  for (const FormCase& test : FormCases()) {
    const VectorFile file = MakeFile(Clustered(300, 20, 4), test.options);
    ASSERT_EQ(SaveVectorFile(file, path, ""), absl::OkStatus());
    const auto info = DescribeVectorFile(path);
    ASSERT_EQ(info.status(), absl::OkStatus());
    EXPECT_EQ(info->form, test.form);
    EXPECT_NEAR(info->bits_per_value, test.bits, 1e-9) << test.form;
    EXPECT_EQ(info->words, 300u);
    EXPECT_EQ(info->dim, 20u);
  }
  VectorFile floats;
  floats.vectors = Clustered(3, 2, 5);
  ASSERT_EQ(SaveVectorFile(floats, path, ""), absl::OkStatus());
  EXPECT_EQ(DescribeVectorFile(path)->form, "float32");
  EXPECT_EQ(DescribeVectorFile(path)->bits_per_value, 32);
}

TEST(SafetensorsRowsTest, FilesThatAreCutAreRefused) {
  const std::string path = TestFolder() + "/v.safetensors";
  for (const FormCase& test : FormCases()) {
    SCOPED_TRACE(test.form);
    const VectorFile file = MakeFile(Clustered(300, 20, 6), test.options);
    ASSERT_EQ(SaveVectorFile(file, path, ""), absl::OkStatus());
    const std::string bytes = ReadBytes(path);
    for (size_t size = 1; size < bytes.size(); size += bytes.size() / 50) {
      WriteBytes(path, bytes.substr(0, size));
      EXPECT_FALSE(LoadVectorFile(path, kKeepForm).ok()) << size;
    }
  }
}

std::string File(absl::string_view json, absl::string_view data) {
  return absl::StrCat(Raw(uint64_t{json.size()}), json, data);
}

// Changes of a small file that make no sense.
struct Change {
  const char* name;
  std::string from;  // in the header, or else in the data
  std::string to;
  const char* message;  // empty: the file is good
};

void ExpectRefused(const std::string& json, const std::string& data,
                   const std::vector<Change>& changes) {
  const std::string path = TestFolder() + "/v.safetensors";
  // However the header leaves the data aligned.
  for (const char* padding : {"", " ", "  ", "   "}) {
    WriteBytes(path, File(json + padding, data));
    ASSERT_EQ(LoadVectorFile(path, kKeepForm).status(), absl::OkStatus());
    ASSERT_EQ(LoadStatus(path), absl::OkStatus());
  }
  for (const Change& change : changes) {
    SCOPED_TRACE(change.name);
    const std::string new_json =
        absl::StrReplaceAll(json, {{change.from, change.to}});
    std::string new_data = data;
    if (new_json == json) {
      const size_t at = data.find(change.from);
      ASSERT_NE(at, std::string::npos);
      new_data.replace(at, change.from.size(), change.to);
    }
    WriteBytes(path, File(new_json, new_data));
    for (const absl::Status& status :
         {LoadVectorFile(path, kKeepForm).status(), LoadStatus(path)}) {
      EXPECT_EQ(status.ok(), std::string(change.message).empty()) << status;
      EXPECT_THAT(std::string(status.message()), HasSubstr(change.message));
    }
  }
}

TEST(SafetensorsRowsTest, Float16NonsenseIsRefused) {
  ExpectRefused(
      R"({"input":{"dtype":"F16","shape":[2,1],"data_offsets":[0,4]},)"
      R"("vocabulary":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
      absl::StrCat(Raw(uint16_t{0x3c00}), Raw(uint16_t{0x4000}), "a\nb\n"),
      {{"infinity", Raw(uint16_t{0x4000}), Raw(uint16_t{0x7c00}),
        "value 1 of word \"b\": expected a finite number, found inf"},
       {"NaN", Raw(uint16_t{0x4000}), Raw(uint16_t{0x7e00}),
        "expected a finite number, found nan"},
       {"zero", Raw(uint16_t{0x4000}), Raw(uint16_t{0}), ""},
       {"another type", "F16", "BF16", "expected F32, F16 or I8 [words, dim]"},
       {"a vector", R"(F16","shape":[2,1])", R"(F16","shape":[2])",
        "expected F32, F16 or I8 [words, dim], found F16 [2]"},
       {"no columns", R"("shape":[2,1],"data_offsets":[0,4]},)",
        R"("shape":[4,0],"data_offsets":[0,0]},"x":{"dtype":"U8","shape":[4],)"
        R"("data_offsets":[0,4]},)",
        "found F16 [4, 0]"}});
}

TEST(SafetensorsRowsTest, Int8NonsenseIsRefused) {
  ExpectRefused(
      R"({"input_scales":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
      R"("input":{"dtype":"I8","shape":[2,2],"data_offsets":[8,12]},)"
      R"("vocabulary":{"dtype":"U8","shape":[4],"data_offsets":[12,16]}})",
      absl::StrCat(Raw(1.5f), Raw(0.5f), "\x7f\x81\x01\xff", "a\nb\n"),
      {{"negative scale", Raw(0.5f), Raw(-0.5f),
        "\"input_scales\", row 1: expected a finite number of 0 or more, found "
        "-0.5"},
       {"NaN scale", Raw(0.5f), Raw(std::nanf("")), "of 0 or more, found nan"},
       {"infinite scale", Raw(0.5f), Raw(HUGE_VALF), "found inf"},
       {"scale of zero", Raw(0.5f), Raw(0.0f), ""},
       {"scale that overflows", Raw(1.5f), Raw(3e38f),
        "word \"a\": expected a finite number, found inf"},
       {"code of -128", "\x81", "\x80",
        "\"input\", row 0: expected codes from -127 to 127, found -128"},
       {"no scales", "input_scales", "scales",
        "\"input_scales\": expected F32 [words] together with I8 \"input\", "
        "found none"},
       {"scales of another length", R"("shape":[2],"data_offsets":[0,8]})",
        R"("shape":[1],"data_offsets":[0,4]},"x":{"dtype":"F32","shape":[1],)"
        R"("data_offsets":[4,8]})",
        "expected F32 [2], found F32 [1]"}});
}

// Two words of two dimensions, two parts, two centroids each, turned by a
// quarter.
TEST(SafetensorsRowsTest, PqNonsenseIsRefused) {
  const std::string json =
      R"({"input_codebooks":{"dtype":"F32","shape":[2,2,1],"data_offsets":[0,16]},)"
      R"("input_rotation":{"dtype":"F32","shape":[2,2],"data_offsets":[16,32]},)"
      R"("input_norms":{"dtype":"F32","shape":[2],"data_offsets":[32,40]},)"
      R"("input_codes":{"dtype":"U8","shape":[2,2],"data_offsets":[40,44]},)"
      R"("vocabulary":{"dtype":"U8","shape":[4],"data_offsets":[44,48]}})";
  const std::string data =
      absl::StrCat(Raw(3.0f), Raw(4.0f), Raw(5.0f), Raw(6.0f), Raw(0.0f),
                   Raw(1.0f), Raw(-1.0f), Raw(0.0f), Raw(2.0f), Raw(0.25f),
                   absl::string_view("\x01\x00\x00\x01", 4), "a\nb\n");
  ExpectRefused(
      json, data,
      {{"NaN centroid", Raw(5.0f), Raw(std::nanf("")),
        "codebooks, row 2: expected finite numbers, found nan"},
       {"NaN in the rotation", Raw(-1.0f), Raw(std::nanf("")),
        "rotation, row 1: expected finite"},
       {"no rotation", Raw(-1.0f), Raw(-3.0f),
        "the matrix of the rotation does not preserve lengths"},
       {"negative norm", Raw(0.25f), Raw(-0.25f),
        "\"input_norms\", row 1: expected a finite number of 0 or more"},
       {"zero norm", Raw(0.25f), Raw(0.0f), ""},
       {"code out of range", std::string("\x01\x00\x00\x01", 4),
        std::string("\x01\x00\x02\x01", 4),
        "\"input_codes\", row 1: expected codes below 2, found 2"},
       {"no codebooks", "input_codebooks", "books",
        "\"input_codebooks\": expected F32 [2, centroids, part's dim], found "
        "none"},
       {"flat codebooks", "[2,2,1]", "[2,2]", "found F32 [2, 2]"},
       {"codebooks for one part", "[2,2,1]", "[1,4,1]", "found F32 [1, 4, 1]"},
       {"no centroids", R"("shape":[2,2,1],"data_offsets":[0,16])",
        R"("shape":[2,0,1],"data_offsets":[0,0]},"x":{"dtype":"F32",)"
        R"("shape":[4],"data_offsets":[0,16])",
        "found F32 [2, 0, 1]"},
       {"rotation of another shape", R"("shape":[2,2],"data_offsets":[16,32])",
        R"("shape":[1,4],"data_offsets":[16,32])",
        "\"input_rotation\": expected F32 [2, 2], found F32 [1, 4]"},
       {"codes of another type", R"("input_codes":{"dtype":"U8")",
        R"("input_codes":{"dtype":"I8")", "expected U8 [words, parts]"},
       {"norms of another length", R"("shape":[2],"data_offsets":[32,40])",
        R"("shape":[2,1],"data_offsets":[32,40])", "expected F32 [2]"}});
  const std::string path = TestFolder() + "/v.safetensors";
  WriteBytes(path, File(json, data));
  const auto loaded = LoadVectorFile(path, kKeepForm);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  // y = (4, 5) and (3, 6), turned back and times the norm.
  EXPECT_THAT(loaded->vectors.CopyVector(WordId{0}), ElementsAre(-10, 8));
  EXPECT_THAT(loaded->vectors.CopyVector(WordId{1}), ElementsAre(-1.5f, 0.75f));
}

TEST(SafetensorsRowsTest, MoreCentroidsThanAByteNamesAreRefused) {
  const std::string path = TestFolder() + "/v.safetensors";
  std::string books;
  for (int i = 0; i < 257; ++i) books += Raw(1.0f);
  WriteBytes(
      path,
      File(
          R"({"input_codebooks":{"dtype":"F32","shape":[1,257,1],"data_offsets":[0,1028]},)"
          R"("input_codes":{"dtype":"U8","shape":[1,1],"data_offsets":[1028,1029]},)"
          R"("vocabulary":{"dtype":"U8","shape":[2],"data_offsets":[1029,1031]}})",
          absl::StrCat(books, "\x01", "a\n")));
  EXPECT_THAT(std::string(LoadStatus(path).message()),
              HasSubstr("expected 1 to 256 centroids"));
}

}  // namespace
}  // namespace firth
