#include "corpus/byte_source.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/run_program.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::HasSubstr;

struct ContentCase {
  const char* name;
  std::string content;
  std::string found;  // empty: it is text
};

// "abc" as UTF-16 has it.
std::string Wide(const std::string& text) {
  std::string wide;
  for (const char c : text) wide += {c, '\0'};
  return wide;
}

// Each control character up to `last` once.
std::string Controls(char last) {
  std::string text = "some words";
  for (char c = 1; c <= last; ++c) text += {c, ' '};
  return text;
}

class BinaryContentTest : public testing::TestWithParam<ContentCase> {};

TEST_P(BinaryContentTest, IsToldFromText) {
  const absl::Status status = CheckIsText("c.txt", GetParam().content);
  EXPECT_EQ(status.ok(), GetParam().found.empty()) << status;
  if (status.ok()) return;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("c.txt: expected text, found " + GetParam().found));
}

INSTANTIATE_TEST_SUITE_P(
    All, BinaryContentTest,
    testing::Values(
        ContentCase{"Nothing", "", ""},
        ContentCase{"Text", "one two\r\n\tthree\n", ""},
        ContentCase{"Latin1", "caf\xe9 \xfc\xff\n", ""},
        ContentCase{"SomeNul", std::string("a\nb\0 c\0d\nb\0 e\n", 14), ""},
        ContentCase{"DividedByControls", "a\1b\2c\3\nd\1e\2f\n", ""},
        ContentCase{"ColoursOfATerminal", "\x1b[1mbold\x1b[0m\b\n", ""},
        ContentCase{"Utf16", Wide("some words"), "10 NUL bytes among the"},
        ContentCase{"ManyControls", Controls('\x1f'), "a binary file"},
        ContentCase{"LateInALongText",
                    std::string(kBinaryHeadBytes, 'a') + Controls('\x1f'), ""},
        ContentCase{"Safetensors",
                    std::string("\x09\0\0\0\0\0\0\0{\"a\": 1}", 17),
                    "a safetensors file"},
        ContentCase{"Hdf5", "\x89HDF\r\n\x1a\n", "an HDF5 file"}),
    [](const auto& info) { return info.param.name; });

TEST(BinaryContentTest, AllFormatsOfVectorsAreTextOrRefused) {
  const std::string folder = MakeTestFolder();
  std::vector<std::string> words;
  for (int i = 0; i < 100; ++i) words.push_back(absl::StrCat("w", i));
  const WordVectors vectors =
      MakeVectors(words, RandomFloats(100 * 16, 1), 16, 16);
  for (const VectorFormatInfo& format : VectorFormats()) {
    if (!format.holds_words) continue;  // of n-grams, as text
    std::string path = absl::StrCat(folder, "/v-", format.name);
    ASSERT_TRUE(SaveVectorFile({vectors, {}, {}, {}}, path, format.name).ok());
    if (!format.folder_files.empty()) {
      absl::StrAppend(&path, "/", format.folder_files.front());
    }
    const bool text = format.name == "text" || format.name == "glove";
    EXPECT_EQ(CheckIsText(path, ReadWholeFile(path)).ok(), text) << format.name;
  }
}

}  // namespace
}  // namespace firth
