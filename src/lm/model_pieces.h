// Models of pieces: what they know of how words are cut, and texts of words as
// texts of pieces. Below this, a piece is what a word is to other models: all
// that reads ids works on both.

#ifndef FIRTH_LM_MODEL_PIECES_H_
#define FIRTH_LM_MODEL_PIECES_H_

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
#include "lm/json_section.h"
#include "nlohmann/json.hpp"
#include "vocab/piece_cutter.h"

namespace firth {

// How a model's words are cut; std::monostate: they are not.
struct PieceOptions {
  std::variant<std::monostate, WordPieceOptions, BytePairOptions> kind;
  // How texts may spell the model's marks besides as we do, such as "[SEP]" for
  // the second; "": in no other way. At most as many as there are marks.
  std::vector<std::string> mark_names;

  bool cut() const { return kind.index() > 0; }
};

// The section "pieces" of a model's options.
nlohmann::ordered_json PiecesJson(const PieceOptions& options);
absl::StatusOr<PieceOptions> ReadPieces(const JsonSection& section);

// The pieces of sentences.
struct CutSentences {
  // Borrowed from the cutter's vocabulary.
  std::vector<std::vector<absl::string_view>> pieces;
  // Where the pieces of word w of sentence s begin: first[s][w]; and, behind
  // the last word, how many there are.
  std::vector<std::vector<size_t>> first;
};

// Cuts texts for a model. Thread-safe.
class TextCutter {
 public:
  using Sentence = std::vector<absl::string_view>;

  // words: the model's vocabulary, which begins with `marks`. merges: of byte
  // pairs. Errors: those of MakeBytePairs().
  static absl::StatusOr<std::shared_ptr<const TextCutter>> Create(
      const PieceOptions& options, const std::vector<std::string>& marks,
      const Vocabulary& words, const Vocabulary& merges);

  const Vocabulary& merges() const { return merges_; }

  // Each word has at least one piece: <UNK> where its characters are such as
  // the model never sees.
  CutSentences Cut(absl::Span<const Sentence> sentences) const;
  // The same of a corpus, whose words become the model's vocabulary, each with
  // its count in the text.
  Corpus Cut(const Corpus& text) const;

  // The words, divided by spaces, that pieces make.
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

// From the vectors of a sentence's pieces to those of its words. first: see
// CutSentences.
TokenVectors JoinPieces(const TokenVectors& pieces,
                        absl::Span<const size_t> first, PieceVectors how);

}  // namespace firth

#endif  // FIRTH_LM_MODEL_PIECES_H_
