// Options and output that the seq2seq commands share.

#ifndef FIRTH_TOOLS_SEQ2SEQ_PAIRS_H_
#define FIRTH_TOOLS_SEQ2SEQ_PAIRS_H_

#include <string>
#include <vector>

#include "cli/json.h"
#include "cli/option_set.h"
#include "firth/parallel_text.h"
#include "firth/text_scores.h"

namespace firth::tools {

// Which part of a line is which.
struct PairColumns {
  int source_column = 1;
  int target_column = 2;
  int label_column = 0;
  std::string prefix;
  uint64_t max_tokens = 500;

  void Declare(bool with_targets, OptionSet* options);
  ParallelTextOptions Of(std::vector<std::string> inputs,
                         std::vector<std::string> targets,
                         const TokenOptions& tokens) const;
};

// Prints how many pairs were left out, if there are any.
void PrintLeftOut(const LeftOutPairs& left_out);

// Returns scores as a table, and as JSON.
std::string ScoresTable(const TextScores& scores);
Json ScoresJson(const TextScores& scores);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SEQ2SEQ_PAIRS_H_
