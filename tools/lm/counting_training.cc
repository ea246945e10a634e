#include "lm/counting_training.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/progress_printer.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"
#include "train/checkpoint_options.h"

namespace firth::tools {
namespace {

constexpr int kMostOrder = 8;

void PrintResult(const CountingReport& report, const std::string& path,
                 uint64_t tokens) {
  for (size_t n = 1; n <= report.orders.size(); ++n) {
    const CountingReport::Order& order = report.orders[n - 1];
    std::string line =
        absl::StrCat("  order ", n, "  ", Thousands(order.counted),
                     " n-grams, kept ", Thousands(order.kept));
    if (order.discounts[0] > 0) {
      absl::StrAppendFormat(&line, ", discounts %.3f %.3f %.3f",
                            order.discounts[0], order.discounts[1],
                            order.discounts[2]);
    }
    PrintNote(line + "\n");
  }
  if (report.temporary_bytes > 0) {
    PrintNote(absl::StrCat("  spooled  ", HumanBytes(report.temporary_bytes),
                           " of counts to temporary files (see --memory)\n"));
  }
  PrintNote(absl::StrCat("  wrote    ", path, ": ",
                         Thousands(report.vocab_size), " words, ",
                         Percent(report.unknown_tokens, tokens),
                         " of the tokens are <UNK>, counted in ",
                         HumanSeconds(report.seconds), "\n"));
}

}  // namespace

void CountingOptions::Declare(OptionSet* options) {
  options->Section("Counting model");
  options
      ->Integer("ngram", &order_, 0, kMostOrder,
                "train a model that counts n-grams of up to this many words, "
                "instead of a network; 5 is usual. An --output that ends in "
                ".arpa is readable by other programs")
      .Everyday()
      .default_text = "0, which trains a network";
  options->Fields(&fields_, {"smoothing", "add-k", "prune", "discount-fallback",
                             "interpolate-unigrams"});
  for (const char* const name : {"smoothing", "add-k", "prune",
                                 "discount-fallback", "interpolate-unigrams"}) {
    options->At(name).GoesWith({"ngram"});
  }
}

absl::Status CountingOptions::Check(
    const OptionSet& options, const ReadingOptions& reading,
    const std::vector<std::string>& network_options) {
  for (const std::string& name : network_options) {
    if (!options.Given(name)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", name,
                     " cannot be combined with --ngram, which "
                     "trains no network"));
  }
  training_.order = order_;
  training_.vocabulary = reading.vocabulary;
  training_.memory_bytes = reading.corpus.memory_bytes;
  training_.temp_dir = reading.corpus.temp_dir;
  return training_.Validate();
}

absl::StatusOr<ExitCode> CountingOptions::Run(const ReadingOptions& reading,
                                              const Output& output) {
  const InterruptGuard interrupt;
  ProgressPrinter progress(output.quiet, 1);
  const Hooks hooks = {&progress, interrupt.flag()};
  const absl::StatusOr<Corpus> text =
      ReadCorpus(reading.corpus, {.min_count = 1}, hooks);
  progress.Clear();
  if (!text.ok()) return EndWithNothing(text.status(), interrupt.flag());
  if (!output.quiet) PrintNote(Account(text->report));
  absl::StatusOr<TrainedCountingModel> trained =
      TrainCountingModel(*text, training_, hooks);
  progress.Clear();
  if (!trained.ok()) {
    if (interrupt.Interrupted()) return EndInterrupted();
    return trained.status();
  }
  auto& metadata = trained->model.metadata();
  metadata["training"] = OneLine(output.training);
  metadata["trained-tokens"] = absl::StrCat(text->report.tokens);
  const absl::Status saved = trained->model.Save(output.model, hooks);
  if (!saved.ok()) {
    if (interrupt.Interrupted()) return EndInterrupted();
    return saved;
  }
  if (!output.report.empty()) {
    const CountingFacts facts = {OneLine(output.used), text->report,
                                 trained->report};
    FIRTH_RETURN_IF_ERROR(
        WriteTextFile(output.report, Indented(Json::parse(ReportJson(facts)))));
  }
  if (!output.quiet) {
    PrintResult(trained->report, output.model, text->report.tokens);
  }
  return ExitCode::kDone;
}

}  // namespace firth::tools
