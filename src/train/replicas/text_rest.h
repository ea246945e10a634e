// The rest of an epoch's text, if several ranks train on shares of it.
//
// When all ranks pause, each has trained on a part of its share, so the rest is
// a list of pieces of the whole text. Positions in the whole text do not depend
// on the number of ranks. A training run can therefore resume with a different
// number: each rank takes the rest of its current share.

#ifndef FIRTH_TRAIN_REPLICAS_TEXT_REST_H_
#define FIRTH_TRAIN_REPLICAS_TEXT_REST_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "corpus/token_stream.h"
#include "firth/ranks.h"
#include "nlohmann/json.hpp"
#include "train/engine.h"

namespace firth {

// A text that is divided among the ranks, or that one rank has as a whole.
struct SharedText {
  uint64_t words = 0;
  uint64_t tokens = 0;
  uint64_t words_before = 0;  // Words before the share of this rank.
};

// Returns the sizes of the text. If `ranks` is null, this process has all of
// it. Errors: those of the ranks.
absl::StatusOr<SharedText> SharedTextOf(Ranks* ranks, const TokenStream& own);

// Returns the stream with its position in the whole text, so that what is drawn
// at a position is the same as in a single process. Errors: those of the ranks.
absl::StatusOr<std::shared_ptr<const TokenStream>> PlaceStream(
    Ranks& ranks, const std::shared_ptr<const TokenStream>& own);

// Returns the pieces of all ranks, in positions of the whole text. `own` has
// those of this rank, in positions of its share, which begins at `first`. If
// `ranks` is null, this process has the whole text. Errors: those of the ranks.
absl::StatusOr<TextRest> RestOfAll(Ranks* ranks, const TextRest& own,
                                   uint64_t first);

// Returns the parts of these pieces of the whole text that are in the share
// [first, first + size), in positions of the share.
TextRest RestInShare(const TextRest& all, uint64_t first, uint64_t size);

// Returns [[begin, end], ...].
nlohmann::json JsonOfRest(const TextRest& rest);
// Reads what JsonOfRest() wrote. May throw nlohmann::json::exception. Errors:
// DataLoss, the pieces are not consecutive pieces of a text of `size` tokens.
absl::StatusOr<TextRest> RestOfJson(const nlohmann::json& json, uint64_t size);

}  // namespace firth

#endif  // FIRTH_TRAIN_REPLICAS_TEXT_REST_H_
