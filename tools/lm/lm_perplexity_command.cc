// firth lm perplexity: how well a language model predicts a text.

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/progress_printer.h"
#include "command.h"
#include "firth/language_model.h"
#include "firth/status_macros.h"
#include "train/reading_options.h"

namespace firth::tools {
namespace {

constexpr CommandText kLmPerplexityText = {
    "lm perplexity", "measure how well a language model predicts a text",
    "MODEL --input FILE... [OPTION...]",
    "Prints the perplexity of each direction and of both together: exp of the "
    "mean of -ln p, where p is the softmax over the whole vocabulary. Every "
    "word counts, and unknown words count as <UNK>. The end of each sentence "
    "also counts, as </S> in the forward and <S> in the backward direction. A "
    "second column counts only known words and sentence ends. For a masked "
    "model, the perplexity is measured on 15% of the words, which are hidden "
    "as in training and are the same in every run.\n\n"
    "  firth lm perplexity lm.safetensors --input held-out.txt"};

class LmPerplexityCommand : public Command {
 public:
  LmPerplexityCommand() : Command(kLmPerplexityText) {}

  void Declare(OptionSet* options) override {
    reading_.DeclareInput(options);
    options->Section("Measurement");
    options->Fields(&options_, {"stateful"});
    options->Section("Output");
    options->Switch("json", &json_, "print the results as JSON").Everyday();
    options->Switch("quiet", &quiet_, "print only results and errors");
    reading_.DeclareThreads(options);
    options->Arguments("MODEL", 1, 1, &model_, {{"MODEL", Reads()}});
  }

  absl::Status Check(const OptionSet& options) override {
    if (reading_.corpus.inputs.empty()) {
      return absl::InvalidArgumentError("give the text with --input FILE");
    }
    options_.threads = reading_.corpus.threads;
    return reading_.Check(options);
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(LanguageModel model, LanguageModel::Load(model_[0]));
    const InterruptGuard interrupt;
    ProgressPrinter progress(quiet_, 1);
    const Hooks hooks{&progress, interrupt.flag()};
    const absl::StatusOr<Corpus> text =
        ReadCorpus(reading_.corpus, {.min_count = 1}, hooks);
    progress.Clear();
    const absl::StatusOr<Perplexity> measured =
        text.ok() ? At(model_[0], model.Measure(*text, options_, hooks))
                  : text.status();
    if (interrupt.Interrupted()) return ExitCode::kInterrupted;
    if (!measured.ok()) return measured.status();
    Print(json_ ? JsonLine(ToJson(*measured)) : Table(*measured));
    return ExitCode::kDone;
  }

 private:
  static std::string Table(const Perplexity& measured) {
    const auto shown = [&](double loss) {
      return measured.continuous ? absl::StrFormat("%.4f", loss)
                                 : absl::StrFormat("%.2f", std::exp(loss));
    };
    const absl::string_view figure =
        measured.continuous ? "1 - cosine" : "perplexity";
    TextTable table("lrrrr");
    table.AddRow({"direction", std::string(figure), "known words", "predicted",
                  "<UNK>"});
    const auto add = [&](const char* name, const DirectionPerplexity& d) {
      if (d.tokens == 0) return;
      table.AddRow({name, shown(d.loss), shown(d.known_loss),
                    Thousands(d.tokens), Percent(d.unknown, d.tokens)});
    };
    add(measured.masked ? "masked" : "forward", measured.forward);
    add("backward", measured.backward);
    if (measured.forward.tokens == 0 || measured.backward.tokens == 0) {
      return table.ToString();
    }
    table.AddRow(
        {"both", shown(measured.loss()),
         shown((measured.forward.known_loss + measured.backward.known_loss) /
               2)});
    return table.ToString();
  }

  static Json ToJson(const Perplexity& measured) {
    Json json;
    const auto add = [&](const char* name, const DirectionPerplexity& d) {
      if (d.tokens == 0) return;
      json[name] = {{"tokens", d.tokens},
                    {"unknown", d.unknown},
                    {"loss", d.loss},
                    {"known_loss", d.known_loss}};
      if (!measured.continuous) json[name]["perplexity"] = std::exp(d.loss);
    };
    add(measured.masked ? "masked" : "forward", measured.forward);
    add("backward", measured.backward);
    json["loss"] = measured.loss();
    if (!measured.continuous) json["perplexity"] = std::exp(measured.loss());
    return json;
  }

  ReadingOptions reading_;
  MeasureOptions options_;
  bool json_ = false;
  bool quiet_ = false;
  std::vector<std::string> model_;
};

}  // namespace

CommandPtr MakeLmPerplexity() {
  return std::make_unique<LmPerplexityCommand>();
}

}  // namespace firth::tools
