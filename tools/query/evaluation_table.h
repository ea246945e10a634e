// The results of an evaluation as tables for people.

#ifndef FIRTH_TOOLS_QUERY_EVALUATION_TABLE_H_
#define FIRTH_TOOLS_QUERY_EVALUATION_TABLE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "firth/align.h"
#include "firth/evaluate.h"
#include "firth/query.h"

namespace firth::tools {

// Said of test sets that are looked up in lower case unasked.
inline constexpr absl::string_view kFoldedNote =
    "the vocabulary has no capital letters: words of the test sets are "
    "converted to lower case";

// A row a section, subtotals where there are semantic and syntactic ones, and
// the total.
std::string AnalogyTable(const AnalogyResult& result);

// A row a file.
std::string SimilarityTable(const std::vector<SimilarityResult>& results);

// A row a section, then the total: two models on the questions that both could
// be asked, and how many each could.
std::string PairedTable(const std::vector<PairedAccuracy>& sections,
                        const AnalogyResult& first,
                        const AnalogyResult& second);

// A row a file.
std::string PairedTable(const std::vector<std::string>& files,
                        const std::vector<PairedCorrelation>& results);

// Precision at each rank, and what of the dictionary was asked.
std::string TranslationTable(const TranslationResult& result);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_QUERY_EVALUATION_TABLE_H_
