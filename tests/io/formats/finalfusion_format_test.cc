#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/quantize.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"
#include "support/tiny_vectors.h"
#include "vocab/character_ngrams.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_io::ExpectNearVectors;
using testing_io::LoadMessage;
using testing_io::LoadStatus;
using testing_io::MakeVectors;
using testing_io::PaddedTable;
using testing_io::Raw;
using testing_io::ReadBytes;
using testing_io::TestFolder;
using testing_io::VectorOf;
using testing_io::WordsOf;
using testing_io::WriteBytes;

std::string Floats(const std::vector<float>& values) {
  std::string bytes;
  for (const float value : values) bytes += Raw(value);
  return bytes;
}

std::string Text(absl::string_view text) {
  return absl::StrCat(Raw(static_cast<uint32_t>(text.size())), text);
}

std::string Words(const std::vector<std::string>& words) {
  std::string bytes;
  for (const std::string& word : words) bytes += Text(word);
  return bytes;
}

// Builds a file chunk by chunk; floats are aligned as finalfusion does it.
class FifuBuilder {
 public:
  explicit FifuBuilder(const std::vector<uint32_t>& kinds)
      : bytes_(absl::StrCat("FiFu", Raw(uint32_t{0}),
                            Raw(static_cast<uint32_t>(kinds.size())))) {
    for (const uint32_t kind : kinds) bytes_ += Raw(kind);
  }

  FifuBuilder& Chunk(uint32_t kind, const std::string& rest) {
    absl::StrAppend(&bytes_, Raw(kind), Raw(uint64_t{rest.size()}), rest);
    return *this;
  }

  // numbers, padding, then the values.
  FifuBuilder& Padded(uint32_t kind, const std::string& numbers,
                      const std::string& values) {
    const size_t position = bytes_.size() + 12 + numbers.size();
    return Chunk(
        kind,
        absl::StrCat(numbers, std::string(4 - position % 4, '\0'), values));
  }

  FifuBuilder& Array(uint64_t rows, uint32_t cols,
                     const std::vector<float>& values) {
    return Padded(2, absl::StrCat(Raw(rows), Raw(cols), Raw(uint32_t{10})),
                  Floats(values));
  }

  FifuBuilder& Norms(const std::vector<float>& norms) {
    return Padded(6,
                  absl::StrCat(Raw(uint64_t{norms.size()}), Raw(uint32_t{10})),
                  Floats(norms));
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string SimpleWords(const std::vector<std::string>& words) {
  return absl::StrCat(Raw(uint64_t{words.size()}), Words(words));
}

std::string HashedWords(const std::vector<std::string>& words, uint32_t min_n,
                        uint32_t max_n, uint32_t buckets) {
  return absl::StrCat(Raw(uint64_t{words.size()}), Raw(min_n), Raw(max_n),
                      Raw(buckets), Words(words));
}

VectorFile Load(const std::string& bytes) {
  const std::string path = TestFolder() + "/v.fifu";
  WriteBytes(path, bytes);
  auto loaded = LoadVectorFile(path);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return loaded.ok() ? *loaded : VectorFile();
}

VectorFile SaveAndLoad(const VectorFile& file, const std::string& name) {
  const std::string path = TestFolder() + "/" + name;
  const absl::Status saved = SaveVectorFile(file, path, "");
  EXPECT_TRUE(saved.ok()) << saved;
  auto loaded = LoadVectorFile(path);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return loaded.ok() ? *loaded : VectorFile();
}

TEST(FinalfusionFormatTest, VectorsAreRowsTimesNorms) {
  const VectorFile file = Load(FifuBuilder({1, 2, 6})
                                   .Chunk(1, SimpleWords({"ab", "\xc3\xa9 !"}))
                                   .Array(2, 2, {0.6f, 0.8f, 0, 1})
                                   .Norms({10, 0.5f})
                                   .bytes());
  EXPECT_THAT(WordsOf(file), ElementsAre("ab", "\xc3\xa9 !"));
  EXPECT_THAT(file.vectors.Vector(WordId{0}), ElementsAre(6, 8));
  EXPECT_THAT(file.vectors.Vector(WordId{1}), ElementsAre(0, 0.5f));
}

TEST(FinalfusionFormatTest, NormsNeedNotStandInTheHeader) {
  const VectorFile file = Load(FifuBuilder({1, 2})
                                   .Chunk(1, SimpleWords({"a"}))
                                   .Array(1, 1, {1})
                                   .Norms({7})
                                   .bytes());
  EXPECT_THAT(file.vectors.Vector(WordId{0}), ElementsAre(7));
}

TEST(FinalfusionFormatTest, WithoutNormsRowsStayAsTheyAre) {
  const VectorFile file = Load(FifuBuilder({5, 2, 1})
                                   .Chunk(5, "[common]\ndims = 2\n")
                                   .Array(1, 2, {3, 4})
                                   .Chunk(1, SimpleWords({"a"}))
                                   .bytes());
  EXPECT_THAT(file.vectors.Vector(WordId{0}), ElementsAre(3, 4));
  EXPECT_EQ(file.metadata.at("finalfusion"), "[common]\ndims = 2\n");
}

// Rows and n-grams as finalfusion's own test has them.
TEST(FinalfusionFormatTest, BucketsAreThoseOfFinalfusion) {
  EXPECT_EQ(FinalfusionHash("Dan") % (1 << 21), 214157u);
  EXPECT_EQ(FinalfusionHash("i\xc3\xabl") % (1 << 21), 233912u);
  EXPECT_EQ(FinalfusionHash("Dani\xc3\xab") % (1 << 21), 311961u);
  EXPECT_EQ(FinalfusionHash("i\xc3\xabl>") % (1 << 21), 488897u);
  BucketSubwords options{.min_n = 3, .max_n = 6, .buckets = 1 << 21};
  options.hash = BucketHash::kFinalfusion;
  const std::vector<uint32_t> expected = {
      75867,  104120,  136555,  456131,  599360,  722393,  938007,
      985859, 1006102, 1163391, 1218704, 1321513, 1505861, 1892376};
  const auto index = SubwordIndex::OfBuckets(options, expected);
  ASSERT_TRUE(index.ok());
  std::vector<uint32_t> rows;
  EXPECT_EQ(index->AppendRows("hallo", &rows), 14u);
  EXPECT_EQ(rows.size(), 14u);  // all of them are among the expected
}

TEST(FinalfusionFormatTest, UnknownWordsPointWhereFinalfusionsDo) {
  const VectorFile file =
      Load(FifuBuilder({3, 2, 6})
               .Chunk(3, HashedWords({"ab"}, 1, 2, 2))
               .Array(5, 2, {1, 0, 1, 2, 10, 20, 100, 50, 7, 1000})
               .Norms({3})
               .bytes());
  // The sum over "<", "<x", "x", "x>", ">", in finalfusion's buckets, at unit
  // length.
  const float rows[4][2] = {{1, 2}, {10, 20}, {100, 50}, {7, 1000}};
  double sum[2] = {};
  for (const absl::string_view n_gram : {"<", "<x", "x", "x>", ">"}) {
    for (int i = 0; i < 2; ++i) sum[i] += rows[FinalfusionHash(n_gram) % 4][i];
  }
  const std::vector<float> mean = VectorOf(file.vectors, "x");
  const double length = std::hypot(mean[0], mean[1]);
  EXPECT_NEAR(mean[0] / length, sum[0] / std::hypot(sum[0], sum[1]), 1e-6);
  EXPECT_NEAR(mean[1] / length, sum[1] / std::hypot(sum[0], sum[1]), 1e-6);
  // It cannot become fastText's, whose buckets are others.
  EXPECT_THAT(*LostParts(file, "fasttext"), ElementsAre(VectorPart::kSubwords));
}

TEST(FinalfusionFormatTest, FasttextsNGramsBecomeAFasttextModelAgain) {
  // min n 2, max n 2, 3 buckets
  const VectorFile file =
      Load(FifuBuilder({7, 2, 6})
               .Chunk(7, HashedWords({"ab", "c"}, 2, 2, 3))
               .Array(5, 2, {0.6f, 0.8f, 1, 0, 1, 2, 10, 20, 100, 200})
               .Norms({100, 2})
               .bytes());
  float sum = 0;
  const float rows[] = {1, 10, 100};
  for (const absl::string_view n_gram : {"<x", "x>"}) {
    sum += rows[NGramHash(n_gram) % 3];
  }
  EXPECT_THAT(VectorOf(file.vectors, "x"), ElementsAre(sum / 2, sum));
  const VectorFile again = SaveAndLoad(file, "v.ftbin");
  ExpectNearVectors(file.vectors, again.vectors);
  EXPECT_EQ(VectorOf(again.vectors, "x"), VectorOf(file.vectors, "x"));
  const VectorFile back = SaveAndLoad(again, "v.fifu");
  ExpectNearVectors(file.vectors, back.vectors);
  EXPECT_EQ(VectorOf(back.vectors, "x"), VectorOf(file.vectors, "x"));
}

// "<a" and "b>" share row 0, as in a file made from buckets.
std::string ExplicitFile() {
  return FifuBuilder({8, 2})
      .Chunk(8, absl::StrCat(Raw(uint64_t{1}), Raw(uint64_t{3}),
                             Raw(uint32_t{1}), Raw(uint32_t{2}), Words({"ab"}),
                             Text("<a"), Raw(uint64_t{0}), Text(">"),
                             Raw(uint64_t{1}), Text("b>"), Raw(uint64_t{0})))
      .Array(3, 1, {5, 10, 1000})
      .bytes();
}

TEST(FinalfusionFormatTest, ExplicitNGramsMayShareRows) {
  const VectorFile file = Load(ExplicitFile());
  EXPECT_THAT(VectorOf(file.vectors, "ax"), ElementsAre(505));   // <a >
  EXPECT_THAT(VectorOf(file.vectors, "b"), ElementsAre(505));    // b> >
  EXPECT_THAT(VectorOf(file.vectors, "a.b"), ElementsAre(340));  // <a b> >
  for (const char* name : {"v.fifu", "v.safetensors"}) {
    const VectorFile again = SaveAndLoad(file, name);
    EXPECT_THAT(VectorOf(again.vectors, "a.b"), ElementsAre(340));
    EXPECT_THAT(again.vectors.subwords()->index.NGramRows(),
                testing::UnorderedElementsAre(0, 0, 1));
  }
}

TEST(FinalfusionFormatTest, FloretsNGramsHaveNoWords) {
  const std::string bytes =
      FifuBuilder({9, 2})
          .Chunk(9, absl::StrCat(Raw(uint32_t{2}), Raw(uint32_t{3}),
                                 Raw(uint64_t{3}), Raw(uint32_t{2}),
                                 Raw(uint32_t{7}), Text("<"), Text(">")))
          .Array(3, 1, {1, 10, 100})
          .bytes();
  const VectorFile file = Load(bytes);
  EXPECT_EQ(file.vectors.size(), 0u);
  EXPECT_TRUE(file.vectors.FromNGrams("der").has_value());
  const std::string path = TestFolder() + "/again.fifu";
  ASSERT_EQ(SaveVectorFile(file, path, ""), absl::OkStatus());
  EXPECT_EQ(ReadBytes(path), bytes);
}

// 2 parts of 1 value, 2 centroids each; P turns by 90 degrees.
std::string QuantizedNumbers(uint32_t projected, uint32_t norms,
                             uint64_t rows) {
  return absl::StrCat(Raw(projected), Raw(norms), Raw(uint32_t{2}),
                      Raw(uint32_t{2}), Raw(uint32_t{2}), Raw(rows),
                      Raw(uint32_t{1}), Raw(uint32_t{10}));
}

TEST(FinalfusionFormatTest, QuantizedRowsAreCentroidsTurnedAndScaled) {
  const std::string centroids = Floats({1, 2, 10, 20});
  const std::string codes("\0\1\1\0", 4);
  const auto load = [&](uint32_t projected, uint32_t norms,
                        const std::string& values) {
    return Load(FifuBuilder({1, 4})
                    .Chunk(1, SimpleWords({"a", "b"}))
                    .Padded(4, QuantizedNumbers(projected, norms, 2), values)
                    .bytes());
  };
  const VectorFile plain = load(0, 0, centroids + codes);
  EXPECT_THAT(plain.vectors.Vector(WordId{0}), ElementsAre(1, 20));
  EXPECT_THAT(plain.vectors.Vector(WordId{1}), ElementsAre(2, 10));
  const VectorFile turned =
      load(1, 1, Floats({0, -1, 1, 0}) + centroids + Floats({3, 5}) + codes);
  EXPECT_THAT(turned.vectors.Vector(WordId{0}), ElementsAre(-60, 3));
  EXPECT_THAT(turned.vectors.Vector(WordId{1}), ElementsAre(-50, 10));
}

TEST(FinalfusionFormatTest, QuantizedVectorsStayQuantized) {
  for (const bool turned_and_scaled : {false, true}) {
    ToPq pq;
    pq.parts = 4;
    pq.rotation = pq.norms = turned_and_scaled;
    VectorFile file;
    file.vectors = *Quantize(RandomVectors(300, 8, 1), pq);
    file.metadata = {{"arch", "cbow"}};
    const std::string path = TestFolder() + "/v.fifu";
    ASSERT_EQ(SaveVectorFile(file, path, ""), absl::OkStatus());
    const VectorFile loaded = Load(ReadBytes(path));
    EXPECT_EQ(loaded.metadata.at("arch"), "cbow");
    for (size_t word = 0; word < 300; ++word) {
      const std::vector<float> expected =
          file.vectors.CopyVector(ToWordId(word));
      const auto found = loaded.vectors.Vector(ToWordId(word));
      for (size_t i = 0; i < 8; ++i) EXPECT_NEAR(found[i], expected[i], 1e-6);
    }
  }
}

// Words and n-grams share an array: beside n-grams, words are floats.
TEST(FinalfusionFormatTest, QuantizedVectorsBesideNGramsBecomeFloats) {
  EXPECT_TRUE(*HoldsForm("finalfusion", "pq", /*has_subwords=*/false));
  EXPECT_FALSE(*HoldsForm("finalfusion", "pq", /*has_subwords=*/true));
  EXPECT_FALSE(*HoldsForm("finalfusion", "int8", /*has_subwords=*/false));
  EXPECT_FALSE(*HoldsForm("bin", "pq", /*has_subwords=*/false));
  EXPECT_TRUE(*HoldsForm("safetensors", "int8", /*has_subwords=*/true));
}

// Too large a norm, none, and one below the normal floats: as they are.
TEST(FinalfusionFormatTest, VectorsWithoutANormalNormAreKept) {
  constexpr float kMax = std::numeric_limits<float>::max();
  constexpr float kLeast = std::numeric_limits<float>::denorm_min();
  const std::vector<absl::string_view> words = {"large", "zero", "small"};
  VectorFile file;
  file.vectors = *WordVectors::Create(
      *Vocabulary::Create(words, {}),
      PaddedTable(3, 2, {kMax, -kMax, 0, -0.0f, kLeast, 3 * kLeast}));
  testing_io::ExpectSameVectors(file.vectors,
                                SaveAndLoad(file, "v.fifu").vectors);
}

TEST(FinalfusionFormatTest, RowsAreWrittenAtUnitLength) {
  VectorFile file = MakeVectors({"a", "b"}, 3);
  const std::string path = TestFolder() + "/v.fifu";
  ASSERT_EQ(SaveVectorFile(file, path, ""), absl::OkStatus());
  const std::string bytes = ReadBytes(path);
  // Norms end the file, the array's 6 values stand before their chunk.
  const size_t norms_chunk = bytes.size() - size_t{2} * 4 - 4 - 12 - 12;
  for (size_t row = 0; row < 2; ++row) {
    double squares = 0;
    for (size_t col = 0; col < 3; ++col) {
      float value;
      std::memcpy(&value, bytes.data() + norms_chunk - 24 + (row * 3 + col) * 4,
                  4);
      squares += value * value;
    }
    EXPECT_NEAR(squares, 1, 1e-6);
  }
}

TEST(FinalfusionFormatTest, MetadataComeBack) {
  VectorFile file = MakeVectors({"a"}, 1);
  file.metadata = {{"finalfusion", "title = \"x\"\n[a]\nb = 1"},
                   {"dim", "3"},
                   {"odd \"key\"\n", "a\\b\x01\t\xc3\xa9 \" ]"}};
  const VectorFile again = SaveAndLoad(file, "v.fifu");
  EXPECT_EQ(again.metadata.at("dim"), "3");
  EXPECT_EQ(again.metadata.at("odd \"key\"\n"), "a\\b\x01\t\xc3\xa9 \" ]");
  EXPECT_EQ(again.metadata.at("finalfusion"), "title = \"x\"\n[a]\nb = 1\n");
  EXPECT_EQ(SaveAndLoad(again, "w.fifu").metadata, again.metadata);
  file.metadata = {{"finalfusion", "no line end"}};
  EXPECT_EQ(SaveAndLoad(file, "u.fifu").metadata, file.metadata);
}

TEST(FinalfusionFormatTest, TruncationAtEveryByteFails) {
  const std::string path = TestFolder() + "/v.fifu";
  for (const std::string& whole :
       {ExplicitFile(),
        FifuBuilder({5, 7, 4, 6})
            .Chunk(5, "a = 1\n")
            .Chunk(7, HashedWords({"ab"}, 2, 2, 1))
            .Padded(4, QuantizedNumbers(0, 1, 2),
                    Floats({1, 2, 3, 4, 1, 1}) + std::string("\0\1\1\0", 4))
            .Norms({2})
            .bytes()}) {
    WriteBytes(path, whole);
    ASSERT_EQ(LoadStatus(path), absl::OkStatus());
    for (size_t bytes = 1; bytes < whole.size(); ++bytes) {
      WriteBytes(path, whole.substr(0, bytes));
      EXPECT_EQ(LoadVectorFile(path, {.format = "finalfusion"}).status().code(),
                absl::StatusCode::kDataLoss)
          << bytes;
      (void)DescribeVectorFile(path);
    }
  }
}

TEST(FinalfusionFormatTest, CorruptBytesAreNamed) {
  struct Case {
    std::string bytes;
    const char* message;
  };
  const std::string words = SimpleWords({"a", "b"});
  const auto with_words = [](const std::string& chunk, uint32_t kind,
                             uint64_t rows) {
    return FifuBuilder({kind, 2})
        .Chunk(kind, chunk)
        .Array(rows, 1, std::vector<float>(rows, 1))
        .bytes();
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Case kCases[] = {
      {absl::StrCat("FiFu", Raw(uint32_t{1})),
       "byte 4: expected a finalfusion file of at most version 0, found "
       "version 1, written by a newer version of finalfusion; upgrade Firth to "
       "read it"},
      {absl::StrCat("FiFu", Raw(uint32_t{0}), Raw(uint32_t{1} << 31)),
       "expected a number of chunks from 2 to 4, found 2147483648"},
      {FifuBuilder({1, 10}).Chunk(1, words).bytes(),
       "expected a kind of chunk from 1 to 9, found 10"},
      {FifuBuilder({1, 2}).Chunk(3, words).bytes(),
       "expected a chunk of the kind in the header from 1 to 1, found 3"},
      {FifuBuilder({1, 1}).Chunk(1, words).Chunk(1, words).bytes(),
       "expected each kind of chunk once, found kind 1 after kind 1"},
      {FifuBuilder({1, 5}).Chunk(1, words).Chunk(5, "").bytes(),
       "expected a vocabulary and an array before the end, found no array"},
      {absl::StrCat(
           FifuBuilder({1, 2}).Chunk(1, words).Array(2, 1, {1, 2}).bytes(),
           "x"),
       "expected the end of the file, found 1 bytes"},
      {with_words(Raw(uint64_t{1} << 60), 1, 1),
       "expected 1152921504606846976 words of at least"},
      {with_words(words + "x", 1, 2), "bytes, as in its header, found one"},
      {with_words(SimpleWords({"a", ""}), 1, 2),
       "expected a word, found an empty one"},
      {with_words(words, 1, 1),
       "expected an array with a row for each of 2 words, found one of 1"},
      {with_words(words, 1, 3),
       "expected n-grams of 1 rows, which the array has in addition to 2 for "
       "words, found those of 0"},
      {with_words(HashedWords({"a"}, 2, 2, 30), 3, 2), "found those of 10737"},
      {with_words(HashedWords({"a"}, 2, 2, 32), 3, 2),
       "expected the exponent of buckets from 0 to 31, found 32"},
      {with_words(HashedWords({"a"}, 3, 2, 1), 3, 3),
       "min-n: must be 1 to max-n (2), found 3"},
      {with_words(HashedWords({"a"}, 1, 200, 1), 7, 2),
       "max-n: expected 1 to 100, found 200"},
      {with_words(HashedWords({"a"}, 1, 2, 0), 7, 1), "buckets: expected 1 to"},
      {with_words(
           absl::StrCat(Raw(uint64_t{0}), Raw(uint64_t{1}), Raw(uint32_t{1}),
                        Raw(uint32_t{2}), Text("ab"), Raw(uint64_t{1})),
           8, 1),
       "expected the row of an n-gram from 0 to 0, found 1"},
      {FifuBuilder({1, 2})
           .Chunk(1, words)
           .Padded(2,
                   absl::StrCat(Raw(uint64_t{1} << 62), Raw(uint32_t{1} << 31),
                                Raw(uint32_t{10})),
                   "")
           .bytes(),
       "expected an array, 18446744073709551615 bytes"},
      {FifuBuilder({1, 2})
           .Chunk(1, words)
           .Padded(2,
                   absl::StrCat(Raw(uint64_t{2}), Raw(uint32_t{1}),
                                Raw(uint32_t{11})),
                   Floats({1, 2}))
           .bytes(),
       "expected a type of values from 10 to 10, found 11"},
      {FifuBuilder({1, 4})
           .Chunk(1, words)
           .Padded(4, QuantizedNumbers(0, 0, 2),
                   Floats({1, 2, 3, 4}) + std::string("\0\1\2\0", 4))
           .bytes(),
       "expected a code below 2, found 2"},
      {FifuBuilder({1, 2, 6})
           .Chunk(1, words)
           .Array(2, 1, {1, 2})
           .Norms({1})
           .bytes(),
       "expected norms of 2 words, found 1"},
      {FifuBuilder({1, 2}).Chunk(1, words).Array(2, 1, {1, nan}).bytes(),
       "word 1: value 1 of word \"b\": expected a finite number, found nan"},
      {FifuBuilder({7, 2})
           .Chunk(7, HashedWords({"a"}, 2, 2, 1))
           .Array(2, 1, {1, nan})
           .bytes(),
       "n-grams, row 0, value 0: expected a finite number, found nan"},
  };
  const std::string path = TestFolder() + "/v.fifu";
  for (const Case& bad : kCases) {
    WriteBytes(path, bad.bytes);
    EXPECT_THAT(LoadMessage(path), HasSubstr(bad.message));
  }
}

TEST(FinalfusionFormatTest, PrunedNGramsAreToldToBeLost) {
  BucketSubwords options{.min_n = 2, .max_n = 2, .buckets = 4};
  options.missing_count = false;
  const std::vector<absl::string_view> words = {"a"};
  VectorFile file;
  file.vectors = *WordVectors::Create(
      *Vocabulary::Create(words, {}), PaddedTable(1, 1, {1}),
      SubwordTables{*SubwordIndex::OfBuckets(options, {1}),
                    PaddedTable(1, 1, {2}), PaddedTable(1, 1, {3})});
  EXPECT_THAT(*LostParts(file, "finalfusion"),
              ElementsAre(VectorPart::kSubwords));
  EXPECT_FALSE(*HoldsSubwords("finalfusion", options));
  EXPECT_EQ(SaveAndLoad(file, "v.fifu").vectors.subwords(), nullptr);
  EXPECT_THAT(*LostWords(file, "finalfusion"), IsEmpty());
}

}  // namespace
}  // namespace firth
