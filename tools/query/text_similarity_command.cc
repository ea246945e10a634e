// firth text-similarity: how near two texts are.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "cli/console.h"
#include "cli/json.h"
#include "cli/line_reader.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/status_macros.h"
#include "firth/text_similarity.h"

namespace firth::tools {
namespace {

constexpr size_t kMostPairs = 1024;

std::vector<absl::string_view> WordsOf(absl::string_view text) {
  return absl::StrSplit(text, absl::ByAnyChar(" \t\n\v\f\r"),
                        absl::SkipEmpty());
}

class TextSimilarityCommand : public Command {
 public:
  absl::string_view name() const override { return "text-similarity"; }
  absl::string_view summary() const override {
    return "measure how similar two texts are";
  }
  absl::string_view synopsis() const override {
    return "VECTORS [TEXT TEXT] [OPTION...]";
  }
  absl::string_view description() const override {
    return "Compares two texts, given as two arguments, by the vectors of "
           "their words. Similar texts have a high cosine and a low distance "
           "(wmd, relaxed-wmd). Without texts, reads lines of two texts "
           "separated by a tab from standard input, and prints one number for "
           "each line, or nan if a text has no known word.\n\n"
           "  firth text-similarity model.safetensors \"the king spoke\" \"the "
           "queen talked\"\n"
           "  firth text-similarity model.safetensors --measure soft-cosine "
           "<pairs.tsv";
  }

  void Declare(OptionSet* options) override {
    options->Fields(&options_,
                    {"measure", "exponent", "threshold", "lowercase"});
    options->Switch("json", &json_,
                    "print one line with a JSON object per pair");
    options->Arguments("VECTORS", 1, 3, &arguments_,
                       {{"VECTORS", Reads()}, {"TEXT", NoFile()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (arguments_.size() != 2) return absl::OkStatus();
    return absl::InvalidArgumentError("give two texts, each as one argument");
  }

  absl::StatusOr<ExitCode> Run(const OptionSet& options) override {
    FIRTH_ASSIGN_OR_RETURN(WordVectors vectors,
                           LoadVectorsToAsk(arguments_[0]));
    FIRTH_ASSIGN_OR_RETURN(const TextComparer comparer,
                           TextComparer::Create(std::move(vectors), options_));
    measure_ = options.Values()["measure"].get<std::string>();
    bool good = true;
    if (arguments_.size() == 3) {
      good = Answer(comparer, arguments_[1], arguments_[2], "");
    } else {
      FIRTH_ASSIGN_OR_RETURN(good, AnswerLines(comparer));
    }
    return good ? ExitCode::kDone : ExitCode::kFailed;
  }

 private:
  absl::StatusOr<bool> AnswerLines(const TextComparer& comparer) const {
    if (SomebodyTypes()) {
      return absl::InvalidArgumentError(
          "give two texts, each as one argument, or lines of two texts in "
          "standard input");
    }
    LineReader reader({});
    bool good = true;
    uint64_t number = 0;
    for (;;) {
      FIRTH_ASSIGN_OR_RETURN(const std::vector<LineReader::Line> lines,
                             reader.Next(kMostPairs));
      if (lines.empty()) return good;
      for (const LineReader::Line& line : lines) {
        const std::string place =
            absl::StrCat("standard input:", ++number, ": ");
        if (!line.ok()) {
          good = false;
          PrintAnswer({}, place, line.status());
          continue;
        }
        const std::vector<std::string> texts = absl::StrSplit(*line, '\t');
        if (texts.size() == 2) {
          good = Answer(comparer, texts[0], texts[1], place) && good;
          continue;
        }
        good = false;
        PrintAnswer({*line}, place,
                    absl::InvalidArgumentError(absl::StrCat(
                        "expected two texts separated by a tab, found ",
                        texts.size())));
      }
      // Nobody to answer: what went wrong is said at the end of the program.
      if (!FlushResults().ok()) return good;
    }
  }

  bool Answer(const TextComparer& comparer, const std::string& a,
              const std::string& b, const std::string& place) const {
    const absl::StatusOr<double> value =
        comparer.Compare(WordsOf(a), WordsOf(b));
    PrintAnswer({a, b}, place, value);
    return value.ok();
  }

  // A line for each question, also where it has no answer.
  void PrintAnswer(const std::vector<std::string>& texts,
                   const std::string& place,
                   const absl::StatusOr<double>& value) const {
    if (json_) {
      Json object = {{"query", texts}};
      if (value.ok()) {
        object[measure_] = *value;
      } else {
        object["error"] = std::string(value.status().message());
      }
      Print(OneLine(object) + "\n");
      return;
    }
    if (!value.ok()) {
      PrintError(absl::StrCat(place, value.status().message()));
    }
    Print(value.ok() ? absl::StrFormat("%.6f\n", *value) : "nan\n");
  }

  TextSimilarityOptions options_;
  std::string measure_;
  bool json_ = false;
  std::vector<std::string> arguments_;
};

}  // namespace

std::unique_ptr<Command> MakeTextSimilarityCommand() {
  return std::make_unique<TextSimilarityCommand>();
}

}  // namespace firth::tools
