#include <limits>
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
using testing_io::LoadStatus;
using testing_io::MakeVectors;
using testing_io::Raw;
using testing_io::ReadBytes;
using testing_io::TestFolder;
using testing_io::WordsOf;
using testing_io::WriteBytes;

TEST(Word2vecBinaryFormatTest, LayoutIsThatOfWord2vec) {
  const std::string path = TestFolder() + "/v.bin";
  const VectorFile file = MakeVectors({"a", "bc"}, 1);
  ASSERT_EQ(SaveVectorFile(file, path, ""), absl::OkStatus());
  EXPECT_EQ(
      ReadBytes(path),
      absl::StrCat("2 1\na ", Raw(file.vectors.Vector(WordId{0})[0]), "\nbc ",
                   Raw(file.vectors.Vector(WordId{1})[0]), "\n"));
}

TEST(Word2vecBinaryFormatTest, ReadsRowsWithoutNewlines) {
  const std::string path = TestFolder() + "/v";
  WriteBytes(path, absl::StrCat("2 2\na ", Raw(1.0f), Raw(2.0f), "b ",
                                Raw(3.0f), Raw(4.0f)));
  const auto loaded = LoadVectorFile(path);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_THAT(WordsOf(*loaded), ElementsAre("a", "b"));
  EXPECT_THAT(*loaded->vectors.Find("b"), ElementsAre(3, 4));
}

TEST(Word2vecBinaryFormatTest, ValuesMayHoldTheBytesOfSpaceAndNewline) {
  const std::string path = TestFolder() + "/v.bin";
  const std::string spaces = "  \n\n\n   ";
  WriteBytes(path, absl::StrCat("2 2\na ", spaces, "\nb ", spaces, "\n"));
  const auto loaded = LoadVectorFile(path);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_THAT(WordsOf(*loaded), ElementsAre("a", "b"));
}

struct BadBinary {
  const char* name;
  std::string bytes;
  const char* message;
  absl::StatusCode code = absl::StatusCode::kDataLoss;
};

TEST(Word2vecBinaryFormatTest, CorruptBytesAreNamed) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const BadBinary kCases[] = {
      {"newline in a word", absl::StrCat("1 1\na\nb ", Raw(1.0f), "\n"),
       "byte 4: expected the word of row 0, found \"a\\nb \""},
      {"no word", absl::StrCat("1 1\n a", Raw(1.0f), "\n"),
       "byte 9: expected the end of the file after row 0, found 2 bytes"},
      {"last newline lacks",
       absl::StrCat("2 1\na ", Raw(1.5f), "\nb ", Raw(1.5f)),
       "byte 17: expected a line end after the last row"},
      {"a row more",
       absl::StrCat("1 1\na ", Raw(1.5f), "\nb ", Raw(1.5f), "\n"),
       "byte 11: expected the end of the file after row 0, found 7 bytes"},
      {"no space after the word",
       absl::StrCat("2 1\na ", Raw(1.5f), "\nbcdefgh"),
       "byte 11: expected row 1, a word, a space and 4 bytes, found 7 bytes"},
      {"nan", absl::StrCat("1 1\na ", Raw(nan), "\n"),
       "row 0: value 1 of word \"a\": expected a finite number, found nan",
       absl::StatusCode::kInvalidArgument},
      {"duplicate", absl::StrCat("2 1\na ", Raw(1.5f), "\na ", Raw(1.5f), "\n"),
       "v.bin: row 1: duplicate word \"a\", which is also at ",
       absl::StatusCode::kInvalidArgument}};
  const std::string path = TestFolder() + "/v.bin";
  for (const BadBinary& bad : kCases) {
    SCOPED_TRACE(bad.name);
    WriteBytes(path, bad.bytes);
    const absl::Status status = LoadStatus(path);
    EXPECT_EQ(status.code(), bad.code);
    EXPECT_THAT(std::string(status.message()), HasSubstr(bad.message));
  }
}

TEST(Word2vecBinaryFormatTest, WordsWithSpacesAreRefused) {
  EXPECT_EQ(SaveVectorFile(MakeVectors({"a b"}, 1), TestFolder() + "/v.bin", "")
                .code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace firth
