// Options and output that the tag commands share: forms of tagged text, inputs
// of a tagger, and scores.

#include "tag/tagging.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/console.h"
#include "cli/human.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

Json SpansJson(const FoundCounts& counts) {
  return {{"gold", counts.gold},       {"found", counts.found},
          {"correct", counts.correct}, {"precision", counts.precision()},
          {"recall", counts.recall()}, {"f1", counts.f1()}};
}

}  // namespace

void TaggedForm::Declare(bool plain_text, OptionSet* options) {
  std::vector<std::pair<std::string, TextForm>> forms = {
      {"columns", TextForm::kColumns},
      {"conllu", TextForm::kConllu},
      {"slashes", TextForm::kSlashes}};
  if (plain_text) {
    forms.insert(forms.begin(), {"text", TextForm::kText});
    form = TextForm::kText;
  }
  options
      ->Choice<TextForm>(
          "form", &form, std::move(forms),
          plain_text
              ? "choose the form of the input: text (one sentence per line), "
                "columns (CoNLL, one token per line, with empty lines between "
                "sentences), conllu (CoNLL-U, whose comments, multi-word "
                "tokens and empty nodes are not read as tokens) or slashes "
                "(word/tag pairs, one sentence per line)"
              : "choose the form of the input: columns (CoNLL, one token per "
                "line, with empty lines between sentences), conllu (CoNLL-U, "
                "which is also detected by its content) or slashes (word/tag "
                "pairs, one sentence per line)")
      .Everyday();
  options
      ->Integer("token-column", &token_column, 0, 1000000,
                "number of the column with the tokens, counted from 1; 0 means "
                "the last column. In CoNLL-U, 1 means FORM (the second)")
      .GoesWith({"form"}, {"columns", "conllu"});
  if (plain_text) return;  // No tags are read.
  options
      ->Integer("tag-column", &tag_column, 0, 1000000,
                "number of the column with the tags, counted from 1; 0 means "
                "the last column, or UPOS (the fourth) in CoNLL-U")
      .GoesWith({"form"}, {"columns", "conllu"});
}

TaggedTextOptions TaggedForm::Of(std::vector<std::string> inputs,
                                 bool with_tags) const {
  return {std::move(inputs), form, with_tags, token_column, tag_column, -1};
}

void WarnOfLeftOut(const TaggedSentence& sentence) {
  if (sentence.left_out.empty()) return;
  PrintMessage(absl::StrCat("warning: ", sentence.left_out,
                            "; the sentence is left out"));
}

void PrintPassedOver(const PassedOverLines& lines) {
  if (lines.comments + lines.multiword_tokens + lines.empty_nodes == 0) return;
  PrintNote(
      absl::StrCat("  skipped  ", Counted(lines.comments, "comment"), ", ",
                   Counted(lines.multiword_tokens, "multi-word token"), " and ",
                   Counted(lines.empty_nodes, "empty node"), " of CoNLL-U\n"));
}

void DeclareTexts(std::vector<std::string>* inputs, OptionSet* options) {
  options
      ->Paths("input", "FILE", inputs, Reads(),
              "path to texts to read instead of standard input")
      .Everyday();
}

absl::Status ForEachBlock(
    TaggedTextOptions text,
    absl::FunctionRef<absl::Status(std::vector<TaggedSentence>&)> visit) {
  if (text.inputs.empty()) text.inputs = {"-"};
  FIRTH_ASSIGN_OR_RETURN(TaggedTextReader reader, TaggedTextReader::Open(text));
  for (;;) {
    FIRTH_ASSIGN_OR_RETURN(std::vector<TaggedSentence> sentences,
                           reader.Next(kMostSentences));
    if (sentences.empty()) break;
    for (const TaggedSentence& sentence : sentences) WarnOfLeftOut(sentence);
    FIRTH_RETURN_IF_ERROR(visit(sentences));
    if (!FlushResults().ok()) return absl::OkStatus();
  }
  PrintPassedOver(reader.passed_over());
  return absl::OkStatus();
}

void DeclareTaggerInputs(TaggerInputs* inputs, OptionSet* options) {
  options
      ->Path("vectors", "FILE", &inputs->vectors, Reads(),
             "path to static vectors in any format; a token is looked up as "
             "written, then in lower case, then built from its n-grams")
      .Everyday();
  options
      ->Path("contextualizer", "MODEL", &inputs->contextualizer, Reads(),
             "path to a language model that \"firth lm train\" wrote; its "
             "layers are mixed")
      .Everyday();
}

std::string ScoresTable(const TagScores& scores) {
  std::string text = absl::StrFormat(
      "accuracy %s  (%s of %s)\n", ShareText(scores.accuracy()),
      Thousands(scores.correct), Counted(scores.tokens, "token"));
  if (!scores.has_spans) return text;
  std::vector<std::pair<std::string, FoundCounts>> rows(scores.types.begin(),
                                                        scores.types.end());
  rows.emplace_back("all", scores.spans);
  return absl::StrCat(text, FoundTable("spans", rows));
}

Json ScoresJson(const TagScores& scores) {
  Json json = {{"tokens", scores.tokens},
               {"correct", scores.correct},
               {"accuracy", scores.accuracy()}};
  if (!scores.has_spans) return json;
  json["spans"] = SpansJson(scores.spans);
  for (const auto& [type, counts] : scores.types) {
    json["types"][type] = SpansJson(counts);
  }
  return json;
}

Json MixesJson(const std::vector<MixWeights>& mixes) {
  Json json = Json::array();
  for (const MixWeights& mix : mixes) {
    json.push_back({{"shares", mix.shares}, {"gamma", mix.gamma}});
  }
  return json;
}

std::string MixText(const MixWeights& mix) {
  std::string text;
  for (const double share : mix.shares) {
    absl::StrAppendFormat(&text, "%.2f ", share);
  }
  text.pop_back();
  return absl::StrFormat("%s, gamma %.2f", text, mix.gamma);
}

}  // namespace firth::tools
