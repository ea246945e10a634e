// firth tag apply: tags the tokens of sentences.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ask/text_asker.h"
#include "cli/console.h"
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
    "probability of each tag (with a CRF, over all tag sequences of the "
    "sentence). If tags are of the form B-NP, the object also has the spans "
    "that they mark. A span has its type (NP) and the positions of its tokens, "
    "from begin up to but not including end, counted from 0. A sentence of "
    "more than 65,536 tokens, or with a line of more than 16 MiB, is skipped "
    "with a warning. It gives an empty line or, with --json, an object with "
    "only an \"error\".\n\n"
    "  firth tag apply pos.safetensors --vectors vectors.bin \\\n"
    "    <text.txt >tagged.txt\n\n"
    "Unless \"firth tag pack\" put them into MODEL, give the vectors and the "
    "contextualizer that the tagger was trained with. MODEL stores their "
    "checksums, and other files are rejected; their paths are never taken from "
    "MODEL."};

class TagApplyCommand : public Command {
 public:
  TagApplyCommand() : Command(kTagApplyText) {}

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

}  // namespace

CommandPtr MakeTagApply() { return std::make_unique<TagApplyCommand>(); }

}  // namespace firth::tools
