#include "firth/sentence_vectors.h"

#include <optional>

#include "absl/strings/str_split.h"
#include "base/unicode.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "vectors/principal_components.h"
#include "vectors/row_block.h"

namespace firth {

FieldTable SentenceOptions::Fields() {
  FieldsOf<SentenceOptions> fields;
  fields
      .Add("sif", &SentenceOptions::sif,
           "weight each word of relative frequency p by SIF / (SIF + p); about "
           "0.001 is usual. 0 weights all words equally")
      .Range(0, 1e9);
  fields.Add("unit-words", &SentenceOptions::unit_words,
             "scale the vectors of words to length 1 first, as fastText does; "
             "it has no effect on fastText's supervised models");
  fields.Add("lowercase", &SentenceOptions::lowercase,
             "convert words to lower case first");
  fields
      .Add("subwords", &SentenceOptions::subwords,
           "build the vectors of unknown words from n-grams, if the model has "
           "them")
      .Unlisted();
  return fields;
}

absl::Status SentenceOptions::Validate() const { return CheckFields(*this); }

absl::StatusOr<SentenceEncoder> SentenceEncoder::Create(
    WordVectors vectors, const SentenceOptions& options) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  if (options.sif > 0 && vectors.vocabulary().total_count() == 0) {
    return absl::InvalidArgumentError(
        "sif: the vectors have no word counts; use a file with counts "
        "(safetensors, npy or fasttext)");
  }
  SentenceEncoder encoder(std::move(vectors), options);
  if (encoder.text_encoder() != nullptr) {
    FIRTH_RETURN_IF_ERROR(encoder.text_encoder()->Check());
  }
  return encoder;
}

const TextEncoder* SentenceEncoder::text_encoder() const {
  const bool of_words_alone = options_.sif > 0 || !options_.subwords;
  return of_words_alone ? nullptr : vectors_.text_encoder();
}

void SentenceEncoder::Add(absl::Span<const float> word, double weight,
                          std::vector<double>* sum) const {
  if (options_.unit_words) weight *= InverseNorm(word);
  for (size_t i = 0; i < word.size(); ++i) (*sum)[i] += weight * word[i];
}

absl::StatusOr<size_t> SentenceEncoder::Encode(absl::string_view sentence,
                                               absl::Span<float> vector) const {
  const TextEncoder* const encoder = text_encoder();
  if (encoder == nullptr) return EncodeWords(sentence, vector);
  if (!options_.lowercase) {
    return encoder->Encode(sentence, options_.unit_words, vector);
  }
  return encoder->Encode(Lowercase(sentence), options_.unit_words, vector);
}

size_t SentenceEncoder::EncodeWords(absl::string_view sentence,
                                    absl::Span<float> vector) const {
  const Vocabulary& vocabulary = vectors_.vocabulary();
  const auto total = static_cast<double>(vocabulary.total_count());
  std::vector<double> sum(dim());
  std::vector<float> row(dim());
  size_t words = 0;
  for (const absl::string_view part : absl::StrSplit(
           sentence, absl::ByAnyChar(" \t\n\v\f\r"), absl::SkipEmpty())) {
    const std::string word =
        options_.lowercase ? Lowercase(part) : std::string(part);
    const std::optional<WordId> known = vocabulary.Find(word);
    if (known.has_value()) {
      const double p =
          options_.sif > 0
              ? static_cast<double>(vocabulary.Count(*known)) / total
              : 0;
      vectors_.CopyVector(*known, absl::MakeSpan(row));
      Add(row, options_.sif > 0 ? options_.sif / (options_.sif + p) : 1, &sum);
      ++words;
    } else if (options_.subwords) {
      // An unknown word has p = 0 and thus weight 1.
      const auto made = vectors_.FromNGrams(word);
      if (!made.has_value()) continue;
      Add(*made, 1, &sum);
      ++words;
    }
  }
  for (size_t i = 0; i < vector.size(); ++i) {
    vector[i] = words == 0
                    ? 0
                    : static_cast<float>(sum[i] / static_cast<double>(words));
  }
  return words;
}

absl::Status RemoveCommonComponents(size_t dim, size_t count,
                                    absl::Span<float> rows) {
  if (rows.empty() || count == 0) return absl::OkStatus();
  const FloatTable table(ConstView<float>(rows.data(), rows.size() / dim, dim));
  const std::vector<float> origin(dim);
  FIRTH_ASSIGN_OR_RETURN(const Components components,
                         PrincipalComponents(table, origin, count));
#pragma omp parallel for schedule(static)
  for (size_t begin = 0; begin < rows.size(); begin += dim) {
    RemoveComponents(origin, components.vectors, rows.subspan(begin, dim));
  }
  return absl::OkStatus();
}

}  // namespace firth
