// What LoadOptions::lazily lets in, and what becomes of it: native models with
// values that are not finite, and with words that stand twice.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "firth/query.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"

namespace firth {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing_io::LoadMessage;
using testing_io::LoadStatus;
using testing_io::MakeVectors;
using testing_io::NamesIn;
using testing_io::PaddedTable;
using testing_io::Raw;
using testing_io::ReadBytes;
using testing_io::TestFolder;
using testing_io::WordsOf;
using testing_io::WriteBytes;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Saves the model of three words and some output to `path`; in its bytes,
// replaces `from` by `to`.
void WriteChanged(const std::string& path, const std::string& from,
                  const std::string& to) {
  VectorFile file = MakeVectors({"one", "two", "six"}, 2);
  file.vectors = *WordVectors::Create(file.vectors.vocabulary(),
                                      PaddedTable(3, 2, {1, 0, 3, 4, 0, 5}));
  file.output = PaddedTable(1, 2, {70, 71});
  ASSERT_EQ(SaveVectorFile(file, path, ""), absl::OkStatus());
  const std::string bytes = ReadBytes(path);
  const std::string changed = absl::StrReplaceAll(bytes, {{from, to}});
  ASSERT_NE(changed, bytes);
  WriteBytes(path, changed);
}

absl::StatusOr<VectorFile> LoadLazily(const std::string& path) {
  return LoadVectorFile(path, {.lazily = true});
}

TEST(LazyLoadTest, AWordThatStandsTwiceHasItsFirstRow) {
  const std::string folder = TestFolder();
  const std::string path = folder + "/v.safetensors";
  WriteChanged(path, "six\n", "one\n");
  EXPECT_THAT(LoadMessage(path), HasSubstr("row 2: duplicate word \"one\""));
  const auto loaded = LoadLazily(path);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_THAT(WordsOf(*loaded), ElementsAre("one", "two", "one"));
  EXPECT_THAT(*loaded->vectors.Find("one"), ElementsAre(1, 0));
  EXPECT_THAT(loaded->vectors.Vector(ToWordId(2)), ElementsAre(0, 5));
  EXPECT_FALSE(loaded->vectors.Find("six").has_value());
  EXPECT_EQ(NearestNeighbors(loaded->vectors).FindWord(ToWordId(1), 9).size(),
            2u);
  EXPECT_EQ(SaveVectorFile(*loaded, folder + "/w.safetensors", "").message(),
            absl::StrCat(folder, "/w.safetensors: not written: entry 2: ",
                         "duplicate word \"one\", which is also entry 0"));
  EXPECT_THAT(NamesIn(folder), ElementsAre("v.safetensors"));
}

TEST(LazyLoadTest, ValuesThatAreNotFiniteHaveCosineZero) {
  const std::string folder = TestFolder();
  const std::string path = folder + "/v.safetensors";
  WriteChanged(path, Raw(4.f), Raw(kNan));
  EXPECT_THAT(LoadMessage(path),
              HasSubstr("row 1: value 2 of word \"two\": expected a finite"));
  const auto loaded = LoadLazily(path);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  const WordVectors& vectors = loaded->vectors;
  EXPECT_THAT(vectors.inverse_norms(), ElementsAre(1, 0, 0.2f));
  EXPECT_TRUE(std::isnan(vectors.Vector(ToWordId(1))[1]));
  for (const SearchOptions& search :
       {SearchOptions(ExactSearch()), SearchOptions(Int8Search())}) {
    const auto neighbors = NearestNeighbors::Create(vectors, search);
    ASSERT_EQ(neighbors.status(), absl::OkStatus());
    EXPECT_THAT(neighbors->FindWord(ToWordId(0), 9),
                Each(Field(&Neighbor::score, 0)));
    EXPECT_THAT(neighbors->FindWord(ToWordId(1), 9),
                Each(Field(&Neighbor::score, 0)));
    EXPECT_THAT(neighbors->Cosines(vectors.Vector(ToWordId(2))),
                ElementsAre(0, 0, 1));
    EXPECT_EQ(neighbors
                  ->FindWords({ToWordId(0), ToWordId(1), ToWordId(2),
                               ToWordId(1), ToWordId(0)},
                              2)
                  .size(),
              5u);
  }
  EXPECT_EQ(Similarity(vectors, ToWordId(0), ToWordId(1)), 0);
  EXPECT_THAT(SaveVectorFile(*loaded, folder + "/w.safetensors", "").message(),
              HasSubstr("row 1, value 1: expected a finite number"));
  EXPECT_THAT(NamesIn(folder), ElementsAre("v.safetensors"));
}

TEST(LazyLoadTest, TheOutputTableIsNotReadEither) {
  const std::string path = TestFolder() + "/v.safetensors";
  WriteChanged(path, Raw(71.f), Raw(kNan));
  EXPECT_THAT(LoadMessage(path), HasSubstr("tensor \"output\", row 0"));
  const auto loaded = LoadLazily(path);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_EQ(loaded->output.Row(0)[0], 70);
  EXPECT_TRUE(std::isnan(loaded->output.Row(0)[1]));
}

TEST(LazyLoadTest, WordsWithoutALineEndOrOfAnotherNumberAreRefused) {
  const std::string path = TestFolder() + "/v.safetensors";
  for (const char* words : {"one\ntwo\nsix!", "one\ntwo_six\n",
                            "o\n\ntwo\nsix\n", "one\n\ntwosix\n"}) {
    WriteChanged(path, "one\ntwo\nsix\n", words);
    EXPECT_EQ(LoadLazily(path).status(), LoadStatus(path)) << words;
    EXPECT_EQ(LoadStatus(path).code(), absl::StatusCode::kDataLoss) << words;
  }
}

}  // namespace
}  // namespace firth
