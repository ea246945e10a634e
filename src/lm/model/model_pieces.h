// Models of pieces: how they cut words, and the conversion of texts of words to
// texts of pieces. Code that works with ids treats a piece like a word and
// works for both.

#ifndef FIRTH_LM_MODEL_MODEL_PIECES_H_
#define FIRTH_LM_MODEL_MODEL_PIECES_H_

#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/contextualizer.h"
#include "firth/corpus.h"
#include "firth/vocabulary.h"
#include "lm/model/json_section.h"
#include "nlohmann/json.hpp"
#include "vocab/piece_cutter.h"

namespace firth {

// How a model cuts words. std::monostate means that it does not cut them.
struct PieceOptions {
  std::variant<std::monostate, WordPieceOptions, BytePairOptions> kind;
  // Other spellings of the model's marks in texts, such as "[SEP]" for the
  // second, or "" if there is none. At most as many as there are marks.
  std::vector<std::string> mark_names;

  bool cut() const { return kind.index() > 0; }
};

// Write and read the section "pieces" of a model's options.
nlohmann::ordered_json PiecesJson(const PieceOptions& options);
absl::StatusOr<PieceOptions> ReadPieces(const JsonSection& section);

// Sentences as pieces.
struct CutSentences {
  // Borrowed from the cutter's vocabulary.
  std::vector<std::vector<absl::string_view>> pieces;
  // The first piece of word w of sentence s is first[s][w]. After the last word
  // comes the number of pieces.
  std::vector<std::vector<size_t>> first;
};

// Cuts texts for a model. Thread-safe.
class TextCutter {
 public:
  using Sentence = std::vector<absl::string_view>;

  // `words` is the model's vocabulary, which begins with `marks`. `merges` is
  // for byte pairs. Errors: those of MakeBytePairs().
  static absl::StatusOr<std::shared_ptr<const TextCutter>> Create(
      const PieceOptions& options, const std::vector<std::string>& marks,
      const Vocabulary& words, const Vocabulary& merges);

  const Vocabulary& merges() const { return merges_; }

  // Cuts sentences. Each word has at least one piece, which is <UNK> if the
  // model has no pieces for its characters.
  CutSentences Cut(absl::Span<const Sentence> sentences) const;
  // Cuts a corpus. The words of the result are the model's vocabulary, each
  // with its count in the text.
  Corpus Cut(const Corpus& text) const;

  // Returns the words that the pieces form, separated by spaces.
  std::vector<std::string> Join(absl::Span<const std::string> pieces) const;

 private:
  TextCutter() = default;
  void CutWord(absl::string_view word, bool starts_text,
               std::vector<WordId>* pieces) const;

  std::unique_ptr<PieceCutter> cutter_;
  Vocabulary words_;
  Vocabulary merges_;
  std::vector<std::string> marks_;
  std::vector<std::string> mark_names_;
};

// Computes the vectors of a sentence's words from those of its pieces. `first`
// is as in CutSentences.
TokenVectors JoinPieces(const TokenVectors& pieces,
                        absl::Span<const size_t> first, PieceVectors how);

}  // namespace firth

#endif  // FIRTH_LM_MODEL_MODEL_PIECES_H_
