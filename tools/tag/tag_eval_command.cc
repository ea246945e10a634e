// firth tag eval: how well tags are predicted.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "cli/json.h"
#include "command.h"
#include "firth/status_macros.h"
#include "firth/tagger.h"
#include "tag/tagging.h"

namespace firth::tools {
namespace {

constexpr CommandText kTagEvalText = {
    "tag eval", "measure a tagger, or a tagged file",
    "[MODEL] --input FILE... [OPTION...]",
    "Tags the sentences of FILE and compares the result with the tags given "
    "there. Without MODEL, compares two columns of FILE. Spans marked in IOB1, "
    "IOB2, IOE or BIOES are counted as by the conlleval script of the CoNLL "
    "tasks: a span is correct if its begin, end and type are.\n\n"
    "  firth tag eval chunks.safetensors --vectors vectors.bin \\\n"
    "    --input test.txt\n"
    "  firth tag eval --input tagged.txt --tag-column 3 --predicted-column 4"};

class TagEvalCommand : public Command {
 public:
  TagEvalCommand() : Command(kTagEvalText) {}

  void Declare(OptionSet* options) override {
    options
        ->Paths("input", "FILE", &inputs_, Reads(),
                "path to sentences with the correct tags")
        .Everyday();
    form_.Declare(/*plain_text=*/false, options);
    options
        ->Integer("predicted-column", &predicted_column_, 0, 1000000,
                  "number of the column with the predicted tags, counted from "
                  "1, if no MODEL is given; 0 means the last column")
        .GoesWith({"form"}, {"columns", "conllu"});
    options->Switch("json", &json_, "print one JSON object").Everyday();
    options->Section("Inputs of the model");
    DeclareTaggerInputs(&tagger_inputs_, options);
    options->Integer("threads", &threads_, 0, kMostThreads,
                     "number of threads; with 2, each direction has its own "
                     "thread. 0 means all cores");
    options->Arguments("MODEL", 0, 1, &arguments_, {{"MODEL", Reads()}});
  }

  absl::Status Check(const OptionSet& options) override {
    if (inputs_.empty()) {
      return absl::InvalidArgumentError(
          "give the tagged sentences with --input FILE");
    }
    const bool two_columns = options.Given("predicted-column");
    if (arguments_.empty() != two_columns) {
      return absl::InvalidArgumentError(
          "give either MODEL or --predicted-column");
    }
    if (two_columns && predicted_column_ == form_.tag_column) {
      return absl::InvalidArgumentError(
          "--predicted-column and --tag-column are the same column");
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    std::optional<Tagger> tagger;
    TaggedTextOptions text = form_.Of(inputs_, true);
    if (arguments_.empty()) {
      text.predicted_column = predicted_column_;
    } else {
      FIRTH_ASSIGN_OR_RETURN(
          tagger, Tagger::Load(arguments_[0], tagger_inputs_, threads_));
    }
    FIRTH_ASSIGN_OR_RETURN(
        const TagScores scores,
        Score(text, tagger.has_value() ? &*tagger : nullptr));
    Print(json_ ? JsonLine(ScoresJson(scores)) : ScoresTable(scores));
    return ExitCode::kDone;
  }

 private:
  static absl::StatusOr<TagScores> Score(const TaggedTextOptions& text,
                                         Tagger* tagger) {
    TagScorer scorer;
    bool has_known_tag = tagger == nullptr;
    std::string first_tag;
    FIRTH_RETURN_IF_ERROR(ForEachBlock(
        text, [&](std::vector<TaggedSentence>& sentences) -> absl::Status {
          if (tagger != nullptr) {
            FIRTH_RETURN_IF_ERROR(tagger->Tag(absl::MakeSpan(sentences)));
          }
          for (const TaggedSentence& sentence : sentences) {
            scorer.Add(sentence.tags, sentence.predicted);
            if (first_tag.empty() && !sentence.tags.empty()) {
              first_tag = sentence.tags[0];
            }
            has_known_tag = has_known_tag || HasTagOf(*tagger, sentence);
          }
          return absl::OkStatus();
        }));
    if (scorer.scores().tokens == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(text.inputs[0], ": the input contains no tokens"));
    }
    if (has_known_tag) return scorer.scores();
    return absl::InvalidArgumentError(absl::StrCat(
        "none of the tags of ", text.inputs[0],
        " is a tag of the model: the text has \"", Visible(first_tag),
        "\", the model \"", Visible(tagger->tags()[0]),
        "\". The options --form and --tag-column define what is read as a "
        "tag"));
  }

  static bool HasTagOf(const Tagger& tagger, const TaggedSentence& sentence) {
    return absl::c_any_of(sentence.tags, [&](const std::string& tag) {
      return absl::c_linear_search(tagger.tags(), tag);
    });
  }

  std::vector<std::string> inputs_;
  TaggedForm form_;
  int predicted_column_ = 0;
  bool json_ = false;
  TaggerInputs tagger_inputs_;
  int threads_ = 0;
  std::vector<std::string> arguments_;
};

}  // namespace

CommandPtr MakeTagEval() { return std::make_unique<TagEvalCommand>(); }

}  // namespace firth::tools
