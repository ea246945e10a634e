// What every vector format must do: these tests run over VectorFormats(), so a
// new format is tested on arrival.

#include <omp.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/matrix.h"
#include "base/rng.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/formats/vector_format.h"
#include "io/io_test_support.h"
#include "support/compress.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing_io::ExpectSameVectors;
using testing_io::LoadMessage;
using testing_io::LoadStatus;
using testing_io::MakeVectors;
using testing_io::NamesIn;
using testing_io::PaddedTable;
using testing_io::ReadBytes;
using testing_io::TestFolder;
using testing_io::WordsOf;
using testing_io::WriteBytes;

class FormatTest : public testing::TestWithParam<VectorFormatInfo> {
 protected:
  std::string Name() const { return absl::StrCat(GetParam().name); }
  bool IsGlove() const { return Name() == "glove"; }
  // finalfusion keeps lengths apart from directions, which rounds.
  void ExpectSame(const WordVectors& expected, const WordVectors& found) const {
    if (Name() == "finalfusion") {
      testing_io::ExpectNearVectors(expected, found);
    } else {
      ExpectSameVectors(expected, found);
    }
  }
  bool IsFolder() const { return !GetParam().folder_files.empty(); }
  // Of vectors at `path`, the file that has them.
  std::string FileOf(const std::string& path) const {
    return IsFolder() ? absl::StrCat(path, "/", GetParam().folder_files.front())
                      : path;
  }
  std::string PathIn(const std::string& folder) const {
    return absl::StrCat(folder, "/v", GetParam().extensions.front());
  }
};

std::string FormatName(const testing::TestParamInfo<VectorFormatInfo>& info) {
  return absl::StrCat(info.param.name);
}

// floret's has no words; its own test does the same with n-grams.
std::vector<VectorFormatInfo> FormatsOfWords() {
  std::vector<VectorFormatInfo> formats = VectorFormats();
  formats.erase(std::remove_if(formats.begin(), formats.end(),
                               [](const VectorFormatInfo& info) {
                                 return !info.holds_words;
                               }),
                formats.end());
  return formats;
}

INSTANTIATE_TEST_SUITE_P(AllFormats, FormatTest,
                         testing::ValuesIn(FormatsOfWords()), FormatName);

// Without the words that the format cannot hold.
VectorFile OddVectors(absl::string_view format) {
  constexpr float kMax = std::numeric_limits<float>::max();
  constexpr float kDenormal = std::numeric_limits<float>::denorm_min();
  const std::vector<std::string> words = {"plain",
                                          "na\xc3\xafve",
                                          "\xe6\x97\xa5\xe6\x9c\xac",
                                          "\xff\xfe\x80x",
                                          std::string(5000, 'x'),
                                          std::string("a\0b", 3),
                                          "3.5",
                                          "</s>"};
  std::vector<float> values = {0.1f,  -0.0f,       kMax,           -kMax,
                               1e-5f, 16777217.0f, kDenormal,      -kDenormal,
                               1.0f,  0.3333333f,  1.1754944e-38f, 3e10f};
  for (size_t i = values.size(); i < words.size() * 3; ++i) {
    values.push_back(std::bit_cast<float>(0x3d000000u +
                                          1234567u * static_cast<uint32_t>(i)));
  }
  const std::vector<absl::string_view> views(words.begin(), words.end());
  VectorFile file;
  file.vectors =
      *WordVectors::Create(*Vocabulary::Create(views, {9, 8, 7, 6, 5, 4, 3, 2}),
                           PaddedTable(words.size(), 3, values));
  return testing_io::Holdable(file, format);
}

TEST_P(FormatTest, RoundTripKeepsWordsAndBitsOfValues) {
  const std::string path = PathIn(TestFolder());
  const VectorFile written = OddVectors(Name());
  ASSERT_EQ(SaveVectorFile(written, path, Name()), absl::OkStatus());
  const auto loaded = LoadVectorFile(path);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  ExpectSame(written.vectors, loaded->vectors);
}

TEST_P(FormatTest, RoundTripOfManyRowsAndOtherDims) {
  for (const size_t dim : {1, 2, 16, 301}) {
    const std::string path = PathIn(TestFolder());
    std::vector<std::string> words;
    words.reserve(2000);
    for (int i = 0; i < 2000; ++i) words.push_back(absl::StrCat("w", i));
    const VectorFile written = MakeVectors(words, dim);
    ASSERT_EQ(SaveVectorFile(written, path, Name()), absl::OkStatus());
    const auto loaded = LoadVectorFile(path);
    ASSERT_EQ(loaded.status(), absl::OkStatus());
    ExpectSame(written.vectors, loaded->vectors);
  }
}

TEST_P(FormatTest, RoundTripKeepsEverythingThatTheFormatHolds) {
  const std::string path = PathIn(TestFolder());
  VectorFile written = OddVectors(Name());
  written.output = PaddedTable(2, 3, {1, 2, 3, 4, 5, 6});
  written.output_bias = PaddedTable(1, 2, {-1, -2});
  written.metadata = {{"arch", "cbow"}, {"dim", "3"}};
  ASSERT_EQ(SaveVectorFile(written, path, Name()), absl::OkStatus());
  const auto loaded = LoadVectorFile(path);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  const auto lost = LostParts(written, Name());
  ASSERT_EQ(lost.status(), absl::OkStatus());
  const auto is_lost = [&](VectorPart part) {
    return std::count(lost->begin(), lost->end(), part) > 0;
  };
  EXPECT_EQ(loaded->vectors.vocabulary().Count(WordId{1}),
            is_lost(VectorPart::kCounts) ? 0u : 8u);
  EXPECT_EQ(loaded->output.empty(), is_lost(VectorPart::kOutput));
  EXPECT_EQ(loaded->output_bias.empty(), is_lost(VectorPart::kOutputBias));
  EXPECT_EQ(loaded->metadata.count("dim") == 0, is_lost(VectorPart::kMetadata));
  EXPECT_EQ(lost->empty(), Name() == "safetensors");
  if (!lost->empty()) return;
  ASSERT_EQ(loaded->output.rows(), 2u);
  EXPECT_THAT(loaded->output.Row(1), ElementsAre(4, 5, 6));
  EXPECT_THAT(loaded->output_bias.Row(0), ElementsAre(-1, -2));
  LoadOptions only_vectors;
  only_vectors.only_vectors = true;
  const auto part = LoadVectorFile(path, only_vectors);
  ASSERT_EQ(part.status(), absl::OkStatus());
  EXPECT_EQ(part->vectors.size(), loaded->vectors.size());
  EXPECT_TRUE(part->output.empty());
  EXPECT_TRUE(part->output_bias.empty());
  EXPECT_EQ(loaded->metadata.at("arch"), "cbow");
}

TEST_P(FormatTest, ContentTellsTheFormatUnderAnyName) {
  const std::string folder = TestFolder();
  const std::string path = absl::StrCat(folder, "/no_extension");
  ASSERT_EQ(SaveVectorFile(MakeVectors({"a", "b"}, 3), path, Name()),
            absl::OkStatus());
  const auto info = DescribeVectorFile(path);
  ASSERT_EQ(info.status(), absl::OkStatus());
  EXPECT_EQ(info->format, Name());
  EXPECT_EQ(LoadStatus(path), absl::OkStatus());
}

TEST_P(FormatTest, DescribeTellsSizes) {
  const std::string path = PathIn(TestFolder());
  const VectorFile written = OddVectors(Name());
  ASSERT_EQ(SaveVectorFile(written, path, ""), absl::OkStatus());
  const auto info = DescribeVectorFile(path);
  ASSERT_EQ(info.status(), absl::OkStatus());
  EXPECT_GE(info->words, 7u);
  EXPECT_EQ(info->words, written.vectors.size());
  EXPECT_EQ(info->dim, 3u);
  EXPECT_EQ(info->bytes, ReadBytes(FileOf(path)).size());
  EXPECT_FALSE(info->has_output);
}

TEST_P(FormatTest, CompressedFilesGiveTheSame) {
  const std::string folder = TestFolder();
  const std::string path = PathIn(folder);
  const VectorFile written = OddVectors(Name());
  ASSERT_EQ(SaveVectorFile(written, path, ""), absl::OkStatus());
  const std::string plain = ReadBytes(FileOf(path));
  for (const auto& [extension, name, bytes] :
       {std::tuple(".gz", "gzip", Gzip(plain)),
        {".bz2", "bzip2", Bzip2(plain)},
        {".xz", "xz", Xz(plain)},
        {".zst", "zstd", Zstd(plain)},
        {"", "gzip", Gzip(plain)}}) {
    const std::string packed =
        *extension == '\0' ? folder + "/packed" : FileOf(path) + extension;
    WriteBytes(packed, bytes);
    const auto loaded = LoadVectorFile(packed);
    if (Name() == "npy" || IsFolder()) {
      EXPECT_THAT(LoadMessage(packed), HasSubstr("as with gunzip"));
      continue;
    }
    ASSERT_EQ(loaded.status(), absl::OkStatus());
    ExpectSame(written.vectors, loaded->vectors);
    const auto info = DescribeVectorFile(packed);
    ASSERT_EQ(info.status(), absl::OkStatus());
    EXPECT_EQ(info->format, Name());
    EXPECT_EQ(info->bytes, bytes.size());
    EXPECT_EQ(info->compression, name);
    EXPECT_EQ(info->unpacked_bytes, plain.size());
  }
}

TEST_P(FormatTest, LoadedLazilyItIsTheSame) {
  const std::string path = PathIn(TestFolder());
  VectorFile written = OddVectors(Name());
  written.output = PaddedTable(2, 3, {1, 2, 3, 4, 5, 6});
  ASSERT_EQ(SaveVectorFile(written, path, ""), absl::OkStatus());
  const auto loaded = LoadVectorFile(path);
  const auto lazily = LoadVectorFile(path, {.lazily = true});
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  ASSERT_EQ(lazily.status(), absl::OkStatus());
  ExpectSame(loaded->vectors, lazily->vectors);
  EXPECT_EQ(lazily->vectors.inverse_norms(), loaded->vectors.inverse_norms());
  EXPECT_EQ(lazily->output.rows(), loaded->output.rows());
  EXPECT_EQ(lazily->metadata, loaded->metadata);
  const Vocabulary& words = loaded->vectors.vocabulary();
  EXPECT_EQ(lazily->vectors.vocabulary().counts(), words.counts());
  for (const absl::string_view word : words.Words()) {
    EXPECT_EQ(lazily->vectors.vocabulary().Find(word), words.Find(word));
  }
}

class WarningCounter : public ProgressSink {
 public:
  void OnWarning(absl::string_view) override { ++warnings; }
  int warnings = 0;
};

TEST_P(FormatTest, TruncationAtEveryByteFailsOrWarns) {
  const std::string folder = TestFolder();
  const std::string path = PathIn(folder);
  ASSERT_EQ(SaveVectorFile(MakeVectors({"one", "two", "three"}, 3), path, ""),
            absl::OkStatus());
  for (const std::string& name : NamesIn(folder)) {
    const std::string part = absl::StrCat(folder, "/", name);
    const std::string whole = ReadBytes(part);
    for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
      // Nothing says how many lines there should be.
      if (IsGlove() && bytes > 0 && whole[bytes - 1] == '\n') continue;
      WriteBytes(part, whole.substr(0, bytes));
      WarningCounter warned;
      const absl::Status status =
          LoadVectorFile(path, {.hooks = {.progress = &warned}}).status();
      // Lines that are whole are read, with a warning.
      if (status.ok() && warned.warnings > 0) continue;
      EXPECT_TRUE(status.code() == absl::StatusCode::kDataLoss ||
                  status.code() == absl::StatusCode::kInvalidArgument)
          << name << " cut at " << bytes << ": " << status;
      EXPECT_THAT(std::string(status.message()), StartsWith(folder));
      EXPECT_FALSE(LoadVectorFile(path, {Name(), DuplicateWords::kError}).ok());
      EXPECT_FALSE(LoadVectorFile(path, {.lazily = true}).ok());
    }
    WriteBytes(part, whole);
  }
  EXPECT_EQ(LoadStatus(path), absl::OkStatus());
}

TEST_P(FormatTest, BytesAfterTheEndFail) {
  const std::string path = PathIn(TestFolder());
  ASSERT_EQ(SaveVectorFile(MakeVectors({"one", "two"}, 3), path, ""),
            absl::OkStatus());
  WriteBytes(FileOf(path), absl::StrCat(ReadBytes(FileOf(path)), "more\n"));
  EXPECT_FALSE(LoadStatus(path).ok());
}

// One to four bytes of a good file, each replaced by any other or by one that
// means something somewhere.
std::string Mutate(std::string bytes, Rng& rng) {
  constexpr absl::string_view kTelling = " \n\t0919.-e\"{}[]:,\\\0\x7f\xff";
  for (uint32_t i = rng.Below(4) + 1; i > 0; --i) {
    const uint32_t at = rng.Below(static_cast<uint32_t>(bytes.size()));
    bytes[at] = rng.Below(2) == 0
                    ? static_cast<char>(rng.Below(256))
                    : kTelling[rng.Below(uint32_t{kTelling.size()})];
  }
  return bytes;
}

TEST_P(FormatTest, ChangedBytesGiveAStatusOrAValidObject) {
  constexpr int kMutationsPerPart = 1500;
  const std::string folder = TestFolder();
  const std::string path = PathIn(folder);
  VectorFile file = MakeVectors({"one", "two", "three", "four"}, 3);
  file.output = PaddedTable(2, 3, {1, 2, 3, 4, 5, 6});
  file.output_bias = PaddedTable(1, 2, {-1, -2});
  ASSERT_EQ(SaveVectorFile(file, path, ""), absl::OkStatus());
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);  // waking a team costs more than the file
  Rng rng(2024);
  size_t refused = 0;
  for (const std::string& name : NamesIn(folder)) {
    const std::string part = absl::StrCat(folder, "/", name);
    const std::string whole = ReadBytes(part);
    for (int i = 0; i < kMutationsPerPart; ++i) {
      WriteBytes(part, Mutate(whole, rng));
      const auto loaded = LoadVectorFile(
          path, {.format = i % 2 == 0 ? "" : Name(),
                 .duplicates = i % 3 == 0 ? DuplicateWords::kKeepFirst
                                          : DuplicateWords::kError});
      (void)DescribeVectorFile(path);
      if (!loaded.ok()) {
        EXPECT_FALSE(loaded.status().message().empty());
        ++refused;
        continue;
      }
      EXPECT_LE(loaded->vectors.size() * loaded->vectors.dim(), whole.size());
      const WordVectors& vectors = loaded->vectors;
      for (size_t row = 0; row < vectors.size(); ++row) {
        EXPECT_FALSE(vectors.vocabulary().Word(ToWordId(row)).empty());
        for (const float value : vectors.Vector(ToWordId(row))) {
          ASSERT_TRUE(std::isfinite(value));
        }
      }
    }
    WriteBytes(part, whole);
  }
  EXPECT_GT(refused, 0u);
  omp_set_num_threads(threads);
}

TEST_P(FormatTest, SavingValuesThatAreNotFiniteFailsAndWritesNothing) {
  const std::string folder = TestFolder();
  const std::vector<absl::string_view> words = {"a", "b"};
  VectorFile file;
  file.vectors = *WordVectors::Create(
      *Vocabulary::Create(words, {}),
      PaddedTable(2, 2, {1, 2, 3, std::numeric_limits<float>::infinity()}));
  const absl::Status status = SaveVectorFile(file, PathIn(folder), Name());
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("row 1, value 1: expected a finite"));
  EXPECT_TRUE(NamesIn(folder).empty());
}

struct OddWord {
  const char* name;
  std::string word;
  std::vector<std::string> refused_by;
};

const OddWord kOddWords[] = {
    {"beyond ASCII", "zw\xc3\xb6lf", {}},
    {"end of a sentence", "</s>", {}},
    {"number", "-3.5e7", {}},
    {"no number", "nan", {}},
    {"mark", "<", {}},
    {"long", std::string(5000, 'x'), {}},
    {"empty", "", {}},  // by all
    {"mark for unknown words", "[UNK]", {}},
    {"not UTF-8", "\xff\xfe", {"finalfusion", "model2vec"}},
    {"cut UTF-8", "caf\xc3", {"finalfusion", "model2vec"}},
    {"NUL", std::string("a\0b", 3), {"fasttext"}},
    {"carriage return", "a\r", {"npy", "fasttext"}},
    {"no-break space", "a\xc2\xa0z", {"npy"}},
    {"ideographic space", "\xe3\x80\x80", {"npy"}},
    {"tab", "a\tb", {"npy", "fasttext"}},
    {"tab at the end", "a\t", {"npy", "fasttext", "text", "glove"}},
    {"space", "new york", {"npy", "fasttext", "bin"}},
    {"space at the start", " a", {"npy", "fasttext", "bin", "text", "glove"}},
    {"space at the end", "a ", {"npy", "fasttext", "bin", "text", "glove"}},
    {"space and a number", "room 5", {"npy", "fasttext", "bin", "glove"}},
    {"space and numbers",
     "1 2 -3.5e7 nan",
     {"npy", "fasttext", "bin", "glove"}},
    {"tab and a number", "room\t5", {"npy", "fasttext", "text", "glove"}},
    {"line end",
     "a\nb",
     {"safetensors", "npy", "fasttext", "bin", "text", "glove"}},
    {"only a line end",
     "\n",
     {"safetensors", "npy", "fasttext", "bin", "text", "glove"}},
};

// In the first row, by which formats are told, and in the last.
TEST_P(FormatTest, OddWordsComeBackAsTheyWereOrAreRefused) {
  for (const OddWord& odd : kOddWords) {
    SCOPED_TRACE(odd.name);
    const bool refused =
        odd.word.empty() ||
        std::count(odd.refused_by.begin(), odd.refused_by.end(), Name()) > 0;
    for (const bool first : {true, false}) {
      const std::string folder = TestFolder();
      const VectorFile written = first ? MakeVectors({odd.word, "y", "z"}, 2)
                                       : MakeVectors({"x", "y", odd.word}, 2);
      const auto lost = LostWords(written, Name());
      ASSERT_EQ(lost.status(), absl::OkStatus());
      EXPECT_EQ(lost->size(), refused ? 1u : 0u);
      const absl::Status status =
          SaveVectorFile(written, PathIn(folder), Name());
      if (refused) {
        EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
        EXPECT_THAT(std::string(status.message()),
                    HasSubstr(absl::StrCat(Name(), " cannot hold ")));
        EXPECT_TRUE(NamesIn(folder).empty());
        continue;
      }
      ASSERT_EQ(status, absl::OkStatus());
      const auto loaded = LoadVectorFile(PathIn(folder));
      ASSERT_EQ(loaded.status(), absl::OkStatus());
      ExpectSame(written.vectors, loaded->vectors);
    }
  }
}

TEST_P(FormatTest, NoVectorsAtAllCannotBeSaved) {
  const absl::Status status =
      SaveVectorFile(VectorFile(), PathIn(TestFolder()), Name());
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
}

TEST_P(FormatTest, NoWordsButADimensionRoundTrips) {
  const std::string path = PathIn(TestFolder());
  VectorFile file;
  file.vectors = *WordVectors::Create(Vocabulary(), Matrix<float>(0, 5));
  const absl::Status saved = SaveVectorFile(file, path, Name());
  if (IsGlove()) {  // an empty file would not tell the dimension
    EXPECT_EQ(saved.code(), absl::StatusCode::kInvalidArgument) << saved;
    return;
  }
  ASSERT_EQ(saved, absl::OkStatus());
  const auto loaded = LoadVectorFile(path);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_EQ(loaded->vectors.size(), 0u);
  EXPECT_EQ(loaded->vectors.dim(), 5u);
}

struct NoVectorFile {
  const char* name;
  absl::string_view bytes;
  const char* message;
};

TEST(VectorIoTest, FilesThatAreNoVectorsAreNamed) {
  const NoVectorFile kCases[] = {
      {"empty.bin", "", "found an empty file"},
      {"prose.dat", "hello world\n", "not a vector file of a known"},
      {"prose.txt", "hello world\n", ":1: expected \"<words> <dim>\""},
      {"random.dat", absl::string_view("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16),
       "not a vector file of a known format"},
      {"random.bin", absl::string_view("\x00\x01\x02\x03\xff", 5),
       "byte 0: expected a line \"<words> <dim>\""},
      {"promise.txt", "1000000000000 100\na 1\n",
       ":2: expected 100 values after the word, found 1"},
      {"wide.txt", "2 1000000000000\na 1\n",
       ":1: the header promises 2 rows of 1000000000000 values, found 4 bytes "
       "after it, too few for 1 such row"},
      {"promise.bin", "1000000000000 100\na \x01\x02\x03",
       "the header promises 1000000000000 rows of 100 values"},
      {"overflow.bin", "99999999999999999999999 18446744073709551615\na \x01",
       "the header promises 18446744073709551615 rows"},
      {"no_dim.txt", "3 0\na\n", "expected a dimension above 0"},
      {"no_dim.bin", "3 0\n\x01", "expected a dimension above 0"},
  };
  const std::string folder = TestFolder();
  for (const NoVectorFile& bad : kCases) {
    const std::string path = absl::StrCat(folder, "/", bad.name);
    WriteBytes(path, bad.bytes);
    const absl::Status status = LoadStatus(path);
    EXPECT_THAT(std::string(status.message()), HasSubstr(bad.message))
        << bad.name;
    EXPECT_THAT(std::string(status.message()), StartsWith(path));
    EXPECT_FALSE(DescribeVectorFile(path).ok()) << bad.name;
  }
}

TEST(VectorIoTest, DamagedCompressionIsNamed) {
  const std::string path = TestFolder() + "/v.vec.gz";
  std::string text = "2000 3\n";
  for (int i = 0; i < 2000; ++i)
    absl::StrAppend(&text, "w", i, " 1 2 ", i, "\n");
  const std::string packed = Gzip(text);
  for (size_t bytes = 2; bytes < packed.size(); bytes += 97) {
    WriteBytes(path, packed.substr(0, bytes));
    const absl::Status status = LoadStatus(path);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << bytes << status;
    EXPECT_THAT(std::string(status.message()), StartsWith(path));
  }
  WriteBytes(path, packed + "garbage");
  EXPECT_THAT(LoadMessage(path), HasSubstr("gzip data"));
  std::string changed = packed;
  changed[packed.size() / 2] ^= 0x10;
  WriteBytes(path, changed);
  EXPECT_FALSE(LoadStatus(path).ok());
  // Messages have the lines of what is inside.
  WriteBytes(path, Gzip("2 3\na 1 2 3\nb 1 2\n"));
  EXPECT_THAT(LoadMessage(path), HasSubstr(".vec.gz:3: expected 3 values"));
  WriteBytes(path, Gzip("1 1000000000000\na 1\n"));
  EXPECT_THAT(LoadMessage(path), HasSubstr("the header promises"));
  WriteBytes(path, Gzip(""));
  EXPECT_THAT(LoadMessage(path), HasSubstr("found an empty file"));
}

// What is no vector file at its start is not unpacked to its end.
TEST(VectorIoTest, BombsAreRefused) {
  const std::string folder = TestFolder();
  const std::string path = folder + "/bomb";
  const std::string packed = Gzip(std::string(size_t{8} << 20, '\0'));
  WriteBytes(path, packed);
  EXPECT_THAT(LoadMessage(path), HasSubstr("not a vector file of a known"));
  WriteBytes(path, Gzip("9 9\na ") + packed);
  EXPECT_THAT(LoadMessage(path), HasSubstr("expected row 1"));
  const auto any = [](absl::string_view) { return absl::OkStatus(); };
  EXPECT_EQ(OpenUnpacked(path, any, {}, size_t{8} << 20).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(OpenUnpacked(path, any, {}, size_t{9} << 20)->file->size(),
            (size_t{8} << 20) + 6);
}

TEST(VectorIoTest, MissingFileAndFolderAreNamed) {
  const std::string folder = TestFolder();
  ASSERT_EQ(mkfifo((folder + "/pipe").c_str(), 0600), 0);
  EXPECT_THAT(LoadMessage(folder + "/pipe"), HasSubstr("but a pipe"));
  EXPECT_EQ(LoadStatus(folder + "/none").code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(LoadMessage(folder),
              HasSubstr("not a regular file but a folder"));
}

TEST(VectorIoTest, FormatIsChosenByNameThenByExtension) {
  EXPECT_EQ(*ChooseVectorFormat("x.bin", ""), "bin");
  EXPECT_EQ(*ChooseVectorFormat("x.VEC", ""), "text");
  EXPECT_EQ(*ChooseVectorFormat("x.bin", "npy"), "npy");
  EXPECT_EQ(*ChooseVectorFormat("x.bin/", ""), "model2vec");
  EXPECT_THAT(ChooseVectorFormat("x.doc", "").status().message(),
              HasSubstr("text (.txt .vec)"));
  EXPECT_THAT(ChooseVectorFormat("x.bin", "pickle").status().message(),
              HasSubstr("\"pickle\""));
}

TEST(VectorIoTest, FormatsSayWhatTheyAre) {
  for (const VectorFormatInfo& info : VectorFormats()) {
    EXPECT_FALSE(info.summary.empty());
  }
}

TEST(VectorIoTest, DuplicatesAreAnErrorThatNamesBothPlaces) {
  const std::string path = TestFolder() + "/v.txt";
  WriteBytes(path, "4 1\na 1\nb 2\na 3\nc 4\n");
  EXPECT_EQ(
      LoadStatus(path).message(),
      absl::StrCat(path, ":4: duplicate word \"a\", which is also at ", path,
                   ":2; \"duplicates\": \"first\" keeps the first one"));
  const auto kept = LoadVectorFile(
      path, {.format = "", .duplicates = DuplicateWords::kKeepFirst});
  ASSERT_EQ(kept.status(), absl::OkStatus());
  EXPECT_THAT(WordsOf(*kept), ElementsAre("a", "b", "c"));
  EXPECT_THAT(*kept->vectors.Find("a"), ElementsAre(1));
  EXPECT_THAT(*kept->vectors.Find("c"), ElementsAre(4));
}

TEST(VectorIoTest, VectorsOutliveTheirFile) {
  const std::string folder = TestFolder();
  const std::string path = folder + "/v.safetensors";
  const VectorFile written = MakeVectors({"a", "b"}, 2);
  ASSERT_EQ(SaveVectorFile(written, path, ""), absl::OkStatus());
  const auto loaded = LoadVectorFile(path);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  // A new file under the name, and none: the mapping holds the old one.
  ASSERT_EQ(SaveVectorFile(MakeVectors({"z"}, 9), path, ""), absl::OkStatus());
  ASSERT_EQ(std::remove(path.c_str()), 0);
  ExpectSameVectors(written.vectors, loaded->vectors);
}

}  // namespace
}  // namespace firth
