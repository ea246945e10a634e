#include "train/training_identity.h"

#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/checksum.h"
#include "corpus/token_stream.h"

namespace firth {
namespace {

using Json = nlohmann::json;

void Add(const SkipGramOptions& options, Json* json) {
  (*json)["shared-windows"] = options.shared_windows;
  (*json)["directional"] = options.directional;
}
void Add(const CbowOptions& options, Json* json) {
  (*json)["cbow-gradient"] = static_cast<int>(options.gradient);
  (*json)["context-weights"] = static_cast<int>(options.context_weights);
}

void Add(const NegativeSamplingOptions& options, Json* json) {
  (*json)["negative"] = options.negatives;
  (*json)["noise-exponent"] = options.noise_exponent;
}
void Add(const NceOptions& options, Json* json) {
  (*json)["negative"] = options.negatives;
  (*json)["noise-exponent"] = options.noise_exponent;
}
void Add(const HierarchicalSoftmaxOptions&, Json*) {}
void Add(const FullSoftmaxOptions& options, Json* json) {
  (*json)["batch"] = options.batch;
}

void Add(const NoSubwords&, Json*) {}
void AddLengths(int min_n, int max_n, Json* json) {
  (*json)["min-n"] = min_n;
  (*json)["max-n"] = max_n;
}
void Add(const BucketSubwords& options, Json* json) {
  AddLengths(options.min_n, options.max_n, json);
  (*json)["buckets"] = options.buckets;
}
void Add(const ExplicitSubwords& options, Json* json) {
  AddLengths(options.min_n, options.max_n, json);
  (*json)["ngram-min-count"] = options.min_count;
}
void Add(const FloretSubwords& options, Json* json) {
  AddLengths(options.min_n, options.max_n, json);
  (*json)["buckets"] = options.buckets;
  (*json)["hashes"] = options.hashes;
}

template <class Variant>
void AddChoice(const char* name, const Variant& variant, Json* json) {
  std::visit(
      [&](const auto& chosen) {
        (*json)[name] = std::string(chosen.kName);
        Add(chosen, json);
      },
      variant);
}

template <class Value>
uint64_t Sum(absl::Span<const Value> values, uint64_t seed) {
  return Checksum({reinterpret_cast<const char*>(values.data()),
                   values.size() * sizeof(Value)},
                  seed);
}

uint64_t WordSum(const Vocabulary& vocabulary) {
  uint64_t sum = Sum(vocabulary.counts(), vocabulary.size());
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    sum = Checksum(vocabulary.Word(ToWordId(i)), sum);
  }
  return sum;
}

uint64_t TableSum(const FloatTable& table, uint64_t seed) {
  uint64_t sum = seed;
  for (size_t row = 0; row < table.rows(); ++row)
    sum = Sum(table.Row(row), sum);
  return sum;
}

uint64_t InitialSum(const InitialVectors& initial) {
  uint64_t sum = WordSum(initial.vectors->vocabulary());
  sum = TableSum(initial.vectors->table(), sum);
  sum = TableSum(initial.output, sum);
  sum = TableSum(initial.output_bias, sum);
  const SubwordTables* subwords = initial.vectors->subwords();
  if (subwords == nullptr) return sum;
  return TableSum(subwords->n_grams, TableSum(subwords->words, sum));
}

std::string Hex(uint64_t sum) {
  return absl::StrCat(absl::Hex(sum, absl::kZeroPad16));
}

}  // namespace

nlohmann::json TrainingIdentity(const TrainOptions& options,
                                const Corpus& corpus,
                                const InitialVectors& initial) {
  Json json = {{"dim", options.dim},
               {"window", options.window},
               {"dynamic-window", options.dynamic_window},
               {"sample", options.sample},
               {"subword-step", options.subword_step},
               {"word-step", options.word_step},
               {"word-share", options.word_share},
               {"add-output", options.add_output},
               {"epochs", options.epochs},
               {"learning-rate", options.learning_rate},
               {"min-learning-rate", options.min_learning_rate},
               {"seed", options.seed},
               {"deterministic", options.deterministic}};
  AddChoice("arch", options.architecture, &json);
  AddChoice("loss", options.objective, &json);
  AddChoice("subword-index", options.subwords, &json);
  json["words of the text"] = Hex(WordSum(corpus.vocabulary));
  json["text"] = Hex(Sum(corpus.tokens->tokens(), corpus.tokens->num_words()));
  if (initial.vectors != nullptr) {
    json["init"] = Hex(InitialSum(initial));
    json["freeze-init"] = initial.freeze;
    json["init-others"] = initial.keep_others;
  }
  return json;
}

}  // namespace firth
