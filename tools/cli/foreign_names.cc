// Foreign names are stored in two tables. An entry applies only if the command
// has its option.

#include "cli/foreign_names.h"

#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "firth/query.h"

namespace firth::tools {
namespace {

// Returns the common form "mincount" of "minCount", "min_count", "min-count".
std::string Plain(absl::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c != '-' && c != '_') plain += absl::ascii_tolower(c);
  }
  return plain;
}

// An argument in the form of an option.
struct Typed {
  absl::string_view dashes;
  absl::string_view name;
  absl::string_view value;  // After "=" or in the next argument; may be empty.
};

std::optional<Typed> ReadTyped(absl::string_view argument,
                               absl::string_view next) {
  const size_t dashes = absl::StartsWith(argument, "--")  ? 2
                        : absl::StartsWith(argument, "-") ? 1
                                                          : 0;
  if (dashes == 0 || argument.size() == dashes) return std::nullopt;
  if (!absl::ascii_isalpha(argument[dashes])) return std::nullopt;
  const size_t equals = argument.find('=');
  Typed typed = {argument.substr(0, dashes),
                 argument.substr(dashes, equals - dashes), ""};
  if (equals != argument.npos) {
    typed.value = argument.substr(equals + 1);
  } else if (!absl::StartsWith(next, "-")) {
    typed.value = next;
  }
  return typed;
}

// Returns whether the parser accepts it or, as in "-iFILE", reports it.
bool IsOurs(const Typed& typed, const OptionSet& options) {
  if (typed.dashes == "--") return options.Find(typed.name) != nullptr;
  if (typed.name.size() > 1) return false;
  return absl::c_any_of(options.All(), [&](const Option* option) {
    return option->letter == typed.name[0];
  });
}

const Option* FindPlain(absl::string_view name, const OptionSet& options) {
  const std::string plain = Plain(name);
  for (const Option* option : options.All()) {
    if (Plain(option->name) == plain) return option;
  }
  return nullptr;
}

const ForeignOption* FindForeign(absl::string_view name,
                                 const OptionSet& options) {
  const std::string plain = Plain(name);
  for (const ForeignOption& row : ForeignOptions()) {
    if (Plain(row.name) != plain) continue;
    if (row.option.empty() || options.Find(row.option) != nullptr) return &row;
  }
  return nullptr;
}

// Returns "--arch skipgram" for the value "1" of "sg", for example.
std::string Translated(const Option& option, absl::string_view value,
                       const ForeignOption* row) {
  std::string name = absl::StrCat("--", option.name);
  if (option.value_name.empty()) return name;
  if (row != nullptr && !row->values.empty()) {
    for (const auto& [theirs, ours] : row->values) {
      if (absl::EqualsIgnoreCase(theirs, value)) {
        return absl::StrCat(name, " ", ours);
      }
    }
    value = "";
  }
  return absl::StrCat(name, " ", value.empty() ? option.value_name : value);
}

std::string Answer(const Typed& typed, const OptionSet& options) {
  const ForeignOption* row = nullptr;
  // A single letter is not compared with whole names.
  const Option* ours =
      typed.name.size() > 1 ? FindPlain(typed.name, options) : nullptr;
  if (ours == nullptr) {
    row = FindForeign(typed.name, options);
    if (row == nullptr) return "";
    ours = options.Find(row->option);
  }
  const std::string unknown =
      absl::StrCat("unknown option ", typed.dashes, typed.name, ": ");
  if (ours == nullptr) return absl::StrCat(unknown, row->note);
  return absl::StrCat(
      unknown, "in Firth it is ", Translated(*ours, typed.value, row),
      row == nullptr || row->note.empty() ? "" : absl::StrCat(", ", row->note));
}

std::string NotHere(absl::string_view why) {
  return absl::StrCat("Firth does not have it: ", why);
}

ForeignOption Lacking(absl::string_view name, absl::string_view why) {
  return {name, {}, {}, NotHere(why)};
}

constexpr char kTune[] =
    "\"firth classify tune\" searches for the best options";

std::string Suggest(const Vocabulary& vocabulary, absl::string_view found,
                    size_t count) {
  std::vector<absl::string_view> words;
  for (const WordId word : ClosestSpellings(vocabulary, found, count)) {
    words.push_back(vocabulary.Word(word));
  }
  if (words.empty()) return "";
  return absl::StrCat("; did you mean ", absl::StrJoin(words, ", "), "?");
}

// Splits "king, Queen" into words of the vocabulary; none if it lacks one.
std::vector<std::string> WordsApart(const Vocabulary& vocabulary,
                                    absl::string_view found) {
  std::vector<std::string> words =
      absl::StrSplit(found, absl::ByAnyChar(" \t,;"), absl::SkipEmpty());
  for (std::string& word : words) {
    if (vocabulary.Find(word).has_value()) continue;
    absl::AsciiStrToLower(&word);
    if (!vocabulary.Find(word).has_value()) return {};
  }
  return words;
}

}  // namespace

const std::vector<ForeignOption>& ForeignOptions() {
  static const auto& rows = *new std::vector<ForeignOption>{
      // Training options of word2vec.c, fastText and gensim.
      {"train", "input"},
      {"corpus", "input"},
      {"corpus-file", "input"},
      {"sentences", "input"},
      {"size", "dim"},
      {"vector-size", "dim"},
      {"lr", "learning-rate"},
      {"alpha", "learning-rate"},
      {"start-alpha", "learning-rate"},
      {"min-alpha", "min-learning-rate"},
      {"end-alpha", "min-learning-rate"},
      {"iter", "epochs"},
      {"epoch", "epochs"},
      {"workers", "threads"},
      {"thread", "threads"},
      {"ws", "window"},
      {"window-size", "window"},
      {"neg", "negative"},
      {"t", "sample"},
      {"ns-exponent", "noise-exponent"},
      {"sg", "arch", {{"1", "skipgram"}, {"0", "cbow"}}},
      {"cbow", "arch", {{"1", "cbow"}, {"0", "skipgram"}}},
      {"hs", "loss", {{"1", "hs"}, {"0", "ns"}}},
      {"binary", "format", {{"1", "bin"}, {"0", "text"}}},
      {"binary", "to", {{"1", "bin"}, {"0", "text"}}},
      {"shrink-windows",
       "dynamic-window",
       {{"1", "on"}, {"true", "on"}, {"0", "off"}, {"false", "off"}}},
      {"bucket", "buckets"},
      {"minn", "min-n"},
      {"maxn", "max-n"},
      {"max-final-vocab", "max-vocab"},
      {"max-vocab-size",
       "memory",
       {{"", "SIZE"}},  // In those programs, a number of words.
       "a size in bytes; --max-vocab N keeps the N most frequent words"},
      {"read-vocab", "vocab"},
      {"pretrained-vectors", "init"},
      {"pretrained-vectors", "vectors"},
      {"accuracy", "eval-analogies"},
      {"verbose", "quiet", {}, "which prints nothing but warnings"},
      {"debug", "quiet", {}, "which prints nothing but warnings"},
      Lacking("save-output",
              "a .safetensors file always contains the output table"),
      Lacking("word-ngrams",
              "word vectors have no n-grams of words; --phrases N joins words "
              "into phrases"),
      Lacking("cbow-mean", "--arch cbow always uses the mean of the context"),
      Lacking("classes", "Firth does not cluster words into classes"),
      Lacking("lr-update-rate",
              "the learning rate is always updated in all threads"),
      Lacking("batch-words", "threads divide the text into pieces themselves"),
      Lacking("compute-loss", "training always prints the loss"),
      Lacking("sorted-vocab", "words are always sorted by count"),
      Lacking("trim-rule", "--vocab FILE lists the words to train"),
      {"label", "label-prefix"},
      {"label", {}, {}, "\"firth classify train\" learns labels"},
      Lacking("min-count-label",
              "a classifier always learns all labels of the texts"),
      {"autotune-validation",
       "valid",
       {},
       "an option of \"firth classify tune\""},
      {"autotune-metric", "metric", {{"f1", "micro-f1"}}},
      {"autotune-duration",
       "budget",
       {{"", "TOKENS|TIME"}},
       "where a time such as 5m is converted to a number of tokens"},
      {"autotune-modelsize", "max-size"},
      {"autotune-duration", {}, {}, kTune},
      {"autotune-metric", {}, {}, kTune},
      {"autotune-modelsize", {}, {}, kTune},
      // Options for queries.
      {"k", "top"},
      {"k", "top-k"},
      {"topn", "top"},
      {"restrict-vocab", "restrict"},
      {"case-insensitive", "lowercase"},
      {"positive",
       {},
       {},
       "the words are arguments: firth analogy VECTORS man king woman"},
      // Options of fastText's quantize.
      {"qnorm", "pq-norms"},
      {"cutoff", "max-vocab"},
      {"cutoff", "max-size", {{"", "SIZE"}}, "the size of the file in bytes"},
      {"retrain", "input", {{"", "FILE"}}, "the texts of the training run"},
      {"dsub",
       "pq-parts",
       {{"", "N"}},  // In those programs, another number.
       "the number of parts instead of the values per part"},
      Lacking("retrain",
              "\"firth postprocess\" quantizes vectors without training"),
  };
  return rows;
}

const std::vector<ForeignCommand>& ForeignCommands() {
  static const auto& rows = *new std::vector<ForeignCommand>{
      {"word2vec", "train --preset word2vec"},
      {"fasttext", "train --preset fasttext"},
      {"skipgram", "train --arch skipgram"},
      {"cbow", "train --arch cbow"},
      {"word2phrase", "phrases"},
      {"build-vocab", "vocab"},
      {"most-similar", "nn VECTORS WORD"},
      {"similar-by-word", "nn VECTORS WORD"},
      {"neighbors", "nn VECTORS WORD"},
      {"distance", "nn VECTORS WORD"},
      {"analogies", "analogy VECTORS man king woman"},
      {"word-analogy", "analogy VECTORS man king woman"},
      {"most-similar-cosmul", "analogy VECTORS man king woman --method mul"},
      {"doesnt-match", "odd VECTORS WORD WORD WORD"},
      {"print-ngrams", "ngrams VECTORS WORD"},
      {"print-word-vectors", "sentence-vectors VECTORS <WORDS",
       "with one word per line"},
      {"print-sentence-vectors", "sentence-vectors VECTORS <SENTENCES"},
      {"compute-accuracy", "eval VECTORS --analogies FILE"},
      {"evaluate", "eval VECTORS --analogies FILE"},
      {"accuracy", "eval VECTORS --analogies FILE"},
      {"evaluate-word-analogies", "eval VECTORS --analogies FILE"},
      {"evaluate-word-pairs", "eval VECTORS --similarity FILE"},
      {"quantize", "postprocess IN OUT --quantize pq",
       "or for a classifier \"firth classify quantize\""},
      {"save", "convert IN OUT"},
      {"save-word2vec-format", "convert IN OUT"},
      {"load-word2vec-format", "convert IN OUT"},
      {"dump", "info FILE"},
      {"elmo", "embed MODEL"},
      {"perplexity", "lm perplexity MODEL --input FILE"},
      {"generate", "lm generate MODEL"},
      {"tagger", "tag train --input FILE --output MODEL"},
      {"supervised", "classify train --input FILE --output MODEL"},
      {"classifier", "classify train --input FILE --output MODEL"},
      {"predict", "classify predict MODEL <TEXTS"},
      {"predict-prob", "classify predict MODEL <TEXTS"},
      {"test", "classify eval MODEL --input FILE"},
      {"test-label", "classify eval MODEL --input FILE"},
      {"autotune", "classify tune --input FILE"},
      {"doc2vec",
       {},
       "\"firth sentence-vectors\" computes the mean of a text's word vectors"},
      {"glove",
       {},
       "Firth reads GloVe's vectors, and \"firth train\" trains word2vec and "
       "fastText models"},
      {"wmdistance", "text-similarity VECTORS"},
      {"visualize", "explore VECTORS"},
      {"tsne", "map VECTORS --method tsne --output map.tsv"},
      {"umap", "map VECTORS --output map.tsv"},
  };
  return rows;
}

absl::Status RefuseForeignOptions(const std::vector<std::string>& arguments,
                                  const OptionSet& options) {
  std::vector<std::string> answers;
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    absl::string_view next;
    if (i + 1 < arguments.size()) next = arguments[i + 1];
    const std::optional<Typed> typed = ReadTyped(arguments[i], next);
    if (!typed.has_value() || IsOurs(*typed, options)) continue;
    std::string answer = Answer(*typed, options);
    if (!answer.empty()) answers.push_back(std::move(answer));
  }
  if (answers.empty()) return absl::OkStatus();
  // Aligns the lines after "firth: ".
  return absl::InvalidArgumentError(absl::StrJoin(answers, "\n       "));
}

std::string AnswerForeignCommand(absl::string_view name) {
  const std::string plain = Plain(name);
  for (const ForeignCommand& row : ForeignCommands()) {
    if (Plain(row.name) != plain) continue;
    if (row.here.empty()) return absl::StrCat(": ", NotHere(row.note));
    return absl::StrCat(": in Firth it is \"firth ", row.here, "\"",
                        row.note.empty() ? "" : absl::StrCat(", ", row.note));
  }
  return "";
}

std::string DidYouMean(const std::vector<std::string>& names,
                       absl::string_view found) {
  const std::vector<absl::string_view> words(names.begin(), names.end());
  const auto vocabulary = Vocabulary::Create(words, {});
  return vocabulary.ok() ? Suggest(*vocabulary, found, 1) : "";
}

namespace {

bool HoldsTexts(const Vocabulary& vocabulary) {
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    if (HoldsWhiteSpace(vocabulary.Word(ToWordId(i)))) return true;
  }
  return false;
}

}  // namespace

std::string DidYouMean(const Vocabulary& vocabulary, absl::string_view found) {
  const std::vector<std::string> apart = WordsApart(vocabulary, found);
  if (apart.size() > 1) {
    return absl::StrCat("; write the words as separate arguments: ",
                        absl::StrJoin(apart, " "));
  }
  if (apart.size() == 1 && absl::EqualsIgnoreCase(apart[0], found)) {
    return absl::StrCat("; use lower case: ", apart[0]);
  }
  // The words of an index of texts are whole texts.
  if (HoldsWhiteSpace(found) && !HoldsTexts(vocabulary)) {
    return "; write each word as a separate argument, without quotes";
  }
  return Suggest(vocabulary, found, 3);
}

bool HoldsWhiteSpace(absl::string_view word) {
  return word.find_first_of(" \t\n") != word.npos;
}

}  // namespace firth::tools
