// The demo's corpus and questions, made in memory from a grammar
// (datasets/demo.grammar), so that the demo needs no download.

#ifndef FIRTH_TOOLS_DEMO_DEMO_CORPUS_H_
#define FIRTH_TOOLS_DEMO_DEMO_CORPUS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth::tools {

// The content of datasets/demo.grammar, which the build compiles.
extern const char kDemoGrammar[];

// One sentence a line, words split by single spaces, until there are at least
// `words` words. The same bytes for the same arguments, on any machine.
// Errors: InvalidArgument, "grammar:LINE: expected ..., found ...".
//
// With `tagged`, each word has the kind of its place behind it: "bank/cash",
// "rivers/noun.many", and "the/-" for a word of the sentence's pattern.
absl::StatusOr<std::string> GenerateDemoCorpus(absl::string_view grammar,
                                               uint64_t words, uint64_t seed,
                                               bool tagged = false);

// The grammar's questions, in questions-words format: ": section" lines, else
// "a b c d" where a and c stand in one form, b and d in another, a and b in one
// row, c and d in another. Every row is asked with at most four others. Forms
// that several rows share are left out. Errors as above. For reading,
// datasets/demo.questions.txt has those of datasets/demo.grammar.
absl::StatusOr<std::string> GenerateDemoQuestions(absl::string_view grammar);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_DEMO_DEMO_CORPUS_H_
