// firth demo: generates a corpus, trains on it and asks questions, in a few
// seconds.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/progress_printer.h"
#include "cli/vector_files.h"
#include "command.h"
#include "demo/demo_corpus.h"
#include "firth/ask.h"
#include "firth/contextualizer.h"
#include "firth/corpus.h"
#include "firth/language_model.h"
#include "firth/opened.h"
#include "firth/query.h"
#include "firth/status_macros.h"
#include "firth/train.h"
#include "firth/vector_io.h"
#include "firth/word_vectors.h"
#include "query/evaluation_table.h"
#include "train/reading_options.h"

namespace firth::tools {
namespace {

// The last part of the demo shows that vectors in context separate two senses
// of a word. A small language model is trained on the beginning of the corpus.
// The ambiguous word then occurs in four sentences, two for each sense, and a
// table shows the cosines between its four vectors.

// Size of a text that takes seconds and suffices to separate the senses.
constexpr size_t kCorpusBytes = 1'200'000;
constexpr absl::string_view kWord = "bank";
// Two sentences for each sense.
constexpr absl::string_view kSentences[] = {
    "sushi costs one yen at the bank near kyoto",
    "hockey costs one dollar at the bank near toronto",
    "this river has its bridge and its bank",
    "there are many rivers by the current and the bank",
};

LanguageModelTraining SmallModel(const WordVectors& vectors, uint64_t seed,
                                 int threads) {
  LanguageModelTraining training;
  training.vectors = &vectors;
  training.head = HeadKind::kSoftmax;
  training.units = 64;
  training.projection = 0;
  training.layers = 1;
  training.epochs = 1;
  training.batch = 16;
  training.learning_rate = 0.01;
  training.seed = seed;
  training.threads = threads;
  return training;
}

using Cosines = std::array<std::array<double, 4>, 4>;

Cosines AllCosines(const std::vector<std::vector<float>>& vectors) {
  Cosines cosines;
  for (size_t i = 0; i < cosines.size(); ++i) {
    for (size_t j = 0; j < cosines.size(); ++j) {
      cosines[i][j] = Similarity(vectors[i], vectors[j]);
    }
  }
  return cosines;
}

std::string Table(const Cosines& cosines) {
  TextTable table("llrrrr");
  table.AddRow({"", "", "1", "2", "3", "4"});
  for (size_t i = 0; i < cosines.size(); ++i) {
    std::vector<std::string> row = {absl::StrFormat("  %d", i + 1),
                                    std::string(kSentences[i])};
    for (const double cosine : cosines[i]) {
      row.push_back(absl::StrFormat("%.2f", cosine));
    }
    table.AddRow(row);
  }
  return table.ToString();
}

// Describes whether the cosines group the sentences by sense.
std::string Verdict(const Cosines& c) {
  const double within = std::min(c[0][1], c[2][3]);
  const double across = std::max({c[0][2], c[0][3], c[1][2], c[1][3]});
  if (within > across) {
    return absl::StrFormat(
        "Sentences 1 and 2 are similar (%.2f): the %s that holds money. So are "
        "3 and 4\n(%.2f): that of a river. No pair of different senses is "
        "above %.2f.\n",
        c[0][1], kWord, c[2][3], across);
  }
  return absl::StrFormat(
      "The pairs of the same sense, 1 and 2 (%.2f) and 3 and 4 (%.2f), are not "
      "clearly\nabove pairs of different senses (up to %.2f); this model has "
      "learned too little.\n",
      c[0][1], c[2][3], across);
}

// Returns the first lines of the corpus, about kCorpusBytes.
absl::string_view Beginning(absl::string_view corpus) {
  if (corpus.size() <= kCorpusBytes) return corpus;
  return corpus.substr(0, corpus.find('\n', kCorpusBytes) + 1);
}

absl::StatusOr<TrainedLanguageModel> TrainSmallModel(
    absl::string_view corpus, const LanguageModelTraining& training,
    const Hooks& hooks) {
  CorpusOptions reading;
  reading.text = Beginning(corpus);
  reading.threads = training.threads;
  VocabularyOptions all;
  all.min_count = 1;
  FIRTH_ASSIGN_OR_RETURN(const Corpus text, ReadCorpus(reading, all, hooks));
  return TrainLanguageModel(text, training, hooks);
}

void AddTo(absl::Span<const float> values, float factor,
           std::vector<float>* sum) {
  sum->resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) (*sum)[i] += factor * values[i];
}

// Returns the top layer's vectors of kWord in the sentences, minus the mean
// over all tokens, because what all vectors share does not depend on the sense.
absl::StatusOr<std::vector<std::vector<float>>> VectorsInContext(
    LanguageModel model) {
  std::vector<Contextualizer::Sentence> sentences;
  for (const absl::string_view sentence : kSentences) {
    sentences.push_back(absl::StrSplit(sentence, ' '));
  }
  Contextualizer contextualizer(std::move(model));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<TokenVectors> tokens,
                         contextualizer.Embed(sentences));
  const size_t top = contextualizer.num_layers() - 1;
  std::vector<std::vector<float>> vectors;
  std::vector<float> sum;
  float count = 0;
  for (size_t i = 0; i < sentences.size(); ++i) {
    for (size_t token = 0; token < sentences[i].size(); ++token, ++count) {
      AddTo(tokens[i].Vector(top, token), 1, &sum);
    }
    const auto place =
        std::find(sentences[i].begin(), sentences[i].end(), kWord);
    AddTo(tokens[i].Vector(top,
                           static_cast<size_t>(place - sentences[i].begin())),
          1, &vectors.emplace_back());
  }
  for (std::vector<float>& vector : vectors) AddTo(sum, -1 / count, &vector);
  return vectors;
}

// Trains a small language model on the beginning of the corpus, with the given
// word vectors, and prints the similarity of an ambiguous word in four
// sentences. Errors: those of training; Cancelled, `stop` was set.
absl::Status ShowSenses(absl::string_view corpus, const WordVectors& vectors,
                        uint64_t seed, int threads,
                        const std::atomic<bool>* stop) {
  const LanguageModelTraining training = SmallModel(vectors, seed, threads);
  ProgressPrinter progress(/*quiet=*/false, training.epochs);
  absl::StatusOr<TrainedLanguageModel> trained =
      TrainSmallModel(corpus, training, {&progress, stop});
  progress.Clear();
  if (!trained.ok()) return trained.status();
  if (trained->report.interrupted) return absl::CancelledError();
  FIRTH_ASSIGN_OR_RETURN(const std::vector<std::vector<float>> in_context,
                         VectorsInContext(std::move(trained->model)));

  Print(absl::StrFormat(
      "\nThese vectors have only one vector for \"%s\". A language model on "
      "top of them\ngives each occurrence a vector (trained on %s words in "
      "%s). These are the\ncosines of \"%s\" in each of four sentences with "
      "\"%s\" in the others:\n\n",
      kWord, Thousands(trained->report.tokens),
      HumanSeconds(trained->report.seconds), kWord, kWord));
  const Cosines cosines = AllCosines(in_context);
  Print(absl::StrCat(Table(cosines), "\n", Verdict(cosines)));
  return absl::OkStatus();
}

constexpr size_t kShownNeighbors = 5;
constexpr absl::string_view kShownWords[] = {"japan", "queen", "eating"};
constexpr absl::string_view kShownAnalogy[] = {"france", "paris", "japan"};

// The corpus has few words, so small vectors are enough, and no word is so
// frequent that subsampling it would help.
TrainOptions DemoTraining() {
  TrainOptions options;
  options.dim = 64;
  options.sample = 1e-3;
  options.epochs = 3;
  options.deterministic = true;  // The output is the same each time.
  return options;
}

// Returns advice on what to do next, with the name by which the program was
// called. `model` is the file that was written, or empty.
std::string WhatNext(const std::string& model) {
  const std::string& firth = ProgramName();
  std::string text;
  if (!model.empty()) {
    absl::StrAppend(&text, "\nTo explore the vectors in the browser:\n\n  ",
                    firth, " explore ", model, "\n");
  }
  absl::StrAppend(&text, "\nNow with your own text:\n\n  ", firth,
                  " train --input YOUR.txt --output model.safetensors\n  ",
                  firth, " nn model.safetensors WORD\n");
  const size_t slash = firth.rfind('/');
  if (slash == std::string::npos) return text;
  absl::StrAppend(&text, "\nTo call it \"firth\" from everywhere:\n\n");
  if (absl::StrContains(firth, "build/")) {
    absl::StrAppend(&text,
                    "  make install PREFIX=~/.local    "
                    "# to ~/.local/bin; without PREFIX to /usr/local\n");
  } else {
    std::error_code error;
    const std::string folder =
        std::filesystem::absolute(firth.substr(0, slash), error).string();
    absl::StrAppend(&text, "  export PATH=\"", folder, ":$PATH\"\n");
  }
  return text;
}

// The form of the corpus to print instead of training on it.
enum class Printed { kNothing, kCorpus, kTagged };

constexpr CommandText kDemoText = {
    "demo", "train on a built-in corpus and show the results", "[OPTION...]",
    "Generates a corpus from a small grammar: countries with capitals, "
    "nationalities and currencies, male and female words, singular and plural, "
    "verb forms and degrees of adjectives. Trains vectors on it for a few "
    "seconds, then solves analogies that follow from the grammar. Finally a "
    "small language model distinguishes two senses of a word. The demo needs "
    "no files and no network.\n\n"
    "  firth demo --print corpus >corpus.txt\n"
    "  firth demo --print tagged --words 100000 --seed 2 >tagged.txt"};

class DemoCommand : public CommandWith<kDemoText> {
 public:
  void Declare(OptionSet* options) override;
  absl::Status Check(const OptionSet& options) override;
  absl::StatusOr<ExitCode> Run(const OptionSet& options) override;

 private:
  absl::StatusOr<Corpus> Read(const std::string& text, const Hooks& hooks);
  absl::Status ShowNeighbors(const NearestNeighbors& neighbors) const;
  absl::Status ShowAnalogy(const NearestNeighbors& neighbors) const;
  absl::Status ShowQuestions(const WordVectors& vectors) const;
  absl::Status Save(const TrainedModel& model) const;
  // Prints neighbors, analogies and word senses.
  absl::Status Show(const TrainedModel& model, const std::string& text,
                    const std::atomic<bool>* stop) const;

  TrainOptions training_ = DemoTraining();
  uint64_t words_ = 3000000;
  std::string output_;
  std::string format_;
  Printed printed_ = Printed::kNothing;
};

void DemoCommand::Declare(OptionSet* options) {
  options->Integer("words", &words_, 20000, 1000000000,
                   "number of words in the corpus");
  options->Integer("seed", &training_.seed, 0, UINT64_MAX,
                   "set the random seed for the corpus and for training");
  options
      ->Integer("threads", &training_.threads, 0, kMostThreads,
                "number of threads")
      .default_text = "0, which means all cores";
  options
      ->Choice("print", &printed_,
               {{"corpus", Printed::kCorpus}, {"tagged", Printed::kTagged}},
               "print the corpus instead of training on it: corpus prints "
               "plain text; tagged prints word/tag, where the tag is the "
               "word's role in the grammar")
      .default_text = "";
  options->Path(
      "output", "FILE", &output_, WritesVectors(&format_),
      "path to a vector file to write; its extension determines the format");
}

absl::Status DemoCommand::Check(const OptionSet&) {
  if (output_.empty()) return absl::OkStatus();
  if (printed_ != Printed::kNothing) {
    return absl::InvalidArgumentError(
        "--output cannot be combined with --print, which trains nothing");
  }
  FIRTH_ASSIGN_OR_RETURN(format_, ChooseVectorFormat(output_, ""));
  return absl::OkStatus();
}

absl::StatusOr<Corpus> DemoCommand::Read(const std::string& text,
                                         const Hooks& hooks) {
  CorpusOptions options;
  options.text = text;
  options.threads = training_.threads;
  VocabularyOptions vocabulary;
  // A small corpus has each of the words that are shown only a few times.
  if (words_ < 100000) vocabulary.min_count = 1;
  absl::StatusOr<Corpus> corpus = ReadCorpus(options, vocabulary, hooks);
  if (corpus.ok()) {
    Print(absl::StrCat("Generated and read a corpus:\n",
                       Account(corpus->report), "\n"));
  }
  return corpus;
}

absl::Status DemoCommand::ShowNeighbors(
    const NearestNeighbors& neighbors) const {
  const Vocabulary& vocabulary = neighbors.vectors().vocabulary();
  Print("The nearest neighbors of a few words, with their cosines:\n\n");
  for (const absl::string_view shown : kShownWords) {
    const std::optional<WordId> word = vocabulary.Find(shown);
    if (!word.has_value()) continue;  // A small corpus may lack it.
    TextTable table("ls");
    for (const Neighbor& neighbor :
         neighbors.FindWord(*word, kShownNeighbors)) {
      table.AddRow({absl::StrCat("  ", vocabulary.Word(neighbor.word)),
                    absl::StrFormat("%.4f", neighbor.score)});
    }
    PrintStyled(absl::StrCat(shown, "\n", table.ToString()));
  }
  return absl::OkStatus();
}

absl::Status DemoCommand::ShowAnalogy(const NearestNeighbors& neighbors) const {
  const Vocabulary& vocabulary = neighbors.vectors().vocabulary();
  std::vector<WordId> words;
  for (const absl::string_view shown : kShownAnalogy) {
    const std::optional<WordId> word = vocabulary.Find(shown);
    if (!word.has_value()) return absl::OkStatus();
    words.push_back(*word);
  }
  const std::vector<Neighbor> best = neighbors.SolveAnalogy(
      words[0], words[1], words[2], 1, AnalogyMethod::kAdd);
  Print(absl::StrFormat("\n%s is to %s as %s is to: %s\n\n", kShownAnalogy[0],
                        kShownAnalogy[1], kShownAnalogy[2],
                        vocabulary.Word(best[0].word)));
  return absl::OkStatus();
}

absl::Status DemoCommand::ShowQuestions(const WordVectors& vectors) const {
  FIRTH_ASSIGN_OR_RETURN(const std::string questions,
                         GenerateDemoQuestions(kDemoGrammar));
  OpenedModels models;
  FIRTH_RETURN_IF_ERROR(
      models.Add({"demo", std::make_shared<OpenedVectors>(vectors)}));
  const Json request = {
      {"requests", Json::array({{{"questions", questions}}})}};
  FIRTH_ASSIGN_OR_RETURN(
      const std::string answers,
      AskJson(*FindQuestion("eval"), models, OneLine(request), NoLimits()));
  Json file = Json::parse(answers)["answers"][0]["analogies"][0];
  file["file"] = "All analogies of the grammar, by section:\n";
  Print(AnalogyTable(file));
  return absl::OkStatus();
}

absl::Status DemoCommand::Save(const TrainedModel& model) const {
  if (output_.empty()) return absl::OkStatus();
  FIRTH_RETURN_IF_ERROR(SaveVectorFile(
      {model.vectors, model.output, model.output_bias, {}}, output_, format_));
  PrintMessage(absl::StrCat("wrote ", output_));
  return absl::OkStatus();
}

absl::Status DemoCommand::Show(const TrainedModel& model,
                               const std::string& text,
                               const std::atomic<bool>* stop) const {
  const NearestNeighbors neighbors(model.vectors);
  FIRTH_RETURN_IF_ERROR(ShowNeighbors(neighbors));
  FIRTH_RETURN_IF_ERROR(ShowAnalogy(neighbors));
  FIRTH_RETURN_IF_ERROR(ShowQuestions(model.vectors));
  FIRTH_RETURN_IF_ERROR(
      ShowSenses(text, model.vectors, training_.seed, training_.threads, stop));
  Print(WhatNext(output_));
  return absl::OkStatus();
}

absl::StatusOr<ExitCode> DemoCommand::Run(const OptionSet&) {
  FIRTH_ASSIGN_OR_RETURN(
      const std::string text,
      GenerateDemoCorpus(kDemoGrammar, words_, training_.seed,
                         printed_ == Printed::kTagged));
  if (printed_ != Printed::kNothing) {
    Print(text);
    return ExitCode::kDone;
  }
  const InterruptGuard interrupt;
  ProgressPrinter progress(/*quiet=*/false, training_.epochs);
  const Hooks hooks{&progress, interrupt.flag()};
  const absl::StatusOr<Corpus> corpus = Read(text, hooks);
  if (!corpus.ok() && interrupt.Interrupted()) return ExitCode::kInterrupted;
  if (!corpus.ok()) return corpus.status();

  const absl::StatusOr<TrainedModel> model = Train(*corpus, training_, hooks);
  progress.Clear();
  if (!model.ok()) return model.status();
  if (model->report.interrupted) return ExitCode::kInterrupted;
  Print(absl::StrFormat(
      "Trained %s in %s, %s words/s.\n\n",
      Counted(model->vectors.size(), "word vector"),
      HumanSeconds(model->report.seconds),
      Thousands(static_cast<uint64_t>(model->report.words_per_second))));
  absl::Status status = Save(*model);
  if (status.ok()) status = Show(*model, text, hooks.stop);
  if (absl::IsCancelled(status)) return ExitCode::kInterrupted;
  if (!status.ok()) return status;
  return ExitCode::kDone;
}

}  // namespace

CommandPtr MakeDemo() { return std::make_unique<DemoCommand>(); }

}  // namespace firth::tools
