// Taggers; threads take turns.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/json.h"
#include "c/answer.h"
#include "c/arguments.h"
#include "c/call_options.h"
#include "c/handles.h"
#include "c/long_call.h"
#include "c/models.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "firth/tagger.h"
#include "nlohmann/json.hpp"

namespace firth::c {
extern "C" {

FirthStatus* firth_tagger_load(const char* path, int64_t path_size,
                               const char* options, int64_t options_size,
                               FirthTagger** tagger) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const std::string file, PathOf(path, path_size));
    FIRTH_ASSIGN_OR_RETURN(const auto opening,
                           OptionsOf<TaggerOpening>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("tagger", tagger));
    return SetHandle(
        tagger, Tagger::Load(file, {opening.vectors, opening.contextualizer},
                             opening.threads));
  });
}

void firth_tagger_free(FirthTagger* tagger) { FreeHandle(tagger); }

FirthStatus* firth_tagger_tags(const FirthTagger* tagger, FirthBuffer** json) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto asked, Take("tagger", tagger));
    FIRTH_RETURN_IF_ERROR(CheckPlace("json", json));
    return SetHandle(json, MakeBuffer(OrderedJson(asked->tagger.tags())));
  });
}

FirthStatus* firth_tagger_tag(const FirthTagger* tagger, const char* words,
                              const int64_t* offsets, const int64_t* sentences,
                              int64_t n, FirthProgress progress, void* context,
                              int32_t* tags, double* probabilities) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto asked, Take("tagger", tagger));
    FIRTH_ASSIGN_OR_RETURN(const auto texts,
                           SentencesOf(words, offsets, sentences, n));
    FIRTH_RETURN_IF_ERROR(CheckArray("tags", tags, n));
    std::vector<TaggedSentence> tagged(texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
      tagged[i].tokens = {texts[i].begin(), texts[i].end()};
    }
    const std::lock_guard turn(asked->mutex);
    FIRTH_RETURN_IF_ERROR(
        asked->tagger.Tag(absl::MakeSpan(tagged),
                          {.probabilities = probabilities != nullptr}, hooks));
    for (const TaggedSentence& sentence : tagged) {
      for (const std::string& tag : sentence.predicted) {
        *tags++ = asked->positions.at(tag);
      }
      if (probabilities != nullptr) {
        probabilities = std::copy(sentence.probabilities.begin(),
                                  sentence.probabilities.end(), probabilities);
      }
    }
    return absl::OkStatus();
  });
}

}  // extern "C"

}  // namespace firth::c
