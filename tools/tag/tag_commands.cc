// The commands that use a tagger: firth tag apply, eval and pack.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ask/text_asker.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/json.h"
#include "command.h"
#include "firth/status_macros.h"
#include "firth/tagger.h"
#include "tag/tagging.h"

namespace firth::tools {
namespace {

constexpr CommandText kTagApplyText = {
    "tag apply", "tag the tokens of sentences", "MODEL [OPTION...] <TEXT",
    "Reads sentences from standard input as they arrive and writes them with "
    "their tags. Plain sentences become word/tag, one sentence per line. Input "
    "in columns gets one more column. CoNLL-U is written back completely, with "
    "the tags in the UPOS column or in the column of --tag-column. With "
    "--json, each sentence is an object with its tokens, their tags and the "
    "probability of each tag (with a CRF or a hidden Markov model, over all "
    "tag sequences of the sentence). If tags are of the form B-NP, the object "
    "also has the spans "
    "that they mark. A span has its type (NP) and the positions of its tokens, "
    "from begin up to but not including end, counted from 0. A sentence of "
    "more than 65,536 tokens, or with a line of more than 16 MiB, is skipped "
    "with a warning. It gives an empty line or, with --json, an object with "
    "only an \"error\".\n\n"
    "  firth tag apply pos.safetensors --vectors vectors.bin \\\n"
    "    <text.txt >tagged.txt\n\n"
    "Give the vectors and the contextualizer that the tagger was trained with, "
    "if there are any and \"firth tag pack\" did not put them into MODEL. "
    "MODEL stores their "
    "checksums, and other files are rejected; their paths are never taken from "
    "MODEL."};

class TagApplyCommand : public CommandWith<kTagApplyText> {
 public:
  void Declare(OptionSet* options) override {
    DeclareTexts(&inputs_, options);
    form_.Declare(/*plain_text=*/true, options);
    options
        ->Integer("tag-column", &form_.tag_column, 0, 10,
                  "number of the column that tags are written to: 3 or more, "
                  "but not the column of the tokens; 0 means UPOS (the fourth)")
        .GoesWith({"form"}, {"conllu"});
    options
        ->Switch(
            "json", &json_,
            "print one JSON object per sentence, with probabilities and spans")
        .Everyday();
    options->Section("Inputs of the model");
    DeclareTaggerInputs(&tagger_inputs_, options);
    options->Integer("threads", &threads_, 0, kMostThreads,
                     "number of threads; with 2, each direction has its own "
                     "thread. 0 means all cores");
    options->Arguments("MODEL", 1, 1, &arguments_, {{"MODEL", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (form_.form != TextForm::kConllu || json_) return absl::OkStatus();
    const size_t tags = ConlluTagColumn(form_.tag_column) + 1;
    if (tags > 2 && tags != ConlluTokenColumn(form_.token_column) + 1) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "--tag-column: the columns of ID (1), FORM (2) and the tokens would be "
        "overwritten; choose another column, found ",
        tags));
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(
        Tagger loaded, Tagger::Load(arguments_[0], tagger_inputs_, threads_));
    const auto opened = std::make_shared<OpenedTagger>(std::move(loaded));
    TextAsker asker("tag");
    FIRTH_RETURN_IF_ERROR(ForEachBlock(
        Reading(), [&](std::vector<TaggedSentence>& sentences) -> absl::Status {
          if (json_) {
            asker.PrintAnswers(sentences, {"", opened});
            return absl::OkStatus();
          }
          FIRTH_RETURN_IF_ERROR(opened->tagger.Tag(absl::MakeSpan(sentences)));
          for (const TaggedSentence& sentence : sentences) {
            Print(TaggedText(sentence));
          }
          return absl::OkStatus();
        }));
    return asker.failed() ? ExitCode::kFailed : ExitCode::kDone;
  }

 private:
  TaggedTextOptions Reading() const {
    TaggedTextOptions options = form_.Of(inputs_, /*with_tags=*/false);
    options.with_rest = !json_;
    options.skip_long = true;
    return options;
  }

  std::string TaggedText(const TaggedSentence& sentence) const {
    if (!sentence.passed_over.empty()) return ConlluText(sentence);
    std::string text;
    for (size_t i = 0; i < sentence.tokens.size(); ++i) {
      if (form_.form == TextForm::kColumns) {
        const std::string& line = sentence.lines[i];
        const char* gap = line.find('\t') == line.npos ? " " : "\t";
        absl::StrAppend(&text, line, gap, sentence.predicted[i], "\n");
      } else {
        absl::StrAppend(&text, i == 0 ? "" : " ", sentence.tokens[i], "/",
                        sentence.predicted[i]);
      }
    }
    return text + "\n";
  }

  // Returns everything that was read, with the tags in their column.
  std::string ConlluText(const TaggedSentence& sentence) const {
    const size_t tag_column = ConlluTagColumn(form_.tag_column);
    std::string text;
    for (size_t i = 0; i < sentence.tokens.size(); ++i) {
      std::vector<std::string> columns =
          absl::StrSplit(sentence.lines[i], '\t');
      columns[tag_column] = sentence.predicted[i];
      absl::StrAppend(&text, sentence.passed_over[i],
                      absl::StrJoin(columns, "\t"), "\n");
    }
    return absl::StrCat(text, sentence.passed_over.back(), "\n");
  }

  std::vector<std::string> inputs_;
  TaggedForm form_;
  bool json_ = false;
  TaggerInputs tagger_inputs_;
  int threads_ = 0;
  std::vector<std::string> arguments_;
};

constexpr CommandText kTagEvalText = {
    "tag eval", "measure a tagger, or a tagged file",
    "[MODEL] --input FILE... [OPTION...]",
    "Tags the sentences of FILE and compares the result with the tags given "
    "there. Without MODEL, compares two columns of FILE. Spans marked in IOB1, "
    "IOB2, IOE or BIOES are counted as by the conlleval script of the CoNLL "
    "tasks: a span is correct if its begin, end and type are.\n\n"
    "  firth tag eval chunks.safetensors --vectors vectors.bin \\\n"
    "    --input test.txt\n"
    "  firth tag eval --input tagged.txt --tag-column 3 --predicted-column "
    "4\n\n"
    "With --baseline, also measures a hidden Markov model that is trained on "
    "tagged sentences, which takes a second (see \"firth tag train --model "
    "hmm\")."};

class TagEvalCommand : public CommandWith<kTagEvalText> {
 public:
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
    options->Paths(
        "baseline", "FILE", &baseline_, Reads(),
        "path to tagged sentences in the form of --input, on which a "
        "hidden Markov model is trained and then measured as well");
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
    std::optional<Tagger> baseline;
    if (!baseline_.empty()) {
      FIRTH_ASSIGN_OR_RETURN(baseline, TrainBaseline());
    }
    TagScorer baseline_scorer;
    FIRTH_ASSIGN_OR_RETURN(
        const TagScores scores,
        Score(text, tagger.has_value() ? &*tagger : nullptr,
              baseline.has_value() ? &*baseline : nullptr, &baseline_scorer));
    Json json = ScoresJson(scores);
    std::string table = ScoresTable(scores);
    if (baseline.has_value()) {
      const TagScores of = baseline_scorer.scores();
      json["baseline"] = ScoresJson(of);
      absl::StrAppend(&table, "\nhidden Markov model\n", ScoresTable(of));
    }
    Print(json_ ? JsonLine(json) : table);
    return ExitCode::kDone;
  }

 private:
  absl::StatusOr<Tagger> TrainBaseline() const {
    FIRTH_ASSIGN_OR_RETURN(const std::vector<TaggedSentence> train,
                           ReadTaggedText(form_.Of(baseline_, true)));
    TaggerReport report;
    return Tagger::TrainHmm(train, {}, {}, HmmOptions(), {}, &report);
  }

  // Measures the tagger, or the predicted column, and also the baseline, if
  // these are not null.
  static absl::StatusOr<TagScores> Score(const TaggedTextOptions& text,
                                         Tagger* tagger, Tagger* baseline,
                                         TagScorer* baseline_scorer) {
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
          if (baseline == nullptr) return absl::OkStatus();
          FIRTH_RETURN_IF_ERROR(baseline->Tag(absl::MakeSpan(sentences)));
          for (const TaggedSentence& sentence : sentences) {
            baseline_scorer->Add(sentence.tags, sentence.predicted);
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
  std::vector<std::string> baseline_;
  TaggedForm form_;
  int predicted_column_ = 0;
  bool json_ = false;
  TaggerInputs tagger_inputs_;
  int threads_ = 0;
  std::vector<std::string> arguments_;
};

constexpr CommandText kTagPackText = {
    "tag pack", "combine a tagger and its vectors in one file",
    "TAGGER --output FILE [OPTION...]",
    "Writes one file with TAGGER and the vectors and contextualizer that it "
    "was trained with. \"firth tag apply\" and \"firth tag eval\" then need no "
    "other files, and give the same tags. The file is as large as all three "
    "together; to make it small, quantize the vectors before training.\n\n"
    "  firth tag pack chunks.safetensors --vectors vectors.bin \\\n"
    "    --output whole.safetensors\n"
    "  firth tag apply whole.safetensors <text.txt"};

class TagPackCommand : public CommandWith<kTagPackText> {
 public:
  void Declare(OptionSet* options) override {
    options->Section("Inputs of the tagger");
    DeclareTaggerInputs(&inputs_, options);
    options->Section("Output");
    options
        ->Path("output", "FILE", &output_, Writes(),
               "path to the file to write")
        .Everyday();
    options->Switch("quiet", &quiet_, "print only warnings and errors");
    options->Arguments("TAGGER", 1, 1, &arguments_, {{"TAGGER", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (!output_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "give the output file with --output FILE");
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_RETURN_IF_ERROR(PackTagger(arguments_[0], inputs_, output_));
    if (quiet_) return ExitCode::kDone;
    std::error_code error;
    const uintmax_t bytes = std::filesystem::file_size(output_, error);
    PrintNote(absl::StrCat("  wrote    ", output_,
                           error ? "" : ": " + HumanBytes(bytes), "\n"));
    return ExitCode::kDone;
  }

 private:
  TaggerInputs inputs_;
  std::string output_;
  bool quiet_ = false;
  std::vector<std::string> arguments_;
};

}  // namespace

CommandPtr MakeTagApply() { return std::make_unique<TagApplyCommand>(); }

CommandPtr MakeTagEval() { return std::make_unique<TagEvalCommand>(); }

CommandPtr MakeTagPack() { return std::make_unique<TagPackCommand>(); }

}  // namespace firth::tools
