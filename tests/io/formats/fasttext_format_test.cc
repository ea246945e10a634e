#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"
#include "vocab/character_ngrams.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_io::ExpectSameVectors;
using testing_io::LoadStatus;
using testing_io::Raw;
using testing_io::ReadBytes;
using testing_io::TestFolder;
using testing_io::WordsOf;
using testing_io::WriteBytes;

// Magic number and version, where there are any; dim, window, epochs, least
// count, negatives, word n-grams, loss, architecture, buckets, min n, max n,
// update rate; threshold.
struct Arguments {
  int32_t version = 12;
  int32_t architecture = 2;
  int32_t buckets = 3;
  int32_t min_n = 2;
  int32_t max_n = 2;

  std::string Bytes() const {
    std::string bytes;
    if (version > 0) bytes = Raw(int32_t{793712314}) + Raw(version);
    for (const int32_t number :
         {2, 7, 3, 1, 5, 1, 2, architecture, buckets, min_n, max_n, 100}) {
      bytes += Raw(number);
    }
    return bytes + Raw(1e-3);
  }
};

std::string Entry(absl::string_view word, int64_t count, int8_t type = 0) {
  return absl::StrCat(word, absl::string_view("\0", 1), Raw(count), Raw(type));
}

// Two words "ab" and "c"; all n-grams kept.
std::string Dictionary(bool versioned = true) {
  return absl::StrCat(Raw(int32_t{2}), Raw(int32_t{2}), Raw(int32_t{0}),
                      Raw(int64_t{9}), versioned ? Raw(int64_t{-1}) : "",
                      Entry("ab", 6), Entry("c", 3));
}

std::string Dense(int64_t rows, int64_t cols, const std::vector<float>& values,
                  bool flag = true) {
  std::string bytes = flag ? Raw(uint8_t{0}) : "";
  absl::StrAppend(&bytes, Raw(rows), Raw(cols));
  for (const float value : values) bytes += Raw(value);
  return bytes;
}

// Word rows (1, 10) and (2, 20), bucket rows (100, 1000) (200, ..) (300, ..).
std::string Input(bool flag = true) {
  return Dense(5, 2, {1, 10, 2, 20, 100, 1000, 200, 2000, 300, 3000}, flag);
}
std::string Output(bool flag = true) { return Dense(2, 2, {1, 2, 3, 4}, flag); }

double BucketSum(std::initializer_list<absl::string_view> n_grams) {
  double sum = 0;
  for (const absl::string_view n_gram : n_grams) {
    sum += 100.0 * (1 + NGramHash(n_gram) % 3);
  }
  return sum;
}

VectorFile Load(const std::string& bytes) {
  const std::string path = TestFolder() + "/model.bin";
  WriteBytes(path, bytes);
  auto loaded = LoadVectorFile(path);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return loaded.ok() ? *loaded : VectorFile();
}

void ExpectMeansOfRows(const WordVectors& vectors) {
  const double ab = (1 + BucketSum({"<a", "ab", "b>"})) / 4;
  EXPECT_NEAR((*vectors.Find("ab"))[0], ab, 1e-4);
  EXPECT_NEAR((*vectors.Find("ab"))[1], 10 * ab, 1e-3);
  const double c = (2 + BucketSum({"<c", "c>"})) / 3;
  EXPECT_NEAR((*vectors.Find("c"))[0], c, 1e-4);
  const auto unknown = vectors.FromNGrams("xy");
  ASSERT_TRUE(unknown.has_value());
  EXPECT_NEAR((*unknown)[0], BucketSum({"<x", "xy", "y>"}) / 3, 1e-4);
}

TEST(FasttextFormatTest, AWordIsTheMeanOfItsRows) {
  const VectorFile file =
      Load(Arguments().Bytes() + Dictionary() + Input() + Output());
  EXPECT_THAT(WordsOf(file), ElementsAre("ab", "c"));
  EXPECT_EQ(file.vectors.vocabulary().Count(WordId{1}), 3u);
  ExpectMeansOfRows(file.vectors);
  EXPECT_THAT(file.output.Row(1), ElementsAre(3, 4));
  EXPECT_EQ(file.metadata.at("window"), "7");
  EXPECT_EQ(file.metadata.at("arch"), "skipgram");
}

TEST(FasttextFormatTest, FilesWithoutVersionAreRead) {
  Arguments arguments;
  arguments.version = 0;
  ExpectMeansOfRows(
      Load(arguments.Bytes() + Dictionary(false) + Input(false) + Output(false))
          .vectors);
}

TEST(FasttextFormatTest, Version11SupervisedHasNoNGrams) {
  Arguments arguments;
  arguments.version = 11;
  arguments.architecture = 3;
  const std::string dictionary =
      absl::StrCat(Raw(int32_t{3}), Raw(int32_t{2}), Raw(int32_t{1}),
                   Raw(int64_t{9}), Raw(int64_t{-1}), Entry("ab", 6),
                   Entry("c", 3), Entry("__label__x", 2, 1));
  const VectorFile file =
      Load(arguments.Bytes() + dictionary + Input() + Dense(1, 2, {5, 6}));
  EXPECT_THAT(WordsOf(file), ElementsAre("ab", "c"));
  EXPECT_THAT(file.vectors.Vector(WordId{1}), ElementsAre(2, 20));
  EXPECT_EQ(file.vectors.subwords(), nullptr);
  EXPECT_TRUE(file.output.empty());
}

// Two parts of one value each; centroid i is i in the first, i + 0.5 in the
// second.
std::string Quantizer(int32_t dim) {
  std::string bytes =
      absl::StrCat(Raw(dim), Raw(dim), Raw(int32_t{1}), Raw(int32_t{1}));
  for (int part = 0; part < dim; ++part) {
    for (int i = 0; i < 256; ++i) {
      bytes += Raw(static_cast<float>(i) + 0.5f * static_cast<float>(part));
    }
  }
  return bytes;
}

std::string Quantized(int64_t rows, absl::string_view codes,
                      absl::string_view norm_codes) {
  std::string bytes = absl::StrCat(
      Raw(uint8_t{1}), Raw(uint8_t{!norm_codes.empty()}), Raw(rows),
      Raw(int64_t{2}), Raw(static_cast<int32_t>(codes.size())), codes,
      Quantizer(2));
  if (norm_codes.empty()) return bytes;
  return absl::StrCat(bytes, norm_codes, Quantizer(1));
}

TEST(FasttextFormatTest, QuantizedRowsAreCentroidsTimesNorms) {
  Arguments arguments;
  arguments.max_n = arguments.min_n = arguments.buckets = 0;
  const std::string start = arguments.Bytes() + Dictionary();
  const VectorFile plain =
      Load(start + Quantized(2, "\1\2\3\xff", "") + Output());
  EXPECT_THAT(plain.vectors.Vector(WordId{0}), ElementsAre(1, 2.5));
  EXPECT_THAT(plain.vectors.Vector(WordId{1}), ElementsAre(3, 255.5));
  const VectorFile scaled =
      Load(start + Quantized(2, "\1\2\3\xff", "\4\5") + Output());
  EXPECT_THAT(scaled.vectors.Vector(WordId{0}), ElementsAre(4, 10));
  EXPECT_THAT(scaled.vectors.Vector(WordId{1}), ElementsAre(15, 1277.5));
}

// Kept are the buckets 2 and 0, with rows 0 and 1; bucket 1 does not count.
TEST(FasttextFormatTest, PrunedNGramsDoNotCount) {
  const std::string dictionary = absl::StrCat(
      Raw(int32_t{2}), Raw(int32_t{2}), Raw(int32_t{0}), Raw(int64_t{9}),
      Raw(int64_t{2}), Entry("ab", 6), Entry("c", 3), Raw(int32_t{2}),
      Raw(int32_t{0}), Raw(int32_t{0}), Raw(int32_t{1}));
  const VectorFile file =
      Load(Arguments().Bytes() + dictionary +
           Dense(4, 2, {1, 10, 2, 20, 300, 3000, 100, 1000}) + Output());
  // "<a" and "b>" are in bucket 2, "ab" in 0.
  EXPECT_NEAR((*file.vectors.Find("ab"))[0], (1 + 300 + 100 + 300) / 4.0, 1e-4);
  // "<c" is in bucket 1, "c>" in 2.
  EXPECT_NEAR((*file.vectors.Find("c"))[0], (2 + 300) / 2.0, 1e-4);
}

TEST(FasttextFormatTest, ASavedModelIsTheSameFileAgain) {
  const std::string folder = TestFolder();
  const std::string bytes =
      Arguments().Bytes() + Dictionary() + Input() + Output();
  WriteBytes(folder + "/a.bin", bytes);
  const auto loaded = LoadVectorFile(folder + "/a.bin");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_EQ(SaveVectorFile(*loaded, folder + "/b.bin", "fasttext"),
            absl::OkStatus());
  EXPECT_EQ(ReadBytes(folder + "/b.bin"), bytes);
  const auto info = DescribeVectorFile(folder + "/b.bin");
  ASSERT_TRUE(info.ok());
  EXPECT_TRUE(info->has_output);
  EXPECT_TRUE(info->has_subwords);
}

// Queries do not read the output matrix, but a file that ends in it is damaged.
TEST(FasttextFormatTest, ATruncatedOutputMatrixIsNoticed) {
  const std::string path = TestFolder() + "/cut.bin";
  const std::string bytes =
      Arguments().Bytes() + Dictionary() + Input() + Output();
  WriteBytes(path, bytes.substr(0, bytes.size() - 1));
  for (const bool only_vectors : {false, true}) {
    const auto loaded = LoadVectorFile(path, {.only_vectors = only_vectors});
    ASSERT_FALSE(loaded.ok()) << only_vectors;
    EXPECT_THAT(loaded.status().message(), HasSubstr("the output matrix"));
  }
  const auto info = DescribeVectorFile(path);
  ASSERT_FALSE(info.ok());
  EXPECT_THAT(info.status().message(), HasSubstr("the output matrix"));
}

TEST(FasttextFormatTest, TheNativeModelKeepsAllOfIt) {
  const std::string folder = TestFolder();
  const VectorFile file =
      Load(Arguments().Bytes() + Dictionary() + Input() + Output());
  const std::string path = folder + "/v.safetensors";
  ASSERT_EQ(SaveVectorFile(file, path, ""), absl::OkStatus());
  const auto loaded = LoadVectorFile(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ExpectSameVectors(file.vectors, loaded->vectors);
  ExpectMeansOfRows(loaded->vectors);
  EXPECT_THAT(loaded->vectors.subwords()->words.Row(1), ElementsAre(2, 20));
}

TEST(FasttextFormatTest, CorruptBytesAreNamed) {
  struct Case {
    std::string bytes;
    const char* message;
  };
  const std::string start = Arguments().Bytes();
  Arguments newer;
  newer.version = 13;
  Arguments older;
  older.version = 10;
  Arguments unknown;
  unknown.architecture = 4;
  const std::string two_labels =
      absl::StrCat(Raw(int32_t{2}), Raw(int32_t{2}), Raw(int32_t{1}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Case kCases[] = {
      {newer.Bytes(),
       "byte 4: expected a fastText model of at most version 12, found version "
       "13, written by a newer version of fastText; upgrade Firth to read it"},
      {older.Bytes(), "byte 4: expected a version from 11 to 12, found 10"},
      {unknown.Bytes(), "expected the architecture from 1 to 3, found 4"},
      {start.substr(0, 30),
       "byte 28: expected the length of word n-grams, 4 bytes, found 2"},
      {start + two_labels, "2 words and labels together, found 2 and 1"},
      {absl::StrCat(start, Raw(int32_t{1 << 30}), Raw(int32_t{1 << 30}),
                    Raw(int32_t{0}), Raw(int64_t{9}), Raw(int64_t{-1})),
       "1073741824 entries of at least 10737418240 bytes"},
      {start + Dictionary().substr(0, 40), "to the end of the file"},
      {start + Dictionary() + Dense(4, 2, {1, 2, 3, 4, 5, 6, 7, 8}),
       "expected the input matrix of [5, 2], found [4, 2]"},
      {start + Dictionary() + Input().substr(0, 50),
       "expected the input matrix"},
      {start + Dictionary() + Input() + Output() + "x",
       "expected the end of the file, found 1 bytes"},
      {start + Dictionary() +
           Dense(5, 2, {1, 10, 2, 20, 100, nan, 200, 2000, 300, 3000}) +
           Output(),
       "expected a finite"},
  };
  const std::string path = TestFolder() + "/v.bin";
  for (const Case& bad : kCases) {
    WriteBytes(path, bad.bytes);
    EXPECT_THAT(std::string(LoadStatus(path).message()),
                HasSubstr(bad.message));
  }
}

TEST(FasttextFormatTest, WordsWithWhiteSpaceAreRefused) {
  const std::string path = TestFolder() + "/v.ftbin";
  EXPECT_THAT(
      std::string(SaveVectorFile(testing_io::MakeVectors({"a b"}, 2), path, "")
                      .message()),
      HasSubstr("cannot hold white space"));
}

}  // namespace
}  // namespace firth
