// Vectors of sentences.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "c/answer.h"
#include "c/arguments.h"
#include "c/handles.h"
#include "c/long_call.h"
#include "c/models.h"
#include "firth/sentence_vectors.h"
#include "firth/status_macros.h"

struct FirthSentenceEncoder : firth::SentenceEncoder {
  static constexpr absl::string_view kName = "FirthSentenceEncoder";
  explicit FirthSentenceEncoder(firth::SentenceEncoder encoder)
      : firth::SentenceEncoder(std::move(encoder)) {}
};

namespace firth::c {
namespace {

// The vectors of words that were not looked at when they were loaded may hold
// anything.
absl::Status CheckVector(absl::Span<const float> vector, size_t text) {
  if (CheckFinite("", vector, 0).ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("texts: a word in text ", text,
                   " has a vector that is not finite; load the vectors with "
                   "\"checked\": true to find it"));
}

}  // namespace

extern "C" {

FirthStatus* firth_sentence_encoder_create(const FirthVectors* vectors,
                                           const char* options,
                                           int64_t options_size,
                                           FirthSentenceEncoder** encoder) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("vectors", vectors));
    FIRTH_ASSIGN_OR_RETURN(const auto settings,
                           OptionsOf<SentenceOptions>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("encoder", encoder));
    return SetHandle(encoder,
                     SentenceEncoder::Create(model->vectors(), settings));
  });
}

void firth_sentence_encoder_free(FirthSentenceEncoder* encoder) {
  FreeHandle(encoder);
}

FirthStatus* firth_sentence_encoder_encode(const FirthSentenceEncoder* encoder,
                                           const char* texts,
                                           const int64_t* offsets, int64_t n,
                                           FirthProgress progress,
                                           void* context, float* rows,
                                           int64_t* known) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto with, Take("encoder", encoder));
    FIRTH_ASSIGN_OR_RETURN(const auto sentences,
                           TextsOf("texts", texts, offsets, n));
    FIRTH_RETURN_IF_ERROR(CheckArray("rows", rows, n));
    const size_t dim = with->dim();
    std::vector<float> made(sentences.size() * dim);
    std::vector<int64_t> counts(sentences.size());
    FIRTH_RETURN_IF_ERROR(InParallel(sentences.size(), hooks, [&](size_t i) {
      counts[i] = static_cast<int64_t>(
          with->Encode(sentences[i], {made.data() + i * dim, dim}));
      return CheckVector({made.data() + i * dim, dim}, i);
    }));
    std::copy(made.begin(), made.end(), rows);
    if (known != nullptr) std::copy(counts.begin(), counts.end(), known);
    return absl::OkStatus();
  });
}

}  // extern "C"

}  // namespace firth::c
