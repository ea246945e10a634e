#include <string>

#include "absl/strings/str_cat.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing_io::LoadMessage;
using testing_io::LoadStatus;
using testing_io::MakeVectors;
using testing_io::Raw;
using testing_io::ReadBytes;
using testing_io::TestFolder;
using testing_io::WordsOf;
using testing_io::WriteBytes;

std::string Npy(int version, absl::string_view dict, absl::string_view data) {
  const std::string length = version == 1
                                 ? Raw(static_cast<uint16_t>(dict.size()))
                                 : Raw(static_cast<uint32_t>(dict.size()));
  return absl::StrCat("\x93NUMPY", Raw(static_cast<char>(version)),
                      absl::string_view("\0", 1), length, dict, data);
}

std::string TwoFloats() { return Raw(1.5f) + Raw(-2.0f); }

TEST(NpyFormatTest, DataStartAtAMultipleOf64AfterTheHeaderOfNumpy) {
  const std::string path = TestFolder() + "/v.npy";
  ASSERT_EQ(SaveVectorFile(MakeVectors({"a", "b"}, 3), path, ""),
            absl::OkStatus());
  const std::string bytes = ReadBytes(path);
  EXPECT_THAT(bytes.substr(10),
              StartsWith("{'descr': '<f4', 'fortran_order': False, 'shape': "
                         "(2, 3), }  "));
  EXPECT_EQ(bytes.find('\n') % 64, 63u);
  EXPECT_EQ(bytes.size(), bytes.find('\n') + 1 + 6 * sizeof(float));
}

struct GoodHeader {
  const char* name;
  int version;
  const char* dict;
  std::string data;
};

TEST(NpyFormatTest, ReadsOtherHeadersAndTypes) {
  const GoodHeader kCases[] = {
      {"version 1", 1,
       "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }\n",
       TwoFloats()},
      {"version 2, unaligned", 2,
       "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }",
       TwoFloats()},
      {"version 3, other order and quotes", 3,
       "{\"shape\":(1,2),\"descr\":\"<f4\",\"fortran_order\":False}   ",
       TwoFloats()},
      {"double", 1,
       "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }\n",
       Raw(1.5) + Raw(-2.0)}};
  const std::string folder = TestFolder();
  WriteBytes(folder + "/v.vocab", "word\n");
  for (const GoodHeader& good : kCases) {
    SCOPED_TRACE(good.name);
    WriteBytes(folder + "/v.npy", Npy(good.version, good.dict, good.data));
    const auto loaded = LoadVectorFile(folder + "/v.npy");
    ASSERT_EQ(loaded.status(), absl::OkStatus());
    EXPECT_THAT(loaded->vectors.Vector(WordId{0}), ElementsAre(1.5f, -2.0f));
  }
}

struct BadHeader {
  const char* dict;
  const char* message;
};

TEST(NpyFormatTest, OtherArraysAreRefused) {
  constexpr BadHeader kCases[] = {
      {"{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }",
       "expected fortran_order False, found \"True\""},
      {"{'descr': '>f4', 'fortran_order': False, 'shape': (1, 2), }",
       "expected descr '<f4' or '<f8', found \">f4\""},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }",
       "expected a dict as .npy header"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
       "expected shape (words, dim), found \"(2,)\""},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 1), }",
       "expected shape (words, dim)"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 0), }",
       "expected shape (words, dim)"},
      {"{'descr': '<f4', 'shape': (1, 2), }", "expected fortran_order False"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2",
       "expected a dict as .npy header"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3)}",
       "promises 1 rows of 3 values, which need at least 12 bytes, found 8"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)}",
       "expected 4 bytes after the header, found 8"},
      {"{'descr': '<f4', 'fortran_order': False, "
       "'shape': (1000000000000, 100)}",
       "promises 1000000000000 rows of 100 values"}};
  const std::string folder = TestFolder();
  WriteBytes(folder + "/v.vocab", "word\n");
  for (const BadHeader& bad : kCases) {
    WriteBytes(folder + "/v.npy", Npy(1, bad.dict, TwoFloats()));
    EXPECT_THAT(LoadMessage(folder + "/v.npy"), HasSubstr(bad.message));
  }
  WriteBytes(folder + "/v.npy", Npy(4, "{}", ""));
  EXPECT_THAT(LoadMessage(folder + "/v.npy"),
              HasSubstr("v.npy: expected a .npy array of at most version 3, "
                        "found version 4, written by a newer version of NumPy; "
                        "upgrade Firth to read it"));
}

struct BadWords {
  const char* name;
  const char* lines;
  const char* message;
};

TEST(NpyFormatTest, WordsBesideTheArrayAreChecked) {
  constexpr BadWords kCases[] = {
      {"one word too few", "a\n", "v.vocab: expected 2 words"},
      {"one word too many", "a\nb\nc\n", "v.vocab: expected 2 words"},
      {"count not a number", "a 1\nb x\n",
       "v.vocab:2: expected a count from 0"},
      {"a count lacks", "a 1\nb\n",
       "v.vocab:2: expected a word and its count, as"},
      {"a count too many", "a\nb 1\n",
       "v.vocab:2: expected a word without a count"},
      {"empty line", "a 1\n\n", "v.vocab:2: expected a word, or a word and"},
      {"duplicate", "a 1\na 2\n",
       "v.vocab:2: duplicate word \"a\", which is also at"}};
  const std::string folder = TestFolder();
  ASSERT_EQ(SaveVectorFile(MakeVectors({"a", "b"}, 3), folder + "/v.npy", ""),
            absl::OkStatus());
  for (const BadWords& bad : kCases) {
    SCOPED_TRACE(bad.name);
    WriteBytes(folder + "/v.vocab", bad.lines);
    const absl::Status status = LoadStatus(folder + "/v.npy");
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(bad.message));
  }
}

TEST(NpyFormatTest, MissingWordsAreNamedButTheArrayIsDescribed) {
  const std::string folder = TestFolder();
  ASSERT_EQ(SaveVectorFile(MakeVectors({"a", "b"}, 3), folder + "/v.npy", ""),
            absl::OkStatus());
  ASSERT_EQ(std::remove((folder + "/v.vocab").c_str()), 0);
  const absl::Status status = LoadStatus(folder + "/v.npy");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("v.vocab"));
  EXPECT_EQ(DescribeVectorFile(folder + "/v.npy")->words, 2u);
}

TEST(NpyFormatTest, CountsStandBesideTheWords) {
  const std::string folder = TestFolder();
  const std::vector<absl::string_view> words = {"a", "b"};
  VectorFile file;
  file.vectors = *WordVectors::Create(*Vocabulary::Create(words, {12, 3}),
                                      testing_io::PaddedTable(2, 1, {1, 2}));
  ASSERT_EQ(SaveVectorFile(file, folder + "/v.npy", ""), absl::OkStatus());
  EXPECT_EQ(ReadBytes(folder + "/v.vocab"), "a 12\nb 3\n");
  const auto loaded = LoadVectorFile(folder + "/v.npy");
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_EQ(loaded->vectors.vocabulary().Count(WordId{0}), 12u);
  EXPECT_TRUE(DescribeVectorFile(folder + "/v.npy")->has_counts);
  EXPECT_THAT(WordsOf(*loaded), ElementsAre("a", "b"));
}

TEST(NpyFormatTest, WordsWithWhiteSpaceAreRefused) {
  EXPECT_FALSE(
      SaveVectorFile(MakeVectors({"a b"}, 1), TestFolder() + "/v.npy", "")
          .ok());
}

}  // namespace
}  // namespace firth
