// firth lm corrupt: sentences in, sentences with spans taken out, and the
// spans.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/console.h"
#include "cli/json.h"
#include "command.h"
#include "firth/span_corruption.h"
#include "firth/status_macros.h"
#include "firth/tagged_text.h"
#include "tag/tagging.h"

namespace firth::tools {
namespace {

constexpr CommandText kLmCorruptText = {
    "lm corrupt", "remove random spans from sentences, for training on gaps",
    "[OPTION...] <TEXT",
    "Reads sentences as they arrive, one per line, with tokens separated by "
    "white space, and removes random spans of words (span corruption, as in "
    "T5). For each sentence, prints the sentence with a sentinel "
    "(<extra_id_0>, <extra_id_1>, ...) in place of each span, a tab, and the "
    "removed spans. Each span follows its sentinel, and one more sentinel ends "
    "the line. The spans depend on the seed and the line number. A sentence of "
    "one word is not changed.\n\n"
    "A forward language model learns from such lines to fill gaps of any "
    "length:\n\n"
    "  firth lm corrupt <corpus.txt >spans.txt\n"
    "  firth lm train --reads forward --input spans.txt --output "
    "lm.safetensors\n"
    "  firth lm generate lm.safetensors \"the <extra_id_0> of the river "
    "<extra_id_0>\""};

class LmCorruptCommand : public Command {
 public:
  LmCorruptCommand() : Command(kLmCorruptText) {}

  void Declare(OptionSet* options) override {
    DeclareTexts(&inputs_, options);
    options->Fields(&fields_);
    options
        ->Switch("json", &json_,
                 "print one JSON object per sentence, with the words of "
                 "\"input\" and \"target\"")
        .Everyday();
  }

  absl::Status Check(const OptionSet&) override { return options_.Validate(); }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    uint64_t number = 0;  // Number of sentences before this one.
    FIRTH_RETURN_IF_ERROR(ForEachBlock(
        {.inputs = inputs_, .form = TextForm::kText, .with_tags = false},
        [&](const std::vector<TaggedSentence>& read) -> absl::Status {
          for (const TaggedSentence& sentence : read) {
            FIRTH_RETURN_IF_ERROR(PrintOne(sentence.tokens, number++));
          }
          return absl::OkStatus();
        }));
    return ExitCode::kDone;
  }

 private:
  absl::Status PrintOne(const std::vector<std::string>& tokens,
                        uint64_t sentence) const {
    for (const std::string& token : tokens) {
      if (!IsSpanMark(token)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "sentence ", sentence + 1,
          ": the text must not contain sentinels such as <extra_id_0>, found ",
          token));
    }
    const std::vector<absl::string_view> words(tokens.begin(), tokens.end());
    const CorruptedSentence made =
        CorruptSpans(words, DrawSpans(words.size(), options_, sentence));
    if (json_) {
      Print(JsonLine(Json{{"input", made.input}, {"target", made.target}}));
    } else {
      Print(absl::StrCat(absl::StrJoin(made.input, " "), "\t",
                         absl::StrJoin(made.target, " "), "\n"));
    }
    return absl::OkStatus();
  }

  std::vector<std::string> inputs_;
  SpanOptions options_;
  FieldEditor fields_{&options_};
  bool json_ = false;
};

}  // namespace

CommandPtr MakeLmCorrupt() { return std::make_unique<LmCorruptCommand>(); }

}  // namespace firth::tools
