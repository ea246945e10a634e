#include "firth/tagged_text.h"

#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::HasSubstr;

// "token/tag token/tag|token/tag", a sentence after another.
std::string Show(const std::vector<TaggedSentence>& sentences) {
  std::vector<std::string> shown;
  for (const TaggedSentence& sentence : sentences) {
    std::vector<std::string> tokens = sentence.tokens;
    for (size_t i = 0; i < sentence.tags.size(); ++i) {
      tokens[i] += "/" + sentence.tags[i];
    }
    shown.push_back(absl::StrJoin(tokens, " "));
  }
  return absl::StrJoin(shown, "|");
}

struct ReadCase {
  const char* name;
  TextForm form;
  absl::string_view text;
  const char* shown;
};

// A comment, a multi-word token, an empty node before and behind, a token with
// a space.
constexpr char kConllu[] =
    "# sent_id = 1\n"
    "# text = Let's go\n"
    "0.1\t_\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1-2\tLet's\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tLet\tlet\tVERB\tVB\t_\t0\troot\t_\t_\n"
    "2\t's\twe\tPRON\tPRP\t_\t1\tobj\t_\t_\n"
    "3\tgo\tgo\tVERB\tVB\t_\t1\txcomp\t_\tEnd=Yes\n"
    "3.1\t_\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "\n"
    "# text = 10 000\n"
    "1\t10 000\t10000\tNUM\tCD\t_\t0\troot\t_\t_\n"
    "\n";

constexpr ReadCase kRead[] = {
    {"columns", TextForm::kColumns, "a DT B\nb NN I\n\nc X O\n", "a/B b/I|c/O"},
    {"no last line end", TextForm::kColumns, "a B\n\nc O", "a/B|c/O"},
    {"many empty lines", TextForm::kColumns, "\n\na B\n\n \n\nc O\n\n\n",
     "a/B|c/O"},
    {"tabs, tokens with spaces", TextForm::kColumns, "new york\tNNP\tB\n",
     "new york/B"},
    {"Windows", TextForm::kColumns, "a B\r\n\r\nc O\r\n", "a/B|c/O"},
    {"a byte order mark", TextForm::kColumns,
     "\xEF\xBB\xBF"
     "a B\n",
     "a/B"},
    {"invalid UTF-8", TextForm::kColumns, "\xff\xfe B\n", "\xff\xfe/B"},
    {"columns of which some start with #", TextForm::kColumns,
     "# NN\n#1 CD\n\nb NN\n", "#/NN #1/CD|b/NN"},
    {"nothing but lines that start with #", TextForm::kColumns, "# NN\n\n# B\n",
     "#/NN|#/B"},
    {"ten columns that are no CoNLL-U", TextForm::kColumns,
     "a\t2\t3\t4\t5\t6\t7\t8\t9\tB\n", "a/B"},
    {"CoNLL-U by its content", TextForm::kColumns, kConllu,
     "Let/VERB 's/PRON go/VERB|10 000/NUM"},
    {"CoNLL-U", TextForm::kConllu, kConllu,
     "Let/VERB 's/PRON go/VERB|10 000/NUM"},
    {"slashes", TextForm::kSlashes, "a/DT b/NN\n1/2/CD ,/, //:\n",
     "a/DT b/NN|1/2/CD ,/, //:"},
    {"text", TextForm::kText, "a/b  c\td\nlast", "a/b c d|last"},
};

TEST(SplitTokensTest, TokensStandBetweenWhiteSpaceOfAnyKind) {
  EXPECT_THAT(SplitTokens(" a\tb/X\u3000c\u00a0 "),
              testing::ElementsAre("a", "b/X", "c"));
  EXPECT_THAT(SplitTokens(" "), testing::IsEmpty());
}

TEST(TaggedTextTest, IsRead) {
  const TempFolder folder;
  for (const ReadCase& test : kRead) {
    const std::string path = folder.Write("text", test.text);
    const auto sentences =
        ReadTaggedText({.inputs = {path}, .form = test.form});
    ASSERT_EQ(sentences.status(), absl::OkStatus()) << test.name;
    EXPECT_EQ(Show(*sentences), test.shown) << test.name;
  }
}

struct BadCase {
  const char* name;
  TextForm form;
  absl::string_view text;
  const char* message;  // behind the path
};

constexpr BadCase kBad[] = {
    {"empty", TextForm::kColumns, "", ": the input contains no tokens"},
    {"UTF-16",
     TextForm::kText,
     {"a\0b\0\n\0", 6},
     ": expected text, found 3 NUL bytes among the first 6"},
    {"only empty lines", TextForm::kText, "\n\n",
     ": the input contains no tokens"},
    {"the tag lacks", TextForm::kColumns, "a B\nb\n",
     ":2: expected at least 2 columns, found 1 in \"b\""},
    {"an empty column", TextForm::kColumns, "a\tB\n\tB\n",
     ":2: expected text in column 1"},
    {"no ID of CoNLL-U", TextForm::kConllu, "# x\na\tb\tc\td\n",
     ":2: expected an ID of CoNLL-U, such as 7, 7-8 or 7.1, in column 1, or a "
     "comment, found \"a"},
    {"too few columns of CoNLL-U", TextForm::kConllu, "1\tb\tc\n",
     ":1: expected 10 columns of CoNLL-U, found 3 in \"1"},
    {"too many columns of CoNLL-U", TextForm::kConllu,
     "1\t2\t3\t4\t5\t6\t7\t8\t9\t10\t11\n",
     ":1: expected 10 columns of CoNLL-U, found 11 in \"1"},
    {"a short multi-word token", TextForm::kConllu, "# x\n1-2\tb\n",
     ":2: expected 10 columns of CoNLL-U, found 2 in \"1-2"},
    {"a short empty node in CoNLL-U by its content", TextForm::kColumns,
     "1\t2\t3\t4\t5\t6\t7\t8\t9\t10\n1.1\tb\n",
     ":2: expected 10 columns of CoNLL-U, found 2 in \"1.1"},
    {"a held line", TextForm::kColumns, "#\na B\n",
     ":1: expected at least 2 columns, found 1 in \"#\""},
    {"no slash", TextForm::kSlashes, "a/B c/D\ne/F g\n",
     ":2: expected word/tag, found \"g\""},
    {"no word", TextForm::kSlashes, "/B\n", ":1: expected word/tag"},
    {"no tag", TextForm::kSlashes, "a/\n", ":1: expected word/tag"},
};

TEST(TaggedTextTest, WhatLacksIsNamedByFileAndLine) {
  const TempFolder folder;
  for (const BadCase& test : kBad) {
    const std::string path = folder.Write("text", test.text);
    const absl::Status status =
        ReadTaggedText({.inputs = {path}, .form = test.form}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << test.name;
    EXPECT_THAT(std::string(status.message()), HasSubstr(path + test.message))
        << test.name;
  }
}

TEST(TaggedTextTest, ColumnsAreChosen) {
  const TempFolder folder;
  const std::string path = folder.Write("text", "1 a X B\n2 b Y I\n");
  TaggedTextOptions options{.inputs = {path}, .token_column = 2};
  EXPECT_EQ(Show(*ReadTaggedText(options)), "a/B b/I");
  options.tag_column = 3;
  options.predicted_column = 0;
  const auto both = ReadTaggedText(options);
  EXPECT_EQ(Show(*both), "a/X b/Y");
  EXPECT_EQ(both->front().predicted, (std::vector<std::string>{"B", "I"}));
  EXPECT_EQ(both->front().lines.back(), "2 b Y I");
  options.tag_column = 5;
  EXPECT_THAT(std::string(ReadTaggedText(options).status().message()),
              HasSubstr("text:1: expected at least 5 columns, found 4"));
  options.with_tags = false;
  EXPECT_EQ(Show(*ReadTaggedText(options)), "a b");
}

TEST(TaggedTextTest, LinesOfConlluThatAreNoTokensAreCountedAndKept) {
  const TempFolder folder;
  const std::string path = folder.Write("text", kConllu);
  PassedOverLines passed_over;
  // Each file shows for itself what it is.
  const auto read =
      ReadTaggedText({.inputs = {path, folder.Write("columns", "# B\n"), path}},
                     nullptr, &passed_over);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(Show(*read),
            "Let/VERB 's/PRON go/VERB|10 000/NUM|#/B|"
            "Let/VERB 's/PRON go/VERB|10 000/NUM");
  EXPECT_EQ(passed_over.comments, 6u);
  EXPECT_EQ(passed_over.multiword_tokens, 2u);
  EXPECT_EQ(passed_over.empty_nodes, 4u);
  std::string whole;
  for (size_t s = 0; s < 2; ++s) {
    const TaggedSentence& sentence = (*read)[s];
    ASSERT_EQ(sentence.passed_over.size(), sentence.tokens.size() + 1);
    for (size_t i = 0; i < sentence.tokens.size(); ++i) {
      whole += sentence.passed_over[i] + sentence.lines[i] + "\n";
    }
    whole += sentence.passed_over.back() + "\n";
  }
  EXPECT_EQ(whole, kConllu);
  EXPECT_TRUE((*read)[2].passed_over.empty());
}

// With the sentences that have no tokens.
std::vector<TaggedSentence> NextToTheEnd(const TaggedTextOptions& options) {
  std::vector<TaggedSentence> all;
  auto reader = TaggedTextReader::Open(options);
  EXPECT_TRUE(reader.ok()) << reader.status();
  while (reader.ok()) {
    const auto some = reader->Next(100);
    EXPECT_TRUE(some.ok()) << some.status();
    if (!some.ok() || some->empty()) break;
    all.insert(all.end(), some->begin(), some->end());
  }
  return all;
}

TEST(TaggedTextTest, LinesBehindTheLastSentenceOfConlluAreASentenceOnRequest) {
  const TempFolder folder;
  const std::string text = std::string(kConllu) + "# a\n\n\n\n# b\n\n";
  TaggedTextOptions options{
      .inputs = {folder.Write("text", text), folder.Write("comment", "# c\n"),
                 folder.Write("whole", kConllu)},
      .form = TextForm::kConllu,
      .with_rest = true};
  const std::vector<TaggedSentence> read = NextToTheEnd(options);
  ASSERT_EQ(read.size(), 6u);
  for (const size_t rest : {2u, 3u}) {
    EXPECT_TRUE(read[rest].tokens.empty());
    ASSERT_EQ(read[rest].passed_over.size(), 1u);
  }
  EXPECT_EQ(read[2].passed_over[0], "# a\n\n# b\n");
  EXPECT_EQ(read[3].passed_over[0], "# c\n");
  options.with_rest = false;
  EXPECT_EQ(NextToTheEnd(options).size(), 4u);
}

TEST(TaggedTextTest, OtherColumnsOfConlluAreChosen) {
  const TempFolder folder;
  TaggedTextOptions options{.inputs = {folder.Write("text", kConllu)},
                            .token_column = 3,
                            .tag_column = 5};
  EXPECT_EQ(Show(*ReadTaggedText(options)), "let/VB we/PRP go/VB|10000/CD");
  options.tag_column = 10;
  EXPECT_EQ(Show(*ReadTaggedText(options)), "let/_ we/_ go/End=Yes|10000/_");
  options.with_tags = false;
  EXPECT_EQ(Show(*ReadTaggedText(options)), "let we go|10000");
}

// Empty lines of a text are sentences, so that what is made of it has as many
// lines.
TEST(TaggedTextTest, LinesStayWhereTheyAre) {
  const TempFolder folder;
  const std::string path = folder.Write("text", "a\n\n b\n");
  auto reader =
      TaggedTextReader::Open({.inputs = {path}, .form = TextForm::kText});
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(Show(*reader->Next(2)), "a|");
  EXPECT_EQ(Show(*reader->Next(2)), "b");
  EXPECT_TRUE(reader->Next(2)->empty());
}

TEST(TaggedTextTest, LongSentencesAreReadAndEndlessOnesRefused) {
  const TempFolder folder;
  std::string lines;
  for (int i = 0; i < 10000; ++i) lines += "word TAG\n";
  const auto read = ReadTaggedText({.inputs = {folder.Write("long", lines)}});
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->front().tokens.size(), 10000u);
  for (int i = 0; i < 60000; ++i) lines += "word TAG\n";
  EXPECT_THAT(
      std::string(ReadTaggedText({.inputs = {folder.Write("endless", lines)}})
                      .status()
                      .message()),
      HasSubstr("endless:65537: expected a sentence of at most 65536 tokens"));
}

TEST(TaggedTextTest, LongSentencesAreLeftOutOnRequest) {
  const TempFolder folder;
  std::string tokens, lines, conllu;
  for (int i = 0; i < 70'000; ++i) {
    tokens += "a ";
    lines += "a B\n";
    conllu += "1\ta\t_\tB\t_\t_\t_\t_\t_\t_\n";
  }
  const std::string token = "1\tx\t_\tB\t_\t_\t_\t_\t_\t_\n";
  const std::string endless(20'000'000, 'x');
  for (const auto& [form, text, shown] :
       {std::tuple(TextForm::kText, "x\n" + tokens + "\ny\n" + endless + "\nz",
                   "x||y||z"),
        {TextForm::kColumns,
         "x B\n\n" + lines + "\n\ny B\nv B\n" + endless + "\nw B\n\nz B\n",
         "x/B|||z/B"},
        {TextForm::kConllu,
         token + "\n# text\n" + conllu + "# more\n\n" + token + "\n" + token +
             "# " + endless + "\n" + token + "\n# last\n" + token,
         "x/B||x/B||x/B"}}) {
    auto reader =
        TaggedTextReader::Open({.inputs = {folder.Write("long", text)},
                                .form = form,
                                .with_tags = form != TextForm::kText,
                                .skip_long = true});
    ASSERT_TRUE(reader.ok()) << reader.status();
    std::vector<TaggedSentence> all;
    for (;;) {
      const auto some = reader->Next(2);
      ASSERT_TRUE(some.ok()) << some.status();
      if (some->empty()) break;
      all.insert(all.end(), some->begin(), some->end());
    }
    EXPECT_EQ(Show(all), shown);
    size_t left_out = 0;
    for (const TaggedSentence& sentence : all) {
      EXPECT_EQ(sentence.left_out.empty(), !sentence.tokens.empty());
      if (sentence.left_out.empty()) continue;
      EXPECT_THAT(sentence.left_out,
                  HasSubstr(++left_out == 1 ? "at most 65536 tokens"
                                            : "at most 16777216 bytes"));
    }
    EXPECT_EQ(left_out, 2u);
  }
}

TEST(TaggedTextTest, SentencesBeforeAnErrorAreReturnedFirst) {
  const TempFolder folder;
  const std::string token = "1\tx\tx\tB\t_\t_\t0\troot\t_\t_\n\n";
  for (const auto& [form, good, bad] :
       {std::tuple(TextForm::kText, std::string("x\n"),
                   absl::StrCat(std::string(1 << 25, 'x'), "\n")),
        std::tuple(TextForm::kColumns, std::string("x B\n\n"),
                   std::string("lonely\n\n")),
        std::tuple(TextForm::kConllu, token, std::string("two words\n\n"))}) {
    for (const int before : {0, 1, 100}) {
      std::string text;
      for (int i = 0; i < before; ++i) text += good;
      auto reader = TaggedTextReader::Open(
          {.inputs = {folder.Write("text", text + bad + good)},
           .form = form,
           .with_tags = form != TextForm::kText});
      ASSERT_TRUE(reader.ok()) << reader.status();
      int found = 0;
      absl::StatusOr<std::vector<TaggedSentence>> some;
      for (some = reader->Next(64); some.ok(); some = reader->Next(64)) {
        ASSERT_FALSE(some->empty());
        found += static_cast<int>(some->size());
        EXPECT_EQ(some->back().tokens, std::vector<std::string>{"x"});
      }
      EXPECT_EQ(found, before);
      EXPECT_EQ(reader->Next(64).status(), some.status());
    }
  }
}

TEST(TaggedTextTest, MissingFilesAndFoldersWithoutFiles) {
  const TempFolder folder;
  EXPECT_EQ(ReadTaggedText({.inputs = {folder.File("none")}}).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(ReadTaggedText({.inputs = {folder.path()}}).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace firth
