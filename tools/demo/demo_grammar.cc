// Parses all lines in one pass. A line without indentation opens a block, and
// an indented one adds an entry to it. Names are declared before their use, so
// each slot is resolved immediately, while its line number is known.

#include "demo/demo_grammar.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

constexpr uint64_t kMaxShare = 1000000;

Words SplitWords(absl::string_view text) {
  return absl::StrSplit(text, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
}

bool IsName(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_islower(static_cast<unsigned char>(c));
  });
}

template <class Named>
const Named* FindNamed(const std::vector<Named>& items,
                       absl::string_view name) {
  const auto found =
      std::find_if(items.begin(), items.end(),
                   [name](const Named& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

class Parser {
 public:
  absl::StatusOr<DemoGrammar> Parse(absl::string_view text);

 private:
  enum class Block { kNone, kWords, kParadigm, kSentences, kQuestions };

  absl::Status ParseLine(absl::string_view line);
  absl::Status OpenBlock(absl::string_view line);
  absl::Status OpenWords(const Words& fields);
  absl::Status OpenParadigm(absl::string_view line);
  absl::Status OpenSentences(const Words& fields);
  absl::Status AddQuestions(const Words& fields);
  absl::Status CloseBlock();
  absl::Status AddEntry(absl::string_view line);
  absl::Status AddRow(absl::string_view line);
  absl::Status AddTemplate(absl::string_view line);
  absl::Status AddPieces(absl::string_view text, std::vector<Piece>* pieces);
  absl::Status AddSlot(absl::string_view slot, std::vector<Piece>* pieces);
  absl::Status ResolveForm(absl::string_view text, size_t* paradigm,
                           size_t* form);
  absl::Status CheckNewName(absl::string_view name);
  absl::Status Expected(absl::string_view what, absl::string_view found);

  DemoGrammar grammar_;
  Block block_ = Block::kNone;
  size_t line_ = 0;
  size_t block_line_ = 0;
  size_t block_entries_ = 0;
};

absl::Status Parser::Expected(absl::string_view what, absl::string_view found) {
  return absl::InvalidArgumentError(
      absl::StrCat("grammar:", line_, ": expected ", what, ", found ", found));
}

std::string Quoted(absl::string_view text) {
  return absl::StrCat("\"", text, "\"");
}

absl::StatusOr<DemoGrammar> Parser::Parse(absl::string_view text) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++line_;
    FIRTH_RETURN_IF_ERROR(ParseLine(line));
  }
  FIRTH_RETURN_IF_ERROR(CloseBlock());
  if (grammar_.sentences.empty()) {
    return Expected("a block of sentences", "none up to the end");
  }
  return std::move(grammar_);
}

absl::Status Parser::ParseLine(absl::string_view line) {
  const absl::string_view content = absl::StripAsciiWhitespace(line);
  if (content.empty() || content[0] == '#') return absl::OkStatus();
  if (line[0] == ' ' || line[0] == '\t') return AddEntry(content);
  return OpenBlock(content);
}

absl::Status Parser::OpenBlock(absl::string_view line) {
  FIRTH_RETURN_IF_ERROR(CloseBlock());
  block_line_ = line_;
  block_entries_ = 0;
  const Words fields = SplitWords(line);
  if (fields[0] == "words") return OpenWords(fields);
  if (fields[0] == "paradigm") return OpenParadigm(line);
  if (fields[0] == "sentences") return OpenSentences(fields);
  if (fields[0] == "questions") return AddQuestions(fields);
  return Expected("words, paradigm, sentences or questions", Quoted(fields[0]));
}

// Refuses a block without entries, from which nothing could be drawn.
absl::Status Parser::CloseBlock() {
  const bool needs_entries =
      block_ != Block::kNone && block_ != Block::kQuestions;
  if (!needs_entries || block_entries_ > 0) return absl::OkStatus();
  line_ = block_line_;
  return Expected("indented lines below", "none");
}

absl::Status Parser::CheckNewName(absl::string_view name) {
  if (!IsName(name)) return Expected("a name of letters a-z", Quoted(name));
  if (FindNamed(grammar_.classes, name) != nullptr ||
      FindNamed(grammar_.paradigms, name) != nullptr) {
    return Expected("a new name", Quoted(name));
  }
  return absl::OkStatus();
}

absl::Status Parser::OpenWords(const Words& fields) {
  if (fields.size() != 2) {
    return Expected("\"words NAME\"", absl::StrCat(fields.size(), " fields"));
  }
  FIRTH_RETURN_IF_ERROR(CheckNewName(fields[1]));
  block_ = Block::kWords;
  grammar_.classes.push_back({fields[1], {}});
  return absl::OkStatus();
}

absl::Status Parser::OpenParadigm(absl::string_view line) {
  const std::pair<absl::string_view, absl::string_view> halves =
      absl::StrSplit(line, absl::MaxSplits(':', 1));
  const Words head = SplitWords(halves.first);
  Paradigm paradigm;
  paradigm.forms = SplitWords(halves.second);
  if (head.size() != 2 || paradigm.forms.empty()) {
    return Expected("\"paradigm NAME: FORM FORM ...\"", Quoted(line));
  }
  FIRTH_RETURN_IF_ERROR(CheckNewName(head[1]));
  for (const absl::string_view form : paradigm.forms) {
    if (!IsName(form) || form == "own" ||
        std::count(paradigm.forms.begin(), paradigm.forms.end(), form) > 1) {
      return Expected("forms of letters a-z, each once, none called own",
                      Quoted(form));
    }
  }
  block_ = Block::kParadigm;
  paradigm.name = head[1];
  grammar_.paradigms.push_back(std::move(paradigm));
  return absl::OkStatus();
}

absl::Status Parser::OpenSentences(const Words& fields) {
  SentenceBlock sentences;
  if (fields.size() != 2 || !absl::SimpleAtoi(fields[1], &sentences.share) ||
      sentences.share == 0 || sentences.share > kMaxShare) {
    return Expected(absl::StrCat("\"sentences SHARE\", 1 to ", kMaxShare),
                    Quoted(fields.back()));
  }
  block_ = Block::kSentences;
  grammar_.sentences.push_back(std::move(sentences));
  return absl::OkStatus();
}

absl::Status Parser::AddQuestions(const Words& fields) {
  block_ = Block::kQuestions;
  if (fields.size() != 4 || !absl::EndsWith(fields[1], ":")) {
    return Expected("\"questions SECTION: PARADIGM.FORM PARADIGM.FORM\"",
                    absl::StrCat(fields.size(), " fields"));
  }
  QuestionSection section;
  section.name = absl::StripSuffix(fields[1], ":");
  size_t other = 0;
  FIRTH_RETURN_IF_ERROR(
      ResolveForm(fields[2], &section.paradigm, &section.from));
  FIRTH_RETURN_IF_ERROR(ResolveForm(fields[3], &other, &section.to));
  if (other != section.paradigm || section.from == section.to) {
    return Expected("two forms of one paradigm", Quoted(fields[3]));
  }
  grammar_.questions.push_back(section);
  return absl::OkStatus();
}

absl::Status Parser::AddEntry(absl::string_view line) {
  ++block_entries_;
  switch (block_) {
    case Block::kWords: {
      Words& words = grammar_.classes.back().words;
      const Words more = SplitWords(line);
      words.insert(words.end(), more.begin(), more.end());
      return absl::OkStatus();
    }
    case Block::kParadigm:
      return AddRow(line);
    case Block::kSentences:
      return AddTemplate(line);
    default:
      return Expected("a block", "an indented line that belongs to none");
  }
}

absl::Status Parser::AddRow(absl::string_view line) {
  const std::pair<absl::string_view, absl::string_view> halves =
      absl::StrSplit(line, absl::MaxSplits('|', 1));
  Paradigm& paradigm = grammar_.paradigms.back();
  Row row{SplitWords(halves.first), SplitWords(halves.second)};
  if (row.forms.size() != paradigm.forms.size()) {
    return Expected(absl::StrCat(paradigm.forms.size(), " forms"),
                    absl::StrCat(row.forms.size()));
  }
  if (row.own.empty()) return Expected("words of its own after |", "none");
  paradigm.rows.push_back(std::move(row));
  return absl::OkStatus();
}

absl::Status Parser::AddTemplate(absl::string_view line) {
  Template steps;
  bool has_word = false;  // Whether a word is in all alternatives.
  while (!line.empty()) {
    const size_t brace = line.find_first_of("{}");
    std::vector<Piece> pieces;
    FIRTH_RETURN_IF_ERROR(AddPieces(line.substr(0, brace), &pieces));
    has_word |= !pieces.empty();
    for (Piece& piece : pieces) steps.push_back({{piece}});
    if (brace == absl::string_view::npos) break;

    const size_t end = line.find_first_of("{}", brace + 1);
    if (line[brace] == '}' || end == absl::string_view::npos ||
        line[end] == '{') {
      return Expected("{ and } in pairs, none inside another",
                      Quoted(line.substr(brace)));
    }
    Step alternatives;
    for (const absl::string_view text :
         absl::StrSplit(line.substr(brace + 1, end - brace - 1), '|')) {
      FIRTH_RETURN_IF_ERROR(AddPieces(text, &alternatives.emplace_back()));
    }
    steps.push_back(std::move(alternatives));
    line.remove_prefix(end + 1);
  }
  if (!has_word) return Expected("a word outside of {}", "none");
  grammar_.sentences.back().templates.push_back(std::move(steps));
  return absl::OkStatus();
}

absl::Status Parser::AddPieces(absl::string_view text,
                               std::vector<Piece>* pieces) {
  for (const absl::string_view word : SplitWords(text)) {
    if (word[0] == '$') {
      FIRTH_RETURN_IF_ERROR(AddSlot(word.substr(1), pieces));
    } else if (word.find('|') != absl::string_view::npos) {
      return Expected("| only inside {}", Quoted(word));
    } else {
      pieces->push_back({Piece::Kind::kWord, word});
    }
  }
  return absl::OkStatus();
}

absl::Status Parser::AddSlot(absl::string_view slot,
                             std::vector<Piece>* pieces) {
  Piece piece;
  if (const WordClass* words = FindNamed(grammar_.classes, slot)) {
    piece.kind = Piece::Kind::kClass;
    piece.source = static_cast<size_t>(words - grammar_.classes.data());
    pieces->push_back(piece);
    return absl::OkStatus();
  }
  if (!absl::StrContains(slot, '.')) {
    return Expected("a word class or PARADIGM.FORM declared above",
                    absl::StrCat("\"$", slot, "\""));
  }
  absl::string_view paradigm = slot;
  piece.kind = absl::ConsumeSuffix(&paradigm, ".own") ? Piece::Kind::kOwn
                                                      : Piece::Kind::kForm;
  if (piece.kind == Piece::Kind::kOwn) {
    const Paradigm* found = FindNamed(grammar_.paradigms, paradigm);
    if (found == nullptr) {
      return Expected("a paradigm declared above", Quoted(paradigm));
    }
    piece.source = static_cast<size_t>(found - grammar_.paradigms.data());
  } else {
    FIRTH_RETURN_IF_ERROR(ResolveForm(slot, &piece.source, &piece.form));
  }
  pieces->push_back(piece);
  return absl::OkStatus();
}

// Converts "country.capital" to positions.
absl::Status Parser::ResolveForm(absl::string_view text, size_t* paradigm,
                                 size_t* form) {
  const std::pair<absl::string_view, absl::string_view> halves =
      absl::StrSplit(text, absl::MaxSplits('.', 1));
  const Paradigm* found = FindNamed(grammar_.paradigms, halves.first);
  if (found == nullptr) {
    return Expected("a paradigm declared above", Quoted(halves.first));
  }
  const auto at =
      std::find(found->forms.begin(), found->forms.end(), halves.second);
  if (at == found->forms.end()) {
    return Expected(absl::StrCat("a form of ", found->name),
                    Quoted(halves.second));
  }
  *paradigm = static_cast<size_t>(found - grammar_.paradigms.data());
  *form = static_cast<size_t>(at - found->forms.begin());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DemoGrammar> ParseDemoGrammar(absl::string_view text) {
  return Parser().Parse(text);
}

}  // namespace firth::tools
