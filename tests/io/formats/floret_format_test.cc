#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_io::LoadMessage;
using testing_io::MakeVectors;
using testing_io::ReadBytes;
using testing_io::TestFolder;
using testing_io::VectorOf;
using testing_io::WriteBytes;

// As floret prints it, with a space after each value.
constexpr char kText[] =
    "4 2 2 3 2 2166136261 < >\n"
    "0 1 -1 \n1 10 0.5 \n2 100 0 \n3 1e3 7 \n";

VectorFile Loaded(const std::string& path) {
  auto loaded = LoadVectorFile(path);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return loaded.ok() ? *loaded : VectorFile();
}

TEST(FloretFormatTest, AWordIsTheMeanOfTheRowsOfItsNGrams) {
  const std::string path = TestFolder() + "/v";
  WriteBytes(path, kText);
  const VectorFile file = Loaded(path);
  EXPECT_EQ(file.vectors.size(), 0u);
  EXPECT_EQ(file.vectors.dim(), 2u);
  ASSERT_NE(file.vectors.subwords(), nullptr);
  std::vector<uint32_t> rows;
  file.vectors.subwords()->index.AppendRows("der", &rows);
  ASSERT_EQ(rows.size(), 16u);
  const float values[] = {1, 10, 100, 1000};
  float sum = 0;
  for (const uint32_t row : rows) sum += values[row];
  EXPECT_NEAR(VectorOf(file.vectors, "der")[0], sum / 16, 1e-4);
  const auto info = DescribeVectorFile(path);
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->format, "floret");
  EXPECT_EQ(info->dim, 2u);
  EXPECT_TRUE(info->has_subwords);
}

TEST(FloretFormatTest, WritesWhatItRead) {
  const std::string folder = TestFolder();
  WriteBytes(folder + "/a.floret", kText);
  ASSERT_EQ(
      SaveVectorFile(Loaded(folder + "/a.floret"), folder + "/b.floret", ""),
      absl::OkStatus());
  EXPECT_EQ(ReadBytes(folder + "/b.floret"),
            "4 2 2 3 2 2166136261 < >\n"
            "0 1 -1\n1 10 0.5\n2 100 0\n3 1000 7\n");
}

TEST(FloretFormatTest, OtherMarksOfWordsAreKept) {
  const std::string folder = TestFolder();
  WriteBytes(folder + "/a.floret", "2 1 2 2 1 42 [[ ]\n0 1\n1 -1\n");
  const VectorFile file = Loaded(folder + "/a.floret");
  const auto n_grams = file.vectors.subwords()->index.NGrams("x");
  ASSERT_EQ(n_grams.size(), 4u);
  EXPECT_EQ(n_grams[0].text, "[[x]");
  EXPECT_EQ(n_grams[3].text, "x]");
  for (const char* name : {"/b.floret", "/b.safetensors", "/b.fifu"}) {
    ASSERT_EQ(SaveVectorFile(file, folder + name, ""), absl::OkStatus());
    EXPECT_EQ(VectorOf(Loaded(folder + name).vectors, "word"),
              VectorOf(file.vectors, "word"));
  }
}

TEST(FloretFormatTest, WordsAreToldToBeLost) {
  VectorFile file = MakeVectors({"a"}, 2);
  EXPECT_THAT(*LostParts(file, "floret"), ElementsAre(VectorPart::kWords));
  EXPECT_THAT(
      std::string(
          SaveVectorFile(file, TestFolder() + "/v.floret", "").message()),
      HasSubstr("the floret format holds only floret's n-grams"));
}

TEST(FloretFormatTest, TruncationAtEveryByteFails) {
  const std::string path = TestFolder() + "/v.floret";
  const std::string whole = kText;
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    WriteBytes(path, whole.substr(0, bytes));
    EXPECT_FALSE(LoadVectorFile(path).ok()) << bytes;
  }
}

TEST(FloretFormatTest, BadLinesAreNamed) {
  struct Case {
    const char* text;
    const char* message;
  };
  constexpr Case kCases[] = {
      {"4 2 2 3 2 1 <\n", ":1: expected \"<buckets> <dim> <min n> <max n> "},
      {"4 0 2 3 2 1 < >\n", ":1: expected a dimension above 0"},
      {"4 2 0 3 2 1 < >\n", ":1: min-n: expected 1 to 100, found 0"},
      {"4 2 2 3 5 1 < >\n", ":1: hashes: expected 1 to 4, found 5"},
      {"0 2 2 3 2 1 < >\n", ":1: buckets: expected 1 to"},
      {"99999999999 2 2 3 2 1 < >\n", ":1: buckets: expected 1 to"},
      {"4000000000 300 2 3 2 1 < >\n0 1\n", "4000000000 rows of 300 values"},
      {"2 1 2 3 2 1 < >\n0 1\n", ":1: the header promises 2"},
      {"2 1 2 3 2 1 < >\n0 1\n2 1\n", ":3: expected row 1, found \"2\""},
      {"2 1 2 3 2 1 < >\n0 1\n1 x\n", ":3: expected 1 values"},
      {"2 1 2 3 2 1 < >\n0 1\n1 inf\n", ":3: value 1: expected a finite"},
  };
  const std::string path = TestFolder() + "/v.floret";
  for (const Case& bad : kCases) {
    WriteBytes(path, bad.text);
    EXPECT_THAT(LoadMessage(path), HasSubstr(bad.message));
  }
}

}  // namespace
}  // namespace firth
