// The grammar of the demo's corpus, parsed. datasets/demo.grammar explains the
// syntax at its top; what is here mirrors it block by block.

#ifndef FIRTH_TOOLS_DEMO_DEMO_GRAMMAR_H_
#define FIRTH_TOOLS_DEMO_DEMO_GRAMMAR_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth::tools {

using Words = std::vector<absl::string_view>;

struct WordClass {
  absl::string_view name;
  Words words;  // the most frequent first
};

// One lemma: its forms, and the words found near any of them.
struct Row {
  Words forms;  // one for each of Paradigm::forms
  Words own;    // at least one
};

struct Paradigm {
  absl::string_view name;
  Words forms;
  std::vector<Row> rows;  // the most frequent first
};

// A word of a template, or a slot that a word is drawn for.
struct Piece {
  enum class Kind { kWord, kClass, kForm, kOwn };
  Kind kind = Kind::kWord;
  absl::string_view word;  // kWord
  size_t source = 0;       // kClass: position in classes; else in paradigms
  size_t form = 0;         // kForm: position in Paradigm::forms
};

// Alternatives, of which one is taken; a plain word is the only one.
using Step = std::vector<std::vector<Piece>>;
using Template = std::vector<Step>;

struct SentenceBlock {
  uint64_t share = 0;  // the block's weight among all blocks
  std::vector<Template> templates;
};

struct QuestionSection {
  absl::string_view name;
  size_t paradigm = 0;
  size_t from = 0;  // positions in Paradigm::forms
  size_t to = 0;
};

struct DemoGrammar {
  std::vector<WordClass> classes;
  std::vector<Paradigm> paradigms;
  std::vector<SentenceBlock> sentences;  // no template can come out empty
  std::vector<QuestionSection> questions;
};

// The result borrows `text`. Errors: InvalidArgument, "grammar:LINE: expected
// ..., found ...".
absl::StatusOr<DemoGrammar> ParseDemoGrammar(absl::string_view text);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_DEMO_DEMO_GRAMMAR_H_
