// The internals of a FeatureIndex and of its readers, for code that builds one.

#ifndef FIRTH_SRC_CLASSIFY_FEATURE_INDEX_BODY_H_
#define FIRTH_SRC_CLASSIFY_FEATURE_INDEX_BODY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/find_maybe_space.h"
#include "base/spelling.h"
#include "base/unicode.h"
#include "classify/feature_index.h"
#include "classify/text_map.h"
#include "corpus/punctuation.h"
#include "vocab/character_ngrams.h"

namespace firth {

inline uint64_t WordNgramKey(uint32_t prefix, uint32_t last) {
  return uint64_t{prefix} << 32 | last;
}

struct FeatureIndex::Body {
  // Builds the maps from text or key to row. Errors: InvalidArgument, a
  // duplicate, or an invalid row.
  absl::Status SetRows();
  // Computes what is stored with each word. All other members must be set.
  void SetWordCharacters();

  void AppendCharacterRows(absl::string_view word, std::string* marked,
                           std::vector<uint32_t>* rows) const;
  // Returns the row with hashing, or kNoFeature if the bucket has none.
  uint32_t RowOfHash(uint64_t hash) const;

  FeatureParts parts;
  TextMap words;  // views of `parts`
  absl::flat_hash_map<uint64_t, uint32_t> word_ngrams;
  TextMap characters;  // views of `parts`
  absl::flat_hash_map<uint32_t, uint32_t> bucket_rows;
  // The rows of a known word's character n-grams.
  std::vector<uint64_t> character_begins = {0};  // [words + 1]
  std::vector<uint32_t> word_characters;
  std::vector<uint32_t> word_hashes;  // [words], with hashing
};

// The features of one text, in the order of their first appearance.
class FeatureCounter {
 public:
  explicit FeatureCounter(Repeats repeats) : repeats_(repeats) {}

  void Clear() {
    features_.clear();
    if (++generation_ == 0) slots_.assign(slots_.size(), Slot{});
    if (generation_ == 0) generation_ = 1;
  }

  void Add(uint32_t row, uint32_t count) {
    if (repeats_ == Repeats::kApart) return features_.push_back({row, count});
    size_t at = Home(row);
    for (; slots_[at].generation == generation_; at = (at + 1) & mask_) {
      FeatureCount& feature = features_[slots_[at].position];
      if (feature.row == row) {
        feature.count += count;
        return;
      }
    }
    slots_[at] = {generation_, static_cast<uint32_t>(features_.size())};
    features_.push_back({row, count});
    if (features_.size() * 2 > slots_.size()) Grow();
  }

  // Counts each row once more; skips kNoFeature.
  void AddAll(absl::Span<const uint32_t> rows);

  const std::vector<FeatureCount>& features() const { return features_; }

 private:
  struct Slot {
    uint32_t generation = 0;  // taken if equal to generation_
    uint32_t position = 0;    // index in features_
  };

  size_t Home(uint32_t row) const {
    return (row * uint64_t{0x9e3779b97f4a7c15u} >> 32) & mask_;
  }
  void Grow();

  const Repeats repeats_;
  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  size_t mask_ = 1023;
  uint32_t generation_ = 0;
  std::vector<FeatureCount> features_;
};

// Buffers for texts before they are split into tokens.
struct TokenRoom {
  std::string spelled;
  std::string parted;
};

class FeatureIndex::Reader::Body {
 public:
  Body(const FeatureIndex::Body& index, Repeats repeats)
      : index_(index), counts_(repeats) {}

  absl::Span<const FeatureCount> Read(absl::string_view text);
  // Reads a text whose words have these rows; kNoFeature means unknown.
  absl::Span<const FeatureCount> ReadIds(absl::Span<const uint32_t> ids);
  size_t tokens() const { return tokens_.size(); }

 private:
  void SetKeys();
  void CountWordNgrams(absl::Span<const uint32_t> ids);
  void CountHashedNgrams();

  const FeatureIndex::Body& index_;
  FeatureCounter counts_;
  std::vector<uint32_t> ids_;
  std::vector<uint32_t> hashes_;   // of the tokens, with hashing
  std::vector<uint32_t> unknown_;  // n-grams of unknown words
  std::vector<absl::string_view> tokens_;
  std::vector<TextKey> keys_;
  TokenRoom room_;
  std::string marked_;
};

// Calls visit(token) for the tokens of a text, in order. The views are valid
// until `room` is used again.
template <class Visit>
void ForEachToken(const FeatureOptions& options, absl::string_view text,
                  TokenRoom* room, Visit visit) {
  const Spelling spelling{options.lowercase, options.normalize};
  if (MayRespell(spelling, text)) {
    room->spelled.clear();
    AppendSpelled(text, spelling, &room->spelled);
    text = room->spelled;
  }
  if (options.split_punctuation) {
    SplitPunctuation(text, &room->parted);
    text = room->parted;
  }
  // Returns 0 if there is no white space.
  const auto space_bytes_at = [&](size_t at) -> size_t {
    const char c = text[at];
    if (static_cast<unsigned char>(c) < 0x80) {
      const bool is_space = c == ' ' || (c >= '\t' && c <= '\r');
      return is_space || (c == '\0' && options.hashing) ? 1 : 0;
    }
    return options.hashing ? 0 : WhiteSpaceBytes(text.substr(at));
  };
  MaybeSpaces spaces(text);
  for (size_t begin = 0; begin < text.size();) {
    size_t end = spaces.Find(begin);
    size_t space = 0;
    while (end < text.size() && (space = space_bytes_at(end)) == 0) {
      end = spaces.Find(end + 1);
    }
    const absl::string_view token = text.substr(begin, end - begin);
    begin = end + space;
    if (token.empty()) continue;
    if (options.hashing && token == kSentenceEndWord) break;
    if (!options.label_prefix.empty() &&
        absl::StartsWith(token, options.label_prefix)) {
      continue;
    }
    visit(token);
  }
  if (options.hashing) visit(kSentenceEndWord);
}

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_FEATURE_INDEX_BODY_H_
