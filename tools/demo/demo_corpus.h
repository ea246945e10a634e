// Generates the demo's corpus and questions from a grammar
// (datasets/demo.grammar), so that the demo needs no download.

#ifndef FIRTH_TOOLS_DEMO_DEMO_CORPUS_H_
#define FIRTH_TOOLS_DEMO_DEMO_CORPUS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth::tools {

// The content of datasets/demo.grammar, compiled into the program.
extern const char kDemoGrammar[];

// Returns one sentence per line, with single spaces between words, until there
// are at least `words` words. Equal arguments give equal bytes on any machine.
// Errors: InvalidArgument, "grammar:LINE: expected ..., found ...".
//
// With `tagged`, each word is followed by its kind, such as "bank/cash" or
// "rivers/noun.many", or by "/-" if the sentence pattern contains the word.
absl::StatusOr<std::string> GenerateDemoCorpus(absl::string_view grammar,
                                               uint64_t words, uint64_t seed,
                                               bool tagged = false);

// Returns the grammar's questions in questions-words format: ": section" lines,
// and lines "a b c d". Words a and c have the first form, b and d the second,
// and each pair is one row. Each row is combined with at most four others.
// Forms that several rows share are left out. Errors as above. The result for
// datasets/demo.grammar is in datasets/demo.questions.txt.
absl::StatusOr<std::string> GenerateDemoQuestions(absl::string_view grammar);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_DEMO_DEMO_CORPUS_H_
