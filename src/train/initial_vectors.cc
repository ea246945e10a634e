// A word with a given vector starts with that vector, even if its input vector
// is composed: its own row takes the difference from the rows of its n-grams. A
// word that is only in the text starts with the vector that the given n-grams
// compose, if there are any, and otherwise at random, as usual. Words that only
// the given vectors have are not trained, because no window contains them. They
// are appended to the trained vectors on request.
//
// In an update, words keep their rows by name and n-grams by bucket, so
// ForEachRow() visits the tables of the model and the grown ones side by side:
// once to copy the old rows to their new positions, and once to move rows back
// by their evidence. The evidence of an n-gram is the sum over the words that
// contain it.

#include "train/initial_vectors.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/matrix.h"
#include "base/quote.h"
#include "corpus/token_stream.h"
#include "firth/status_macros.h"
#include "train/training.h"

namespace firth {
namespace {

bool HasSubwords(const TrainOptions& options) {
  return !std::holds_alternative<NoSubwords>(options.subwords);
}

// Returns the words to keep that are not in the vocabulary, in order.
std::vector<WordId> Others(const InitialVectors& initial,
                           const Vocabulary& vocabulary) {
  std::vector<WordId> others;
  if (initial.vectors == nullptr || !initial.keep_others) return others;
  const Vocabulary& given = initial.vectors->vocabulary();
  for (size_t i = 0; i < given.size(); ++i) {
    if (!vocabulary.Find(given.Word(ToWordId(i))).has_value()) {
      others.push_back(ToWordId(i));
    }
  }
  return others;
}

// Returns `table` with `more` rows of zeros appended.
PaddedMatrix Lengthened(const FloatTable& table, size_t more) {
  PaddedMatrix longer(table.rows() + more, table.cols());
  for (size_t row = 0; row < table.rows(); ++row) {
    std::copy_n(table.Row(row).data(), table.cols(), longer.Row(row));
  }
  return longer;
}

// Returns `bias` with `more` values appended: words that were never seen are as
// improbable as the rarest that was.
PaddedMatrix WithLeastBiases(const FloatTable& bias, size_t more) {
  PaddedMatrix longer(1, bias.cols() + more);
  const auto row = bias.Row(0);
  std::copy(row.begin(), row.end(), longer.Row(0));
  std::fill_n(longer.Row(0) + row.size(), more,
              *std::min_element(row.begin(), row.end()));
  return longer;
}

absl::StatusOr<Vocabulary> Joined(const Vocabulary& trained,
                                  const Vocabulary& given,
                                  const std::vector<WordId>& others) {
  std::vector<absl::string_view> words;
  std::vector<uint64_t> counts(trained.counts().begin(),
                               trained.counts().end());
  words.reserve(trained.size() + others.size());
  for (size_t i = 0; i < trained.size(); ++i) {
    words.push_back(trained.Word(ToWordId(i)));
  }
  for (const WordId other : others) {
    words.push_back(given.Word(other));
    counts.push_back(given.Count(other));
  }
  return Vocabulary::Create(words, std::move(counts));
}

// Returns the row in `to`, which has grown from `from`, of row `row` of `from`.
size_t GrownRow(const SubwordIndex& from, size_t row, const SubwordIndex& to) {
  if (from.Buckets().empty()) return row;
  const auto buckets = to.Buckets();
  return static_cast<size_t>(
      std::lower_bound(buckets.begin(), buckets.end(), from.Buckets()[row]) -
      buckets.begin());
}

// Calls visit_word(known, row, word) for each row of the tables that belongs to
// a word of the model, with the row's old and current values and the word's new
// id. Calls visit_n_gram(known, row, n_gram) for the rows of n-grams.
template <class VisitWord, class VisitNGram>
void ForEachRow(const InitialVectors& initial, const Vocabulary& vocabulary,
                EmbeddingModel* model, VisitWord visit_word,
                VisitNGram visit_n_gram) {
  const Vocabulary& known = initial.vectors->vocabulary();
  const SubwordTables* subwords = initial.vectors->subwords();
  const FloatTable& words =
      subwords != nullptr ? subwords->words : initial.vectors->table();
  // There are two if words before and after the center have separate rows.
  const size_t output_parts = initial.output.rows() / known.size();
  PaddedMatrix& input = model->input().Quiet();
  PaddedMatrix& output = model->output().Quiet();
  PaddedMatrix& bias = model->output_bias().Quiet();
  for (size_t i = 0; i < known.size(); ++i) {
    const size_t word = Index(*vocabulary.Find(known.Word(ToWordId(i))));
    if (!words.empty()) {
      visit_word(model->OwnColumns(words.Row(i)), input.Row(word), word);
    }
    for (size_t part = 0; part < output_parts; ++part) {
      visit_word(model->OwnColumns(initial.output.Row(part * known.size() + i)),
                 output.Row(part * vocabulary.size() + word), word);
    }
    if (bias.rows() > 0) {
      visit_word(initial.output_bias.Row(0).subspan(i, 1), bias.Row(0) + word,
                 word);
    }
  }
  if (subwords == nullptr) return;
  const size_t first = input.rows() - model->index()->rows();
  for (size_t row = 0; row < subwords->index.rows(); ++row) {
    const size_t n_gram = GrownRow(subwords->index, row, *model->index());
    visit_n_gram(subwords->n_grams.Row(row), input.Row(first + n_gram), n_gram);
  }
}

// Numbers of occurrences of words or n-grams in the old and in the new text.
struct Evidence {
  std::vector<double> before;
  std::vector<double> now;

  explicit Evidence(size_t size) : before(size), now(size) {}
  float Share(size_t i) const {
    const double all = before[i] + now[i];
    return all > 0 ? static_cast<float>(now[i] / all) : 0;
  }
};

Evidence OfNGrams(const Evidence& words, const Vocabulary& vocabulary,
                  const SubwordIndex& index) {
  Evidence evidence(index.rows());
  std::vector<uint32_t> rows;
  for (size_t word = 0; word < vocabulary.size(); ++word) {
    rows.clear();
    index.AppendRows(vocabulary.Word(ToWordId(word)), &rows);
    for (const uint32_t row : rows) {
      evidence.before[row] += words.before[word];
      evidence.now[row] += words.now[word];
    }
  }
  return evidence;
}

// row = known + share * (row - known)
void MoveBack(absl::Span<const float> known, float share, float* row) {
  for (size_t i = 0; i < known.size(); ++i) {
    row[i] = known[i] + share * (row[i] - known[i]);
  }
}

// Checks whether the model can be updated. Errors: InvalidArgument.
absl::Status CheckModel(const InitialVectors& initial,
                        const Vocabulary& vocabulary,
                        const TrainOptions& options) {
  const Vocabulary& known = initial.vectors->vocabulary();
  if (!TraitsOf(options.objective).has_word_rows) {
    return absl::InvalidArgumentError(
        "update: a model with hierarchical softmax cannot be updated, since "
        "its tree depends on the word counts; use another objective");
  }
  const ModelShape shape = ShapeOf(options, known.size(), 0);
  if (initial.output.rows() != shape.output_rows ||
      initial.output.cols() != shape.dim) {
    return absl::InvalidArgumentError(
        absl::StrCat("update: expected an output table of [", shape.output_rows,
                     ", ", shape.dim, "], found [", initial.output.rows(), ", ",
                     initial.output.cols(), "]"));
  }
  const size_t biases = shape.output_bias.has_value() ? shape.output_rows : 0;
  if (initial.output_bias.cols() != biases) {
    return absl::InvalidArgumentError(absl::StrCat("update: expected ", biases,
                                                   " output biases, found ",
                                                   initial.output_bias.cols()));
  }
  const SubwordTables* subwords = initial.vectors->subwords();
  const size_t kind =
      subwords != nullptr ? subwords->index.options().index() : 0;
  if (kind != options.subwords.index()) {
    return absl::InvalidArgumentError(
        "update: the subwords must be of the same kind as in the model");
  }
  for (size_t i = 0; i < known.size(); ++i) {
    const absl::string_view word = known.Word(ToWordId(i));
    if (vocabulary.Find(word).has_value()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "update: the corpus must have all words of the model, but lacks ",
        Quote(word)));
  }
  return absl::OkStatus();
}

// Copies all rows of the model to their new positions.
void CopyModel(const InitialVectors& initial, const Vocabulary& vocabulary,
               EmbeddingModel* model) {
  const auto copy = [](absl::Span<const float> known, float* row, size_t) {
    std::copy(known.begin(), known.end(), row);
  };
  ForEachRow(initial, vocabulary, model, copy, copy);
}

}  // namespace

absl::StatusOr<SubwordIndex> MakeSubwordIndex(const InitialVectors& initial,
                                              const TrainOptions& options,
                                              const Vocabulary& vocabulary) {
  if (IsModel(initial) && initial.vectors->subwords() != nullptr) {
    return initial.vectors->subwords()->index.Grown(vocabulary);
  }
  return SubwordIndex::Create(options.subwords, vocabulary);
}

std::vector<uint64_t> CountTokens(const Corpus& corpus) {
  std::vector<uint64_t> counts(corpus.vocabulary.size());
  for (const uint32_t token : corpus.tokens->tokens()) {
    if (token != TokenStream::kSentenceEnd) ++counts[token];
  }
  return counts;
}

void WeighByEvidence(const InitialVectors& initial,
                     const Vocabulary& vocabulary,
                     absl::Span<const uint64_t> counts, EmbeddingModel* model) {
  const Vocabulary& known = initial.vectors->vocabulary();
  if (known.total_count() == 0) return;
  Evidence words(vocabulary.size());
  std::copy(counts.begin(), counts.end(), words.now.begin());
  for (size_t i = 0; i < known.size(); ++i) {
    const WordId word = *vocabulary.Find(known.Word(ToWordId(i)));
    words.before[Index(word)] = static_cast<double>(known.Count(ToWordId(i)));
  }
  const Evidence n_grams = model->index() != nullptr
                               ? OfNGrams(words, vocabulary, *model->index())
                               : Evidence(0);
  ForEachRow(
      initial, vocabulary, model,
      [&](absl::Span<const float> row_before, float* row, size_t word) {
        MoveBack(row_before, words.Share(word), row);
      },
      [&](absl::Span<const float> row_before, float* row, size_t n_gram) {
        MoveBack(row_before, n_grams.Share(n_gram), row);
      });
}

absl::Status CheckInitialVectors(const InitialVectors& initial,
                                 const Vocabulary& vocabulary,
                                 const TrainOptions& options) {
  if (initial.vectors == nullptr) {
    if (!initial.freeze && !IsModel(initial)) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "init: the vectors to start from are missing");
  }
  if (initial.vectors->dim() != static_cast<size_t>(options.dim)) {
    return absl::InvalidArgumentError(
        absl::StrCat("init: the vectors must have ", options.dim,
                     " dimensions (dim), found ", initial.vectors->dim()));
  }
  if (IsModel(initial)) {
    FIRTH_RETURN_IF_ERROR(CheckModel(initial, vocabulary, options));
  } else if (!WordsHaveRows(options.subwords)) {
    return absl::InvalidArgumentError(
        "init: the words need rows of their own; floret's subwords have none");
  }
  if (initial.freeze && HasSubwords(options)) {
    return absl::InvalidArgumentError(
        "freeze: words with n-grams cannot be frozen, since words share "
        "n-grams");
  }
  if (initial.freeze && TraitsOf(options.objective).updates_all_rows) {
    return absl::InvalidArgumentError(
        "freeze: not possible with the softmax objective; use another one");
  }
  if (initial.keep_others && HasSubwords(options)) {
    return absl::InvalidArgumentError(
        "init: with subwords, words that do not occur in the text cannot be "
        "kept");
  }
  return absl::OkStatus();
}

InitialWords StartFrom(const InitialVectors& initial,
                       const Vocabulary& vocabulary, EmbeddingModel* model) {
  InitialWords words;
  if (initial.vectors == nullptr) return words;
  if (IsModel(initial)) CopyModel(initial, vocabulary, model);
  std::vector<bool> given(vocabulary.size());
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const absl::string_view word = vocabulary.Word(ToWordId(i));
    if (const auto vector = initial.vectors->Find(word)) {
      if (!IsModel(initial)) {
        model->SetInput(ToWordId(i), model->OwnColumns(*vector));
      }
      given[i] = true;
      ++words.given;
    } else if (const auto guess = initial.vectors->FromNGrams(word)) {
      if (model->words_have_rows()) {
        model->SetInput(ToWordId(i), model->OwnColumns(*guess));
      }
      ++words.from_n_grams;
    } else {
      ++words.at_random;
    }
  }
  if (initial.freeze) model->Pin(std::move(given));
  return words;
}

size_t NumOthers(const InitialVectors& initial, const Vocabulary& vocabulary) {
  return Others(initial, vocabulary).size();
}

absl::Status AppendOthers(const InitialVectors& initial,
                          TrainedModel* trained) {
  const Vocabulary& vocabulary = trained->vectors.vocabulary();
  const std::vector<WordId> others = Others(initial, vocabulary);
  if (others.empty()) return absl::OkStatus();
  const size_t size = vocabulary.size();
  PaddedMatrix table = Lengthened(trained->vectors.table(), others.size());
  for (size_t i = 0; i < others.size(); ++i) {
    const auto vector = initial.vectors->Vector(others[i]);
    std::copy(vector.begin(), vector.end(), table.Row(size + i));
  }
  FIRTH_ASSIGN_OR_RETURN(
      Vocabulary joined,
      Joined(vocabulary, initial.vectors->vocabulary(), others));
  if (trained->output.rows() == size) {
    trained->output = Lengthened(trained->output, others.size());
  }
  if (!trained->output_bias.empty()) {
    trained->output_bias = WithLeastBiases(trained->output_bias, others.size());
  }
  FIRTH_ASSIGN_OR_RETURN(
      trained->vectors,
      WordVectors::Create(std::move(joined), std::move(table)));
  trained->report.initial.others = others.size();
  return absl::OkStatus();
}

}  // namespace firth
