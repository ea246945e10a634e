// Divides words into the pieces of a vocabulary. A model of pieces has tens of
// thousands of them and no unknown words, because a word that is not a piece
// consists of several.

#ifndef FIRTH_VOCAB_PIECE_CUTTER_H_
#define FIRTH_VOCAB_PIECE_CUTTER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/vocabulary.h"
#include "firth/word_id.h"

namespace firth {

// Thread-safe.
class PieceCutter {
 public:
  virtual ~PieceCutter() = default;

  // Appends the pieces of a word, which may be none. The word may have any
  // bytes. `starts_text`: whether the word is the first of its text; otherwise,
  // white space precedes it.
  virtual void Cut(absl::string_view word, bool starts_text,
                   std::vector<WordId>* pieces) const = 0;

  // Returns the text of the pieces, with spaces between words.
  virtual std::string Join(absl::Span<const WordId> pieces) const = 0;
};

struct WordPieceOptions {
  bool lowercase = true;
  bool strip_accents = true;
  bool part_ideographs = true;  // Whether each ideograph is a word of its own.
};

// Divides words like BERT's WordPiece (Devlin et al., "BERT: pre-training of
// deep bidirectional transformers for language understanding", 2019, and its
// published code): a piece that does not begin a word starts with "##". A part
// that cannot be divided, or has more than 100 characters, is `unknown`.
std::unique_ptr<PieceCutter> MakeWordPieces(const WordPieceOptions& options,
                                            Vocabulary pieces, WordId unknown);

struct BytePairOptions {
  // Whether a space precedes the first word of a text.
  bool space_first = false;
};

// Merges byte pairs like GPT-2 (Sennrich et al., "Neural machine translation of
// rare words with subword units", 2016; Radford et al., "Language models are
// unsupervised multitask learners", 2019). A piece is spelled with a printable
// character for each byte. `merges` has entries "LEFT RIGHT", in the order in
// which they are applied. A byte without a piece of its own is `unknown`.
// Errors: InvalidArgument, an entry of `merges` that is not two pieces whose
// concatenation is a third.
absl::StatusOr<std::unique_ptr<PieceCutter>> MakeBytePairs(
    const BytePairOptions& options, Vocabulary pieces, WordId unknown,
    const Vocabulary& merges);

}  // namespace firth

#endif  // FIRTH_VOCAB_PIECE_CUTTER_H_
