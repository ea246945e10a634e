#include "train/training_identity.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/fields_json.h"
#include "corpus/token_stream.h"

namespace firth {
namespace {

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
  nlohmann::json json = IdentityOf(options);
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
