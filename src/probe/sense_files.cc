// Files of words with senses. They are lines of tokens or Senseval-2 files
// about one word, or texts whose words have WordNet senses, in the format of
// SemCor or of the framework of Raganato et al. ("Word sense disambiguation: a
// unified evaluation framework and empirical comparison", EACL 2017).
//
// The latter two consist of tags with attributes, each followed by text:
//
//   <s snum=1>                              SemCor: a sentence begins
//   <wf cmd=done lemma=say lexsn=2:32:00::>said</wf>   a word; its sense key is
//   <punc>.</punc></s>                      lemma%lexsn
//
//   <sentence id="d000.s000">               the framework
//   <wf lemma="that" pos="DET">That</wf>
//   <instance id="d000.s000.t000" lemma="man" pos="NOUN">man</instance>
//   </sentence>                             the keys are in another file

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/mapped_file.h"
#include "base/quote.h"
#include "firth/probe.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

constexpr size_t kManyLines = 1024;

std::string WithoutEntities(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"&lt;", "<"},
                                    {"&gt;", ">"},
                                    {"&quot;", "\""},
                                    {"&apos;", "'"},
                                    {"&amp;", "&"}});
}

absl::Status Unexpected(const std::string& path, size_t line,
                        absl::string_view expected, absl::string_view found) {
  return absl::InvalidArgumentError(absl::StrCat(
      path, ":", line, ": expected ", expected, ", found ", Quote(found)));
}

// Returns the quoted value after senseid= in the line, or "" if there is none.
std::string SenseId(absl::string_view line) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits("senseid=\"", 1));
  if (parts.size() < 2) return "";
  return std::string(parts[1].substr(0, parts[1].find('"')));
}

// Parses a Senseval line. Its tokens are the text between its tags, and <head>
// encloses the word.
SenseInstance ParseContext(absl::string_view line) {
  SenseInstance instance;
  for (const absl::string_view part : absl::StrSplit(line, '<')) {
    const size_t end = part.find('>');
    if (end == part.npos) continue;
    if (part.substr(0, end) == "head") {
      instance.position = instance.tokens.size();
    }
    for (const absl::string_view token :
         absl::StrSplit(part.substr(end + 1), ' ', absl::SkipEmpty())) {
      instance.tokens.push_back(WithoutEntities(token));
    }
  }
  return instance;
}

class SenseReader {
 public:
  explicit SenseReader(std::string path) : path_(std::move(path)) {}

  absl::Status Add(const std::vector<std::string>& words) {
    ++line_;
    if (words.empty()) return absl::OkStatus();
    if (line_ == 1) senseval_ = absl::StartsWith(words[0], "<");
    return senseval_ ? AddSenseval(absl::StrJoin(words, " ")) : AddPlain(words);
  }
  std::vector<SenseInstance> instances() && { return std::move(instances_); }

 private:
  absl::Status AddPlain(const std::vector<std::string>& words) {
    uint64_t position = 0;
    if (words.size() < 3 || !absl::SimpleAtoi(words[1], &position) ||
        position == 0 || position > words.size() - 2) {
      return Unexpected(
          path_, line_,
          "a sense, the position of the word from 1, and the tokens",
          absl::StrJoin(words, " "));
    }
    instances_.push_back(
        {words[0], position - 1, {words.begin() + 2, words.end()}});
    return absl::OkStatus();
  }

  absl::Status AddSenseval(const std::string& line) {
    if (absl::StrContains(line, "<answer")) sense_ = SenseId(line);
    if (!absl::StrContains(line, "<head>")) return absl::OkStatus();
    SenseInstance instance = ParseContext(line);
    if (sense_.empty() || instance.position >= instance.tokens.size()) {
      return Unexpected(path_, line_,
                        "a word in <head> after an <answer senseid>", line);
    }
    instance.sense = std::exchange(sense_, "");
    instances_.push_back(std::move(instance));
    return absl::OkStatus();
  }

  std::string path_;
  size_t line_ = 0;
  bool senseval_ = false;
  std::string sense_;  // of the next context
  std::vector<SenseInstance> instances_;
};

// One tag of a text, with the text from it to the next tag.
struct Tag {
  absl::string_view name;
  absl::string_view attributes;
  absl::string_view text;
  size_t line = 0;
};

// Iterates over the tags of a file.
class Tags {
 public:
  explicit Tags(const MappedFile& file) : rest_(file.bytes()) {
    SkipTo(std::min(rest_.find('<'), rest_.size()));
  }

  // Returns nothing after the last one.
  std::optional<Tag> Next() {
    if (rest_.empty()) return std::nullopt;
    Tag tag;
    tag.line = line_;
    const size_t end = std::min(rest_.find('>'), rest_.size());
    const size_t next = std::min(rest_.find('<', end), rest_.size());
    const absl::string_view inner = rest_.substr(1, end - 1);
    tag.name = inner.substr(0, inner.find_first_of(" \t\n"));
    tag.attributes = inner.substr(tag.name.size());
    if (end < next) tag.text = rest_.substr(end + 1, next - end - 1);
    SkipTo(next);
    return tag;
  }

 private:
  void SkipTo(size_t end) {
    line_ += static_cast<size_t>(std::count(
        rest_.begin(), rest_.begin() + static_cast<ptrdiff_t>(end), '\n'));
    rest_.remove_prefix(end);
  }

  absl::string_view rest_;
  size_t line_ = 1;
};

// Returns the value of name=value or name="value", or "" if there is none.
std::string AttributeOf(const Tag& tag, absl::string_view name) {
  absl::string_view rest = tag.attributes;
  while (!(rest = absl::StripLeadingAsciiWhitespace(rest)).empty()) {
    const absl::string_view key = rest.substr(0, rest.find('='));
    rest.remove_prefix(std::min(key.size() + 1, rest.size()));
    const bool quoted = absl::ConsumePrefix(&rest, "\"");
    const absl::string_view value =
        rest.substr(0, quoted ? rest.find('"') : rest.find_first_of(" \t\n"));
    if (key == name) return WithoutEntities(value);
    rest.remove_prefix(std::min(value.size() + (quoted ? 1 : 0), rest.size()));
  }
  return "";
}

// Returns "bank%1" for the key "bank%1:17:01::". WordNet's satellite adjectives
// (5) are treated like its other adjectives (3).
std::string WordOfKey(absl::string_view key) {
  const size_t percent = std::min(key.rfind('%'), key.size());
  const absl::string_view kind =
      key.substr(std::min(percent + 1, key.size()), 1);
  return absl::StrCat(key.substr(0, percent), "%", kind == "5" ? "3" : kind);
}

// Collects the words and sentences of one text.
class SensedReader {
 public:
  explicit SensedReader(std::string path) : path_(std::move(path)) {}

  void EndSentence() {
    if (!sentence_.tokens.empty()) sentences_.push_back(std::move(sentence_));
    sentence_ = {};
  }
  // Adds the tokens of a tag, which are separated by "_" or spaces. Without
  // `senses`, they are ordinary words.
  void Add(const Tag& tag, std::string word, std::vector<std::string> senses) {
    const std::string text = WithoutEntities(tag.text);
    std::vector<std::string> tokens =
        absl::StrSplit(text, absl::ByAnyChar("_ \t\n"), absl::SkipEmpty());
    if (tokens.empty()) return;
    if (!senses.empty()) {
      sentence_.words.push_back({sentence_.tokens.size(), tokens.size(),
                                 std::move(word), std::move(senses)});
    }
    for (std::string& token : tokens) {
      sentence_.tokens.push_back(std::move(token));
    }
  }
  absl::Status Bad(const Tag& tag, absl::string_view expected) const {
    return Unexpected(path_, tag.line, expected,
                      absl::StrCat("<", tag.name, tag.attributes, ">"));
  }
  const std::string& path() const { return path_; }

  absl::StatusOr<std::vector<SensedSentence>> Take() && {
    EndSentence();
    if (!sentences_.empty()) return std::move(sentences_);
    return absl::InvalidArgumentError(
        absl::StrCat(path_, ": the file contains no sentences"));
  }

 private:
  std::string path_;
  SensedSentence sentence_;
  std::vector<SensedSentence> sentences_;
};

// Words whose sense could not be determined have the number 0 or less.
absl::Status ReadSemcor(const MappedFile& file, SensedReader* reader) {
  Tags tags(file);
  while (const std::optional<Tag> tag = tags.Next()) {
    if (tag->name == "s") reader->EndSentence();
    if (tag->name == "punc") reader->Add(*tag, "", {});
    if (tag->name != "wf") continue;
    const std::string lemma = AttributeOf(*tag, "lemma");
    const std::string number = AttributeOf(*tag, "wnsn");
    std::vector<std::string> keys;
    if (!lemma.empty() && number != "0" && !absl::StartsWith(number, "-")) {
      for (const absl::string_view sense :
           absl::StrSplit(AttributeOf(*tag, "lexsn"), ';', absl::SkipEmpty())) {
        keys.push_back(absl::StrCat(absl::AsciiStrToLower(lemma), "%", sense));
      }
    }
    std::string word = keys.empty() ? "" : WordOfKey(keys.front());
    reader->Add(*tag, std::move(word), std::move(keys));
  }
  return absl::OkStatus();
}

using Keys = absl::flat_hash_map<std::string, std::vector<std::string>>;

// Reads lines that contain the id of an instance and its keys.
absl::StatusOr<Keys> ReadKeys(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  Keys keys;
  size_t number = 0;
  for (const absl::string_view line : absl::StrSplit(file->bytes(), '\n')) {
    ++number;
    std::vector<std::string> fields =
        absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (fields.empty()) continue;
    if (fields.size() < 2) {
      return Unexpected(path, number, "an id and the keys of its senses", line);
    }
    const std::string id = fields.front();
    fields.erase(fields.begin());
    keys[id] = std::move(fields);
  }
  return keys;
}

// Returns WordNet's number of the part of speech, or "" for any other.
std::string NumberOf(absl::string_view part_of_speech) {
  constexpr std::pair<absl::string_view, const char*> kNumbers[] = {
      {"NOUN", "1"}, {"VERB", "2"}, {"ADJ", "3"}, {"ADV", "4"}};
  for (const auto& [name, number] : kNumbers) {
    if (name == part_of_speech) return number;
  }
  return "";
}

absl::Status ReadFramework(const MappedFile& file, SensedReader* reader) {
  absl::string_view stem = reader->path();
  absl::ConsumeSuffix(&stem, ".data.xml");
  const std::string keys_path = absl::StrCat(stem, ".gold.key.txt");
  FIRTH_ASSIGN_OR_RETURN(const Keys keys, ReadKeys(keys_path));
  Tags tags(file);
  while (const std::optional<Tag> tag = tags.Next()) {
    if (tag->name == "sentence") reader->EndSentence();
    if (tag->name == "wf") reader->Add(*tag, "", {});
    if (tag->name != "instance") continue;
    const std::string lemma = AttributeOf(*tag, "lemma");
    const std::string number = NumberOf(AttributeOf(*tag, "pos"));
    const auto found = keys.find(AttributeOf(*tag, "id"));
    if (lemma.empty() || number.empty()) {
      return reader->Bad(*tag,
                         "an instance with lemma and pos (NOUN, VERB, ADJ or "
                         "ADV)");
    }
    if (found == keys.end()) {
      return reader->Bad(
          *tag, absl::StrCat("an instance whose id is in ", keys_path));
    }
    reader->Add(*tag, absl::StrCat(absl::AsciiStrToLower(lemma), "%", number),
                found->second);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<SenseInstance>> ReadSenses(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(
      TaggedTextReader lines,
      TaggedTextReader::Open(
          {.inputs = {path}, .form = TextForm::kText, .with_tags = false}));
  SenseReader reader(path);
  for (;;) {
    FIRTH_ASSIGN_OR_RETURN(const std::vector<TaggedSentence> some,
                           lines.Next(kManyLines));
    if (some.empty()) return std::move(reader).instances();
    for (const TaggedSentence& line : some) {
      FIRTH_RETURN_IF_ERROR(reader.Add(line.tokens));
    }
  }
}

absl::StatusOr<std::vector<SensedSentence>> ReadSensedText(
    const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  const absl::string_view begin =
      absl::StripLeadingAsciiWhitespace(file->bytes());
  SensedReader reader(path);
  if (absl::StartsWith(begin, "<contextfile")) {
    FIRTH_RETURN_IF_ERROR(ReadSemcor(*file, &reader));
  } else if (absl::StartsWith(begin, "<?xml") ||
             absl::StartsWith(begin, "<corpus")) {
    FIRTH_RETURN_IF_ERROR(ReadFramework(*file, &reader));
  } else {
    return Unexpected(path, 1, "a text of SemCor (<contextfile>) or XML",
                      begin.substr(0, 32));
  }
  return std::move(reader).Take();
}

absl::StatusOr<std::map<std::string, std::string>> ReadFirstSenses(
    const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  std::map<std::string, std::string> first;
  size_t number = 0;
  for (const absl::string_view line : absl::StrSplit(file->bytes(), '\n')) {
    ++number;
    const std::vector<absl::string_view> fields =
        absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (fields.empty()) continue;
    uint64_t sense = 0;
    if (fields.size() != 4 || !absl::StrContains(fields[0], '%') ||
        !absl::SimpleAtoi(fields[2], &sense)) {
      return Unexpected(path, number,
                        "a sense key and three numbers, as in WordNet's "
                        "index.sense",
                        line);
    }
    if (sense == 1) first[WordOfKey(fields[0])] = std::string(fields[0]);
  }
  return first;
}

}  // namespace firth
