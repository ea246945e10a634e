#include "firth/labelled_text.h"

#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/compress.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "label,label:text|text", a text after another.
std::string ShowTexts(const std::vector<LabelledText>& texts) {
  std::vector<std::string> shown;
  for (const LabelledText& text : texts) {
    shown.push_back(
        absl::StrCat(absl::StrJoin(text.labels, ","), ":", text.text));
  }
  return absl::StrJoin(shown, "|");
}

struct LabelledCase {
  const char* name;
  LabelledTextOptions options;
  absl::string_view text;
  const char* shown;
};

const LabelledCase kLabelled[] = {
    {"prefix",
     {},
     "__label__a some text\n__label__b more\n",
     "a:some text|b:more"},
    {"several labels, each once",
     {},
     "__label__a __label__b __label__a x\n",
     "a,b:x"},
    {"labels anywhere", {}, "x __label__a y\u3000__label__b\n", "a,b:x y"},
    {"a prefix inside a word", {}, "__label__a x__label__y\n", "a:x__label__y"},
    {"a prefix in a label", {}, "__label____label__a x\n", "__label__a:x"},
    {"an empty text", {}, "__label__a\n__label__b  \n", "a:|b:"},
    {"empty lines", {}, "\n__label__a x\n \n\n__label__b y", "a:x|b:y"},
    {"white space in the text stays", {}, "__label__a x \t y \n", "a:x \t y"},
    {"Windows", {}, "__label__a x\r\n__label__b y\r\n", "a:x|b:y"},
    {"a byte order mark", {}, "\xEF\xBB\xBF__label__a x\n", "a:x"},
    {"another prefix", {.label_prefix = "#"}, "#a x #b\n", "a,b:x"},
    {"invalid UTF-8 stays", {}, "__label__a \xE9t\xE9\n", "a:\xE9t\xE9"},
    {"invalid UTF-8 is replaced",
     {.utf8 = Utf8Policy::kReplace},
     "__label__a \xE9t\n",
     "a:\uFFFDt"},
    {"without labels",
     {.with_labels = false},
     "x y\n\n__label__a z\n",
     ":x y|:|a:z"},

    {"TSV", {.form = LabelledForm::kTsv}, "a\tx\ty\na b\t\n", "a:x\ty|a b:"},
    {"TSV, several labels",
     {.form = LabelledForm::kTsv, .label_separator = ","},
     "a, b,,a\tx\n",
     "a,b:x"},
    {"TSV without labels",
     {.form = LabelledForm::kTsv, .with_labels = false},
     "x y\n\tx\na\ty\n",
     ":x y|:x|a:y"},

    {"CSV",
     {.form = LabelledForm::kCsv},
     "id,text,label\r\n1,x y,a\r\n2,z,b\r\n",
     "a:x y|b:z"},
    {"CSV, quotes",
     {.form = LabelledForm::kCsv},
     "\"text\",\"label\"\n\"x, \"\"y\"\"\",a\n\"\",\"b\"\n",
     "a:x, \"y\"|b:"},
    {"CSV, line ends in quotes",
     {.form = LabelledForm::kCsv},
     "text,label\n\"x\r\ny\n\nz\",a\n",
     "a:x\r\ny\n\nz"},
    {"CSV, a quote inside a field",
     {.form = LabelledForm::kCsv},
     "text,label\n5\" disk,a\n",
     "a:5\" disk"},
    {"CSV, empty lines, no last end, a byte order mark",
     {.form = LabelledForm::kCsv},
     "\xEF\xBB\xBF\"label\",text\n\na,x\n\nb,",
     "a:x|b:"},
    {"CSV, columns",
     {.form = LabelledForm::kCsv,
      .label_column = "stars",
      .text_column = "review",
      .label_separator = ";"},
     "stars,label,review\n5;good,no,x\n",
     "5,good:x"},
    {"CSV without labels",
     {.form = LabelledForm::kCsv, .with_labels = false},
     "text\nx\ny\n",
     ":x|:y"},

    {"JSON",
     {.form = LabelledForm::kJsonLines},
     "{\"label\": \"a\", \"text\": \"x\\ny\"}\n\n"
     "{\"text\": \"\", \"label\": [\"b\", 3], \"more\": [[[{}]]]}",
     "a:x\ny|b,3:"},
    {"JSON, members",
     {.form = LabelledForm::kJsonLines,
      .label_column = "stars",
      .text_column = "review"},
     "{\"stars\": 5, \"review\": \"x\"}\n",
     "5:x"},
    {"JSON without labels",
     {.form = LabelledForm::kJsonLines, .with_labels = false},
     "{\"text\": \"x\"}\n{\"text\": \"y\", \"label\": null}\n",
     ":x|:y"},
    {"JSON, invalid UTF-8",
     {.form = LabelledForm::kJsonLines, .utf8 = Utf8Policy::kReplace},
     "{\"text\": \"\xE9\", \"label\": \"a\"}\n",
     "a:\uFFFD"},
};

TEST(LabelledTextTest, EachFormIsRead) {
  const TempFolder folder;
  for (const LabelledCase& test : kLabelled) {
    LabelledTextOptions options = test.options;
    options.inputs = {folder.Write("text", test.text)};
    const auto texts = ReadLabelledText(options);
    ASSERT_EQ(texts.status(), absl::OkStatus()) << test.name;
    EXPECT_EQ(ShowTexts(*texts), test.shown) << test.name;
  }
}

struct RefusedCase {
  const char* name;
  LabelledTextOptions options;
  std::string text;
  const char* message;  // behind the path
};

TEST(LabelledTextTest, WhatIsWrongIsNamedByFileAndLine) {
  constexpr LabelledForm kCsv = LabelledForm::kCsv;
  constexpr LabelledForm kJson = LabelledForm::kJsonLines;
  const RefusedCase cases[] = {
      {"nothing", {}, "", ": expected texts, found none"},
      {"only empty lines", {}, "\n\n", ": expected texts, found none"},
      {"no label",
       {},
       "__label__a x\nmy text\n",
       ":2: expected a label, a word that starts with \"__label__\", found "
       "\"my text\""},
      {"a prefix alone", {}, "__label__ x\n", ":1: expected a label"},
      {"a long label",
       {},
       "__label__a x\n__label__" + std::string(10000, 'y'),
       ":2: expected a label of at most 1024 bytes, found 10000 in \"yyy"},
      {"a label with a control character",
       {},
       "__label__a\1 x\n",
       ":1: expected a label in UTF-8, without control characters, found "
       "\"a\\x01\""},
      {"a label not in UTF-8",
       {},
       "__label__\xE9 x\n",
       ":1: expected a label in UTF-8"},
      {"UTF-16",
       {},
       std::string("_\0_\0l\0\n\0", 8),
       ": expected text, found 4 NUL bytes"},
      {"a text not in UTF-8",
       {.utf8 = Utf8Policy::kError},
       "__label__a x\n__label__a x\xE9\n",
       ":2: expected valid UTF-8, found 0xE9 at byte 2 of the text"},

      {"TSV without a tab",
       {.form = LabelledForm::kTsv},
       "a\tx\nb y\n",
       ":2: expected labels, a tab and a text, found \"b y\""},
      {"TSV without a label",
       {.form = LabelledForm::kTsv},
       " \tx\n",
       ":1: expected a label, found \" \\tx\""},

      {"CSV, a column lacks",
       {.form = kCsv},
       "id,text\n1,x\n",
       ":1: expected one column \"label\", found \"id,text\""},
      {"CSV, a column twice",
       {.form = kCsv},
       "text,text,label\n",
       ":1: expected one column \"text\", found \"text,text,label\""},
      {"CSV, a field too many",
       {.form = kCsv},
       "text,label\nx,a\nx, y,a\n",
       ":3: expected 2 fields, as in the header, found 3 in \"x, y,a\""},
      {"CSV, an open quote",
       {.form = kCsv},
       "text,label\n\"x\ny\",a\n\"z,a\n\nx,b\n",
       ":4: expected a closing quote of field 1, found the end of the file"},
      {"CSV, text behind a quote",
       {.form = kCsv},
       "text,label\n\"x\ny\"z,a\n",
       ":3: expected a comma after the closing quote of field 1, found "
       "\"z,a\""},
      {"CSV without a label",
       {.form = kCsv},
       "text,label\nx,\n",
       ":2: expected a label in \"label\", found \"\""},

      {"no JSON",
       {.form = kJson},
       "{\"text\": \"x\", \"label\": \"a\"}\nx\n",
       ":2: expected a JSON object, found \"x\""},
      {"half JSON",
       {.form = kJson},
       "{\"text\": \"x\", \"label\":",
       ":1: expected a JSON object"},
      {"JSON, but no object",
       {.form = kJson},
       "[1]\n",
       ":1: expected a JSON object, found \"[1]\""},
      {"JSON, not in UTF-8",
       {.form = kJson},
       "{\"text\": \"\xE9\", \"label\": \"a\"}\n",
       ":1: expected a JSON object"},
      {"JSON, a member twice",
       {.form = kJson},
       "{\"text\": \"x\", \"label\": \"a\", \"label\": \"b\"}\n",
       ":1: expected the name \"label\" once, found it twice"},
      {"JSON, no text",
       {.form = kJson},
       "{\"label\": \"a\"}\n",
       ":1: expected a text \"text\", found \"{"},
      {"JSON, a text that is none",
       {.form = kJson},
       "{\"text\": 1, \"label\": \"a\"}\n",
       ":1: expected a text \"text\""},
      {"JSON, no label",
       {.form = kJson},
       "{\"text\": \"x\"}\n",
       ":1: expected a label, found \"{"},
      {"JSON, an empty list",
       {.form = kJson},
       "{\"text\": \"x\", \"label\": []}\n",
       ":1: expected a label, found"},
      {"JSON, a label that is none",
       {.form = kJson},
       "{\"text\": \"x\", \"label\": [{\"a\": 1}]}\n",
       ":1: expected a text, a whole number or a list of these as \"label\", "
       "found \"{"},
  };
  const TempFolder folder;
  for (const RefusedCase& test : cases) {
    LabelledTextOptions options = test.options;
    options.inputs = {folder.Write("text", test.text)};
    const absl::Status status = ReadLabelledText(options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << test.name;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(options.inputs.front() + test.message))
        << test.name;
  }
}

TEST(LabelledTextTest, FoldersAreLabels) {
  const TempFolder folder;
  folder.Write("in/pos/b.txt", "\xEF\xBB\xBFx\ny\n");
  folder.Write("in/pos/a.gz", Gzip("z"));
  folder.Write("in/neg/.hidden", "no");
  folder.Write("in/neg/c", "");
  folder.Write("in/.git/c", "no");
  folder.Write("in/sport/ball/d", "__label__a");
  folder.Write("in/README", "about");
  LabelledTextOptions options{.inputs = {folder.File("in")},
                              .form = LabelledForm::kFolders};
  EXPECT_EQ(ShowTexts(*ReadLabelledText(options)),
            "neg:|pos:z|pos:x\ny\n|sport/ball:__label__a");
  options.inputs = {folder.File("in/")};
  EXPECT_EQ(ReadLabelledText(options)->front().labels,
            std::vector<std::string>{"neg"});
  options.with_labels = false;
  EXPECT_EQ(ReadLabelledText(options)->front().text, "about");
}

TEST(LabelledTextTest, TextsBeforeAnErrorAreReturnedFirst) {
  const TempFolder folder;
  for (const int good : {1, 100, 5000}) {
    SCOPED_TRACE(good);
    std::string lines;
    for (int i = 0; i < good; ++i) lines += "{\"text\": \"a\"}\n";
    auto reader = LabelledTextReader::Open(
        {.inputs = {folder.Write("lines", lines + "bad\n{\"text\": \"a\"}\n")},
         .form = LabelledForm::kJsonLines,
         .with_labels = false});
    ASSERT_TRUE(reader.ok()) << reader.status();
    int found = 0;
    absl::StatusOr<std::vector<LabelledText>> texts;
    for (texts = reader->Next(64); texts.ok(); texts = reader->Next(64)) {
      ASSERT_FALSE(texts->empty());
      found += static_cast<int>(texts->size());
    }
    EXPECT_EQ(found, good);
    EXPECT_EQ(reader->Next(64).status(), texts.status());
  }
}

TEST(LabelledTextTest, WhatIsLeftOutOfFoldersIsCounted) {
  class : public ProgressSink {
   public:
    void OnWarning(absl::string_view message) override {
      messages.emplace_back(message);
    }
    std::vector<std::string> messages;
  } sink;
  const TempFolder folder;
  const std::string file = folder.Write("in/pos/a", "x");
  LabelledTextOptions options{.inputs = {folder.File("in")},
                              .form = LabelledForm::kFolders};
  const auto texts = ReadLabelledText(options, nullptr, &sink);
  ASSERT_TRUE(texts.ok()) << texts.status();
  EXPECT_EQ(texts->front().file, file);
  EXPECT_THAT(sink.messages, testing::IsEmpty());

  folder.Write("in/README", "about");
  folder.Write("in/LICENSE", "free");
  folder.Write("in/.git/a", "no");
  folder.Write("in/.git/b", "no");
  ASSERT_EQ(mkfifo(folder.File("in/pos/pipe").c_str(), 0600), 0);
  std::filesystem::create_directory_symlink("pos", folder.File("in/neg"));
  ASSERT_TRUE(ReadLabelledText(options, nullptr, &sink).ok());
  EXPECT_THAT(
      sink.messages,
      ElementsAre(folder.File("in") +
                  ": left out 2 outside of the folders of labels, 2 that are "
                  "not regular files (links to folders, pipes), 1 hidden"));
}

TEST(LabelledTextTest, FoldersWithoutLabelsAndFilesInTheirPlaceAreRefused) {
  const TempFolder folder;
  folder.Write("flat/a", "x");
  folder.Write("binary/a/b", absl::string_view("\0\0\0\0", 4));
  LabelledTextOptions options{.form = LabelledForm::kFolders};
  const auto message = [&](const std::string& input) {
    options.inputs = {input};
    return std::string(ReadLabelledText(options).status().message());
  };
  EXPECT_EQ(message(folder.File("flat")),
            folder.File("flat") +
                ": expected one subfolder per label with its files, found 1 "
                "files outside of subfolders");
  EXPECT_EQ(message(folder.File("flat/a")),
            folder.File("flat/a") +
                ": expected a folder with one subfolder per label, found no "
                "subfolder");
  EXPECT_EQ(message("-"),
            "standard input: expected a folder with one subfolder per label, "
            "found no subfolder");
  EXPECT_THAT(message(folder.File("binary")),
              HasSubstr("binary/a/b: expected text, found 4 NUL bytes"));
  EXPECT_EQ(ReadLabelledText({.inputs = {folder.File("gone")},
                              .form = LabelledForm::kFolders})
                .status()
                .code(),
            absl::StatusCode::kNotFound);
}

TEST(LabelledTextTest, EachFileOfCsvHasItsHeader) {
  const TempFolder folder;
  const LabelledTextOptions options{
      .inputs = {folder.Write("a.csv", Gzip("label,text\na,x\n")),
                 folder.Write("b.csv", "text,id,label\ny,1,b")},
      .form = LabelledForm::kCsv};
  EXPECT_EQ(ShowTexts(*ReadLabelledText(options)), "a:x|b:y");
}

TEST(LabelledTextTest, LongLinesAreLeftOutOnRequest) {
  const TempFolder folder;
  const std::string endless(20'000'000, 'x');
  for (const auto& [form, line] :
       {std::pair(LabelledForm::kPrefix, "x"),
        {LabelledForm::kTsv, "x"},
        {LabelledForm::kJsonLines, "{\"text\": \"x\"}"}}) {
    LabelledTextOptions options{
        .inputs = {folder.Write(
            "a", absl::StrCat(line, "\n", endless, "\n", line, "\n"))},
        .form = form,
        .with_labels = false};
    EXPECT_EQ(ReadLabelledText(options).status().code(),
              absl::StatusCode::kInvalidArgument);
    options.skip_long = true;
    const auto texts = ReadLabelledText(options);
    ASSERT_TRUE(texts.ok()) << texts.status();
    EXPECT_EQ(ShowTexts(*texts), ":x|:|:x");
    EXPECT_EQ(texts->front().left_out, "");
    EXPECT_THAT((*texts)[1].left_out,
                HasSubstr("a:2: expected a line of at most 16777216 bytes"));
  }
  folder.Write("folders/1", "x");
  folder.Write("folders/2", endless);
  const auto texts = ReadLabelledText({.inputs = {folder.File("folders")},
                                       .form = LabelledForm::kFolders,
                                       .with_labels = false,
                                       .skip_long = true});
  ASSERT_TRUE(texts.ok()) << texts.status();
  EXPECT_EQ(ShowTexts(*texts), ":x|:");
  EXPECT_THAT(texts->back().left_out, HasSubstr("a text of at most 16777216"));
}

// In quadratic time this would take hours.
TEST(LabelledTextTest, ALineOfManyObjectsIsReadAtOnce) {
  const TempFolder folder;
  std::string line = R"({"text":"x","label":"a","more":[{})";
  for (int i = 0; i < 1'000'000; ++i) line += ",{}";
  const LabelledTextOptions options{.inputs = {folder.Write("a", line + "]}")},
                                    .form = LabelledForm::kJsonLines};
  EXPECT_EQ(ShowTexts(*ReadLabelledText(options)), "a:x");
}

TEST(LabelledTextTest, AFieldOfCsvEndsSomewhere) {
  const TempFolder folder;
  std::string text = "text,label\n\"";
  for (int i = 0; i < 20; ++i) text += std::string(1 << 20, 'x') + '\n';
  const LabelledTextOptions options{.inputs = {folder.Write("a.csv", text)},
                                    .form = LabelledForm::kCsv};
  EXPECT_THAT(
      std::string(ReadLabelledText(options).status().message()),
      HasSubstr("a.csv:2: expected a field of at most 16777216 bytes, found a "
                "longer one; a closing quote is probably missing"));
}

TEST(LabelledTextTest, TextsComeAtMostSoManyAtOnce) {
  const TempFolder folder;
  auto reader = LabelledTextReader::Open(
      {.inputs = {folder.Write("a", "__label__a x\n__label__b y\n"),
                  folder.Write("b", "__label__c z")}});
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(ShowTexts(*reader->Next(1)), "a:x");
  EXPECT_EQ(ShowTexts(*reader->Next(1)), "b:y");
  EXPECT_EQ(ShowTexts(*reader->Next(9)), "c:z");
  EXPECT_TRUE(reader->Next(9)->empty());
  EXPECT_TRUE(reader->Next(9)->empty());
}

TEST(LabelledTextTest, ReadingStops) {
  const TempFolder folder;
  const std::atomic<bool> stop = true;
  EXPECT_EQ(
      ReadLabelledText({.inputs = {folder.Write("a", "__label__a x\n")}}, &stop)
          .status()
          .code(),
      absl::StatusCode::kCancelled);
}

TEST(LabelledTextTest, OptionsAreChecked) {
  const auto message = [](const LabelledTextOptions& options) {
    return std::string(options.Validate().message());
  };
  EXPECT_EQ(
      message({}),
      "inputs: give at least one file or folder, or \"-\" for standard input");
  EXPECT_EQ(message({.inputs = {"a"}, .label_prefix = ""}),
            "label-prefix: expected a word, found \"\"");
  EXPECT_EQ(message({.inputs = {"a"}, .label_prefix = "a b"}),
            "label-prefix: expected a word, found \"a b\"");
  EXPECT_EQ(message({.inputs = {"a"},
                     .form = LabelledForm::kCsv,
                     .label_column = "text"}),
            "label-column: expected a column other than that of the text, "
            "found \"text\"");
}

}  // namespace
}  // namespace firth
