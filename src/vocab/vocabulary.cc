#include "firth/vocabulary.h"

#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "base/prefetch.h"
#include "firth/status_macros.h"

namespace firth {

namespace {

// Words are hashed and copied by several threads if there are at least so many.
constexpr size_t kParallelWords = size_t{1} << 15;

// The slot of a word is prefetched so many words before it is used.
constexpr size_t kAhead = 16;

uint64_t HashOf(absl::string_view word) {
  return absl::Hash<absl::string_view>()(word);
}

}  // namespace

// All words stand one after another in one block of bytes. `slots` is an open
// hash table, at most half full: 0 is free, else the upper half of a word's
// hash is in the upper half and its id + 1 in the lower.
struct Vocabulary::Body {
  std::string bytes;
  std::vector<uint64_t> begins;  // [size + 1], offsets in bytes
  std::vector<uint64_t> counts;  // [size]
  uint64_t total_count = 0;
  std::vector<uint64_t> slots = {0};  // a power of 2 of them

  absl::string_view Word(size_t id) const {
    return {bytes.data() + begins[id], begins[id + 1] - begins[id]};
  }
  // Returns the slot of the word, or the free slot where it belongs.
  size_t FindSlot(absl::string_view word, uint64_t hash) const {
    const size_t mask = slots.size() - 1;
    size_t slot = hash & mask;
    for (; slots[slot] != 0; slot = (slot + 1) & mask) {
      if (slots[slot] >> 32 == hash >> 32 && Word(IdAt(slot)) == word) break;
    }
    return slot;
  }
  size_t IdAt(size_t slot) const {
    return static_cast<uint32_t>(slots[slot]) - 1;
  }

  void CopyWords(absl::Span<const absl::string_view> words);
  // Errors: InvalidArgument, a word that stands twice.
  absl::Status IndexWords();
};

void Vocabulary::Body::CopyWords(absl::Span<const absl::string_view> words) {
  begins.reserve(words.size() + 1);
  begins.push_back(0);
  for (const absl::string_view word : words) {
    begins.push_back(begins.back() + word.size());
  }
  bytes.reserve(begins.back());
  for (const absl::string_view word : words) {
    bytes.append(word.data(), word.size());
  }
}

absl::Status Vocabulary::Body::IndexWords() {
  const size_t size = begins.size() - 1;
  std::vector<uint64_t> hashes(size);
#pragma omp parallel for schedule(static) if (size >= kParallelWords)
  for (size_t id = 0; id < size; ++id) hashes[id] = HashOf(Word(id));
  slots.assign(std::bit_ceil(2 * size + 1), 0);
  for (size_t id = 0; id < size; ++id) {
    if (id + kAhead < size) {
      PrefetchForWrite(&slots[hashes[id + kAhead] & (slots.size() - 1)]);
    }
    const absl::string_view word = Word(id);
    const size_t slot = FindSlot(word, hashes[id]);
    if (slots[slot] != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("entry ", id, ": duplicate word \"", word,
                       "\", first at entry ", IdAt(slot)));
    }
    slots[slot] = hashes[id] >> 32 << 32 | (id + 1);
  }
  return absl::OkStatus();
}

Vocabulary::Vocabulary() : Vocabulary(std::make_shared<Body>()) {}

Vocabulary::Vocabulary(std::shared_ptr<const Body> body)
    : body_(std::move(body)) {}

absl::StatusOr<Vocabulary> Vocabulary::Create(
    absl::Span<const absl::string_view> words, std::vector<uint64_t> counts) {
  if (words.size() >= std::numeric_limits<uint32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected fewer than 2^32 - 1 words, found ", words.size()));
  }
  if (counts.empty()) counts.resize(words.size(), 0);
  if (counts.size() != words.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected ", words.size(), " counts, found ", counts.size()));
  }
  auto body = std::make_shared<Body>();
  body->CopyWords(words);
  FIRTH_RETURN_IF_ERROR(body->IndexWords());
  body->total_count =
      std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  body->counts = std::move(counts);
  return Vocabulary(std::move(body));
}

size_t Vocabulary::size() const { return body_->counts.size(); }

absl::string_view Vocabulary::Word(WordId word) const {
  return body_->Word(Index(word));
}

std::optional<WordId> Vocabulary::Find(absl::string_view word) const {
  const size_t slot = body_->FindSlot(word, HashOf(word));
  if (body_->slots[slot] == 0) return std::nullopt;
  return ToWordId(body_->IdAt(slot));
}

uint64_t Vocabulary::Count(WordId word) const {
  return body_->counts[Index(word)];
}

absl::Span<const uint64_t> Vocabulary::counts() const { return body_->counts; }

uint64_t Vocabulary::total_count() const { return body_->total_count; }

}  // namespace firth
