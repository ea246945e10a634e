#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_io::LoadMessage;
using testing_io::LoadStatus;
using testing_io::MakeVectors;
using testing_io::PaddedTable;
using testing_io::Raw;
using testing_io::ReadBytes;
using testing_io::TestFolder;
using testing_io::WordsOf;
using testing_io::WriteBytes;

std::string File(absl::string_view json, absl::string_view data) {
  return absl::StrCat(Raw(uint64_t{json.size()}), json, data);
}

// Two words of one dimension, and the words.
constexpr char kJson[] =
    R"({"input":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
    R"("vocabulary":{"dtype":"U8","shape":[4],"data_offsets":[8,12]}})";
std::string Data() { return absl::StrCat(Raw(1.5f), Raw(2.5f), "a\nb\n"); }

TEST(SafetensorsFormatTest, TablesStartAtAMultipleOf64AndCountsOf8) {
  const std::string path = TestFolder() + "/v.safetensors";
  const std::vector<absl::string_view> words = {"a", "b", "c"};
  VectorFile file;
  file.vectors = *WordVectors::Create(*Vocabulary::Create(words, {5, 4, 3}),
                                      PaddedTable(3, 1, {1.5f, 2.5f, 3.5f}));
  ASSERT_EQ(SaveVectorFile(file, path, ""), absl::OkStatus());
  const std::string bytes = ReadBytes(path);
  uint64_t length;
  std::memcpy(&length, bytes.data(), sizeof(length));
  const size_t counts_at = 8 + length;
  EXPECT_EQ(counts_at % 8, 0u);
  EXPECT_EQ(bytes.substr(counts_at, 8), Raw(int64_t{5}));
  EXPECT_EQ((counts_at + 24) % 64, 0u);
  EXPECT_EQ(bytes.substr(counts_at + 24),
            absl::StrCat(Raw(1.5f), Raw(2.5f), Raw(3.5f), "a\nb\nc\n"));
}

TEST(SafetensorsFormatTest, MetadataSayWhoWroteIt) {
  const std::string path = TestFolder() + "/v.safetensors";
  VectorFile file = MakeVectors({"a"}, 1);
  file.metadata = {{"loss", "ns"}, {"path", "\xff"}};
  ASSERT_EQ(SaveVectorFile(file, path, ""), absl::OkStatus());
  const auto info = DescribeVectorFile(path);
  ASSERT_EQ(info.status(), absl::OkStatus());
  EXPECT_EQ(info->metadata.at("format"), "firth");
  EXPECT_EQ(info->metadata.at("format_version"), "1");
  EXPECT_EQ(info->metadata.at("firth_version"), FIRTH_VERSION);
  EXPECT_EQ(info->metadata.at("loss"), "ns");
  EXPECT_EQ(info->metadata.at("path"), "\xef\xbf\xbd");
  EXPECT_FALSE(info->has_counts);
}

TEST(SafetensorsFormatTest, OnlyNewerVersionsOfFirthAreRejected) {
  const std::string path = TestFolder() + "/v.safetensors";
  const auto status_of = [&](absl::string_view metadata) {
    const std::string json = absl::StrReplaceAll(
        kJson, {{"{\"input\"", absl::StrCat("{\"__metadata__\": ", metadata,
                                            ", \"input\"")}});
    EXPECT_NE(json, kJson);
    WriteBytes(path, File(json, Data()));
    return LoadVectorFile(path).status();
  };
  EXPECT_TRUE(status_of(R"({"format": "firth"})").ok());
  EXPECT_TRUE(status_of(R"({"format": "firth", "format_version": "1"})").ok());
  EXPECT_TRUE(status_of(R"({"format": "pt", "format_version": "2"})").ok());
  const absl::Status newer =
      status_of(R"({"format": "firth", "format_version": "2"})");
  EXPECT_EQ(newer.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(newer.message(),
            path +
                ": expected a .safetensors file of Firth of at most version "
                "1, found version 2, written by a newer version of Firth; "
                "upgrade Firth to read it");
  const absl::Status odd =
      status_of(R"({"format": "firth", "format_version": "new"})");
  EXPECT_EQ(odd.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(odd.message(),
              HasSubstr("metadata \"format_version\": expected a number from 1 "
                        "up, found \"new\""));
}

TEST(SafetensorsFormatTest, ReadsForeignFilesWithOneTable) {
  const std::string path = TestFolder() + "/v.safetensors";
  // Another name, and a header that leaves the floats unaligned.
  const std::string json =
      absl::StrReplaceAll(kJson, {{"input", "embeddings"}});
  for (const std::string padding : {"", " ", "  ", "   "}) {
    WriteBytes(path, File(json + padding, Data()));
    const auto loaded = LoadVectorFile(path);
    ASSERT_EQ(loaded.status(), absl::OkStatus());
    EXPECT_THAT(WordsOf(*loaded), ElementsAre("a", "b"));
    EXPECT_THAT(*loaded->vectors.Find("b"), ElementsAre(2.5f));
  }
}

struct Change {
  const char* name;
  const char* from;
  const char* to;
  const char* message;
};

TEST(SafetensorsFormatTest, HeadersThatMakeNoSenseAreRefused) {
  constexpr Change kChanges[] = {
      {"no JSON", R"("shape":[2,1])", R"("shape":[2,1)", "a JSON object"},
      {"hole", "[8,12]", "[9,13]", "expected offsets [8, 12], found [9, 13]"},
      {"overlap", "[8,12]", "[4,8]", "expected offsets [8, 12], found [4, 8]"},
      {"offsets for another shape", "[2,1]", "[3,1]",
       "\"input\": expected offsets [0, 12], found [0, 8]"},
      {"size that overflows", "[2,1]", "[4611686018427387905,4]",
       "expected offsets [0, 18446744073709551615]"},
      {"negative size", "[2,1]", "[-2,1]", "dtype, shape and data_offsets"},
      {"no dtype", R"("dtype":"F32",)", "", "dtype, shape and data_offsets"},
      {"unknown type", "F32", "F31", "expected a known type, found \"F31\""},
      {"other type", R"(F32","shape":[2,1])", R"(I32","shape":[2,1])",
       "\"input\": expected F32, F16 or I8 [words, dim], found I32 [2, 1]"},
      {"no table", "[2,1]", "[2]",
       "expected F32, F16 or I8 [words, dim], found F32 [2]"},
      {"no words", "vocabulary", "words",
       "\"vocabulary\": expected U8 [bytes]"},
      {"words of another type", "U8", "I8", "\"vocabulary\": expected U8"},
      {"rows and words differ", "[2,1]", "[1,2]",
       "expected 1 words, one for each row of \"input"},
      {"metadata no object", R"({"input")", R"({"__metadata__":1,"input")",
       "expected an object named __metadata__"},
      {"metadata no string", R"({"input")",
       R"({"__metadata__":{"a":1},"input")", "expected a string as metadata"},
      {"data too short", "[4],\"data_offsets\":[8,12]",
       "[5],\"data_offsets\":[8,13]", "expected 13 bytes of data after the"},
      {"data too long", "[4],\"data_offsets\":[8,12]",
       "[3],\"data_offsets\":[8,11]", "expected 11 bytes of data after the"},
      {"bias without output", R"({"input")",
       R"({"output_bias":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"input")",
       "\"output\": expected a table together with \"output_bias\""},
      {"counts of another length", R"({"input")",
       R"({"counts":{"dtype":"I64","shape":[0],"data_offsets":[0,0]},"input")",
       "\"counts\": expected I64 [2], found I64 [0]"},
      {"output of another dim", R"({"input")",
       R"({"output":{"dtype":"F32","shape":[0,3],"data_offsets":[0,0]},"input")",
       "\"output\": expected F32 [rows, 1], found F32 [0, 3]"},
  };
  const std::string path = TestFolder() + "/v.safetensors";
  WriteBytes(path, File(kJson, Data()));
  ASSERT_EQ(LoadStatus(path), absl::OkStatus());
  for (const Change& change : kChanges) {
    SCOPED_TRACE(change.name);
    const std::string json =
        absl::StrReplaceAll(kJson, {{change.from, change.to}});
    ASSERT_NE(json, kJson);
    WriteBytes(path, File(json, Data()));
    const absl::Status status = LoadStatus(path);
    EXPECT_FALSE(status.ok());
    EXPECT_THAT(std::string(status.message()), HasSubstr(change.message));
  }
}

TEST(SafetensorsFormatTest, DataThatMakeNoSenseAreRefused) {
  const std::string path = TestFolder() + "/v.safetensors";
  const std::string values = Raw(1.5f) + Raw(2.5f);
  const std::pair<const char*, const char*> kWords[] = {
      {"a\nbc", "expected a word with a line end, found \"bc\""},
      {"\na\nb", "expected a word with a line end, found \"\""},
      {"abc\n", "expected 2 words, one for each row of \"input\", found 1"},
      {"a\na\n", "row 1: duplicate word \"a\", which is also at "}};
  for (const auto& [words, message] : kWords) {
    WriteBytes(path, File(kJson, values + words));
    EXPECT_THAT(LoadMessage(path), HasSubstr(message));
  }
  WriteBytes(path, File(kJson, Raw(1.5f) + Raw(0x7fc00000u) + "a\nb\n"));
  EXPECT_THAT(LoadMessage(path),
              HasSubstr("row 1: value 1 of word \"b\": expected a finite"));
}

TEST(SafetensorsFormatTest, LengthsBeyondTheFileOrTheLimitAreRefused) {
  const std::string path = TestFolder() + "/v.safetensors";
  for (const uint64_t length :
       {uint64_t{1000}, uint64_t{100'000'001}, ~uint64_t{0}}) {
    WriteBytes(path, absl::StrCat(Raw(length), kJson, Data()));
    const absl::Status status = LoadStatus(path);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(absl::StrCat("found length ", length)));
  }
}

TEST(SafetensorsFormatTest, TwoTablesWithoutTheNameInputAreNamed) {
  const std::string path = TestFolder() + "/v.safetensors";
  WriteBytes(
      path,
      File(R"({"x":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]},)"
           R"("y":{"dtype":"F32","shape":[1,1],"data_offsets":[4,8]},)"
           R"("vocabulary":{"dtype":"U8","shape":[4],"data_offsets":[8,12]}})",
           Data()));
  EXPECT_THAT(LoadMessage(path), HasSubstr("found \"x\" and \"y\""));
}

TEST(SafetensorsFormatTest, DuplicatesAreKeptOnlyWhereNoOutputNeedsThem) {
  const std::string path = TestFolder() + "/v.safetensors";
  const LoadOptions keep = {.format = "",
                            .duplicates = DuplicateWords::kKeepFirst};
  const std::string data = Raw(1.5f) + Raw(2.5f) + "a\na\n";
  WriteBytes(path, File(kJson, data));
  const auto loaded = LoadVectorFile(path, keep);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_THAT(WordsOf(*loaded), ElementsAre("a"));
  WriteBytes(path,
             File(absl::StrReplaceAll(
                      kJson, {{R"({"input")",
                               R"({"output":{"dtype":"F32","shape":[0,1],)"
                               R"("data_offsets":[0,0]},"input")"}}),
                  data));
  EXPECT_FALSE(LoadVectorFile(path, keep).ok());
}

}  // namespace
}  // namespace firth
