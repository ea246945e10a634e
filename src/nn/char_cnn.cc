// The windows of all words for filters of one width are gathered as rows of a
// matrix, and a product computes their values, a few hundred windows at a time.
// Each word keeps the maximum of each filter and its position. Backward() needs
// only those positions, because all other windows have no gradient.

#include "nn/char_cnn.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rng.h"

namespace firth::nn {
namespace {

// Windows per product. They and their values stay in the L2 cache.
constexpr size_t kWindowsAtOnce = 512;
// Limits of ELMo's initial values.
constexpr double kEmbeddingLimit = 1;
constexpr double kReluLimit = 0.05;

}  // namespace

size_t CharCnnOptions::num_filters() const {
  size_t sum = 0;
  for (const CharFilters& set : filters) sum += set.count;
  return sum;
}

template <class T>
CharCnn<T>::CharCnn(const CharCnnOptions& options, absl::string_view name,
                    uint64_t key)
    : options_(options),
      embedding_(absl::StrCat(name, ".characters"), options.num_characters,
                 options.embedding_dim),
      word_(options.max_characters, options.embedding_dim),
      d_word_(options.max_characters, options.embedding_dim) {
  FillUniform(kEmbeddingLimit, key, embedding_.value);
  for (const CharFilters& set : options.filters) {
    FIRTH_CHECK(set.width > 0 && set.width <= options.max_characters);
    const size_t window = set.width * options.embedding_dim;
    filters_.push_back(std::make_unique<Parameter<T>>(
        absl::StrCat(name, ".filters.", filters_.size()), set.count, window));
    biases_.push_back(std::make_unique<Parameter<T>>(
        absl::StrCat(name, ".bias.", biases_.size()), 1, set.count));
    const uint64_t own_key = CombineKeys(key, filters_.size());
    if (options.activation == Activation::kRelu) {
      FillUniform(kReluLimit, own_key, filters_.back()->value);
    } else {
      FillNormal(1 / std::sqrt(static_cast<double>(window)), own_key,
                 filters_.back()->value);
    }
  }
}

template <class T>
void CharCnn<T>::AppendParameters(ParameterList<T>* list) {
  list->push_back(&embedding_);
  for (size_t i = 0; i < filters_.size(); ++i) {
    list->push_back(filters_[i].get());
    list->push_back(biases_[i].get());
  }
}

template <class T>
size_t CharCnn<T>::Places(size_t row, size_t width) const {
  return std::min(options_.max_characters - width + 1, lengths_[row] + 1);
}

template <class T>
ConstView<T> CharCnn<T>::Forward(absl::Span<const uint16_t> characters) {
  const size_t width = options_.max_characters;
  const size_t words = characters.size() / width;
  FIRTH_CHECK(characters.size() == words * width);
  lengths_.resize(words);
  for (size_t row = 0; row < words; ++row) {
    size_t length = width;
    while (length > 0 &&
           characters[row * width + length - 1] == options_.padding) {
      --length;
    }
    lengths_[row] = length;
  }
  output_.Resize(words, output_dim());
  places_.resize(words * output_dim());
  size_t column = 0;
  for (size_t i = 0; i < filters_.size(); ++i) {
    const CharFilters& set = options_.filters[i];
    for (size_t begin = 0, end = 0; begin < words; begin = end) {
      size_t windows = 0;
      while (end < words && (end == begin || windows < kWindowsAtOnce)) {
        windows += Places(end++, set.width);
      }
      GatherWindows(characters, begin, end, set.width);
      values_.Resize(windows_.rows(), set.count);
      Product(windows_.view(), Transpose::kNo, filters_[i]->value.view(),
              Transpose::kYes, Into::kOverwrite, values_.view());
      PoolWindows(begin, end, set.width, column);
    }
    AddToRows(biases_[i]->value.data(), output_.view().Cols(column, set.count));
    column += set.count;
  }
  Activate(options_.activation, output_.size(), output_.data());
  return output();
}

template <class T>
void CharCnn<T>::GatherWindows(absl::Span<const uint16_t> characters,
                               size_t begin, size_t end, size_t width) {
  const size_t dim = options_.embedding_dim;
  size_t rows = 0;
  for (size_t row = begin; row < end; ++row) rows += Places(row, width);
  windows_.Resize(rows, width * dim);
  T* to = windows_.data();
  for (size_t row = begin; row < end; ++row) {
    const uint16_t* const word =
        characters.data() + row * options_.max_characters;
    for (size_t p = 0; p < Places(row, width); ++p) {
      for (size_t k = 0; k < width; ++k) {
        FIRTH_DCHECK(word[p + k] < options_.num_characters);
        to = std::copy_n(embedding_.value.Row(word[p + k]), dim, to);
      }
    }
  }
}

template <class T>
void CharCnn<T>::PoolWindows(size_t begin, size_t end, size_t width,
                             size_t column) {
  const size_t count = values_.cols();
  size_t window = 0;
  for (size_t row = begin; row < end; ++row) {
    T* const best = output_.Row(row) + column;
    int* const places = places_.data() + row * output_dim() + column;
    std::copy_n(values_.Row(window++), count, best);
    std::fill_n(places, count, 0);
    for (size_t p = 1; p < Places(row, width); ++p) {
      KeepGreatest(count, values_.Row(window++), static_cast<int>(p), best,
                   places);
    }
  }
}

template <class T>
void CharCnn<T>::Backward(absl::Span<const uint16_t> characters,
                          ConstView<T> d_output) {
  FIRTH_CHECK(d_output.rows() == output_.rows());
  d_output_.Resize(d_output.rows(), d_output.cols());
  Copy(d_output, d_output_.view());
  ActivateBackward(options_.activation, output_.size(), output_.data(),
                   d_output_.data());
  for (size_t row = 0; row < output_.rows(); ++row) {
    WordBackward(characters.data() + row * options_.max_characters, row);
  }
  size_t column = 0;
  for (const auto& bias : biases_) {
    const size_t count = bias->value.cols();
    AddColumnSums(d_output_.view().Cols(column, count), bias->gradient.Row(0));
    column += count;
  }
}

// The gradient of a filter for a word comes from a single position.
template <class T>
void CharCnn<T>::WordBackward(const uint16_t* word, size_t row) {
  const size_t dim = options_.embedding_dim;
  for (size_t k = 0; k < options_.max_characters; ++k) {
    std::copy_n(embedding_.value.Row(word[k]), dim, word_.Row(k));
  }
  d_word_.Fill(0);
  const int* place = places_.data() + row * output_dim();
  const T* d_value = d_output_.Row(row);
  for (const auto& filters : filters_) {
    for (size_t f = 0; f < filters->value.rows(); ++f, ++place, ++d_value) {
      if (*d_value == 0) continue;
      const size_t window = filters->value.cols();
      AddScaled(window, *d_value, word_.Row(static_cast<size_t>(*place)),
                filters->gradient.Row(f));
      AddScaled(window, *d_value, filters->value.Row(f),
                d_word_.Row(static_cast<size_t>(*place)));
    }
  }
  for (size_t k = 0; k < options_.max_characters; ++k) {
    AddScaled(dim, T{1}, d_word_.Row(k), embedding_.gradient.Row(word[k]));
  }
}

template class CharCnn<float>;
#ifdef FIRTH_DOUBLES
template class CharCnn<double>;
#endif

}  // namespace firth::nn
