// The commands that use a language model: firth lm perplexity, score, generate,
// attention, gradients and corrupt.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ask/text_asker.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/progress_printer.h"
#include "command.h"
#include "firth/contextualizer.h"
#include "firth/language_model.h"
#include "firth/span_corruption.h"
#include "firth/status_macros.h"
#include "firth/tagged_text.h"
#include "tag/tagging.h"
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
    "--mix measures the mixture of two models, such as a network and a "
    "counting model: w p_1 + (1 - w) p_2 for each token, with the weight w "
    "that is best on --valid. Both must predict the same words.\n\n"
    "  firth lm perplexity lm.safetensors --input held-out.txt\n"
    "  firth lm perplexity lm.safetensors --mix lm.arpa --valid valid.txt \\\n"
    "    --input held-out.txt"};

class LmPerplexityCommand : public CommandWith<kLmPerplexityText> {
 public:
  void Declare(OptionSet* options) override {
    reading_.DeclareInput(options);
    options->Section("Measurement");
    options->Fields(&options_, {"stateful"});
    options
        ->Path("mix", "MODEL", &mixed_, Reads(),
               "path to a second model; also measure the mixture of both")
        .Everyday();
    options
        ->Paths("valid", "FILE", &valid_, Reads(),
                "path to another text, on which the weight of --mix is fitted")
        .Everyday()
        .GoesWith({"mix"});
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
    if (mixed_.empty() != valid_.empty()) {
      return absl::InvalidArgumentError(
          "--mix requires --valid FILE, a text on which the weight is fitted");
    }
    if (!mixed_.empty() && options_.stateful) {
      return absl::InvalidArgumentError(
          "--mix cannot be combined with --stateful");
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
    if (!mixed_.empty() && text.ok()) {
      const absl::Status status = Mix(model, *text, hooks);
      progress.Clear();
      if (interrupt.Interrupted()) return ExitCode::kInterrupted;
      FIRTH_RETURN_IF_ERROR(status);
      return ExitCode::kDone;
    }
    const absl::StatusOr<Perplexity> measured =
        text.ok() ? At(model_[0], model.Measure(*text, options_, hooks))
                  : text.status();
    if (interrupt.Interrupted()) return ExitCode::kInterrupted;
    if (!measured.ok()) return measured.status();
    Print(json_ ? JsonLine(ToJson(*measured)) : Table(*measured));
    return ExitCode::kDone;
  }

 private:
  // Measures and prints the mixture with the second model.
  absl::Status Mix(LanguageModel& model, const Corpus& text,
                   const Hooks& hooks) const {
    FIRTH_ASSIGN_OR_RETURN(LanguageModel second, LanguageModel::Load(mixed_));
    CorpusOptions reading = reading_.corpus;
    reading.inputs = valid_;
    FIRTH_ASSIGN_OR_RETURN(const Corpus valid,
                           ReadCorpus(reading, {.min_count = 1}, hooks));
    FIRTH_ASSIGN_OR_RETURN(const MixedPerplexity measured,
                           MeasureMixture(model, second, valid, text, hooks));
    Print(json_ ? JsonLine(ToJson(measured)) : Table(measured));
    return absl::OkStatus();
  }

  std::string Table(const MixedPerplexity& measured) const {
    TextTable table("lrrr");
    table.AddRow({"model", "weight", "perplexity", "known words"});
    const auto add = [&](const std::string& name, double weight,
                         const DirectionPerplexity& d) {
      table.AddRow({name, absl::StrFormat("%.4f", weight),
                    absl::StrFormat("%.2f", std::exp(d.loss)),
                    absl::StrFormat("%.2f", std::exp(d.known_loss))});
    };
    add(model_[0], measured.weight, measured.first);
    add(mixed_, 1 - measured.weight, measured.second);
    add("both", 1, measured.mixed);
    return table.ToString();
  }

  static Json ToJson(const DirectionPerplexity& d) {
    return {{"tokens", d.tokens},
            {"unknown", d.unknown},
            {"loss", d.loss},
            {"known_loss", d.known_loss}};
  }
  static Json ToJson(const MixedPerplexity& measured) {
    return {{"weight", measured.weight},
            {"first", ToJson(measured.first)},
            {"second", ToJson(measured.second)},
            {"mixed", ToJson(measured.mixed)},
            {"perplexity", std::exp(measured.mixed.loss)}};
  }

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
      json[name] = ToJson(d);
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
  std::string mixed_;
  std::vector<std::string> valid_;
  std::vector<std::string> model_;
};

constexpr CommandText kLmScoreText = {
    "lm score", "compute the log probability of sentences",
    "MODEL [OPTION...] <TEXT",
    "Reads sentences as they arrive, one per line, with tokens separated by "
    "white space. Prints for each, separated by tabs, ln p, the number of "
    "tokens that p covers, and the sentence. p is the product of the "
    "probabilities of the words and of the end of the sentence, each given the "
    "words before it. Unknown words count as <UNK>, and only the forward "
    "direction is used. Longer sentences have lower p; to compare sentences, "
    "divide ln p by the number of tokens. An empty line is a sentence without "
    "words.\n\n"
    "  printf 'the cat sat\\nsat the cat\\n' | firth lm score lm.safetensors\n"
    "  firth lm score lm.safetensors <text.txt | sort -nr | head"};

class LmScoreCommand : public CommandWith<kLmScoreText> {
 public:
  void Declare(OptionSet* options) override {
    DeclareTexts(&inputs_, options);
    options
        ->Switch("json", &json_,
                 "print one JSON object per sentence, with its number of "
                 "unknown words")
        .Everyday();
    options->Arguments("MODEL", 1, 1, &model_, {{"MODEL", Reads()}});
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(Contextualizer loaded,
                           Contextualizer::Load(model_[0]));
    const auto opened =
        std::make_shared<OpenedLanguageModel>(std::move(loaded));
    TextAsker asker("lm-score");
    FIRTH_RETURN_IF_ERROR(ForEachBlock(
        {.inputs = inputs_, .form = TextForm::kText, .with_tags = false},
        [&](const std::vector<TaggedSentence>& read) -> absl::Status {
          if (!json_) return PrintScores(opened->model.language_model(), read);
          asker.PrintAnswers(read, {"", opened});
          return absl::OkStatus();
        }));
    return asker.failed() ? ExitCode::kFailed : ExitCode::kDone;
  }

 private:
  absl::Status PrintScores(LanguageModel& model,
                           const std::vector<TaggedSentence>& read) const {
    std::vector<LanguageModel::Sentence> sentences;
    sentences.reserve(read.size());
    for (const TaggedSentence& sentence : read) {
      sentences.emplace_back(sentence.tokens.begin(), sentence.tokens.end());
    }
    FIRTH_ASSIGN_OR_RETURN(const std::vector<SentenceScore> scores,
                           At(model_[0], model.Score(sentences)));
    for (size_t i = 0; i < sentences.size(); ++i) {
      Print(absl::StrFormat("%.4f\t%d\t%s\n", scores[i].log_probability,
                            scores[i].tokens,
                            absl::StrJoin(sentences[i], " ")));
    }
    return absl::OkStatus();
  }

  std::vector<std::string> inputs_;
  bool json_ = false;
  std::vector<std::string> model_;
};

constexpr CommandText kLmGenerateText = {
    "lm generate", "generate sentences with a language model",
    "MODEL [OPTION...] [WORD...]",
    "Continues the given words with the forward language model until the end "
    "of the sentence. By default it takes the most probable word each time; "
    "--temperature samples words, and --beam uses beam search.\n\n"
    "  firth lm generate lm.safetensors The old man\n"
    "  firth lm generate lm.safetensors --temperature 0.8 --top-k 40 --count "
    "5\n"
    "  firth lm generate lm.safetensors --beam 8 --length-normalization 0.6 "
    "The"};

class LmGenerateCommand : public CommandWith<kLmGenerateText> {
 public:
  void Declare(OptionSet* options) override {
    options->Fields(&fields_);
    options->Switch(
        "json", &json_,
        "print one JSON object per sentence, with its log probability");
    options->Arguments("MODEL", 1, SIZE_MAX, &arguments_,
                       {{"MODEL", Reads()}, {"WORD", NoFile()}});
  }

  absl::Status Check(const OptionSet& options) override {
    if (options.Given("length-normalization") && options_.beam == 1) {
      return absl::InvalidArgumentError(
          "--length-normalization requires --beam 2 or more");
    }
    if (options_.count > 1 && options_.beam == 1 && options_.temperature == 0) {
      return absl::InvalidArgumentError(
          "--count requires --temperature or --beam; without them there is "
          "only one sentence");
    }
    // An argument such as "The old man" consists of three words.
    for (size_t i = 1; i < arguments_.size(); ++i) {
      for (const absl::string_view word : absl::StrSplit(
               arguments_[i], absl::ByAnyChar(" \t\n"), absl::SkipEmpty())) {
        options_.prompt.emplace_back(word);
      }
    }
    return options_.Validate();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(LanguageModel model,
                           LanguageModel::Load(arguments_[0]));
    FIRTH_ASSIGN_OR_RETURN(const std::vector<GeneratedSentence> sentences,
                           At(arguments_[0], model.Generate(options_)));
    for (const GeneratedSentence& sentence : sentences) {
      const std::string text = absl::StrJoin(sentence.words, " ");
      Print(json_ ? JsonLine(Json{
                        {"text", text},
                        {"log_probability", Rounded(sentence.log_probability)},
                        {"ended", sentence.ended}})
                  : text + "\n");
    }
    return ExitCode::kDone;
  }

 private:
  GenerateOptions options_;
  FieldEditor fields_{&options_};
  bool json_ = false;
  std::vector<std::string> arguments_;
};

constexpr CommandText kLmAttentionText = {
    "lm attention",
    "show the attention weights between the tokens of a sentence",
    "MODEL [OPTION...] <TEXT",
    "For each token of a sentence and each layer and head of a Transformer, "
    "prints the tokens with the highest attention weights. A line has the "
    "direction (both for a masked model, whose tokens attend to both sides), "
    "layer, head and token, then the attended tokens with their "
    "weights, separated by tabs; an empty line ends a sentence. Tokens are "
    "those that the model reads, with <S> and </S> around the sentence. With "
    "--json, each sentence is an object with all weights: per direction, layer "
    "and head, one row for each token, with one weight for each token that it "
    "attends to.\n\n"
    "  echo \"the bank of the river\" | firth lm attention gpt.safetensors"};

class LmAttentionCommand : public CommandWith<kLmAttentionText> {
 public:
  void Declare(OptionSet* options) override {
    DeclareTexts(&inputs_, options);
    text_.Declare(/*plain_text=*/true, options);
    options
        ->Integer("top", &top_, size_t{1}, size_t{1'000'000},
                  "number of attended tokens to print")
        .Everyday();
    options->Switch("json", &json_, "print one JSON object per sentence")
        .Everyday();
    options->Arguments("MODEL", 1, 1, &arguments_, {{"MODEL", Reads()}});
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(Contextualizer model,
                           Contextualizer::Load(arguments_[0]));
    FIRTH_RETURN_IF_ERROR(ForEachBlock(
        text_.Of(inputs_, false),
        [&](const std::vector<TaggedSentence>& sentences) -> absl::Status {
          for (const TaggedSentence& sentence : sentences) {
            FIRTH_ASSIGN_OR_RETURN(
                const AttentionWeights weights,
                At(arguments_[0], model.Attend({sentence.tokens.begin(),
                                                sentence.tokens.end()})));
            json_ ? PrintJson(weights) : PrintTable(weights);
          }
          return absl::OkStatus();
        }));
    return ExitCode::kDone;
  }

 private:
  // Calls visit(direction, layer, head) for each head.
  template <class Visit>
  static void ForEachHead(const AttentionWeights& weights, const Visit& visit) {
    for (size_t direction = 0; direction < weights.directions; ++direction) {
      for (size_t layer = 0; layer < weights.layers; ++layer) {
        for (size_t head = 0; head < weights.heads; ++head) {
          visit(direction, layer, head);
        }
      }
    }
  }

  void PrintTable(const AttentionWeights& weights) const {
    ForEachHead(weights, [&](size_t direction, size_t layer, size_t head) {
      for (size_t token = 0; token < weights.tokens.size(); ++token) {
        Print(absl::StrCat(
            weights.direction_names[direction], "\t", layer + 1, "\t", head + 1,
            "\t", weights.tokens[token],
            Seen(weights, weights.Row(direction, layer, head, token)), "\n"));
      }
    });
    Print("\n");
  }

  std::string Seen(const AttentionWeights& weights,
                   absl::Span<const float> row) const {
    std::vector<size_t> order(row.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    const size_t count = std::min(top_, order.size());
    std::partial_sort(order.begin(),
                      order.begin() + static_cast<ptrdiff_t>(count),
                      order.end(), [&](size_t a, size_t b) {
                        return row[a] != row[b] ? row[a] > row[b] : a < b;
                      });
    std::string text;
    for (size_t i = 0; i < count && row[order[i]] > 0; ++i) {
      absl::StrAppend(&text, "\t", weights.tokens[order[i]], "\t",
                      absl::StrFormat("%.4f", row[order[i]]));
    }
    return text;
  }

  // Prints each head separately, because all of them would need much memory.
  static void PrintJson(const AttentionWeights& weights) {
    Print(
        absl::StrCat("{\"tokens\":", OneLine(weights.tokens), ",\"heads\":["));
    const char* separator = "";
    ForEachHead(weights, [&](size_t direction, size_t layer, size_t head) {
      Json rows = Json::array();
      for (size_t token = 0; token < weights.tokens.size(); ++token) {
        Json row = Json::array();
        for (const float value : weights.Row(direction, layer, head, token)) {
          row.push_back(Rounded(value));
        }
        rows.push_back(std::move(row));
      }
      const Json one = {{"direction", weights.direction_names[direction]},
                        {"layer", layer + 1},
                        {"head", head + 1},
                        {"weights", std::move(rows)}};
      Print(separator + OneLine(one));
      separator = ",";
    });
    Print("]}\n");
  }

  std::vector<std::string> inputs_;
  TaggedForm text_;
  size_t top_ = 1;
  bool json_ = false;
  std::vector<std::string> arguments_;
};

constexpr CommandText kLmGradientsText = {
    "lm gradients", "measure how far gradients reach back",
    "MODEL --input FILE... [OPTION...]",
    "Measures how much the output of a forward language model depends on the "
    "tokens before it. Prints the norm of the gradient by the distance to the "
    "token: with respect to its vector (input) and, for recurrent layers, to "
    "the states of each layer (1.output and 1.state for the lowest one). A "
    "norm is the "
    "root mean square over tokens of the text and random directions of the "
    "output. If norms fall quickly, the model cannot learn from distant "
    "tokens.\n\n"
    "  firth lm gradients lm.safetensors --input held-out.txt\n"
    "  firth lm gradients lm.safetensors --input held-out.txt --json "
    ">lstm.json\n"
    "  firth plot lstm.json --output lstm.svg"};

class LmGradientsCommand : public CommandWith<kLmGradientsText> {
 public:
  void Declare(OptionSet* options) override {
    reading_.DeclareInput(options);
    options->Section("Measurement");
    options
        ->Integer("steps", &steps_, size_t{2}, size_t{10'000},
                  "number of tokens over which gradients flow back")
        .Everyday();
    options->Section("Output");
    options->Switch("json", &json_, "print the norms at all distances as JSON")
        .Everyday();
    options->Switch("quiet", &quiet_, "print only results and errors");
    reading_.DeclareThreads(options);
    options->Arguments("MODEL", 1, 1, &model_, {{"MODEL", Reads()}});
  }

  absl::Status Check(const OptionSet& options) override {
    if (reading_.corpus.inputs.empty()) {
      return absl::InvalidArgumentError("give the text with --input FILE");
    }
    return reading_.Check(options);
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(LanguageModel model, LanguageModel::Load(model_[0]));
    const InterruptGuard interrupt;
    ProgressPrinter progress(quiet_, 1);
    const Hooks hooks{&progress, interrupt.flag()};
    const absl::StatusOr<Corpus> text =
        ReadCorpus(reading_.corpus, {.min_count = 1}, hooks);
    const absl::StatusOr<GradientReach> reach =
        text.ok()
            ? At(model_[0], MeasureGradientReach(model, *text, steps_, hooks))
            : text.status();
    progress.Clear();
    if (interrupt.Interrupted()) return ExitCode::kInterrupted;
    FIRTH_RETURN_IF_ERROR(reach.status());
    Print(json_ ? JsonLine(ToJson(*reach)) : Table(*reach));
    return ExitCode::kDone;
  }

 private:
  // Prints distances 0, 1, 2, 4, 8, ... and the largest.
  std::string Table(const GradientReach& reach) const {
    TextTable table(absl::StrCat("r", std::string(reach.paths.size(), 'r')));
    std::vector<std::string> names = {"distance"};
    for (const GradientReach::Path& path : reach.paths) {
      names.push_back(path.name);
    }
    table.AddRow(names);
    for (size_t distance = 0; distance < steps_;) {
      std::vector<std::string> row = {absl::StrCat(distance)};
      for (const GradientReach::Path& path : reach.paths) {
        row.push_back(
            distance < path.first_distance
                ? ""
                : absl::StrFormat("%.3g",
                                  path.norms[distance - path.first_distance]));
      }
      table.AddRow(row);
      if (distance == steps_ - 1) break;
      distance = std::min(std::max<size_t>(1, 2 * distance), steps_ - 1);
    }
    return table.ToString();
  }

  static Json ToJson(const GradientReach& reach) {
    Json gradients = Json::array();
    for (const GradientReach::Path& path : reach.paths) {
      gradients.push_back({{"of", path.name},
                           {"first_distance", path.first_distance},
                           {"norms", path.norms}});
    }
    return {{"gradients", gradients}};
  }

  ReadingOptions reading_;
  size_t steps_ = 64;
  bool json_ = false;
  bool quiet_ = false;
  std::vector<std::string> model_;
};

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

class LmCorruptCommand : public CommandWith<kLmCorruptText> {
 public:
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

CommandPtr MakeLmPerplexity() {
  return std::make_unique<LmPerplexityCommand>();
}

CommandPtr MakeLmScore() { return std::make_unique<LmScoreCommand>(); }

CommandPtr MakeLmGenerate() { return std::make_unique<LmGenerateCommand>(); }

CommandPtr MakeLmAttention() { return std::make_unique<LmAttentionCommand>(); }

CommandPtr MakeLmGradients() { return std::make_unique<LmGradientsCommand>(); }

CommandPtr MakeLmCorrupt() { return std::make_unique<LmCorruptCommand>(); }

}  // namespace firth::tools
