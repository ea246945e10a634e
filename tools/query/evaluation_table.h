// Formats the results of an evaluation as tables for people.

#ifndef FIRTH_TOOLS_QUERY_EVALUATION_TABLE_H_
#define FIRTH_TOOLS_QUERY_EVALUATION_TABLE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "cli/json.h"
#include "firth/align.h"

namespace firth::tools {

// Message for test sets that are converted to lower case automatically.
inline constexpr absl::string_view kFoldedNote =
    "the vocabulary has no capital letters: words of the test sets are "
    "converted to lower case";

// Returns the results of a file of analogies as a table with one row per
// section, subtotals if there are semantic and syntactic sections, and the
// total. `file` is an item of "analogies" in the answer to the question "eval".
std::string AnalogyTable(const Json& file);

// Returns the whole answer as tables. If two models are compared, the
// comparison replaces their individual results, and `names` are their names.
std::string EvaluationText(const Json& answer,
                           const std::vector<std::string>& names);

// Returns whether words of a test set were converted to lower case.
bool IsFolded(const Json& answer);

// Returns a table of the precision at each rank, and the fraction of the
// dictionary that was used.
std::string TranslationTable(const TranslationResult& result);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_QUERY_EVALUATION_TABLE_H_
