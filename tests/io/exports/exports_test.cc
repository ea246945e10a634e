#include "firth/export_vectors.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/quantize.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::HasSubstr;

// Words that mean something in one of the forms.
const std::vector<std::string>& HostileWords() {
  static const auto& words =
      *new std::vector<std::string>{"king",
                                    "a,b",
                                    "say \"hi\"",
                                    "it's",
                                    "\\.",
                                    "\\N",
                                    "<script>",
                                    "'); --",
                                    "=1+1",
                                    "\xd7\x90\xd7\x91",
                                    "\xf0\x9f\x91\x91",
                                    std::string(10'000, 'w')};
  return words;
}

WordVectors WithCounts(const std::vector<std::string>& words) {
  std::vector<uint64_t> counts;
  std::vector<float> rows;
  for (size_t i = 0; i < words.size(); ++i) {
    counts.push_back(100 - i);
    rows.push_back(0.1f + static_cast<float>(i));
    rows.push_back(-1e-30f);
  }
  const std::vector<absl::string_view> views(words.begin(), words.end());
  return *WordVectors::Create(*Vocabulary::Create(views, counts),
                              FloatTable(std::move(rows), 2));
}

std::string Exported(const WordVectors& vectors, const char* format) {
  const TempFolder folder;
  const std::string path = folder.path() + "/out";
  const auto report = ExportVectors(vectors, path, format);
  EXPECT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report.value_or(ExportReport()).words, vectors.size());
  return ReadWholeFile(path);
}

// The output of a Python program that is given the path of an exported file;
// nothing without Python.
std::string AskPython(const WordVectors& vectors, const char* format,
                      const std::string& program) {
  const TempFolder folder;
  const std::string path = folder.path() + "/out";
  const auto report = ExportVectors(vectors, path, format);
  EXPECT_TRUE(report.ok()) << report.status();
  folder.Write("ask.py", "import sys\npath = sys.argv[1]\n" + program);
  const std::string answer = folder.path() + "/answer";
  const std::string command = absl::StrCat(
      "python3 '", folder.path(), "/ask.py' '", path, "' >'", answer, "'");
  EXPECT_EQ(std::system(command.c_str()), 0);
  return ReadWholeFile(answer);
}

bool HasPython() { return std::system("python3 -c '' 2>/dev/null") == 0; }

// Prints what rows of (word, count, values) hold, the same for all forms.
constexpr char kPrintRows[] =
    "import struct\n"
    "f = lambda x: struct.unpack('f', struct.pack('f', float(x)))[0]\n"
    "for word, count, values in rows:\n"
    "    print(word.encode().hex(), int(count), *[repr(f(v)) for v in "
    "values])\n";

std::string ExpectedRows(const WordVectors& vectors) {
  std::string text;
  for (size_t i = 0; i < vectors.size(); ++i) {
    for (const char c : vectors.vocabulary().Word(ToWordId(i))) {
      char digits[3];
      std::snprintf(digits, sizeof(digits), "%02x",
                    static_cast<unsigned char>(c));
      text += digits;
    }
    const auto row = vectors.Vector(ToWordId(i));
    char line[80];
    std::snprintf(line, sizeof(line), " %d %.17g %.17g\n",
                  static_cast<int>(vectors.vocabulary().Count(ToWordId(i))),
                  double{row[0]}, double{row[1]});
    text += line;
  }
  return text;
}

// Python's repr() and %.17g write one double differently.
constexpr char kSameDigits[] =
    "import builtins\nrepr = lambda x: '%.17g' % x\n";

TEST(ExportVectorsTest, PythonsCsvReadsEveryWordAndBit) {
  if (!HasPython()) GTEST_SKIP() << "python3 is not installed";
  const WordVectors vectors = WithCounts(HostileWords());
  EXPECT_EQ(AskPython(vectors, "csv",
                      absl::StrCat(kSameDigits,
                                   "import csv\ncsv.field_size_limit(10**6)\n"
                                   "lines = list(csv.reader(open(path, "
                                   "newline='', encoding='utf-8')))\n"
                                   "assert lines[0] == ['word', 'count', "
                                   "'v1', 'v2']\n"
                                   "rows = [(r[0], r[1], r[2:]) for r in "
                                   "lines[1:]]\n",
                                   kPrintRows)),
            ExpectedRows(vectors));
}

TEST(ExportVectorsTest, PythonsJsonReadsEveryWordAndBit) {
  if (!HasPython()) GTEST_SKIP() << "python3 is not installed";
  const WordVectors vectors = WithCounts(HostileWords());
  EXPECT_EQ(AskPython(vectors, "jsonl",
                      absl::StrCat(kSameDigits,
                                   "import json\n"
                                   "lines = open(path, encoding='utf-8', "
                                   "newline='\\n')\n"
                                   "rows = [(r['word'], r['count'], "
                                   "r['vector']) for r in map(json.loads, "
                                   "lines)]\n",
                                   kPrintRows)),
            ExpectedRows(vectors));
}

TEST(ExportVectorsTest, SqliteRunsTheScriptAndHasFloat32Blobs) {
  if (!HasPython()) GTEST_SKIP() << "python3 is not installed";
  std::vector<std::string> words = HostileWords();
  words.push_back("two\nlines\tand a tab");
  const WordVectors vectors = WithCounts(words);
  EXPECT_EQ(
      AskPython(vectors, "sqlite",
                absl::StrCat(kSameDigits,
                             "import sqlite3, struct\n"
                             "db = sqlite3.connect(':memory:')\n"
                             "db.executescript(open(path, encoding='utf-8', "
                             "newline='').read())\n"
                             "rows = [(w, c, struct.unpack('<2f', v)) for w, "
                             "c, v in db.execute('SELECT word, count, vector "
                             "FROM words ORDER BY id')]\n",
                             kPrintRows)),
      ExpectedRows(vectors));
}

TEST(ExportVectorsTest, SqliteTakesBytesThatAreNoText) {
  EXPECT_THAT(Exported(MakeVectors({{std::string("a\0", 2), {1}}}), "sqlite"),
              HasSubstr("VALUES(0,CAST(X'6100' AS TEXT),X'0000803f');"));
  EXPECT_THAT(Exported(MakeVectors({{"\xff", {1}}}), "sqlite"),
              HasSubstr("CAST(X'ff' AS TEXT)"));
}

TEST(ExportVectorsTest, CsvIsThatOfTheStandard) {
  EXPECT_EQ(Exported(MakeVectors({{"a\"b", {0.5f, -1}}, {"c\nd", {1e-8f, 3}}}),
                     "csv"),
            "word,v1,v2\r\n\"a\"\"b\",0.5,-1\r\n\"c\nd\",1e-08,3\r\n");
}

TEST(ExportVectorsTest, PgvectorEscapesWhatCopyReads) {
  EXPECT_EQ(
      Exported(MakeVectors({{"a\\b\tc\nd\re", {0.5f, -1}}, {"\\.", {1, 2}}}),
               "pgvector"),
      "SET client_encoding TO 'UTF8';\nBEGIN;\n"
      "CREATE EXTENSION IF NOT EXISTS vector;\n"
      "CREATE TABLE words (id integer PRIMARY KEY, word text NOT NULL, "
      "vector vector(2) NOT NULL);\n"
      "COPY words (id, word, vector) FROM stdin;\n"
      "0\ta\\\\b\\tc\\nd\\re\t[0.5,-1]\n"
      "1\t\\\\.\t[1,2]\n"
      "\\.\nCREATE INDEX ON words USING hash (word);\nCOMMIT;\n");
}

TEST(ExportVectorsTest, TheProjectorsFilesHaveALineAWord) {
  const TempFolder folder;
  const std::string path = folder.path() + "/a/b";
  ASSERT_TRUE(ExportVectors(WithCounts({"x", "y"}), path, "projector").ok());
  EXPECT_EQ(ReadWholeFile(path + "/metadata.tsv"),
            "word\tcount\nx\t100\ny\t99\n");
  EXPECT_EQ(ReadWholeFile(path + "/vectors.tsv"), "0.1\t-1e-30\n1.1\t-1e-30\n");
  EXPECT_THAT(ReadWholeFile(path + "/projector_config.pbtxt"),
              HasSubstr("metadata_path: \"metadata.tsv\""));
  // One column has no header.
  ASSERT_TRUE(ExportVectors(MakeVectors({{"x", {1}}}), path, "projector").ok());
  EXPECT_EQ(ReadWholeFile(path + "/metadata.tsv"), "x\n");
}

TEST(ExportVectorsTest, WordsThatAFormatCannotHoldAreNamedOrLeftOut) {
  struct Case {
    const char* format;
    std::string word;
    const char* why;
  };
  const Case cases[] = {
      {"csv", std::string("a\0b", 3), "a NUL byte in a word"},
      {"jsonl", "\xff", "a word that is not UTF-8"},
      {"pgvector", std::string("a\0b", 3), "a NUL byte in a word"},
      {"pgvector", "\xc3", "a word that is not UTF-8"},
      {"projector", "a\tb", "a tab, a line end or a NUL byte in a word"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.format);
    const TempFolder folder;
    const std::string path = folder.path() + "/out";
    const WordVectors vectors = MakeVectors({{"a", {1}}, {one.word, {2}}});
    const auto refused = ExportVectors(vectors, path, one.format);
    EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnimplemented);
    EXPECT_THAT(std::string(refused.status().message()),
                HasSubstr(absl::StrCat(one.format, " cannot hold ", one.why,
                                       "; this concerns 1 of 2 words")));
    EXPECT_FALSE(std::filesystem::exists(path));
    const auto kept = ExportVectors(vectors, path, one.format, /*lossy=*/true);
    ASSERT_TRUE(kept.ok()) << kept.status();
    EXPECT_EQ(kept->words, 1);
    EXPECT_EQ(kept->left_out, 1);
  }
}

TEST(ExportVectorsTest, NothingIsWrittenOfVectorsThatAreNotFinite) {
  const TempFolder folder;
  for (const ExportFormatInfo& format : ExportFormats()) {
    const std::string path = absl::StrCat(folder.path(), "/", format.name);
    const auto report = ExportVectors(
        MakeVectors({{"a", {1, std::numeric_limits<float>::infinity()}}}), path,
        format.name);
    EXPECT_THAT(std::string(report.status().message()),
                HasSubstr("value 2 of word \"a\": expected a finite number"));
    EXPECT_FALSE(std::filesystem::is_regular_file(path));
    EXPECT_FALSE(std::filesystem::exists(path + "/vectors.tsv"));
  }
}

TEST(ExportVectorsTest, QuantizedRowsAreWrittenAsFloats) {
  const auto halves = Quantize(MakeVectors({{"a", {0.5f, -2}}}), ToFloat16());
  ASSERT_TRUE(halves.ok()) << halves.status();
  EXPECT_EQ(Exported(*halves, "csv"), "word,v1,v2\r\na,0.5,-2\r\n");
}

TEST(ChooseExportFormatTest, TheExtensionTells) {
  EXPECT_EQ(*ChooseExportFormat("a.CSV", ""), "csv");
  EXPECT_EQ(*ChooseExportFormat("a.sql", ""), "pgvector");
  EXPECT_EQ(*ChooseExportFormat("a.sqlite.sql", ""), "sqlite");
  EXPECT_EQ(*ChooseExportFormat("a.sql", "sqlite"), "sqlite");
  EXPECT_THAT(std::string(ChooseExportFormat("logs", "").status().message()),
              HasSubstr("projector (a folder)"));
  EXPECT_FALSE(ChooseExportFormat("a.csv", "parquet").ok());
}

}  // namespace
}  // namespace firth
