// Reading a text takes two steps. Its tokens become word ids, and these, with
// what can be looked up by them, become features. A small hash table that stays
// in the L1 cache counts each feature once.

#include "classify/features/feature_index.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/quote.h"
#include "classify/features/feature_index_body.h"
#include "firth/status_macros.h"
#include "vocab/character_ngrams.h"

namespace firth {
namespace {

absl::Status StandsTwice(absl::string_view what, absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, " ", Quote(text), " occurs twice"));
}

absl::Status AddTexts(absl::string_view what,
                      const std::vector<std::string>& texts, uint32_t first,
                      TextMap* rows) {
  rows->Reserve(texts.size());
  for (const std::string& text : texts) {
    if (text.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(what, " is empty"));
    }
    if (rows->Add(TextKey(text), first++) != kNoFeature) {
      return StandsTwice(what, text);
    }
  }
  return absl::OkStatus();
}

}  // namespace

FeatureOptions FeaturesOf(const ClassifierOptions& options) {
  FeatureOptions features{.lowercase = options.lowercase,
                          .normalize = options.normalize,
                          .split_punctuation = options.split_punctuation,
                          .word_ngrams = options.word_ngrams,
                          .min_n = options.min_n,
                          .max_n = options.max_n};
  features.hashing = options.buckets > 0;
  features.buckets = options.buckets;
  return features;
}

void FeatureBags::Append(const FeatureBags& others) {
  for (size_t text = 0; text < others.size(); ++text) {
    begins.push_back(features.size() + others.begins[text + 1]);
  }
  features.insert(features.end(), others.features.begin(),
                  others.features.end());
  tokens.insert(tokens.end(), others.tokens.begin(), others.tokens.end());
}

uint32_t FeatureIndex::Body::RowOfHash(uint64_t hash) const {
  if (parts.options.buckets == 0) return kNoFeature;
  const auto bucket = static_cast<uint32_t>(hash % parts.options.buckets);
  if (parts.kept_buckets.empty()) {
    return static_cast<uint32_t>(parts.words.size()) + bucket;
  }
  const auto found = bucket_rows.find(bucket);
  return found == bucket_rows.end() ? kNoFeature : found->second;
}

void FeatureIndex::Body::AppendCharacterRows(
    absl::string_view word, std::string* marked,
    std::vector<uint32_t>* rows) const {
  if (parts.options.max_n == 0) return;
  if (parts.options.hashing && word == kSentenceEndWord) return;
  marked->assign(1, '<');
  absl::StrAppend(marked, word, ">");
  ForEachNGramOfMarked(*marked, static_cast<int>(parts.options.min_n),
                       static_cast<int>(parts.options.max_n),
                       /*marks_alone=*/false, [&](absl::string_view n_gram) {
                         if (parts.options.hashing) {
                           const uint32_t row = RowOfHash(NGramHash(n_gram));
                           if (row != kNoFeature) rows->push_back(row);
                           return;
                         }
                         const uint32_t row = characters.Find(TextKey(n_gram));
                         if (row != kNoFeature) rows->push_back(row);
                       });
}

void FeatureIndex::Body::SetWordCharacters() {
  std::string marked;
  character_begins.assign(1, 0);
  character_begins.reserve(parts.words.size() + 1);
  for (const std::string& word : parts.words) {
    AppendCharacterRows(word, &marked, &word_characters);
    character_begins.push_back(word_characters.size());
    if (parts.options.hashing) word_hashes.push_back(NGramHash(word));
  }
}

absl::Status FeatureIndex::Body::SetRows() {
  FIRTH_RETURN_IF_ERROR(AddTexts("the word", parts.words, 0, &words));
  auto row = static_cast<uint32_t>(parts.words.size());
  word_ngrams.reserve(parts.word_ngrams.size());
  for (const auto [prefix, last] : parts.word_ngrams) {
    if (prefix >= row || last >= parts.words.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("word n-gram of row ", row,
                       ": expected a prefix below it and a word "
                       "below ",
                       parts.words.size(), ", found ", prefix, " and ", last));
    }
    if (!word_ngrams.emplace(WordNgramKey(prefix, last), row).second) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the word n-gram of rows ", prefix, " and ", last, " occurs twice"));
    }
    ++row;
  }
  FIRTH_RETURN_IF_ERROR(AddTexts("the character n-gram", parts.character_ngrams,
                                 row, &characters));
  row = static_cast<uint32_t>(parts.words.size());
  for (const uint32_t bucket : parts.kept_buckets) {
    if (!bucket_rows.emplace(bucket, row++).second) {
      return StandsTwice("the bucket", absl::StrCat(bucket));
    }
  }
  return absl::OkStatus();
}

FeatureIndex::FeatureIndex() : FeatureIndex(std::make_shared<Body>()) {}

FeatureIndex::FeatureIndex(std::shared_ptr<const Body> body)
    : body_(std::move(body)) {}

absl::StatusOr<FeatureIndex> FeatureIndex::Of(FeatureParts parts) {
  const FeatureOptions& options = parts.options;
  if (options.split_punctuation) FIRTH_RETURN_IF_ERROR(LoadWordBoundaries());
  const uint64_t rows =
      uint64_t{parts.words.size()} + parts.word_ngrams.size() +
      parts.character_ngrams.size() +
      (parts.kept_buckets.empty() ? options.buckets
                                  : parts.kept_buckets.size());
  if (rows >= kNoFeature) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a classifier must have fewer than 2^32 - 1 features, found ", rows));
  }
  if (options.hashing &&
      !(parts.word_ngrams.empty() && parts.character_ngrams.empty())) {
    return absl::InvalidArgumentError(
        "the n-grams must be in buckets, but some have rows of their own");
  }
  auto body = std::make_shared<Body>();
  body->parts = std::move(parts);
  FIRTH_RETURN_IF_ERROR(body->SetRows());
  body->SetWordCharacters();
  return FeatureIndex(std::move(body));
}

const FeatureParts& FeatureIndex::parts() const { return body_->parts; }

size_t FeatureIndex::rows() const {
  const FeatureParts& all = parts();
  if (!all.options.hashing) {
    return first_character_row() + all.character_ngrams.size();
  }
  return all.words.size() + (all.kept_buckets.empty()
                                 ? all.options.buckets
                                 : all.kept_buckets.size());
}

size_t FeatureIndex::first_character_row() const {
  if (parts().options.hashing) return rows();
  return num_words() + num_word_ngrams();
}

std::string FeatureIndex::Text(size_t row) const {
  const FeatureParts& all = parts();
  if (row < all.words.size()) return all.words[row];
  if (all.options.hashing) {
    const size_t bucket = row - all.words.size();
    return absl::StrCat("bucket ", all.kept_buckets.empty()
                                       ? bucket
                                       : all.kept_buckets[bucket]);
  }
  if (row >= first_character_row()) {
    return all.character_ngrams[row - first_character_row()];
  }
  const auto [prefix, last] = all.word_ngrams[row - all.words.size()];
  return absl::StrCat(Text(prefix), " ", all.words[last]);
}

absl::flat_hash_map<uint32_t, std::string> FeatureIndex::BucketNames(
    absl::string_view text) const {
  absl::flat_hash_map<uint32_t, std::string> names;
  if (!options().hashing) return names;
  std::vector<std::string> words;
  std::vector<uint32_t> hashes;
  TokenRoom room;
  ForEachToken(options(), text, &room, [&](absl::string_view token) {
    words.emplace_back(token);
    hashes.push_back(NGramHash(token));
  });
  const size_t longest = options().word_ngrams;
  std::vector<uint64_t> ngram_hashes;
  ForEachWordNGramHash(hashes, longest,
                       [&](uint64_t hash) { ngram_hashes.push_back(hash); });
  const auto add = [&](uint64_t hash, absl::string_view name) {
    const uint32_t row = body_->RowOfHash(hash);
    if (row != kNoFeature) names.try_emplace(row, name);
  };
  auto next = ngram_hashes.begin();
  for (size_t begin = 0; begin < words.size(); ++begin) {
    ForEachNGram(
        words[begin], static_cast<int>(options().min_n),
        static_cast<int>(options().max_n),
        [&](absl::string_view n_gram) { add(NGramHash(n_gram), n_gram); });
    std::string name = words[begin];
    const size_t end = std::min(words.size(), begin + longest);
    for (size_t last = begin + 1; last < end; ++last) {
      absl::StrAppend(&name, " ", words[last]);
      add(*next++, name);
    }
  }
  return names;
}

FeatureIndex::Reader::Reader(const FeatureIndex& index, Repeats repeats)
    : body_(std::make_unique<Body>(*index.body_, repeats)) {}
FeatureIndex::Reader::~Reader() = default;
FeatureIndex::Reader::Reader(Reader&&) noexcept = default;

absl::Span<const FeatureCount> FeatureIndex::Reader::Read(
    absl::string_view text) {
  return body_->Read(text);
}

size_t FeatureIndex::Reader::tokens() const { return body_->tokens(); }

absl::Span<const FeatureCount> FeatureIndex::Reader::Body::Read(
    absl::string_view text) {
  const FeatureOptions& options = index_.parts.options;
  const bool hashes_words = options.hashing && options.word_ngrams > 1;
  tokens_.clear();
  ids_.clear();
  hashes_.clear();
  unknown_.clear();
  ForEachToken(options, text, &room_,
               [&](absl::string_view token) { tokens_.push_back(token); });
  SetKeys();
  ids_.reserve(keys_.size());
  for (const TextKey& token : keys_) {
    const uint32_t row = index_.words.Find(token);
    ids_.push_back(row);
    if (row == kNoFeature) {
      index_.AppendCharacterRows(token.text(), &marked_, &unknown_);
    }
    if (hashes_words) {
      hashes_.push_back(row == kNoFeature ? NGramHash(token.text())
                                          : index_.word_hashes[row]);
    }
  }
  return ReadIds(ids_);
}

void FeatureIndex::Reader::Body::SetKeys() {
  keys_.clear();
  keys_.reserve(tokens_.size());
  // The end of a sentence is a constant. All other tokens are in one text, and
  // nothing may be read after its last token.
  const size_t in_text =
      tokens_.size() - (index_.parts.options.hashing ? 1 : 0);
  size_t in_room = in_text;
  const auto last_has_room = [&] {
    const absl::string_view last = tokens_[in_text - 1];
    return last.data() + last.size() - tokens_[in_room - 1].data() >=
           ptrdiff_t{sizeof(uint64_t)};
  };
  while (in_room > 0 && !last_has_room()) --in_room;
  size_t at = 0;
  for (; at < in_room; ++at) {
    keys_.emplace_back(tokens_[at], TextKey::InRoom());
    index_.words.Prefetch(keys_.back());
  }
  for (; at < tokens_.size(); ++at) {
    keys_.emplace_back(tokens_[at]);
    index_.words.Prefetch(keys_.back());
  }
}

absl::Span<const FeatureCount> FeatureIndex::Reader::Body::ReadIds(
    absl::Span<const uint32_t> ids) {
  counts_.Clear();
  counts_.AddAll(ids);
  const size_t num_words = counts_.features().size();
  const FeatureOptions& options = index_.parts.options;
  if (options.word_ngrams > 1 && options.hashing) CountHashedNgrams();
  if (options.word_ngrams > 1 && !options.hashing) CountWordNgrams(ids);
  const size_t with_characters = index_.word_characters.empty() ? 0 : num_words;
  for (size_t i = 0; i < with_characters; ++i) {
    const FeatureCount word = counts_.features()[i];
    const uint64_t end = index_.character_begins[word.row + 1];
    for (uint64_t at = index_.character_begins[word.row]; at < end; ++at) {
      counts_.Add(index_.word_characters[at], word.count);
    }
  }
  for (const uint32_t row : unknown_) counts_.Add(row, 1);
  return counts_.features();
}

void FeatureIndex::Reader::Body::CountWordNgrams(
    absl::Span<const uint32_t> ids) {
  const auto& ngrams = index_.word_ngrams;
  for (size_t at = 1; at < ids.size(); ++at) {
    ngrams.prefetch(WordNgramKey(ids[at - 1], ids[at]));
  }
  for (size_t begin = 0; begin < ids.size(); ++begin) {
    uint32_t row = ids[begin];
    const size_t end =
        std::min<size_t>(ids.size(), begin + index_.parts.options.word_ngrams);
    for (size_t at = begin + 1; at < end && row != kNoFeature; ++at) {
      if (ids[at] == kNoFeature) break;
      const auto found = ngrams.find(WordNgramKey(row, ids[at]));
      if (found == ngrams.end()) break;
      row = found->second;
      counts_.Add(row, 1);
    }
  }
}

void FeatureIndex::Reader::Body::CountHashedNgrams() {
  ForEachWordNGramHash(hashes_, index_.parts.options.word_ngrams,
                       [&](uint64_t hash) {
                         const uint32_t row = index_.RowOfHash(hash);
                         if (row != kNoFeature) counts_.Add(row, 1);
                       });
}

void FeatureCounter::AddAll(absl::Span<const uint32_t> rows) {
  if (repeats_ == Repeats::kCounted) {
    for (const uint32_t row : rows) {
      if (row != kNoFeature) Add(row, 1);
    }
    return;
  }
  const size_t before = features_.size();
  features_.resize(before + rows.size());
  FeatureCount* to = features_.data() + before;
  for (const uint32_t row : rows) {
    *to = {row, 1};
    to += row != kNoFeature;
  }
  features_.resize(static_cast<size_t>(to - features_.data()));
}

void FeatureCounter::Grow() {
  slots_.assign(slots_.size() * 2, Slot{});
  generation_ = 1;
  mask_ = slots_.size() - 1;
  for (size_t i = 0; i < features_.size(); ++i) {
    size_t at = Home(features_[i].row);
    while (slots_[at].generation == generation_) at = (at + 1) & mask_;
    slots_[at] = {generation_, static_cast<uint32_t>(i)};
  }
}

TextMap::TextMap() { Resize(16); }

void TextMap::Reserve(size_t texts) {
  const size_t slots = std::bit_ceil(2 * texts + 1);
  if (slots > slots_.size()) Resize(slots);
}

uint32_t TextMap::Add(const TextKey& key, uint32_t row) {
  Slot& slot = slots_[SlotOf(key)];
  if (slot.row != kNoFeature) return slot.row;
  slot = {key.key().head, key.key().tail, key.text().data(),
          static_cast<uint32_t>(key.text().size()), row};
  if (2 * ++size_ >= slots_.size()) Resize(2 * slots_.size());
  return kNoFeature;
}

void TextMap::Resize(size_t slots) {
  const std::vector<Slot> before =
      std::exchange(slots_, std::vector<Slot>(slots));
  mask_ = slots - 1;
  for (const Slot& slot : before) {
    if (slot.row == kNoFeature) continue;
    slots_[SlotOf(TextKey({slot.text, slot.size}))] = slot;
  }
}

}  // namespace firth
