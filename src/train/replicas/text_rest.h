// What is left of an epoch's text, where several ranks train on shares of it.
//
// Each rank has trained on some of its share when all pause, so what is left
// are pieces of the whole text. Positions in the whole do not depend on how
// many ranks there are, and so a training goes on with another number: each
// takes what is left in the share that it has now.

#ifndef FIRTH_TRAIN_REPLICAS_TEXT_REST_H_
#define FIRTH_TRAIN_REPLICAS_TEXT_REST_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "corpus/token_stream.h"
#include "firth/ranks.h"
#include "nlohmann/json.hpp"
#include "train/engine.h"
#include "train/sentence_reader.h"

namespace firth {

// A text of which each rank has a share, or one rank the whole.
struct SharedText {
  uint64_t words = 0;
  uint64_t tokens = 0;
  uint64_t words_before = 0;  // the share of this rank
};

// ranks: null: it has the whole. Errors: those of the ranks.
absl::StatusOr<SharedText> SharedTextOf(Ranks* ranks, const TokenStream& own);

// Returns the stream with its position in the whole text, so that what is drawn
// at a position is the same as in a single process. Errors: those of the ranks.
absl::StatusOr<std::shared_ptr<const TokenStream>> PlaceStream(
    Ranks& ranks, const std::shared_ptr<const TokenStream>& own);

// The pieces of all ranks, in positions of the whole text; `own` are in those
// of this rank's share, which begins at `first`. ranks: null: it has the whole.
// Errors: those of the ranks.
absl::StatusOr<TextRest> RestOfAll(Ranks* ranks, const TextRest& own,
                                   uint64_t first);

// Of pieces of the whole text, what lies in the share [first, first + size), in
// its positions.
TextRest RestInShare(const TextRest& all, uint64_t first, uint64_t size);

// [[begin, end], ...]
nlohmann::json JsonOfRest(const TextRest& rest);
// May throw nlohmann::json::exception. Errors: DataLoss, pieces that are not in
// a text of `size` tokens.
absl::StatusOr<TextRest> RestOfJson(const nlohmann::json& json, uint64_t size);

}  // namespace firth

#endif  // FIRTH_TRAIN_REPLICAS_TEXT_REST_H_
