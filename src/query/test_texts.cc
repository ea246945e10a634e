#include "query/test_texts.h"

#include "absl/strings/str_cat.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "vectors/row_block.h"

namespace firth {

FieldTable EvaluateTextsOptions::Fields() {
  FieldsOf<EvaluateTextsOptions> fields;
  fields
      .Add("sif", &EvaluateTextsOptions::sif,
           "weight words in vectors of texts as \"firth sentence-vectors "
           "--sif\" "
           "does; 0 weights all words equally")
      .Range(0, 1e9);
  fields.Add("unit-words", &EvaluateTextsOptions::unit_words,
             "scale the vectors of the words of texts to length 1 first");
  fields
      .Add(
          "dim", &EvaluateTextsOptions::dim,
          "number of leading dimensions of vectors of texts to use, for models "
          "trained with nested dimensions; 0 means all")
      .Range(0, 1e6);
  return fields;
}

absl::StatusOr<TestTexts> TestTexts::Create(
    const WordVectors& vectors, const EvaluateTextsOptions& options) {
  if (options.dim > vectors.dim()) {
    return absl::InvalidArgumentError(
        absl::StrCat("dim: expected at most ", vectors.dim(),
                     ", the dimensions of the vectors, found ", options.dim));
  }
  // Texts are converted to lower case here, so that it can be reported.
  FIRTH_ASSIGN_OR_RETURN(
      SentenceEncoder encoder,
      SentenceEncoder::Create(
          vectors, {.sif = options.sif, .unit_words = options.unit_words}));
  CaseFold fold;
  if (options.lowercase || encoder.averages_words()) {
    fold = CaseFold(vectors.vocabulary(), options.lowercase);
  }
  const size_t dim = options.dim == 0 ? vectors.dim() : options.dim;
  return TestTexts(std::move(encoder), dim, fold);
}

absl::StatusOr<std::vector<float>> TestTexts::UnitVector(
    absl::string_view text) {
  std::vector<float> vector(encoder_.dim());
  FIRTH_RETURN_IF_ERROR(
      encoder_.Encode(fold_.Fold(text), absl::MakeSpan(vector)).status());
  vector.resize(dim_);
  const float factor = InverseNorm(vector);
  for (float& value : vector) value *= factor;
  return vector;
}

}  // namespace firth
