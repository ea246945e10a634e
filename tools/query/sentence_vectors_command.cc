// firth sentence-vectors: computes the vectors of sentences.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ask/text_asker.h"
#include "cli/console.h"
#include "cli/line_reader.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/complete_word.h"
#include "firth/sentence_vectors.h"
#include "firth/status_macros.h"
#include "firth/vector_io.h"

namespace firth::tools {
namespace {

constexpr size_t kMostLines = 1024;

constexpr CommandText kSentenceVectorsText = {
    "sentence-vectors", "compute one vector per line of text",
    "VECTORS [OPTION...] <SENTENCES",
    "Reads sentences from standard input, one per line, and writes the mean "
    "vector of the words of each: one line of text, or with --output one row "
    "of a NumPy array. A line without known words gives zeros. A line of more "
    "than 16 MiB also gives zeros, with a warning. Two kinds of models compute "
    "sentence vectors differently. For a supervised fastText model (.bin, "
    ".ftz), the mean includes the end of the line and n-grams of words, as in "
    "fastText's print-sentence-vectors. A model2vec folder splits words with "
    "its tokenizer, and scales vectors to length 1 if its config.json requires "
    "that. With --json, the object of a line without known words has null as "
    "its vector, instead of zeros.\n\n"
    "  firth sentence-vectors model.safetensors <lines.txt >lines.vec\n"
    "  firth sentence-vectors model.safetensors --sif 0.001 \\\n"
    "    --remove-components 1 --output lines.npy <lines.txt"};

class SentenceVectorsCommand : public CommandWith<kSentenceVectorsText> {
 public:
  void Declare(OptionSet* options) override {
    options->Fields(&options_, {"sif"});
    options->Integer(
        "remove-components", &remove_components_, 0, 65535,
        "number of principal components of all sentence vectors to remove; 1 "
        "is usual with --sif. All sentences are read before any is written");
    options->Fields(&options_, {"unit-words", "lowercase"});
    options->Switch("with-line", &with_line_,
                    "print each line and a tab before its vector");
    options->Path(
        "output", "FILE", &output_, Writes(),
        "path to a .npy file to write, a NumPy array [sentences, dimensions]");
    options->Switch("json", &json_, "print one JSON object per line of text");
    options->Arguments("VECTORS", 1, 1, &arguments_, {{"VECTORS", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (with_line_ && !output_.empty()) {
      return absl::InvalidArgumentError(
          "--with-line cannot be combined with --output");
    }
    if (json_ && (with_line_ || !output_.empty() || remove_components_ > 0)) {
      return absl::InvalidArgumentError(
          "--json cannot be combined with --with-line, --output or "
          "--remove-components");
    }
    return options_.Validate();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(WordVectors vectors,
                           LoadVectorsOfTexts(arguments_[0]));
    const Vocabulary vocabulary = vectors.vocabulary();
    if (json_) {
      return AnswerAll(
          {"", std::make_shared<OpenedVectors>(std::move(vectors))},
          vocabulary);
    }
    FIRTH_ASSIGN_OR_RETURN(
        const SentenceEncoder encoder,
        SentenceEncoder::Create(std::move(vectors), options_));
    FIRTH_RETURN_IF_ERROR(EncodeAll(encoder, vocabulary));
    return ExitCode::kDone;
  }

 private:
  bool streams() const { return output_.empty() && remove_components_ == 0; }

  PromptOptions PromptForSentences(const Vocabulary& vocabulary) const {
    return {.text = "sentence> ",
            .help =
                "sentence-vectors: write one sentence per line; the answer is "
                "the values of its vector.",
            .command_for_help = absl::StrCat(
                "echo help | firth sentence-vectors ", arguments_[0]),
            .complete = [&vocabulary](absl::string_view typed, size_t most) {
              return CompleteWord(vocabulary, typed, most);
            }};
  }

  absl::StatusOr<ExitCode> AnswerAll(const OpenedModel& model,
                                     const Vocabulary& vocabulary) {
    TextAsker asker("sentence-vectors");
    asker.SetFields(FieldEditor(&options_));
    LineReader reader(PromptForSentences(vocabulary));
    for (uint64_t number = 0;;) {
      FIRTH_ASSIGN_OR_RETURN(const std::vector<LineReader::Line> lines,
                             reader.Next(kMostLines));
      if (lines.empty()) {
        return asker.failed() ? ExitCode::kFailed : ExitCode::kDone;
      }
      for (const LineReader::Line& line : lines) {
        ++number;
        if (line.ok()) {
          asker.AddText(*line);
        } else {
          WarnOfLeftOut(number, line.status());
          asker.AddError(line.status().message());
        }
      }
      for (const std::string& line : asker.Answer(model)) Print(line + "\n");
      if (!FlushResults().ok()) return ExitCode::kDone;
    }
  }

  absl::Status EncodeAll(const SentenceEncoder& encoder,
                         const Vocabulary& vocabulary) {
    const size_t dim = encoder.dim();
    if (remove_components_ > 0 &&
        static_cast<size_t>(remove_components_) >= dim) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--remove-components: must be below ", dim,
          ", the number of dimensions, found ", remove_components_));
    }
    LineReader reader(PromptForSentences(vocabulary));
    std::vector<float> rows;
    uint64_t number = 0;
    for (;;) {
      FIRTH_ASSIGN_OR_RETURN(const std::vector<LineReader::Line> lines,
                             reader.Next(kMostLines));
      if (lines.empty()) break;
      for (const LineReader::Line& line : lines) {
        ++number;
        if (!line.ok()) WarnOfLeftOut(number, line.status());
        rows.resize(rows.size() + dim);
        if (line.ok()) {
          const absl::Status encoded =
              encoder.Encode(*line, absl::MakeSpan(rows).last(dim)).status();
          if (!encoded.ok()) {
            return At(absl::StrCat("standard input:", number), encoded);
          }
        }
        if (with_line_) lines_.push_back(line.value_or(""));
      }
      if (!streams()) continue;
      PrintRows(rows, dim);
      rows.clear();
      lines_.clear();
      // If the answers cannot be written, the program reports the error when it
      // ends.
      if (!FlushResults().ok()) return absl::OkStatus();
    }
    FIRTH_RETURN_IF_ERROR(RemoveCommonComponents(
        dim, static_cast<size_t>(remove_components_), absl::MakeSpan(rows)));
    if (output_.empty()) {
      PrintRows(rows, dim);
      return absl::OkStatus();
    }
    return SaveNpyArray(FloatTable(std::move(rows), dim), output_);
  }

  static void WarnOfLeftOut(uint64_t number, const absl::Status& status) {
    PrintMessage(absl::StrCat("warning: standard input:", number, ": ",
                              status.message(), "; the line is left out"));
  }

  void PrintRows(absl::Span<const float> rows, size_t dim) const {
    for (size_t begin = 0; begin < rows.size(); begin += dim) {
      if (with_line_) Print(lines_[begin / dim] + "\t");
      std::string line;
      for (const float value : rows.subspan(begin, dim)) {
        absl::StrAppendFormat(&line, "%s%.9g", line.empty() ? "" : " ", value);
      }
      Print(line + "\n");
    }
  }

  SentenceOptions options_;
  int remove_components_ = 0;
  bool with_line_ = false;
  bool json_ = false;
  std::string output_;
  std::vector<std::string> arguments_;
  std::vector<std::string> lines_;  // Of the printed rows, for --with-line.
};

}  // namespace

CommandPtr MakeSentenceVectors() {
  return std::make_unique<SentenceVectorsCommand>();
}

}  // namespace firth::tools
