// Draws sentences from a parsed grammar.
//
// All arithmetic is on integers (splitmix64 and cumulative sums), so that a
// seed produces the same bytes with every compiler and library.

#include "demo/demo_corpus.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "demo/demo_grammar.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

// Zipf-Mandelbrot: the weight of rank r is 1 / (r + shift).
constexpr uint64_t kWordShift = 2;
constexpr uint64_t kRowShift = 12;
constexpr uint64_t kWeightUnit = 1 << 20;

// Maximum number of other rows with which each row forms questions.
constexpr size_t kQuestionsPerRow = 4;

// Splitmix64 (Steele, Lea and Flood 2014).
class Generator {
 public:
  explicit Generator(uint64_t seed) : state_(seed) {}

  // Returns a uniform number in [0, bound), where 0 < bound < 2^32.
  uint64_t Below(uint64_t bound) {
    uint64_t x = state_ += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return ((x ^ (x >> 31)) >> 32) * bound >> 32;
  }

 private:
  uint64_t state_;
};

// Draws positions with given weights.
class Lottery {
 public:
  void Add(uint64_t weight) {
    sums_.push_back((sums_.empty() ? 0 : sums_.back()) + weight);
  }

  size_t Draw(Generator& generator) const {
    const uint64_t ticket = generator.Below(sums_.back());
    return static_cast<size_t>(
        std::upper_bound(sums_.begin(), sums_.end(), ticket) - sums_.begin());
  }

 private:
  std::vector<uint64_t> sums_;
};

Lottery ZipfLottery(size_t ranks, uint64_t shift) {
  Lottery lottery;
  for (size_t rank = 0; rank < ranks; ++rank) {
    lottery.Add(kWeightUnit / (rank + shift));
  }
  return lottery;
}

class SentenceWriter {
 public:
  SentenceWriter(const DemoGrammar& grammar, uint64_t seed, bool tagged);

  // Appends a sentence and a line end to *out. Returns the number of words.
  uint64_t Append(std::string* out);

 private:
  // The row drawn from a paradigm for a sentence, and its next own word. Own
  // words are used in turn, so that a sentence repeats one only if it has more
  // slots than there are own words.
  struct Choice {
    const Row* row = nullptr;
    size_t next_own = 0;
  };

  absl::string_view Resolve(const Piece& piece);
  std::string Tag(const Piece& piece) const;
  Choice& ChoiceOf(size_t paradigm);

  const DemoGrammar& grammar_;
  Generator generator_;
  bool tagged_;
  Lottery blocks_;
  std::vector<Lottery> classes_;
  std::vector<Lottery> rows_;
  std::vector<Choice> choices_;  // One per paradigm; reset for each sentence.
};

SentenceWriter::SentenceWriter(const DemoGrammar& grammar, uint64_t seed,
                               bool tagged)
    : grammar_(grammar), generator_(seed), tagged_(tagged) {
  for (const SentenceBlock& block : grammar.sentences) blocks_.Add(block.share);
  for (const WordClass& words : grammar.classes) {
    classes_.push_back(ZipfLottery(words.words.size(), kWordShift));
  }
  for (const Paradigm& paradigm : grammar.paradigms) {
    rows_.push_back(ZipfLottery(paradigm.rows.size(), kRowShift));
  }
}

uint64_t SentenceWriter::Append(std::string* out) {
  const SentenceBlock& block = grammar_.sentences[blocks_.Draw(generator_)];
  const Template& steps =
      block.templates[generator_.Below(block.templates.size())];
  choices_.assign(grammar_.paradigms.size(), Choice());
  uint64_t words = 0;
  for (const Step& step : steps) {
    const size_t taken = step.size() == 1 ? 0 : generator_.Below(step.size());
    for (const Piece& piece : step[taken]) {
      const absl::string_view word = Resolve(piece);
      out->append(word.data(), word.size());
      if (tagged_) absl::StrAppend(out, "/", Tag(piece));
      out->push_back(' ');
      ++words;
    }
  }
  out->back() = '\n';
  return words;
}

absl::string_view SentenceWriter::Resolve(const Piece& piece) {
  switch (piece.kind) {
    case Piece::Kind::kWord:
      return piece.word;
    case Piece::Kind::kClass:
      return grammar_.classes[piece.source]
          .words[classes_[piece.source].Draw(generator_)];
    case Piece::Kind::kForm:
      return ChoiceOf(piece.source).row->forms[piece.form];
    case Piece::Kind::kOwn:
      break;
  }
  Choice& choice = ChoiceOf(piece.source);
  return choice.row->own[choice.next_own++ % choice.row->own.size()];
}

std::string SentenceWriter::Tag(const Piece& piece) const {
  if (piece.kind == Piece::Kind::kWord) return "-";
  if (piece.kind == Piece::Kind::kClass) {
    return std::string(grammar_.classes[piece.source].name);
  }
  const Paradigm& paradigm = grammar_.paradigms[piece.source];
  return absl::StrCat(
      paradigm.name, ".",
      piece.kind == Piece::Kind::kForm ? paradigm.forms[piece.form] : "own");
}

SentenceWriter::Choice& SentenceWriter::ChoiceOf(size_t paradigm) {
  Choice& choice = choices_[paradigm];
  if (choice.row == nullptr) {
    choice.row =
        &grammar_.paradigms[paradigm].rows[rows_[paradigm].Draw(generator_)];
    choice.next_own = generator_.Below(choice.row->own.size());
  }
  return choice;
}

// Returns the rows whose forms `from` and `to` occur in no other row.
std::vector<const Row*> RowsToAsk(const Paradigm& paradigm, size_t from,
                                  size_t to) {
  const auto unique = [&paradigm](const Row& row, size_t form) {
    return std::count_if(paradigm.rows.begin(), paradigm.rows.end(),
                         [&](const Row& other) {
                           return other.forms[form] == row.forms[form];
                         }) == 1;
  };
  std::vector<const Row*> rows;
  for (const Row& row : paradigm.rows) {
    if (unique(row, from) && unique(row, to)) rows.push_back(&row);
  }
  return rows;
}

// Combines each row with others at equal distances in the circle of rows, so
// that frequent rows meet rare ones.
void AppendQuestions(const std::vector<const Row*>& rows, size_t from,
                     size_t to, std::string* out) {
  if (rows.size() < 2) return;
  const size_t others = rows.size() - 1;
  const size_t asked = std::min(kQuestionsPerRow, others);
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t k = 0; k < asked; ++k) {
      const Row& row = *rows[i];
      const Row& other = *rows[(i + 1 + k * others / asked) % rows.size()];
      absl::StrAppend(out, row.forms[from], " ", row.forms[to], " ",
                      other.forms[from], " ", other.forms[to], "\n");
    }
  }
}

}  // namespace

absl::StatusOr<std::string> GenerateDemoCorpus(absl::string_view grammar,
                                               uint64_t words, uint64_t seed,
                                               bool tagged) {
  FIRTH_ASSIGN_OR_RETURN(const DemoGrammar parsed, ParseDemoGrammar(grammar));
  SentenceWriter writer(parsed, seed, tagged);
  std::string corpus;
  for (uint64_t written = 0; written < words;) {
    written += writer.Append(&corpus);
  }
  return corpus;
}

absl::StatusOr<std::string> GenerateDemoQuestions(absl::string_view grammar) {
  FIRTH_ASSIGN_OR_RETURN(const DemoGrammar parsed, ParseDemoGrammar(grammar));
  std::string questions;
  for (const QuestionSection& section : parsed.questions) {
    absl::StrAppend(&questions, ": ", section.name, "\n");
    AppendQuestions(
        RowsToAsk(parsed.paradigms[section.paradigm], section.from, section.to),
        section.from, section.to, &questions);
  }
  return questions;
}

}  // namespace firth::tools
