// A word with a given vector starts with that vector, even if its input vector
// is composed: its own row takes the difference from the rows of its n-grams. A
// word that is only in the text starts with the vector that the given n-grams
// compose, if there are any, and otherwise at random, as usual. Words that only
// the given vectors have are not trained, because no window contains them. They
// are appended to the trained vectors on request.

#include "train/initial_vectors.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/matrix.h"
#include "firth/status_macros.h"
#include "train/grown_model.h"

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

}  // namespace

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
