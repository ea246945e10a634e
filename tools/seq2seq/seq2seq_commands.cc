// The commands that use a sequence-to-sequence model: firth seq2seq apply and
// eval.

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ask/text_asker.h"
#include "cli/console.h"
#include "cli/json.h"
#include "command.h"
#include "firth/seq2seq.h"
#include "firth/status_macros.h"
#include "seq2seq/pairs.h"
#include "tag/tagging.h"

namespace firth::tools {
namespace {

constexpr size_t kManySources = 256;
constexpr size_t kMostTokens = 65536;  // of a text that is compared

constexpr CommandText kSeq2SeqApplyText = {
    "seq2seq apply", "write a text for each text that is read",
    "MODEL [OPTION...] <TEXT",
    "Reads sources from standard input as they arrive, one per line, and "
    "writes the best text that beam search finds for each. The model "
    "determines how lines are split into tokens. With --best above 1, each "
    "result is a line with the number of its source, ln p and the text, "
    "separated by tabs. With --json, each source gives an object with all "
    "results. An empty line gives an empty line, or none with --best. A line "
    "that is too long is "
    "left out with a warning and gives an empty line or, with --json, an "
    "object with only an \"error\".\n\n"
    "  echo \"ein hund rennt\" | firth seq2seq apply translator.safetensors\n"
    "  firth seq2seq apply inflector.safetensors --label-column 2 <lemmas.tsv"
    "\n\nThe weights with which the model attended to the source are part of "
    "the JSON with --attention, and \"firth plot\" draws them:\n\n"
    "  echo \"ein hund rennt\" | firth seq2seq apply translator.safetensors "
    "\\\n"
    "    --json --attention >attention.json\n"
    "  firth plot attention.json --output attention.svg"};

class Seq2SeqApplyCommand : public CommandWith<kSeq2SeqApplyText> {
 public:
  void Declare(OptionSet* options) override {
    DeclareTexts(&inputs_, options);
    columns_.Declare(/*with_targets=*/false, options);
    options->Switch("json", &json_, "print one JSON object per source")
        .Everyday();
    options
        ->Switch("attention", &options_.attention,
                 "add the attention weights between source and result")
        .GoesWith({"json"})
        .Everyday();
    options->Section("Search");
    options->Fields(&fields_);
    options->Arguments("MODEL", 1, 1, &arguments_, {{"MODEL", Reads()}});
  }

  absl::Status Check(const OptionSet&) override { return options_.Validate(); }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(Seq2Seq loaded, Seq2Seq::Load(arguments_[0]));
    const auto opened = std::make_shared<OpenedSeq2Seq>(std::move(loaded));
    ParallelTextOptions text =
        columns_.Of(inputs_.empty() ? std::vector<std::string>{"-"} : inputs_,
                    {}, opened->model.tokens());
    text.with_targets = false;
    text.keep_all = true;
    FIRTH_ASSIGN_OR_RETURN(ParallelTextReader reader,
                           ParallelTextReader::Open(text));
    TextAsker asker("seq2seq");
    asker.SetFields(fields_);
    *std::get<bool*>(asker.fields().At("attention")) = options_.attention;
    for (uint64_t line = 1;;) {
      FIRTH_ASSIGN_OR_RETURN(const std::vector<TextPair> pairs,
                             reader.Next(kManySources));
      if (pairs.empty()) break;
      for (const TextPair& pair : pairs) {
        if (pair.left_out.empty()) continue;
        PrintMessage(
            absl::StrCat("warning: ", pair.left_out, "; the line is left out"));
      }
      if (json_) {
        PrintAnswers(pairs, opened, &asker);
      } else {
        FIRTH_RETURN_IF_ERROR(PrintTexts(pairs, &opened->model, &line));
      }
      if (!FlushResults().ok()) break;
    }
    return asker.failed() ? ExitCode::kFailed : ExitCode::kDone;
  }

 private:
  static void PrintAnswers(const std::vector<TextPair>& pairs,
                           const std::shared_ptr<const OpenedSeq2Seq>& model,
                           TextAsker* asker) {
    for (const TextPair& pair : pairs) {
      if (!pair.left_out.empty()) {
        asker->AddError(pair.left_out);
        continue;
      }
      const FieldEditor request(*FindQuestion("seq2seq")->request,
                                asker->Add());
      *std::get<std::vector<std::string>*>(request.At("words")) = pair.source;
    }
    for (const std::string& line : asker->Answer({"", model})) {
      Print(line + "\n");
    }
  }

  absl::Status PrintTexts(const std::vector<TextPair>& pairs, Seq2Seq* model,
                          uint64_t* line) const {
    std::vector<std::vector<std::string>> sources;
    sources.reserve(pairs.size());
    for (const TextPair& pair : pairs) sources.push_back(pair.source);
    FIRTH_ASSIGN_OR_RETURN(
        const auto results,
        At(arguments_[0], model->Translate(sources, options_)));
    for (const std::vector<Seq2SeqResult>& found : results) {
      if (options_.best == 1) {
        Print(found.empty() ? "\n" : found[0].text + "\n");
      } else {
        for (const Seq2SeqResult& result : found) {
          Print(absl::StrFormat("%d\t%.4f\t%s\n", *line, result.log_probability,
                                result.text));
        }
      }
      ++*line;
    }
    return absl::OkStatus();
  }

  std::vector<std::string> inputs_;
  PairColumns columns_;
  bool json_ = false;
  Seq2SeqSearch options_;
  FieldEditor fields_{&options_};
  std::vector<std::string> arguments_;
};

constexpr CommandText kSeq2SeqEvalText = {
    "seq2seq eval", "measure a model, or texts against their references",
    "[MODEL] --input FILE... [OPTION...]",
    "Writes a text for each source of FILE and compares it with the target "
    "given there, which is prepared like the targets of the model's training: "
    "in lower case with a model of --lowercase, which the signature shows. "
    "Without MODEL, the first column of FILE, or its whole lines with "
    "--target, are the texts to compare; an empty line is a text, too.\n\n"
    "Prints BLEU as sacreBLEU computes it, with its signature, chrF, the "
    "fraction of texts that are exactly right, and the mean edit distance in "
    "characters. With MODEL, also prints the perplexity of the targets.\n\n"
    "  firth seq2seq eval translator.safetensors --input test.de \\\n"
    "    --target test.en\n"
    "  firth seq2seq eval --input output.en --target test.en"};

class Seq2SeqEvalCommand : public CommandWith<kSeq2SeqEvalText> {
 public:
  void Declare(OptionSet* options) override {
    options
        ->Paths("input", "FILE", &inputs_, Reads(),
                "path to the sources, one per line, or to pairs separated by "
                "tabs")
        .Everyday();
    options
        ->Paths("target", "FILE", &targets_, Reads(),
                "path to the targets, one file for each file of --input")
        .Everyday();
    columns_.Declare(/*with_targets=*/true, options);
    options->Choice<BleuTokens>(
        "bleu-tokens", &bleu_tokens_,
        {{"13a", BleuTokens::k13a}, {"none", BleuTokens::kNone}},
        "choose how BLEU splits texts: like mteval-v13a, or at white space");
    options->Switch("json", &json_, "print one JSON object").Everyday();
    options->Section("Search");
    std::vector<std::string> names;
    for (const std::string& name : fields_.names()) {
      if (name != "best") names.push_back(name);
    }
    options->Fields(&fields_, names);
    options->Arguments("MODEL", 0, 1, &arguments_, {{"MODEL", Reads()}});
  }

  absl::Status Check(const OptionSet& options) override {
    if (inputs_.empty()) {
      return absl::InvalidArgumentError("give the pairs with --input FILE");
    }
    if (!arguments_.empty()) return options_.Validate();
    std::vector<std::string> names = fields_.names();
    names.insert(names.end(), {"prefix", "label-column", "max-length"});
    for (const std::string& name : names) {
      if (name == "best" || !options.Given(name)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "--", name,
          " requires a MODEL; without one, two texts are compared"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    std::optional<Seq2Seq> model;
    TokenOptions tokens;
    if (!arguments_.empty()) {
      FIRTH_ASSIGN_OR_RETURN(model, Seq2Seq::Load(arguments_[0]));
      tokens = model->tokens();
    }
    ParallelTextOptions text = columns_.Of(inputs_, targets_, tokens);
    if (!model.has_value()) {
      text.keep_all = true;
      text.max_tokens = kMostTokens;
    }
    LeftOutPairs left_out;
    FIRTH_ASSIGN_OR_RETURN(const std::vector<TextPair> pairs,
                           ReadParallelText(text, nullptr, &left_out));
    if (model.has_value()) PrintLeftOut(left_out);
    ReferenceScorer scorer(bleu_tokens_, tokens.lowercase);
    double perplexity = 0;
    if (model.has_value()) {
      FIRTH_ASSIGN_OR_RETURN(perplexity, Measure(pairs, &*model, &scorer));
    } else {
      for (const TextPair& pair : pairs) {
        if (!pair.left_out.empty()) {
          return absl::InvalidArgumentError(pair.left_out);
        }
        scorer.Add(TextOf(tokens, pair.source), TextOf(tokens, pair.target));
      }
    }
    const TextScores scores = scorer.scores();
    if (json_) {
      Json json = ScoresJson(scores);
      if (model.has_value()) json["perplexity"] = perplexity;
      Print(JsonLine(json));
    } else {
      Print(ScoresTable(scores));
      if (model.has_value()) {
        Print(absl::StrFormat("perplexity %.4g per token\n", perplexity));
      }
    }
    return ExitCode::kDone;
  }

 private:
  // Adds all texts that the model writes, and returns the perplexity of the
  // targets.
  absl::StatusOr<double> Measure(const std::vector<TextPair>& pairs,
                                 Seq2Seq* model,
                                 ReferenceScorer* scorer) const {
    std::vector<std::vector<std::string>> sources;
    sources.reserve(pairs.size());
    for (const TextPair& pair : pairs) sources.push_back(pair.source);
    FIRTH_ASSIGN_OR_RETURN(
        const auto results,
        At(arguments_[0], model->Translate(sources, options_)));
    FIRTH_ASSIGN_OR_RETURN(const std::vector<double> scores,
                           At(arguments_[0], model->Score(pairs)));
    double sum = 0, tokens = 0;
    for (size_t i = 0; i < pairs.size(); ++i) {
      scorer->Add(results[i][0].text, TextOf(model->tokens(), pairs[i].target));
      sum += scores[i];
      tokens += static_cast<double>(pairs[i].target.size()) + 1;
    }
    return std::exp(-sum / tokens);
  }

  std::vector<std::string> inputs_, targets_;
  PairColumns columns_;
  BleuTokens bleu_tokens_ = BleuTokens::k13a;
  bool json_ = false;
  Seq2SeqSearch options_;
  FieldEditor fields_{&options_};
  std::vector<std::string> arguments_;
};

}  // namespace

CommandPtr MakeSeq2SeqApply() {
  return std::make_unique<Seq2SeqApplyCommand>();
}

CommandPtr MakeSeq2SeqEval() { return std::make_unique<Seq2SeqEvalCommand>(); }

}  // namespace firth::tools
