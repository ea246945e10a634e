#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "nn/elementwise.h"
#include "nn/output_rows.h"

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

template std::unique_ptr<OutputRows<float>> MakeTableRows(size_t, size_t,
                                                          GradientKind, double,
                                                          absl::string_view,
                                                          uint64_t);
template std::unique_ptr<OutputRows<float>> MakeTiedRows(Parameter<float>*,
                                                         GradientKind, double,
                                                         absl::string_view);
#ifdef FIRTH_DOUBLES
template std::unique_ptr<OutputRows<double>> MakeTableRows(size_t, size_t,
                                                           GradientKind, double,
                                                           absl::string_view,
                                                           uint64_t);
template std::unique_ptr<OutputRows<double>> MakeTiedRows(Parameter<double>*,
                                                          GradientKind, double,
                                                          absl::string_view);
#endif

}  // namespace firth::nn
