// Parses the grammar of the demo's corpus. datasets/demo.grammar explains the
// syntax, and the structs correspond to its blocks.

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
  Words words;  // Most frequent first.
};

// One lemma: its forms, and words that occur near any of them.
struct Row {
  Words forms;  // One for each of Paradigm::forms.
  Words own;    // At least one.
};

struct Paradigm {
  absl::string_view name;
  Words forms;
  std::vector<Row> rows;  // Most frequent first.
};

// A word of a template, or a slot for which a word is drawn.
struct Piece {
  enum class Kind { kWord, kClass, kForm, kOwn };
  Kind kind = Kind::kWord;
  absl::string_view word;  // For kWord.
  size_t source = 0;       // Position in classes for kClass, else in paradigms.
  size_t form = 0;         // Position in Paradigm::forms for kForm.
};

// Alternatives, of which one is drawn. A plain word is the only one.
using Step = std::vector<std::vector<Piece>>;
using Template = std::vector<Step>;

struct SentenceBlock {
  uint64_t share = 0;  // Relative to the other blocks.
  std::vector<Template> templates;
};

struct QuestionSection {
  absl::string_view name;
  size_t paradigm = 0;
  size_t from = 0;  // Positions in Paradigm::forms.
  size_t to = 0;
};

struct DemoGrammar {
  std::vector<WordClass> classes;
  std::vector<Paradigm> paradigms;
  std::vector<SentenceBlock> sentences;  // No template is empty.
  std::vector<QuestionSection> questions;
};

// Parses a grammar. The result refers to `text`. Errors: InvalidArgument,
// "grammar:LINE: expected ..., found ...".
absl::StatusOr<DemoGrammar> ParseDemoGrammar(absl::string_view text);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_DEMO_DEMO_GRAMMAR_H_
