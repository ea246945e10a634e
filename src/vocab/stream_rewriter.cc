// Each worker compacts one piece, small enough for a cache. Then, in the order
// of the pieces, each moves down to the end of the one before. The space there
// belongs to pieces that are already moved.

#include "vocab/stream_rewriter.h"

#include <atomic>
#include <cstring>

#include "firth/status_macros.h"

namespace firth {
namespace {

constexpr size_t kPieceIds = size_t{1} << 18;
constexpr uint32_t kEnd = TokenStream::kSentenceEnd;

struct Compacted {
  size_t size = 0;
  size_t num_words = 0;
};

// Compacts a piece to its own start. Keeps its first sentence end, because only
// the caller knows whether words precede it.
Compacted Compact(absl::Span<uint32_t> piece, const IdMap* map,
                  EmptySentences empty) {
  Compacted result;
  bool after_end = false;
  for (uint32_t id : piece) {
    if (id == kEnd) {
      if (after_end) continue;
      after_end = empty == EmptySentences::kDrop;
    } else {
      if (map != nullptr && !map->Translate(&id)) continue;
      after_end = false;
      ++result.num_words;
    }
    piece[result.size++] = id;
  }
  return result;
}

class Rewriter {
 public:
  Rewriter(absl::Span<uint32_t> ids, const IdMap* map, bool inside_sentence,
           EmptySentences empty)
      : ids_(ids),
        map_(map),
        inside_sentence_(inside_sentence),
        empty_(empty) {}

  void Work() {
    const size_t num_pieces = (ids_.size() + kPieceIds - 1) / kPieceIds;
    for (size_t number; (number = next_piece_++) < num_pieces;) {
      const auto piece = ids_.subspan(number * kPieceIds, kPieceIds);
      const Compacted compacted = Compact(piece, map_, empty_);
      turnstile_.Pass(number, [&] { Join(piece, compacted); });
    }
  }

  const RewrittenStream& result() const { return result_; }

 private:
  void Join(absl::Span<const uint32_t> piece, const Compacted& compacted) {
    const bool after_end =
        result_.size == 0 ? !inside_sentence_ : ids_[result_.size - 1] == kEnd;
    const size_t skipped = empty_ == EmptySentences::kDrop &&
                           compacted.size > 0 && piece[0] == kEnd && after_end;
    const size_t size = compacted.size - skipped;
    std::memmove(ids_.data() + result_.size, piece.data() + skipped,
                 size * sizeof(uint32_t));
    result_.size += size;
    result_.num_words += compacted.num_words;
  }

  absl::Span<uint32_t> ids_;
  const IdMap* map_;
  bool inside_sentence_;
  EmptySentences empty_;
  std::atomic<size_t> next_piece_ = 0;
  Turnstile turnstile_;
  RewrittenStream result_;
};

}  // namespace

RewrittenStream RewriteStream(absl::Span<uint32_t> ids, const IdMap* map,
                              int threads, bool inside_sentence,
                              EmptySentences empty) {
  Rewriter rewriter(ids, map, inside_sentence, empty);
#pragma omp parallel num_threads(threads)
  rewriter.Work();
  return rewriter.result();
}

absl::StatusOr<std::shared_ptr<const TokenStream>> TakeRewritten(
    const IdMap* map, int threads, TokenSpool* spool, bool inside_sentence,
    EmptySentences empty) {
  FIRTH_ASSIGN_OR_RETURN(const auto ids, spool->Map());
  const RewrittenStream stream =
      RewriteStream(ids, map, threads, inside_sentence, empty);
  return spool->TakeStream(
      stream.size, stream.num_words,
      {.first_position = 0, .inside_sentence = inside_sentence});
}

}  // namespace firth
