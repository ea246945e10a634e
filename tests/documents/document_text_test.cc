// Documents and their tags as they are read.

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "firth/documents.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/read_plans.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Warnings : public ProgressSink {
 public:
  void OnWarning(absl::string_view message) override {
    all.emplace_back(message);
  }
  std::vector<std::string> all;
};

absl::StatusOr<Documents> ReadText(absl::string_view text, DocumentTags tags,
                                   uint64_t min_count = 1,
                                   ProgressSink* progress = nullptr) {
  DocumentTextOptions options;
  options.corpus.text = text;
  options.corpus.threads = 2;
  options.vocabulary.min_count = min_count;
  options.tags = tags;
  return ReadDocuments(options, {progress});
}

// The tags of each document.
std::vector<std::vector<std::string>> TagsOf(const Documents& documents) {
  std::vector<std::vector<std::string>> all;
  for (size_t i = 0; i < documents.size(); ++i) {
    auto& tags = all.emplace_back();
    for (uint64_t at = documents.tag_begins[i];
         at < documents.tag_begins[i + 1]; ++at) {
      tags.emplace_back(documents.tags.Word(ToWordId(documents.tag_ids[at])));
    }
  }
  return all;
}

TEST(DocumentTextTest, TheTagOfADocumentIsItsLine) {
  Warnings warnings;
  const auto read =
      ReadText("a b\n\nrare\na a b\n\nb", DocumentTags::kLine, 2, &warnings);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(TextOf(read->corpus), "a b\n\n\na a b\n\nb\n");
  EXPECT_THAT(TagsOf(*read), ElementsAre(ElementsAre("1"), ElementsAre("2"),
                                         ElementsAre("3"), ElementsAre("4"),
                                         ElementsAre("5"), ElementsAre("6")));
  ASSERT_THAT(warnings.all, SizeIs(1));
  EXPECT_THAT(warnings.all[0],
              HasSubstr("3 documents have no word of the vocabulary, the first "
                        "of them in line 2"));
}

TEST(DocumentTextTest, TheFirstColumnHasTags) {
  Warnings warnings;
  const auto read =
      ReadText("\xEF\xBB\xBFsport  news\ta b\tc\nnews\t\nsport sport\ta\r\n",
               DocumentTags::kColumn, 1, &warnings);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(TextOf(read->corpus), "a b c\n\na\n");
  EXPECT_THAT(TagsOf(*read),
              ElementsAre(ElementsAre("sport", "news"), ElementsAre("news"),
                          ElementsAre("sport")));
  EXPECT_THAT(CountsOf(read->tags),
              ElementsAre(std::pair<std::string, uint64_t>("sport", 2),
                          std::pair<std::string, uint64_t>("news", 2)));
  ASSERT_THAT(warnings.all, SizeIs(1));
  EXPECT_THAT(warnings.all[0], HasSubstr("1 document has no word of the "
                                         "vocabulary, in line 2"));
}

// Blocks of a text are 64 KiB if there is little memory; lines of all lengths
// are cut by their boundaries.
TEST(DocumentTextTest, BoundariesOfBlocksChangeNothing) {
  Rng rng(5);
  std::string text;
  std::vector<std::vector<std::string>> tags;
  std::string words;
  while (text.size() < 2000000) {
    auto& of_line = tags.emplace_back();
    const uint32_t count = 1 + rng.Below(3);
    for (uint32_t i = 0; i < count; ++i) {
      of_line.push_back(absl::StrCat("t", i, "-", rng.Below(50)));
      absl::StrAppend(&text, i > 0 ? " " : "", of_line.back());
    }
    text += "\t";
    const uint32_t length =
        rng.Below(40) == 0 ? rng.Below(60000) : rng.Below(9);
    for (uint32_t i = 0; i < length; ++i) {
      const std::string word = absl::StrCat("w", rng.Below(100));
      absl::StrAppend(&text, i > 0 ? " " : "", word);
      absl::StrAppend(&words, i > 0 ? " " : "", word);
    }
    text += "\n";
    words += "\n";
  }
  const TempFolder folder;
  DocumentTextOptions options;
  options.corpus.inputs = {folder.Write("t.tsv", text)};
  options.corpus.memory_bytes = 1 << 20;
  options.vocabulary.min_count = 1;
  options.tags = DocumentTags::kColumn;
  for (const int threads : {1, 3}) {
    options.corpus.threads = threads;
    const auto read = ReadDocuments(options);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(TagsOf(*read), tags);
    EXPECT_EQ(TextOf(read->corpus), words);
  }
}

struct BadText {
  const char* name;
  std::string text;
  DocumentTags tags;
  std::string message;
};

TEST(DocumentTextTest, SaysWhichLineIsBad) {
  const std::string longest(kMostDocumentBytes, 'x');
  const std::vector<BadText> cases = {
      {"no tab", "a\tb\nno tab here\n", DocumentTags::kColumn,
       "text:2: expected tags, a tab and the text, found no tab in \"no tab "
       "here\""},
      {"blank", "a\tb\n\n", DocumentTags::kColumn, "text:2: expected tags"},
      {"no tag", "a\tb\na\tb\n \tb\n", DocumentTags::kColumn,
       "text:3: expected a tag before the tab"},
      {"too long", "a\n" + longest + " y\n", DocumentTags::kLine,
       "text:2: the document is longer than 1,048,576 bytes"},
      {"no text", "", DocumentTags::kLine, "contains no tokens"},
      {"no words", " \n\n", DocumentTags::kLine, "contains no tokens"}};
  for (const BadText& bad : cases) {
    SCOPED_TRACE(bad.name);
    const auto read = ReadText(bad.text, bad.tags);
    EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(read.status().message()), HasSubstr(bad.message));
  }
  std::string whole = longest;
  for (size_t i = 1; i < whole.size(); i += 2) whole[i] = ' ';
  EXPECT_TRUE(ReadText(whole + "\n", DocumentTags::kLine).ok());
}

TEST(DocumentTextTest, DocumentsInMemoryGetTheTagsOfTheCaller) {
  const std::vector<std::vector<std::string>> words = {
      {"a", "b"}, {}, {"rare"}, {"b", "a"}};
  CorpusOptions options;
  options.sentences = SentencesIn(words);
  const auto corpus = ReadDocumentCorpus(options, {.min_count = 2});
  ASSERT_TRUE(corpus.ok()) << corpus.status();
  const auto tagged = AddTags(*corpus, {{"x", "y"}, {}, {"y"}, {"z"}});
  ASSERT_TRUE(tagged.ok()) << tagged.status();
  EXPECT_EQ(TextOf(tagged->corpus), "a b\n\n\nb a\n");
  EXPECT_THAT(TagsOf(*tagged), ElementsAre(ElementsAre("x", "y"), IsEmpty(),
                                           ElementsAre("y"), ElementsAre("z")));
  EXPECT_THAT(std::string(AddTags(*corpus, {{"x"}, {"y"}}).status().message()),
              HasSubstr("tags: expected those of 4 documents, found 2"));
  EXPECT_THAT(
      std::string(
          AddTags(*corpus, {{"x"}, {"y"}, {""}, {"z"}}).status().message()),
      HasSubstr("a tag of document 3 is empty"));
}

}  // namespace
}  // namespace firth
