#include <string>

#include "firth/vocabulary.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(VocabularyFileTest, ComesBackAsItWas) {
  const TempFolder folder;
  const std::string path = folder.File("words");
  const std::string nul("a\0b", 3);
  const auto vocabulary = Vocabulary::Create(
      {"the", "\xFF\xFE", nul, "7", "caf\xC3\xA9"}, {9, 7, 7, 1, 0});
  ASSERT_TRUE(SaveVocabulary(*vocabulary, path).ok());
  EXPECT_EQ(ReadWholeFile(path).substr(0, 6), "the 9\n");
  const auto loaded = LoadVocabulary(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_EQ(loaded->size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(loaded->Word(ToWordId(i)), vocabulary->Word(ToWordId(i)));
  }
  EXPECT_THAT(loaded->counts(), ElementsAre(9, 7, 7, 1, 0));
}

struct GoodCase {
  const char* name;
  const char* text;
};

constexpr GoodCase kGoodCases[] = {
    {"spaces", "one 10\ntwo 3\n"},
    {"tabs", "one\t10\ntwo\t3\n"},
    {"many spaces", "  one   10  \ntwo 3\t\n"},
    {"windows", "one 10\r\ntwo 3\r\n"},
    {"no last newline", "one 10\ntwo 3"},
};

TEST(VocabularyFileTest, ReadsWordsAndCounts) {
  const TempFolder folder;
  for (const GoodCase& c : kGoodCases) {
    const auto loaded = LoadVocabulary(folder.Write("words", c.text));
    ASSERT_TRUE(loaded.ok()) << c.name << ": " << loaded.status();
    ASSERT_EQ(loaded->size(), 2u) << c.name;
    EXPECT_EQ(loaded->Word(ToWordId(0)), "one") << c.name;
    EXPECT_THAT(loaded->counts(), ElementsAre(10, 3)) << c.name;
  }
}

TEST(VocabularyFileTest, ReadsWordsWithoutCounts) {
  const TempFolder folder;
  const auto loaded = LoadVocabulary(folder.Write("words", "one\n2\nthree\n"));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->Word(ToWordId(1)), "2");
  EXPECT_EQ(loaded->total_count(), 0u);
}

struct BadCase {
  const char* text;
  const char* message;
};

constexpr BadCase kBadCases[] = {
    {"", "/words: expected one word per line, found an empty file"},
    {"one 1\ntwo\n",
     "/words:2: expected a word and its count, as in line 1, found \"two\""},
    {"one\ntwo 2\n",
     "/words:2: expected a word without a count, as in line 1, found "
     "\"two 2\""},
    {"one 1\ntwo 2\none 3\n",
     "/words:3: duplicate word \"one\", which is also in line 1"},
    {"one 1\n\ntwo 2\n",
     "/words:2: expected a word, or a word and its count, found \"\""},
    {"one two 3\n",
     "/words:1: expected a word, or a word and its count, found \"one two 3\""},
    {"one -1\n", "/words:1: expected a count from 0 to 2^64 - 1, found \"-1\""},
    {"one 1.5\n",
     "/words:1: expected a count from 0 to 2^64 - 1, found \"1.5\""},
    {"one 99999999999999999999\n",
     "/words:1: expected a count from 0 to 2^64 - 1, found "
     "\"99999999999999999999\""},
};

TEST(VocabularyFileTest, SaysWhatIsWrongAndWhere) {
  const TempFolder folder;
  for (const BadCase& c : kBadCases) {
    const auto loaded = LoadVocabulary(folder.Write("words", c.text));
    EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(loaded.status().message(), folder.path() + c.message);
  }
  EXPECT_EQ(LoadVocabulary(folder.File("none")).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(VocabularyFileTest, RefusesWordsThatWouldNotComeBack) {
  const TempFolder folder;
  const std::string path = folder.Write("words", "old");
  for (const char* word : {"two words", "", "wide\xE3\x80\x80space", "a\n"}) {
    const auto vocabulary = Vocabulary::Create({"fine", word}, {});
    const absl::Status status = SaveVocabulary(*vocabulary, path);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("entry 1, "));
  }
  EXPECT_EQ(ReadWholeFile(path), "old");
}

TEST(VocabularyFileTest, NamesAMissingFolder) {
  const auto vocabulary = Vocabulary::Create({"word"}, {});
  EXPECT_EQ(SaveVocabulary(*vocabulary, "/no/such/folder/words").code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace firth
