#include "nn/output_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rng.h"
#include "nn/elementwise.h"

namespace firth::nn {
namespace {

template <class T>
class TableRows : public OutputRows<T> {
 public:
  // `own` is the table, or null if it belongs to something else.
  TableRows(Parameter<T>* table, std::unique_ptr<Parameter<T>> own,
            GradientKind kind, double first_bias, absl::string_view name)
      : own_(std::move(own)),
        weights_(*table),
        bias_(absl::StrCat(name, ".bias"), table->value.rows(), 1, kind) {
    bias_.value.Fill(static_cast<T>(first_bias));
  }

  size_t vocab_size() const override { return weights_.value.rows(); }
  size_t dim() const override { return weights_.value.cols(); }

  void AppendParameters(ParameterList<T>* list) override {
    if (own_ != nullptr) list->push_back(own_.get());
    list->push_back(&bias_);
  }

  void Select(absl::Span<const uint32_t> words) override {
    all_ = false;
    words_.assign(words.begin(), words.end());
    rows_.Resize(words.size(), dim());
    selected_bias_.resize(words.size());
    ForRows(words.size(), dim(), [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) {
        std::copy_n(weights_.value.Row(words[k]), dim(), rows_.Row(k));
        selected_bias_[k] = *bias_.value.Row(words[k]);
      }
    });
  }

  void SelectAll() override { all_ = true; }

  ConstView<T> rows() const override {
    return all_ ? weights_.value.view() : rows_.view();
  }
  const T* bias() const override {
    return all_ ? bias_.value.data() : selected_bias_.data();
  }

  void Backward(ConstView<T> d_rows, const T* d_bias) override {
    FIRTH_CHECK(d_rows.rows() == rows().rows());
    const auto word_of = [&](size_t k) { return all_ ? k : words_[k]; };
    for (size_t k = 0; k < d_rows.rows(); ++k) {
      weights_.gradient.Row(word_of(k));  // adds the row
      *bias_.gradient.Row(word_of(k)) += d_bias[k];
    }
    // Words may be repeated, so columns are divided among threads.
    ForColumns(d_rows.rows(), dim(), [&](size_t begin, size_t end) {
      for (size_t k = 0; k < d_rows.rows(); ++k) {
        AddScaled(end - begin, T{1}, d_rows.Row(k) + begin,
                  weights_.gradient.Row(word_of(k)) + begin);
      }
    });
  }

 private:
  std::unique_ptr<Parameter<T>> own_;
  Parameter<T>& weights_;  // [vocab_size, dim]
  Parameter<T> bias_;      // [vocab_size, 1]
  bool all_ = true;
  std::vector<uint32_t> words_;
  Matrix<T> rows_;
  std::vector<T> selected_bias_;
};

template <class T>
class CnnRows : public OutputRows<T> {
 public:
  CnnRows(const CharCnnOptions& options, std::vector<uint16_t> characters,
          size_t dim, size_t correction_dim, GradientKind kind,
          absl::string_view name, uint64_t key)
      : characters_(std::move(characters)),
        vocab_size_(characters_.size() / options.max_characters),
        cnn_(options, absl::StrCat(name, ".cnn"), CombineKeys(key, 1)),
        projection_(absl::StrCat(name, ".projection"), options.num_filters(),
                    dim),
        corrections_(absl::StrCat(name, ".corrections"), vocab_size_,
                     correction_dim, kind),
        correction_weights_(absl::StrCat(name, ".correction_weights"),
                            correction_dim, dim) {
    FIRTH_CHECK(characters_.size() == vocab_size_ * options.max_characters);
    FillGlorot(options.num_filters(), dim, CombineKeys(key, 2),
               projection_.value);
    // The corrections start with 0, but their weights do not, because both
    // would otherwise have zero gradients.
    FillGlorot(correction_dim, dim, CombineKeys(key, 3),
               correction_weights_.value);
  }

  size_t vocab_size() const override { return vocab_size_; }
  size_t dim() const override { return projection_.value.cols(); }

  void AppendParameters(ParameterList<T>* list) override {
    cnn_.AppendParameters(list);
    list->push_back(&projection_);
    list->push_back(&corrections_);
    list->push_back(&correction_weights_);
  }

  void Select(absl::Span<const uint32_t> words) override {
    words_.assign(words.begin(), words.end());
    const size_t width = cnn_.options().max_characters;
    selected_characters_.clear();
    selected_corrections_.Resize(words.size(), corrections_.value.cols());
    for (size_t k = 0; k < words.size(); ++k) {
      const auto from =
          characters_.begin() + static_cast<ptrdiff_t>(words[k] * width);
      selected_characters_.insert(selected_characters_.end(), from,
                                  from + static_cast<ptrdiff_t>(width));
      std::copy_n(corrections_.value.Row(words[k]), corrections_.value.cols(),
                  selected_corrections_.Row(k));
    }
    const ConstView<T> features = cnn_.Forward(selected_characters_);
    rows_.Resize(words.size(), dim());
    Multiply(features, projection_.value.view(), Into::kOverwrite,
             rows_.view());
    Multiply(selected_corrections_.view(), correction_weights_.value.view(),
             Into::kAdd, rows_.view());
    bias_.assign(words.size(), 0);
  }

  void SelectAll() override {
    std::vector<uint32_t> all(vocab_size_);
    std::iota(all.begin(), all.end(), 0);
    Select(all);
  }

  ConstView<T> rows() const override { return rows_.view(); }
  const T* bias() const override { return bias_.data(); }

  void Backward(ConstView<T> d_rows, const T* /*d_bias*/) override {
    FIRTH_CHECK(d_rows.rows() == words_.size());
    d_features_.Resize(words_.size(), cnn_.output_dim());
    AddWeightGradient(cnn_.output(), d_rows, projection_.gradient.view());
    MultiplyBack(d_rows, projection_.value.view(), Into::kOverwrite,
                 d_features_.view());
    cnn_.Backward(selected_characters_, d_features_.view());
    AddWeightGradient(selected_corrections_.view(), d_rows,
                      correction_weights_.gradient.view());
    d_corrections_.Resize(words_.size(), corrections_.value.cols());
    MultiplyBack(d_rows, correction_weights_.value.view(), Into::kOverwrite,
                 d_corrections_.view());
    for (size_t k = 0; k < words_.size(); ++k) {
      AddScaled(d_corrections_.cols(), T{1}, d_corrections_.Row(k),
                corrections_.gradient.Row(words_[k]));
    }
  }

 private:
  std::vector<uint16_t> characters_;
  size_t vocab_size_;
  CharCnn<T> cnn_;
  Parameter<T> projection_;          // [filters, dim]
  Parameter<T> corrections_;         // [vocab_size, correction_dim]
  Parameter<T> correction_weights_;  // [correction_dim, dim]
  std::vector<uint32_t> words_;
  std::vector<uint16_t> selected_characters_;
  Matrix<T> selected_corrections_;
  Matrix<T> rows_;
  std::vector<T> bias_;  // zeros
  Matrix<T> d_features_;
  Matrix<T> d_corrections_;
};

}  // namespace

template <class T>
std::unique_ptr<OutputRows<T>> MakeTableRows(size_t vocab_size, size_t dim,
                                             GradientKind kind,
                                             double first_bias,
                                             absl::string_view name,
                                             uint64_t key) {
  auto table = std::make_unique<Parameter<T>>(absl::StrCat(name, ".weights"),
                                              vocab_size, dim, kind);
  FillNormal(1 / std::sqrt(static_cast<double>(dim)), key, table->value);
  Parameter<T>* const weights = table.get();
  return std::make_unique<TableRows<T>>(weights, std::move(table), kind,
                                        first_bias, name);
}

template <class T>
std::unique_ptr<OutputRows<T>> MakeTiedRows(Parameter<T>* table,
                                            GradientKind kind,
                                            double first_bias,
                                            absl::string_view name) {
  return std::make_unique<TableRows<T>>(table, nullptr, kind, first_bias, name);
}

template <class T>
std::unique_ptr<OutputRows<T>> MakeCnnRows(const CharCnnOptions& options,
                                           std::vector<uint16_t> characters,
                                           size_t dim, size_t correction_dim,
                                           GradientKind kind,
                                           absl::string_view name,
                                           uint64_t key) {
  return std::make_unique<CnnRows<T>>(options, std::move(characters), dim,
                                      correction_dim, kind, name, key);
}

template std::unique_ptr<OutputRows<float>> MakeTableRows(size_t, size_t,
                                                          GradientKind, double,
                                                          absl::string_view,
                                                          uint64_t);
template std::unique_ptr<OutputRows<float>> MakeTiedRows(Parameter<float>*,
                                                         GradientKind, double,
                                                         absl::string_view);
template std::unique_ptr<OutputRows<float>> MakeCnnRows(
    const CharCnnOptions&, std::vector<uint16_t>, size_t, size_t, GradientKind,
    absl::string_view, uint64_t);
#ifdef FIRTH_DOUBLES
template std::unique_ptr<OutputRows<double>> MakeTableRows(size_t, size_t,
                                                           GradientKind, double,
                                                           absl::string_view,
                                                           uint64_t);
template std::unique_ptr<OutputRows<double>> MakeTiedRows(Parameter<double>*,
                                                          GradientKind, double,
                                                          absl::string_view);
template std::unique_ptr<OutputRows<double>> MakeCnnRows(
    const CharCnnOptions&, std::vector<uint16_t>, size_t, size_t, GradientKind,
    absl::string_view, uint64_t);
#endif

}  // namespace firth::nn
