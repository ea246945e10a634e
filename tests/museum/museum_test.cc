// Reads the files that each released version of Firth wrote, and compares the
// answers with those that the version gave. tests/museum/add writes the files
// and the answers.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "classify/model/classifier_file.h"
#include "firth/file_info.h"
#include "firth/network_kinds.h"
#include "firth/row_store.h"
#include "firth/subwords.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/ngram/ngram_file.h"
#include "nlohmann/json.hpp"
#include "support/alternatives.h"
#include "support/run_program.h"
#include "support/run_shell.h"
#include "support/temp_files.h"

namespace firth {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Json = nlohmann::json;

struct Question {
  std::string command;
  std::string answer;
};

struct Exhibit {
  std::string folder;  // that of its version
  std::string name;
  std::vector<Question> questions;
};
void PrintTo(const Exhibit& exhibit, std::ostream* out) {
  *out << exhibit.name;
}

std::vector<fs::path> VersionFolders() {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(SourcePath("tests/museum"))) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

// Reads an answers.txt, whose form tests/museum/add describes.
std::vector<Exhibit> ReadAnswers(const fs::path& folder) {
  std::vector<Exhibit> exhibits;
  for (const absl::string_view line :
       absl::StrSplit(ReadWholeFile(folder / "answers.txt"), '\n')) {
    absl::string_view rest = line;
    if (absl::ConsumePrefix(&rest, "## ")) {
      exhibits.push_back({folder.string(), std::string(rest), {}});
    } else if (absl::ConsumePrefix(&rest, "$ ")) {
      exhibits.back().questions.push_back({std::string(rest), ""});
    } else if (!exhibits.empty() && !exhibits.back().questions.empty()) {
      absl::StrAppend(&exhibits.back().questions.back().answer, line, "\n");
    }
  }
  return exhibits;
}

std::vector<Exhibit> AllExhibits() {
  std::vector<Exhibit> all;
  for (const fs::path& folder : VersionFolders()) {
    for (Exhibit& exhibit : ReadAnswers(folder)) {
      all.push_back(std::move(exhibit));
    }
  }
  return all;
}

std::string TestName(const testing::TestParamInfo<Exhibit>& info) {
  std::string name = absl::StrCat(
      fs::path(info.param.folder).filename().string(), " ", info.param.name);
  for (char& c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

bool BeginsNumber(absl::string_view text, size_t at) {
  const auto is_digit = [&](size_t i) {
    return i < text.size() &&
           absl::ascii_isdigit(static_cast<unsigned char>(text[i]));
  };
  if (at > 0 &&
      (absl::ascii_isalnum(static_cast<unsigned char>(text[at - 1])) ||
       text[at - 1] == '.')) {
    return false;
  }
  return is_digit(at) || (text[at] == '-' && is_digit(at + 1));
}

// Splits a text into numbers and the bytes between them.
std::vector<std::string> Parts(const std::string& text) {
  std::vector<std::string> parts(1);
  for (size_t at = 0; at < text.size();) {
    if (!BeginsNumber(text, at)) {
      parts.back().push_back(text[at++]);
      continue;
    }
    char* end = nullptr;
    std::strtod(text.c_str() + at, &end);
    const size_t after = end - text.c_str();
    parts.push_back(text.substr(at, after - at));
    parts.emplace_back();
    at = after;
  }
  return parts;
}

// Returns whether two printed numbers are those of one computation with two
// instruction sets, of which the last digits may differ.
bool SameNumber(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const bool whole = a.find_first_of(".e") == a.npos;
  const double expected = std::strtod(a.c_str(), nullptr);
  const double found = std::strtod(b.c_str(), nullptr);
  return !whole &&
         std::abs(expected - found) <= 2e-4 + 1e-3 * std::abs(expected);
}

testing::AssertionResult SameAnswer(const std::string& expected,
                                    const std::string& found) {
  const std::vector<std::string> a = Parts(expected);
  const std::vector<std::string> b = Parts(found);
  bool same = a.size() == b.size();
  // Numbers have odd positions.
  for (size_t i = 0; same && i < a.size(); ++i) {
    same = i % 2 == 1 ? SameNumber(a[i], b[i]) : a[i] == b[i];
  }
  if (same) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "expected\n"
                                     << expected << "found\n"
                                     << found;
}

// A copy of a version's folder, in which commands run.
class Copy {
 public:
  explicit Copy(const fs::path& folder) {
    fs::copy(folder, path(), fs::copy_options::recursive);
    fs::create_directory(temp_.File("bin"));
    fs::create_symlink(ProgramPath(), temp_.File("bin/firth"));
  }
  std::string path() const { return temp_.File("copy"); }

  Outcome Run(const std::string& command) const {
    const std::string errors = temp_.File("errors");
    const ShellOutcome outcome = RunShell(
        absl::StrFormat("cd '%s' && PATH='%s':\"$PATH\" && { %s\n} 2>'%s'",
                        path(), temp_.File("bin"), command, errors));
    return {.code = outcome.exit_code,
            .out = outcome.output,
            .err = ReadWholeFile(errors)};
  }

 private:
  TempFolder temp_;
};

class ExhibitTest : public ProgramTest,
                    public testing::WithParamInterface<Exhibit> {};

TEST_P(ExhibitTest, GivesTheAnswersOfItsVersion) {
  const Copy copy(GetParam().folder);
  ASSERT_FALSE(GetParam().questions.empty());
  for (const Question& question : GetParam().questions) {
    SCOPED_TRACE(question.command);
    const Outcome outcome = copy.Run(question.command);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    // Answers are separated by empty lines, with which some also end.
    EXPECT_TRUE(SameAnswer(
        std::string(absl::StripTrailingAsciiWhitespace(question.answer)),
        std::string(absl::StripTrailingAsciiWhitespace(outcome.out))));
  }
}

INSTANTIATE_TEST_SUITE_P(Museum, ExhibitTest, testing::ValuesIn(AllExhibits()),
                         TestName);

TEST(MuseumTest, NumbersAreComparedByTheirDigits) {
  EXPECT_TRUE(SameAnswer("cat 0.9983 -1.25e-3\n", "cat 0.9984 -1.25001e-3\n"));
  EXPECT_FALSE(SameAnswer("cat 0.9983\n", "cat 0.9963\n"));
  EXPECT_FALSE(SameAnswer("cat 0.9983\n", "cow 0.9983\n"));
  EXPECT_FALSE(SameAnswer("rank 3\n", "rank 4\n"));
  EXPECT_FALSE(SameAnswer("cat 0.5\n", "cat 0.5 0.5\n"));
  EXPECT_FALSE(SameAnswer("v1.5\n", "v1.6\n"));
}

// The kinds of files in the museum, and the words that describe each of them.
struct Described {
  std::set<std::string> kinds;
  std::set<std::pair<std::string, std::string>> words;
};

// Adds the texts in JSON, also in texts that are JSON, and the keys of flags.
void AddWords(const std::string& kind, const Json& json, Described* described) {
  for (const auto& [key, value] : json.items()) {
    if (value == true) described->words.emplace(kind, key);
    if (value.is_structured()) AddWords(kind, value, described);
    if (!value.is_string()) continue;
    const auto text = value.get<std::string>();
    const Json inner = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (inner.is_structured()) AddWords(kind, inner, described);
    // Details follow a comma: "pq, 2 parts".
    described->words.emplace(kind, text.substr(0, text.find(',')));
  }
}

Json ToJson(const FileInfo& info) {
  Json json = {{"metadata", info.metadata}, {"options", info.options}};
  for (const FileFact& fact : info.facts) {
    std::visit([&](const auto& value) { json[fact.name] = value; }, fact.value);
  }
  return json;
}

Described DescribeAll() {
  Described all;
  for (const fs::path& folder : VersionFolders()) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const auto info = DescribeFile(entry.path().string());
      if (!info.ok()) continue;
      all.kinds.insert(info->kind);
      const Json json = ToJson(*info);
      AddWords(info->kind, json, &all);
      if (json.contains("format")) {
        all.kinds.insert(absl::StrCat(info->kind, " in ",
                                      json["format"].get<std::string>()));
      }
    }
  }
  return all;
}

// Returns the kinds that "firth info" lists when it recognizes none.
std::vector<std::string> AllKinds() {
  const TempFolder folder;
  const std::string path = folder.Write("unknown", std::string(64, '\1'));
  const std::string message(DescribeFile(path).status().message());
  const size_t begin = message.find("expected one of ");
  const size_t end = message.find(" (", begin);
  if (begin == message.npos || end == message.npos) return {};
  const size_t first = begin + std::strlen("expected one of ");
  return absl::StrSplit(message.substr(first, end - first), ", ");
}

TEST(MuseumTest, HasEveryKindOfFile) {
  const Described described = DescribeAll();
  const std::vector<std::string> kinds = AllKinds();
  ASSERT_GT(kinds.size(), 10u);
  for (const std::string& kind : kinds) {
    // The list has contextual vectors once per file format.
    const std::string in_format =
        absl::StrReplaceAll(kind, {{" in .", " in "}, {"HDF5", "hdf5"}});
    EXPECT_TRUE(described.kinds.count(in_format))
        << "add \"" << kind << "\" to tests/museum/add";
  }
}

template <class Variant>
std::vector<std::string> NamesOf() {
  std::vector<std::string> names;
  for (const Variant& one : Alternatives<Variant>()) {
    std::visit([&](const auto& kind) { names.emplace_back(kind.kName); }, one);
  }
  return names;
}

template <class Names>
std::vector<std::string> ListOf(const Names& names) {
  return {std::begin(names), std::end(names)};
}

// Omits a default, which files do not contain.
std::vector<std::string> Without(absl::string_view name,
                                 std::vector<std::string> names) {
  EXPECT_EQ(std::erase(names, name), 1u) << name;
  return names;
}

std::vector<std::string> FormatNames() {
  std::vector<std::string> names;
  for (const VectorFormatInfo& format : VectorFormats()) {
    names.emplace_back(format.name);
  }
  return names;
}

std::vector<std::string> FormNames() {
  std::vector<std::string> names;
  for (const RowStore& rows : Alternatives<RowStore>()) {
    const std::string form = FormOf(rows);
    names.push_back(form.substr(0, form.find(',')));
  }
  return names;
}

// Whatever a file contains by its kind is a name in one of these lists, so that
// a new entry needs a file in the museum.
TEST(MuseumTest, HasEveryContentOfFiles) {
  const Described described = DescribeAll();
  struct Contents {
    const char* kind;
    std::vector<std::string> names;
  };
  constexpr char kModel[] = "language model";
  constexpr char kWriter[] = "sequence-to-sequence model";
  const Contents all[] = {{"vectors", FormatNames()},
                          {"vectors", NamesOf<SubwordOptions>()},
                          {"vectors", FormNames()},
                          {kModel, Without("recurrent", ListOf(kNetworkNames))},
                          {kModel, ListOf(kCellNames)},
                          {kModel, ListOf(kPositionNames)},
                          {kModel, ListOf(kNormPlaceNames)},
                          {kModel, ListOf(kActivationNames)},
                          {kModel, ListOf(kHeadNames)},
                          {kModel, ListOf(kPredictionNames)},
                          {kModel, Without("both", ListOf(kReadingNames))},
                          {kModel, ListOf(kCountSmoothingNames)},
                          {kWriter, ListOf(kNetworkNames)},
                          {kWriter, ListOf(kAttentionNames)},
                          {"classifier", ListOf(kLinkNames)},
                          {"tagger", {"crf", "hidden Markov model"}}};
  for (const Contents& contents : all) {
    for (const std::string& name : contents.names) {
      EXPECT_TRUE(described.words.count({contents.kind, name}))
          << "add a file of the kind " << contents.kind << " with \"" << name
          << "\" to tests/museum/add";
    }
  }
}

// Returns a .safetensors file of Firth with another version; nothing for
// another file.
std::string WithVersion(const std::string& file, const char* version) {
  uint64_t size = 0;
  if (file.size() < sizeof(size) + 1 || file[sizeof(size)] != '{') return "";
  std::memcpy(&size, file.data(), sizeof(size));
  Json header = Json::parse(file.substr(sizeof(size), size), nullptr, false);
  if (!header.is_object() || !header.contains("__metadata__")) return "";
  Json& metadata = header["__metadata__"];
  if (!absl::StartsWith(metadata.value("format", ""), "firth")) return "";
  metadata.erase("format_version");
  if (version != nullptr) metadata["format_version"] = version;
  std::string altered = header.dump();
  // Keeps the alignment of the tensors.
  altered.append((size + 64 - altered.size() % 64) % 64, ' ');
  const std::string tensors = file.substr(sizeof(size) + size);
  size = altered.size();
  return absl::StrCat(
      absl::string_view(reinterpret_cast<const char*>(&size), sizeof(size)),
      altered, tensors);
}

// Sets or removes the version of all files that have one. Returns their number.
size_t AlterVersions(const std::string& folder, const char* version) {
  size_t altered = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string path = entry.path().string();
    const std::string bytes = WithVersion(ReadWholeFile(path), version);
    if (bytes.empty()) continue;
    WriteWholeFile(path, bytes);
    ++altered;
  }
  return altered;
}

class VersionsTest : public ProgramTest {};

TEST_F(VersionsTest, AFileOfANewerVersionIsRejectedByEveryCommand) {
  const Copy copy(VersionFolders().back());
  ASSERT_GT(AlterVersions(copy.path(), "2"), 50u);
  for (const Exhibit& exhibit : ReadAnswers(VersionFolders().back())) {
    const std::string& command = exhibit.questions.front().command;
    if (!absl::StrContains(command, ".safetensors") &&
        !absl::StrContains(command, "saved-")) {
      continue;
    }
    SCOPED_TRACE(command);
    const Outcome outcome = copy.Run(command);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err,
                HasSubstr(".safetensors: expected a .safetensors file of Firth "
                          "of at most version 1, found version 2, written by a "
                          "newer version of Firth; upgrade Firth to read it"));
  }
}

TEST_F(VersionsTest, FilesWithoutAVersionAreRead) {
  const Copy copy(VersionFolders().back());
  ASSERT_GT(AlterVersions(copy.path(), nullptr), 50u);
  for (const auto& entry : fs::recursive_directory_iterator(copy.path())) {
    const std::string path = entry.path().string();
    if (!absl::EndsWith(path, ".safetensors")) continue;
    EXPECT_TRUE(DescribeFile(path).ok()) << DescribeFile(path).status();
  }
}

}  // namespace
}  // namespace firth
