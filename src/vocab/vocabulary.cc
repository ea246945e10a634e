// All words are in one block of bytes with their offsets. An open hash table
// finds them. The table takes longer to build than the block, and callers that
// only iterate over the words do not need it, so it is built on the first
// lookup.

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/lazy.h"
#include "base/matrix.h"
#include "base/prefetch.h"
#include "base/unicode.h"
#include "firth/complete_word.h"
#include "firth/status_macros.h"
#include "firth/vocabulary.h"

namespace firth {
namespace {

// Several threads hash and copy the words if there are at least this many.
constexpr size_t kParallelWords = size_t{1} << 15;

// The slot of a word is prefetched this many words before it is used.
constexpr size_t kAhead = 16;

uint64_t HashOf(absl::string_view word) {
  return absl::Hash<absl::string_view>()(word);
}

// Returns the longest common prefix that divides no character.
absl::string_view CommonBeginning(absl::string_view a, absl::string_view b) {
  size_t end = 0;
  for (size_t i = 0; i < a.size();) {
    i += DecodeUtf8(a.substr(i)).bytes;
    if (a.substr(end, i - end) != b.substr(end, i - end)) break;
    end = i;
  }
  return a.substr(0, end);
}

}  // namespace

struct Vocabulary::Body {
  // An open hash table, at most half full. A slot is 0 if it is free; otherwise
  // it has the upper half of a word's hash in the upper half and its id + 1 in
  // the lower.
  struct Index {
    Matrix<uint64_t> slots;  // [1, a power of 2]
    absl::Status distinct;   // InvalidArgument if a word occurs twice.

    uint64_t Slot(size_t slot) const { return slots.data()[slot]; }
    size_t IdAt(size_t slot) const {
      return static_cast<uint32_t>(Slot(slot)) - 1;
    }
  };

  // [size + 1] offsets in bytes, followed by the bytes of all words. They share
  // one block because large blocks are huge pages: finding small pages takes
  // the system longer than copying the words.
  Matrix<uint64_t> block = Matrix<uint64_t>(1, 1);
  std::vector<uint64_t> counts;  // [size]
  uint64_t total_count = 0;
  bool is_distinct = false;  // True if no word occurs twice.
  Lazy<Index> lazy_index;

  size_t size() const { return counts.size(); }
  const uint64_t* offsets() const { return block.data(); }
  const char* bytes() const {
    return reinterpret_cast<const char*>(offsets() + size() + 1);
  }
  absl::string_view Word(size_t id) const {
    return {bytes() + offsets()[id], offsets()[id + 1] - offsets()[id]};
  }
  // Returns the slot of the word, or the free slot where it belongs.
  size_t FindSlot(const Index& index, absl::string_view word,
                  uint64_t hash) const {
    const size_t mask = index.slots.size() - 1;
    size_t slot = hash & mask;
    for (; index.Slot(slot) != 0; slot = (slot + 1) & mask) {
      if (index.Slot(slot) >> 32 == hash >> 32 &&
          Word(index.IdAt(slot)) == word) {
        break;
      }
    }
    return slot;
  }

  void CopyWords(absl::Span<const absl::string_view> words);
  const Index& index() const {
    return lazy_index.Get([this] { return IndexWords(); });
  }
  // If a word occurs twice, the table has the first one.
  Index IndexWords() const;
};

void Vocabulary::Body::CopyWords(absl::Span<const absl::string_view> words) {
  size_t num_bytes = 0;
  for (const absl::string_view word : words) num_bytes += word.size();
  const size_t num_offsets = words.size() + 1;
  block = Matrix<uint64_t>(
      1, num_offsets + (num_bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t));
  uint64_t* offset = block.data();
  char* byte = reinterpret_cast<char*>(offset + num_offsets);
  for (const absl::string_view word : words) {
    byte = std::copy(word.begin(), word.end(), byte);
    offset[1] = offset[0] + word.size();
    ++offset;
  }
}

Vocabulary::Body::Index Vocabulary::Body::IndexWords() const {
  std::vector<uint64_t> hashes(size());
#pragma omp parallel for schedule(static) if (size() >= kParallelWords)
  for (size_t id = 0; id < size(); ++id) hashes[id] = HashOf(Word(id));
  Index index;
  index.slots = Matrix<uint64_t>(1, std::bit_ceil(2 * size() + 1));
  uint64_t* const slots = index.slots.data();
  const size_t mask = index.slots.size() - 1;
  for (size_t id = 0; id < size(); ++id) {
    if (id + kAhead < size()) {
      PrefetchForWrite(&slots[hashes[id + kAhead] & mask]);
    }
    const absl::string_view word = Word(id);
    const size_t slot = FindSlot(index, word, hashes[id]);
    if (slots[slot] == 0) {
      slots[slot] = hashes[id] >> 32 << 32 | (id + 1);
    } else if (index.distinct.ok()) {
      index.distinct = absl::InvalidArgumentError(
          absl::StrCat("entry ", id, ": duplicate word \"", word,
                       "\", which is also entry ", index.IdAt(slot)));
    }
  }
  return index;
}

Vocabulary::Vocabulary() : Vocabulary(std::make_shared<Body>()) {}

Vocabulary::Vocabulary(std::shared_ptr<const Body> body)
    : body_(std::move(body)) {}

absl::StatusOr<Vocabulary> Vocabulary::Create(
    absl::Span<const absl::string_view> words, std::vector<uint64_t> counts) {
  FIRTH_ASSIGN_OR_RETURN(Vocabulary vocabulary,
                         CreateLazily(words, std::move(counts)));
  FIRTH_RETURN_IF_ERROR(vocabulary.CheckDistinct());
  return vocabulary;
}

absl::StatusOr<Vocabulary> Vocabulary::CreateLazily(
    absl::Span<const absl::string_view> words, std::vector<uint64_t> counts) {
  FIRTH_ASSIGN_OR_RETURN(std::shared_ptr<Body> body,
                         MakeBody(words, std::move(counts)));
  return Vocabulary(std::move(body));
}

absl::StatusOr<Vocabulary> Vocabulary::CreateDistinct(
    absl::Span<const absl::string_view> words, std::vector<uint64_t> counts) {
  FIRTH_ASSIGN_OR_RETURN(std::shared_ptr<Body> body,
                         MakeBody(words, std::move(counts)));
  body->is_distinct = true;
  return Vocabulary(std::move(body));
}

absl::StatusOr<std::shared_ptr<Vocabulary::Body>> Vocabulary::MakeBody(
    absl::Span<const absl::string_view> words, std::vector<uint64_t> counts) {
  if (words.size() >= std::numeric_limits<uint32_t>::max()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a vocabulary must have fewer than 2^32 - 1 words, found ",
                     words.size()));
  }
  if (counts.empty()) counts.resize(words.size(), 0);
  if (counts.size() != words.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected ", words.size(), " counts, found ", counts.size()));
  }
  auto body = std::make_shared<Body>();
  body->CopyWords(words);
  body->total_count =
      std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  body->counts = std::move(counts);
  return body;
}

absl::Status Vocabulary::CheckDistinct() const {
  return body_->is_distinct ? absl::OkStatus() : body_->index().distinct;
}

size_t Vocabulary::size() const { return body_->size(); }

absl::string_view Vocabulary::Word(WordId word) const {
  return body_->Word(Index(word));
}

std::optional<WordId> Vocabulary::Find(absl::string_view word) const {
  const Body::Index& index = body_->index();
  const size_t slot = body_->FindSlot(index, word, HashOf(word));
  if (index.Slot(slot) == 0) return std::nullopt;
  return ToWordId(index.IdAt(slot));
}

std::vector<absl::string_view> Vocabulary::Words() const {
  std::vector<absl::string_view> words(size());
  for (size_t id = 0; id < words.size(); ++id) words[id] = body_->Word(id);
  return words;
}

absl::string_view Vocabulary::bytes() const {
  return {body_->bytes(), offsets().back()};
}

absl::Span<const uint64_t> Vocabulary::offsets() const {
  return {body_->offsets(), size() + 1};
}

uint64_t Vocabulary::Count(WordId word) const {
  return body_->counts[Index(word)];
}

absl::Span<const uint64_t> Vocabulary::counts() const { return body_->counts; }

uint64_t Vocabulary::total_count() const { return body_->total_count; }

Completions CompleteWord(const Vocabulary& vocabulary, absl::string_view prefix,
                         size_t most) {
  std::vector<WordId> fitting;
  absl::string_view common;
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const auto id = ToWordId(i);
    const absl::string_view word = vocabulary.Word(id);
    if (!absl::StartsWith(word, prefix)) continue;
    common = fitting.empty() ? word : CommonBeginning(common, word);
    fitting.push_back(id);
  }
  const size_t named = std::min(most, fitting.size());
  const auto named_end = fitting.begin() + static_cast<ptrdiff_t>(named);
  std::partial_sort(fitting.begin(), named_end, fitting.end(),
                    [&](WordId a, WordId b) {
                      const uint64_t of_a = vocabulary.Count(a);
                      const uint64_t of_b = vocabulary.Count(b);
                      return of_a != of_b ? of_a > of_b : a < b;
                    });
  Completions found{fitting.size(), std::string(common), {}};
  for (size_t i = 0; i < named; ++i) {
    found.words.push_back(vocabulary.Word(fitting[i]));
  }
  return found;
}

}  // namespace firth
