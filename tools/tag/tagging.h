// Common parts of the commands that read or score tagged text.

#ifndef FIRTH_TOOLS_TAG_TAGGING_H_
#define FIRTH_TOOLS_TAG_TAGGING_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "cli/json.h"
#include "cli/option_set.h"
#include "firth/tag_scores.h"
#include "firth/tagged_text.h"
#include "firth/tagger.h"

namespace firth::tools {

// Number of sentences that are read and computed together.
inline constexpr size_t kMostSentences = 256;

// The form of tagged text.
struct TaggedForm {
  TextForm form = TextForm::kColumns;
  int token_column = 1;
  int tag_column = 0;

  // Declares the options. With `plain_text`, text without tags is the default
  // form, and tags are not read.
  void Declare(bool plain_text, OptionSet* options);
  TaggedTextOptions Of(std::vector<std::string> inputs, bool with_tags) const;
};

// Declares --input of a command that otherwise reads standard input.
void DeclareTexts(std::vector<std::string>* inputs, OptionSet* options);

// Prints a warning about a sentence that was left out.
void WarnOfLeftOut(const TaggedSentence& sentence);
// Prints the number of lines that are not tokens, if there are any.
void PrintPassedOver(const PassedOverLines& lines);

// Reads sentences, from standard input if there are no inputs, and visits them
// in blocks as they arrive. Prints which sentences were left out and how many
// lines are not tokens. Ends early if results cannot be written; the program
// reports that error when it ends. Errors: those of reading, and of `visit`.
absl::Status ForEachBlock(
    TaggedTextOptions text,
    absl::FunctionRef<absl::Status(std::vector<TaggedSentence>&)> visit);

// Declares --vectors and --contextualizer.
void DeclareTaggerInputs(TaggerInputs* inputs, OptionSet* options);

// Returns accuracy and, if tags mark spans, scores of each type.
std::string ScoresTable(const TagScores& scores);
Json ScoresJson(const TagScores& scores);
Json MixesJson(const std::vector<MixWeights>& mixes);
// Returns a text such as "0.45 0.13 0.42, gamma 2.50".
std::string MixText(const MixWeights& mix);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_TAG_TAGGING_H_
