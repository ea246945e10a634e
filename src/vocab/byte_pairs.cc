// Pairs are kept in a heap by rank and position. A pair in the heap is stale if
// an earlier merge has used one of its pieces, and is then skipped.

#include "vocab/byte_pairs.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "base/unicode.h"

namespace firth {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);

enum class Kind { kSpace, kLetter, kNumber, kOther };

// Returns the kind of the first character of `text`, which must not be empty.
// Invalid UTF-8 is kOther.
Kind KindOf(absl::string_view text, size_t* bytes) {
  *bytes = WhiteSpaceBytes(text);
  if (*bytes > 0) return Kind::kSpace;
  const CodePoint point = DecodeUtf8(text);
  *bytes = point.bytes;
  if (point.value < 0) return Kind::kOther;
  if (IsLetter(point.value)) return Kind::kLetter;
  return IsNumber(point.value) ? Kind::kNumber : Kind::kOther;
}

// Returns the length of the run of characters of this kind at the start of
// `text`. *last is the length of the last of them.
size_t RunOf(Kind kind, absl::string_view text, size_t* last) {
  size_t length = 0;
  size_t bytes = 0;
  while (length < text.size() && KindOf(text.substr(length), &bytes) == kind) {
    length += bytes;
    *last = bytes;
  }
  return length;
}

std::array<int32_t, 256> MakeCharactersOfBytes() {
  std::array<int32_t, 256> characters;
  int32_t next = 256;
  for (int32_t byte = 0; byte < 256; ++byte) {
    const bool seen =
        (byte > ' ' && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
    characters[static_cast<size_t>(byte)] = seen ? byte : next++;
  }
  return characters;
}

}  // namespace

const std::array<int32_t, 256>& CharactersOfBytes() {
  static const std::array<int32_t, 256> characters = MakeCharactersOfBytes();
  return characters;
}

void AppendSpelledBytes(absl::string_view bytes, std::string* to) {
  const std::array<int32_t, 256>& characters = CharactersOfBytes();
  for (const char byte : bytes) {
    const int32_t character = characters[static_cast<unsigned char>(byte)];
    if (character < 0x80) {
      to->push_back(static_cast<char>(character));
    } else {
      AppendUtf8(character, to);
    }
  }
}

size_t BytePairPartLength(absl::string_view text) {
  for (const absl::string_view ending :
       {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (absl::StartsWith(text, ending)) return ending.size();
  }
  size_t bytes = 0;
  const size_t space = text[0] == ' ' && text.size() > 1 ? 1 : 0;
  const Kind kind = KindOf(text.substr(space), &bytes);
  if (kind != Kind::kSpace) {
    return space + RunOf(kind, text.substr(space), &bytes);
  }
  const size_t length = RunOf(Kind::kSpace, text, &bytes);
  // The last white space belongs to the word after it, if there is one and the
  // white space is not alone.
  return length == text.size() || length == bytes ? length : length - bytes;
}

void PairMerges::Add(uint32_t left, uint32_t right, uint32_t merged) {
  merges_.insert_or_assign({left, right}, Merge{next_rank_++, merged});
}

void PairMerges::Push(size_t left, size_t right, Room* room) const {
  const std::pair<uint32_t, uint32_t> both = {room->pieces_[left],
                                              room->pieces_[right]};
  const auto found = merges_.find(both);
  if (found == merges_.end()) return;
  room->heap_.push_back({found->second.rank,
                         left,
                         right,
                         {both.first, both.second},
                         found->second.piece});
  std::push_heap(room->heap_.begin(), room->heap_.end());
}

bool PairMerges::MergePair(const Pair& pair, Room* room) {
  Neighbors& left = room->neighbors_[pair.left];
  Neighbors& right = room->neighbors_[pair.right];
  if (left.gone || left.after != pair.right || right.gone ||
      room->pieces_[pair.left] != pair.pieces[0] ||
      room->pieces_[pair.right] != pair.pieces[1]) {
    return false;
  }
  room->pieces_[pair.left] = pair.merged;
  left.after = right.after;
  right.gone = true;
  if (left.after != kNone) room->neighbors_[left.after].before = pair.left;
  return true;
}

void PairMerges::PushAround(size_t position, Room* room) const {
  const Neighbors& neighbors = room->neighbors_[position];
  if (neighbors.before != kNone) Push(neighbors.before, position, room);
  if (neighbors.after != kNone) Push(position, neighbors.after, room);
}

void PairMerges::Apply(bool in_rounds, Room* room, size_t from,
                       std::vector<uint32_t>* pieces) const {
  const size_t count = pieces->size() - from;
  if (count < 2) return;
  room->pieces_.assign(pieces->begin() + static_cast<ptrdiff_t>(from),
                       pieces->end());
  room->neighbors_.resize(count);
  room->heap_.clear();
  for (size_t i = 0; i < count; ++i) {
    room->neighbors_[i] = {i > 0 ? i - 1 : kNone, i + 1 < count ? i + 1 : kNone,
                           false};
  }
  for (size_t i = 0; i + 1 < count; ++i) Push(i, i + 1, room);
  while (!room->heap_.empty()) {
    const uint32_t rank = room->heap_.front().rank;
    room->merged_.clear();
    do {
      std::pop_heap(room->heap_.begin(), room->heap_.end());
      const Pair pair = room->heap_.back();
      room->heap_.pop_back();
      if (MergePair(pair, room)) room->merged_.push_back(pair.left);
    } while (in_rounds && !room->heap_.empty() &&
             room->heap_.front().rank == rank);
    for (const size_t i : room->merged_) PushAround(i, room);
  }
  pieces->resize(from);
  for (size_t i = 0; i < count; ++i) {
    if (!room->neighbors_[i].gone) pieces->push_back(room->pieces_[i]);
  }
}

}  // namespace firth
