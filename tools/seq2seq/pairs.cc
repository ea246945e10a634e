#include "seq2seq/pairs.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/console.h"
#include "cli/human.h"

namespace firth::tools {

void PairColumns::Declare(bool with_targets, OptionSet* options) {
  options->Integer("source-column", &source_column, 0, 1000,
                   "number of the column with the source, counted from 1, in "
                   "lines whose columns are separated by tabs; 0 means the "
                   "whole line");
  if (with_targets) {
    options->Integer("target-column", &target_column, 1, 1000,
                     "number of the column with the target, unless the targets "
                     "are in a file of their own");
  }
  options->Integer("label-column", &label_column, 0, 1000,
                   "number of a column with labels, separated by semicolons, "
                   "that the source begins with, such as N;DAT;PL; 0 means "
                   "none");
  options->Text("prefix", "TEXT", &prefix,
                "begin every source with these words, such as the name of a "
                "task");
  options->Integer("max-length", &max_tokens, 1, 65536,
                   "maximum number of tokens of a source or target; longer "
                   "pairs are left out");
}

ParallelTextOptions PairColumns::Of(std::vector<std::string> inputs,
                                    std::vector<std::string> targets,
                                    const TokenOptions& tokens) const {
  ParallelTextOptions options;
  options.inputs = std::move(inputs);
  options.targets = std::move(targets);
  options.source_column = source_column;
  options.target_column = target_column;
  options.label_column = label_column;
  options.prefix = prefix;
  options.tokens = tokens;
  options.max_tokens = max_tokens;
  return options;
}

void PrintLeftOut(const LeftOutPairs& left_out) {
  const auto print = [](uint64_t count, const char* why,
                        const std::string& first) {
    if (count == 0) return;
    PrintNote(absl::StrCat("  skipped  ", Counted(count, "pair"), " ", why,
                           ", the first at ", Visible(first), "\n"));
  };
  print(left_out.empty, "with an empty side", left_out.first_empty);
  print(left_out.too_long, "longer than --max-length", left_out.first_too_long);
}

std::string ScoresTable(const TextScores& scores) {
  const Bleu& bleu = scores.bleu;
  return absl::StrFormat(
      "BLEU   %.2f  (%.1f/%.1f/%.1f/%.1f, brevity penalty %.3f, %d and %d "
      "tokens)\n"
      "       %s\n"
      "chrF   %.2f\n"
      "exact  %s  (%s)\n"
      "edits  %.3f characters per text\n",
      bleu.score, bleu.precisions[0], bleu.precisions[1], bleu.precisions[2],
      bleu.precisions[3], bleu.brevity_penalty, bleu.length,
      bleu.reference_length, bleu.signature, scores.chrf,
      ShareText(scores.exact), Counted(scores.texts, "text"),
      scores.edit_distance);
}

Json ScoresJson(const TextScores& scores) {
  const Bleu& bleu = scores.bleu;
  return {{"texts", scores.texts},
          {"bleu",
           {{"score", bleu.score},
            {"precisions", bleu.precisions},
            {"brevity_penalty", bleu.brevity_penalty},
            {"length", bleu.length},
            {"reference_length", bleu.reference_length},
            {"signature", bleu.signature}}},
          {"chrf", scores.chrf},
          {"exact", scores.exact},
          {"edit_distance", scores.edit_distance}};
}

}  // namespace firth::tools
